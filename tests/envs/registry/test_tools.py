"""The tools that games register: all of ours can be loaded, and generic code finds new ones."""

import inspect
from dataclasses import fields
from unittest import mock

import pytest
from our_games import OUR_GAMES

from bidarena.envs.registry import (
    Bench,
    Progress,
    Tools,
    bot_factory,
    extra_commands,
    find_tool,
    games_with,
    load,
    make_bot,
    make_game,
    register_tools,
    tools,
    tools_of,
)

FUNCTIONS = ("solve", "positions", "hint", "exploit", "measure", "serve", "program", "python_file")
FUNCTIONS += ("view", "exchange", "open_values", "parts")


@pytest.fixture
def unregistered():
    with mock.patch.dict(tools._tools):
        yield


@pytest.mark.parametrize("game", OUR_GAMES)
def test_tools__of_our_games_can_all_be_loaded(game):
    declared = tools_of(game)
    for name in FUNCTIONS:
        assert not getattr(declared, name) or callable(find_tool(game, name)), name
    for path in (declared.bench.solve, declared.bench.figures):
        assert not path or callable(load(path)), path
    assert declared.progress is not None
    assert ":" not in declared.progress.count or callable(load(declared.progress.count))
    make_bot(make_game(game), declared.opponent)
    for bot in (declared.strongest, declared.strongest_search):  # made elsewhere: some take minutes
        name, _, options = bot.partition(":")
        takes = inspect.signature(bot_factory(game, name)).parameters
        assert all(option.partition("=")[0] in takes for option in options.split(",") if option)
    make_game(game, **declared.bench.solve_rules)
    make_game(game, **declared.bench.search_rules)
    for module, _ in declared.commands.values():
        assert callable(load(f"{module}:main"))


def test_tools__that_are_functions_are_all_tested_above():
    texts = {entry.name for entry in fields(Tools) if entry.type == "str"}
    assert texts - set(FUNCTIONS) == {
        *("opponent", "strongest", "strongest_search", "exploit_note", "board")
    }


def test_register_tools__keeps_what_was_registered_before(unregistered):
    register_tools("mine", solve="mine:solve")
    register_tools("mine", opponent="good", progress=Progress("turn"))
    assert tools_of("mine") == Tools(
        solve="mine:solve", opponent="good", progress=Progress("turn"), bench=Bench()
    )
    assert games_with("solve")[-1] == "mine"


def test_register_tools__refuses_a_tool_that_nobody_asks_for(unregistered):
    with pytest.raises(ValueError, match=r"tool='solver'.*solve"):
        register_tools("mine", solver="mine:solve")


def test_find_tool__is_none_for_a_game_without_tools():
    assert find_tool("unheard_of", "solve") is None
    assert tools_of("unheard_of") == Tools()


def test_extra_commands__come_from_games(unregistered):
    assert "series" in extra_commands()
    register_tools("mine", commands={"mine": ("my_module", "what it does")})
    assert extra_commands()["mine"] == ("my_module", "what it does")
