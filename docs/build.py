"""Writes the pages of the games, docs/games/NAME.md, from the docstrings of their environments.

A game that has no picture yet, docs/images/NAME.png, gets one, and docs/images/games.png shows all
of them together. Delete a file to draw it anew.

python docs/build.py
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from bidarena.envs import bots, games
from bidarena.envs.registry import bot_factory, env_id, load

FOLDER = Path(__file__).parent / "games"
IMAGES = Path(__file__).parent / "images"
SEARCHES = "bidarena.baselines.search"  # their bots play every game and share their options


def page(name: str) -> str:
    """Return the page of a game: a picture, the docstring of its environment, its bots."""
    entry = gym.spec(env_id(name)).entry_point
    lines = inspect.cleandoc(load(str(entry)).__doc__).splitlines()
    summary, rest = lines[0], "\n".join(lines[1:]).strip()
    factories = {bot: bot_factory(name, bot) for bot in bots(name)}
    searches = [bot for bot, made in factories.items() if made.__module__.startswith(SEARCHES)]
    rows = [
        f"| `{bot}` | {_first_sentence(made)} | {_options(made)} |"
        for bot, made in factories.items()
        if bot not in searches
    ]
    parts = [
        f"# `{env_id(name)}`",
        summary,
        f"![{name}](../images/{name}.png)",
        rest,
        "## Bots",
        "\n".join(["| bot | what it does | options |", "|---|---|---|", *rows]),
        f"The searches {', '.join(f'`{bot}`' for bot in searches)} share their options: see "
        "[the search family](../adding_a_bot.md#the-search-family).",
        f"`bidarena play {name}` plays against one of the bots, `bidarena match` and `bidarena "
        "tournament` let them play each other.",
    ]
    return "\n\n".join(parts) + "\n"


def _first_sentence(factory: Any) -> str:
    """Return the first paragraph of the docstring as a cell of a table."""
    text = inspect.getdoc(factory) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def _options(factory: Any) -> str:
    """Return the options of a bot with their defaults; the first parameter is the game."""
    options = list(inspect.signature(factory).parameters.values())[1:]
    return ", ".join(f"`{one.name}={one.default}`" for one in options)


def draw(name: str, path: Path) -> None:
    """Write a picture of a game, as player 0 sees it after three random moves."""
    from PIL import Image

    env = gym.make(env_id(name), render_mode="rgb_array", seat=0)
    luck = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    for _ in range(3):
        _, _, terminated, truncated, info = env.step(
            int(luck.choice(np.flatnonzero(info["action_mask"])))
        )
        assert not (terminated or truncated), f"{name}: three random moves have ended the game"
    Image.fromarray(env.render()).save(path, optimize=True)


def draw_all_together(path: Path) -> None:
    """Write one picture with those of all games, three in the first row, then two to a row."""
    from PIL import Image

    width, gap = 1440, 16
    pictures = [Image.open(IMAGES / f"{name}.png").convert("RGB") for name in games()]
    rows = [pictures[:3], *(pictures[k : k + 2] for k in range(3, len(pictures), 2))]
    scaled = []
    for row in rows:
        each = (width - gap * (len(row) + 1)) // len(row)
        scaled.append([one.resize((each, one.height * each // one.width)) for one in row])
    heights = [max(one.height for one in row) for row in scaled]
    whole = Image.new("RGB", (width, sum(heights) + gap * (len(rows) + 1)), "#f4f1ea")
    top = gap
    for row, height in zip(scaled, heights, strict=True):
        left = gap
        for one in row:
            whole.paste(one, (left, top + (height - one.height) // 2))
            left += one.width + gap
        top += height + gap
    whole.quantize(128).save(path, optimize=True)  # flat colours: a third of the size


def main() -> None:
    """Write all pages, and the pictures that are missing."""
    FOLDER.mkdir(exist_ok=True)
    for name in games():
        (FOLDER / f"{name}.md").write_text(page(name))
        image = IMAGES / f"{name}.png"
        if not image.exists():
            draw(name, image)
    together = IMAGES / "games.png"
    if not together.exists():
        draw_all_together(together)


if __name__ == "__main__":
    main()
