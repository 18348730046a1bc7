"""The geometry of Coins: boards, the lines on them, what can be taken, symmetries, row codes.

A coin has a number: coins are counted from 0, row by row from the left, and coin i is bit i of a
position. This is plain Python; the rules get the result as bit masks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from math import comb

Cell = tuple[int, int]  # row, column
Coins = tuple[int, ...]  # coin numbers, ascending

MOST_COINS = 63  # a position is one signed 64-bit integer
MOST_ACTIONS = 4096

# The ways a line can run. The cells of a triangle are stored flush left, so that its two slanting
# directions are straight down and down to the right.
ROW, COLUMN, FALLING, RISING = (0, 1), (1, 0), (1, 1), (1, -1)


@dataclass(frozen=True)
class Board:
    """Where the coins lie: a piece of the triangular or of the square lattice."""

    name: str
    cells: tuple[Cell, ...]  # the cell of each coin
    triangular: bool

    @property
    def rows(self) -> int:
        """Return how many rows there are, empty ones included."""
        return self.cells[-1][0] + 1

    @property
    def columns(self) -> int:
        """Return the length of the longest row."""
        return max(column for _, column in self.cells) + 1

    def directions(self, diagonals: bool) -> tuple[Cell, ...]:
        """Return the steps from a coin to its neighbours; of two opposite steps only one."""
        if self.triangular:
            return (ROW, COLUMN, FALLING)
        return (ROW, COLUMN, FALLING, RISING) if diagonals else (ROW, COLUMN)


def parse_board(text: str) -> Board:
    """Return a board by name ("triangle5", "square6", "rectangle4x7") or rows ("*/**/****").

    In rows `*` is a coin and `.` a hole. Rows of equal length are a piece of the square lattice
    with its rows and columns. Rows of different lengths are a piece of the triangular lattice,
    flush left: a coin's two neighbours below are straight down and one to the right. Read so, the
    report's two examples have as many lines as it counts on them (`complete_lines`).
    """
    allowed = (
        "expected 'triangle5', 'square6', 'rectangle4x7' or rows such as '*/**/****' "
        "(* a coin, . a hole)"
    )
    if not isinstance(text, str):
        raise ValueError(f"board={text!r}: {allowed}")
    named = re.fullmatch(r"(triangle|square)(\d{1,2})|rectangle(\d{1,2})x(\d{1,2})", text)
    if named:
        shape, size, *sides = named.groups()
        height, width = (int(size),) * 2 if shape else (int(sides[0]), int(sides[1]))
        triangular = shape == "triangle"
        cells = [(r, c) for r in range(height) for c in range(r + 1 if triangular else width)]
    elif re.fullmatch(r"[*./]+", text):
        drawn = text.split("/")
        triangular = len({len(row) for row in drawn}) > 1
        cells = [(r, c) for r, row in enumerate(drawn) for c, sign in enumerate(row) if sign == "*"]
    else:
        raise ValueError(f"board={text!r}: {allowed}")
    if not 1 <= len(cells) <= MOST_COINS:
        raise ValueError(f"board={text!r} has {len(cells)} coins: expected 1 to {MOST_COINS}")
    return Board(text, tuple(cells), triangular)


def complete_lines(board: Board, diagonals: bool = False) -> list[Coins]:
    """Return every line of two or more neighbouring coins that cannot be made longer."""
    return [line for _, line in _lines(board, diagonals, across_holes=False)]


def _lines(board: Board, diagonals: bool, across_holes: bool) -> list[tuple[int, Coins]]:
    """Return the longest lines of two or more coins, each with the number of its direction."""
    found = []
    for way, (down, right) in enumerate(board.directions(diagonals)):
        through: dict[int, list[int]] = {}  # all coins of a straight line, in its order
        for coin, (row, column) in enumerate(board.cells):
            through.setdefault(row * right - column * down, []).append(coin)
        for line in through.values():
            cuts = [0, len(line)]
            if not across_holes:
                steps = [(board.cells[a], board.cells[b]) for a, b in pairwise(line)]
                holes = [i for i, (a, b) in enumerate(steps, 1) if (a[0] + down, a[1] + right) != b]
                cuts[1:1] = holes
            found += [(way, tuple(line[a:b])) for a, b in pairwise(cuts) if b - a > 1]
    return found


def segments(board: Board, gaps: bool, diagonals: bool, max_take: int | None) -> list[Coins]:
    """Return everything that can be taken in one move, in the order of the action numbers.

    Fewer coins come first; of equally many, those in a row before those in a column, then the
    falling and the rising diagonals; then by coin numbers. With gaps a line runs on across holes.
    """
    lines = _lines(board, diagonals, gaps)
    sizes = [(line, range(2, min(max_take or len(line), len(line)) + 1)) for _, line in lines]
    choices = sum(comb(len(line), k) for line, ks in sizes for k in ks) + len(board.cells)
    if gaps and choices > MOST_ACTIONS:
        raise ValueError(
            f"gaps=True: {board.name!r} has {choices:,} different takes, more than "
            f"{MOST_ACTIONS:,}; expected a smaller board or a smaller max_take"
        )
    found: list[tuple[int, int, Coins]] = [(1, 0, (coin,)) for coin in range(len(board.cells))]
    for (way, line), (_, ks) in zip(lines, sizes, strict=True):
        for k in ks:
            runs = (line[i : i + k] for i in range(len(line) - k + 1))
            found += [(k, way, take) for take in (combinations(line, k) if gaps else runs)]
    return [take for _, _, take in sorted(found)]


def mask_of(coins: Iterable[int]) -> int:
    """Return coin numbers as a bit mask."""
    return sum(1 << coin for coin in coins)


def coins_of(mask: int) -> Coins:
    """Return the coin numbers of a bit mask."""
    return tuple(coin for coin in range(mask.bit_length()) if mask >> coin & 1)


def symmetries(board: Board, values: Sequence[int] | None = None) -> list[Coins]:
    """Return every way to turn or mirror the board onto itself: where each coin goes.

    The identity comes first. A triangle has 6 symmetries, a square 8, another rectangle 4; holes
    and coins of different values can leave fewer. All lines go to lines.
    """
    steps = set(board.directions(False))
    steps |= {(-down, -right) for down, right in steps}
    at = {cell: coin for coin, cell in enumerate(board.cells)}
    corner = (min(row for row, _ in at), min(column for _, column in at))
    found = []
    for a, b, c, d in product((1, 0, -1), repeat=4):  # (row, column) -> (a row + b column, ...)
        if {(a * r + b * k, c * r + d * k) for r, k in steps} != steps:
            continue
        moved = [(a * r + b * k, c * r + d * k) for r, k in board.cells]
        down = corner[0] - min(row for row, _ in moved)
        right = corner[1] - min(column for _, column in moved)
        goes = [at.get((row + down, column + right), -1) for row, column in moved]
        worth = values is None or all(values[i] == values[to] for i, to in enumerate(goes))
        if -1 not in goes and worth:
            found.append(tuple(goes))
    return sorted(set(found))


# --- the report's row code -----------------------------------------------------------------------


def row_code(board: Board, position: int) -> list[int]:
    """Return a position as one number per row, the leftmost coin being the lowest bit.

    The report writes a 6x6 board as [60 6 0 63 1 32]. Its picture of the first row, 1 1 0 1 1 1,
    does not agree with that: read with the bit order it states, it is 59, and 60 is 0 0 1 1 1 1.
    Its other five rows agree, and so does its later example 1 1 0 1 0 0 == 11.
    """
    code = [0] * board.rows
    for coin, (row, column) in enumerate(board.cells):
        code[row] |= (position >> coin & 1) << column
    return code


def from_row_code(board: Board, code: Sequence[int]) -> int:
    """Return the position of a row code; raise ValueError if it has coins where none can lie."""
    if len(code) != board.rows:
        raise ValueError(f"rows={list(code)!r}: {board.name!r} has {board.rows} rows")
    position = mask_of(
        coin for coin, (row, column) in enumerate(board.cells) if code[row] >> column & 1
    )
    for row, (given, read) in enumerate(zip(code, row_code(board, position), strict=True)):
        if given != read:
            whole = row_code(board, -1)[row]
            raise ValueError(f"rows[{row}]={given!r}: expected some of the bits of {whole}")
    return position
