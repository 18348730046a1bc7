"""Tell outside bots apart: a digest of the files that play, so that results belong to them.

The digest of a Python file covers the modules beside it that it imports. The digest of a command
covers its program and the files that its words name. What a bot reads while it runs (weights, a
database, another machine) is not seen.
"""

from __future__ import annotations

import ast
import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Identity(NamedTuple):
    """What is known about who plays under a name."""

    digest: str  # of files, or what a server tells of itself; empty: nothing is known
    sure: bool  # whether another bot would have another digest


OURS = Identity("", True)  # bots of this package, whose results belong to its version
UNKNOWN = Identity("", False)


def of_file(path: str | Path) -> Identity:
    """Return the identity of a Python file, or of any other file."""
    return Identity(_digest(_with_imports(Path(path))), True)


def of_command(argv: Sequence[str]) -> Identity:
    """Return the identity of a command: its program, and all its words that are files.

    A program of the system with other words than files (`python -m mybot`, `ssh host mybot`) may
    run anything, so that its identity is not sure.
    """
    program = shutil.which(argv[0])
    named = [Path(word) for word in argv[1:] if Path(word).is_file()]
    if program is None:
        return UNKNOWN
    files = [file for path in (Path(program), *named) for file in _with_imports(path)]
    sure = bool(named) or "/" in argv[0] or len(argv) == 1
    return Identity(_digest(files), sure)


def joined(parts: Sequence[Identity]) -> Identity:
    """Return the identity of a bot that is made of several ones."""
    told = "+".join(part.digest for part in parts if part.digest)
    return Identity(told, all(part.sure for part in parts))


def _digest(files: Sequence[Path]) -> str:
    """Return the SHA-256 digest of a file, or one digest of the digests of several files."""
    found = []
    for file in files:
        try:
            with file.open("rb") as stream:
                found.append(hashlib.file_digest(stream, "sha256").hexdigest())
        except OSError:  # it cannot be read, so it cannot play either
            found.append("unreadable")
    return found[0] if len(found) == 1 else hashlib.sha256("\n".join(found).encode()).hexdigest()


def _with_imports(path: Path) -> list[Path]:
    """Return a file and, if it is Python, the modules beside it that it imports, in turn."""
    found = [path]
    for file in found:  # grows on the way
        if file.suffix != ".py":
            continue
        for name in _imported(file):
            place = path.parent.joinpath(*name.split("."))
            for module in (place.with_suffix(".py"), place / "__init__.py"):
                if module.is_file() and module not in found:
                    found.append(module)
    return found


def _imported(file: Path) -> list[str]:
    """Return the names of all modules that a Python file may import; none if it is no Python."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            names += [base, *(f"{base}.{alias.name}".lstrip(".") for alias in node.names)]
    return sorted({name for name in names if name})
