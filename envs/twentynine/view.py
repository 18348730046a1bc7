"""What a seat of Twenty-nine sees: the observation, with the other seats in the order of play."""

from __future__ import annotations

from bidarena.envs.bits import count, lowest
from bidarena.envs.compile import apart
from bidarena.envs.game import Cfg, Observation, State
from bidarena.envs.twentynine.auction import CALLS_PER_WORD
from bidarena.envs.twentynine.layout import (
    ASKED,
    BARRED,
    BIDDER,
    BIDS,
    CALLS,
    CHALLENGER,
    CONTRACT,
    DEALS,
    DEFENDER,
    FINISHED,
    FIRST,
    GAME_SCORE,
    HANDS,
    IN_TRICK,
    LEADER,
    LOG,
    MARRIED,
    MATCH_TO,
    MAX_DEALS,
    MOST_REDEALS,
    MOVER,
    NOBODY,
    OBSERVATION,
    PASSED,
    PHASE,
    POINTS,
    REDEALS,
    REVEALED,
    REVEALER,
    SEATS,
    SEVENTH_IS,
    SINGLE_IS,
    STAKE,
    SUIT,
    TARGET,
    TRICK,
    TRICKS,
    TRUMP,
    TRUMPING,
    WON,
)

_HAND = OBSERVATION["hand"].start
_PLAYED = OBSERVATION["played"].start
_TRICK = OBSERVATION["trick"].start
_VOIDS = OBSERVATION["voids"].start
_BIDS = OBSERVATION["bids"].start
_PASSED = OBSERVATION["passed"].start
_DEFENDER = OBSERVATION["defender"].start
_CHALLENGER = OBSERVATION["challenger"].start
_FIRST = OBSERVATION["first"].start
_BIDDER = OBSERVATION["bidder"].start
_CONTRACT = OBSERVATION["contract"].start
_TARGET = OBSERVATION["target"].start
_TRUMP = OBSERVATION["trump"].start
_REVEALED = OBSERVATION["revealed"].start
_REVEALED_IN = OBSERVATION["revealed_in"].start
_REVEALER = OBSERVATION["revealer"].start
_ASKED = OBSERVATION["asked"].start
_PHASE = OBSERVATION["phase"].start
_MOVER = OBSERVATION["mover"].start
_TRICK_NUMBER = OBSERVATION["trick_number"].start
_LEADER = OBSERVATION["leader"].start
_POINTS = OBSERVATION["points"].start
_TRICKS = OBSERVATION["tricks"].start
_STAKE = OBSERVATION["stake"].start
_SEVENTH = OBSERVATION["seventh"].start
_SINGLE = OBSERVATION["single"].start
_MARRIED = OBSERVATION["married"].start
_REDEALS = OBSERVATION["redeals"].start
_SCORE = OBSERVATION["score"].start
_DEALS = OBSERVATION["deals"].start

MOST_POINTS = 29.0  # bids and points are seen as shares of this


def known_trump(state: State, player: int) -> int:
    """The trump, if this seat knows it, else NOBODY."""
    return state[TRUMP] if state[REVEALED] or player == state[BIDDER] else NOBODY


@apart
def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Own hand, everything played, and what the auction and the play have shown."""
    out[:] = 0.0
    hand = state[HANDS + player]
    while hand:
        out[_HAND + lowest(hand)] = 1.0
        hand &= hand - 1
    for trick in range(min(state[TRICK] + 1, 8)):
        _see_trick(state, player, trick, out)
    for k in range(SEATS):
        seat = (player + k) % SEATS
        for suit in range(4):
            barred = (state[BARRED + seat] >> (8 * suit)) & SUIT
            if barred:
                out[_VOIDS + 4 * k + suit] = count(barred) / 8.0
        out[_BIDS + k] = state[BIDS + seat] / MOST_POINTS
        out[_PASSED + k] = (state[PASSED] >> seat) & 1

    _see_seat(player, state[DEFENDER], _DEFENDER, out)
    _see_seat(player, state[CHALLENGER], _CHALLENGER, out)
    _see_seat(player, state[FIRST], _FIRST, out)
    _see_seat(player, state[BIDDER], _BIDDER, out)
    _see_seat(player, state[REVEALER], _REVEALER, out)
    _see_seat(player, state[MOVER], _MOVER, out)
    _see_seat(player, state[SINGLE_IS], _SINGLE, out)
    _see_seat(player, state[MARRIED], _MARRIED, out)
    out[_CONTRACT] = state[CONTRACT] / MOST_POINTS
    out[_TARGET] = state[TARGET] / 32.0
    trump = known_trump(state, player)
    if trump != NOBODY:
        out[_TRUMP + trump] = 1.0
    out[_REVEALED] = 1.0 if state[REVEALED] else 0.0
    out[_REVEALED_IN] = state[REVEALED] / 8.0
    out[_ASKED] = state[ASKED]
    if state[PHASE] < FINISHED:
        out[_PHASE + state[PHASE]] = 1.0
    out[_TRICK_NUMBER] = state[TRICK] / 8.0
    if state[CONTRACT] > 0:
        _see_seat(player, state[LEADER], _LEADER, out)
    for k in range(2):
        side = (player + k) & 1
        out[_POINTS + k] = state[POINTS + side] / MOST_POINTS
        out[_TRICKS + k] = state[WON + side] / 8.0
        if cfg[MATCH_TO] > 0:
            goal = cfg[MATCH_TO]
            score = max(-goal, min(goal, state[GAME_SCORE + side]))
            out[_SCORE + k] = 0.5 + 0.5 * score / goal
    out[_STAKE] = state[STAKE] / 4.0
    out[_SEVENTH] = 1.0 if state[SEVENTH_IS] != NOBODY else 0.0
    out[_REDEALS] = state[REDEALS] / MOST_REDEALS
    if cfg[MATCH_TO] > 0:
        out[_DEALS] = state[DEALS] / cfg[MAX_DEALS]


def _see_trick(state: State, player: int, trick: int, out: Observation) -> None:
    """Who played what and when; the cards on the table once more by themselves."""
    word = state[TRICKS + trick]
    on_table = trick == state[TRICK] and state[IN_TRICK] > 0
    for k in range(SEATS):
        seat = (player + k) % SEATS
        card = ((word >> (6 * seat)) & 63) - 1
        if card != NOBODY:
            out[_PLAYED + 32 * k + card] = (trick + 1) / 8.0
            if on_table:
                out[_TRICK + 32 * k + card] = 1.0


def _see_seat(player: int, seat: int, part: int, out: Observation) -> None:
    """One of four: how many places after the player this seat is; nothing for nobody."""
    if seat >= 0:
        out[part + ((seat - player) % SEATS)] = 1.0


# --- for searches --------------------------------------------------------------------------------

_FOLD = 0x2545F4914F6CDD1D  # odd, so that no two values of a word become one


def signature(cfg: Cfg, state: State, player: int) -> int:
    """What the last step has shown this seat, as a number."""
    trick, calls = state[TRICK], state[CALLS]
    small = state[PHASE] | (state[MOVER] + 2) << 3 | state[REVEALED] << 6
    small |= (known_trump(state, player) + 1) << 10 | state[STAKE] << 13
    small |= (state[SINGLE_IS] + 1) << 16 | (state[MARRIED] + 1) << 19 | state[REDEALS] << 22
    small |= (state[SEVENTH_IS] >= 0) << 24 | state[ASKED] << 25 | calls << 26 | state[DEALS] << 32
    # His hand is new to him only when it was dealt; later it tells nothing that the cards played do
    # not, and a search would take other hands that it guesses for other situations.
    dealt = calls == 0 or (state[PHASE] > TRUMPING and trick == 0 and state[IN_TRICK] == 0)
    number = _fold(state[HANDS + player] if dealt else 0, small)
    number = _fold(number, state[LOG + max(calls - 1, 0) // CALLS_PER_WORD])
    number = _fold(number, state[TRICKS + min(trick, 7)])
    number = _fold(number, state[TRICKS + max(trick - 1, 0)])
    return _fold(number, state[GAME_SCORE] << 8 ^ state[GAME_SCORE + 1])


def _fold(number: int, value: int) -> int:
    number = (number ^ value) * _FOLD
    return number ^ (number >> 29)
