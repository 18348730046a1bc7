"""Compile plain functions: the rules of games, and generic code that calls those rules.

compiling.py    copies functions with the rules of a game in them, and compiles the copies
library.py      machine code for what Python calls, and for nothing else
shortcuts.py    lets Numba leave out work that makes no difference
place.py        the folder of compiled code, one for all installations of a user
caching.py      Numba's cache on disk: one process compiles, the others wait; broken files
stale.py        removes compiled code that nobody uses any more
telling.py      tells the user that something is being compiled
spent.py        the CPU time that compiling has taken
clock.py        the clock that compiled code reads
fold.py         lets Numba read the fields of named tuples as plain numbers
"""

from bidarena.envs.compile.clock import seconds
from bidarena.envs.compile.compiling import (
    Function,
    apart,
    borrow,
    compiled,
    digest,
    fill_in,
    keep,
    replaceable,
    rule,
    with_rules,
)
from bidarena.envs.compile.spent import compiling_seconds
from bidarena.envs.compile.stale import remove_compiled

__all__ = [
    "Function",
    "apart",
    "borrow",
    "compiled",
    "compiling_seconds",
    "digest",
    "fill_in",
    "keep",
    "remove_compiled",
    "replaceable",
    "rule",
    "seconds",
    "with_rules",
]
