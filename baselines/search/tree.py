"""The tree of a search: nodes found by keys, each with a block of edges, in two flat arrays.

`table` (slots * 2) uint64 is a hash table with open addressing. Two numbers are a node: its key and
its link, 64 bits that hold the first edge, the number of edges, and whether the node is marked as
alone: nobody else decides at the same time as its player. Some slots always stay empty.

`edges` (capacity * 8) float64 has eight numbers for each move that was tried at some node. The
edges of a node stand next to each other in a block, because reading neighbours in memory is fast. A
block has room for 1, 2, 4, 8, ... edges. A full block is copied into one of twice the size, and its
place is kept for another node. Nodes are never removed.

`used` counts edges and nodes, and holds the most nodes and the first free block of each size.

The arrays have one dimension, and their indexes are unsigned: then the place in memory is
found without a multiplication, and without a test for negative indexes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.keys import Key
from bidarena.envs.bits import lowest

Table = NDArray[np.uint64]
Edges = NDArray[np.float64]
Used = NDArray[np.int64]

# numbers of an edge. Whole numbers are kept as floats, so that an edge fills one cache line.
ACTION, COUNT = np.uint64(0), np.uint64(1)
CHANCES = np.uint64(2)  # how often the action was available
SUM = np.uint64(3)
SQUARES = np.uint64(4)  # the sum of squared results; under the rule `regret`: the regret
PLAN = np.uint64(5)  # under `regret`: the sum of its probabilities
STAMP = np.uint64(6)  # under `regret`: 1 if `OWED` is due to it, else -1
PRIOR = np.uint64(6)  # under `puct`: the prior probability of the action
NEXT_FREE = np.uint64(7)  # in the first edge of a free block: the next one of that size, plus 1
OWED = np.uint64(7)  # under `regret`, in the first edge of a node: what its edges have yet to learn
EDGE_SIZE = 8

# numbers of a node: its key, then its link; and the parts of a link
_LINK = np.uint64(1)
SLOT_SIZE = 2
_EMPTY = np.uint64(0)
_ALONE = np.uint64(1)  # this bit: nobody else decides at the same time
_ONE = np.uint64(1)
_COUNT_MASK = np.uint64((1 << 20) - 1)
_FIRST_AT = np.uint64(21)

BYTES_PER_EDGE = 8 * EDGE_SIZE
BYTES_PER_SLOT = 8 * SLOT_SIZE

USED_EDGES, USED_NODES = 0, 1
MOST_NODES = 2  # nodes that the table may have: fewer than it has slots
FREE = 3  # from here on: the first free block of 1, 2, 4, ... edges, plus 1
USED_SIZE = FREE + 22


def row_of(edge: int) -> Any:
    """Return the index of the first number of an edge; its visits are at row_of(edge) + COUNT."""
    return np.uint64(EDGE_SIZE * edge)


def _slot_of(node: int) -> Any:
    """Return the index of the key of a node in the table."""
    return np.uint64(SLOT_SIZE * node)


def find(table: Table, key: Key) -> int:
    """Return the slot of the node with this key, or the empty slot where it would be put."""
    last = np.uint64(len(table) - 1)
    at = key & last & ~_ONE
    while table[at] != key and table[at] != _EMPTY:
        at = (at + _ONE + _ONE) & last
    return np.int64(at >> _ONE)  # type: ignore[return-value]


def exists(table: Table, node: int) -> bool:
    """Return whether there is a node in this slot of the table."""
    return bool(table[_slot_of(node)] != _EMPTY)


def first_edge(table: Table, node: int) -> int:
    """Return the first edge of a node; meaningless if the node has no edges."""
    return np.int64(table[_slot_of(node) + _LINK] >> _FIRST_AT)  # type: ignore[return-value]


def edge_count(table: Table, node: int) -> int:
    """Return the number of edges of a node; 0 if the node does not exist."""
    link = table[_slot_of(node) + _LINK]
    return np.int64((link >> _ONE) & _COUNT_MASK)  # type: ignore[return-value]


def add_edge(table: Table, edges: Edges, used: Used, node: int, key: Key, action: int) -> int:
    """Add an edge to the node in slot `node` and return it; -1 if there is no room.

    Makes the node, with this key, if the slot is empty.
    """
    count = edge_count(table, node)
    first = first_edge(table, node)
    if count == 0:
        if used[USED_NODES] >= used[MOST_NODES]:
            return -1
        first = _take(edges, used, 0)
        if first < 0:
            return -1
        table[_slot_of(node)] = key
        used[USED_NODES] += 1
    elif count & (count - 1) == 0:  # the block is full
        power = lowest(count)
        larger = _take(edges, used, power + 1)
        if larger < 0:
            return -1
        old, new = row_of(first), row_of(larger)
        for i in range(EDGE_SIZE * count):
            edges[new + np.uint64(i)] = edges[old + np.uint64(i)]
        edges[old + NEXT_FREE] = used[FREE + power]
        used[FREE + power] = first + 1
        first = larger
    link = (np.uint64(first) << _FIRST_AT) | (np.uint64(count + 1) << _ONE)
    table[_slot_of(node) + _LINK] = link | (table[_slot_of(node) + _LINK] & _ALONE)
    edge = first + count
    row = row_of(edge)
    edges[row + ACTION] = action
    edges[row + COUNT] = 0.0
    edges[row + CHANCES] = 1.0
    edges[row + SUM] = 0.0
    edges[row + SQUARES] = 0.0
    edges[row + PLAN] = 0.0
    edges[row + STAMP] = -1.0
    edges[row + OWED] = 0.0
    return edge


def _take(edges: Edges, used: Used, power: int) -> int:
    """Return the first edge of a free or new block of 2**power edges; -1 if there is no room."""
    free = used[FREE + power]
    if free > 0:
        used[FREE + power] = int(edges[row_of(free - 1) + NEXT_FREE])
        return free - 1
    first = used[USED_EDGES]
    if EDGE_SIZE * (first + (1 << power)) > len(edges):
        return -1
    used[USED_EDGES] = first + (1 << power)
    return first


def mark_alone(table: Table, node: int) -> None:
    """Mark this node: nobody else decides at the same time as its player."""
    table[_slot_of(node) + _LINK] |= _ALONE


def is_alone(table: Table, node: int) -> bool:
    """Return whether `mark_alone` was called on this node."""
    return bool(table[_slot_of(node) + _LINK] & _ALONE == _ALONE)
