"""The search of the bots of Coins.

It walks the tree below a position, depth first, and counts how the games in it end; on the way it
finds out which positions are surely won or lost. Positions that are finished go into a table. When
the time is up, what has been counted so far decides.

The tree is walked with a stack, because Numba cannot cache functions that call themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.coins import count, points_of
from bidarena.baselines.coins_shapes import recognise
from bidarena.baselines.coins_table import (
    BOUNDED,
    FINISHED,
    GREEDY,
    KEY,
    LOSSES,
    MICROSECONDS,
    NODES,
    SHAPES_AT,
    SURE,
    TABLE,
    VERDICT,
    VISITED,
    WINS,
    Plan,
    enter,
    find,
    turned,
)
from bidarena.envs.coins.rules import (
    BOARD,
    BONUS,
    COLOURS,
    LAST_COIN,
    LOSES,
    POINTS,
    SCORE,
    SEGMENTS,
    TAKES,
    TOTALS,
)
from bidarena.envs.compile import borrow, keep, seconds
from bidarena.envs.game import Cfg, Mask, Rng, State
from bidarena.envs.rng import below

EVERY_FOURTH, EVERY_SECOND = 24, 16  # `bounded`: with more coins than this
FEW = 4  # positions with no more coins are not worth an entry in the table

# columns of the stack
_BOARD, _MARGIN, _KEY, _ABOVE = 0, 1, 2, 3  # _ABOVE: the row of the position before
_MOVES, _NEXT = 4, 5  # how many moves it has, and which one is next
_WON, _ALL_LOST = 6, 7  # does some move win; do all lose, as far as seen
_COLUMNS = 8


def search_act(cfg: Cfg, params: Plan, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """The move of a bot that forgets what it searched."""
    size = 1 << params[TABLE]
    entries = np.zeros((size, 3), np.int64)
    sums = np.zeros((size, 2), np.float64)
    report = np.zeros(3, np.int64)
    lent = (borrow(entries), borrow(sums), borrow(report))
    action = choose(cfg, params, state, player, rng, lent[0], lent[1], lent[2])
    keep((entries, sums, report))
    return action


def choose(
    cfg: Cfg,
    plan: Plan,
    state: State,
    player: int,
    rng: Rng,
    entries: NDArray[np.int64],
    sums: NDArray[np.float64],
    report: NDArray[np.int64],
) -> int:
    """The move to make, after a search below every legal one, as far as the time goes."""
    size = cfg[SEGMENTS]
    by_points = cfg[SCORE] == POINTS
    board = state[BOARD]
    lying = count(board)
    gains = np.zeros(size, np.int64)  # what decides: points, if they do
    moves = np.empty((lying + 1, size), np.int64)
    rows = np.empty((lying + 1, _COLUMNS), np.int64)
    counts = np.empty((lying + 1, 2), np.float64)
    taste = np.zeros(size, np.int64)  # what `greedy` goes by
    legal_moves = 0
    for action in range(size - 1, -1, -1):
        take = cfg[TAKES + action]
        points = points_of(cfg, state, take)
        if by_points:
            gains[action] = points
        taste[action] = points if cfg[COLOURS] else count(take)
        if by_points and take == board:
            taste[action] += cfg[BONUS]
        if take & ~board == 0:
            moves[lying, legal_moves] = action
            legal_moves += 1
    own = moves[lying]
    if plan[GREEDY] or cfg[COLOURS]:
        _sort(own, legal_moves, taste)
    stride = _stride(plan, lying)
    margin = state[TOTALS + player] - state[TOTALS + 1 - player] if by_points else 0
    looked_at = (legal_moves + stride - 1) // stride
    seen = np.zeros((looked_at, 3), np.float64)  # verdict, games won and lost by the opponent
    finished = np.zeros(looked_at, np.bool_)

    # With a table, half of the time is shared out among the moves. The other half goes to the first
    # that is not finished, then to the next: so a search that is taken up again gets further.
    rounds = 2 if plan[TABLE] else 1
    timed = plan[MICROSECONDS] >= 0
    began = seconds() if timed else 0.0
    end = began + plan[MICROSECONDS] * 1e-6 if timed else 1e300
    last_node = plan[NODES] if plan[NODES] >= 0 else 1 << 62
    report[VISITED] = 0
    for turn in range(rounds * looked_at):
        k = turn % looked_at
        now = seconds() if timed else 0.0
        if turn < looked_at:
            share = looked_at - k
            deadline = now + (began + (end - began) / rounds - now) / share if timed else end
            limit = report[VISITED] + (last_node // rounds - report[VISITED]) // share
        else:
            if now >= end or report[VISITED] >= last_node:
                break
            deadline, limit = end, last_node
        if finished[k]:
            continue
        action = own[k * stride]
        take = cfg[TAKES + action]
        after = board ^ take
        ahead = margin + gains[action] + (cfg[BONUS] if after == 0 else 0)
        verdict, wins, losses = explore(
            cfg,
            plan,
            borrow(gains),
            entries,
            sums,
            report,
            borrow(moves),
            borrow(rows),
            borrow(counts),
            after,
            lying - count(take),
            -ahead,
            legal_moves,
            limit,
            deadline,
        )
        if verdict < 0 and plan[SURE]:
            return action  # the opponent is surely lost
        finished[k] = report[FINISHED] != 0
        if finished[k] or wins + losses > seen[k, 1] + seen[k, 2]:
            seen[k, 0], seen[k, 1], seen[k, 2] = verdict, wins, losses

    best = -1e300
    most_pleasing = 0
    found = 0
    chosen = -1
    for k in range(looked_at):
        action = own[k * stride]
        verdict, wins, losses = seen[k, 0], seen[k, 1], seen[k, 2]
        ratio = losses / (wins + losses) if wins + losses > 0.0 else 0.5
        if plan[GREEDY]:
            ratio = float(taste[action])
        elif plan[SURE] and verdict > 0:  # surely lost: as few coins as possible
            ratio = -1.0 - count(cfg[TAKES + action]) / 64.0
        pleasing = taste[action] if cfg[COLOURS] else 0
        if ratio > best or (ratio == best and pleasing > most_pleasing):
            best, most_pleasing = ratio, pleasing
            found = 0
        if ratio == best and pleasing == most_pleasing:
            found += 1
            if below(rng, found) == 0:
                chosen = action
    return chosen


def explore(
    cfg: Cfg,
    plan: Plan,
    gains: NDArray[np.int64],
    entries: NDArray[np.int64],
    sums: NDArray[np.float64],
    report: NDArray[np.int64],
    moves: NDArray[np.int64],
    rows: NDArray[np.int64],
    counts: NDArray[np.float64],
    board: int,
    lying: int,
    margin: int,
    listed: int,
    limit: int,
    deadline: float,
) -> tuple[int, float, float]:
    """All games below a position: the verdict, and how many are won and lost by who is to move.

    The verdict is 1 for a sure win, -1 for a sure loss, 0 for neither or not known. Row and list of
    a position in the stack are found by the number of its coins. The row after `lying` has a list
    of `listed` moves, all moves of the position being among them.
    """
    sure = plan[SURE] != 0
    top = lying
    rows[lying, _BOARD], rows[lying, _MARGIN] = board, margin
    rows[lying, _ABOVE] = len(rows) - 1
    rows[len(rows) - 1, _MOVES] = listed
    entering = True
    verdict, wins, losses = 0, 0.0, 0.0
    while True:
        row = rows[lying]
        known = False
        if entering:
            entering = False
            report[VISITED] += 1
            visited = report[VISITED]
            if visited > limit or (visited & 127 == 0 and seconds() > deadline):
                report[FINISHED] = 0
                wins, losses = _counted_so_far(rows, counts, lying, top)
                return 0, wins, losses
            known, verdict, wins, losses = _look_up(cfg, plan, row, lying, entries, sums)
            if not known:
                above, taken, total = row[_ABOVE], ~row[_BOARD], 0
                for k in range(rows[above, _MOVES]):
                    action = moves[above, k]
                    moves[lying, total] = action
                    total += (cfg[TAKES + action] & taken) == 0
                row[_MOVES], row[_NEXT] = total, 0
                row[_WON], row[_ALL_LOST] = 0, 1
                counts[lying, WINS], counts[lying, LOSSES] = 0.0, 0.0

        if not known:
            if row[_NEXT] < row[_MOVES] and not (sure and row[_WON] != 0):
                action = moves[lying, row[_NEXT]]
                row[_NEXT] += _stride(plan, lying)
                take = cfg[TAKES + action]
                left = lying - count(take)
                bonus = cfg[BONUS] if left == 0 else 0
                rows[left, _BOARD] = row[_BOARD] ^ take
                rows[left, _MARGIN] = -(row[_MARGIN] + gains[action] + bonus)
                rows[left, _ABOVE] = lying
                lying = left
                entering = True
                continue
            verdict = 1 if row[_WON] else (-1 if row[_ALL_LOST] else 0)
            wins, losses = counts[lying, WINS], counts[lying, LOSSES]
            if sure and verdict != 0:  # all that was counted counts for the winner
                wins, losses = (wins + losses, 0.0) if verdict > 0 else (0.0, wins + losses)
            if plan[TABLE] and lying > FEW:
                key, ahead = row[_KEY], row[_MARGIN]
                enter(entries, sums, report, key, ahead, verdict, wins, losses)

        if lying == top:
            report[FINISHED] = 1
            return verdict, wins, losses
        lying = rows[lying, _ABOVE]
        if verdict < 0:
            rows[lying, _WON] = 1
        if verdict <= 0:
            rows[lying, _ALL_LOST] = 0
        counts[lying, WINS] += losses
        counts[lying, LOSSES] += wins


def _stride(plan: Plan, lying: int) -> int:
    """`bounded` looks at every fourth, then at every second move."""
    if plan[BOUNDED] == 0 or lying <= EVERY_SECOND:
        return 1
    return 4 if lying > EVERY_FOURTH else 2


def _sort(moves: NDArray[np.int64], listed: int, taste: NDArray[np.int64]) -> None:
    """The tastiest moves first."""
    kept = moves[:listed].copy()
    order = np.argsort(-taste[kept], kind="mergesort")
    for k in range(listed):
        moves[k] = kept[order[k]]


def _counted_so_far(
    rows: NDArray[np.int64], counts: NDArray[np.float64], lying: int, top: int
) -> tuple[float, float]:
    """What was counted below the position at the top when the search was stopped."""
    wins, losses = 0.0, 0.0
    while lying != top:
        lying = rows[lying, _ABOVE]
        wins, losses = counts[lying, WINS] + losses, counts[lying, LOSSES] + wins
    return wins, losses


def _look_up(
    cfg: Cfg,
    plan: Plan,
    row: NDArray[np.int64],
    lying: int,
    entries: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> tuple[bool, int, float, float]:
    """Is a position known, because it is the end, or in the table, or of a known shape?"""
    board = row[_BOARD]
    if board == 0:
        if cfg[SCORE] == POINTS:
            verdict = 1 if row[_MARGIN] > 0 else (-1 if row[_MARGIN] < 0 else 0)
        else:  # who is to move has not taken the last coin
            verdict = 1 if cfg[LAST_COIN] == LOSES else -1
        return True, verdict, 0.5 + 0.5 * verdict, 0.5 - 0.5 * verdict
    if plan[TABLE] and lying > FEW:
        row[_KEY] = turned(plan, board)
        slot = find(entries, row[_KEY], row[_MARGIN])
        if entries[slot, KEY] != 0:
            return True, entries[slot, VERDICT], sums[slot, WINS], sums[slot, LOSSES]
    verdict = recognise(plan, plan[SHAPES_AT], board, lying)
    if verdict != 0:
        return True, verdict, 0.5 + 0.5 * verdict, 0.5 - 0.5 * verdict
    return False, 0, 0.0, 0.0
