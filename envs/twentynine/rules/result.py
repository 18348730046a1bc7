"""What a deal or a match of Twenty-nine brings each side."""

from __future__ import annotations

from bidarena.envs.compile import apart
from bidarena.envs.game import Cfg, Returns, State
from bidarena.envs.twentynine.rules.layout import (
    MARGIN,
    NOBODY,
    SEATS,
    SINGLE_STAKE,
    VOID,
    C,
    S,
)


def declarer(state: State) -> int:
    """Return the seat whose contract was played: the bidder, or the seat with a single hand."""
    return state[S.bidder] if state[S.single] == NOBODY else state[S.single]


def game_points(cfg: Cfg, state: State) -> int:
    """Return the game points of the declarer's side: plus or minus the stake; 0 if void."""
    if state[S.single] != NOBODY:
        made = state[S.won + (state[S.single] & 1)] == 8
        return SINGLE_STAKE if made else -SINGLE_STAKE
    if state[S.revealed] == 0 and cfg[C.unrevealed] == VOID:
        return 0
    made = state[S.points + (state[S.bidder] & 1)] >= state[S.target]
    return state[S.stake] if made else -state[S.stake]


@apart
def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write the result of each seat: that of the declarer's side, its negative for the others."""
    side = declarer(state) & 1
    if cfg[C.match_to] > 0:
        result = _match_result(cfg, state, side)
    elif cfg[C.reward] == MARGIN:
        result = float(_margin(cfg, state))
    else:
        result = game_points(cfg, state) / cfg[C.most_stake]
    for seat in range(SEATS):
        out[seat] = result if seat & 1 == side else -result


def _match_result(cfg: Cfg, state: State, side: int) -> float:
    """Return 1 if `side` has won the match, -1 if it has lost it, 0 if it was cut short."""
    score = state[S.score + side]  # the only score that the last deal changed
    if abs(score) < cfg[C.match_to]:
        return 0.0
    return 1.0 if score > 0 else -1.0


def _margin(cfg: Cfg, state: State) -> int:
    """Return the points of the declarer's side above its target; 28 or -28 for a single hand."""
    if state[S.single] != NOBODY:
        return 28 if game_points(cfg, state) > 0 else -28
    if state[S.revealed] == 0 and cfg[C.unrevealed] == VOID:
        return 0
    return state[S.points + (state[S.bidder] & 1)] - state[S.target]
