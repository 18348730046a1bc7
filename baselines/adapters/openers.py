"""Make bots from text that begins with `cmd:`, `file:`, `json:` or `text:`.

`make_bot` finds these functions by that prefix, see `register_opener`. They get the text after it,
which may end in limits (limits.py).
"""

from __future__ import annotations

import shlex
import shutil
from typing import Any

from bidarena.baselines.adapters.limits import split_limits
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot, find_tool, games_with


def command(game: Game, text: str) -> Bot:
    """Return the bot of `cmd:./mybot --fast`: a program that is run by the game's own protocol."""
    what, limits = split_limits(text)
    open_program = _find_tool(
        game, "program", "cmd: is the protocol of programs for", "json:COMMAND"
    )
    check_command("cmd", what)
    bot: Bot = open_program(game, what, limits)
    return bot


def python_file(game: Game, text: str) -> Bot:
    """Return the bot of `file:bot.py`: a Python file as the game's own protocol wants it."""
    what, limits = split_limits(text)
    open_file = _find_tool(
        game, "python_file", "file: takes Python files for", "json:python bot.py"
    )
    bot: Bot = open_file(game, what, limits)
    return bot


def lines(game: Game, text: str) -> Bot:
    """Return the bot of `json:./mybot`: a program that speaks lines of JSON, for any game."""
    from bidarena.baselines.adapters.lines.bot import lines_bot

    what, limits = split_limits(text)
    check_command("json", what)
    return lines_bot(game, what, limits)


def words(game: Game, text: str) -> Bot:
    """Return the bot of `text:./mybot`: a program that is told positions in words, for any game."""
    from bidarena.baselines.adapters.lines.words import words_bot

    what, limits = split_limits(text)
    check_command("text", what)
    return words_bot(game, what, limits)


def _find_tool(game: Game, name: str, refusal: str, instead: str) -> Any:
    """Return a tool of the game; ValueError if it has none, with the games that have one."""
    tool = find_tool(game.name, name)
    if tool is None:
        known = ", ".join(games_with(name))
        raise ValueError(
            f"{refusal} {known}; a program for {game.name} speaks lines of JSON: {instead}"
        )
    return tool


def check_command(prefix: str, text: str) -> None:
    """Raise ValueError unless the command names a program that exists."""
    try:
        words = shlex.split(text)
    except ValueError as wrong:
        raise ValueError(f"{text!r}: {wrong}") from None
    if not words:
        raise ValueError(f"expected a command, as in {prefix}:./mybot")
    if shutil.which(words[0]) is None:
        raise ValueError(f"{words[0]!r}: there is no such program that can be run")
