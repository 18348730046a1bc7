"""What the options of a game mean, for commands and pages that ask people for them."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import gymnasium as gym

from bidarena.envs.registry.game_names import env_id, load

GENERIC = "bidarena.envs.solo"  # the module of the environment for games without one of their own


def own_environment(game: str) -> Any:
    """Return the environment class of a game; None if the generic class serves it."""
    entry = gym.spec(env_id(game)).entry_point
    env: Any = load(entry) if isinstance(entry, str) else entry
    return None if env is None or env.__module__ == GENERIC else env


def rule_meanings(game: str) -> dict[str, str]:
    """Return what each rule means, from the table in the docstring of the game's environment."""
    rows = re.findall(
        r"^\| (`\w+`(?:, `\w+`)*) \| (?:.*?) \| (.*) \|$",
        inspect.getdoc(own_environment(game)) or "",
        re.MULTILINE,
    )
    return {
        name: meaning.replace("`", "")
        for names, meaning in rows
        for name in re.findall(r"\w+", names)
    }


def read_rule(text: str) -> Any:
    """Return a rule from the text that was typed: JSON, values separated by commas, or a word."""
    for attempt in (text, f"[{text}]", text.lower()):
        try:
            return json.loads(attempt)
        except ValueError:
            continue
    return text
