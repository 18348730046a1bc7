"""Small dense networks in torch, and checks of the settings they are learned with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from bidarena.baselines.network import Network

Tensor = torch.Tensor


RELU_GAIN = 6**0.5
"""of weights with which numbers neither fade nor grow from layer to layer (He et al., "Delving deep
into rectifiers", 2015)"""


def layers(sizes: Sequence[int], luck: np.random.Generator, gain: float = 1.0) -> list[Tensor]:
    """Weights (inputs, outputs) and biases of all layers; the last one gives nearly 0.

    Weights are drawn evenly up to `gain` divided by the root of the number of inputs.
    """
    parts = []
    for layer, (inputs, outgoing) in enumerate(pairwise(sizes)):
        last = layer == len(sizes) - 2
        bound = inputs**-0.5
        weight = luck.uniform(-bound, bound, (inputs, outgoing)) * gain * (0.1 if last else 1.0)
        bias = np.zeros(outgoing) if last else luck.uniform(-bound, bound, outgoing)
        parts += [torch.from_numpy(part.astype(np.float32)) for part in (weight, bias)]
    return [part.requires_grad_() for part in parts]


def outputs(parts: Sequence[Tensor], numbers: Tensor) -> Tensor:
    """What the last layer gives, with relu between layers."""
    for i in range(0, len(parts), 2):
        if i:
            numbers = numbers.relu()
        numbers = torch.addmm(parts[i + 1], numbers, parts[i])
    return numbers


def follow(slow: Sequence[Tensor], latest: Sequence[Tensor], share: float) -> None:
    """Move a network a share of the way to another one."""
    with torch.no_grad():
        for part, goal in zip(slow, latest, strict=True):
            part.lerp_(goal, share)


def playable(parts: Sequence[Tensor], head: str = "logits") -> Network:
    """A network to play with, copied."""
    arrays = [part.detach().numpy().copy() for part in parts]
    return Network(tuple(arrays[0::2]), tuple(arrays[1::2]), head=head)


# --- settings ------------------------------------------------------------------------------------


def within(name: str, number: float, least: float, most: float) -> None:
    """Refuse a setting that is not in its range."""
    if not least <= float(number) <= most:
        raise ValueError(f"{name}={number!r}: expected a number from {least:g} to {most:g}")


def check_known(settings: Mapping[str, Any], kind: type) -> None:
    """Refuse names that are not among the fields of a dataclass of settings."""
    known = [field.name for field in fields(kind)]
    for name in settings:
        if name not in known:
            raise ValueError(f"settings: {name!r} is unknown; expected {', '.join(known)}")
