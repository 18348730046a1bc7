"""What `cmd:`, `file:` and `json:` before the name of a bot mean."""

from __future__ import annotations

import shlex
import shutil

from bidarena.baselines.adapters.limits import split_limits
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot


def command(game: Game, text: str) -> Bot:
    """`cmd:./mybot --fast`: a program that is run for every move; Scotch has a protocol for it."""
    what, limits = split_limits(text)
    if game.name != "scotch":
        raise ValueError(
            f"cmd: is the protocol of programs for scotch; a program for {game.name} speaks "
            "lines of JSON: json:COMMAND"
        )
    from bidarena.baselines.adapters.scotch import program_bot

    check_command("cmd", what)
    return program_bot(game, what, limits)


def python_file(game: Game, text: str) -> Bot:
    """`file:bot.py`: calculate_bid for Scotch, a RajAgent for Raj."""
    what, limits = split_limits(text)
    if game.name == "scotch":
        from bidarena.baselines.adapters.scotch import function_bot

        return function_bot(game, what, limits)
    if game.name == "raj":
        from bidarena.baselines.adapters.raj import agent_bot

        return agent_bot(game, what, limits)
    raise ValueError(
        f"file: takes calculate_bid for scotch and RajAgent for raj; a program for {game.name} "
        "speaks lines of JSON: json:python bot.py"
    )


def lines(game: Game, text: str) -> Bot:
    """`json:./mybot`: a program that speaks lines of JSON, for any game."""
    from bidarena.baselines.adapters.lines import lines_bot

    what, limits = split_limits(text)
    check_command("json", what)
    return lines_bot(game, what, limits)


def check_command(prefix: str, text: str) -> None:
    """Refuse a command whose program is not there."""
    try:
        words = shlex.split(text)
    except ValueError as wrong:
        raise ValueError(f"{text!r}: {wrong}") from None
    if not words:
        raise ValueError(f"expected a command, as in {prefix}:./mybot")
    if shutil.which(words[0]) is None:
        raise ValueError(f"{words[0]!r}: there is no such program that can be run")
