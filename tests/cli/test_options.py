"""Options of commands: help without None, text that is wrapped as a whole, rules explained."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import pytest

from bidarena.cli.main import main
from bidarena.cli.options import parse, parse_with_game, typed_rules


@dataclass
class Wishes:
    """What one may wish for."""

    name: str | None = None
    """A name that may be
    left out."""

    others: tuple[str, ...] = ()
    """Other names."""

    count: int = 3
    """How many."""


def shown(capsys, *words):
    with pytest.raises(SystemExit) as stop:
        main([*words, "--help"])
    assert stop.value.code == 0
    return " ".join(capsys.readouterr().out.replace("│", " ").split())


def test_parse__returns_the_dataclass_itself():
    found = parse("wish", Wishes, ["--name", "x", "--others", "a", "b"])
    assert found == Wishes("x", ("a", "b"), 3)
    assert pickle.loads(pickle.dumps(found)) == found


def test_parse__help_says_nothing_of_none(capsys):
    with pytest.raises(SystemExit):
        parse("wish", Wishes, ["--help"])
    out = capsys.readouterr().out
    assert "None" not in out and "(default: )" not in out
    assert "A name that may be left out." in out  # on one line
    assert "(default: 3)" in out


@pytest.mark.parametrize(
    "words",
    [
        *(["list"], ["evaluate"], ["bench"], ["completion"], ["series"]),
        *([command, "raj"] for command in ("play", "match", "tournament", "solve", "exploit")),
        *([command, "raj"] for command in ("train", "serve")),
    ],
)
def test_help__of_every_command_is_free_of_none(capsys, words):
    out = shown(capsys, *words)
    assert f"usage: bidarena {' '.join(words)}" in out and "Example: bidarena" in out
    assert "{None}" not in out and "(default: )" not in out


def test_help__explains_the_rules_of_the_game(capsys):
    out = shown(capsys, "match", "scotch")
    assert "Rule of scotch: where the bottle stands first." in out
    assert "--length VALUE" in out and "(default: 10)" in out


def test_typed_rules__are_those_that_were_typed():
    words = ["raj", "--cards", "1,2,3", "--items", "1,2,3", "--name", "x"]
    game, found = parse_with_game("wish", Wishes, words)
    assert typed_rules("raj", found) == {"cards": [1, 2, 3], "items": [1, 2, 3]}
    assert game.options["cards"] == [1, 2, 3] and found.name == "x"
