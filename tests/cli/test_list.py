"""`bidarena list`: everything that is known of games and bots, complete and from one place."""

import inspect
import json
from unittest import mock

import pytest
from our_games import OUR_GAMES

from bidarena.cli.main import main
from bidarena.envs import bots, games, make_game
from bidarena.envs.registry import Tools, bot_factory, factory, tools


def listed(capsys, *words):
    assert main(["list", *words, "--json"]) == 0
    return {row["game"]: row for row in json.loads(capsys.readouterr().out)["games"]}


def test_list__names_games_environments_and_bots(capsys):
    found = listed(capsys)
    assert found["scotch"]["environment"] == "bidarena/Scotch-v0"
    assert {"dp", "random", "richman", "uniform"} <= set(found["scotch"]["bots"])


def test_list__has_every_game_with_its_rules_and_bots(capsys):
    found = listed(capsys)
    assert list(found) == games()  # also those of other tests
    for name in OUR_GAMES:
        row = found[name]
        assert row["about"].endswith(".")
        assert list(row["bots"]) == bots(name)
        assert list(row["rules"]) == list(inspect.signature(factory(name)).parameters)
        assert all(bot["about"].endswith(".") for bot in row["bots"].values()), name
        defaults = {rule: told["default"] for rule, told in row["rules"].items()}
        assert make_game(name, **defaults).key == make_game(name).key
        about = [told["about"] for told in row["rules"].values()]
        assert all(about) and len(set(about)) == len(about), name  # each rule its own


def test_list__options_of_bots_are_those_they_take(capsys):
    found = listed(capsys, "scotch")
    assert list(found) == ["scotch"]
    uniform = found["scotch"]["bots"]["uniform"]
    assert uniform["options"]["high"] == 20
    for bot, told in found["scotch"]["bots"].items():
        takes = list(inspect.signature(bot_factory("scotch", bot)).parameters)[1:]
        assert list(told["options"]) == takes


@pytest.mark.parametrize("game", games())
def test_list__shows_one_game_in_detail(capsys, game):
    assert main(["list", game]) == 0
    shown = capsys.readouterr().out
    for rule in inspect.signature(factory(game)).parameters:
        assert f"--{rule.replace('_', '-')}" in shown
    for bot in bots(game):
        assert bot in shown


def test_list__says_which_bots_are_the_strongest(capsys):
    found = listed(capsys)
    assert found["raj"]["strongest"] == {"without_search": "learned", "with_search": "exact"}
    assert found["coins"]["strongest"]["with_search"] == "exact:memory=8"
    for name in OUR_GAMES:
        assert all(found[name]["strongest"].values()), name
    for words in (["list"], ["list", "twentynine"]):
        assert main(words) == 0
        shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
        assert "strongest without search: learned" in shown
        assert "strongest with a search or an exact solution: pimc:" in shown


def test_list__the_strongest_bots_are_those_that_a_game_registers(capsys):
    with mock.patch.dict(tools._tools, {"raj": Tools(strongest="value")}):
        assert listed(capsys, "raj")["raj"]["strongest"] == {
            "without_search": "value",
            "with_search": None,
        }
        assert main(["list", "raj"]) == 0
        shown = capsys.readouterr().out
    assert "strongest without search: value" in shown
    assert "strongest with" not in shown.replace("strongest without", "")


def test_list__an_unknown_game_is_named(capsys):
    assert main(["list", "scotsh"]) == 2
    assert "did you mean 'scotch'" in capsys.readouterr().err
