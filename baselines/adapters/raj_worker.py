"""In the process of a RajAgent: the file is loaded, trained if it wants to be, and asked.

An agent file may have a list `training` of sessions, each the files of some opponents and a number
of games, and a `save_filename`. If that file exists the agent loads it; otherwise the sessions are
played, the agent's methods train_start, train_session_start, train_game_start, train_game_end (with
the banks), train_session_end and train_end are called where it has them, and it saves itself.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from bidarena.baselines.adapters.raj_table import item_order, play_game
from bidarena.baselines.adapters.worker import Answerer, Question, load, number

OFTEN = 0.5  # seconds between two reports of how far the training is
CHEAP = 0.002  # seconds in which an agent must be copied to have a copy for each game


def open_agent(setup: Question) -> tuple[Question, Answerer]:
    """The agent of a file, loaded from where it saved itself if it was trained before."""
    file = Path(setup["file"])
    module, agent = make_agent(file, setup)
    training = getattr(module, "training", None)
    saved = None
    if training is not None:
        if not hasattr(module, "save_filename"):
            raise AttributeError("has a list `training`, but no `save_filename`")
        saved = file.parent / module.save_filename
        if saved.exists():
            agent.load(str(saved))
            training = None
    facts = {
        "name": name_of(module, file),
        "asks_last": saved is not None,
        "training": sum(session[-1] for session in training or ()),
    }

    copies: dict[int, Any] = {}
    separate = _cheap_to_copy(agent)

    def answer(question: Question, tell: Callable[[Question], None]) -> Any:
        if "train" in question:
            return _train(agent, training or (), setup, question["train"], str(saved), tell)
        for over in question.get("over", ()):
            copies.pop(over, None)
        asked = agent
        if "game" in question and separate:
            if question["game"] not in copies:
                copies[question["game"]] = copy.deepcopy(agent)
            asked = copies[question["game"]]
        pot, left, own, bank, *others = question["percepts"]
        # The original keeps pots, items and banks in arrays of floats, cards as they are written.
        percepts = (np.float64(pot), tuple(map(float, left)), tuple(own), np.float64(bank))
        return number(asked.AgentFunction((*percepts, *map(tuple, others))))

    return facts, answer


def _cheap_to_copy(agent: Any) -> bool:
    """Whether each of the games that are played side by side can have an agent of its own."""
    began = time.perf_counter()
    try:
        copy.deepcopy(agent)
    except Exception:  # whatever is in it
        return False
    return time.perf_counter() - began < CHEAP


def make_agent(file: Path, setup: Question) -> tuple[ModuleType, Any]:
    """A module and the agent in it."""
    module = load(str(file))
    if not hasattr(module, "RajAgent"):
        raise AttributeError(f"{file.name}: expected a class RajAgent")
    agent = module.RajAgent(item_values=list(setup["items"]), card_values=list(setup["cards"]))
    if not callable(getattr(agent, "AgentFunction", None)):
        raise AttributeError(f"{file.name}: RajAgent has no method AgentFunction(percepts)")
    return module, agent


def name_of(module: ModuleType, file: Path) -> str:
    """What the agent calls itself, unless that was never filled in."""
    name = getattr(module, "agentName", None)
    return name if isinstance(name, str) and name and name[0] != "<" else file.name


def _train(
    agent: Any,
    sessions: Any,
    setup: Question,
    order: Question,
    saved: str,
    tell: Callable[[Question], None],
) -> int:
    """Play all sessions of training; how many games that were."""
    generator = np.random.RandomState(order["seed"])  # the original's
    for _ in range(order["skip"]):  # orders that were drawn for the training of others
        item_order(generator, setup["items"])
    done, told = 0, time.monotonic()
    _hook(agent, "train_start")
    for session in sessions:
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
    agent.save(saved)
    return done


def _hook(agent: Any, name: str, *args: Any) -> None:
    """Call a method that an agent may have or not."""
    method = getattr(agent, name, None)
    if callable(method):
        method(*args)
