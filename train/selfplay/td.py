"""Self-play that learns what positions are worth, and plays by looking one move ahead.

For games that hide nothing and in which players move in turn. One network judges the position for
the player to move, in the way of TD-Gammon (Tesauro, "Temporal difference learning and TD-Gammon",
1995). What it should have said of a position is what it says now of the best position that a move
leads to, or the result where a move ends the game. That holds for any moves that led to the
position, so games may wander off at random, and positions are learned that good play would never
meet. Every position met is kept once (lookahead.py). Some are drawn from there to learn from, rare
ones as often as others, and some from the latest games, ends included.

The ends of games are right from the beginning; from there what is right spreads to larger and
larger positions. For that the network has to follow small differences exactly: one coin more and a
won position is lost. It learns that far sooner if it is given numbers around 0 and begins with
weights that let them through all layers.

    learner = TD(make_game("coins", board="triangle4"), {}, seed=0, total=500_000)
    while learner.steps < 500_000:
        print(learner.learn())
    bot = network_bot(game, learner.network(), "td")
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from bidarena.baselines.learned.network import AFTERSTATES, check_open
from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.envs.rng import WORDS, seeded
from bidarena.train.selfplay.learner import SelfPlaySettings, within
from bidarena.train.selfplay.lookahead import Floats, LookAhead, States
from bidarena.train.selfplay.positions import PositionLearner
from bidarena.train.task import Task


@dataclass(frozen=True)
class TDSettings(SelfPlaySettings):
    """What can be chosen about learning from positions; `rows` games are played in each round."""

    rows: int = 1024
    hidden: Sequence[int] = (128, 128, 128)
    learning_rate: float = 2e-3
    minibatch: int = 256
    explore: float = 0.5

    memory: int = 2**18
    """places for positions that were met"""

    positions: int = 4096
    """how many positions are drawn in each round to learn from"""

    fresh: float = 0.5
    """the share of them that come from the games of this round, as often as they were met there, so
    that beginnings and ends, which are few, are not lost among all others"""

    epochs: int = 6
    """how often each position that was drawn is learned from"""

    follow: float = 0.1
    """how far the network that judges positions moves toward the learning one in each step"""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("memory", "positions", "epochs"):
            whole(name, getattr(self, name), 1, 10**7)
        within("fresh", self.fresh, 0.0, 1.0)
        within("follow", self.follow, 1e-6, 1.0)


def learner(task: Task) -> TD:
    """Return a learner that learns a task from positions."""
    return TD.for_task(task)


class TD(PositionLearner):
    """Learns to play any zero-sum game of two sides that hides nothing.

    Its `steps` count positions.
    """

    settings_type = TDSettings
    settings: TDSettings
    head = AFTERSTATES

    def __init__(self, game: Game, settings: Mapping[str, Any], *, seed: int, total: int) -> None:
        """Begin with a network that calls nearly all positions even; see the base class."""
        check_open(game)
        super().__init__(game, settings, seed=seed, total=total)
        self._look = LookAhead(game)
        self._begin(game)

    def learn(self) -> dict[str, float]:
        """Play some games, learn from positions of these and earlier games, return the metrics.

        Times are CPU seconds of this process. `value_loss` is the mean cross-entropy above the
        least that these targets allow (in nats), `certainty` the mean size of the targets, `met`
        the number of positions in memory.
        """
        began = time.process_time()
        with torch.no_grad():
            env_seconds, games = self._play()
            late = int(self.settings.positions * self.settings.fresh)
            earlier = self._memory.draw(self.settings.positions - late, self._luck)
            fresh = games[self._luck.integers(0, len(games), late)]
            met = np.concatenate([earlier, fresh])
            observations, worth = self._worth(met)
            targets = worth.max(axis=1)
        rate = self._set_rate()
        loss = self._update(self._centred(observations), self._tensor(targets))
        self.steps += len(targets)
        return {
            "value_loss": loss,
            "certainty": float(np.abs(targets).mean()),
            "met": float(self._memory.used.sum()),
            "learning_rate": rate,
            "games": float(self.settings.rows),
            "decisions": float(len(targets)),
            "env_seconds": env_seconds,
            "seconds": time.process_time() - began,
        }

    def _worth(self, states: States) -> tuple[Floats, Floats]:
        return self._look(states, self._values, seeded(self._luck, WORDS))

    def _play(self) -> tuple[float, States]:
        """Play one game in each row and add the positions to the memory.

        Return the seconds of the environment, and all positions as often as they were met.
        """
        batch, luck = self._batch, self._luck
        began = time.process_time()
        batch.reset()
        spent = time.process_time() - began
        games = []
        while len(running := np.flatnonzero(batch.movers >= 0)) > 0:
            games.append(batch.states[running])
            self._memory.add(games[-1], batch.observations[running])
            legal = batch.masks[running]
            chosen = ((1 - luck.random(legal.shape, np.float32)) * legal).argmax(axis=1)
            straight = np.flatnonzero(luck.random(len(running)) >= self.settings.explore)
            if len(straight) > 0:
                chosen[straight] = self._worth(batch.states[running[straight]])[1].argmax(axis=1)
            actions = np.zeros(batch.rows, np.int64)
            actions[running] = chosen
            began = time.process_time()
            batch.step(actions)
            spent += time.process_time() - began
        return spent, np.concatenate(games)
