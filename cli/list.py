"""`bidarena list`: games, their environments, their rules, their bots, and the strongest bots."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bidarena.cli.options import parse, show_json
from bidarena.envs import beliefs, bots, games
from bidarena.envs.arguments import unknown
from bidarena.envs.registry import bot_factory, env_id, factory, make_game, tools_of
from bidarena.envs.registry.meanings import own_environment, rule_meanings


@dataclass
class Arguments:
    """List all games with their environments and bots, or one game with its rules and bots.

    Example: bidarena list scotch
    """

    game: Annotated[
        tyro.conf.Positional[str | None],
        tyro.conf.arg(metavar="[GAME]", help_behavior_hint=""),
    ] = None
    """The game to show in detail. Without it all games are listed."""

    json: bool = False
    """Print one JSON object instead of a table."""


def main(argv: list[str]) -> None:
    """Run the command."""
    args = parse("list", Arguments, argv)
    if args.game is not None and args.game not in games():
        raise unknown("game", args.game, games())
    rows = [describe_game(name) for name in ([args.game] if args.game else games())]
    if args.json:
        show_json({"games": rows})
        return
    console = Console()
    if args.game:
        _show_one(console, rows[0])
    else:
        _show_all(console, rows)


def first_line(thing: Any) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def describe_game(name: str) -> dict[str, Any]:
    """Return all that is known of a game without playing it, as plain values for JSON."""
    game, make = make_game(name), factory(name)
    meanings, tools = rule_meanings(name), tools_of(name)
    return {
        "game": name,
        "about": first_line(own_environment(name) or make),
        "environment": env_id(name),
        "players": game.players,
        "sides": len(set(game.teams)),
        "actions": game.actions,
        "observation": game.observation_size,
        "rules": {
            rule: {"default": parameter.default, "about": meanings.get(rule, "")}
            for rule, parameter in inspect.signature(make).parameters.items()
        },
        "bots": {bot: describe_bot(bot_factory(name, bot)) for bot in bots(name)},
        "strongest": {
            "without_search": tools.strongest or None,
            "with_search": tools.strongest_search or None,
        },
        "beliefs": beliefs(name),
    }


def describe_bot(make: Callable[..., Any]) -> dict[str, Any]:
    """Return the first line of a bot's docstring, and its options with their defaults."""
    options = list(inspect.signature(make).parameters.items())[1:]
    return {
        "about": first_line(make),
        "options": {
            name: None if option.default is option.empty else option.default
            for name, option in options
            if option.kind not in (option.VAR_KEYWORD, option.VAR_POSITIONAL)
        },
    }


def _strongest(row: dict[str, Any]) -> list[str]:
    """Return which bots of a game are the strongest, a line each; no line for what is not known."""
    told = (
        ("strongest without search", row["strongest"]["without_search"]),
        ("strongest with a search or an exact solution", row["strongest"]["with_search"]),
    )
    return [f"{what}: {bot}" for what, bot in told if bot]


def _show_all(console: Console, rows: list[dict[str, Any]]) -> None:
    table = Table(show_lines=True)
    table.add_column("game and environment", no_wrap=True)
    table.add_column("bots")
    for row in rows:
        facts = f"{row['players']} players, {row['actions']} actions"
        observed = f"observation of {row['observation']} numbers"
        table.add_row(
            f"{row['game']}\n{row['environment']}\n{facts}\n{observed}",
            Text("\n".join([row["about"], ", ".join(row["bots"]), *_strongest(row)])),
        )
    console.print(table)
    console.print("`bidarena list GAME` shows the rules and bots of one game.")


def _show_one(console: Console, row: dict[str, Any]) -> None:
    sides = f" on {row['sides']} sides" if row["sides"] < row["players"] else ""
    console.print(Text(f"{row['game']}: {row['about']}"))
    console.print(
        f"{row['environment']}, {row['players']} players{sides}, {row['actions']} actions, "
        f"observation of {row['observation']} numbers"
    )
    table = Table("rule", "default", "meaning", title="rules", title_justify="left")
    for rule, told in row["rules"].items():
        table.add_row(
            f"--{rule.replace('_', '-')}", Text(str(told["default"])), Text(told["about"])
        )
    console.print(table)
    table = Table("bot", "what it does", "options", title="bots", title_justify="left")
    for bot, told in row["bots"].items():
        options = ", ".join(f"{option}={value}" for option, value in told["options"].items())
        table.add_row(bot, Text(told["about"]), Text(options))
    console.print(table)
    for line in _strongest(row):
        console.print(Text(line))
    if row["beliefs"]:
        console.print(f"beliefs for searches: {', '.join(row['beliefs'])}")
