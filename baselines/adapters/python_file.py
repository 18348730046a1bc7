"""A Python file of somebody else, loaded once in a process that stays (see `worker.py`)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.sandbox import Sandbox

WORKER = "bidarena.baselines.adapters.worker"


class PythonFile(Sandbox):
    """The process in which a file is loaded. `setup` tells the worker what is in the file.

    It is loaded when it is asked first, and anew after its process had to be ended.
    """

    def __init__(self, file: str, limits: Limits, setup: dict[str, Any]) -> None:
        path = Path(file).resolve()
        if not path.is_file():
            raise ValueError(f"{file!r}: there is no such file; expected a Python file")
        super().__init__([sys.executable, "-I", "-m", WORKER], limits, cwd=str(path.parent))
        self.setup = {**setup, "file": str(path)}
        self.facts: dict[str, Any] = {}  # what the worker says about the file
        self.broken = ""  # why the file cannot be loaded, which does not change

    def call(self, question: dict[str, Any], seconds: float | None = None) -> Any:
        """What the code in the file answers."""
        if not self.running:
            self.load()
        return self._answer(self.ask(json.dumps(question).encode(), seconds))["answer"]

    def load(self) -> None:
        """Start the process and load the file."""
        if self.broken:
            raise Fault(self.broken)
        self.start()
        line = self.ask(json.dumps(self.setup).encode(), self.limits.start)
        try:
            self.facts = self._answer(line)
        except Fault as wrong:
            self.broken = str(wrong)
            self.end()
            raise

    def listen(self, seconds: float) -> dict[str, Any]:
        """One more message of the worker."""
        return self._answer(self.hear(seconds))

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            message = json.loads(line)
        except ValueError:
            self.end()
            raise Fault(f"wrote {line[:60].decode(errors='replace')!r}") from None
        if not isinstance(message, dict) or "error" in message:
            raise Fault(message["error"] if isinstance(message, dict) else "wrote no message")
        return message
