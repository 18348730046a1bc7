"""What the learners share that play all seats with small torch networks: luck, games and state.

Such a learner plays games, makes some steps of Adam, and so on. It can be stopped after any round
and goes on exactly from its state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from bidarena.envs.batch import Batch
from bidarena.envs.check import whole
from bidarena.envs.game import Game
from bidarena.train.layers import Tensor


class Settings(Protocol):
    """What all of them let one choose."""

    @property
    def rows(self) -> int:
        """Games side by side."""

    @property
    def learning_rate(self) -> float:
        """Of Adam, falling to 0 in a straight line."""

    @property
    def threads(self) -> int:
        """Of torch."""


class NetworkLearner(ABC):
    """The frame of a learner, which says what it learns (`_networks`) and makes the Adam for it.

    The same seed, settings and total give the same networks, also across `state` and `restore`.

    Attributes:
        game: what to learn.
        steps: decisions learned from so far.
        total: how many there will be.
    """

    _adam: torch.optim.Adam

    def __init__(self, game: Game, settings: Settings, *, seed: int, total: int) -> None:
        self.game = game
        self.total = whole("total", total, 1, 10**15)
        self.steps, self._updates = 0, 0
        self._first_rate = settings.learning_rate
        torch.set_num_threads(settings.threads)
        self._luck = np.random.Generator(np.random.SFC64(whole("seed", seed, 0, 2**63)))
        self._batch = Batch(game, settings.rows, seed=seed)

    @abstractmethod
    def _networks(self) -> dict[str, list[Tensor]]:
        """All networks that learning changes, by name."""

    @property
    def _progress(self) -> float:
        """From 0 to 1."""
        return min(self.steps / self.total, 1.0)

    def _set_rate(self) -> float:
        """Give Adam the learning rate of this round."""
        rate = self._first_rate * (1.0 - self._progress)
        for group in self._adam.param_groups:
            group["lr"] = rate
        return rate

    def state(self) -> dict[str, Any]:
        """Everything needed to go on exactly, copied: a flat dict of tensors, arrays, numbers."""
        state: dict[str, Any] = {"steps": self.steps, "updates": self._updates}
        for name, tensor in self._tensors().items():
            state[name] = tensor.detach().clone()
        state["luck"] = _words(self._luck)
        state["games"] = self._batch.rngs.copy()
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave, of a learner of the same game and settings."""
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
        with torch.no_grad():
            for name, tensor in tensors.items():
                tensor.copy_(state[name])
        self._batch.rngs[:] = state["games"]
        self.steps, self._updates = int(state["steps"]), int(state["updates"])
        _set_words(self._luck, state["luck"])

    def _tensors(self) -> dict[str, Tensor]:
        """All tensors that learning changes, by name."""
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
    """Give Adam an empty memory, which it makes only in its first step; none before that."""
    adam.state.clear()
    if learned:
        for part in adam.param_groups[0]["params"]:
            adam.state[part] = {
                "step": torch.zeros(()),
                "exp_avg": torch.zeros_like(part),
                "exp_avg_sq": torch.zeros_like(part),
            }


def _words(luck: np.random.Generator) -> NDArray[np.uint64]:
    """The state of a generator (SFC64) as numbers."""
    state: Any = luck.bit_generator.state
    return np.array([*state["state"]["state"], state["has_uint32"], state["uinteger"]], np.uint64)


def _set_words(luck: np.random.Generator, kept: NDArray[np.uint64]) -> None:
    """Let a generator go on from what `_words` gave."""
    luck.bit_generator.state = {
        "bit_generator": "SFC64",
        "state": {"state": np.asarray(kept[:4], np.uint64)},
        "has_uint32": int(kept[4]),
        "uinteger": int(kept[5]),
    }
