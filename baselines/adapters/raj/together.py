"""Runs in the process of a series: all its agents, in one interpreter as in the original program.

Agents there share NumPy's global generator and all other global state, and the course's own random
agent draws from that generator. So they must share a process here too, to play the same games. The
process sends a message for what it has done: {"seated": name}, {"trained": 0, "of": games,
"name": name} and then {"trained": games}, {"playing": games}, {"banks": [...]} for finished games,
and {"fault": why} at a fault, which ends the series.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bidarena.baselines.adapters.raj.table import Bidder, Percepts, item_order, play_game
from bidarena.baselines.adapters.raj.worker import Member, sit_down, train
from bidarena.baselines.adapters.worker import Answerer, Question, describe, number

OFTEN = 0.3  # seconds between two messages with finished games

Tell = Callable[[Question], None]


class _Blame(Exception):  # noqa: N818 - says which agent did what
    """An agent has failed; the message names it."""


class _Watch:
    """Knows which agent is being asked, and reports it if it takes too long.

    A thread looks at it, because nothing can interrupt the agent itself.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._name = ""
        self._limit = 0.0
        self._until = float("inf")
        threading.Thread(target=self._look, daemon=True).start()

    @contextmanager
    def asked(self, name: str, seconds: float) -> Iterator[None]:
        """Context manager in which this agent has so many seconds; its errors become `_Blame`."""
        self._name, self._limit = name, seconds
        self._until = time.monotonic() + seconds
        try:
            yield
        except (Exception, SystemExit) as wrong:
            raise _Blame(f"{name}: {describe(wrong)}") from wrong
        finally:
            self._until = float("inf")

    def _look(self) -> None:
        while time.monotonic() < self._until:
            time.sleep(0.05)
        self._tell({"fault": f"{self._name}: gave no answer within {self._limit:g} s"})


def open_series(setup: Question) -> tuple[Question, Answerer]:
    """Return the function that plays a whole series; nothing is loaded before it is called."""

    def answer(order: Question, tell: Tell) -> Any:
        try:
            _play(setup, order, tell, _Watch(tell))
        except _Blame as blame:
            tell({"fault": str(blame)})
        return None

    return {}, answer


def _play(setup: Question, order: Question, tell: Tell, watch: _Watch) -> None:
    """Load all agents, train those that ask for it, play all games; in the original's order."""
    members: list[Member] = []
    for file in map(Path, setup["files"]):
        with watch.asked(file.name, order["start"]):
            members.append(sit_down(file, setup))
        tell({"seated": members[-1].name})
    generator = np.random.RandomState(order["seed"])  # as in the original program
    for member in members:
        if member.games:
            tell({"trained": 0, "name": member.name, "of": member.games})
            with watch.asked(member.name, order["training"]):
                train(member, setup, generator, tell)
    items = setup["items"]
    boards = [item_order(generator, items).astype(float) for _ in range(order["games"])]
    tell({"playing": len(boards)})
    bidders = [_bidder(member, watch, order["seconds"]) for member in members]
    asks_last = [member.asks_last for member in members]
    done: list[list[float]] = []
    told_at = time.monotonic()
    try:
        for board in boards:
            done.append(play_game(bidders, asks_last, setup["cards"], board).tolist())
            if time.monotonic() - told_at > OFTEN:
                tell({"banks": done})
                done, told_at = [], time.monotonic()
    finally:
        tell({"banks": done})


def _bidder(member: Member, watch: _Watch, seconds: float) -> Bidder:
    """Return a function that asks an agent for bids; its faults name the agent."""

    def bid(percepts: Percepts) -> int:
        with watch.asked(member.name, seconds):
            card = number(member.agent.AgentFunction(percepts))
        if card not in percepts[2]:
            held = list(percepts[2])
            raise _Blame(f"{member.name}: bid {card}, which is not among its cards {held}")
        return card

    return bid
