"""Command lines whose options include the rules of a game: `match scotch dp uniform --money 20`."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TextIO, TypeVar

import tyro
from rich.console import Console

from bidarena.envs import games
from bidarena.envs.game import Game
from bidarena.envs.registry import factory, make_game

T = TypeVar("T")


def parse(command: str, arguments: type[T], argv: list[str]) -> T:
    """Options of a command that takes no game; `arguments` is a dataclass."""
    words = _with_address(argv)
    return tyro.cli(
        arguments, prog=f"bidarena {command}", args=words, description=arguments.__doc__
    )


def _with_address(argv: list[str]) -> list[str]:
    """`--ray` may stand without an address: the next word is one only if it looks like one."""
    words = []
    for word, following in pairwise([*argv, ""]):
        words.append(word)
        if word == "--ray" and not _ADDRESS.fullmatch(following):
            words.append("local")
    return words


# Bots look different: what follows their colon is no number.
_ADDRESS = re.compile(r"auto|local|localhost|.*://.*|[^/=]*:\d+|\d+(\.\d+){3}")


def parse_with_game(command: str, arguments: type[T], argv: list[str]) -> tuple[Game, T]:
    """The game named first, made from the rules among the options, and the other options."""
    if not argv or argv[0].startswith("-"):
        asked = bool(set(argv) & {"-h", "--help"})
        _print_usage(command, arguments, sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 2)
    name = argv[0]
    if ":" in name:  # a game of one's own, whose module is usually in this folder
        sys.path.insert(0, str(Path.cwd()))
    rules = inspect.signature(factory(name)).parameters
    extra = [
        (
            key,
            Annotated[
                str | None,
                tyro.conf.arg(metavar="VALUE", help=f"rule of {name}, by default {rule.default!r}"),
            ],
            dataclasses.field(default=None),
        )
        for key, rule in rules.items()
    ]
    both = dataclasses.make_dataclass("Options", extra, bases=(arguments,))
    both.__doc__ = arguments.__doc__
    found: Any = parse(f"{command} {name}", both, argv[1:])
    given = {key: getattr(found, key) for key in rules if getattr(found, key) is not None}
    game = make_game(name, **{key: _value(text) for key, text in given.items()})
    return game, found


def _print_usage(command: str, arguments: type[Any], to: TextIO) -> None:
    what = inspect.cleandoc(arguments.__doc__ or "")
    print(f"usage: bidarena {command} GAME ...\n\n{what}\n", file=to)
    print(f"GAME comes first and is one of {', '.join(games())}.", file=to)
    print(f"`bidarena {command} GAME --help` shows all options, the rules included.", file=to)


def _value(text: str) -> Any:
    """A rule as typed: JSON, numbers separated by commas, or a word."""
    for attempt in (text, f"[{text}]", text.lower()):
        try:
            return json.loads(attempt)
        except ValueError:
            continue
    return text


def show_json(result: dict[str, Any]) -> None:
    """One JSON object on stdout, nothing else."""
    json.dump(result, sys.stdout, indent=2)
    print()


@contextmanager
def progress_bar(total: int, what: str) -> Iterator[Any]:
    """A progress bar on stderr; yields the function that moves it on."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda count: progress.advance(task, count)
