"""What the play lets one believe of hidden cards in Twenty-nine, for searches (`belief=`).

A search guesses the hidden cards, all consistent deals being equally likely. These functions say
how believable a guess is, by two thoughts of the competition's winners:

- `throws`: nobody gives points to the opponents without need. Who did so had no worthless card to
  play instead: none of the suit led if he followed it, none at all if he could not.
- `trump`: the bidder has chosen a suit of which he had many cards, and has not thrown it away.
"""

from __future__ import annotations

import numpy as np

from bidarena.envs.bits import count
from bidarena.envs.game import Cfg, Game, Params, State
from bidarena.envs.registry import Belief
from bidarena.envs.twentynine.layout import (
    BIDDER,
    HANDS,
    IN_TRICK,
    JACKS,
    NINES,
    NOBODY,
    ONES,
    REVEALED,
    SEATS,
    SEVENTH_IS,
    SINGLE_IS,
    SUIT,
    TRICK,
    TRICKS,
    TRUMP,
    suit_of,
    worth,
)
from bidarena.envs.twentynine.play import LEADER_AT, table_card

WORTHLESS = 0xFFFFFFFF ^ JACKS ^ NINES ^ ONES


def throws(game: Game, doubt: float = 0.25) -> Belief:
    """A guess is believed `doubt` times as much for each card with points thrown without need."""
    return Belief("throws", _throws, np.array([_share("doubt", doubt)]))


def trump(game: Game, few: float = 0.05) -> Belief:
    """The more trumps the bidder was dealt, four at best, the better; `few` if he had none."""
    return Belief("trump", _trump, np.array([1.0, _share("few", few)]))


def both(game: Game, doubt: float = 0.25, few: float = 0.05) -> Belief:
    """`throws` and `trump` together."""
    return Belief("both", _both, np.array([_share("doubt", doubt), _share("few", few)]))


def _share(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise ValueError(f"{name}={value!r}: expected a number above 0 and up to 1")
    return float(value)


def _both(cfg: Cfg, params: Params, state: State, player: int) -> float:
    return _throws(cfg, params, state, player) * _trump(cfg, params, state, player)


def _throws(cfg: Cfg, params: Params, state: State, player: int) -> float:
    belief = 1.0
    for trick in range(min(state[TRICK] + 1, 8)):
        word = state[TRICKS + trick]
        cards = SEATS if state[SINGLE_IS] == NOBODY else SEATS - 1
        if trick == state[TRICK]:
            cards = state[IN_TRICK]
        if cards < 2:
            continue
        seat = word >> LEADER_AT
        led = suit_of(table_card(word, seat))
        best = table_card(word, seat)
        winner = seat
        revealed = 0 < state[REVEALED] <= trick + 1
        for _ in range(1, cards):
            seat = (seat + 1) % SEATS
            card = table_card(word, seat)
            if card == NOBODY:  # the partner of a single hand does not play
                seat = (seat + 1) % SEATS
                card = table_card(word, seat)
            trumps = revealed and suit_of(card) == state[TRUMP] and suit_of(best) != state[TRUMP]
            if trumps or (suit_of(card) == suit_of(best) and card > best):
                best, winner = card, seat
            elif worth(card) > 0 and seat != player and (seat ^ winner) & 1 == 1:
                followed = suit_of(card) == led
                instead = SUIT << (8 * led) if followed else 0xFFFFFFFF
                if state[HANDS + seat] & instead & WORTHLESS:
                    belief *= params[0]
    return belief


def _trump(cfg: Cfg, params: Params, state: State, player: int) -> float:
    bidder, suit = state[BIDDER], state[TRUMP]
    chosen = suit != NOBODY and state[SEVENTH_IS] == NOBODY and state[SINGLE_IS] == NOBODY
    if not chosen or player == bidder:
        return 1.0
    trumps = count(state[HANDS + bidder] & (SUIT << (8 * suit)))
    for trick in range(min(state[TRICK] + 1, 8)):
        word = state[TRICKS + trick]
        card = table_card(word, bidder)
        if card == NOBODY or suit_of(card) != suit:
            continue
        leader = word >> LEADER_AT
        discarded = leader != bidder and suit_of(table_card(word, leader)) != suit
        hidden = state[REVEALED] == 0 or trick + 1 < state[REVEALED]
        if not (discarded and hidden):
            trumps += 1
    return max(params[1], min(trumps, 4) / 4.0)
