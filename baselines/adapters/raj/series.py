"""Plays a Raj `settings.py` as the original program, for which it was written, would play it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.python_file import PythonFile
from bidarena.baselines.adapters.raj.agents import Agent
from bidarena.baselines.adapters.raj.table import Bidder, Percepts, item_order, play_game
from bidarena.envs.progress import ShowProgress
from bidarena.envs.raj.env import Settings, from_settings

OPENER = "bidarena.baselines.adapters.raj.worker:open_settings"  # called in the file's process


@dataclass(frozen=True)
class Series:
    """The result of a series of games."""

    settings: Settings
    seed: int
    names: list[str]  # by seat
    banks: list[list[float]]  # by game, then by seat
    fault: str  # why, and through which agent, the series ended early; empty: it did not

    @property
    def means(self) -> list[float]:
        """Return the mean bank of each seat."""
        return np.array(self.banks).reshape(-1, len(self.names)).mean(axis=0).tolist()

    @property
    def wins(self) -> list[int]:
        """Return how many games each seat won alone."""
        seats = range(len(self.names))
        alone = [banks for banks in self.banks if banks.count(max(banks)) == 1]
        return [sum(banks[seat] == max(banks) for banks in alone) for seat in seats]


def read_settings(file: str) -> dict[str, Any]:
    """Return the dict `game_settings` of a Python file, which is run in a process of its own."""
    program = PythonFile(file, Limits(), {"open": OPENER})
    try:
        program.load()
    except Fault as wrong:
        raise ValueError(f"{file}: {wrong}") from None
    finally:
        program.close()
    return dict(program.facts["settings"])


def play_settings(
    settings: str | dict[str, Any],
    *,
    folder: str | None = None,
    limits: Limits | None = None,
    progress: ShowProgress | None = None,
) -> Series:
    """Play the series of games that a `game_settings` dict or a `settings.py` describes.

    Files, seats, training and, for a given seed, the order of the items are as in the original
    program. As there, the first fault of an agent ends the series; the games played until then are
    kept in the result.

    Args:
        settings: the dict, or the path of the file.
        folder: the folder of the agent files; by default that of the settings file, or the current
            folder.
        limits: limits of time and memory of each agent.
        progress: called with what is done, and how many games of how many.
    """
    if isinstance(settings, str):
        folder = folder or str(Path(settings).parent)
        settings = read_settings(settings)
    read = from_settings(settings)
    if len(read.agents) < 2:
        raise ValueError(f"agentFiles={read.agents!r}: expected at least two agent files")
    # Cards and items stay in the order written: what the generator draws depends on it.
    cards = list(settings.get("cardValues", read.options["cards"]))
    items = list(settings.get("itemValues", read.options["items"]))
    seed = int(time.time()) if read.seed is None else read.seed
    place = Path(folder or ".")
    agents: list[Agent] = []
    names = list(read.agents)
    banks: list[list[float]] = []
    fault = ""
    try:
        for file in read.agents:
            agents.append(Agent(str(place / file), limits or Limits(), cards, items))
        orders = _prepare(agents, names, read.games, seed, items, progress)
        asks_last = [bool(agent.facts["asks_last"]) for agent in agents]
        bidders = [_named(agent, name) for agent, name in zip(agents, names, strict=True)]
        for count, order in enumerate(orders, 1):
            banks.append(play_game(bidders, asks_last, cards, order).tolist())
            if progress is not None:
                progress("playing", count, read.games)
    except Fault as wrong:
        fault = str(wrong)
    finally:
        for agent in agents:
            agent.close()
    return Series(read, seed, names, banks, fault)


def _prepare(
    agents: Sequence[Agent],
    names: list[str],
    games: int,
    seed: int,
    items: list[int],
    progress: ShowProgress | None,
) -> list[Any]:
    """Load and train all agents; return the order of items in each of the games that follow."""
    trained = 0
    for agent, what in ((agent, what) for what in ("load", "train") for agent in agents):
        seat = agents.index(agent)
        try:
            if what == "load":
                agent.load()
                names[seat] = str(agent.facts["name"])
            else:
                trained += agent.train(seed, trained, progress)
        except Fault as fault:
            raise Fault(f"{names[seat]}: {fault}") from fault
    generator = np.random.RandomState(seed)  # as in the original program
    drawn = [item_order(generator, items) for _ in range(trained + games)]
    return [order.astype(float) for order in drawn[trained:]]


def _named(agent: Agent, name: str) -> Bidder:
    """Return a function that asks the agent for bids; its faults name the agent."""

    def bid(percepts: Percepts) -> int:
        try:
            card = agent.bid(percepts)
        except Fault as fault:
            raise Fault(f"{name}: {fault}") from fault
        if card not in percepts[2]:
            raise Fault(f"{name}: bid {card}, which is not among its cards {list(percepts[2])}")
        return card

    return bid
