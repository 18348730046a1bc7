"""Self-play that learns what positions are worth, and plays by looking one move ahead.

For games that hide nothing and in which players move in turn, such as Coins. One network judges the
position of whoever is to move, in the way of TD-Gammon (Tesauro, "Temporal difference learning and
TD-Gammon", 1995). What it should have said of a position is what it says now of the best position
that a move leads to, or the result where a move ends the game. That is true whoever chose the moves
that led there, so games wander off at random as often as one likes, and positions are learned that
good play would never meet. Every position met is kept once (lookahead.py); some are drawn from
there to learn from, rare ones as often as others, and some from the latest games, ends included.

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

from bidarena.baselines.network import AFTERSTATES, Network, check_open
from bidarena.envs.check import whole
from bidarena.envs.game import Game
from bidarena.envs.rng import WORDS, seeded
from bidarena.train.layers import (
    RELU_GAIN,
    Tensor,
    check_known,
    follow,
    layers,
    outputs,
    playable,
    within,
)
from bidarena.train.lookahead import Floats, LookAhead, Memory, States
from bidarena.train.network_learner import NetworkLearner
from bidarena.train.selfplay import only_itself
from bidarena.train.task import Task


@dataclass(frozen=True)
class Settings:
    """What can be chosen about learning."""

    rows: int = 1024
    """games that are played in each round, side by side"""

    memory: int = 2**18
    """places for positions that were met"""

    positions: int = 4096
    """how many of them are drawn in each round, to learn from"""

    fresh: float = 0.5
    """in which share they come from the games of this round, as often as they were met there, so
    that beginnings and ends, which are few, are not lost among all others"""

    hidden: Sequence[int] = (128, 128, 128)
    """units of the hidden layers"""

    learning_rate: float = 2e-3
    """of Adam, falling to 0 in a straight line"""

    epochs: int = 6
    """how often each of them is learned from"""

    minibatch: int = 256
    """positions per step"""

    explore: float = 0.5
    """how likely each move is a random one"""

    follow: float = 0.1
    """how far the network that judges positions after a move follows the learning one, each step"""

    threads: int = 1
    """of torch; small networks are fastest in one"""

    def __post_init__(self) -> None:
        for name in ("rows", "memory", "positions", "epochs", "minibatch", "threads"):
            whole(name, getattr(self, name), 1, 10**7)
        for units in self.hidden:
            whole("hidden", units, 1, 10**5)
        within("learning_rate", self.learning_rate, 1e-12, 1e3)
        within("fresh", self.fresh, 0.0, 1.0)
        within("explore", self.explore, 0.0, 1.0)
        within("follow", self.follow, 1e-6, 1.0)


def learner(task: Task) -> TD:
    """TD on a task; all seats are the learner's own."""
    only_itself(task)
    return TD(task.make_game(), task.settings, seed=task.seed, total=task.steps)


class TD(NetworkLearner):
    """Learns to play any zero-sum game of two sides that hides nothing.

    Its steps are positions learned from.
    """

    def __init__(self, game: Game, settings: Mapping[str, Any], *, seed: int, total: int) -> None:
        """Begin with a network that calls nearly all positions even.

        Args:
            game: what to learn.
            settings: fields of `Settings` that are not as there.
            seed: of weights and games.
            total: how many positions will be learned from; the learning rate ends there at 0.
        """
        check_open(game)
        check_known(settings, Settings)
        self.settings = Settings(**settings)
        super().__init__(game, self.settings, seed=seed, total=total)
        self._look = LookAhead(game)
        self._memory = Memory(game, self.settings.memory)
        sizes = [game.observation_size, *self.settings.hidden, 1]
        self._learning = layers(sizes, self._luck, gain=RELU_GAIN)
        self._judge = [part.detach().clone() for part in self._learning]
        self._adam = torch.optim.Adam(self._learning, fused=True)

    def learn(self) -> dict[str, float]:
        """Play some games, learn from positions met in these and earlier ones, tell how that went.

        Of the metrics, times are of this process in seconds; `value_loss` is the mean cross-entropy
        above the least that these targets allow (in nats), `certainty` the mean size of targets,
        `met` the number of positions in memory.
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
        loss = self._update(self._centred(observations), torch.from_numpy(targets))
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

    def _centred(self, observations: Floats) -> Tensor:
        """What the network is given: numbers from -1 to 1."""
        low, high = self.game.observation_range
        return (torch.from_numpy(observations) - (low + high) / 2) * (2 / (high - low))

    def _values(self, observations: Floats) -> Floats:
        return torch.tanh(outputs(self._judge, self._centred(observations))[:, 0] / 2).numpy()

    def _worth(self, states: States) -> tuple[Floats, Floats]:
        return self._look(states, self._values, seeded(self._luck, WORDS))

    def _play(self) -> tuple[float, States]:
        """Play all rows from deal to end and keep what is met.

        The seconds of the environment, and all positions of these games, as often as they were met.
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

    def _update(self, views: Tensor, targets: Tensor) -> float:
        """Some passes over the positions, in small parts; the mean loss."""
        wanted = ((1 + targets) / 2).clamp(0.0, 1.0)[:, None]
        least = torch.nn.functional.binary_cross_entropy(wanted, wanted).item()
        parts = max(1, round(len(wanted) / self.settings.minibatch))
        total = torch.zeros(())
        for _ in range(self.settings.epochs):
            order = torch.from_numpy(self._luck.permutation(len(wanted)))
            for part in order.tensor_split(parts):
                logits = outputs(self._learning, views[part])
                loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted[part])
                self._adam.zero_grad()
                torch.autograd.backward(loss)
                self._adam.step()
                self._updates += 1
                follow(self._judge, self._learning, self.settings.follow)
                total += loss.detach()
        return total.item() / (parts * self.settings.epochs) - least

    def network(self) -> Network:
        """What to play with now; its first layer takes observations as they are."""
        low, high = self.game.observation_range
        weight, bias, *rest = self._judge
        bias = bias - weight.sum(0) * ((low + high) / (high - low))
        return playable([weight * (2 / (high - low)), bias, *rest], AFTERSTATES)

    def state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, copied: a flat dict of tensors, arrays, numbers."""
        state = super().state()
        state["places"] = self.settings.memory
        state["met"] = np.flatnonzero(self._memory.used)
        state["positions"] = self._memory.states[self._memory.used]
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave, of a learner of the same game and settings."""
        if state["places"] != self.settings.memory:
            raise ValueError(
                f"state: places={state['places']} does not fit memory={self.settings.memory}; "
                "expected the state of a learner made alike"
            )
        super().restore(state)
        self._memory.used[:] = False
        self._memory.used[state["met"]] = True
        self._memory.states[state["met"]] = state["positions"]

    def _networks(self) -> dict[str, list[Tensor]]:
        return {"learning": self._learning, "judge": self._judge}
