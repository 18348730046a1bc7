"""Bots that raise, answer nonsense or take too long: they lose that game, and all goes on."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import threading
import time

import pytest
import troublemakers
from troublemakers import angry, lowest, moody, quitter, shapeless, silent, sleepy, stubborn, wordy

from bidarena.baselines.adapters.faults import Breakdown
from bidarena.cli.main import main
from bidarena.evaluate.match import play_match


def faults(match):
    return [score.faults for score in match.scores]


@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        (angry, "raised: KeyError: 'out of ideas' (troublemakers.py:"),
        (quitter, "raised: SystemExit: 3"),
        (wordy, "illegal: answered 'the highest card'"),
        (silent, "illegal: answered None"),
        (shapeless, "illegal: answered array("),
    ],
)
def test_faults__lose_the_game_and_are_named(bot, reason):
    match = play_match("toy_nim", [bot, lowest], 8, heap=6)
    assert [(s.wins, s.losses) for s in match.scores] == [(0, 8), (8, 0)]
    (told, count), *others = match.scores[0].faults.items()
    assert told.startswith(reason) and count == 8 and not others
    assert match.scores[1].faults == {}


def test_faults__a_batched_policy_loses_only_the_games_that_it_fails_in():
    match = play_match("toy_nim", [moody, lowest], 200, heap=10, random_heap=True, seed=1)
    # Alone it takes a stone at a time, and so does the other: it sees only the parity it began
    # with, the heap's if it opens and the other one if not. One game of each deal is lost.
    told, count = next(iter(match.scores[0].faults.items()))
    assert told.startswith("raised: ArithmeticError: I do not like even numbers")
    assert match.scores[0].losses == match.scores[0].wins == 100
    assert 75 <= count <= 99  # a heap of one stone is gone before the second bot moves
    assert len(match.scores[0].faults) == 1 and match.scores[1].faults == {}


def test_faults__a_compiled_bot_that_raises_loses_only_that_game():
    match = play_match("toy_nim", ["raising", lowest], 20, heap=6)
    # Both take one stone at a time: whoever opens meets 6, 4, 2; the other 5, 3, 1.
    told, count = next(iter(match.scores[0].faults.items()))
    assert told.startswith("raised: ValueError: three is too many") and count == 10
    assert match.scores[0].losses == 20 and match.scores[1].wins == 20


def test_faults__a_bot_asked_outside_that_raises_loses_only_that_game():
    match = play_match("toy_nim", ["outside", lowest], 20, heap=6)
    told, count = next(iter(match.scores[0].faults.items()))
    assert told.startswith("raised: RuntimeError: lost my notes (troublemakers.py:") and count == 10


def test_faults__a_move_over_the_limit_is_interrupted():
    began = time.monotonic()
    match = play_match("toy_nim", [sleepy, lowest], 4, heap=6, seconds_per_move=0.05)
    assert time.monotonic() - began < 10
    assert faults(match) == [{"time: took longer than 0.05 s for a move": 4}, {}]
    assert match.scores[1].wins == 4


def test_faults__a_bot_that_ignores_the_interruption_loses_when_it_answers():
    match = play_match("toy_nim", [stubborn, lowest], 2, heap=6, seconds_per_move=0.05)
    assert faults(match)[0] == {"time: took longer than 0.05 s for a move": 2}


def test_faults__without_signals_the_time_is_measured():
    found = []

    def play():
        found.append(play_match("toy_nim", [stubborn, lowest], 2, heap=6, seconds_per_move=0.05))

    thread = threading.Thread(target=play)
    thread.start()
    thread.join()
    assert faults(found[0])[0] == {"time: took longer than 0.05 s for a move": 2}


def test_faults__a_batch_over_its_time_is_asked_again_row_by_row():
    slow = troublemakers.slow_when_full
    match = play_match("toy_nim", [slow, lowest], 8, heap=6, seconds_per_move=0.05)
    assert faults(match) == [{}, {}]


def test_faults__a_compiled_bot_is_measured_move_by_move():
    assert faults(play_match("toy_nim", ["late", lowest], 4, heap=6)) == [{}, {}]
    match = play_match("toy_nim", ["late", lowest], 4, heap=6, seconds_per_move=0.03)
    assert faults(match) == [{"time: took longer than 0.03 s for a move": 2}, {}]


def test_faults__the_alarm_of_the_caller_stays_as_it_was():
    before = signal.getsignal(signal.SIGALRM)
    play_match("toy_nim", [sleepy, lowest], 2, heap=6, seconds_per_move=0.02)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_faults__ctrl_c_still_stops_a_match():
    def interrupted(observation, mask):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # off in background jobs
    try:
        with pytest.raises(KeyboardInterrupt):
            play_match("toy_nim", [interrupted, lowest], 4, seconds_per_move=10.0)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("limit", [0, -1.0, float("nan"), "1", True])
def test_faults__a_limit_that_is_none_is_refused(limit):
    with pytest.raises(ValueError, match="seconds_per_move="):
        play_match("toy_nim", [lowest, lowest], 4, seconds_per_move=limit)


def test_faults__reasons_without_end_are_counted_together():
    numbers = iter(range(10**6))

    def creative(observation, mask):
        raise ValueError(f"reason {next(numbers)}")

    match = play_match("toy_nim", [creative, lowest], 400)
    assert sum(match.scores[0].faults.values()) == 400
    assert len(match.scores[0].faults) <= 60
    assert match.scores[0].faults["raised: other reasons"] > 300


def full_disk(observation, mask):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_breakdown__our_own_bot_without_a_place_to_write_stops_the_match(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    memo = f"memo:nodes=100,path={tmp_path}/file/store.sqlite"
    with pytest.raises(Breakdown, match=r"one of our own bots failed.*cannot be opened"):
        play_match("coins", [memo, "random"], 20, board="triangle4")
    words = ["coins", memo, "random", "--games", "20", "--board", "triangle4"]
    for processes in ("1", "2"):
        assert main(["match", *words, "--processes", processes]) == 1
        said = capsys.readouterr()
        assert "cannot be opened" in said.err and "Traceback" not in said.err
        folder = str(tmp_path / "kept")
        more = ["--processes", processes, "--folder", folder]
        assert main(["tournament", *words, *more]) == 1
    with sqlite3.connect(tmp_path / "kept" / "tournament.sqlite") as base:
        assert base.execute("select count(*) from blocks").fetchone() == (0,)


def test_breakdown__a_full_disk_is_no_fault_of_any_bot():
    with pytest.raises(Breakdown, match=r"the machine failed.*No space left on device"):
        play_match("toy_nim", [full_disk, lowest], 4)


@pytest.mark.parametrize("answer", [77, "x"])
def test_breakdown__an_illegal_answer_of_our_own_bot_is_a_bug_of_ours(monkeypatch, answer):
    def wrong(observation, mask):
        return answer

    assert faults(play_match("toy_nim", [wrong, lowest], 4))[0]
    wrong.__module__ = "bidarena.somewhere"
    with pytest.raises(Breakdown, match=f"broke the rules.*answered {answer!r}"):
        play_match("toy_nim", [wrong, lowest], 4)


def test_faults__an_illegal_answer_is_told_with_what_was_legal():
    match = play_match("toy_nim", [lambda observation, mask: 3, "random"], 20, heap=3, seed=1)
    assert match.scores[0].faults
    assert set(match.scores[0].faults) <= {
        "illegal: answered 3; legal: 1, 2",
        "illegal: answered 3; legal: 1",
    }
