"""Writes the pages of the games, docs/games/NAME.md, from the docstrings of their environments.

python docs/build.py
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import gymnasium as gym

from bidarena.envs import bots, games
from bidarena.envs.registry import bot_factory, env_id, load

FOLDER = Path(__file__).parent / "games"


def page(name: str) -> str:
    """The page of a game: a picture, the docstring of its environment, its bots."""
    entry = gym.spec(env_id(name)).entry_point
    lines = inspect.cleandoc(load(str(entry)).__doc__).splitlines()
    summary, rest = lines[0], "\n".join(lines[1:]).strip()
    rows = [
        f"| `{bot}` | {_first_sentence(bot_factory(name, bot))} | "
        f"{_options(bot_factory(name, bot))} |"
        for bot in bots(name)
    ]
    parts = [
        f"# `{env_id(name)}`",
        summary,
        f"![{name}](../images/{name}.png)",
        rest,
        "## Bots",
        "\n".join(["| bot | what it does | options |", "|---|---|---|", *rows]),
        "`bidarena play " + name + "` plays against one of them, `bidarena match` and `bidarena "
        "tournament` let them play each other.",
    ]
    return "\n\n".join(parts) + "\n"


def _first_sentence(factory: Any) -> str:
    text = inspect.getdoc(factory) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def _options(factory: Any) -> str:
    options = list(inspect.signature(factory).parameters.values())[1:]
    return ", ".join(f"`{one.name}={one.default}`" for one in options)


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for name in games():
        (FOLDER / f"{name}.md").write_text(page(name))


if __name__ == "__main__":
    main()
