"""Small dense networks in torch, and how learners of them are kept: what self-play shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

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


# --- a learner's state, to go on from exactly ----------------------------------------------------


def remember(adam: torch.optim.Adam, learned: bool) -> None:
    """Give Adam an empty memory, which it makes only in its first step; none before that."""
    adam.state.clear()
    if learned:
        for part in adam.param_groups[0]["params"]:
            adam.state[part] = {
                "step": torch.zeros(()),
                "exp_avg": torch.zeros_like(part),
                "exp_avg_sq": torch.zeros_like(part),
            }


def memory(adam: torch.optim.Adam) -> dict[str, Tensor]:
    """Adam's memory, by name."""
    return {
        f"adam.{i}.{name}": moment
        for i, part in enumerate(adam.param_groups[0]["params"])
        for name, moment in adam.state.get(part, {}).items()
    }


def take_back(
    state: Mapping[str, Any], tensors: Mapping[str, Tensor], games: NDArray[np.uint64]
) -> None:
    """Copy a state into tensors and the generators of games; that of another learner is refused."""
    wrong = [
        name
        for name, tensor in tensors.items()
        if name not in state or state[name].shape != tensor.shape
    ]
    if wrong or state["games"].shape != games.shape:
        raise ValueError(
            f"state: {', '.join(wrong) or 'games'} does not fit this game and these settings; "
            "expected the state of a learner made alike"
        )
    with torch.no_grad():
        for name, tensor in tensors.items():
            tensor.copy_(state[name])
    games[:] = state["games"]


def words(luck: np.random.Generator) -> NDArray[np.uint64]:
    """The state of a generator (SFC64) as numbers."""
    state: Any = luck.bit_generator.state
    return np.array([*state["state"]["state"], state["has_uint32"], state["uinteger"]], np.uint64)


def set_words(luck: np.random.Generator, kept: NDArray[np.uint64]) -> None:
    """Let a generator go on from what `words` gave."""
    luck.bit_generator.state = {
        "bit_generator": "SFC64",
        "state": {"state": np.asarray(kept[:4], np.uint64)},
        "has_uint32": int(kept[4]),
        "uinteger": int(kept[5]),
    }
