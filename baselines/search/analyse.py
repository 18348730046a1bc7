"""Search a position and return all that was found, for tools that show it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.layout import (
    AVAILABLE,
    DONE,
    EDGES,
    NODES,
    SCALE,
    SLOTS,
    TOTAL,
    VISITS,
    WEIGHT,
)
from bidarena.baselines.search.think import Thinker, reserved_bytes
from bidarena.baselines.search.tree import BYTES_PER_EDGE, BYTES_PER_SLOT
from bidarena.envs.arguments import whole
from bidarena.envs.game import Game, State
from bidarena.envs.registry import SEARCH, Bot, make_bot
from bidarena.envs.rng import WORDS, seeded


@dataclass(frozen=True)
class Analysis:
    """The result of a search. Arrays have one entry per action."""

    action: int  # the move that the search chose
    visits: NDArray[np.float64]
    available: NDArray[np.float64]  # how often the action was legal when the root was visited
    values: NDArray[np.float64]  # mean return of the searching player; NaN if never tried
    plan: NDArray[np.float64]  # probabilities: those of the rule `regret`, else shares of visits
    iterations: int
    nodes: int
    bytes_used: int  # memory of the trees: whole tables, and the edges in use
    bytes_reserved: int  # memory that the trees could have grown to
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the result for JSON, with only the actions that were tried."""
        tried = np.flatnonzero(self.visits)
        return {
            "action": self.action,
            "actions": {
                int(a): {
                    "visits": int(self.visits[a]),
                    "available": int(self.available[a]),
                    "value": float(self.values[a]),
                    "plan": float(self.plan[a]),
                }
                for a in tried
            },
            "iterations": self.iterations,
            "nodes": self.nodes,
            "bytes_used": self.bytes_used,
            "bytes_reserved": self.bytes_reserved,
            "seconds": self.seconds,
        }


def analyse(
    game: Game, state: State, player: int, spec: str | Bot = "ismcts", seed: int = 0
) -> Analysis:
    """Search for the best move of `player` in `state`, and return what was found.

    Args:
        game: any game.
        state: a state of the game; the search does not use what the player cannot know.
        player: the player who searches; they must be to move.
        spec: a bot of the search family with its options, such as "mom:ms=100,selection=thompson".
        seed: seed of the search.
    """
    bot = make_bot(game, spec) if isinstance(spec, str) else spec
    if not isinstance(bot, Bot) or bot.kind != SEARCH:
        raise ValueError(f"spec={spec!r}: expected a bot of the search family")
    bot.check_fits(game)
    state = game.checked_state(state)
    mover = int(game.call("to_move")(game.cfg, state))
    if player != mover:
        raise ValueError(f"player={player!r}: expected {mover}, who is to move")
    thinker = bot.outside if isinstance(bot.outside, Thinker) else Thinker(game, bot)
    rng = seeded(np.random.default_rng(whole("seed", seed, 0, 2**63)), WORDS)
    began = time.perf_counter()
    action, out, reports = thinker.think(state, player, rng)
    spent = time.perf_counter() - began
    visits = out[:, VISITS]
    weights = out[:, WEIGHT] if out[:, WEIGHT].any() else visits
    with np.errstate(invalid="ignore", divide="ignore"):
        values = out[:, TOTAL] / visits / bot.params[SCALE] + game.return_range[0]
    searched = reports[:, DONE] > 0
    tables = int(searched.sum()) * int(bot.params[SLOTS]) * BYTES_PER_SLOT
    return Analysis(
        action=action,
        visits=visits,
        available=out[:, AVAILABLE],
        values=values,
        plan=weights / max(weights.sum(), 1e-300),
        iterations=int(reports[:, DONE].sum()),
        nodes=int(reports[:, NODES].sum()),
        bytes_used=tables + int(reports[:, EDGES].sum()) * BYTES_PER_EDGE,
        bytes_reserved=len(reports) * reserved_bytes(bot.params),
        seconds=spent,
    )
