"""Turn by turn through Twenty-nine: the deal, the legal actions, the actions, the next deal."""

from __future__ import annotations

from bidarena.envs.compile import apart
from bidarena.envs.game import CUT_SHORT, OVER, Cfg, Mask, Rng, State
from bidarena.envs.twentynine.rules.auction import (
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
from bidarena.envs.twentynine.rules.layout import (
    BIDDING,
    DOUBLES,
    FINISHED,
    PLAYING,
    SEATS,
    SINGLES,
    TRUMPING,
    A,
    C,
    S,
)
from bidarena.envs.twentynine.rules.play import declare, play_card, play_options, reveal
from bidarena.envs.twentynine.rules.result import declarer, game_points


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Deal the cards of a new game, or of the first deal of a match. Seat 0 speaks first."""
    state[S.first] = 0
    state[S.redeals] = 0
    state[S.score] = 0
    state[S.score + 1] = 0
    state[S.deals] = 0
    deal(cfg, state, rng)


def to_move(cfg: Cfg, state: State) -> int:
    """Return the seat to act, or OVER or CUT_SHORT at the end."""
    return state[S.mover]


def options(cfg: Cfg, state: State) -> int:
    """Return the legal actions of the seat to act as a bit mask."""
    phase = state[S.phase]
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
    """Write into `mask` a 1 for each legal action of the seat to act, and a 0 for each other."""
    allowed = options(cfg, state)
    for action in range(len(mask)):
        mask[action] = (allowed >> action) & 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Take an action of the seat to act. After the last card of a deal, score the deal."""
    phase = state[S.phase]
    if phase == PLAYING:
        if action == A.reveal:
            reveal(state)
        elif action == A.declare:
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
    """End the game; in a match, add the deal to the score and deal again until it is decided."""
    goal = cfg[C.match_to]
    if goal == 0:
        _finish(state, OVER)
        return
    player = declarer(state)
    score = state[S.score + (player & 1)] + game_points(cfg, state)
    state[S.score + (player & 1)] = score
    state[S.deals] += 1
    if abs(score) >= goal:
        _finish(state, OVER)
    elif state[S.deals] == cfg[C.max_deals]:
        _finish(state, CUT_SHORT)
    else:
        state[S.first] = (state[S.first] + 1) % SEATS
        state[S.redeals] = 0
        deal(cfg, state, rng)


def _finish(state: State, status: int) -> None:
    """End the game; `status` is OVER or CUT_SHORT."""
    state[S.phase] = FINISHED
    state[S.mover] = status
