"""Find all positions of a game, and what follows each choice in them.

The rules are compiled with chance that is listed (bidarena.envs.outcomes). From the deal on, every
legal action of every position is tried with every outcome of chance. If an array is full, the code
returns, Python makes the array larger, and the position at hand is expanded once more.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from bidarena.baselines.solvers.graph.expand import (
    CLOCK,
    DONE,
    EARLY,
    GENERAL_SUM,
    NO_ROOM,
    THREE,
    TROUBLE,
    UNEVEN,
    explore_positions,
    refill,
)
from bidarena.baselines.solvers.graph.facts import facts_of, idle_of, optional
from bidarena.baselines.solvers.graph.tables import N, Tables, grown, new_tables, trimmed
from bidarena.envs.game import Game
from bidarena.envs.outcomes import MANY, REAL, SCRIPT, check_listed, compiled_with_script

PART = 20_000  # positions that are expanded between two looks at limits and progress


def explore_game(
    game: Game,
    memory: int,
    progress: Callable[[int, int], None] | None = None,
    seconds: float = np.inf,
) -> Tables:
    """Return the graph of a game.

    Args:
        game: a game without hidden cards, with two sides.
        memory: raise ValueError if the arrays take more bytes.
        progress: called with the numbers of positions found and expanded so far.
        seconds: raise ValueError if it takes longer.
    """
    began = time.perf_counter()
    explore = compiled_with_script(game, explore_positions, **optional(game))
    tables = new_tables(game)
    facts, idle = facts_of(game), idle_of(game)
    script = np.zeros(SCRIPT, np.uint64)
    while True:
        until = int(tables.counts[N.expanded]) + PART
        status = int(explore(game.cfg, tables, facts, idle, game.actions, until, script))
        if status == NO_ROOM:
            tables = grown(tables)
            if tables.bytes > memory:
                raise ValueError(
                    f"memory: more than {memory / 2**30:.3g} GiB are needed for the positions of "
                    f"{game.name}; {int(tables.counts[N.positions]):,} were found so far. Give "
                    "more memory or smaller rules"
                )
            if not tables.slots.any():
                game.compiled(refill)(tables)
        elif status == TROUBLE:
            _refuse(game, int(tables.counts[N.trouble]))
        elif time.perf_counter() - began > seconds:
            raise ValueError(
                f"seconds: finding the positions of {game.name} takes more than {seconds:.3g} s; "
                f"{int(tables.counts[N.positions]):,} were found so far. Give more time or smaller "
                "rules"
            )
        if progress is not None:
            progress(int(tables.counts[N.positions]), int(tables.counts[N.expanded]))
        if status == DONE:
            return trimmed(tables)


def _refuse(game: Game, trouble: int) -> None:
    """Raise the ValueError for a game that cannot be explored."""
    if trouble in (REAL, MANY):
        check_listed(game, trouble)
    raise ValueError(
        f"{game.name}: "
        + {
            GENERAL_SUM: "the results of the two sides do not add to 0, so there is no value to "
            "solve for; a best response to given players can be computed",
            EARLY: "chance is drawn before all players who move at the same time have moved",
            THREE: "more than two players move at the same time",
            UNEVEN: "the legal moves of a player depend on a move that is still hidden",
            CLOCK: f"the clock {game.clock!r} does not start at 0, count 0 or 1 when moves are "
            f"opened, and cut the game short at its limit {game.limit}",
        }[trouble]
    )
