"""What a bot thinks of a position before it moves: probabilities, or the visits of its search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bidarena.baselines.search.analyse import analyse
from bidarena.baselines.solvers.advice import distribution_of
from bidarena.envs.game import Game, State
from bidarena.envs.learner import Policy
from bidarena.envs.phrases import legal_actions, mover_of, phrases_of
from bidarena.envs.registry import SEARCH, Bot


@dataclass(frozen=True)
class Thought:
    """What a bot thinks; arrays have one entry per action."""

    source: str  # "search" or "probabilities"
    share: np.ndarray[Any, np.dtype[np.float64]]  # how likely, or the share of the search
    visits: np.ndarray[Any, np.dtype[np.float64]] | None = None
    values: np.ndarray[Any, np.dtype[np.float64]] | None = None  # NaN where never tried
    action: int | None = None  # the move that a search has chosen
    iterations: int = 0

    def as_dict(self, game: Game, state: State, most: int = 12) -> dict[str, Any]:
        """Return the likeliest moves for JSON, in words."""
        phrases = phrases_of(game)
        moves = []
        for action in sorted(legal_actions(game, state), key=lambda a: -self.share[a])[:most]:
            value = None if self.values is None else float(self.values[action])
            moves.append(
                {
                    "action": action,
                    "words": phrases.name(game, state, action),
                    "share": float(self.share[action]),
                    "visits": None if self.visits is None else int(self.visits[action]),
                    "value": None if value is None or np.isnan(value) else value,
                }
            )
        return {"source": self.source, "iterations": self.iterations, "moves": moves}


def think(game: Game, bot: Bot | Policy, state: State, seed: int) -> Thought | None:
    """Return what a bot thinks of a position; None if it does not say.

    Args:
        game: the game.
        bot: the bot of the player to move.
        state: the position.
        seed: seed of a search.
    """
    if not isinstance(bot, Bot) or len(legal_actions(game, state)) < 2:
        return None
    player = mover_of(game, state)
    if bot.kind == SEARCH:
        found = analyse(game, state.copy(), player, bot, seed)
        if not found.visits.sum():
            return None
        return Thought(
            "search", found.plan, found.visits, found.values, found.action, found.iterations
        )
    if bot.distribution is not None:
        return Thought("probabilities", distribution_of(game, bot, state, player))
    return None
