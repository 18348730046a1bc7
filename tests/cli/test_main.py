"""The command line: tables, JSON, errors that help."""

import pytest

from bidarena.cli.main import commands, main


def run(capsys, *words):
    code = main(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


def test_cli__overview_names_all_commands(capsys):
    code, out, _ = run(capsys)
    assert code == 0
    assert {"list", "play", "match", "tournament", "study", "bench"} <= set(commands())
    for command in commands():
        assert f"\n  {command} " in out


@pytest.mark.parametrize("command", commands())
def test_cli__every_command_explains_itself_with_an_example(capsys, command):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"Example: bidarena {command}" in capsys.readouterr().out


def test_cli__unknown_command_suggests_the_nearest(capsys):
    code, _, err = run(capsys, "mach")
    assert code == 2
    assert "did you mean 'match'" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("match", "scotsh", "dp", "random"), "did you mean 'scotch'"),
        (("match", "scotch", "dp", "unifrom"), "did you mean 'uniform'"),
        (("match", "scotch", "dp"), "2 players"),
        (("match", "scotch", "dp", "random", "--money", "-5"), "money"),
        (("match", "scotch", "dp", "random", "--games", "0"), "games"),
        (("match", "scotch", "dp", "random:x=1"), "no option 'x'"),
        (("tournament", "scotch", "dp"), "at least two"),
        (("bench", "scotch", "--seconds", "0"), "seconds"),
    ],
)
def test_cli__mistakes_are_named(capsys, words, message):
    code, out, err = run(capsys, *words)
    assert code == 2
    assert message in err
    assert out == ""


def test_cli__options_before_the_game_are_explained_on_stderr(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["match", "--json", "raj", "random", "random"])
    assert stop.value.code == 2
    said = capsys.readouterr()
    assert said.out == "" and "GAME comes first" in said.err


def test_cli__a_module_that_does_not_exist_is_named(capsys):
    code, _, err = run(capsys, "match", "nosuch:game", "a", "b")
    assert code == 2
    assert "no module 'nosuch'" in err
