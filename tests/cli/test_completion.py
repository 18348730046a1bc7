"""Completion of words: a real bash sources the script and completes with it."""

import json
import shutil
import subprocess

import pytest

from bidarena.cli.completion import SHELLS, known_words
from bidarena.cli.main import commands, main
from bidarena.envs import bots, games

COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_bidarena
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The script for bash, in a file."""
    from bidarena.cli.completion import bash

    path = tmp_path_factory.mktemp("completion") / "bidarena.bash"
    path.write_text(bash())
    return path


def complete(script, *words):
    run = subprocess.run(
        ["bash", "-c", COMPLETE, "bash", str(script), "bidarena", *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert run.stderr == ""
    return [word for word in run.stdout.split("\n") if word]


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@needs_bash
def test_completion__bash_completes_commands_games_bots_and_options(script):
    assert complete(script, "pl") == ["play"]
    assert set(complete(script, "")) == {*commands(), "--help", "--version"}
    assert complete(script, "play", "sc") == ["scotch"]
    assert set(complete(script, "match", "raj", "m")) == {"mcts", "minimax", "mom"}
    assert complete(script, "exploit", "raj", "minim") == ["minimax"]
    assert complete(script, "play", "scotch", "--mo") == ["--money"]
    assert complete(script, "play", "raj", "--mo") == []
    assert set(complete(script, "play", "coins", "--vs", "")) == set(bots("coins"))
    assert complete(script, "play", "scotch", "--no") == ["--no-color"]
    assert complete(script, "play", "scotch", "--load", "") == []  # left to files
    assert complete(script, "study", "twenty") == ["twentynine-search"]
    assert complete(script, "study", "twentynine-search", "--js") == ["--json"]
    assert complete(script, "bench", "raj", "co") == ["coins"]
    assert complete(script, "completion", "z") == ["zsh"]
    assert complete(script, "solve", "coins", "dp") == []  # takes no bots


@needs_bash
def test_completion__bash_binds_the_function_to_the_command(script):
    run = subprocess.run(
        ["bash", "-c", 'source "$1"; complete -p bidarena', "bash", str(script)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert run.stdout.split() == ["complete", "-o", "default", "-F", "_bidarena", "bidarena"]


def test_completion__every_offered_option_is_one_that_the_command_has(capsys):
    for command, known in known_words().items():
        if "raj" not in known.then:  # it takes no game, or names several
            continue
        with pytest.raises(SystemExit):
            main([command, "raj", "--help"])
        help_text = capsys.readouterr().out
        for option in known.then["raj"]:
            assert option in help_text, (command, option)


@pytest.mark.parametrize("shell", SHELLS)
def test_completion__scripts_of_all_shells_know_all_words(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in (*commands(), *games(), *bots("twentynine"), "--know-opponent-money", "--hints"):
        assert word in script
    assert main(["completion", shell, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"shell": shell, "script": script}
