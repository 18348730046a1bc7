"""The bots of Coins except `exact` and `memo`: random moves, and the report's ways to search."""

from __future__ import annotations

from typing import Any

from bidarena.baselines.coins.search import search_act
from bidarena.baselines.coins.shapes import known_shapes
from bidarena.baselines.coins.table import Plan, make_plan
from bidarena.baselines.common import random_distribution
from bidarena.envs.coins.rules import C, S
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State, legal
from bidarena.envs.registry import Bot
from bidarena.envs.rng import below, pick

TRIES = 24  # `random` draws so often before it lists all legal moves
TABLE_BITS = 16  # a search remembers up to 2**16 positions during a move


def random(game: Game) -> Bot:
    """Play every legal move with equal probability."""
    return Bot("random", _random_act, distribution=random_distribution)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    # While many moves are legal, drawing until one is found is faster than listing them all.
    taken = ~state[S.board]
    for _ in range(TRIES):
        action = below(rng, cfg[C.segments])
        if cfg[C.takes + action] & taken == 0:
            return action
    legal(cfg, state, scratch)
    return pick(rng, scratch)


def counting(game: Game, ms: float | None = None, nodes: int | None = None) -> Bot:
    """Count won and lost games below each move, play the best ratio: the report's first program.

    Args:
        game: Coins.
        ms: milliseconds per move; 50 if neither `ms` nor `nodes` is given. Every legal move gets an
            equal share of the time left; what is counted when its share is used up decides.
        nodes: positions per move, which makes games repeatable; with `ms` too, the search stops at
            the limit that is reached first.
    """
    return Bot("counting", search_act, _any(make_plan(game, ms, nodes)))


def patterns(game: Game, ms: float | None = None, nodes: int | None = None) -> Bot:
    """Steer the game into shapes that are known to be lost: the report's second program.

    It knows all boards that have fallen apart into separate straight runs of up to 16 coins
    together (`shapes.py`). It searches for a sure way to leave the opponent a lost one; if there is
    none, it plays the best ratio of `counting`. Where points decide it knows no shapes. For `ms`
    and `nodes` see `counting`.
    """
    plan = make_plan(game, ms, nodes, sure=True, table=TABLE_BITS, shapes=known_shapes(game))
    return Bot("patterns", search_act, _any(plan))


def surewin(game: Game, ms: float | None = None, nodes: int | None = None) -> Bot:
    """Play a sure win if one is found, else the best ratio of `counting`: the third program.

    A position is a sure win if some move leads to a sure loss, and a sure loss if every move leads
    to a sure win. Once this is known of a position, nothing more is counted below it, and all games
    counted there count for the winner. No position is searched twice. For `ms` and `nodes` see
    `counting`.
    """
    return Bot("surewin", search_act, _any(make_plan(game, ms, nodes, sure=True, table=TABLE_BITS)))


def bounded(game: Game, ms: float | None = None, nodes: int | None = None) -> Bot:
    """Play `surewin`, but leave out moves while the board is full: the report's fourth program.

    Everywhere in the tree it looks at every fourth legal move while more than 24 coins are on the
    board, at every second while more than 16 are, and then at all of them. So its sure wins are
    sure only if no omitted move of the opponent is better than those searched. For `ms` and `nodes`
    see `counting`.
    """
    plan = make_plan(game, ms, nodes, sure=True, bounded=True, table=TABLE_BITS)
    return Bot("bounded", search_act, _any(plan))


def greedy(game: Game, ms: float | None = None, nodes: int | None = None) -> Bot:
    """Take the most points now, unless a sure win is found: the report's rule for colours.

    So it takes negative points only when nothing else is left or when they win the game. On a plain
    board every coin counts one. `ms` and `nodes` limit the search for a sure win; see `counting`.
    """
    plan = make_plan(game, ms, nodes, sure=True, greedy=True, table=TABLE_BITS)
    return Bot("greedy", search_act, _any(plan))


def _any(plan: Plan) -> Any:
    """Return the plan with a type that `Bot` accepts: it declares floats, but integers work too."""
    return plan
