"""Networks that treat exchangeable parts of a game alike, such as the suits of a pack of cards.

Every layer has some units for each part and some that all parts share. All parts have the same
weights (Zaheer et al., "Deep sets", 2017): a unit of a part sees the numbers of its own part, the
sum over all parts, and the shared numbers; a shared unit sees that sum and the shared numbers. So
exchanging two suits exchanges their units and actions and changes nothing else, whatever was
learned: what is learned of one suit is known of all, and a layer costs a third of the time.

Such a network is a dense network with many equal weights, and is played as one (`dense`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from bidarena.envs.structure.exchange import Exchange
from bidarena.train.selfplay.layers import Tensor, layers, outputs


class Dense:
    """Dense layers from observations to actions, with relu between them."""

    def __init__(
        self, inputs: int, hidden: Sequence[int], actions: int, device: torch.device | str = "cpu"
    ) -> None:
        self._sizes = [inputs, *hidden, actions]
        self._device = device

    def draw(self, luck: np.random.Generator) -> list[Tensor]:
        """Return weights and biases to begin with."""
        return layers(self._sizes, luck, device=self._device)

    def arrange(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return observations in the order that `outputs` takes."""
        return observations

    def outputs(self, parts: Sequence[Tensor], arranged: Tensor) -> Tensor:
        """Return the outputs (rows, actions) of the network with these weights and biases."""
        return outputs(parts, arranged)

    def dense(self, parts: Sequence[Tensor]) -> list[Tensor]:
        """Return weights and biases of dense layers that give the same outputs."""
        return list(parts)

    def fold(self, dense: Sequence[Tensor]) -> list[Tensor]:
        """Return weights and biases that give the outputs of dense layers; see `dense`.

        Raise ValueError if the layers have other sizes.
        """
        _check_sizes(dense, self._sizes)
        return [part.clone().to(self._device).requires_grad_() for part in dense]


class Tied:
    """Layers with equal weights for all exchangeable parts.

    Weights and biases of a layer are four tensors: the weights from a part to itself, the weights
    from the sum over parts and the shared numbers to the units of every part and the shared units,
    and the biases of both.
    """

    def __init__(
        self,
        exchange: Exchange,
        inputs: int,
        hidden: Sequence[int],
        actions: int,
        device: torch.device | str = "cpu",
    ) -> None:
        """Plan layers.

        Args:
            exchange: what belongs to each part; actions from `actions` on are left out.
            inputs: how many numbers are seen.
            hidden: units of the hidden layers in all; about a third of them is shared.
            actions: how many actions there are.
            device: where torch computes.
        """
        self._device = device
        self._count = count = exchange.parts
        self._order, own, shared = _order(exchange.inputs, inputs)
        self._places, own_actions, shared_actions = _order(exchange.actions, actions)
        self._back = torch.from_numpy(np.argsort(self._places)).to(device)
        sizes = [(own, shared)]
        for units in hidden:
            each = max(1, units // (count + 2))
            sizes.append((each, max(1, units - count * each)))
        self._sizes = [*sizes, (own_actions, shared_actions)]
        self._scale = count**-0.5  # of sums over parts

    def draw(self, luck: np.random.Generator) -> list[Tensor]:
        """Return weights and biases to begin with; those of the last layer give nearly 0."""
        parts = []
        for layer, ((own, shared), (units, common)) in enumerate(pairwise(self._sizes)):
            last = layer == len(self._sizes) - 2
            bound = (2 * own + shared) ** -0.5
            size = bound * (0.1 if last else 1.0)
            drawn = [
                luck.uniform(-size, size, (own, units)),
                luck.uniform(-size, size, (own + shared, units + common)),
                np.zeros(units) if last else luck.uniform(-bound, bound, units),
                np.zeros(common) if last else luck.uniform(-bound, bound, common),
            ]
            parts += [torch.from_numpy(part.astype(np.float32)) for part in drawn]
        return [part.to(self._device).requires_grad_() for part in parts]

    def arrange(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return observations part by part, and then what the parts share."""
        return np.take(observations, self._order, axis=1)

    def outputs(self, parts: Sequence[Tensor], arranged: Tensor) -> Tensor:
        """Return the outputs (rows, actions) of the network with these weights and biases."""
        rows, count = len(arranged), self._count
        own = self._sizes[0][0]
        each = arranged[:, : count * own].reshape(rows, count, own)
        common = arranged[:, count * own :]
        for i in range(0, len(parts), 4):
            alone, mixed, bias, common_bias = parts[i : i + 4]
            if i:
                each, common = each.relu(), common.relu()
            seen = torch.cat([each.sum(1) * self._scale, common], 1)
            gained = torch.addmm(torch.cat([bias, common_bias]), seen, mixed)
            units = len(bias)
            each = (each.reshape(rows * count, -1) @ alone).reshape(rows, count, units)
            each = each + gained[:, None, :units]
            common = gained[:, units:]
        return torch.cat([each.reshape(rows, -1), common], 1).index_select(1, self._back)

    def dense(self, parts: Sequence[Tensor]) -> list[Tensor]:
        """Return weights and biases of dense layers that give the same outputs."""
        found, count = [], self._count
        for layer, ((own, shared), (units, common)) in enumerate(pairwise(self._sizes)):
            alone, mixed, bias, common_bias = (
                part.detach().cpu() for part in parts[4 * layer : 4 * layer + 4]
            )
            weight = torch.zeros(count * own + shared, count * units + common)
            summed = mixed[:own] * self._scale
            for one in range(count):
                rows = slice(one * own, (one + 1) * own)
                for other in range(count):
                    weight[rows, other * units : (other + 1) * units] = summed[:, :units]
                weight[rows, one * units : (one + 1) * units] += alone
                weight[rows, count * units :] = summed[:, units:]
                weight[count * own :, one * units : (one + 1) * units] = mixed[own:, :units]
            weight[count * own :, count * units :] = mixed[own:, units:]
            found += [weight, torch.cat([*[bias] * count, common_bias])]
        found[0] = found[0][torch.from_numpy(np.argsort(self._order))]
        back = self._back.cpu()
        found[-2:] = [found[-2][:, back], found[-1][back]]
        return found

    def fold(self, dense: Sequence[Tensor]) -> list[Tensor]:
        """Return weights and biases that give the outputs of dense layers; see `dense`.

        Of weights that should be equal, because parts can be exchanged, the mean is taken. Raise
        ValueError if the layers have other sizes.
        """
        count = self._count
        _check_sizes(dense, [count * own + shared for own, shared in self._sizes])
        layers = [part.clone() for part in dense]
        layers[0] = layers[0][torch.from_numpy(self._order)]
        places = torch.from_numpy(self._places)
        layers[-2:] = [layers[-2][:, places], layers[-1][places]]
        found = []
        for layer, ((own, shared), (units, common)) in enumerate(pairwise(self._sizes)):
            weight, bias = layers[2 * layer : 2 * layer + 2]
            between = weight[: count * own, : count * units].reshape(count, own, count, units)
            same = torch.stack([between[one, :, one] for one in range(count)]).mean(0)
            other = (between.sum((0, 2)) - count * same) / (count * (count - 1))
            to_shared = weight[: count * own, count * units :].reshape(count, own, common).mean(0)
            to_each = weight[count * own :, : count * units].reshape(shared, count, units).mean(1)
            summed = torch.cat([other, to_shared], 1) / self._scale
            rest = torch.cat([to_each, weight[count * own :, count * units :]], 1)
            each = bias[: count * units].reshape(count, units).mean(0)
            found += [same - other, torch.cat([summed, rest]), each, bias[count * units :].clone()]
        return [part.to(self._device).requires_grad_() for part in found]


Shape = Dense | Tied


def _check_sizes(dense: Sequence[Tensor], sizes: Sequence[int]) -> None:
    theirs = [len(dense[0]), *(len(bias) for bias in dense[1::2])]
    if theirs != list(sizes):
        raise ValueError(f"layers of {theirs} units: expected {list(sizes)}")


def _order(indexes: NDArray[np.int64], count: int) -> tuple[NDArray[np.int64], int, int]:
    """Return all indexes below `count`, part by part and then the shared ones, and both numbers."""
    kept = indexes[:, (indexes < count).all(axis=0)]
    shared = np.setdiff1d(np.arange(count), kept)
    return np.concatenate([kept.ravel(), shared]), kept.shape[1], len(shared)


def with_others(exchange: Exchange, size: int, seen: NDArray[np.int64], others: int) -> Exchange:
    """Return what belongs to each part if some numbers of other players follow the observation.

    Args:
        exchange: what belongs to each part of an observation.
        size: how many numbers the observation has.
        seen: which of them are seen of every other player, in this order.
        others: how many other players there are.
    """
    place = np.full(size, -1, np.int64)
    place[seen] = np.arange(len(seen))
    inputs = [exchange.inputs]
    of_one = place[exchange.inputs]
    of_one = of_one[:, (of_one >= 0).all(axis=0)]
    for other in range(others):
        inputs.append(size + other * len(seen) + of_one)
    return Exchange(np.concatenate(inputs, axis=1), exchange.actions)
