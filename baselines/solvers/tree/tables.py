"""The information sets of a game with hidden information, and the ends of all its histories.

An information set is all that a player knows at a decision: every observation since the deal, in
order, and the player's own actions. It has a slot for each legal action. A slot is also a name for
a sequence: all own actions up to this one, because a player who forgets nothing knows how a slot
was reached. So an end of the game needs no history: for each player the slot of their last action
is enough, and what the player won, times the probability of the chance on the way. Strategies are
arrays with a probability for each slot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.graph.tables import doubled
from bidarena.envs.game import Game, layout, starts

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

# how many there are, what went wrong, how deep the search is, and how many nodes it has seen
COUNTS = layout(sets=1, slots=1, ends=1, trouble=1, depth=1, nodes=1)
N = starts(COUNTS)


class Tables(NamedTuple):
    """The arrays of a tree, with room for more."""

    counts: Integers
    hashed: NDArray[np.int32]  # hash table of information sets: 1 + number, or 0
    keys: NDArray[np.uint64]  # (sets, 3) two words of what the player knows, one of the legal moves
    states: Integers  # (sets, state size) one of the states in which the set was met
    players: NDArray[np.int8]  # (sets) who is to move
    parents: NDArray[np.int32]  # (sets) the slot of the player's action before; -1: none
    first: NDArray[np.int32]  # (sets + 1) the first slot
    last: NDArray[np.int32]  # (ends, players) the slot of each player's last action; -1: none
    gains: Floats  # (ends, columns) result times probability of chance, for player 0 or for every
    # player; in the last column the probability itself

    @property
    def bytes(self) -> int:
        """The memory of all arrays."""
        return sum(array.nbytes for array in self)


class Stack(NamedTuple):
    """The path from the deal to the history at hand, one row for each move."""

    states: Integers
    movers: Integers  # who is to move; -1: the deal
    actions: Integers  # the action that is tried; -1: none yet
    tried: Integers  # how many actions were tried before it
    open: NDArray[np.int8]  # whether the action has further outcomes of chance
    sets: Integers  # the information set
    scripts: NDArray[np.uint64]
    known: NDArray[np.uint64]  # (depth, players, 2) what each player has seen so far
    seen: NDArray[np.uint64]  # (depth, players) what each player saw last
    last: Integers  # (depth, players) the slot of each player's last action
    weights: Floats  # the probability of all chance so far


def new_tables(game: Game, columns: int, room: int = 1024) -> Tables:
    """Return empty tables with a column of results for each player whose results are needed."""
    return Tables(
        counts=np.zeros(COUNTS["nodes"].stop, np.int64),
        hashed=np.zeros(4 * room, np.int32),
        keys=np.zeros((room, 3), np.uint64),
        states=np.zeros((room, game.state_size), np.int64),
        players=np.zeros(room, np.int8),
        parents=np.zeros(room, np.int32),
        first=np.zeros(room + 1, np.int32),
        last=np.zeros((4 * room, game.players), np.int32),
        gains=np.zeros((4 * room, columns + 1)),
    )


def new_stack(game: Game, script: int) -> Stack:
    """Return a stack for the longest game; a script has so many numbers."""
    depth, players = game.longest + 2, game.players
    return Stack(
        states=np.zeros((depth, game.state_size), np.int64),
        movers=np.full(depth, -1),
        actions=np.full(depth, -1),
        tried=np.zeros(depth, np.int64),
        open=np.zeros(depth, np.int8),
        sets=np.zeros(depth, np.int64),
        scripts=np.zeros((depth, script), np.uint64),
        known=np.zeros((depth, players, 2), np.uint64),
        seen=np.zeros((depth, players), np.uint64),
        last=np.full((depth, players), -1),
        weights=np.ones(depth),
    )


def grown(tables: Tables) -> Tables:
    """Return tables with twice the room for information sets, or for ends, that are nearly full."""
    full = set()
    if tables.counts[N.sets] + 2 >= len(tables.players):
        full = {"keys", "states", "players", "parents", "first"}
    if tables.counts[N.ends] >= len(tables.gains):
        full |= {"last", "gains"}
    larger = {name: doubled(getattr(tables, name)) for name in full}
    if "keys" in larger:  # information sets are found anew in a larger hash table
        larger["hashed"] = np.zeros(2 * len(tables.hashed), np.int32)
    return tables._replace(**larger)


def trimmed(tables: Tables) -> Tables:
    """Return tables without room to spare."""
    sets, ends = int(tables.counts[N.sets]), int(tables.counts[N.ends])
    first = tables.first[: sets + 1].copy()
    first[-1] = tables.counts[N.slots]
    return tables._replace(
        hashed=tables.hashed[:0],
        keys=tables.keys[:0],
        states=tables.states[:sets].copy(),
        players=tables.players[:sets].copy(),
        parents=tables.parents[:sets].copy(),
        first=first,
        last=tables.last[:ends].copy(),
        gains=tables.gains[:ends].copy(),
    )
