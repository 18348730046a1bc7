"""Hints: a value for every legal move of a position, for people and tools that show it.

A game's tool `hint` returns a `Hint`. It uses nothing that the player to move cannot know, so it
may be shown to that player.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import Game, State
from bidarena.envs.phrases import mover_of
from bidarena.envs.registry import Bot

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Advice:
    """The value of one move. A field is None if the source does not give it."""

    action: int
    value: float | None  # what the player wins on average with this move
    worst: float | None = None  # the value against the worst move that the other makes meanwhile
    share: float | None = None  # probability that the source plays it, or its share of the visits
    visits: int | None = None  # how often a search tried it


@dataclass(frozen=True)
class Hint:
    """The values of all legal moves, the best move first."""

    source: str  # where the values come from
    value: str  # what `Advice.value` means
    share: str  # what `Advice.share` means
    moves: list[Advice]
    exact: bool = True  # whether the values are those of perfect play
    iterations: int = 0  # of the search

    def as_dict(self) -> dict[str, Any]:
        """Return the hint for JSON."""
        return {
            "source": self.source,
            "value": self.value,
            "share": self.share,
            "exact": self.exact,
            "iterations": self.iterations,
            "moves": [vars(advice) for advice in self.moves],
        }


def best_first(moves: list[Advice]) -> list[Advice]:
    """Return the moves sorted by share, then by worst value, then by value, largest first."""

    def rank(advice: Advice) -> tuple[float, ...]:
        value = -np.inf if advice.value is None else round(advice.value, 9)
        worst = value if advice.worst is None else round(advice.worst, 9)
        return (advice.share or 0.0, worst, value, -advice.action)

    return sorted(moves, key=rank, reverse=True)


def distribution_of(game: Game, bot: Bot, state: State, player: int) -> Matrix:
    """Return the probability of each action of a compiled bot that has a `distribution`."""
    out, scratch = np.zeros(game.actions), np.zeros(game.actions, np.int8)
    assert bot.distribution is not None
    asked = game.compiled(bot.distribution, **bot.more)
    asked(game.cfg, bot.params, state.copy(), player, scratch, out)
    return out


def hint_from_matrix(
    game: Game, state: State, bot: Bot, actions: tuple[list[int], list[int]], matrix: Matrix
) -> Hint:
    """Return the exact hint for the player to move, where both players move at the same time.

    Args:
        game: the game.
        state: the position.
        bot: the bot that plays the exact solution in both seats.
        actions: the legal actions of the player to move, and of the other player.
        matrix: what the player to move wins, a row per own action, a column per action of the
            other player.
    """
    player = mover_of(game, state)
    own = distribution_of(game, bot, state, player)
    replies = distribution_of(game, bot, state, 1 - player)[actions[1]]
    values, worst = matrix @ replies, matrix.min(axis=1)
    moves = [
        Advice(action, float(values[k]), float(worst[k]), float(own[action]))
        for k, action in enumerate(actions[0])
    ]
    return Hint(
        "the exact solution",
        "against perfect play",
        "probability in perfect play",
        best_first(moves),
    )
