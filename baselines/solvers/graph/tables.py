"""The graph of all positions of a game: its arrays, and how they grow.

A position is a state in which no move is waiting to be opened. Parts of the state that are `idle`,
and the clock, are 0 in it. Positions are numbered in the order in which they were found. A position
has a matrix of cells: a row per legal action of the player to move, and a column per legal action
of the player who moves at the same time, one column if nobody does. A position without rows is an
end of the game.

A cell holds a code. A code from 0 on is `2 * position + tick`: what follows, and whether the clock
has advanced by one. A code below 0 is `-1 - draw`, where chance decides: a draw has branches, each
with a code and a weight, its probability. Draw 0 is the deal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import Game, layout, starts

Integers = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]

# how many of each there are, what went wrong (see explore.py), and the second to fourth count as
# they were before the position that is being expanded
COUNTS = layout(positions=1, cells=1, draws=1, branches=1, expanded=1, trouble=1, before=3)
N = starts(COUNTS)


class Tables(NamedTuple):
    """The arrays of a graph; those with one entry per position have room for more."""

    counts: Integers  # see COUNTS
    states: Integers  # (positions, state size)
    slots: Codes  # hash table of positions: 1 + position, or 0
    first: Integers  # (positions + 1) the first cell
    rows: Codes
    columns: Codes
    movers: NDArray[np.int8]  # (positions, 2) who chooses the row, and who the column or -1
    ends: Floats  # side 0's result at an end; elsewhere its result if the game is cut short there
    cells: Codes
    branch_first: Integers  # (draws + 1) the first branch of each draw
    branch_codes: Codes
    branch_weights: Floats

    @property
    def bytes(self) -> int:
        """The memory of all arrays."""
        return sum(array.nbytes for array in self)


def new_tables(game: Game, positions: int = 1024) -> Tables:
    """Return empty tables with room for so many positions."""
    return Tables(
        counts=np.zeros(COUNTS["before"].stop, np.int64),
        states=np.zeros((positions, game.state_size), np.int64),
        slots=np.zeros(4 * positions, np.int32),
        first=np.zeros(positions + 1, np.int64),
        rows=np.zeros(positions, np.int32),
        columns=np.zeros(positions, np.int32),
        movers=np.zeros((positions, 2), np.int8),
        ends=np.full(positions, np.nan),
        cells=np.zeros(4 * positions, np.int32),
        branch_first=np.zeros(positions + 1, np.int64),
        branch_codes=np.zeros(4 * positions, np.int32),
        branch_weights=np.zeros(4 * positions),
    )


def grown(tables: Tables) -> Tables:
    """Return tables with twice the room in all arrays of a kind that is more than half full."""
    full: set[str] = set()
    if 2 * tables.counts[N.positions] > len(tables.states):
        full |= {"states", "first", "rows", "columns", "movers", "ends"}
    if 2 * tables.counts[N.cells] > len(tables.cells):
        full |= {"cells"}
    if 2 * tables.counts[N.draws] > len(tables.branch_first):
        full |= {"branch_first"}
    if 2 * tables.counts[N.branches] > len(tables.branch_codes):
        full |= {"branch_codes", "branch_weights"}
    larger = {name: doubled(getattr(tables, name)) for name in full}
    if "states" in larger:  # positions are found anew in a larger hash table
        larger["slots"] = np.zeros(2 * len(tables.slots), np.int32)
    return tables._replace(**larger)


def doubled(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array with the same numbers and as much room again."""
    more = np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    return more


def trimmed(tables: Tables) -> Tables:
    """Return tables without room to spare."""
    positions = int(tables.counts[N.positions])
    draws = int(tables.counts[N.draws])
    cells, branches = int(tables.counts[N.cells]), int(tables.counts[N.branches])
    first = tables.first[: positions + 1].copy()
    first[-1] = cells
    ends = tables.branch_first[: draws + 1].copy()
    ends[-1] = branches
    return tables._replace(
        states=tables.states[:positions].copy(),
        first=first,
        rows=tables.rows[:positions].copy(),
        columns=tables.columns[:positions].copy(),
        movers=tables.movers[:positions].copy(),
        ends=tables.ends[:positions].copy(),
        cells=tables.cells[:cells].copy(),
        branch_first=ends,
        branch_codes=tables.branch_codes[:branches].copy(),
        branch_weights=tables.branch_weights[:branches].copy(),
    )


def copy_row(source: Integers, target: Integers) -> None:
    """Copy numbers one by one: an assignment of whole arrays takes long to compile."""
    for at in range(len(source)):
        target[at] = source[at]


def clear_row(target: Integers) -> None:
    """Set all numbers of a row to 0."""
    for at in range(len(target)):
        target[at] = 0
