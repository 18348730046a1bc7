"""The search of the bots of Coins.

It walks the tree below a position, depth first, and counts how the games in it end. On the way it
finds positions that are surely won or lost. Positions whose tree is complete go into a table. When
the time is up, the games counted so far decide.

The tree is walked with a stack, because Numba cannot cache functions that call themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.coins.shapes import recognise
from bidarena.baselines.coins.table import (
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
from bidarena.envs.bits import count
from bidarena.envs.coins.rules import LOSES, POINTS, C, S, points_of
from bidarena.envs.compile import borrow, keep, seconds
from bidarena.envs.game import Cfg, Mask, Rng, State
from bidarena.envs.rng import below

EVERY_FOURTH, EVERY_SECOND = 24, 16  # with more coins `bounded` looks at every 4th, every 2nd move
FEW = 4  # positions with up to so many coins are not worth an entry in the table

# columns of the stack
_BOARD, _MARGIN, _KEY, _ABOVE = 0, 1, 2, 3  # _ABOVE: the row of the position before
_MOVES, _NEXT = 4, 5  # how many moves the position has, and which one is next
_WON, _ALL_LOST = 6, 7  # whether some move wins; whether all moves tried so far lose
_COLUMNS = 8


def search_act(cfg: Cfg, params: Plan, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return the move of a bot that forgets what it searched."""
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
    """Search below every legal move until the time is up, and return the move to make.

    Args:
        cfg: the rules.
        plan: the parameters of the search.
        state: the state.
        player: the player to move.
        rng: draws among equally good moves.
        entries: the table of positions, and ...
        sums: ... the games won and lost below each of them; both are filled by the search.
        report: what the search reports, see `table.py`.
    """
    size = cfg[C.segments]
    by_points = cfg[C.score] == POINTS
    board = state[S.board]
    lying = count(board)
    gains = np.zeros(size, np.int64)  # points of each action where points decide, else 0
    moves = np.empty((lying + 1, size), np.int64)
    rows = np.empty((lying + 1, _COLUMNS), np.int64)
    counts = np.empty((lying + 1, 2), np.float64)
    taste = np.zeros(size, np.int64)  # points or, on a plain board, coins of each action
    legal_moves = 0
    for action in range(size - 1, -1, -1):
        take = cfg[C.takes + action]
        points = points_of(cfg, state, take)
        if by_points:
            gains[action] = points
        taste[action] = points if cfg[C.colours] else count(take)
        if by_points and take == board:
            taste[action] += cfg[C.last_bonus]
        if take & ~board == 0:
            moves[lying, legal_moves] = action
            legal_moves += 1
    own = moves[lying]
    if plan[GREEDY] or cfg[C.colours]:
        _sort(own, legal_moves, taste)
    stride = _stride(plan, lying)
    margin = state[S.points + player] - state[S.points + 1 - player] if by_points else 0
    looked_at = (legal_moves + stride - 1) // stride
    seen = np.zeros((looked_at, 3), np.float64)  # verdict, games won and lost by the opponent
    finished = np.zeros(looked_at, np.bool_)

    # With a table, half of the time is divided among the moves. The other half goes to the first
    # unfinished move, then to the next one: a search that is continued finds its table filled.
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
        take = cfg[C.takes + action]
        after = board ^ take
        ahead = margin + gains[action] + (cfg[C.last_bonus] if after == 0 else 0)
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
            ratio = -1.0 - count(cfg[C.takes + action]) / 64.0
        pleasing = taste[action] if cfg[C.colours] else 0
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
    """Count all games below a position; return the verdict, and how many the mover wins and loses.

    The verdict is 1 for a sure win, -1 for a sure loss, 0 for neither or not known. A position's
    row in the stack and its list of moves are at the index that is its number of coins. The last
    row has a list of `listed` moves, which contains all moves of the position.
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
                    total += (cfg[C.takes + action] & taken) == 0
                row[_MOVES], row[_NEXT] = total, 0
                row[_WON], row[_ALL_LOST] = 0, 1
                counts[lying, WINS], counts[lying, LOSSES] = 0.0, 0.0

        if not known:
            if row[_NEXT] < row[_MOVES] and not (sure and row[_WON] != 0):
                action = moves[lying, row[_NEXT]]
                row[_NEXT] += _stride(plan, lying)
                take = cfg[C.takes + action]
                left = lying - count(take)
                bonus = cfg[C.last_bonus] if left == 0 else 0
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
    """Return 4 if `bounded` looks at every fourth move, 2 at every second; 1 for all moves."""
    if plan[BOUNDED] == 0 or lying <= EVERY_SECOND:
        return 1
    return 4 if lying > EVERY_FOURTH else 2


def _sort(moves: NDArray[np.int64], listed: int, taste: NDArray[np.int64]) -> None:
    """Sort the moves in place, those of the highest taste first."""
    kept = moves[:listed].copy()
    order = np.argsort(-taste[kept], kind="mergesort")
    for k in range(listed):
        moves[k] = kept[order[k]]


def _counted_so_far(
    rows: NDArray[np.int64], counts: NDArray[np.float64], lying: int, top: int
) -> tuple[float, float]:
    """Return the games won and lost below the top position when the search was stopped."""
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
    """Return whether a position is known, its verdict, and the games won and lost below it.

    A position is known if no coin is left, if it is in the table, or if its shape is known.
    """
    board = row[_BOARD]
    if board == 0:
        if cfg[C.score] == POINTS:
            verdict = 1 if row[_MARGIN] > 0 else (-1 if row[_MARGIN] < 0 else 0)
        else:  # the player to move has not taken the last coin
            verdict = 1 if cfg[C.last_coin] == LOSES else -1
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
