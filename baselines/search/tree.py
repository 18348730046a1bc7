"""The tree of a search: nodes found by keys, each with a block of edges, in two flat arrays.

`table` (slots, 2) uint64 is a hash table with open addressing. A row is a node: its key and its
link, 64 bits that hold the first edge, the number of edges, and whether the node is marked as
alone: nobody else decides at the same time as its player. At most half of the rows are used.

`edges` (capacity, 8) float64 has a row per move that was tried at some node. The edges of a node
stand next to each other in a block, because reading neighbours in memory is fast. A block has room
for 1, 2, 4, 8, ... edges. A full block is copied into one of twice the size, and its place is kept
for another node. Nodes are never removed.

`used` counts edges and nodes, and holds the first free block of each size.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.keys import Key

Table = NDArray[np.uint64]
Edges = NDArray[np.float64]
Used = NDArray[np.int64]

# columns of an edge. Whole numbers are kept as floats, so that an edge fills one cache line.
ACTION, COUNT, CHANCES, SUM = 0, 1, 2, 3  # CHANCES: how often the action was available
SQUARES = 4  # the sum of squared results; under the rule `regret`: the regret
PLAN = 5  # under `regret`: the sum of its probabilities
STAMP = 6  # under `regret`: 1 if `OWED` is due to it, else -1
PRIOR = 6  # under `puct`: the prior probability of the action
NEXT_FREE = 7  # in the first row of a free block: the next free block of that size, plus 1
OWED = 7  # under `regret`, in the first row of a node: what its edges have yet to learn
EDGE_COLUMNS = 8

BYTES_PER_EDGE = 8 * EDGE_COLUMNS
BYTES_PER_SLOT = 16

# columns of a node, and the parts of its link
_KEY, _LINK = 0, 1
_EMPTY = np.uint64(0)
_ALONE = np.uint64(1)  # this bit: nobody else decides at the same time
_ONE = np.uint64(1)
_COUNT_MASK = np.uint64((1 << 20) - 1)
_FIRST_AT = np.uint64(21)

USED_EDGES, USED_NODES = 0, 1
FREE = 2  # from here on: the first free block of 1, 2, 4, ... edges, plus 1
USED_SIZE = FREE + 22


def find(table: Table, key: Key) -> int:
    """Return the row of the node with this key, or the empty row where it would be put."""
    last = np.uint64(len(table) - 1)
    at = (key >> _ONE) & last
    while table[at, _KEY] != key and table[at, _KEY] != _EMPTY:
        at = (at + _ONE) & last
    return np.int64(at)  # type: ignore[return-value]


def exists(table: Table, node: int) -> bool:
    """Return whether there is a node in this row of the table."""
    return bool(table[node, _KEY] != _EMPTY)


def first_edge(table: Table, node: int) -> int:
    """Return the first edge of a node; meaningless if the node has no edges."""
    return np.int64(table[node, _LINK] >> _FIRST_AT)  # type: ignore[return-value]


def edge_count(table: Table, node: int) -> int:
    """Return the number of edges of a node; 0 if the node does not exist."""
    return np.int64((table[node, _LINK] >> _ONE) & _COUNT_MASK)  # type: ignore[return-value]


def add_edge(table: Table, edges: Edges, used: Used, node: int, key: Key, action: int) -> int:
    """Add an edge to the node in row `node` and return it; -1 if there is no room.

    Makes the node, with this key, if the row is empty.
    """
    count = edge_count(table, node)
    first = first_edge(table, node)
    if count == 0:
        if used[USED_NODES] >= len(table) // 2:
            return -1
        first = _take(edges, used, 0)
        if first < 0:
            return -1
        table[node, _KEY] = key
        used[USED_NODES] += 1
    elif count & (count - 1) == 0:  # the block is full
        power = 0
        while 1 << power < count:
            power += 1
        larger = _take(edges, used, power + 1)
        if larger < 0:
            return -1
        for i in range(count):
            for column in range(EDGE_COLUMNS):
                edges[larger + i, column] = edges[first + i, column]
        edges[first, NEXT_FREE] = used[FREE + power]
        used[FREE + power] = first + 1
        first = larger
    link = (np.uint64(first) << _FIRST_AT) | (np.uint64(count + 1) << _ONE)
    table[node, _LINK] = link | (table[node, _LINK] & _ALONE)
    row = edges[first + count]
    row[ACTION] = action
    row[COUNT] = 0.0
    row[CHANCES] = 1.0
    row[SUM] = 0.0
    row[SQUARES] = 0.0
    row[PLAN] = 0.0
    row[STAMP] = -1.0
    row[OWED] = 0.0
    return first + count


def _take(edges: Edges, used: Used, power: int) -> int:
    """Return the first edge of a free or new block of 2**power edges; -1 if there is no room."""
    free = used[FREE + power]
    if free > 0:
        used[FREE + power] = int(edges[free - 1, NEXT_FREE])
        return free - 1
    first = used[USED_EDGES]
    if first + (1 << power) > len(edges):
        return -1
    used[USED_EDGES] = first + (1 << power)
    return first


def mark_alone(table: Table, node: int) -> None:
    """Mark this node: nobody else decides at the same time as its player."""
    table[node, _LINK] |= _ALONE


def is_alone(table: Table, node: int) -> bool:
    """Return whether `mark_alone` was called on this node."""
    return bool(table[node, _LINK] & _ALONE == _ALONE)
