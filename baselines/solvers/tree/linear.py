"""Solve a small game with hidden information exactly, by linear programs over sequences.

A player's plan is a weight for each slot: the probability of all own actions up to it. Weights of
an information set add up to the weight of the slot before it, so all plans are the points of linear
constraints. The other player's best response to a plan has a value in each of their information
sets, at most what each of their slots is worth: linear constraints too (Koller, Megiddo and von
Stengel, 1996). HiGHS, which comes with SciPy, maximises the value at the top.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.tree.sequences import respond, slot_players, uniform
from bidarena.baselines.solvers.tree.tables import Tables

Floats = NDArray[np.float64]

MOST_SLOTS = 6_000  # beyond these sizes the regret method is faster
MOST_ENDS = 100_000


def is_small(tables: Tables) -> bool:
    """Return whether linear programs are the way for a tree."""
    return int(tables.first[-1]) <= MOST_SLOTS and len(tables.last) <= MOST_ENDS


def solve_linear(tables: Tables) -> Floats:
    """Return optimal strategies of both players.

    In information sets that a player never reaches, the strategy is the best response to the other
    player's.
    """
    strategy = uniform(tables)
    owners = slot_players(tables)
    unreached = np.zeros(len(strategy), np.bool_)
    for player in range(2):
        weights = _best_weights(tables, player)
        total = np.add.reduceat(weights, tables.first[:-1])
        per_slot = np.repeat(total, np.diff(tables.first))
        mine = owners == player
        reached = mine & (per_slot > 1e-12)
        strategy[reached] = weights[reached] / per_slot[reached]
        unreached |= mine & ~reached
    responses = respond(tables, strategy, 0).choices + respond(tables, strategy, 1).choices
    strategy[unreached] = responses[unreached]
    return strategy


def _best_weights(tables: Tables, player: int) -> Floats:
    """Return the weights of a player's slots in an optimal plan; 0 for slots of the other."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, csr_array

    owners = slot_players(tables)
    number = np.zeros(len(owners), np.int64)  # of each slot among its player's
    for each in range(2):
        number[owners == each] = np.arange(int((owners == each).sum()))
    own_sets, other_sets = (np.flatnonzero(tables.players == p) for p in (player, 1 - player))
    place = np.zeros(len(tables.players), np.int64)  # of each of the other's sets among theirs
    place[other_sets] = np.arange(len(other_sets))
    slots, replies = int((owners == player).sum()), int((owners == 1 - player).sum())
    gains = tables.gains[:, 0] * (1.0 if player == 0 else -1.0)
    last, theirs = tables.last[:, player], tables.last[:, 1 - player]

    # value of a set - values of sets that follow a slot - what ends after it <= constants
    rows: list[NDArray[np.int64]] = []
    columns: list[NDArray[np.int64]] = []
    entries: list[Floats] = []
    limits = np.zeros(replies)
    objective = np.zeros(slots + len(other_sets))
    for group in other_sets:
        here = number[tables.first[group] : tables.first[group + 1]]
        rows.append(here)
        columns.append(np.full(len(here), slots + place[group]))
        entries.append(np.ones(len(here)))
        if tables.parents[group] >= 0:
            rows.append(np.array([number[tables.parents[group]]]))
            columns.append(np.array([slots + place[group]]))
            entries.append(np.array([-1.0]))
        else:
            objective[slots + place[group]] = -1.0
    both = (last >= 0) & (theirs >= 0)
    rows.append(number[theirs[both]])
    columns.append(number[last[both]])
    entries.append(-gains[both])
    alone = (last >= 0) & (theirs < 0)  # ends before the other has moved
    np.add.at(objective, number[last[alone]], -gains[alone])
    fixed = (last < 0) & (theirs >= 0)
    np.add.at(limits, number[theirs[fixed]], gains[fixed])
    shape = (replies, slots + len(other_sets))
    inside = (np.concatenate(rows), np.concatenate(columns)) if rows else ([], [])
    above = coo_array((np.concatenate(entries) if rows else [], inside), shape=shape)

    # weights of a set add up to the weight before it
    rows, columns, entries = [], [], []
    ones = np.zeros(len(own_sets))
    for at, group in enumerate(own_sets):
        here = number[tables.first[group] : tables.first[group + 1]]
        rows.append(np.full(len(here), at))
        columns.append(here)
        entries.append(np.ones(len(here)))
        if tables.parents[group] >= 0:
            rows.append(np.array([at]))
            columns.append(np.array([number[tables.parents[group]]]))
            entries.append(np.array([-1.0]))
        else:
            ones[at] = 1.0
    weights = np.zeros(len(owners))
    if not len(own_sets):
        return weights
    inside = (np.concatenate(rows), np.concatenate(columns))
    equal = coo_array(
        (np.concatenate(entries), inside), shape=(len(own_sets), slots + len(other_sets))
    )
    bounds = [(0.0, 1.0)] * slots + [(None, None)] * len(other_sets)
    found = linprog(
        objective,
        A_ub=csr_array(above) if replies else None,
        b_ub=limits if replies else None,
        A_eq=csr_array(equal),
        b_eq=ones,
        bounds=bounds,
        method="highs",
    )
    if found.x is None:
        raise ValueError(f"the linear program was not solved: {found.message}")
    weights[owners == player] = np.maximum(found.x[:slots], 0.0)
    return weights
