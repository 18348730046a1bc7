"""What the configuration of a run would start or import, which may have come from somebody else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from bidarena.envs.registry.bot_names import starts_something
from bidarena.train.algorithms import find_algorithm


def effects(config: dict[str, Any]) -> list[str]:
    """Return what the names in a configuration would start or import, before anything is made."""
    task, found = config["task"], []
    for what, name in (("game", task["game"]), ("algorithm", task["algorithm"])):
        module = name.rpartition(":")[0]
        if module and module not in sys.modules:
            found.append(f"{what} {name!r} imports the module {module}")
    named = {"players": task.get("players"), "settings": task.get("settings")}
    named["rivals"] = config["evaluation"].get("rivals")
    for what, values in named.items():
        for text in _texts(values):
            if starts_something(text):
                found.append(f"{what}: {text!r} starts a program or calls an address")
    return found


def needs_trust(config: dict[str, Any]) -> bool:
    """Return whether a new process can only go on with this run if it is told to trust it."""
    task = config["task"]
    rllib = find_algorithm(task["algorithm"]).engine == "rllib"
    return rllib or ":" in f"{task['game']}{task['algorithm']}" or bool(effects(config))


def _texts(value: Any) -> Iterator[str]:
    """Yield all strings inside of a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
