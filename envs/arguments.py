"""Check arguments; the ValueErrors name the argument, the value and what is allowed.

`name` is always the name of the argument, for the message.
"""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable, Sequence, Sized
from itertools import islice
from typing import Any


def whole(name: str, value: Any, low: int, high: int) -> int:
    """Return `value` as an int; raise ValueError unless it is whole and from `low` to `high`."""
    allowed = f"a whole number from {low} to {high}"
    if isinstance(value, bool):
        raise ValueError(f"{name}={value!r}: expected {allowed}")
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name}={value!r}: expected {allowed}") from None
    if not low <= number <= high:
        raise ValueError(f"{name}={value!r}: expected {allowed}")
    return number


def wholes(name: str, value: Any, count: int, low: int, high: int) -> tuple[int, ...]:
    """Return `value` as a tuple of `count` ints; raise ValueError unless it is that.

    Each of them must be whole and from `low` to `high`.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise ValueError(f"{name}={value!r}: expected {count} whole numbers")
    items: Sequence[Any] = list(islice(value, count + 1))  # one too many says enough
    if len(items) != count:
        got = len(value) if isinstance(value, Sized) else f"at least {len(items)}"
        raise ValueError(f"{name}={value!r:.200}: expected {count} whole numbers, got {got}")
    return tuple(whole(f"{name}[{i}]", item, low, high) for i, item in enumerate(items))


def choice(name: str, value: Any, allowed: Sequence[str]) -> int:
    """Return the index of `value` in `allowed`; raise ValueError unless it is one of these."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={value!r}: expected one of {_quoted(allowed)}")
    return list(allowed).index(value)


def flag(name: str, value: Any) -> bool:
    """Return `value`; raise ValueError unless it is True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name}={value!r}: expected True or False")
    return value


def unknown(what: str, value: str, known: Iterable[str]) -> ValueError:
    """Return the ValueError for an unknown name. It suggests the known name that is nearest.

    Args:
        what: what is named, for example "opponent".
        value: the unknown name.
        known: all known names.
    """
    names = sorted(known)
    near = difflib.get_close_matches(value, names, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return ValueError(f"{what}={value!r} is not known: {hint}expected one of {_quoted(names)}")


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(repr(word) for word in words)
