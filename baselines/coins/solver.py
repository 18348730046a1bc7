"""Coins solved by retrograde analysis: every position that can arise, from the empty board up.

Every move removes bits, so a position is a larger number than all that can follow it, and one pass
in the order of the numbers sees every position after its successors.

Where the last coin decides, a position is won or lost for the player to move: one bit. A group of
64 positions that differ only in the coins 0..5 is one uint64 of the table. Taking coins that are
all among 6, 7, ... leads from a whole group to one other group; so the won positions of a group are
an `or` of other groups, shifted where coins of both kinds are taken. What remains, moves among the
coins 0..5, is done last: the lowest position that is not won yet is lost, and all positions that
can move to it are won.

Where points decide, the table holds for each position by how much the player to move will be ahead
of the other from there on, 16 bits each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.coins.lines import Coins, coins_of
from bidarena.envs.coins.rules import FIXED, LOSES, POINTS, SEEDED, C
from bidarena.envs.compile import borrow, compiled
from bidarena.envs.game import Cfg, Game
from bidarena.envs.registry import make_game

MEMORY = 1 << 30  # bytes that a table may take, unless the caller allows more

LOW = 6  # the lowest coins, which tell the positions of one group apart
MIDDLE = 8  # the next coins; the groups of a block differ only in these
BLOCK = LOW + MIDDLE

_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_NONE = np.uint64(0)

LostBits = NDArray[np.uint64]  # a bit per position, set if it is lost; 64 positions are a group
Progress = Callable[[int], None]


@dataclass(frozen=True)
class SolvedBoard:
    """The facts about a solved board."""

    value: str  # who wins: "first", "second" or "draw"
    difference: int | None  # by how much the first player will be ahead, where points decide
    winning_openings: list[Coins]  # first moves that win for the first player
    best_openings: list[Coins] | None  # first moves that reach the difference, where points decide
    positions: int  # all sets of coins, the empty board included
    lost_positions: int  # how many of these are lost for the player to move
    seconds: float
    table_bytes: int


def check_solvable(game: Game, memory: int = MEMORY) -> None:
    """Raise ValueError if the board cannot be solved in so much memory."""
    coins, points = int(game.cfg[C.coins]), bool(game.cfg[C.score] == POINTS)
    if points and game.cfg[C.colours] == SEEDED:
        raise ValueError(
            "colours='seeded': a table holds for one colouring only; expected values= instead"
        )
    size = 2 << coins if points else 1 << coins >> 3
    if size > memory:
        most = memory.bit_length() - 2 if points else memory.bit_length() + 2
        raise ValueError(
            f"board={game.options['board']!r} has {coins} coins, which take {size / 2**30:,g} GiB: "
            f"in {memory / 2**30:,g} GiB boards are solved up to {most} coins"
        )


def solve(game: Game, *, memory: int = MEMORY, progress: Progress | None = None) -> SolvedBoard:
    """Solve the board of a game and return what is found.

    Args:
        game: Coins under any rules.
        memory: bytes that the table may take.
        progress: called with the number of positions just solved.
    """
    check_solvable(game, memory)
    began = time.perf_counter()
    table, lost = _solve(game.cfg, progress)
    coins = int(game.cfg[C.coins])
    full = (1 << coins) - 1
    takes = game.cfg[C.takes : C.takes + game.cfg[C.segments]].tolist()
    if game.cfg[C.score] == POINTS:
        gains = gains_of(game.cfg).tolist()
        bonus = [int(game.cfg[C.last_bonus]) * (take == full) for take in takes]
        after = [int(table[full ^ take]) for take in takes]
        ahead = [g + b - a for g, b, a in zip(gains, bonus, after, strict=True)]
        difference: int | None = max(ahead)
        best: list[Coins] | None = [
            coins_of(take) for take, m in zip(takes, ahead, strict=True) if m == difference
        ]
        winning = [take for take, margin in zip(takes, ahead, strict=True) if margin > 0]
        value = "draw" if difference == 0 else "first" if max(ahead) > 0 else "second"
    else:
        difference, best = None, None
        winning = [take for take in takes if is_lost(table, full ^ take)]
        value = "first" if winning else "second"
    seconds = time.perf_counter() - began
    openings = [coins_of(take) for take in winning]
    return SolvedBoard(value, difference, openings, best, 1 << coins, lost, seconds, table.nbytes)


def report(game: Game, memory: int, begin: Callable[[int, str], Progress]) -> dict[str, Any]:
    """Solve a game and return what `bidarena solve coins` shows; see `cli/solve.py`."""
    check_solvable(game, memory)
    points = game.cfg[C.score] == POINTS
    solve(make_game("coins", board="*", values=[1] if points else None))  # compiles, untimed
    bar = begin(1 << int(game.cfg[C.coins]), f"{game.name} {game.options['board']}")
    return asdict(solve(game, memory=memory, progress=bar))


@lru_cache(maxsize=4)
def _remembered(cfg_bytes: bytes) -> Any:
    return _solve(np.frombuffer(cfg_bytes, np.int64), None)[0]


def table_of(game: Game, memory: int = MEMORY) -> Any:
    """Return the table of a game; the last 4 tables are kept in memory.

    Where the last coin decides, it is uint64: bit p % 64 of number p // 64 is set if position p is
    lost for the player to move. Where points decide, it is int16: by how much that player will be
    ahead.
    """
    check_solvable(game, memory)
    return _remembered(game.cfg.tobytes())


def _solve(cfg: Cfg, progress: Progress | None) -> tuple[Any, int]:
    """Return the table, and how many positions in it are lost."""
    coins = int(cfg[C.coins])
    takes = cfg[C.takes : C.takes + cfg[C.segments]].copy()
    size = min(1 << coins, 1 << BLOCK)
    if cfg[C.score] == POINTS:
        table: Any = np.zeros(1 << coins, np.int16)
        fill = compiled(fill_differences, {}, "coins")
        args: tuple[Any, ...] = (takes, gains_of(cfg), int(cfg[C.last_bonus]), table, size)
    else:
        table = np.zeros(max(1 << coins >> LOW, 1), np.uint64)
        fill = compiled(fill_lost, {}, "coins")
        args = (takes, coins, bool(cfg[C.last_coin] == LOSES), table)
    blocks = (1 << coins) // size
    per_call = max(blocks // 256, 1)
    lost = 0
    for first in range(0, blocks, per_call):
        last = min(first + per_call, blocks)
        lost += int(fill(*args, first, last))
        if progress is not None:
            progress((last - first) * size)
    return table, lost


def is_lost(table: LostBits, position: int) -> bool:
    """Return whether a position is lost for the player to move."""
    return bool(int(table[position >> LOW]) >> (position & 63) & 1)


def solve_left(game: Game, board: int) -> Callable[[int], bool]:
    """Solve what can become of a position, and return which positions are lost.

    Only the coins that lie there count, so this works on boards that are too large to be solved.

    Args:
        game: Coins in which the last coin decides.
        board: the coins that are left, as a position.

    Returns:
        A function that takes any part of these coins and returns whether the player to move there
        is lost.
    """
    left = coins_of(board)
    at = {coin: k for k, coin in enumerate(left)}

    def packed(position: int) -> int:
        return sum(1 << at[coin] for coin in coins_of(position))

    takes = game.cfg[C.takes : C.takes + game.cfg[C.segments]].tolist()
    possible = np.array([packed(take) for take in takes if take & ~board == 0], np.int64)
    table = np.zeros(max(1 << len(left) >> LOW, 1), np.uint64)
    blocks = (1 << len(left)) // min(1 << len(left), 1 << BLOCK)
    misere = bool(game.cfg[C.last_coin] == LOSES)
    compiled(fill_lost, {}, "coins")(possible, len(left), misere, table, 0, blocks)
    return lambda position: is_lost(table, packed(position))


# --- the last coin decides -----------------------------------------------------------------------


def fill_lost(
    takes: NDArray[np.int64], coins: int, misere: bool, table: LostBits, first: int, last: int
) -> int:
    """Fill in the blocks `first` to `last` - 1 of the table; return how many positions are lost.

    All blocks before `first` must be filled in.
    """
    takes, table = borrow(takes), borrow(table)
    reach = np.zeros(64, np.uint64)  # for each position of a group, which others can move to it
    _find_low_moves(takes, reach)
    count = len(takes)
    # For each segment that can be taken in a block: its coins above LOW, which lead to another
    # group; the MIDDLE ones among them; the positions of that group that can be reached; and how
    # far these are shifted.
    groups, middles = np.empty(count, np.int64), np.empty(count, np.int64)
    keeps, shifts = np.empty(count, np.uint64), np.empty(count, np.uint64)
    bits = min(coins, LOW)
    positions = _ALL if bits == LOW else (_ONE << np.uint64(1 << bits)) - _ONE
    inside = min(max(coins - LOW, 0), MIDDLE)
    total = 0
    for block in range(first, last):
        usable = 0
        for k in range(count):
            high = takes[k] >> LOW
            if high != 0 and (high >> MIDDLE) & ~block == 0:
                low = takes[k] & 63
                groups[usable] = high
                middles[usable] = high & ((1 << MIDDLE) - 1)
                keeps[usable] = _disjoint(low)
                shifts[usable] = np.uint64(low)
                usable += 1
        for part in range(1 << inside):
            here = (block << MIDDLE) | part
            # The empty board: the player to move has not taken the last coin.
            won = _ONE if here == 0 and misere else _NONE
            for k in range(usable):
                if middles[k] & ~part == 0:
                    won |= (table[here ^ groups[k]] & keeps[k]) << shifts[k]
                    if won == _ALL:
                        break
            unknown = positions & ~won
            lost = _NONE
            while unknown != _NONE:
                lowest = unknown & (~unknown + _ONE)
                lost |= lowest
                total += 1
                unknown &= ~(lowest | reach[_index(lowest)])
            table[here] = lost
    return total


def _find_low_moves(takes: NDArray[np.int64], reach: LostBits) -> None:
    """Write into `reach` the moves that take only coins among 0..5."""
    for k in range(len(takes)):
        take = takes[k]
        if take >> LOW == 0:
            for to in range(64):
                if to & take == 0:
                    reach[to] |= _ONE << np.uint64(to | take)


def _disjoint(low: int) -> Any:
    """Return the positions of a group, as bits, that have none of the coins `low`."""
    found = _NONE
    for position in range(64):
        if position & low == 0:
            found |= _ONE << np.uint64(position)
    return found


def _index(bit: Any) -> int:
    """Return which bit is set in a number with one bit."""
    found = 0
    for step in (32, 16, 8, 4, 2, 1):
        if bit >> np.uint64(step) != _NONE:
            bit >>= np.uint64(step)
            found += step
    return found


# --- points decide -------------------------------------------------------------------------------


def gains_of(cfg: Cfg) -> NDArray[np.int64]:
    """Return the points that each action takes; zeros on a board without fixed points."""
    takes = cfg[C.takes : C.takes + cfg[C.segments]]
    values = cfg[C.takes + cfg[C.segments] :]
    bits = (takes[:, None] >> np.arange(len(values))) & 1
    return bits @ values if cfg[C.colours] == FIXED else np.zeros(len(takes), np.int64)


def fill_differences(
    takes: NDArray[np.int64],
    gains: NDArray[np.int64],
    bonus: int,
    table: NDArray[np.int16],
    size: int,
    first: int,
    last: int,
) -> int:
    """Fill in the blocks `first` to `last` - 1 of the table, each with `size` positions.

    All blocks before `first` must be filled in. Return how many positions are lost.
    """
    takes, gains, table = borrow(takes), borrow(gains), borrow(table)
    lost = 0
    for position in range(max(first * size, 1), last * size):
        best = -(1 << 30)
        for k in range(len(takes)):
            if takes[k] & ~position == 0:
                after = position ^ takes[k]
                best = max(best, gains[k] - table[after] + (bonus if after == 0 else 0))
        table[position] = best
        lost += best < 0
    return lost
