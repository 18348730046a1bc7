"""Duels: the same deals for all pairs, one result however it was reached, nothing played twice."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bidarena.evaluate import duels as module
from bidarena.evaluate.duels import MANIFEST, RESULTS, Duels, run_duels
from bidarena.evaluate.match import play_match
from bidarena.evaluate.workers import in_processes

PAIRS = (("random", "uniform:high=3"), ("random", "dp"), ("uniform:high=3", "dp"))
SMALL = Duels("scotch", PAIRS, 12, block=4, seed=5, rules={"length": 4, "money": [4, 4]})


def results(played):
    """All that does not depend on time."""
    return {
        pair: (duel.results.tolist(), duel.moves, duel.decisions) for pair, duel in played.items()
    }


def lines(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / RESULTS).read_text().splitlines()]


@pytest.fixture
def counted(monkeypatch):
    """The jobs that were really played."""
    jobs = []
    play = module.play_job

    def count(job):
        jobs.append(job.key)
        return play(job)

    monkeypatch.setattr(module, "play_job", count)
    return jobs


def test_duels__one_result_whatever_the_number_of_processes(tmp_path):
    alone = run_duels(SMALL, tmp_path / "one")
    together = run_duels(SMALL, tmp_path / "two", processes=2)
    assert results(alone) == results(together)
    assert all(len(duel.results) == 12 for duel in alone.values())
    assert len({(tuple(line["pair"]), line["block"]) for line in lines(tmp_path / "two")}) == 9


def test_duels__all_pairs_play_the_same_deals_and_blocks_differ(tmp_path, monkeypatch):
    seeds: dict[int, set[int]] = {}

    def watch(game, bots, games, *, seed):
        seeds.setdefault(seed, set()).add(tuple(bots))
        return play_match(game, bots, games, seed=seed)

    monkeypatch.setattr(module, "play_match", watch)
    run_duels(SMALL, tmp_path / "first")
    assert len(seeds) == 3 and all(pairs == set(PAIRS) for pairs in seeds.values())
    run_duels(dataclasses.replace(SMALL, seed=6), tmp_path / "second")
    assert len(seeds) == 6, "the next seed shares no block with this one"


def test_duels__keeps_what_a_match_says(tmp_path):
    plan = dataclasses.replace(SMALL, pairs=PAIRS[:1], deals=4)
    duel = run_duels(plan, tmp_path)[PAIRS[0]]
    job = plan.jobs[0]
    seed = int(np.random.SeedSequence([5, 0]).generate_state(1, np.uint64)[0] >> 1)
    match = play_match("scotch", list(job.pair), 8, seed=seed, length=4, money=(4, 4))
    assert duel.results.mean() == pytest.approx(match.scores[0].mean)
    assert match.results.shape == (4, 2, 2)
    assert match.results.sum(axis=2) == pytest.approx(0)
    assert duel.moves == match.moves and sum(duel.decisions) <= duel.moves


def test_duels__nothing_is_played_twice(tmp_path, counted):
    first = run_duels(SMALL, tmp_path)
    assert len(counted) == 9
    again = run_duels(SMALL, tmp_path)
    assert len(counted) == 9 and results(again) == results(first)


def test_duels__more_deals_and_pairs_go_on_from_what_is_there(tmp_path, counted):
    run_duels(dataclasses.replace(SMALL, pairs=PAIRS[:2], deals=4), tmp_path)
    told = []
    more = run_duels(SMALL, tmp_path, progress=told.append)
    assert len(counted) == len(set(counted)) == 9
    assert told == [2] + [1] * 7
    assert results(more) == results(run_duels(SMALL, tmp_path / "afresh"))


def test_duels__a_torn_last_line_is_played_again(tmp_path, counted):
    whole = run_duels(SMALL, tmp_path)
    kept = (tmp_path / RESULTS).read_bytes()
    last = counted[-1]
    for cut in (1, 30):  # without its end, even if what is left can be read; and in the middle
        (tmp_path / RESULTS).write_bytes(kept[:-cut])
        counted.clear()
        assert results(run_duels(SMALL, tmp_path)) == results(whole)
        assert counted == [last]
        assert len(lines(tmp_path)) == 9


def test_duels__a_damaged_line_before_the_last_is_named(tmp_path):
    run_duels(SMALL, tmp_path)
    path = tmp_path / RESULTS
    text = path.read_text().splitlines(keepends=True)
    path.write_text(text[0] + text[1][10:] + "".join(text[2:]))
    with pytest.raises(ValueError, match="line 2 is damaged"):
        run_duels(SMALL, tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": 6}, r"was begun with seed=5, not seed=6"),
        ({"block": 3}, r"block=4, not block=3"),
        ({"version": 2}, r"version=1, not version=2"),
        ({"rules": {"length": 5, "money": [4, 4]}}, r"choose another folder"),
    ],
)
def test_duels__other_settings_are_refused(tmp_path, changed, message):
    run_duels(SMALL, tmp_path)
    before = (tmp_path / RESULTS).read_bytes()
    with pytest.raises(ValueError, match=message):
        run_duels(dataclasses.replace(SMALL, **changed), tmp_path)
    assert (tmp_path / RESULTS).read_bytes() == before


def test_duels__results_without_a_manifest_are_refused(tmp_path):
    run_duels(SMALL, tmp_path)
    (tmp_path / MANIFEST).unlink()
    with pytest.raises(ValueError, match=MANIFEST):
        run_duels(SMALL, tmp_path)


def test_duels__a_folder_in_use_is_refused(tmp_path):
    def interrupt(count):
        with pytest.raises(ValueError, match="another run"):
            run_duels(SMALL, tmp_path)

    run_duels(SMALL, tmp_path, progress=interrupt)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"pairs": ()}, "pairs"),
        ({"pairs": PAIRS[:1] * 2}, "different"),
        ({"pairs": (("random", "nobody"),)}, "nobody"),
        ({"deals": 0}, "deals=0"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_duels__mistakes_are_named_before_anything_is_written(tmp_path, changed, message):
    with pytest.raises(ValueError, match=message):
        run_duels(dataclasses.replace(SMALL, **changed), tmp_path / "new")
    assert not (tmp_path / "new").exists()


# --- processes -----------------------------------------------------------------------------------

SLOW = """
import sys, time
from bidarena.evaluate.duels import Duels, run_duels

if __name__ == "__main__":
    pairs = (("random", "uniform:high=3"), ("random", "dp"), ("uniform:high=3", "dp"))
    plan = Duels("scotch", pairs, 12, block=4, seed=5, rules={"length": 4, "money": [4, 4]})
    run_duels(plan, sys.argv[1], processes=2, progress=lambda count: time.sleep(0.5 * count))
"""


def wait_for(condition, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.02)


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in tasks.read_text().split()] if tasks.exists() else []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_duels__killed_and_resumed_gives_the_undisturbed_result(tmp_path, kill):
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    folder = tmp_path / "run"
    run = subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        stderr=subprocess.PIPE,
        text=True,
        # A background job of a shell ignores SIGINT, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    wait_for(lambda: (folder / RESULTS).exists() and len(lines(folder)) >= 2)
    workers = children_of(run.pid)
    run.send_signal(kill)
    run.communicate()
    assert run.returncode != 0 and len(workers) >= 2
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), 10)
    before = lines(folder)
    assert 2 <= len(before) < 9
    resumed = run_duels(SMALL, folder, processes=2)
    assert lines(folder)[: len(before)] == before and len(lines(folder)) == 9
    assert results(resumed) == results(run_duels(SMALL, tmp_path / "undisturbed"))


def die(job: int) -> int:
    if job == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return job * job


def fail(job: int) -> int:
    raise LookupError(f"no {job}")


def test_workers__a_process_that_dies_is_noticed():
    with pytest.raises(RuntimeError, match="exit code -9 on 3"):
        list(in_processes(die, range(6), 2))


def test_workers__an_error_in_a_process_is_told_with_its_job():
    with pytest.raises(RuntimeError, match=r"(?s)0 failed.*LookupError: no 0"):
        list(in_processes(fail, [0], 2))


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_workers__every_job_is_done_once(processes):
    assert sorted(in_processes(abs, [-1, -2, -3], processes)) == [(-3, 3), (-2, 2), (-1, 1)]
