"""Take over networks of Stable-Baselines3, from a model in memory or from a saved zip.

Such a zip holds pickled Python objects, which could run any code when they are loaded. None of them
is loaded here: the shape of the network stands beside them in plain JSON, and torch reads the
weights as numbers only.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import Network, Numbers, check_sizes
from bidarena.baselines.learned.tensors import read_tensors
from bidarena.envs.arguments import flag
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot

if TYPE_CHECKING:
    import torch

MOST_BYTES = 2**30  # largest unpacked size of a part of a zip

# module of the policy class -> the activation by default
_DEFAULT_ACTIVATION = {
    "stable_baselines3.common.policies": "Tanh",  # PPO and A2C
    "sb3_contrib.common.maskable.policies": "Tanh",  # MaskablePPO
    "stable_baselines3.dqn.policies": "ReLU",
}
_ACTIVATIONS = {"ReLU": "relu", "Tanh": "tanh"}
_ACTOR, _CHOICE, _VALUES = "mlp_extractor.policy_net.", "action_net.", "q_net.q_net."
_NOT_NEEDED = ("mlp_extractor.value_net.", "value_net.", "q_net_target.q_net.")  # for learning only

_WORKS = "MaskablePPO, PPO, A2C or DQN with MlpPolicy over Discrete actions"


def network_from_sb3(model: Any) -> Network:
    """Return the network by which a model of Stable-Baselines3 chooses its actions.

    The features extractor of the model must pass on the observation, or the first numbers of it,
    unchanged. Our bot never takes illegal actions, even if the model learned without masks.

    Args:
        model: MaskablePPO, PPO, A2C, DQN or a similar one, with an MlpPolicy or a subclass of it.
    """
    from torch import nn

    policy = model.policy
    if getattr(policy, "q_net", None) is not None:
        modules, extractor, head = (
            list(policy.q_net.q_net),
            policy.q_net.features_extractor,
            "values",
        )
    elif hasattr(policy, "action_net") and not hasattr(policy, "lstm_actor"):
        modules = [*policy.mlp_extractor.policy_net, policy.action_net]
        extractor = getattr(policy, "pi_features_extractor", policy.features_extractor)
        head = "logits"
    else:
        raise ValueError(f"model: {type(policy).__name__} is not a stack of layers; use {_WORKS}")
    _check_actions(type(model.action_space).__name__, getattr(model.action_space, "start", 0))

    layers, between = modules[::2], modules[1::2]
    for place, module in enumerate(modules):
        wanted = nn.Linear if place % 2 == 0 else (nn.Tanh, nn.ReLU)
        if not isinstance(module, wanted):
            what = "a Linear layer" if place % 2 == 0 else "Tanh or ReLU"
            raise ValueError(f"model: expected {what} as part {place} of its network, got {module}")
    if len(layers) != len(between) + 1:
        raise ValueError(f"model: expected a Linear layer at the end, got {modules[-1]}")
    names = {type(module).__name__ for module in between} or {"ReLU"}
    if len(names) > 1:
        raise ValueError(f"model: expected one kind of activation, got {', '.join(sorted(names))}")
    _check_extractor(extractor, model.observation_space, layers[0])

    numbers = [(layer.weight, layer.bias) for layer in layers]
    return _network(numbers, _ACTIVATIONS[names.pop()], head)


def import_sb3(path: str | Path, game: Game) -> Network:
    """Return the network of a zip that Stable-Baselines3 saved; unpickles nothing.

    Such a file does not say by which rules its policy plays. Only the numbers of inputs and
    actions are compared with those of the game.

    Args:
        path: a file written by `model.save(path)` of MaskablePPO, PPO, A2C or DQN with MlpPolicy.
        game: the game it was trained on.
    """
    if not Path(path).is_file():
        raise ValueError(f"{path}: there is no such file")
    try:
        about, state = _read(Path(path))
    except ImportError:
        raise
    except Exception as reason:  # zip, JSON and torch fail in many ways
        raise ValueError(
            f"{path}: not a model that Stable-Baselines3 saved ({type(reason).__name__}: {reason})"
        ) from None
    try:
        network = _described(about, state)
        check_sizes(game, network)
    except ValueError as wrong:
        raise ValueError(f"{path}: {wrong}") from None
    return network


def sb3_bot(game: Game, path: str | Path, *, deterministic: bool = False) -> Bot:
    """Return the policy of a zip of Stable-Baselines3 as a compiled bot.

    Args:
        game: the game it was trained on.
        path: the zip; see `import_sb3`.
        deterministic: always take the most probable action instead of drawing one.
    """
    flag("deterministic", deterministic)
    return network_bot(game, import_sb3(path, game), str(path), deterministic=deterministic)


def _network(layers: Sequence[tuple[Any, Any]], activation: str, head: str) -> Network:
    """Return our network of torch layers: weights are (outputs, inputs), a bias may be None."""
    weights = [_numbers(weight).T.copy() for weight, _ in layers]
    biases = [
        np.zeros(weight.shape[1], np.float32) if bias is None else _numbers(bias)
        for weight, (_, bias) in zip(weights, layers, strict=True)
    ]
    return Network(tuple(weights), tuple(biases), activation, head)


def _numbers(tensor: torch.Tensor) -> Numbers:
    return np.array(tensor.detach().cpu().float().numpy(), np.float32)  # a copy: training may go on


def _check_actions(kind: str, start: Any) -> None:
    if kind != "Discrete" or int(start) != 0:
        raise ValueError(f"model: expected Discrete actions from 0, got {kind} from {start}")


def _check_extractor(extractor: Any, space: Any, first: Any) -> None:
    """Raise ValueError unless the extractor passes on the observation, or the beginning of it."""
    import torch

    kept = first.in_features
    if len(space.shape or ()) != 1 or space.shape[0] < kept:
        raise ValueError(f"model: expected flat observations of {kept} numbers, got {space}")
    seen = np.random.default_rng(0).standard_normal((8, *space.shape), np.float32)
    with torch.no_grad():
        observations = torch.from_numpy(seen).to(first.weight.device)
        features = extractor(observations)
    if not torch.equal(features, observations[:, :kept]):
        raise ValueError(
            f"model: its features extractor {type(extractor).__name__} does more than pass on "
            "the observation, or the first numbers of it"
        )


# --- the zip -------------------------------------------------------------------------------------


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the JSON description of the model in a zip, and the arrays of its policy by name."""
    try:
        import torch
    except ImportError as missing:
        raise ImportError('reading such files needs: pip install "bidarena[train]"') from missing
    with zipfile.ZipFile(path) as parts:
        for name in ("data", "policy.pth"):
            if parts.getinfo(name).file_size > MOST_BYTES:
                raise ValueError(f"{name} has more than {MOST_BYTES} bytes")
        about = json.loads(parts.read("data"))
        state = read_tensors(parts.read("policy.pth"))
    if not isinstance(about, dict) or not isinstance(state, Mapping):
        raise ValueError("no description of a policy")
    for name, tensor in state.items():
        known = isinstance(name, str) and isinstance(tensor, torch.Tensor)
        if not known or not tensor.is_floating_point() or tensor.ndim not in (1, 2):
            raise ValueError(f"{name!r} is not an array of weights or biases")
    return about, dict(state)


def _described(about: dict[str, Any], state: dict[str, Any]) -> Network:
    """Return the network that a zip describes; ValueError with the reason if we cannot play it."""
    module = _part(about, "policy_class").get("__module__")
    extra = _part(about, "policy_kwargs")
    if module not in _DEFAULT_ACTIVATION:
        raise ValueError(
            f"its policy class is from {module}, which is not known here; use {_WORKS}, or load it "
            "yourself and see bidarena.baselines.learned.sb3.network_from_sb3"
        )
    actions = _part(about, "action_space")
    _check_actions(_class_name(actions.get(":type:")), actions.get("start", 0))
    if _class_name(extra.get("features_extractor_class", "FlattenExtractor")) != "FlattenExtractor":
        raise ValueError(
            f"its features extractor is {extra['features_extractor_class']}, which is not known "
            "here; load it yourself and see bidarena.baselines.learned.sb3.network_from_sb3"
        )
    activation = _class_name(extra.get("activation_fn", _DEFAULT_ACTIVATION[module]))
    if activation not in _ACTIVATIONS:
        raise ValueError(f"its activation is {activation}; expected one of {list(_ACTIVATIONS)}")

    values = any(name.startswith(_VALUES) for name in state)
    wanted = (_VALUES,) if values else (_ACTOR, _CHOICE)
    strange = [name for name in state if not name.startswith((*wanted, *_NOT_NEEDED))]
    if strange:
        raise ValueError(f"its network has parts that are not known here: {', '.join(strange)}")
    stack = _VALUES if values else _ACTOR
    count = sum(name.startswith(stack) and name.endswith(".weight") for name in state)
    names = [f"{stack}{2 * place}." for place in range(count)]  # with activations between them
    names += [] if values else [_CHOICE]
    needed = {f"{name}{part}" for name in names for part in ("weight", "bias")}
    found = {name for name in state if name.startswith(wanted)}
    if needed != found:
        raise ValueError(
            f"its network is not a stack of layers: {', '.join(sorted(needed ^ found))}"
        )
    layers = [(state[f"{name}weight"], state[f"{name}bias"]) for name in names]
    return _network(layers, _ACTIVATIONS[activation], "values" if values else "logits")


def _part(about: dict[str, Any], name: str) -> dict[str, Any]:
    part = about.get(name)
    if not isinstance(part, dict):
        raise ValueError(f"its description has no {name!r}")
    return part


def _class_name(text: Any) -> str:
    """Return the last part of a class name: `<class 'torch.nn.ReLU'>` -> `ReLU`."""
    return str(text).removeprefix("<class '").removesuffix("'>").rpartition(".")[2]
