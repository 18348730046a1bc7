"""Minimax-Q with a network: learn what pairs of moves are worth, and play the game they make.

For two players who always move at the same time and know all else. The network gives, for what a
player sees, the expected result of every pair of an own action and one of the other player; a
moment is worth the value of that matrix game (Littman, "Markov games as a framework for multi-agent
reinforcement learning", 1994). A pair is learned from what the moment after it is worth, so it does
not matter who played it: half of the moves are random, and every corner of the game is learned, as
it must be if nobody is to find a weak one.

Values are plain numbers that hang together from one position to the next, while equilibria jump:
that is why this comes closer to an equilibrium than learning the probabilities themselves does.

    learner = MinimaxQ(make_game("raj", reward="margin"), {}, seed=0, total=10_000_000)
    while learner.steps < 10_000_000:
        print(learner.learn())
    bot = network_bot(game, learner.network(), "minimax_q")
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bidarena.baselines.learned.network import MATRIX, Network, check_together
from bidarena.baselines.learned.pairs import submatrix
from bidarena.baselines.solvers.matrix import solve_into
from bidarena.envs.compile import compiled
from bidarena.envs.game import Cfg, Game, legal, step, to_move
from bidarena.envs.rng import WORDS
from bidarena.train.selfplay.games import Floats, draw
from bidarena.train.selfplay.layers import Tensor, layers, outputs, playable
from bidarena.train.selfplay.learner import NetworkLearner, SelfPlaySettings, within
from bidarena.train.task import Task


@dataclass(frozen=True)
class MinimaxQSettings(SelfPlaySettings):
    """What can be chosen about Minimax-Q."""

    hidden: Sequence[int] = (256, 256)
    learning_rate: float = 3e-3
    explore: float = 0.5

    average: float = 30.0
    """the network that plays, and that values the next moment, is averaged over about the last
    1 / (1 + average) of the past"""

    def __post_init__(self) -> None:
        super().__post_init__()
        within("average", self.average, 0.0, 1e6)


def learner(task: Task) -> MinimaxQ:
    """Return a learner that learns a task by Minimax-Q."""
    return MinimaxQ.for_task(task)


@dataclass(frozen=True, eq=False)
class _Moment:
    """What both players did in the games that were going on."""

    rows: NDArray[np.int64]
    views: tuple[Floats, Floats]  # what each player saw, (rows, observation_size)
    actions: tuple[NDArray[np.int64], NDArray[np.int64]]
    worth: Floats  # (rows,) the value of the moment to player 0
    open: NDArray[np.bool_]  # (rows,) whether any player had a choice


class MinimaxQ(NetworkLearner):
    """Learns any zero-sum game of two players who always move at the same time."""

    settings_type = MinimaxQSettings
    settings: MinimaxQSettings

    def __init__(self, game: Game, settings: Mapping[str, Any], *, seed: int, total: int) -> None:
        """Begin with a network that calls nearly all pairs of moves even; see the base class."""
        check_together(game)
        super().__init__(game, settings, seed=seed, total=total)
        self._look = game.compiled(look_at_both)
        self._solve = compiled(solve_rows, {}, "matrix games")
        sizes = [game.observation_size, *self.settings.hidden, game.actions**2]
        self._latest = layers(sizes, self._luck, device=self.device)
        self._average = [part.detach().clone() for part in self._latest]
        self._adam = torch.optim.Adam(self._latest, fused=True)

    def learn(self) -> dict[str, float]:
        """Play one batch of games, learn from it, and return the metrics.

        Times are CPU seconds of this process. `value_loss` is the mean square of the errors of the
        network.
        """
        began = time.process_time()
        env_seconds, moments = self._play()
        rate = self._set_rate()
        decisions, loss = self._update(moments)
        self.steps += decisions
        return {
            "value_loss": loss,
            "learning_rate": rate,
            "games": float(self._batch.rows),
            "decisions": float(decisions),
            "env_seconds": env_seconds,
            "seconds": time.process_time() - began,
        }

    def _play(self) -> tuple[float, list[_Moment]]:
        """Play one game in each row; return the seconds of the environment and all moments.

        The rows go on in lockstep: both players move, again and again.
        """
        batch, actions = self._batch, np.zeros(self._batch.rows, np.int64)
        masks = np.zeros((2, batch.rows, self.game.actions), np.int8)
        moments = []
        began = time.process_time()
        batch.reset()
        env_seconds = time.process_time() - began
        while (batch.movers >= 0).any():
            rows = np.flatnonzero(batch.movers >= 0)
            began = time.process_time()
            self._look(self.game.cfg, batch.states, rows, masks)
            env_seconds += time.process_time() - began
            allowed = masks[:, rows]
            first = batch.observations[rows]
            plans = np.zeros((2, len(rows), self.game.actions), np.float32)
            worth = np.zeros(len(rows), np.float32)
            with torch.no_grad():
                numbers = outputs(self._average, self._tensor(first)).cpu().numpy()
            self._solve(numbers, allowed, plans, worth)
            one, two = (self._drawn(*player) for player in zip(plans, allowed, strict=True))
            began = time.process_time()
            actions[rows] = one
            batch.step(actions)
            second = batch.observations[rows]
            actions[rows] = two
            batch.step(actions)
            env_seconds += time.process_time() - began
            choice = (allowed.sum(axis=2) > 1).any(axis=0)
            moments.append(_Moment(rows, (first, second), (one, two), worth, choice))
        return env_seconds, moments

    def _drawn(self, plan: Floats, allowed: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return one action per row, drawn by the plan or at random."""
        astray = self._luck.random((len(plan), 1)) < self.settings.explore
        return draw(np.where(astray, allowed.astype(np.float32), plan), self._luck)

    def _update(self, moments: Sequence[_Moment]) -> tuple[int, float]:
        """Learn once from all pairs with a choice; return how many decisions, and the mean loss."""
        result = self._batch.returns[:, 0] / np.abs(self.game.return_range).max()
        following = result.astype(np.float32)  # (rows,) what the next moment is worth to player 0
        parts: list[tuple[Any, ...]] = []
        for moment in reversed(moments):
            rows, at = moment.rows, np.flatnonzero(moment.open)
            one, two = (action[at] for action in moment.actions)
            target = following[rows[at]]
            both = (one * self.game.actions + two, two * self.game.actions + one)
            for view, pair, sign in zip(moment.views, both, (1, -1), strict=True):
                parts.append((view[at], pair, sign * target))
            following[rows[at]] = moment.worth[at]  # without a choice the value stays
        views, pairs, targets = (
            self._tensor(np.concatenate(part)) for part in zip(*parts, strict=True)
        )
        loss = 0.0
        pieces = self._minibatches(len(views))
        for piece in pieces:
            expected = outputs(self._latest, views[piece]).gather(1, pairs[piece, None])[:, 0]
            off = (expected - targets[piece]).square().mean()
            self._backward(off)
            self._step()
            loss += off.item() / len(pieces)
            self._average_in(self._average, self._latest, self.settings.average)
        return len(views), loss

    def network(self) -> Network:
        """Return the average of the networks of the last steps, which is what plays."""
        return playable(self._average, MATRIX)

    def _networks(self) -> dict[str, list[Tensor]]:
        return {"latest": self._latest, "average": self._average}


# --- compiled ------------------------------------------------------------------------------------


def look_at_both(
    cfg: Cfg, states: NDArray[np.int64], rows: NDArray[np.int64], masks: NDArray[np.int8]
) -> None:
    """Write the legal actions of players 0 and 1 in some rows in which neither has moved yet."""
    words = np.ones(WORDS, np.uint64)
    for row in rows:
        state = states[row].copy()
        for _ in range(2):
            player = to_move(cfg, state)
            legal(cfg, state, masks[player, row])
            step(cfg, state, np.argmax(masks[player, row]), words)


def solve_rows(numbers: Floats, allowed: NDArray[np.int8], plans: Floats, worth: Floats) -> None:
    """Write an equilibrium of the matrix game of each row, and its value to player 0."""
    actions = allowed.shape[2]
    for k in range(len(numbers)):
        one, two = np.flatnonzero(allowed[0, k]), np.flatnonzero(allowed[1, k])
        row, column = np.empty(len(one), np.float64), np.empty(len(two), np.float64)
        value, _ = solve_into(submatrix(numbers[k], one, two, actions), row, column)
        worth[k] = value
        for i in range(len(one)):
            plans[0, k, one[i]] = row[i]
        for j in range(len(two)):
            plans[1, k, two[j]] = column[j]
