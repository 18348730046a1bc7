"""The worker: the process in which a Python file of somebody else is loaded and asked.

A `PythonFile` (python_file.py) in our process has the keeper start it as
`python -I -m bidarena.baselines.adapters.worker`. It reads lines of JSON and answers each with a
line. The first is {"file": ..., "open": "module:function"}; its answer has facts about the file.
Then come questions, answered by {"answer": number} or {"error": why}. What the file prints is
thrown away.

The function that "open" names takes the first message, loads the file with `load`, and returns the
facts and the function that answers questions. Each game has such functions for its own protocol.
"""

from __future__ import annotations

import contextlib
import importlib
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

LONGEST = 200  # most characters of an error

# What Python says of code for Python 2: print x, print >>f, except A, b:, 0777, <>, exec "..."
PYTHON_2 = ("in call to 'print'", "multiple exception types", "leading zeros", "call to 'exec'")
PYTHON_2_ADVICE = "this is Python 2; convert it (2to3), or run it by cmd: with a Python 2"

Question = dict[str, Any]
# (question, tell) -> the answer; `tell(message)` sends a message before it
Answerer = Callable[[Question, Callable[[Question], None]], Any]


def load(file: str, stdin: str = "") -> ModuleType:
    """Import a Python file under its own name, with its folder on the path; return the module.

    The file may be a whole program that reads its input while it is loaded: it reads `stdin`.
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


def number(value: Any) -> int:
    """Return an answer as an int; TypeError unless it is whole. NumPy numbers and 3.0 are fine."""
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
    """Return an exception in one line, with the line of the loaded file that raised it."""
    text = f"{type(wrong).__name__}: {wrong}".removesuffix(": ")
    if isinstance(wrong, SyntaxError) and any(word in text for word in PYTHON_2):
        text = f"{PYTHON_2_ADVICE} ({text})"
    if isinstance(wrong, SyntaxError):  # it says itself where
        return " ".join(text.split())[:LONGEST]
    frames = traceback.extract_tb(wrong.__traceback__)
    own = Path(__file__).parent
    theirs = [frame for frame in frames if own not in Path(frame.filename).parents]
    if theirs:
        text += f" ({Path(theirs[-1].filename).name}:{theirs[-1].lineno})"
    return " ".join(text.split())[:LONGEST]


def serve(questions: TextIO, answers: TextIO) -> None:
    """Load the file that the first line names, then answer the other lines until they end."""

    def tell(message: Question) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    setup = json.loads(questions.readline())
    try:
        module, _, name = setup["open"].partition(":")
        opener = getattr(importlib.import_module(module), name)
        facts, answer = opener(setup)
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
    """Serve stdin and stdout; the loaded file gets /dev/null in their place."""
    questions, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    with contextlib.suppress(KeyboardInterrupt):
        serve(questions, answers)


if __name__ == "__main__":
    main()
