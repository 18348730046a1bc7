"""What learners share that play all seats with small torch networks: settings, steps and state.

Such a learner plays games, then makes some steps of Adam, over and over. It can be stopped after
any round and goes on exactly from its state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from bidarena.envs.arguments import whole
from bidarena.envs.batch import Batch, check_generators
from bidarena.envs.game import Game
from bidarena.envs.learner import SELF
from bidarena.train.devices import find_device
from bidarena.train.selfplay.layers import Tensor, follow
from bidarena.train.settings import layer_sizes
from bidarena.train.task import Task


@dataclass(frozen=True)
class SelfPlaySettings:
    """What can be chosen about every learner that plays all seats."""

    rows: int = 2048
    """games side by side"""

    hidden: Sequence[int] = (128, 128)
    """units of the hidden layers"""

    learning_rate: float = 1e-3
    """the first learning rate of Adam; it falls to 0 in a straight line"""

    minibatch: int = 2048
    """decisions per step of Adam"""

    explore: float = 0.0
    """the probability that a move is a random one"""

    threads: int = 1
    """threads of torch; small networks are fastest in one"""

    device: str = "cpu"
    """where torch computes: cpu, cuda, cuda:1, mps ..."""

    def __post_init__(self) -> None:
        for name in ("rows", "minibatch", "threads"):
            whole(name, getattr(self, name), 1, 10**7)
        layer_sizes("hidden", self.hidden)
        within("learning_rate", self.learning_rate, 1e-12, 1e3)
        within("explore", self.explore, 0.0, 1.0)


def within(name: str, number: float, least: float, most: float) -> None:
    """Raise ValueError unless a setting is in its range."""
    if not least <= float(number) <= most:
        raise ValueError(f"{name}={number!r}: expected a number from {least:g} to {most:g}")


class NetworkLearner(ABC):
    """Base class: subclasses name their settings, define `_networks()` and set `_adam`.

    The same seed, settings and total give the same networks, also across `state` and `restore`.

    Attributes:
        game: what to learn.
        settings: what was chosen about learning.
        device: where the networks are.
        steps: how many decisions it has learned from so far.
        total: how many decisions it will learn from.
    """

    settings_type: ClassVar[type[SelfPlaySettings]]
    settings: SelfPlaySettings
    _adam: torch.optim.Adam

    def __init__(self, game: Game, settings: Mapping[str, Any], *, seed: int, total: int) -> None:
        """Begin to learn a game.

        Args:
            game: what to learn.
            settings: fields of `settings_type` that differ from its defaults.
            seed: seeds the weights and the games.
            total: how many decisions it will learn from; the learning rate ends there at 0.
        """
        known = [field.name for field in fields(self.settings_type)]
        for name in settings:
            if name not in known:
                raise ValueError(f"settings: {name!r} is unknown; expected {', '.join(known)}")
        self.settings = self.settings_type(**settings)
        self.device = find_device(self.settings.device)
        self.game = game
        self.total = whole("total", total, 1, 10**15)
        self.steps, self._updates = 0, 0
        torch.set_num_threads(self.settings.threads)
        self._luck = np.random.Generator(np.random.SFC64(whole("seed", seed, 0, 2**63)))
        self._batch = Batch(game, self.settings.rows, seed=seed)

    @classmethod
    def for_task(cls, task: Task) -> Self:
        """Return a learner of a task; raise ValueError if the task names opponents or partners."""
        for name, value in task.players.items():
            if name != "seat" and value != SELF:
                raise ValueError(
                    f"{name}={value!r}: {task.algorithm} plays all seats itself; leave --{name} out"
                )
        return cls(task.make_game(), task.settings, seed=task.seed, total=task.steps)

    @abstractmethod
    def _networks(self) -> dict[str, list[Tensor]]:
        """Return all networks that learning changes, by name."""

    @property
    def _progress(self) -> float:
        """The part of all decisions that it has learned from, from 0 to 1."""
        return min(self.steps / self.total, 1.0)

    def _set_rate(self) -> float:
        """Give Adam the learning rate of this round, and return it."""
        rate = self.settings.learning_rate * (1.0 - self._progress)
        for group in self._adam.param_groups:
            group["lr"] = rate
        return rate

    def _tensor(self, array: NDArray[Any]) -> Tensor:
        """Return an array as a tensor where the networks are; on the CPU they share memory."""
        return torch.from_numpy(array).to(self.device)

    def _minibatches(self, count: int) -> tuple[Tensor, ...]:
        """Return the numbers below `count` in random order, in parts for one step each."""
        parts = max(1, round(count / self.settings.minibatch))
        return self._tensor(self._luck.permutation(count)).tensor_split(parts)

    def _backward(self, loss: Tensor) -> None:
        """Compute the gradient of a loss, without making a step."""
        self._adam.zero_grad()
        torch.autograd.backward(loss)

    def _step(self) -> None:
        """Make one step of Adam."""
        self._adam.step()
        self._updates += 1

    def _average_in(self, average: list[Tensor], latest: list[Tensor], memory: float) -> None:
        """Move an average toward the latest network, so that it covers 1 / (1 + memory) of all."""
        follow(average, latest, (memory + 1.0) / (memory + self._updates))

    def state(self) -> dict[str, Any]:
        """Return a copy of all that is needed to go on exactly: tensors, arrays and numbers."""
        state: dict[str, Any] = {"steps": self.steps, "updates": self._updates}
        for name, tensor in self._tensors().items():
            state[name] = tensor.detach().cpu().clone()
        state["luck"] = _generator_state(self._luck)
        state["games"] = self._batch.rngs.copy()
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned, for a learner of the same game and settings."""
        _remember(self._adam, state["updates"] > 0)
        tensors = self._tensors()
        wrong = [
            name
            for name, tensor in tensors.items()
            if name not in state or state[name].shape != tensor.shape
        ]
        if wrong or state["games"].shape != self._batch.rngs.shape:
            raise ValueError(
                f"state: {', '.join(wrong) or 'games'} does not fit this game and these settings; "
                "expected the state of a learner made alike"
            )
        check_generators(np.asarray(state["games"]))
        with torch.no_grad():
            for name, tensor in tensors.items():
                tensor.copy_(state[name])
        self._batch.rngs[:] = state["games"]
        self.steps, self._updates = int(state["steps"]), int(state["updates"])
        _set_generator_state(self._luck, state["luck"])

    def _tensors(self) -> dict[str, Tensor]:
        """Return all tensors that learning changes, by name."""
        named = {
            f"{name}.{i}": part
            for name, parts in self._networks().items()
            for i, part in enumerate(parts)
        }
        return named | {
            f"adam.{i}.{name}": moment
            for i, part in enumerate(self._adam.param_groups[0]["params"])
            for name, moment in self._adam.state.get(part, {}).items()
        }


def _remember(adam: torch.optim.Adam, learned: bool) -> None:
    """Give Adam empty moments, which it makes itself only in its first step; none before that."""
    adam.state.clear()
    if learned:
        for part in adam.param_groups[0]["params"]:
            adam.state[part] = {
                "step": torch.zeros((), device=part.device),
                "exp_avg": torch.zeros_like(part),
                "exp_avg_sq": torch.zeros_like(part),
            }


def _generator_state(luck: np.random.Generator) -> NDArray[np.uint64]:
    """Return the state of a generator (SFC64) as numbers."""
    state: Any = luck.bit_generator.state
    return np.array([*state["state"]["state"], state["has_uint32"], state["uinteger"]], np.uint64)


def _set_generator_state(luck: np.random.Generator, kept: NDArray[np.uint64]) -> None:
    """Set a generator to a state that `_generator_state` returned."""
    luck.bit_generator.state = {
        "bit_generator": "SFC64",
        "state": {"state": np.asarray(kept[:4], np.uint64)},
        "has_uint32": int(kept[4]),
        "uinteger": int(kept[5]),
    }
