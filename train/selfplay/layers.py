"""Small dense networks in torch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from bidarena.baselines.learned.network import Network

Tensor = torch.Tensor


RELU_GAIN = 6**0.5
"""He-uniform gain: keeps activations at one scale (He et al., "Delving deep into rectifiers",
2015)."""


def layers(
    sizes: Sequence[int],
    luck: np.random.Generator,
    gain: float = 1.0,
    *,
    device: torch.device | str = "cpu",
) -> list[Tensor]:
    """Return the weights (inputs, outputs) and biases of all layers; the last one gives nearly 0.

    Weights are drawn uniformly from -b to b, b being `gain` divided by the root of the inputs.
    """
    parts = []
    for layer, (inputs, outgoing) in enumerate(pairwise(sizes)):
        last = layer == len(sizes) - 2
        bound = inputs**-0.5
        weight = luck.uniform(-bound, bound, (inputs, outgoing)) * gain * (0.1 if last else 1.0)
        bias = np.zeros(outgoing) if last else luck.uniform(-bound, bound, outgoing)
        parts += [torch.from_numpy(part.astype(np.float32)) for part in (weight, bias)]
    return [part.to(device).requires_grad_() for part in parts]


def spread_kinks(parts: Sequence[Tensor], scale: Any, luck: np.random.Generator) -> None:
    """Change the biases of the first layer so that its units bend all over the range of the inputs.

    Biases that are drawn near 0 let all units bend near the middle of the range, so that a network
    begins with hardly any detail elsewhere. Here each unit bends at a point drawn from the range.

    Args:
        parts: weights and biases of all layers.
        scale: how far from 0 inputs reach, one number or one for each of them.
        luck: draws the points.
    """
    weight, bias = parts[0], parts[1]
    points = luck.uniform(-1, 1, tuple(weight.shape)).astype(np.float32)
    with torch.no_grad():
        reach = torch.as_tensor(scale, device=weight.device) * torch.ones_like(weight[:, 0])
        drawn = torch.from_numpy(points).to(weight.device) * reach[:, None]
        bias.copy_(-(drawn * weight).sum(0))


def outputs(parts: Sequence[Tensor], numbers: Tensor) -> Tensor:
    """Return the outputs of the last layer, with relu between layers."""
    for i in range(0, len(parts), 2):
        if i:
            numbers = numbers.relu()
        numbers = torch.addmm(parts[i + 1], numbers, parts[i])
    return numbers


def follow(slow: Sequence[Tensor], latest: Sequence[Tensor], share: float) -> None:
    """Move the network `slow` a share of the way to the network `latest`."""
    with torch.no_grad():
        for part, goal in zip(slow, latest, strict=True):
            part.lerp_(goal, share)


def playable(parts: Sequence[Tensor], head: str = "logits", **style: Any) -> Network:
    """Return a copy of a network to play with; `head` and `style` are fields of `Network`."""
    arrays = [part.detach().cpu().numpy().copy() for part in parts]
    return Network(tuple(arrays[0::2]), tuple(arrays[1::2]), head=head, **style)
