"""Expand positions, compiled for each game: try every action with every outcome of chance.

If an array is full, the code returns; the position at hand is expanded once more with more room.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.keys import mix
from bidarena.baselines.solvers.graph.facts import F
from bidarena.baselines.solvers.graph.tables import N, Tables, clear_row, copy_row
from bidarena.envs.compile import apart, borrow, keep
from bidarena.envs.game import (
    CUT_SHORT,
    Cfg,
    State,
    legal,
    reset,
    returns,
    step,
    to_move,
    withdraw,
)
from bidarena.envs.outcomes import (
    Script,
    begin_outcomes,
    next_outcome,
    rewind,
    trouble_of,
    weight_of,
)

DONE, NO_ROOM, PAUSED, TROUBLE = 0, 1, 2, 3  # how expanding ended
# troubles, beside those of a script: REAL and MANY
GENERAL_SUM, EARLY, THREE, UNEVEN, CLOCK = 3, 4, 5, 6, 7

FEW = 64  # draws with at most so many branches have one branch for equal outcomes

_SEED = np.uint64(0x2545F4914F6CDD1D)
_ONE = np.uint64(1)


class Desk(NamedTuple):
    """What the code works with, beside the tables."""

    facts: NDArray[np.int64]  # of the game, see facts.py
    idle: NDArray[np.int8]  # 1 for each number of the state that does not matter
    states: NDArray[np.int64]  # (4, size) none, a waiting move, what follows, what follows the last
    masks: NDArray[np.int8]  # (3, actions) of rows, of columns, of the first row's columns
    results: NDArray[np.float64]  # of each player
    script: Script


def explore_positions(
    cfg: Cfg,
    tables: Tables,
    facts: NDArray[np.int64],
    idle: NDArray[np.int8],
    actions: int,
    until: int,
    script: Script,
) -> int:
    """Expand positions until all, or the first `until`, are expanded; return how it ended."""
    size = tables.states.shape[1]
    work = np.zeros((4, size), np.int64)
    masks = np.zeros((3, actions), np.int8)  # of rows, of columns, of the first row's columns
    results = np.zeros(len(facts) - F.sides)
    lent = (borrow(work), borrow(masks), borrow(results), borrow(script))
    desk = Desk(borrow(facts), borrow(idle), *lent)
    status = _explore(borrow(cfg), _lent(tables), desk, until)
    keep(work)
    keep(masks)
    keep(results)
    return status


def _lent(tables: Tables) -> Tables:
    """Return the same arrays without their reference counts; see `borrow`."""
    return Tables(
        borrow(tables.counts),
        borrow(tables.states),
        borrow(tables.slots),
        borrow(tables.first),
        borrow(tables.rows),
        borrow(tables.columns),
        borrow(tables.movers),
        borrow(tables.ends),
        borrow(tables.cells),
        borrow(tables.branch_first),
        borrow(tables.branch_codes),
        borrow(tables.branch_weights),
    )


def _explore(
    cfg: Cfg,
    tables: Tables,
    desk: Desk,
    until: int,
) -> int:
    """Expand positions, see `explore_positions`; all arrays are borrowed."""
    counts = tables.counts
    for part in range(3):  # forget a position that was not finished for lack of room
        counts[N.cells + part] = counts[N.before + part]
    if counts[N.draws] == 0:
        status = _put_outcomes(cfg, tables, desk, desk.states[0], -1, counts[N.branches])
        if status != DONE:
            return status
        counts[N.before + 1], counts[N.before + 2] = counts[N.draws], counts[N.branches]
    while counts[N.expanded] < counts[N.positions]:
        if counts[N.expanded] >= until:
            return PAUSED
        status = _expand(cfg, tables, desk)
        if status != DONE:
            return status
        counts[N.expanded] += 1
        for part in range(3):
            counts[N.before + part] = counts[N.cells + part]
    return DONE


def _expand(
    cfg: Cfg,
    tables: Tables,
    desk: Desk,
) -> int:
    """Write the cells of the next position; return how it ended."""
    counts = tables.counts
    here = counts[N.expanded]
    tables.first[here] = counts[N.cells]
    state = tables.states[here]
    mover = to_move(cfg, state)
    if mover < 0:
        tables.rows[here] = tables.columns[here] = 0
        return DONE
    facts, script, masks = desk.facts, desk.script, desk.masks
    mask, replies, one = masks[0], masks[1], desk.states[1]
    legal(cfg, state, mask)
    rows, columns, second = 0, 0, -1
    for action in range(len(mask)):
        if not mask[action]:
            continue
        copy_row(state, one)
        begin_outcomes(script)
        step(cfg, one, action, script)
        replier = waiting(cfg, facts, state, one, mover)
        if replier >= 0:
            if next_outcome(script):
                counts[N.trouble] = EARLY
                return TROUBLE
            if facts[F.clock] >= 0 and one[facts[F.clock]] != state[facts[F.clock]]:
                counts[N.trouble] = CLOCK
                return TROUBLE
            legal(cfg, one, replies)
            width = 0
            for reply in range(len(replies)):
                if rows == 0:
                    masks[2, reply] = replies[reply]
                elif masks[2, reply] != replies[reply]:
                    counts[N.trouble] = UNEVEN
                    return TROUBLE
                if replies[reply]:
                    status = _put_cell(cfg, tables, desk, one, reply)
                    if status != DONE:
                        return status
                    width += 1
        else:
            width = 1
            status = _put_cell(cfg, tables, desk, state, action)
            if status != DONE:
                return status
        if rows == 0:
            columns, second = width, replier
        elif columns != width or second != replier:
            counts[N.trouble] = UNEVEN
            return TROUBLE
        rows += 1
    tables.rows[here], tables.columns[here] = rows, columns
    tables.movers[here, 0], tables.movers[here, 1] = mover, second
    return DONE


def waiting(cfg: Cfg, facts: NDArray[np.int64], before: State, after: State, mover: int) -> int:
    """Return who moves at the same time as `mover`, whose move is hidden in `after`; -1: nobody."""
    if facts[F.moment] == facts[F.moment + 1]:
        return -1
    replier = to_move(cfg, after)
    if replier < 0 or replier == mover:
        return -1
    for at in range(facts[F.moment], facts[F.moment + 1]):
        if before[at] != after[at]:
            return -1
    return replier


def _put_cell(
    cfg: Cfg,
    tables: Tables,
    desk: Desk,
    before: State,
    action: int,
) -> int:
    """Append a cell: what follows the action in all outcomes of chance; return how it ended."""
    counts = tables.counts
    if counts[N.cells] >= len(tables.cells):
        return NO_ROOM
    begun = counts[N.branches]
    status = _put_outcomes(cfg, tables, desk, before, action, begun)
    if status != DONE:
        return status
    if counts[N.branches] == begun + 1:  # no chance: the code itself
        tables.cells[counts[N.cells]] = tables.branch_codes[begun]
        counts[N.branches] = begun
        counts[N.draws] -= 1
    else:
        tables.cells[counts[N.cells]] = -counts[N.draws]
    counts[N.cells] += 1
    return DONE


@apart
def _put_outcomes(
    cfg: Cfg,
    tables: Tables,
    desk: Desk,
    before: State,
    action: int,
    begun: int,
) -> int:
    """Append a draw with a branch for every outcome of an action, or of the deal if it is -1."""
    counts = tables.counts
    if counts[N.draws] + 1 >= len(tables.branch_first):
        return NO_ROOM
    after, script = desk.states[2], desk.script
    begin_outcomes(script)
    number = 0
    while True:
        if action < 0:
            clear_row(after)
            reset(cfg, after, script)
        else:
            copy_row(before, after)
            step(cfg, after, action, script)
        if trouble_of(script) != 0:
            counts[N.trouble] = trouble_of(script)
            return TROUBLE
        if action >= 0 and waiting(cfg, desk.facts, before, after, -1) >= 0:
            counts[N.trouble] = THREE
            return TROUBLE
        weight = weight_of(script)
        code = _find(cfg, tables, desk, before, action)
        if code < 0:
            return -code
        same = -1
        if number <= FEW:
            for at in range(begun, begun + number):
                if tables.branch_codes[at] == code:
                    same = at
        if same >= 0:
            tables.branch_weights[same] += weight
        else:
            if begun + number >= len(tables.branch_codes):
                counts[N.branches] = begun + number
                return NO_ROOM
            tables.branch_codes[begun + number] = code
            tables.branch_weights[begun + number] = weight
            number += 1
        if not next_outcome(script):
            break
    tables.branch_first[counts[N.draws]] = begun
    counts[N.draws] += 1
    counts[N.branches] = begun + number
    return DONE


@apart
def _find(
    cfg: Cfg,
    tables: Tables,
    desk: Desk,
    before: State,
    action: int,
) -> int:
    """Return the code of the state in `desk.states[2]`, as a new position if it is one.

    Returns -NO_ROOM or -TROUBLE if that is not possible.
    """
    counts, after, clock = tables.counts, desk.states[2], desk.facts[F.clock]
    mover = to_move(cfg, after)
    tick = 0
    if clock >= 0 and action < 0 and (after[clock] != 0 or mover == CUT_SHORT):
        counts[N.trouble] = CLOCK
        return -TROUBLE
    if clock >= 0 and action >= 0:
        tick = after[clock] - before[clock]
        if tick < 0 or tick > 1 or mover == CUT_SHORT:
            counts[N.trouble] = CLOCK
            return -TROUBLE
    if mover >= 0:
        withdraw(cfg, after)
    for at in range(len(after)):
        if desk.idle[at]:
            after[at] = 0
    slot = _slot_of(tables, after)
    if tables.slots[slot] > 0:
        found = tables.slots[slot] - 1
        if tick == 1 and np.isnan(tables.ends[found]):
            return _note_cut(cfg, tables, desk, before, action, found)
        return 2 * found + tick
    found = counts[N.positions]
    if found + 1 >= len(tables.states) or 2 * found >= len(tables.slots):
        return -NO_ROOM
    copy_row(after, tables.states[found])
    tables.slots[slot] = found + 1
    counts[N.positions] += 1
    tables.ends[found] = np.nan
    if mover < 0:
        returns(cfg, after, desk.results)
        if not _opposed(desk):
            counts[N.trouble] = GENERAL_SUM
            return -TROUBLE
        tables.ends[found] = desk.results[0]
    elif tick == 1:
        return _note_cut(cfg, tables, desk, before, action, found)
    return 2 * found + tick


@apart
def _note_cut(
    cfg: Cfg,
    tables: Tables,
    desk: Desk,
    before: State,
    action: int,
    found: int,
) -> int:
    """Keep what side 0 wins if the game is cut short on entering a position; return its code."""
    last = desk.states[3]
    copy_row(before, last)
    last[desk.facts[F.clock]] = desk.facts[F.limit] - 1
    rewind(desk.script)
    step(cfg, last, action, desk.script)
    if to_move(cfg, last) != CUT_SHORT:
        tables.counts[N.trouble] = CLOCK
        return -TROUBLE
    returns(cfg, last, desk.results)
    if not _opposed(desk):
        tables.counts[N.trouble] = GENERAL_SUM
        return -TROUBLE
    tables.ends[found] = desk.results[0]
    return 2 * found + 1


def _opposed(desk: Desk) -> bool:
    """Return whether all players of side 0 win what all players of side 1 lose."""
    for player in range(len(desk.results)):
        sign = 1.0 if desk.facts[F.sides + player] == 0 else -1.0
        if abs(desk.results[player] - sign * desk.results[0]) > 1e-9:
            return False
    return True


@apart
def _slot_of(tables: Tables, state: State) -> int:
    """Return the slot of a state in the hash table, or the free one where it belongs."""
    key = _SEED
    for at in range(len(state)):
        key = mix(key, np.uint64(state[at]))
    mask = len(tables.slots) - 1
    slot = np.int64(key >> _ONE) & mask
    while tables.slots[slot] > 0:
        other = tables.states[tables.slots[slot] - 1]
        same = True
        for at in range(len(state)):
            if other[at] != state[at]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & mask
    return slot  # type: ignore[return-value]


def refill(tables: Tables) -> None:
    """Write all positions into an empty hash table."""
    for position in range(tables.counts[N.positions]):
        tables.slots[_slot_of(tables, tables.states[position])] = position + 1
