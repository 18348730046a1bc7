"""Matches with slow bots: progress is seen, records are written on the way, Ctrl-C loses little."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
import toy_nim  # noqa: F401
from troublemakers import lowest

from bidarena.cli.main import main
from bidarena.evaluate.match import play, play_match
from bidarena.evaluate.match.record import read_records, replay
from bidarena.evaluate.workers.pace import Pace

SLEEPS = """
import time
def calculate_bid(player, pos, first, second):
    time.sleep({seconds})
    return 1
"""
RULES = ("--length", "2", "--money", "4")


def slow(observation, mask):
    time.sleep(0.02)
    return lowest(observation, mask)


def test_match__games_of_slow_bots_end_one_after_another():
    told = []
    play_match("toy_nim", [slow, lowest], 60, progress=lambda count: told.append(time.monotonic()))
    assert len(told) > 2 and told[0] < told[-1] - 0.5


def test_match__pieces_make_no_difference(monkeypatch):
    pieces = play_match("scotch", ["random", "uniform"], 300, seed=7)
    monkeypatch.setattr(play, "Pace", lambda: Pace(first=4096))
    whole = play_match("scotch", ["random", "uniform"], 300, seed=7)
    assert (pieces.results == whole.results).all() and pieces.asked == whole.asked
    monkeypatch.setattr(play, "_cut", lambda jobs, pace: jobs)
    uncut = play_match("scotch", ["random", "uniform"], 300, seed=7)
    assert (uncut.results == whole.results).all()


def interrupting(after):
    calls = []

    def policy(observation, mask):
        calls.append(1)
        time.sleep(0.01)
        if len(calls) == after:
            raise KeyboardInterrupt
        return lowest(observation, mask)

    return policy


def test_match__keeps_what_was_played_before_ctrl_c(tmp_path):
    path = tmp_path / "games.jsonl"
    match = play_match(
        "toy_nim", [interrupting(100), lowest], 4000, record=path, keep_on_interrupt=True, heap=6
    )
    assert 0 < match.games < match.wanted == 4000
    records = list(read_records(path))
    assert len(records) == match.games == match.scores[0].games
    for record in records:
        list(replay(record))
    with pytest.raises(KeyboardInterrupt):
        play_match("toy_nim", [interrupting(100), lowest], 4000, heap=6)
    with pytest.raises(KeyboardInterrupt):
        play_match("toy_nim", [interrupting(1), lowest], 40, keep_on_interrupt=True)


def test_record__is_written_as_games_end(tmp_path):
    seen = []

    def progress(count):
        seen.extend(file.stat().st_size for file in tmp_path.glob("*.part"))

    play_match("toy_nim", [slow, lowest], 40, record=tmp_path / "games.jsonl", progress=progress)
    assert any(size > 0 for size in seen)
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]


@pytest.mark.skipif(sys.platform != "linux", reason="programs are run on Linux")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_cli_match__a_stop_signal_prints_what_was_played(tmp_path, sent, code):
    (tmp_path / "bot.py").write_text(SLEEPS.format(seconds=0.05))
    command = [sys.executable, "-m", "bidarena.cli.main", "match", "scotch"]
    command += [f"file:{tmp_path / 'bot.py'}", "random", "--games", "4000", *RULES]
    command += ["--json", "--record", str(tmp_path / "games.jsonl")]
    started = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A background job of a shell ignores SIGINT, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    try:
        until = time.monotonic() + 120
        while not any(file.stat().st_size for file in tmp_path.glob("*.part")):
            assert time.monotonic() < until and started.poll() is None, started.communicate()
            time.sleep(0.05)
        os.kill(started.pid, sent)
        out, err = started.communicate(timeout=60)
    finally:
        started.kill()
    told = json.loads(out)
    assert started.returncode == code and 0 < told["games"] < 4000
    assert f"stopped after {told['games']} of 4000 games" in err.decode()
    assert len(list(read_records(tmp_path / "games.jsonl"))) == told["games"]


@pytest.mark.skipif(sys.platform != "linux", reason="programs are run on Linux")
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("print 7", "this is Python 2; convert it (2to3), or run it by cmd: with a Python 2"),
        ("import nothing_like_it", "could not be loaded: ModuleNotFoundError"),
    ],
)
def test_match__a_bot_that_cannot_be_loaded_stops_it(tmp_path, capsys, code, words):
    (tmp_path / "bot.py").write_text(code)
    bot = f"file:{tmp_path / 'bot.py'}"
    assert main(["match", "scotch", bot, "random", "--games", "4"]) == 2
    assert words in capsys.readouterr().err
    folder = str(tmp_path / "run")
    command = ["tournament", "scotch", bot, "random", "--games", "4", "--folder", folder]
    assert main(command) == 2
    assert words in capsys.readouterr().err


def test_cli_match__names_are_never_cut(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    files = [tmp_path / ("x" * 40) / f"bot{k}.py" for k in (1, 2)]
    files[0].parent.mkdir()
    for file in files:
        file.write_text(SLEEPS.format(seconds=0))
    bots = [f"file:{file}" for file in files]
    assert main(["match", "scotch", *bots, "--games", "2", *RULES]) == 0
    shown = "".join(line.split("│")[1].strip() for line in table_rows(capsys.readouterr().out))
    assert all(bot in shown for bot in bots)


def table_rows(out):
    return [line for line in out.splitlines() if line.startswith("│")]


def test_cli_match__without_a_decided_game_nothing_is_of_decided(capsys):
    words = ["match", "scotch", "uniform:high=1", "uniform:high=1", "--games", "2"]
    rules = ["--length", "4", "--money", "1", "--tie", "alternate"]
    assert main([*words, *rules]) == 0
    out = capsys.readouterr().out
    assert "100.0 %" in out and "50.0 %" not in out
    assert main([*words, *rules, "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert [score["decided_rate"] for score in scores] == [None, None]
