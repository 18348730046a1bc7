"""Learned policies as files that are safe to share, and as bots.

`save_policy` writes one file with a network and a description of its game, and `load_policy` reads
it without running any code from it (policy_format.py). `check_fits` tells whether a policy can play
a game, and `policy_bot` makes it a compiled bot. Files of Stable-Baselines3 are read by sb3.py.
"""

from __future__ import annotations

import json
import shlex
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import AFTERSTATES, PARTS, POSITIONS
from bidarena.baselines.learned.policy_format import SUFFIX, PolicyFile, load_policy, save_policy
from bidarena.baselines.learned.sb3 import import_sb3, network_from_sb3
from bidarena.envs.arguments import flag
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot, make_game

__all__ = [
    "PolicyFile",
    "check_fits",
    "import_sb3",
    "learned",
    "load_policy",
    "network_from_sb3",
    "policy_bot",
    "ppo",
    "save_policy",
    "shipped",
    "shipped_file",
]

REWARD_ONLY = ("reward",)  # rules that change neither observations nor legal actions


def check_fits(file: PolicyFile, game: Game) -> None:
    """Raise ValueError unless the policy is for the rules, observations and actions of the game.

    The rule `reward` may differ, because it changes neither observations nor legal actions: a
    policy that learned with one kind of reward can play for another. Only a network with the head
    "afterstates", "positions" or "parts" cannot, because it compares expected results with real
    ones, while "gains" compares points. A rule that is newer than the file counts as if the file
    had the default value of it.
    """
    differences, options = _differences(file, game)
    if not differences:
        return
    advice = f"To have a policy for this game: {_train_command(game)}"
    if file.game != game.name:
        advice = f"Type {file.game} instead of {game.name}. {advice}"
    elif options:
        typed = " ".join(_option(name, value) for name, value in options.items())
        python = ", ".join(f"{name}={value!r}" for name, value in options.items())
        advice = f"To play by its rules type {typed}, or {python} in Python. {advice}"
    lines = "\n".join(f"  {line}" for line in differences)
    raise ValueError(f"{file.path}: this policy is for another game:\n{lines}\n{advice}")


def policy_bot(game: Game, path: str | Path, *, deterministic: bool = False) -> Bot:
    """Return the policy of a file as a compiled bot.

    Args:
        game: a game with the rules that the policy is for.
        path: a file that `save_policy` wrote.
        deterministic: always take the most probable action instead of drawing one.
    """
    flag("deterministic", deterministic)
    file = load_policy(path)
    check_fits(file, game)
    return network_bot(game, file.network, str(path), deterministic=deterministic)


def learned(game: Game, *, deterministic: bool = False) -> Bot:
    """The best learned policy that comes with this package, if there is one for these rules.

    Args:
        game: the game with its rules.
        deterministic: always take the most probable action instead of drawing one.
    """
    return shipped(game, "learned", deterministic=deterministic)


def ppo(game: Game, *, deterministic: bool = False) -> Bot:
    """The policy of PPO that comes with this package, if there is one for these rules.

    Args:
        game: the game with its rules.
        deterministic: always take the most probable action instead of drawing one.
    """
    return shipped(game, "ppo", deterministic=deterministic)


def shipped(game: Game, kind: str, *, deterministic: bool = False) -> Bot:
    """Return the bot of a policy that comes with this package, or raise ValueError.

    Args:
        game: the game with its rules.
        kind: the first part of the file's name, such as "learned".
        deterministic: always take the most probable action instead of drawing one.
    """
    flag("deterministic", deterministic)
    network = shipped_file(game, kind).network
    return network_bot(game, network, kind, deterministic=deterministic)


def shipped_file(game: Game, kind: str) -> PolicyFile:
    """Return a policy that comes with this package and fits the game, or raise ValueError.

    The file is `KIND-GAME.safetensors` in the folder `policies` or, for other rules, one of the
    files `KIND-GAME-ANYTHING.safetensors` beside it.
    """
    refused = []
    for entry in sorted(_shipped_folder().iterdir(), key=lambda entry: entry.name):
        stem = entry.name.removesuffix(SUFFIX)
        if stem == entry.name or stem.split("-")[:2] != [kind, game.name]:
            continue
        with as_file(entry) as path:
            file = load_policy(path)
        differences, _ = _differences(file, game)
        if not differences:
            return file
        refused += [f"  {stem}: {line}" for line in differences]
    known = f"the policies for {game.name} that come with this package are for other rules:"
    if not refused:
        known = f"no such policy for {game.name} comes with this package"
    raise ValueError("\n".join([known, *refused, f"To make one: {_train_command(game)}"]))


def _shipped_folder() -> Traversable:
    return files("bidarena.baselines.learned.policies")


# --- comparing -----------------------------------------------------------------------------------


def _differences(file: PolicyFile, game: Game) -> tuple[list[str], dict[str, Any]]:
    """Return why the policy cannot play this game, in lines, and the rules that it needs."""
    if file.game != game.name:
        return [f"game: the policy plays {file.game}, this is {game.name}"], {}
    theirs = {**_later_rules(file, game), **file.options}
    lines, options = [], {}
    for name in dict.fromkeys([*game.options, *theirs]):
        if name in REWARD_ONLY and file.network.head not in (AFTERSTATES, POSITIONS, PARTS):
            continue
        if name not in game.options:
            lines.append(f"{name}: the policy knows {theirs[name]!r}, this game has no such rule")
        elif name not in theirs:
            lines.append(f"{name}: not known to the policy, this game has {game.options[name]!r}")
        elif json.dumps(theirs[name]) != json.dumps(game.options[name]):
            options[name] = theirs[name]
            ours = json.loads(json.dumps(game.options[name]))
            lines.append(f"{name}: the policy knows {theirs[name]!r}, this game has {ours!r}")
    for name in dict.fromkeys([*game.observation, *file.observation]):
        seen, there = file.observation.get(name), game.observation.get(name)
        if seen != there:
            lines.append(f"observation {name}: the policy sees {_at(seen)}, this game {_at(there)}")
    if file.actions != game.actions:
        lines.append(f"actions: the policy has {file.actions}, this game {game.actions}")
    return lines, options


def _later_rules(file: PolicyFile, game: Game) -> dict[str, Any]:
    """Return the default values of the rules that the file does not mention."""
    missing = game.options.keys() - file.options.keys()
    if not missing:
        return {}
    try:
        default = make_game(game.name, **file.options)
    except (TypeError, ValueError):  # a game that is not registered, or rules that it refuses
        return {}
    return {name: value for name, value in default.options.items() if name in missing}


def _at(part: slice | None) -> str:
    return "nothing of it" if part is None else f"it at {part.start}:{part.stop}"


def _train_command(game: Game) -> str:
    """Return the command that trains a policy for this game; default rules are left out."""
    try:
        usual = make_game(game.name).options
    except ValueError:
        usual = {}
    words = ["bidarena", "train", game.name]
    words += [
        _option(name, value)
        for name, value in game.options.items()
        if name not in usual or json.dumps(usual[name]) != json.dumps(value)
    ]
    return " ".join(words)


def _option(name: str, value: Any) -> str:
    """Return a rule as it is typed on the command line."""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"--{name.replace('_', '-')} {shlex.quote(text)}"
