"""What PPO learns from: decisions with what came of them, from one of two kinds of games.

`all_seats` plays whole games in which one policy has every seat. `OpponentRows` plays one seat, and
its partner's if asked, against bots, from decision to decision; its games go on from one round of
learning to the next. Nothing here is done row by row, and nothing needs torch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.batch import Batch
from bidarena.envs.game import Game
from bidarena.envs.learner import LearnerBatch
from bidarena.envs.loop import TERMINATED, TRUNCATED
from bidarena.train.selfplay.games import Floats, draw, play

# (observations, legal) -> log-probabilities (rows, actions), and what each player expects (rows,)
Judge = Callable[[Floats, NDArray[np.bool_]], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class Rollout:
    """Decisions of one round in which the player had a choice. Results are scaled to at most 1."""

    observations: Floats  # (decisions, observation_size)
    legal: NDArray[np.bool_]  # (decisions, actions)
    actions: NDArray[np.int64]  # (decisions,) what was chosen
    log_chances: Floats  # (decisions,) of what was chosen, by the policy that played
    values: Floats  # (decisions,) what the critic expected
    targets: Floats  # (decisions,) the lambda-return: what came of it
    games: int  # how many ended
    mean_return: float  # result of the learner in these games, not scaled; nan: has all seats
    env_seconds: float  # CPU seconds of the environment, opponents included


def all_seats(
    batch: Batch, judge: Judge, luck: np.random.Generator, *, decay: float, explore: float
) -> Rollout:
    """Play a new game in every row to its end, with one policy in all seats.

    Args:
        batch: the games; its random generators go on from where they are.
        judge: the policy and its critic.
        luck: draws the actions.
        decay: lambda of the targets.
        explore: the probability that a game starts, and goes on, with one side playing at random;
            nothing is learned from decisions before the random moves end (`games.play`).
    """

    def judge_actions(
        observations: Floats, known: Floats, legal: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        logs, values = judge(observations, legal)
        return logs, np.broadcast_to(values[:, None], logs.shape)  # whatever the action

    told = play(batch, judge_actions, luck, decay=decay, explore=explore)
    at = np.arange(len(told.actions))
    return Rollout(
        told.observations,
        told.legal,
        told.actions,
        told.log_chances[at, told.actions],
        told.values[:, 0],
        told.targets,
        told.games,
        float("nan"),
        told.env_seconds,
    )


class OpponentRows:
    """Games against opponents that go on from round to round, many side by side.

    Args:
        game: the game to play.
        rows: the number of games.
        opponents: who plays the seats after the learner's, as for `LearnerBatch`.
        seat: the learner's seat: a number, "random" or "alternate".
        seed: row i is seeded with seed + i.
        threads: how many threads share the rows; the results do not depend on it.
    """

    def __init__(
        self,
        game: Game,
        rows: int,
        opponents: Sequence[Any],
        *,
        seat: int | str,
        seed: int,
        threads: int,
    ) -> None:
        self._batch = LearnerBatch(
            game, rows, opponents=opponents, seat=seat, autoreset=True, threads=threads
        )
        self._scale = float(np.abs(game.return_range).max())
        self._batch.seed(seed, np.random.default_rng(seed))
        self._batch.reset()

    def play(self, judge: Judge, luck: np.random.Generator, *, steps: int, decay: float) -> Rollout:
        """Play `steps` decisions of the learner in every row; arguments as for `all_seats`.

        A game that goes on is worth to its last decision what the critic says of the next one.
        """
        batch, rows = self._batch, self._batch.rows
        shape = (steps, rows)
        seen = np.empty((*shape, batch.observations.shape[1]), np.float32)
        legal = np.empty((*shape, batch.masks.shape[1]), np.bool_)
        actions = np.empty(shape, np.int64)
        logs, values, rewards = (np.empty(shape, np.float32) for _ in range(3))
        over = np.empty(shape, np.bool_)
        env_seconds = 0.0
        for now in range(steps):
            seen[now], legal[now] = batch.observations, batch.masks
            log_chances, values[now] = judge(seen[now], legal[now])
            actions[now] = draw(np.exp(log_chances), luck)
            logs[now] = np.take_along_axis(log_chances, actions[now, :, None], 1)[:, 0]
            began = time.process_time()
            batch.step(actions[now])
            env_seconds += time.process_time() - began
            rewards[now] = batch.rewards
            over[now] = batch.flags[TERMINATED] | batch.flags[TRUNCATED]
        ended = rewards[over]
        rewards /= self._scale
        _, following = judge(batch.observations, batch.masks == 1)
        outlook, targets = following, np.empty(shape, np.float32)
        for now in range(steps - 1, -1, -1):
            expected = (1 - decay) * following + decay * outlook
            outlook = targets[now] = np.where(over[now], rewards[now], expected)
            following = values[now]
        free = legal.sum(axis=2) > 1
        return Rollout(
            seen[free],
            legal[free],
            actions[free],
            logs[free],
            values[free],
            targets[free],
            len(ended),
            float(ended.mean()) if len(ended) else float("nan"),
            env_seconds,
        )

    def change_opponents(self, opponents: Sequence[Any]) -> None:
        """Replace the opponents from the next move on."""
        self._batch.change_opponents(opponents)

    def state(self) -> dict[str, Any]:
        """Return copies of all arrays that make up the games, for `restore`."""
        return {name: array.copy() for name, array in self._batch.arrays().items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        self._batch.restore({name: np.asarray(array) for name, array in state.items()})
