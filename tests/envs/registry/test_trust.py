"""Names from files: registered ones are used, those that start or import anything are refused."""

import sys

import pytest
import toy_nim  # noqa: F401

from bidarena.envs import make_game
from bidarena.envs.registry import make_bot
from bidarena.envs.registry.bot_names import starts_something
from bidarena.envs.registry.trust import names_from_file

SPECS = [
    "cmd:echo 1",
    "json:echo 1",
    "text:echo 1",
    "http://localhost:1",
    "best_response:of=cmd:echo 1",
]


@pytest.mark.parametrize("spec", SPECS)
def test_names_from_file__start_no_program_and_call_no_address(spec):
    game = make_game("twentynine" if spec.startswith("http") else "scotch", **{})
    assert starts_something(spec)
    with names_from_file("games.json"), pytest.raises(ValueError, match=r"games.json.*--trust"):
        make_bot(game, spec)


def test_names_from_file__import_no_module(tmp_path, monkeypatch):
    (tmp_path / "hostile_game.py").write_text("raise SystemExit('ran')")
    monkeypatch.syspath_prepend(tmp_path)
    with names_from_file("games.json"), pytest.raises(ValueError, match="imports the module"):
        make_game("hostile_game:scotch")
    assert "hostile_game" not in sys.modules
    with names_from_file("games.json", trust=True), pytest.raises(SystemExit, match="ran"):
        make_game("hostile_game:scotch")


def test_names_from_file__registered_names_and_imported_modules_are_used():
    with names_from_file("games.json"):
        assert make_bot(make_game("scotch"), "uniform:high=30").name == "uniform"
        assert make_game("toy_nim:toy_nim").name == "toy_nim"
    assert not starts_something("ismcts:iterations=50") and not starts_something("runs/file")


def test_names_from_file__afterwards_names_are_typed_ones_again():
    with names_from_file("games.json"):
        pass
    assert make_bot(make_game("scotch"), "cmd:echo 1") is not None
