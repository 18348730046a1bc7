"""The process in which a Python file of somebody else is loaded and asked.

Runs as `python -I -m bidarena.baselines.adapters.worker`. One line of JSON comes in for each line
that goes out: first {"file": ..., "kind": ...}, answered by facts about the file; then questions,
answered by {"answer": number} or {"error": why}. What the file prints goes nowhere.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import operator
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

LONGEST = 200  # characters of an error

Question = dict[str, Any]
Answerer = Callable[[Question, Callable[[Question], None]], Any]


def load(file: str, stdin: str = "") -> ModuleType:
    """Import a file under its own name, with its folder on the path.

    A file may be a whole program that reads its input when it is loaded: it is given `stdin`.
    """
    path = Path(file)
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    before, sys.stdin = sys.stdin, io.StringIO(stdin)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.stdin = before
    return module


def scotch(setup: Question) -> tuple[Question, Answerer]:
    """A file with the function `calculate_bid`."""
    module = load(setup["file"], "1\n5\n\n\n")
    calculate_bid = getattr(module, "calculate_bid", None)
    if not callable(calculate_bid):
        raise AttributeError("expected a function calculate_bid(player, pos, first, second)")

    def answer(question: Question, tell: Callable[[Question], None]) -> int:
        return number(calculate_bid(*question["bid"]))

    return {"name": Path(setup["file"]).name}, answer


def raj(setup: Question) -> tuple[Question, Answerer]:
    """A file with the class `RajAgent`."""
    from bidarena.baselines.adapters import raj_worker

    return raj_worker.open_agent(setup)


def settings(setup: Question) -> tuple[Question, Answerer]:
    """A file with the dict `game_settings`; all there is to know of it is told at once."""
    module = load(setup["file"])
    if not isinstance(getattr(module, "game_settings", None), dict):
        raise AttributeError("expected a dict game_settings")
    return {"settings": module.game_settings}, lambda question, tell: None


KINDS = {"scotch": scotch, "raj": raj, "settings": settings}


def number(value: Any) -> int:
    """An answer as a whole number; it may be one of NumPy's, or 3.0."""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        raise TypeError(f"returned {value!r}, expected a whole number")
    try:
        return operator.index(value)
    except TypeError:
        pass
    try:
        whole = int(value)
        if not isinstance(value, str) and whole == value:
            return whole
    except (TypeError, ValueError, OverflowError):
        pass
    raise TypeError(f"returned {value!r}, expected a whole number")


def describe(wrong: BaseException) -> str:
    """An exception in one line, with the place in the file of others where it was raised."""
    text = f"{type(wrong).__name__}: {wrong}".removesuffix(": ")
    frames = traceback.extract_tb(wrong.__traceback__)
    own = Path(__file__).parent
    theirs = [frame for frame in frames if Path(frame.filename).parent != own]
    if theirs:
        text += f" ({Path(theirs[-1].filename).name}:{theirs[-1].lineno})"
    return " ".join(text.split())[:LONGEST]


def serve(questions: TextIO, answers: TextIO) -> None:
    """Load the file that the first line names; then answer the others."""

    def tell(message: Question) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    setup = json.loads(questions.readline())
    try:
        facts, answer = KINDS[setup["kind"]](setup)
    except (Exception, SystemExit) as wrong:
        tell({"error": f"could not be loaded: {describe(wrong)}"})
        return
    tell(facts)
    for line in questions:
        try:
            reply = {"answer": answer(json.loads(line), tell)}
        except (Exception, SystemExit) as wrong:
            reply = {"error": describe(wrong)}
        tell(reply)


def main() -> None:
    """Serve stdin and stdout, of which the file sees nothing."""
    questions, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    with contextlib.suppress(KeyboardInterrupt):
        serve(questions, answers)


if __name__ == "__main__":
    main()
