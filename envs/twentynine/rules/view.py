"""What a seat of Twenty-nine sees: the observation, itself first, then the others as they play."""

from __future__ import annotations

from bidarena.envs.bits import count, lowest
from bidarena.envs.compile import apart
from bidarena.envs.game import Cfg, Observation, State
from bidarena.envs.twentynine.rules.auction import CALLS_PER_NUMBER, usual_leader
from bidarena.envs.twentynine.rules.layout import (
    BIDDING,
    FINISHED,
    MOST_REDEALS,
    NOBODY,
    PLAYING,
    SEATS,
    SUIT,
    TRUMPING,
    C,
    S,
    V,
)
from bidarena.envs.twentynine.rules.play import table_card

MOST_POINTS = 29.0  # the observation gives bids and points as shares of this


def known_trump(state: State, player: int) -> int:
    """Return the trump if this seat knows it, else NOBODY."""
    return state[S.trump] if state[S.revealed] or player == state[S.bidder] else NOBODY


def known_leader(cfg: Cfg, state: State) -> int:
    """Return the seat that leads to the present trick, or will lead to the first one.

    NOBODY in the auction, and as long as a single hand may be declared, which takes the lead.
    """
    if state[S.phase] >= PLAYING:
        return state[S.leader]
    if state[S.phase] == BIDDING or cfg[C.single_hand]:
        return NOBODY
    return usual_leader(cfg, state)


@apart
def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Write what `player` knows: its hand, all cards played, what auction and play have shown."""
    out[:] = 0.0
    hand = state[S.hands + player]
    while hand:
        out[V.hand + lowest(hand)] = 1.0
        hand &= hand - 1
    for trick in range(min(state[S.trick] + 1, 8)):
        _see_trick(state, player, trick, out)
    for k in range(SEATS):
        seat = (player + k) % SEATS
        for suit in range(4):
            barred = (state[S.barred + seat] >> (8 * suit)) & SUIT
            if barred:
                out[V.voids + 4 * k + suit] = count(barred) / 8.0
        out[V.bids + k] = state[S.bids + seat] / MOST_POINTS
        out[V.passed + k] = (state[S.passed] >> seat) & 1

    _see_seat(player, state[S.defender], V.defender, out)
    _see_seat(player, state[S.challenger], V.challenger, out)
    _see_seat(player, state[S.first], V.first, out)
    _see_seat(player, state[S.bidder], V.bidder, out)
    _see_seat(player, state[S.revealer], V.revealer, out)
    _see_seat(player, state[S.mover], V.mover, out)
    _see_seat(player, state[S.single], V.single, out)
    _see_seat(player, state[S.married], V.married, out)
    out[V.contract] = state[S.contract] / MOST_POINTS
    out[V.target] = state[S.target] / 32.0
    trump = known_trump(state, player)
    if trump != NOBODY:
        out[V.trump + trump] = 1.0
    out[V.revealed] = 1.0 if state[S.revealed] else 0.0
    out[V.revealed_in] = state[S.revealed] / 8.0
    out[V.asked] = state[S.asked]
    if state[S.phase] < FINISHED:
        out[V.phase + state[S.phase]] = 1.0
    out[V.trick_number] = state[S.trick] / 8.0
    _see_seat(player, known_leader(cfg, state), V.leader, out)
    for k in range(2):
        side = (player + k) & 1
        out[V.points + k] = state[S.points + side] / MOST_POINTS
        out[V.tricks + k] = state[S.won + side] / 8.0
        if cfg[C.match_to] > 0:
            goal = cfg[C.match_to]
            score = max(-goal, min(goal, state[S.score + side]))
            out[V.score + k] = 0.5 + 0.5 * score / goal
    out[V.stake] = state[S.stake] / 4.0
    out[V.seventh] = 1.0 if state[S.seventh] != NOBODY else 0.0
    out[V.redeals] = state[S.redeals] / MOST_REDEALS
    if cfg[C.match_to] > 0:
        out[V.deals] = state[S.deals] / cfg[C.max_deals]


def _see_trick(state: State, player: int, trick: int, out: Observation) -> None:
    """Write the cards of a trick by seat, with its number; those on the table a second time."""
    on_table = trick == state[S.trick] and state[S.in_trick] > 0
    for k in range(SEATS):
        seat = (player + k) % SEATS
        card = table_card(state[S.tricks + trick], seat)
        if card != NOBODY:
            out[V.played + 32 * k + card] = (trick + 1) / 8.0
            if on_table:
                out[V.trick + 32 * k + card] = 1.0


def _see_seat(player: int, seat: int, part: int, out: Observation) -> None:
    """Write a 1 at the seat's place, counted from the player on; nothing if it is NOBODY."""
    if seat >= 0:
        out[part + ((seat - player) % SEATS)] = 1.0


# --- for searches --------------------------------------------------------------------------------

# Odd numbers at random: sums of products with them differ for different numbers, but for chance.
_HAND, _SMALL, _CALL = 0x1E3779B97F4A7C15, 0x2545F4914F6CDD1D, 0x5851F42D4C957F2D
_TRICK, _LAST_TRICK, _SCORE = 0x14057B7EF767814F, 0x369DEA0F31A53F85, 0x27BB2EE687B0B0FD


def signature(cfg: Cfg, state: State, player: int) -> int:
    """Return a number for what the last step has shown this seat, equal for equal sights."""
    trick, calls = state[S.trick], state[S.calls]
    small = state[S.phase] | (state[S.mover] + 2) << 3 | state[S.revealed] << 6
    small |= (known_trump(state, player) + 1) << 10 | state[S.stake] << 13
    small |= (state[S.single] + 1) << 16 | (state[S.married] + 1) << 19 | state[S.redeals] << 22
    small |= (
        (state[S.seventh] >= 0) << 24 | state[S.asked] << 25 | calls << 26 | state[S.deals] << 32
    )
    # The hand is news only when it is dealt. Later it follows from the cards played, and a search
    # would take each hand that it guesses for a different situation.
    dealt = calls == 0 or (state[S.phase] > TRUMPING and trick == 0 and state[S.in_trick] == 0)
    number = (state[S.hands + player] if dealt else 0) * _HAND + small * _SMALL
    number += state[S.tricks + min(trick, 7)] * _TRICK
    number += state[S.tricks + max(trick - 1, 0)] * _LAST_TRICK
    number += state[S.auction + max(calls - 1, 0) // CALLS_PER_NUMBER] * _CALL
    return number + (state[S.score] << 8 ^ state[S.score + 1]) * _SCORE
