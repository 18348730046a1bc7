"""The tree: nodes found by keys, each with a linked list of edges, in two flat arrays.

`table` (slots, 2) uint64 is a hash table with open addressing, a node per row: its key, and a word
with its first edge and whether it is known to be a decision that nobody else makes at the same
time. `edges` (capacity, 8) float64 has a row per move that was tried somewhere. `used` (2,) counts
edges and nodes. Nothing is ever removed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.keys import Key

Table = NDArray[np.uint64]
Edges = NDArray[np.float64]
Used = NDArray[np.int64]

# columns of an edge. Whole numbers are kept as floats, so that an edge is one line of cache.
ACTION, NEXT, COUNT, CHANCES, SUM = 0, 1, 2, 3, 4  # CHANCES: how often the action was available
SQUARES = 5  # the sum of squared results; under the rule `regret`: the regret
PLAN = 6  # under `regret`: the sum of the probabilities it was meant to be played with
STAMP = 7  # under `regret`: the iteration in which it was available last
EDGE_COLUMNS = 8

BYTES_PER_EDGE = 8 * EDGE_COLUMNS
BYTES_PER_SLOT = 16

# columns of a node
_KEY, _LINK = 0, 1
_EMPTY = np.uint64(0)
_ALONE = np.uint64(1)  # bit of the link: nobody else decides at this moment
_STEP = np.uint64(1)

USED_EDGES, USED_NODES = 0, 1


def find(table: Table, key: Key) -> int:
    """The row of the node with this key, or the empty row where it would be put."""
    last = np.uint64(len(table) - 1)
    at = (key >> _STEP) & last
    while table[at, _KEY] != key and table[at, _KEY] != _EMPTY:
        at = (at + _STEP) & last
    return np.int64(at)  # type: ignore[return-value]


def exists(table: Table, node: int) -> bool:
    """Is there a node in this row?"""
    return bool(table[node, _KEY] != _EMPTY)


def add_node(table: Table, used: Used, node: int, key: Key) -> None:
    """Put a node without edges into the empty row `node`; there are more rows than edges."""
    table[node, _KEY] = key
    table[node, _LINK] = _EMPTY
    used[USED_NODES] += 1


def first_edge(table: Table, node: int) -> int:
    """The first edge of a node; -1 if it has none."""
    return np.int64(table[node, _LINK] >> _STEP) - 1  # type: ignore[return-value]


def add_edge(table: Table, edges: Edges, used: Used, node: int, action: int) -> int:
    """A new edge in front of the others of its node; the caller has seen that there is room."""
    edge = used[USED_EDGES]
    used[USED_EDGES] += 1
    row = edges[edge]
    row[ACTION] = action
    row[NEXT] = first_edge(table, node)
    row[COUNT] = 0.0
    row[CHANCES] = 1.0
    row[SUM] = 0.0
    row[SQUARES] = 0.0
    row[PLAN] = 0.0
    row[STAMP] = -1.0
    table[node, _LINK] = (np.uint64(edge + 1) << _STEP) | (table[node, _LINK] & _ALONE)
    return edge


def mark_alone(table: Table, node: int) -> None:
    """Note that nobody else decides at the same time as the player of this node."""
    table[node, _LINK] |= _ALONE


def is_alone(table: Table, node: int) -> bool:
    """Was that noted?"""
    return bool(table[node, _LINK] & _ALONE == _ALONE)
