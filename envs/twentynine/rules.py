"""The rules of Twenty-nine, in the order the game is played; `TwentyNineEnv` tells them in words.

A deal goes through phases: auction, doubling, trump, single hand (auction.py), then the tricks
(play.py). What a seat sees is in view.py, what it can only guess in guess.py. All cards are dealt
at once; the second four of each seat lie aside, seen by nobody, until the trump is chosen.
"""

from __future__ import annotations

from bidarena.envs.compile import apart
from bidarena.envs.game import CUT_SHORT, OVER, Cfg, Mask, Returns, Rng, State
from bidarena.envs.twentynine.auction import (
    auction_options,
    call,
    choose_trump,
    deal,
    declare_single,
    double,
    doubling_options,
    single_options,
    trump_options,
)
from bidarena.envs.twentynine.guess import determinize
from bidarena.envs.twentynine.layout import (
    BIDDER,
    BIDDING,
    DEALS,
    DECLARE,
    DOUBLES,
    FINISHED,
    FIRST,
    GAME_SCORE,
    MARGIN,
    MATCH_TO,
    MAX_DEALS,
    MOST_STAKE,
    MOVER,
    NOBODY,
    PHASE,
    PLAYING,
    POINTS,
    REDEALS,
    REVEAL,
    REVEALED,
    REWARD,
    SEATS,
    SINGLE_IS,
    SINGLE_STAKE,
    SINGLES,
    STAKE,
    TARGET,
    TRUMPING,
    UNREVEALED,
    VOID,
    WON,
)
from bidarena.envs.twentynine.play import declare, play_card, play_options, reveal
from bidarena.envs.twentynine.view import observe, signature

__all__ = ["determinize", "legal", "observe", "reset", "returns", "signature", "step", "to_move"]


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """The first deal; seat 0 speaks first."""
    state[FIRST] = 0
    state[REDEALS] = 0
    state[GAME_SCORE] = 0
    state[GAME_SCORE + 1] = 0
    state[DEALS] = 0
    deal(cfg, state, rng)


def to_move(cfg: Cfg, state: State) -> int:
    """One seat after another; nothing is simultaneous."""
    return state[MOVER]


def options(cfg: Cfg, state: State) -> int:
    """All legal actions of the seat to act, a bit each."""
    phase = state[PHASE]
    if phase == PLAYING:
        return play_options(cfg, state)
    if phase == BIDDING:
        return auction_options(cfg, state)
    if phase == DOUBLES:
        return doubling_options(state)
    if phase == TRUMPING:
        return trump_options(cfg)
    return single_options()


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """The same as a mask."""
    allowed = options(cfg, state)
    for action in range(len(mask)):
        mask[action] = (allowed >> action) & 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Take an action; after the last card of a deal, count it."""
    phase = state[PHASE]
    if phase == PLAYING:
        if action == REVEAL:
            reveal(state)
        elif action == DECLARE:
            declare(cfg, state)
        elif play_card(cfg, state, action):
            _end_deal(cfg, state, rng)
    elif phase == BIDDING:
        call(cfg, state, action, rng)
    elif phase == DOUBLES:
        double(state, action)
    elif phase == TRUMPING:
        choose_trump(cfg, state, action, rng)
    elif phase == SINGLES:
        declare_single(cfg, state, action)


@apart
def _end_deal(cfg: Cfg, state: State, rng: Rng) -> None:
    """The game is over, or in a match the next deal follows."""
    goal = cfg[MATCH_TO]
    if goal == 0:
        _finish(state, OVER)
        return
    player = declarer(state)
    score = state[GAME_SCORE + (player & 1)] + game_points(cfg, state)
    state[GAME_SCORE + (player & 1)] = score
    state[DEALS] += 1
    if abs(score) >= goal:
        _finish(state, OVER)
    elif state[DEALS] == cfg[MAX_DEALS]:
        _finish(state, CUT_SHORT)
    else:
        state[FIRST] = (state[FIRST] + 1) % SEATS
        state[REDEALS] = 0
        deal(cfg, state, rng)


def _finish(state: State, status: int) -> None:
    state[PHASE] = FINISHED
    state[MOVER] = status


def declarer(state: State) -> int:
    """The seat whose contract was played: the bidder, or who played a single hand."""
    return state[BIDDER] if state[SINGLE_IS] == NOBODY else state[SINGLE_IS]


def game_points(cfg: Cfg, state: State) -> int:
    """What a finished deal brings the declarer's side: its stake, won or lost; 0 if void."""
    if state[SINGLE_IS] != NOBODY:
        made = state[WON + (state[SINGLE_IS] & 1)] == 8
        return SINGLE_STAKE if made else -SINGLE_STAKE
    if state[REVEALED] == 0 and cfg[UNREVEALED] == VOID:
        return 0
    made = state[POINTS + (state[BIDDER] & 1)] >= state[TARGET]
    return state[STAKE] if made else -state[STAKE]


@apart
def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """The result of the declarer's side, and its negative for the other side."""
    side = declarer(state) & 1
    if cfg[MATCH_TO] > 0:
        result = _match_result(cfg, state, side)
    elif cfg[REWARD] == MARGIN:
        result = float(_margin(cfg, state))
    else:
        result = game_points(cfg, state) / cfg[MOST_STAKE]
    for seat in range(SEATS):
        out[seat] = result if seat & 1 == side else -result


def _match_result(cfg: Cfg, state: State, side: int) -> float:
    """1 for the side that has the game points, -1 if it has lost them, 0 for a match cut short."""
    score = state[GAME_SCORE + side]  # the last deal decided, and it changed this score only
    if abs(score) < cfg[MATCH_TO]:
        return 0.0
    return 1.0 if score > 0 else -1.0


def _margin(cfg: Cfg, state: State) -> int:
    if state[SINGLE_IS] != NOBODY:
        return 28 if game_points(cfg, state) > 0 else -28
    if state[REVEALED] == 0 and cfg[UNREVEALED] == VOID:
        return 0
    return state[POINTS + (state[BIDDER] & 1)] - state[TARGET]
