"""`bidarena play` without a terminal: lines from a pipe, plain text, records, and no peeking."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from bidarena.cli.main import main
from bidarena.cli.play.screen import Screen
from bidarena.envs import make_game
from bidarena.envs.phrases import mover_of, seat_names
from bidarena.envs.rng import seeded
from bidarena.evaluate.hint import hint
from bidarena.evaluate.session import Session

PROGRAM = [sys.executable, "-m", "bidarena.cli.main", "play"]


def piped(*words, typed="", cwd):
    """What the program says to lines from a pipe."""
    command = [*PROGRAM, *words]
    return subprocess.run(
        command, input=typed.encode(), capture_output=True, cwd=cwd, timeout=200, check=False
    )


def test_play_pipe__reads_lines_and_prints_plain_text(tmp_path):
    run = piped("scotch", "--money", "9", "--seed", "3", typed="hello\n3\n", cwd=tmp_path)
    out = run.stdout.decode()
    assert run.returncode == 0
    assert "\x1b" not in out
    assert "your move> hello\n  'hello' is no bid" in out
    assert "your move> 3\n» round 1: you bid 3" in out
    assert "to go on: bidarena play scotch --load bidarena-scotch-3.json" in out  # at the end
    assert max(map(len, out.splitlines())) <= 80


def test_play_pipe__a_whole_game_ends_without_asking_for_another(tmp_path):
    run = piped("raj", "--vs", "value", "--seed", "3", typed="1\n2\n3\n4\n5\n6\n", cwd=tmp_path)
    out = run.stdout.decode()
    assert run.returncode == 0
    assert "6 rounds played" in out and "seats changed" not in out
    assert list(tmp_path.iterdir()) == []


def test_play_pipe__bytes_that_are_no_text_are_wrong_input(tmp_path):
    run = subprocess.run(
        [*PROGRAM, "raj", "--seed", "1", "--vs", "value"],
        input=b"\xff\xfe\x00\n1\n",
        capture_output=True,
        cwd=tmp_path,
        timeout=200,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert run.returncode == 0, run.stderr
    assert b"is no card" in run.stdout and b"you bid 1" in run.stdout


def test_play_pipe__json_is_the_record_and_nothing_else(tmp_path):
    run = piped("raj", "--watch", "value", "random", "--seed", "3", "--json", cwd=tmp_path)
    record = json.loads(run.stdout)
    assert record["returns"] is not None and len(record["actions"]) == 12
    assert record["seats"] == ["value", "random"]
    run = piped("raj", "--vs", "value", "--seed", "3", "--json", typed="2\n", cwd=tmp_path)
    record = json.loads(run.stdout)
    assert record["seats"] == ["person", "value"] and record["returns"] is None
    assert record["words"][0] == "card 2"
    assert b"your move> 2" in run.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("scotch", "--seat", "2"), "seat='2': expected 0 to 1, or random"),
        (("scotch", "--seat", "x"), "seat='x'"),
        (("scotch", "--vs", "dpp"), "did you mean 'dp'"),
        (("scotch", "--partner", "dp"), "scotch has no partners"),
        (("scotch", "--watch", "dp"), "2 seats"),
        (("twentynine", "--watch", "rules", "rules", "rules"), "4 seats on 2 sides"),
        (("scotch", "--watch", "dp", "dp", "--vs", "dp"), "vs: cannot be given with watch"),
        (("scotch", "--load", "missing.json"), "No such file"),
        (("--load", "missing.json"), "No such file"),
        (("scotch", "--delay", "-1"), "delay=-1"),
        (("scotch", "--seed", "-1"), "seed=-1"),
        (("scotch", "--money", "0"), "money"),
    ],
)
def test_play__mistakes_on_the_command_line_are_named(
    capsys, monkeypatch, tmp_path, words, message
):

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(["play", *words]) == 2
    said = capsys.readouterr()
    assert message in said.err and said.out == ""


def test_play__a_file_of_another_game_or_other_rules_is_refused(capsys, monkeypatch, tmp_path):

    monkeypatch.setattr("sys.stdin", io.StringIO())
    path = tmp_path / "game.json"
    Session(make_game("scotch", money=9), [None, "random"], 1).save(path)
    for words, message in (
        (["raj", "--load", str(path)], "a game of 'scotch', not of 'raj'"),
        (["scotch", "--money", "8", "--load", str(path)], "saved with other rules"),
        (["scotch", "--load", str(path), "--vs", "dp"], "vs: cannot be given with load"),
    ):
        assert main(["play", *words]) == 2
        assert message in capsys.readouterr().err
    assert main(["play", "scotch", "--money", "9", "--load", str(path)]) == 0


def test_play__a_game_without_words_and_drawing_is_played_by_numbers(tmp_path):
    toy = str(Path(__file__).parents[2] / "support")
    run = subprocess.run(
        [*PROGRAM, "toy_nim:toy_nim", "--vs", "random", "--seed", "1"],
        input=b"moves\nfoo\n99\n1\n",
        capture_output=True,
        cwd=tmp_path,
        timeout=200,
        check=False,
        env={**os.environ, "PYTHONPATH": toy},
    )
    out = run.stdout.decode()
    assert run.returncode == 0, run.stderr
    assert "1 action 1 " in out and "'foo' is no move" in out and "out of range" in out
    assert "you took action 1" in out
    assert "to go on: bidarena play toy_nim:toy_nim --load" in out


# --- no peeking ----------------------------------------------------------------------------------


def screen_of(session, seat, spec):
    """Everything that a person in `seat` can get to see now."""
    written = io.StringIO()
    console = Console(file=written, width=80, color_system=None)
    screen = Screen(console, session, seat, seat, seat_names(session.game, seat))
    screen.board()
    screen.offer()
    screen.moves()
    screen.log()
    screen.told = 1
    screen.news()
    found = hint(session.game, session.state.copy(), spec)
    for advice in found.moves:
        console.print(advice)
    return written.getvalue()


@pytest.mark.parametrize(
    ("name", "rules", "bots", "spec"),
    [
        ("scotch", {"money": 12, "length": 6}, ["random", None], None),
        ("richman", {"money": 9}, ["random", None], "ismcts:iterations=100"),
        ("raj", {"players": 3}, ["random", "random", None], "ismcts:iterations=100"),
        ("twentynine", {}, ["rules", "random", None, "random"], "ismcts:iterations=50"),
        (
            "twentynine",
            {"marriage": True, "single_hand": True, "seventh_card": True},
            ["random", "random", "random", None],
            "ismcts:iterations=100",
        ),
    ],
)
def test_play__the_screen_never_shows_what_the_seat_cannot_know(name, rules, bots, spec):
    game = make_game(name, **rules)
    seat = bots.index(None)
    guess, blur = seeded(np.random.default_rng(7), 2), game.call("determinize")
    compared = differing = 0
    for seed in range(6):
        session, twin = Session(game, bots, seed), Session(game, bots, seed)
        choose = np.random.default_rng(seed)
        while not session.over:
            if session.bot_to_move():
                session.ask()
                continue
            twin.points = []
            for point in session.points:
                state = point.state.copy()
                blur(game.cfg, state, seat, guess)
                differing += state.tolist() != point.state.tolist()
                twin.points.append(point._replace(state=state))
            assert screen_of(twin, seat, spec) == screen_of(session, seat, spec)
            assert mover_of(game, twin.state) == seat
            compared += 1
            session.play(int(choose.choice(session.legal())))
    assert compared > 8 and differing > 10


def test_play__a_saved_game_of_somebody_else_runs_nothing(tmp_path, capsys, monkeypatch):
    (tmp_path / "hostile_module.py").write_text("open('ran', 'w')")
    monkeypatch.chdir(tmp_path)
    record = Session(make_game("scotch"), [None, "dp"], 1).record()
    for part in ({"game": "hostile_module:scotch"}, {"seats": ["cmd:touch ran", "person"]}):
        (tmp_path / "game.json").write_text(json.dumps(record | part))
        assert main(["play", "--load", "game.json"]) == 2
        assert "--trust" in capsys.readouterr().err
        assert not (tmp_path / "ran").exists()
    (tmp_path / "game.json").write_text(json.dumps({"format": "bidarena/game", "version": 1}))
    assert main(["play", "--load", "game.json"]) == 2
    assert "it lacks game" in capsys.readouterr().err
