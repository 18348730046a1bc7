"""What a search thinks of a position, for tools that show it."""

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
from bidarena.baselines.search.think import Thinker, reserved_bytes, search_act
from bidarena.baselines.search.tree import BYTES_PER_EDGE, BYTES_PER_SLOT
from bidarena.envs.check import whole
from bidarena.envs.game import Game, State
from bidarena.envs.registry import Bot, make_bot
from bidarena.envs.rng import WORDS, seeded


@dataclass(frozen=True)
class Analysis:
    """The result of a search. Arrays have an entry per action."""

    action: int  # the move it would make
    visits: NDArray[np.float64]
    available: NDArray[np.float64]  # how often the action was legal when its node was met
    values: NDArray[np.float64]  # mean return of the searching player; NaN where never tried
    plan: NDArray[np.float64]  # probabilities: of `regret` where that rule was used, else of visits
    iterations: int
    nodes: int
    bytes_used: int  # of the trees: tables, and edges that are in use
    bytes_reserved: int  # what they could have grown to
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON; only actions that were looked at."""
        looked_at = np.flatnonzero(self.visits)
        return {
            "action": self.action,
            "actions": {
                int(a): {
                    "visits": int(self.visits[a]),
                    "available": int(self.available[a]),
                    "value": float(self.values[a]),
                    "plan": float(self.plan[a]),
                }
                for a in looked_at
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
    """Search the move of `player`, who is to move in `state`, and tell what was found.

    Args:
        game: any game.
        state: a position of it; what the player cannot know is not looked at.
        player: who thinks.
        spec: a bot of the search family with its options, such as "mom:ms=100,selection=thompson".
        seed: of the search.
    """
    bot = make_bot(game, spec) if isinstance(spec, str) else spec
    if not isinstance(bot, Bot) or bot.act is not search_act:
        raise ValueError(f"spec={spec!r}: expected a bot of the search family")
    bot.check_fits(game)
    mover = int(game.call("to_move")(game.cfg, state))
    if player != mover:
        raise ValueError(f"player={player!r}: expected {mover}, who is to move")
    thinker = bot.outside if isinstance(bot.outside, Thinker) else Thinker(game, bot)
    rng = seeded(np.random.default_rng(whole("seed", seed, 0, 2**63)), WORDS)
    began = time.perf_counter()
    action, out, reports = thinker.think(np.ascontiguousarray(state, np.int64), player, rng)
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
