"""Runs in the process of a RajAgent: loads the file, trains the agent if it asks, answers bids.

An agent file may have a list `training` of sessions, each the files of some opponents and a number
of games, and a `save_filename`. If that file exists, the agent loads it. Otherwise the sessions are
played and the agent saves itself. On the way these methods of the agent are called, where it has
them: train_start, train_session_start, train_game_start, train_game_end (with the banks),
train_session_end and train_end.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from bidarena.baselines.adapters.raj.table import item_order, play_game
from bidarena.baselines.adapters.worker import Answerer, Question, load, number

OFTEN = 0.5  # seconds between two reports of the progress of training
CHEAP = 0.002  # an agent that takes longer to copy, in seconds, gets no copy for each game


class Member(NamedTuple):
    """An agent that was loaded."""

    agent: Any
    name: str
    asks_last: bool  # whether it is asked for its last card too
    sessions: Any  # of training that it still needs
    saved: str  # the file in which it keeps what it has learned

    @property
    def games(self) -> int:
        """The number of games that it trains."""
        return sum(session[-1] for session in self.sessions)


def sit_down(file: Path, setup: Question) -> Member:
    """Load the agent of a file, and what it saved after an earlier training."""
    module, agent = make_agent(file, setup)
    sessions = getattr(module, "training", None)
    saved = None
    if sessions is not None:
        if not hasattr(module, "save_filename"):
            raise AttributeError("has a list `training`, but no `save_filename`")
        saved = file.parent / module.save_filename
        if saved.exists():
            agent.load(str(saved))
            sessions = None
    return Member(agent, name_of(module, file), saved is not None, sessions or (), str(saved))


def open_agent(setup: Question) -> tuple[Question, Answerer]:
    """Load the agent of a file.

    Return facts about it (its name, whether it is asked for its last card, how many games it
    trains) and the function that answers questions.
    """
    member = sit_down(Path(setup["file"]), setup)
    agent = member.agent
    facts = {"name": member.name, "asks_last": member.asks_last, "training": member.games}

    copies: dict[int, Any] = {}
    separate = _cheap_to_copy(agent)

    def answer(question: Question, tell: Callable[[Question], None]) -> Any:
        if "train" in question:
            generator = np.random.RandomState(question["train"])  # as in the original program
            return train(member, setup, generator, tell)
        for over in question.get("over", ()):
            copies.pop(over, None)
        asked = agent
        if "game" in question and separate:
            if question["game"] not in copies:
                copies[question["game"]] = copy.deepcopy(agent)
            asked = copies[question["game"]]
        pot, left, own, bank, *others = question["percepts"]
        # In the original program pots, items and banks are floats, cards are as written.
        percepts = (np.float64(pot), tuple(map(float, left)), tuple(own), np.float64(bank))
        return number(asked.AgentFunction((*percepts, *map(tuple, others))))

    return facts, answer


def _cheap_to_copy(agent: Any) -> bool:
    """Return whether each of the games played side by side can have its own copy of the agent."""
    began = time.perf_counter()
    try:
        copy.deepcopy(agent)
    except Exception:  # the agent's code may raise anything
        return False
    return time.perf_counter() - began < CHEAP


def make_agent(file: Path, setup: Question) -> tuple[ModuleType, Any]:
    """Return the module of a file and the agent in it; raise AttributeError if it has none."""
    module = load(str(file))
    if not hasattr(module, "RajAgent"):
        raise AttributeError(f"{file.name}: expected a class RajAgent")
    agent = module.RajAgent(item_values=list(setup["items"]), card_values=list(setup["cards"]))
    if not callable(getattr(agent, "AgentFunction", None)):
        raise AttributeError(f"{file.name}: RajAgent has no method AgentFunction(percepts)")
    return module, agent


def name_of(module: ModuleType, file: Path) -> str:
    """Return the agent's name in the file, or the file's name if that was never filled in."""
    name = getattr(module, "agentName", None)
    return name if isinstance(name, str) and name and name[0] != "<" else file.name


def train(
    member: Member,
    setup: Question,
    generator: np.random.RandomState,
    tell: Callable[[Question], None],
) -> int:
    """Play all sessions of training and let the agent save itself; return the number of games.

    Args:
        member: the agent.
        setup: the folder of the agents, cards and items.
        generator: draws the orders of items.
        tell: called now and then with how many games were played.
    """
    agent = member.agent
    done, told = 0, time.monotonic()
    _hook(agent, "train_start")
    for session in member.sessions:
        opponents = []
        for opponent in session[:-1]:
            module, other = make_agent(Path(setup["file"]).parent / opponent, setup)
            trained = getattr(module, "save_filename", None)
            if getattr(module, "training", None) is not None and trained is not None:
                where = Path(setup["file"]).parent / trained
                if where.exists():
                    other.load(str(where))
            opponents.append(other)
        players = [agent, *opponents]
        bidders = [player.AgentFunction for player in players]
        _hook(agent, "train_session_start")
        for _ in range(session[-1]):
            _hook(agent, "train_game_start")
            items = item_order(generator, setup["items"])
            banks = play_game(bidders, [True] * len(players), setup["cards"], items)
            _hook(agent, "train_game_end", banks)
            done += 1
            if time.monotonic() - told > OFTEN:
                tell({"trained": done})
                told = time.monotonic()
        _hook(agent, "train_session_end")
    _hook(agent, "train_end")
    agent.save(member.saved)
    return done


def _hook(agent: Any, name: str, *args: Any) -> None:
    """Call a method of the agent if it has it."""
    method = getattr(agent, name, None)
    if callable(method):
        method(*args)


def open_settings(setup: Question) -> tuple[Question, Answerer]:
    """Load a file with the dict `game_settings`; return it at once, there is nothing to ask."""
    module = load(setup["file"])
    if not isinstance(getattr(module, "game_settings", None), dict):
        raise AttributeError("expected a dict game_settings")
    return {"settings": module.game_settings}, lambda question, tell: None
