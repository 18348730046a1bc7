"""Runs in the process of a Scotch file: loads the file and asks its function `calculate_bid`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bidarena.baselines.adapters.worker import Answerer, Question, load, number


def open_file(setup: Question) -> tuple[Question, Answerer]:
    """Load a file with the function `calculate_bid`; return its name and what answers questions."""
    module = load(setup["file"], "1\n5\n\n\n")
    calculate_bid = getattr(module, "calculate_bid", None)
    if not callable(calculate_bid):
        raise AttributeError("expected a function calculate_bid(player, pos, first, second)")

    def answer(question: Question, tell: Callable[[Question], None]) -> int:
        return number(calculate_bid(*question["bid"]))

    return {"name": Path(setup["file"]).name}, answer
