"""Beliefs about hidden cards in Twenty-nine, for searches (`belief=`).

A search guesses the hidden cards; all consistent deals are equally likely. These functions return
how believable a guess is, by two ideas of the competition's winners:

- `throws`: nobody gives points to the opponents without need. A player who did so had no card
  without points to play instead: none of the suit led if they followed suit, else none at all.
- `trump`: the bidder chose a suit with many cards in the hand, and did not discard it.
"""

from __future__ import annotations

import numpy as np

from bidarena.envs.bits import count
from bidarena.envs.game import Cfg, Game, Params, State
from bidarena.envs.registry import Belief
from bidarena.envs.twentynine.rules.layout import (
    JACKS,
    NINES,
    NOBODY,
    ONES,
    SEATS,
    SUIT,
    S,
    suit_of,
    worth,
)
from bidarena.envs.twentynine.rules.play import LEADER_AT, table_card

WORTHLESS = 0xFFFFFFFF ^ JACKS ^ NINES ^ ONES


def throws(game: Game, doubt: float = 0.25) -> Belief:
    """Return a belief: the product of `doubt` for each card with points given away without need."""
    return Belief("throws", _throws, np.array([_share("doubt", doubt)]))


def trump(game: Game, few: float = 0.05) -> Belief:
    """Return a belief that grows with the trumps dealt to the bidder.

    It is a quarter for each trump, at most 1; `few` if there was none.
    """
    return Belief("trump", _trump, np.array([1.0, _share("few", few)]))


def both(game: Game, doubt: float = 0.25, few: float = 0.05) -> Belief:
    """Return the product of the beliefs `throws` and `trump`."""
    return Belief("both", _both, np.array([_share("doubt", doubt), _share("few", few)]))


def _share(name: str, value: float) -> float:
    """Return the value as a float; raise ValueError unless it is above 0 and at most 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise ValueError(f"{name}={value!r}: expected a number above 0 and up to 1")
    return float(value)


def _both(cfg: Cfg, params: Params, state: State, player: int) -> float:
    return _throws(cfg, params, state, player) * _trump(cfg, params, state, player)


def _throws(cfg: Cfg, params: Params, state: State, player: int) -> float:
    belief = 1.0
    for trick in range(min(state[S.trick] + 1, 8)):
        packed = state[S.tricks + trick]
        cards = SEATS if state[S.single] == NOBODY else SEATS - 1
        if trick == state[S.trick]:
            cards = state[S.in_trick]
        if cards < 2:
            continue
        seat = packed >> LEADER_AT
        led = suit_of(table_card(packed, seat))
        best = table_card(packed, seat)
        winner = seat
        revealed = 0 < state[S.revealed] <= trick + 1
        for _ in range(1, cards):
            seat = (seat + 1) % SEATS
            card = table_card(packed, seat)
            if card == NOBODY:  # the partner of a single hand does not play
                seat = (seat + 1) % SEATS
                card = table_card(packed, seat)
            trumps = (
                revealed and suit_of(card) == state[S.trump] and suit_of(best) != state[S.trump]
            )
            if trumps or (suit_of(card) == suit_of(best) and card > best):
                best, winner = card, seat
            elif worth(card) > 0 and seat != player and (seat ^ winner) & 1 == 1:
                followed = suit_of(card) == led
                instead = SUIT << (8 * led) if followed else 0xFFFFFFFF
                if state[S.hands + seat] & instead & WORTHLESS:
                    belief *= params[0]
    return belief


def _trump(cfg: Cfg, params: Params, state: State, player: int) -> float:
    bidder, suit = state[S.bidder], state[S.trump]
    chosen = suit != NOBODY and state[S.seventh] == NOBODY and state[S.single] == NOBODY
    if not chosen or player == bidder:
        return 1.0
    trumps = count(state[S.hands + bidder] & (SUIT << (8 * suit)))
    for trick in range(min(state[S.trick] + 1, 8)):
        packed = state[S.tricks + trick]
        card = table_card(packed, bidder)
        if card == NOBODY or suit_of(card) != suit:
            continue
        leader = packed >> LEADER_AT
        discarded = leader != bidder and suit_of(table_card(packed, leader)) != suit
        hidden = state[S.revealed] == 0 or trick + 1 < state[S.revealed]
        if not (discarded and hidden):
            trumps += 1
    return max(params[1], min(trumps, 4) / 4.0)
