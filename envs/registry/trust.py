"""Names that come from files, and what they may do.

A name that a user types may start a program ("cmd:./mybot"), call an address or import a module
("my_module:mygame"). The same name in a saved game, a record or a run folder comes from whoever
wrote that file, and reading a file must not run code. So code that makes games and bots from what a
file says does it inside of `names_from_file`. There a name that would start or import anything is
refused, wherever it stands, also within the options of another bot.

A module that this process has imported already runs nothing anew, and may be named.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_file: ContextVar[str] = ContextVar("file", default="")  # the file that names come from


@contextmanager
def names_from_file(file: str, *, trust: bool = False) -> Iterator[None]:
    """Context manager in which names are refused that would start or import anything.

    Args:
        file: what the names come from, for the error.
        trust: allow all names after all, because the user said so.
    """
    before = _file.set("" if trust else file)
    try:
        yield
    finally:
        _file.reset(before)


def check_name(what: str, name: str, effect: str) -> None:
    """Raise ValueError if names come from a file now.

    Args:
        what: the kind of name, such as "game".
        name: the name, which would have an effect.
        effect: what would happen, such as "imports the module my_module".
    """
    if _file.get():
        raise distrust(_file.get(), [f"{what} {name!r} {effect}"])


def check_module(what: str, name: str) -> None:
    """Raise ValueError if "module:name" comes from a file and the module is not imported yet."""
    module = name.rpartition(":")[0]
    if module and module not in sys.modules:
        check_name(what, name, f"imports the module {module}")


def distrust(file: str, effects: Sequence[str]) -> ValueError:
    """Return the ValueError for a file whose names would have effects."""
    told = "; ".join(effects)
    return ValueError(
        f"{file}: {told}. Files of others must not do that: if you trust this one, add --trust "
        "(trust=True in Python)"
    )
