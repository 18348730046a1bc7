"""Options of commands, which include the rules of a game: `bidarena match GAME BOT --money 20`."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Callable, Container
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TextIO, TypeVar, get_args, get_origin, get_type_hints

import tyro

from bidarena.envs import games
from bidarena.envs.game import Game
from bidarena.envs.registry import factory, make_game
from bidarena.envs.registry.meanings import read_rule, rule_meanings

T = TypeVar("T")


def parse(command: str, arguments: type[T], argv: list[str]) -> T:
    """Return the options of a command as an instance of the dataclass `arguments`."""
    found: Any = tyro.cli(
        _readable(arguments),
        prog=f"bidarena {command}",
        args=_with_address(argv),
        description=inspect.cleandoc(arguments.__doc__ or ""),
    )
    return arguments(**vars(found))


def _readable(arguments: type[Any]) -> type[Any]:
    """Return the dataclass with help that is wrapped as a whole and does not speak of None.

    The help of an option that may be left out says itself what happens then.
    """
    hints, texts = get_type_hints(arguments, include_extras=True), _field_docstrings(arguments)
    shown: list[tuple[str, Any, Any]] = []
    for field in dataclasses.fields(arguments):
        kind = hints[field.name]
        if any(isinstance(entry, _ARG) for entry in getattr(kind, "__metadata__", ())):
            continue
        metavar, may_be_left_out = _metavar(kind), field.default in (None, ())
        several = metavar is not None and metavar.endswith("...]")
        told: Any = tyro.conf.arg(
            metavar=metavar if several or may_be_left_out else None,
            help=texts.get(field.name),
            help_behavior_hint="" if several or may_be_left_out else None,
        )
        copied = dataclasses.field(default=field.default, default_factory=field.default_factory)
        shown.append((field.name, Annotated[kind, told], copied))
    return dataclasses.make_dataclass(arguments.__name__, shown, bases=(arguments,))


_METAVARS = {"str": "TEXT", "int": "NUMBER", "float": "NUMBER", "Path": "PATH"}
_ARG = type(tyro.conf.arg())


def _metavar(kind: Any) -> str | None:
    """Return what stands for the value of an option, such as TEXT for `str | None`."""
    plain = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    named = [_METAVARS.get(getattr(part, "__name__", "")) for part in (plain, *get_args(plain))]
    found = next(filter(None, named), None)
    return f"[{found} ...]" if found and get_origin(plain) is tuple else found


def _field_docstrings(kind: type[Any]) -> dict[str, str]:
    """Return the docstrings that stand below the fields of a dataclass, each on one line."""
    found: dict[str, str] = {}
    for part in reversed(kind.__mro__[:-1]):
        try:
            source = textwrap.dedent(inspect.getsource(part))
        except (OSError, TypeError):  # a class that was made by a call has no source
            continue
        (definition,) = ast.parse(source).body
        for field, below in pairwise(getattr(definition, "body", [])):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[name] = " ".join(text.split())
    return found


def _with_address(argv: list[str]) -> list[str]:
    """Return the words with an address after each `--ray` that stands without one."""
    words = []
    for word, following in pairwise([*argv, ""]):
        words.append(word)
        if word == "--ray" and not _ADDRESS.fullmatch(following):
            words.append("local")
    return words


# What follows the colon in the name of a bot is not a number.
_ADDRESS = re.compile(r"auto|local|localhost|.*://.*|[^/=]*:\d+|\d+(\.\d+){3}")


Option = tuple[str, Any, Any]  # name, type with its help, default or field


def parse_with_game(
    command: str,
    arguments: type[T],
    argv: list[str],
    *,
    note: Callable[[str], str] | None = None,
    more: Callable[[str], list[Option]] | None = None,
) -> tuple[Game, T]:
    """Return the game that is named first, made from the rules given as options, and the options.

    Args:
        command: the name of the command.
        arguments: a dataclass with the options that the command has for every game.
        argv: the words after the command.
        note: called with the name of the game; returns a paragraph for its help text.
        more: called with the name of the game; returns options that only this game has.
    """
    if not argv or argv[0].startswith("-"):
        asked = bool(set(argv) & {"-h", "--help"})
        _print_usage(command, arguments, sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 2)
    name = argv[0]
    if ":" in name:  # the module of somebody's own game is usually in this folder
        sys.path.insert(0, str(Path.cwd()))
    rules = inspect.signature(factory(name)).parameters
    meanings = rule_meanings(name) if {"-h", "--help"} & set(argv) else {}
    extra: list[Option] = [
        _option(key, str, "VALUE", f"Rule of {name}: {meanings.get(key, key)}.", rule.default)
        for key, rule in rules.items()
    ]
    extra += more(name) if more is not None else []
    both = dataclasses.make_dataclass("Options", extra, bases=(arguments,))
    both.__doc__ = arguments.__doc__
    if note is not None and (paragraph := note(name)):
        text = inspect.cleandoc(arguments.__doc__ or "")
        summary, _, rest = text.partition("\n\n")
        both.__doc__ = f"{summary}\n\n{paragraph}\n\n{rest}"
    found: Any = parse(f"{command} {name}", both, argv[1:])
    return make_game(name, **typed_rules(name, found)), found


def typed_rules(game: str, options: Any) -> dict[str, Any]:
    """Return the rules of a game that were typed, from the options of `parse_with_game`."""
    rules = {rule: getattr(options, rule) for rule in inspect.signature(factory(game)).parameters}
    return {rule: read_rule(text) for rule, text in rules.items() if text is not None}


def _option(name: str, kind: Any, metavar: str | None, text: str, default: Any) -> Option:
    """Return an option that is None unless it is typed; its help tells the true default."""
    hint = f"(default: {default})" if default is not inspect.Parameter.empty else ""
    told: Any = tyro.conf.arg(metavar=metavar, help=text, help_behavior_hint=hint)
    return name, Annotated[kind | None, told], dataclasses.field(default=None)


def options_of(function: Callable[..., Any], known: Container[str]) -> list[Option]:
    """Return the keywords of a function as options, but for those in `known`.

    What the section Args of its docstring says of a keyword becomes the help of the option.
    """
    docstring = inspect.getdoc(function) or ""
    types = get_type_hints(function)
    found: list[Option] = []
    for name, keyword in inspect.signature(function).parameters.items():
        if keyword.kind is keyword.KEYWORD_ONLY and name not in known:
            said = re.search(rf"^ +{name}: ((?:.|\n +)+?)(?=\n +\w+: |\n\n|\Z)", docstring, re.M)
            text = re.sub(r"\s+", " ", said[1]) if said else ""
            default = inspect.Parameter.empty if keyword.default == "" else keyword.default
            kind = types.get(name, type(keyword.default))
            found.append(_option(name, kind, _metavar(kind), text, default))
    return found


def _print_usage(command: str, arguments: type[Any], to: TextIO) -> None:
    what = inspect.cleandoc(arguments.__doc__ or "")
    print(f"usage: bidarena {command} GAME ...\n\n{what}\n", file=to)
    print(f"GAME comes first and is one of {', '.join(games())}.", file=to)
    print(f"`bidarena {command} GAME --help` shows all options, the rules included.", file=to)


def show_json(result: dict[str, Any]) -> None:
    """Print one JSON object on stdout."""
    json.dump(result, sys.stdout, indent=2)
    print()
