"""Small tournaments, and what tests read from their results and folders."""

from __future__ import annotations

import dataclasses
import sqlite3
import time
from pathlib import Path

from bidarena.envs import make_game
from bidarena.evaluate.tournament import Tournament, run
from bidarena.evaluate.tournament.store import DATABASE

RULES = {"length": 4, "money": (6, 6), "tie": "coin"}
BOTS = ("random", "uniform:high=3", "uniform:high=2")
DEALS = 50  # of each pair in `small`


def small(**changed) -> Tournament:
    plan = Tournament(make_game("scotch", **RULES), BOTS, 2 * DEALS, 5)
    return dataclasses.replace(plan, **changed)


def results(met):
    """All that does not depend on time."""
    return {m.bots: (m.returns.tolist(), m.lengths.tolist(), m.samples, m.faults) for m in met}


def kept(folder: Path) -> list[tuple]:
    """The rows of blocks in a folder."""
    base = sqlite3.connect(folder / DATABASE)
    found = base.execute("select lineup, first, deals, returns, actions from blocks").fetchall()
    base.close()
    return found


def pieces(folder: Path) -> int:
    """The number of blocks in a folder that another process may be writing."""
    try:
        return len(kept(folder))
    except sqlite3.OperationalError:  # not yet there, or being written
        return 0


def wait_for(condition, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.02)


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in tasks.read_text().split()] if tasks.exists() else []


def watch_deals(monkeypatch) -> list[tuple]:
    """Return a list to which every (line-up, deal) is added that is played in this process."""
    deals = []
    play = run.play_job

    def watch(job):
        deals.extend((job.lineup, deal) for deal in range(job.first, job.first + job.deals))
        return play(job)

    monkeypatch.setattr(run, "play_job", watch)
    return deals
