"""Tells the user, once for each label, that something is being compiled."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

_labels: dict[str, str] = {}  # qualified name of a compiled copy -> its label
_told: set[str] = set()  # labels that the user was told of already


def note_label(qualname: str, label: str) -> None:
    """Note under which label the user is told of a compiled copy."""
    _labels[qualname] = label


def is_labelled(qualname: str) -> bool:
    """Return whether a qualified name is that of a compiled copy of ours."""
    return qualname in _labels


@lru_cache(maxsize=1)
def watch_compilation() -> None:
    """Ask Numba to report when it begins to compile a function."""
    from numba.core import event

    class Teller(event.Listener):  # type: ignore[misc]
        def on_start(self, happening: Any) -> None:
            _tell(happening.data["dispatcher"].py_func.__qualname__)

        def on_end(self, happening: Any) -> None:
            pass

    event.register("numba:compile", Teller())


def _tell(qualname: str) -> None:
    """Print that something is being compiled, once for each label."""
    label = _labels.get(qualname)
    if label is not None and label not in _told:
        _told.add(label)
        print(f"bidarena: compiling {label} (once; kept for the next time)", file=sys.stderr)
