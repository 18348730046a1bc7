"""Compile plain functions: the rules of games, and generic code that calls those rules.

compiling.py    copies functions with the rules of a game in them, and compiles the copies
caching.py      Numba's cache on disk: one process compiles, the others wait; broken files
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

__all__ = [
    "Function",
    "apart",
    "borrow",
    "compiled",
    "compiling_seconds",
    "digest",
    "fill_in",
    "keep",
    "replaceable",
    "rule",
    "seconds",
    "with_rules",
]
