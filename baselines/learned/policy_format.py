"""Write learned policies to files, and read them: weights, and a description of their game.

The file has the format of safetensors: arrays `weight.0`, `bias.0`, `weight.1`, ... and, in the
metadata, one entry `bidarena`, a description in JSON. Reading runs no code from the file. A file
that is broken, or that `save_policy` did not write, gives a ValueError that names it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.network import PARTS, Network, Numbers, check_sizes, outputs
from bidarena.envs.files import write_whole
from bidarena.envs.game import Game

FORMAT = 1  # version of the description; add 1 if older readers would misunderstand it
KEY = "bidarena"  # name of the description in the metadata
SUFFIX = ".safetensors"
MOST_LAYERS = 100
MOST_NESTED = 50  # lists and objects inside each other, in the description


@dataclass(frozen=True, eq=False)
class PolicyFile:
    """A policy as read from its file.

    Attributes:
        path: the file.
        game: the name of the game.
        options: the rules of the game.
        observation: the named parts of the observation.
        actions: how many actions the game has.
        network: the network.
        info: notes of its maker, such as command, algorithm, steps, seed and strength.
        version: the version of the package that wrote the file.
    """

    path: Path
    game: str
    options: dict[str, Any]
    observation: dict[str, slice]
    actions: int
    network: Network
    info: dict[str, Any]
    version: str


def save_policy(
    path: str | Path,
    game: Game,
    network: Network,
    *,
    info: Mapping[str, Any] | None = None,
    half: bool = False,
) -> Path:
    """Write a policy to a file, and return its path.

    The file is written completely or not at all. Equal arguments give equal files.

    Args:
        path: the file, which must end in .safetensors; missing folders are made.
        game: the game with its rules.
        network: a network that fits the game.
        info: anything that JSON can hold, such as how the policy was made and how strong it is.
        half: store weights of 16 bits, in a file of half the size.
    """
    from safetensors.numpy import save

    path = Path(path)
    if path.suffix != SUFFIX:
        raise ValueError(f"path={str(path)!r}: expected a name that ends in {SUFFIX}")
    check_sizes(game, network)
    parts = sorted(game.observation.items(), key=lambda part: part[1].start)
    description = {
        "format": FORMAT,
        "game": game.name,
        "options": game.options,
        "observation": {name: [part.start, part.stop] for name, part in parts},
        "actions": game.actions,
        "network": {
            "sizes": network.sizes,
            "activation": network.activation,
            "head": network.head,
            **({"slack": network.slack} if network.slack else {}),
            **({"part_layers": network.part_layers} if network.part_layers else {}),
            **({"pure": True} if network.pure else {}),
        },
        "version": _package_version(),
        "info": {} if info is None else dict(info),
    }
    try:
        text = json.dumps(description, allow_nan=False)
        _description(text)  # check that it can be read again
    except (TypeError, ValueError, RecursionError) as wrong:
        raise ValueError(
            f"info, or the rules of {game.name}: expected plain JSON: {wrong}"
        ) from None
    tensors = {}
    for layer, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        tensors[f"weight.{layer}"] = _stored(weight, half)
        tensors[f"bias.{layer}"] = _stored(bias, half)
    write_whole(path, save(tensors, {KEY: text}))
    return path


def load_policy(path: str | Path) -> PolicyFile:
    """Return the policy of a file, or raise ValueError with the path and what is wrong."""
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if KEY not in metadata:
                raise ValueError(f"its metadata has no {KEY!r}, so save_policy did not write it")
            told = _description(metadata[KEY])
            network = _network(told["network"], file)
        return _checked(path, told, network)
    except SafetensorError as wrong:
        raise ValueError(f"{path}: not a file of safetensors, or a broken one: {wrong}") from None
    except (ValueError, OSError) as wrong:
        raise ValueError(f"{path}: not a policy that can be used: {wrong}") from None


# --- writing -------------------------------------------------------------------------------------


def _stored(numbers: Numbers, half: bool) -> NDArray[Any]:
    if half and np.abs(numbers).max(initial=0) > np.finfo(np.float16).max:
        raise ValueError("half=True: a weight is too large for 16 bits; save it with half=False")
    return np.ascontiguousarray(numbers, np.float16 if half else np.float32)


def _package_version() -> str:
    try:
        return version("bidarena")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "unknown"


# --- reading -------------------------------------------------------------------------------------


def _description(text: str) -> dict[str, Any]:
    """Return the description that a JSON text holds; ValueError unless it has the known format."""

    def refuse(word: str) -> Any:
        raise ValueError(f"its description contains {word}")

    try:
        told = json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise ValueError("its description is nested too deeply") from None
    except json.JSONDecodeError as wrong:
        raise ValueError(f"its description is not JSON: {wrong}") from None
    if not isinstance(told, dict):
        raise ValueError("its description is not a JSON object")
    _check_nesting(told, MOST_NESTED)
    written = _typed(told, "format", int)
    if written != FORMAT:
        hint = ": pip install -U bidarena" if written > FORMAT else ""
        raise ValueError(f"it has format {written}, this version reads format {FORMAT}{hint}")
    for name, kind in _FIELDS.items():
        _typed(told, name, kind)
    if ":" in told["game"]:  # in names that users type, a module to import stands before it
        raise ValueError(f"its game is {told['game']!r:.50}, expected a name without a colon")
    return told


def _check_nesting(value: Any, left: int) -> None:
    if not left:
        raise ValueError("its description is nested too deeply")
    inside = value.values() if isinstance(value, dict) else value
    for part in inside if isinstance(value, dict | list) else ():
        _check_nesting(part, left - 1)


_FIELDS: dict[str, type] = {
    "game": str,
    "options": dict,
    "observation": dict,
    "actions": int,
    "network": dict,
    "version": str,
    "info": dict,
}


def _typed(told: dict[str, Any], name: str, kind: type) -> Any:
    value = told.get(name)
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise ValueError(f"its description has {name}={value!r:.50}, expected {_KINDS[kind]}")
    return value


_KINDS = {
    int: "a whole number",
    float: "a number with a point",
    bool: "true or false",
    str: "a text",
    dict: "an object",
    list: "a list",
}


def _network(told: dict[str, Any], file: Any) -> Network:
    sizes = _typed(told, "sizes", list)
    layers = range(len(sizes) - 1)
    if not 1 <= len(layers) <= MOST_LAYERS:
        raise ValueError(f"it has {len(layers)} layers, expected 1 to {MOST_LAYERS}")
    shapes = {f"weight.{i}": [sizes[i], sizes[i + 1]] for i in layers}
    shapes |= {f"bias.{i}": [sizes[i + 1]] for i in layers}
    odd = shapes.keys() ^ set(file.keys())
    if odd:
        raise ValueError(f"its arrays are not those of its layers: {', '.join(sorted(odd))}")
    arrays = {}
    for name, shape in shapes.items():
        part = file.get_slice(name)
        if part.get_shape() != shape or part.get_dtype() not in ("F16", "F32") or 0 in shape:
            raise ValueError(
                f"{name} is of shape {part.get_shape()} and type {part.get_dtype()}, expected "
                f"{shape} of F32 or F16"
            )
        arrays[name] = file.get_tensor(name).astype(np.float32)
    return Network(
        tuple(arrays[f"weight.{i}"] for i in layers),
        tuple(arrays[f"bias.{i}"] for i in layers),
        _typed(told, "activation", str),
        _typed(told, "head", str),
        _typed(told, "slack", float) if "slack" in told else 0.0,
        _typed(told, "part_layers", int) if "part_layers" in told else 0,
        _typed(told, "pure", bool) if "pure" in told else False,
    )


def _checked(path: Path, told: dict[str, Any], network: Network) -> PolicyFile:
    observation, end = {}, 0
    for name, part in told["observation"].items():
        match part:
            case [int(start), int(stop)] if start == end and stop > start:
                observation[name] = slice(start, stop)
                end = stop
            case _:
                raise ValueError(
                    f"its observation has {name} at {part!r:.50}, expected it at {end}"
                )
    wanted = outputs(network.head, told["actions"])
    if network.head == PARTS:  # how a part is seen is checked with the game, see `check_sizes`
        end = network.sizes[0]
    if (network.sizes[0], network.sizes[-1]) != (end, wanted):
        raise ValueError(
            f"its network takes {network.sizes[0]} numbers to {network.sizes[-1]}, expected {end} "
            f"to {wanted}"
        )
    rest = {name: told[name] for name in ("game", "options", "actions", "info", "version")}
    return PolicyFile(path=path, observation=observation, network=network, **rest)
