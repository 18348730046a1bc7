"""A Python file of somebody else as an outside bot: our side of worker.py.

The file is loaded by worker.py, in another process that keeps running, and is asked from here.
"""

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
    """A sandbox in which worker.py loads a Python file and answers for it.

    The file is loaded before the first question, and again after its process had to be ended.

    Args:
        file: path of the Python file.
        limits: the limits of its process.
        setup: the first message to the worker; "open" says how the file is to be loaded.
    """

    def __init__(self, file: str, limits: Limits, setup: dict[str, Any]) -> None:
        path = Path(file).resolve()
        if not path.is_file():
            raise ValueError(f"{file!r}: there is no such file; expected a Python file")
        # -B: bytecode that is written now would be taken for that of a file changed in this second.
        command = [sys.executable, "-I", "-B", "-m", WORKER]
        super().__init__(command, limits, cwd=str(path.parent), files=[str(path)])
        self.setup = {**setup, "file": str(path)}
        self.facts: dict[str, Any] = {}  # what the worker has told about the file
        self.broken = ""  # why the file cannot be loaded; it is not tried again

    def call(self, question: dict[str, Any], seconds: float | None = None) -> Any:
        """Send a question to the worker, and return the answer of the file; load it if needed."""
        if not self.running:
            self.load()
        return self._answer(self.ask(json.dumps(question).encode(), seconds))["answer"]

    def load(self) -> None:
        """Start the process and have the file loaded; raise `Fault` if that fails."""
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

    def send(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a question that is answered by several messages; return the first of them."""
        return self._answer(self.ask(json.dumps(question).encode(), seconds))

    def listen(self, seconds: float) -> dict[str, Any]:
        """Return the next message of the worker, without asking."""
        return self._answer(self.hear(seconds))

    def _answer(self, line: bytes) -> dict[str, Any]:
        """Return a message of the worker; raise `Fault` if it reports an error or is none."""
        try:
            message = json.loads(line)
        except ValueError:
            self.end()
            raise Fault(f"wrote {line[:60].decode(errors='replace')!r}") from None
        if not isinstance(message, dict) or "error" in message:
            raise Fault(message["error"] if isinstance(message, dict) else "wrote no message")
        return message
