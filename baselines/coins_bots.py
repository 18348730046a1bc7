"""The bots of the report's five programs for Coins, but for `memo`: five ways to use one search."""

from __future__ import annotations

from typing import Any

from bidarena.baselines.coins_search import search_act
from bidarena.baselines.coins_shapes import known_shapes
from bidarena.baselines.coins_table import Plan, make_plan
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot

TABLE_BITS = 16  # positions that a bot remembers during a move, as a power of two


def counting(game: Game, ms: float | None = None, nodes: int | None = None) -> Bot:
    """The report's first program: counts the won and lost games below each move; the best ratio.

    Args:
        game: Coins.
        ms: milliseconds per move, 50 if nothing is given; every move gets an equal share of what
            is left, and when its share is used up what was counted so far has to do.
        nodes: positions per move instead, which is repeatable; with both, whatever is used first.
    """
    return Bot("counting", search_act, _any(make_plan(game, ms, nodes)))


def patterns(game: Game, ms: float | None = None, nodes: int | None = None) -> Bot:
    """The report's second program: steers the game into shapes that it knows to be lost.

    It knows all boards that have fallen apart into separate straight runs, of up to 16 coins
    together (`coins_shapes.py`). It searches for a way to leave the opponent a lost one, whatever
    he does; otherwise it goes by the ratio of `counting`. Where points decide it knows no shapes.
    `ms` and `nodes` as in `counting`.
    """
    plan = make_plan(game, ms, nodes, sure=True, table=TABLE_BITS, shapes=known_shapes(game))
    return Bot("patterns", search_act, _any(plan))


def surewin(game: Game, ms: float | None = None, nodes: int | None = None) -> Bot:
    """The report's third program: a sure win if it finds one, else the best ratio of `counting`.

    A position is a sure win if some move leads to a sure loss, and a sure loss if every move leads
    to a sure win. Once that is known of a position nothing more is counted below it, and all that
    was counted counts for the winner. Positions met again are not searched again. `ms` and `nodes`
    as in `counting`.
    """
    return Bot("surewin", search_act, _any(make_plan(game, ms, nodes, sure=True, table=TABLE_BITS)))


def bounded(game: Game, ms: float | None = None, nodes: int | None = None) -> Bot:
    """The report's fourth program: `surewin` that leaves out moves while the board is full.

    Everywhere in the tree it looks at every fourth legal move while more than 24 coins lie, at
    every second while more than 16 do, and then at all of them. What it takes for a sure win is
    therefore one only if the opponent's omitted moves are no better than those it saw. `ms` and
    `nodes` as in `counting`.
    """
    plan = make_plan(game, ms, nodes, sure=True, bounded=True, table=TABLE_BITS)
    return Bot("bounded", search_act, _any(plan))


def greedy(game: Game, ms: float | None = None, nodes: int | None = None) -> Bot:
    """The report's rule for colours: the most points now, unless a sure win is in sight.

    So it takes negative points only when nothing else is left or the game is won by it. On a plain
    board every coin counts one. `ms` and `nodes` as in `counting`, for the search of the sure win.
    """
    plan = make_plan(game, ms, nodes, sure=True, greedy=True, table=TABLE_BITS)
    return Bot("greedy", search_act, _any(plan))


def _any(plan: Plan) -> Any:
    """Bots are declared to read floats; whole numbers of 64 bits do as well."""
    return plan
