"""List what can follow a position: every move, or pair of moves made at the same time, and chance.

For networks that judge positions (positions.py plays by them, `bidarena.train` teaches them). The
moves of the player who is asked first are the rows of a matrix; its columns are the moves that the
other player makes at the same time, or there is one column where nobody does. A cell of the matrix
leads to one branch for every outcome of chance. Equal positions are kept once, however many cells
lead to them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.keys import mix
from bidarena.baselines.solvers.graph.expand import waiting
from bidarena.baselines.solvers.graph.facts import F
from bidarena.baselines.solvers.matrix import saddle, solve_into
from bidarena.envs.compile import apart, borrow, with_rules
from bidarena.envs.game import (
    Cfg,
    Game,
    Mask,
    State,
    layout,
    legal,
    returns,
    starts,
    step,
    to_move,
    withdraw,
)
from bidarena.envs.outcomes import (
    SCRIPTED,
    Script,
    begin_outcomes,
    next_outcome,
    trouble_of,
    weight_of,
)

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

N = starts(layout(positions=1, cells=1, branches=1, trouble=1))  # counts
M = starts(layout(mover=1, second=1, rows=1, columns=1, first=1))  # a matrix; second -1: none
SHAPE = 5
EARLY = 3  # a trouble: chance before both players have moved

_SEED = np.uint64(0x2545F4914F6CDD1D)
_ONE = np.uint64(1)


class Successors(NamedTuple):
    """Positions that follow, the cells that lead to them, and room to work in."""

    counts: Integers  # see N
    states: Integers  # (room, size) the positions, with parts that do not matter set to 0
    ends: Floats  # what player 0 wins where the game is over; nan elsewhere
    slots: Integers  # a hash table of them: number + 1, or 0; its length is a power of 2
    first: Integers  # where the branches of each cell begin
    codes: Integers  # the position of each branch
    weights: Floats  # its probability
    facts: Integers  # of the game, see solvers/graph/facts.py
    idle: NDArray[np.int8]  # 1 for each number of the state that does not matter
    work: Integers  # (3, size)
    masks: NDArray[np.int8]  # (2, actions)
    results: Floats  # of each player
    script: Script


@apart
@with_rules(**SCRIPTED)
def expand(cfg: Cfg, state: State, found: Successors, shape: Integers) -> bool:
    """Append the cells of a position in which nobody has moved yet; return False without room.

    Args:
        cfg: of the game.
        state: the position; the game is not over.
        found: where cells, branches and positions are appended. Without room, or if a trouble is
            noted in its counts, nothing is.
        shape: (SHAPE,) who moves, and where the matrix is; see M.
    """
    cfg, state, counts, script = borrow(cfg), borrow(state), borrow(found.counts), found.script
    one, mask, replies = borrow(found.work)[0], borrow(found.masks)[0], borrow(found.masks)[1]
    before = counts[N.positions], counts[N.cells], counts[N.branches]
    mover = to_move(cfg, state)
    rows, columns, second = 0, 1, -1
    room = True
    legal(cfg, state, mask)
    for action in range(len(mask)):
        if not mask[action] or not room or counts[N.trouble]:
            continue
        _copy(state, one)
        begin_outcomes(script)
        step(cfg, one, action, script)
        replier = waiting(cfg, found.facts, state, one, mover)
        rows += 1
        if replier < 0:
            mask[action] = 2
            room = _put_row(cfg, state, mask, 2, found, -1)
            mask[action] = 1
            continue
        if next_outcome(script):
            counts[N.trouble] = EARLY
        above = counts[N.cells] - columns if second >= 0 else -1  # the first cell of the last row
        legal(cfg, one, replies)
        room = _put_row(cfg, one, replies, 1, found, above)
        second, columns = replier, 0
        for reply in range(len(replies)):
            columns += replies[reply]
    if not room or counts[N.trouble]:
        _forget(found, before[0])
        counts[N.cells], counts[N.branches] = before[1], before[2]
        return False
    shape[M.mover], shape[M.second], shape[M.first] = mover, second, before[1]
    shape[M.rows], shape[M.columns] = rows, columns
    return True


@apart
@with_rules(**SCRIPTED)
def _put_row(
    cfg: Cfg, before: State, mask: Mask, wanted: int, found: Successors, above: int
) -> bool:
    """Append a cell with all outcomes for each action that is marked; return False without room.

    Neighbours often lead to the same position, because the bid that wins is the same. So a position
    is first compared with that of the cell before, then with that of the cell in the row above.

    Args:
        cfg: of the game.
        before: the position before the action.
        mask: the actions.
        wanted: their mark.
        found: where cells, branches and positions are appended.
        above: the first cell of the row above, or -1.
    """
    cfg, before, mask, script = borrow(cfg), borrow(before), borrow(mask), borrow(found.script)
    counts, after, idle = borrow(found.counts), borrow(found.work)[1], borrow(found.idle)
    states, first = borrow(found.states), borrow(found.first)
    codes, weights = borrow(found.codes), borrow(found.weights)
    cells, branches = counts[N.cells], counts[N.branches]
    last = codes[branches - 1] if branches > 0 else -1
    for action in range(len(mask)):
        if mask[action] != wanted:
            continue
        if cells + 1 >= len(first):
            return False
        hint, end = 0, 0
        if above >= 0:
            hint, end = first[above], first[above + 1]
            above += 1
        begin_outcomes(script)
        while True:
            if branches >= len(codes):
                return False
            _copy(before, after)
            step(cfg, after, action, script)
            if trouble_of(script) != 0:
                counts[N.trouble] = trouble_of(script)
                return False
            if last < 0 or not _alike(states, last, after, idle):
                if hint < end and _alike(states, codes[hint], after, idle):
                    last = codes[hint]
                else:
                    last = _find(cfg, found)
                    if last < 0:
                        return False
            codes[branches] = last
            weights[branches] = weight_of(script)
            branches += 1
            hint += 1
            if not next_outcome(script):
                break
        cells += 1
        first[cells] = branches
        counts[N.cells], counts[N.branches] = cells, branches
    return True


@apart
def _find(cfg: Cfg, found: Successors) -> int:
    """Return the number of the position in `work[1]`, a new one if it was not met; -1: no room."""
    cfg, counts, after = borrow(cfg), borrow(found.counts), borrow(found.work)[1]
    idle, states, slots = borrow(found.idle), borrow(found.states), borrow(found.slots)
    over = to_move(cfg, after) < 0
    if over:
        returns(cfg, after, found.results)
    for at in range(len(after)):
        if idle[at]:
            after[at] = 0
    key = _SEED
    for at in range(len(after)):
        key = mix(key, np.uint64(after[at]))
    mask = len(slots) - 1
    slot = np.int64(key >> _ONE) & mask
    while slots[slot] > 0:
        if _alike(states, slots[slot] - 1, after, idle):
            return slots[slot] - 1
        slot = (slot + 1) & mask
    position = counts[N.positions]
    if position >= len(states) or 2 * position >= len(slots):
        return -1
    for at in range(len(after)):
        states[position, at] = after[at]
    found.ends[position] = found.results[0] if over else np.nan
    slots[slot] = position + 1
    counts[N.positions] += 1
    return position


def _alike(states: Integers, position: int, state: State, idle: NDArray[np.int8]) -> bool:
    """Return whether a state is that of a position in all that matters."""
    alike = True
    for at in range(len(state)):
        if states[position, at] != state[at] and not idle[at]:
            alike = False
            break
    return alike


@apart
def _forget(found: Successors, positions: int) -> None:
    """Forget all positions but the first ones."""
    for slot in range(len(found.slots)):
        if found.slots[slot] > positions:
            found.slots[slot] = 0
    found.counts[N.positions] = positions


def _copy(source: State, target: State) -> None:
    for at in range(len(source)):
        target[at] = source[at]


def points_at(game: Game) -> int:
    """Return where the points of player 0 are in the state; those of player 1 follow."""
    assert game.score is not None
    return game.state[game.score].start


def undo_moves(cfg: Cfg, state: State, moment: State) -> None:
    """Write into `moment` the position in which nobody has moved yet."""
    _copy(state, moment)
    withdraw(cfg, moment)


def fill_matrix(found: Successors, worths: Floats, shape: Integers, matrix: Floats) -> None:
    """Write what the player of the rows expects of each cell.

    Args:
        found: the cells.
        worths: what player 0 expects in each position.
        shape: of the matrix.
        matrix: (rows, columns).
    """
    sign = 1.0 if found.facts[F.sides + shape[M.mover]] == 0 else -1.0
    cell = shape[M.first]
    for i in range(shape[M.rows]):
        for j in range(shape[M.columns]):
            total = 0.0
            for branch in range(found.first[cell], found.first[cell + 1]):
                total += found.weights[branch] * worths[found.codes[branch]]
            matrix[i, j] = sign * total
            cell += 1


def settle(matrix: Floats, slack: float, pure: bool, row: Floats, column: Floats) -> float:
    """Write how both players choose, and return what the player of the rows expects.

    Worths come from a network, so a choice that is best by little may be a mistake. Where two pure
    choices guarantee the value up to `slack`, players take the middle one of all choices around the
    best that guarantee it up to `slack`: bids next to it are good too. Elsewhere they play an
    equilibrium, unless `pure`: then they never mix, and expect what lies half way between what both
    can guarantee. That is right where equilibria in pure choices exist and only the network hides
    them, and saves solving large matrices. A player who chooses while the other has no choice takes
    the best: in games of turns one's own moves have no order.
    """
    low, low_at, high, high_at = saddle(matrix)
    if high - low > slack and not pure:
        return solve_into(matrix, row, column)[0]
    for i in range(len(row)):
        row[i] = 0.0
    for j in range(len(column)):
        column[j] = 0.0
    if len(column) == 1 or len(row) == 1:
        row[low_at] = column[high_at] = 1.0
        return low
    row[_middle(matrix, low_at, low - slack, 1.0)] = 1.0
    column[_middle(matrix.T, high_at, -high - slack, -1.0)] = 1.0
    return 0.5 * (low + high)


def _middle(matrix: Floats, best: int, least: float, sign: float) -> int:
    """Return the middle of the rows around `best` that guarantee `least`.

    Of two rows in the middle it is the one that guarantees more, or the first if both do alike.
    """
    first, last = best, best
    while first > 0 and _guarantee(matrix, first - 1, sign) >= least:
        first -= 1
    while last + 1 < len(matrix) and _guarantee(matrix, last + 1, sign) >= least:
        last += 1
    middle, other = (first + last) // 2, (first + last + 1) // 2
    if _guarantee(matrix, other, sign) > _guarantee(matrix, middle, sign):
        return other
    return middle


def _guarantee(matrix: Floats, row: int, sign: float) -> float:
    """Return the least of a row, for the player who wins `sign` times the matrix."""
    least = np.inf
    for j in range(matrix.shape[1]):
        least = min(least, sign * matrix[row, j])
    return least
