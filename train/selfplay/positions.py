"""What learners of positions share: one network that judges them, its targets, memory and state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import torch
from numpy.typing import NDArray

from bidarena.baselines.learned.network import Network
from bidarena.envs.game import Game
from bidarena.train.selfplay.layers import (
    RELU_GAIN,
    Tensor,
    follow,
    layers,
    outputs,
    playable,
    spread_kinks,
)
from bidarena.train.selfplay.learner import NetworkLearner
from bidarena.train.selfplay.lookahead import Memory


class PositionLearner(NetworkLearner):
    """Base class: subclasses name the head of their network and, in `learn`, play and find targets.

    Their settings have `hidden`, `memory`, `epochs` and `follow`.
    """

    _factor: Any = 1.0  # of the inputs, one number or one for each
    _unit = 1.0  # of the outputs, for the network that plays

    head: ClassVar[str]
    settings: Any
    _style: Mapping[str, Any] = MappingProxyType({})  # further fields of the network that plays

    def _begin(self, game: Game, *, spread: bool = False) -> None:
        """Make a network that calls nearly all positions even, and an empty memory.

        With `spread` its first units bend all over the range of the inputs, see `spread_kinks`.
        """
        self._memory = Memory(game, self.settings.memory)
        sizes = [game.observation_size, *self.settings.hidden, 1]
        self._learning = layers(sizes, self._luck, gain=RELU_GAIN, device=self.device)
        if spread:
            spread_kinks(self._learning, self._factor, self._luck)
        self._judge = [part.detach().clone() for part in self._learning]
        self._adam = torch.optim.Adam(self._learning, fused=True)

    def _centred(self, observations: NDArray[Any]) -> Tensor:
        """Return observations scaled to numbers around 0, the input of the network."""
        low, high = self.game.observation_range
        centred = (self._tensor(observations) - (low + high) / 2) * (2 / (high - low))
        return centred * self._factor

    def _logits(self, network: Sequence[Tensor], views: Tensor) -> Tensor:
        """Return one number for each position: who sees it expects tanh of its half."""
        return outputs(network, views)[:, 0]

    def _values(self, observations: NDArray[Any]) -> Any:
        return torch.tanh(self._logits(self._judge, self._centred(observations)) / 2).cpu().numpy()

    def _losses(self, numbers: Tensor, wanted: Tensor) -> Tensor:
        """Return the mean cross-entropy of what was expected."""
        return torch.nn.functional.binary_cross_entropy_with_logits(numbers, (1 + wanted) / 2)

    def _update(self, views: Tensor, targets: Tensor) -> float:
        """Learn from the positions in some passes, and return the mean loss above the least."""
        wanted = targets.clamp(-1.0, 1.0)
        least = self._losses(2 * wanted.clamp(-0.999999, 0.999999).atanh(), wanted).item()
        total, steps = torch.zeros((), device=self.device), 0
        for _ in range(self.settings.epochs):
            for part in self._minibatches(len(wanted)):
                logits = self._logits(self._learning, views[part])
                loss = self._losses(logits, wanted[part])
                self._backward(loss)
                self._step()
                steps += 1
                follow(self._judge, self._learning, self.settings.follow)
                total += loss.detach()
        return total.item() / steps - least

    def network(self) -> Network:
        """Return the network that judges, with a first layer that takes plain observations."""
        low, high = self.game.observation_range
        weight, bias, *rest = self._judge
        weight = (torch.as_tensor(self._factor) * weight.T).T
        bias = bias - weight.sum(0) * ((low + high) / (high - low))
        parts = [weight * (2 / (high - low)), bias, *rest]
        parts[-2:] = [part * self._unit for part in parts[-2:]]
        return playable(parts, self.head, **self._style)

    def state(self) -> dict[str, Any]:
        """Return a copy of all that is needed to go on exactly: tensors, arrays and numbers."""
        return super().state() | self._memory.state()

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned, for a learner of the same game and settings."""
        self._memory.check(state)
        super().restore(state)
        self._memory.restore(state)

    def _networks(self) -> dict[str, list[Tensor]]:
        return {"learning": self._learning, "judge": self._judge}
