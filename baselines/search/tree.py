"""The tree: nodes found by keys, each with a block of edges, in two flat arrays.

`table` (slots, 2) uint64 is a hash table with open addressing, a node per row: its key, and a word
with its first edge, the number of its edges, and whether it is known to be a decision that nobody
else makes at the same time. At most half of its rows are used.

`edges` (capacity, 8) float64 has a row per move that was tried somewhere. Those of a node stand one
after another, because a walk over neighbours is much faster than one through all of the memory. A
block has room for 1, 2, 4, 8, ... edges; when it is full it moves into one twice as large, and its
place is kept for another node. Nodes are never removed.

`used` counts edges and nodes, and holds for every size of block the first free one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.keys import Key

Table = NDArray[np.uint64]
Edges = NDArray[np.float64]
Used = NDArray[np.int64]

# columns of an edge. Whole numbers are kept as floats, so that an edge is one line of cache.
ACTION, COUNT, CHANCES, SUM = 0, 1, 2, 3  # CHANCES: how often the action was available
SQUARES = 4  # the sum of squared results; under the rule `regret`: the regret
PLAN = 5  # under `regret`: the sum of the probabilities it was meant to be played with
STAMP = 6  # under `regret`: the iteration in which it was available last
NEXT_FREE = 7  # in the first row of a free block: the next one of its size, plus 1
EDGE_COLUMNS = 8

BYTES_PER_EDGE = 8 * EDGE_COLUMNS
BYTES_PER_SLOT = 16

# columns of a node, and the parts of its second word
_KEY, _LINK = 0, 1
_EMPTY = np.uint64(0)
_ALONE = np.uint64(1)  # nobody else decides at this moment
_ONE = np.uint64(1)
_COUNT_MASK = np.uint64((1 << 20) - 1)
_FIRST_AT = np.uint64(21)

USED_EDGES, USED_NODES = 0, 1
FREE = 2  # from here on: the first free block of 1, 2, 4, ... edges, plus 1
USED_SIZE = FREE + 22


def find(table: Table, key: Key) -> int:
    """The row of the node with this key, or the empty row where it would be put."""
    last = np.uint64(len(table) - 1)
    at = (key >> _ONE) & last
    while table[at, _KEY] != key and table[at, _KEY] != _EMPTY:
        at = (at + _ONE) & last
    return np.int64(at)  # type: ignore[return-value]


def exists(table: Table, node: int) -> bool:
    """Is there a node in this row?"""
    return bool(table[node, _KEY] != _EMPTY)


def first_edge(table: Table, node: int) -> int:
    """The first edge of a node, if it has any."""
    return np.int64(table[node, _LINK] >> _FIRST_AT)  # type: ignore[return-value]


def edge_count(table: Table, node: int) -> int:
    """How many edges a node has; none if it does not exist."""
    return np.int64((table[node, _LINK] >> _ONE) & _COUNT_MASK)  # type: ignore[return-value]


def add_edge(table: Table, edges: Edges, used: Used, node: int, key: Key, action: int) -> int:
    """A new edge of the node in row `node`, which is made if there is none; -1 without room."""
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
    return first + count


def _take(edges: Edges, used: Used, power: int) -> int:
    """The first row of a block of 2**power edges: a free one, or a new one; -1 without room."""
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
    """Note that nobody else decides at the same time as the player of this node."""
    table[node, _LINK] |= _ALONE


def is_alone(table: Table, node: int) -> bool:
    """Was that noted?"""
    return bool(table[node, _LINK] & _ALONE == _ALONE)
