"""The network of RLlib's PPO: dense layers, one stack for the policy and one for the value.

Illegal actions lose their probability inside the module, so that neither exploration nor the loss
ever sees them. The layers of the policy have the form of our `Network`, as which they are exported.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule

from bidarena.baselines.learned.network import Network, Numbers
from bidarena.envs.rllib import MASK

NEVER = -1e8  # logit of an illegal action
ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}
POLICY, VALUE = "policy", "value"  # the two stacks


class MaskedModule(TorchRLModule, InferenceOnlyAPI, ValueFunctionAPI):  # type: ignore[misc]
    """Observations with masks -> logits of the legal actions, and the value of the position.

    Its `model_config` has `net_arch`, the units of the hidden layers, and `activation`.
    """

    def setup(self) -> None:
        """Make the layers."""
        parts = self.observation_space.spaces
        (self._seen,) = (name for name in parts if name != MASK)  # its name differs in PettingZoo
        hidden = [parts[self._seen].shape[0], *self.model_config["net_arch"]]
        activation = ACTIVATIONS[self.model_config["activation"]]
        self.policy = _stack([*hidden, int(self.action_space.n)], activation, last=0.01)
        self.value = _stack([*hidden, 1], activation, last=1.0)

    def get_non_inference_attributes(self) -> list[str]:
        """Return the names of the parts that are needed for learning only."""
        return [VALUE]

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        logits = self.policy(seen[self._seen])
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen[MASK] == 0, NEVER)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return the expected result of each row."""
        return self.value(batch[Columns.OBS][self._seen]).squeeze(-1)


def _stack(sizes: list[int], activation: Any, *, last: float) -> torch.nn.Sequential:
    """Return dense layers with orthogonal weights; `last` is the gain of the last layer."""
    modules: list[torch.nn.Module] = []
    for place, (inputs, outputs) in enumerate(pairwise(sizes)):
        layer = torch.nn.Linear(inputs, outputs)
        at_end = place == len(sizes) - 2
        torch.nn.init.orthogonal_(layer.weight, last if at_end else 2**0.5)
        torch.nn.init.zeros_(layer.bias)
        modules += [layer] if at_end else [layer, activation()]
    return torch.nn.Sequential(*modules)


def network_of(weights: Mapping[str, Any], activation: str) -> Network:
    """Return the policy of a `MaskedModule` as a `Network`, from the state of the module."""
    places = sorted(
        int(name.split(".")[1])
        for name in weights
        if name.startswith(f"{POLICY}.") and name.endswith(".weight")
    )
    layers = [f"{POLICY}.{place}" for place in places]
    # torch keeps weights as (outputs, inputs)
    return Network(
        tuple(_numbers(weights[f"{layer}.weight"]).T.copy() for layer in layers),
        tuple(_numbers(weights[f"{layer}.bias"]) for layer in layers),
        activation,
    )


def _numbers(values: Any) -> Numbers:
    return np.array(values, np.float32)  # a copy: learning goes on
