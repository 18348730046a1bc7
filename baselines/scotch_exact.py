"""Perfect play of Scotch: the solution, what `bidarena solve scotch` shows of it, and a bot."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.matrix import solve_into
from bidarena.baselines.solvers.positions import (
    Book,
    Numbers,
    Values,
    book_of,
    packed,
    values_of,
)
from bidarena.baselines.solvers.scotch import (
    bids_matrix,
    book_for,
    find,
    guarantees,
    limited,
    over_before,
    rounds_into,
    solve_range,
)
from bidarena.baselines.solvers.store import Arrays, save, stored
from bidarena.envs.compile import borrow, compiled, digest, keep
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot, make_game
from bidarena.envs.rng import draw
from bidarena.envs.scotch.rules import MAX_ROUNDS, PURSE

FORMAT = 1  # of what is kept on disk, and of the book that is made without compiled code


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved game of Scotch."""

    book: Book
    values: Values  # of every position, for player 0
    mixed: int  # positions without an optimal bid that needs no chance
    seconds: float

    @property
    def value(self) -> float:
        """What player 0 wins from the start, if both play perfectly."""
        return float(self.values[self.book.starts[0][0]])


def solve(game: Game) -> Solution:
    """Solve a game, whatever is on disk."""
    began = time.perf_counter()
    fill = compiled(solve_range, {}, "scotch")
    if not limited(game):
        book = book_for(game)
        values = np.zeros(book.positions)
        mixed = int(fill(game.cfg, book.numbers, values, 0, book.positions))
        return Solution(book, values, mixed, time.perf_counter() - began)
    values, mixed, rounds = np.zeros(0), 0, 0
    while rounds < int(game.cfg[MAX_ROUNDS]):
        room = min(max(2 * rounds, 16), int(game.cfg[MAX_ROUNDS]))
        book = book_for(game, room)
        each = book.layers[1]
        values = np.concatenate([values, np.zeros((room - rounds) * each)])
        for layer in range(rounds, room):
            here, mixed_here = slice(layer * each, (layer + 1) * each), 0
            mixed_here = int(fill(game.cfg, book.numbers, values, here.start, here.stop))
            mixed += mixed_here
            before = values[(layer - 1) * each : layer * each]
            if layer > 0 and np.array_equal(values[here], before):
                # With more rounds left nothing changes, now and for ever.
                values = values[: here.stop].copy()
                return Solution(
                    book_for(game, layer + 1), values, mixed, time.perf_counter() - began
                )
        rounds = room
    return Solution(book_for(game), values, mixed, time.perf_counter() - began)


def _version() -> str:
    return f"{FORMAT} {digest(solve_range, {})}"


_known: dict[bytes, Solution] = {}  # by `Game.key`, the latest few


def solution_of(game: Game) -> Solution:
    """The solution of a game: from memory, from disk, or worked out now."""
    if game.key not in _known:
        found = stored(game, "exact", _version(), lambda: _arrays(solve(game)))
        mixed, seconds, rounds = found["summary"].tolist()
        book = book_for(game, int(rounds) or None)
        while len(_known) >= 8:
            del _known[next(iter(_known))]
        _known[game.key] = Solution(book, found["values"], int(mixed), seconds)
    return _known[game.key]


def _arrays(solution: Solution) -> Arrays:
    rounds = float(solution.book.numbers[0])
    summary = np.array([float(solution.mixed), solution.seconds, rounds])
    return {"values": solution.values, "summary": summary}


def report(game: Game, memory: int, begin: Callable[[int, str], Any]) -> dict[str, Any]:
    """What `bidarena solve scotch` shows; see `cli/solve.py`."""
    book = book_for(game, 1)
    if 8 * book.positions > memory:
        raise ValueError(f"memory: {8 * book.positions:,} bytes are needed, {memory:,} allowed")
    solve(make_game("scotch", length=2, money=1))  # compiles, untimed
    solution = solve(game)
    save(game, "exact", _version(), _arrays(solution))
    asked = _asked(solution.book)
    values = solution.values[solution.book.layers[-2] :][asked]
    return {
        "value": solution.value,
        "safe_openings": safe_openings(solution),
        "pure": solution.mixed == 0,
        "mixed_positions": solution.mixed,
        "states": len(values),
        "counts": {
            "won": int((values == 1.0).sum()),
            "drawn": int((values == 0.0).sum()),
            "lost": int((values == -1.0).sum()),
            "between": int((np.abs(values) % 1.0 != 0.0).sum()),
        },
        "rounds": int(solution.book.numbers[0]) or None,
        "seconds": solution.seconds,
    }


def _asked(book: Book) -> NDArray[np.bool_]:
    """Which positions of the last layer, that of the start, are not over."""
    first, last = book.layers[-2:]
    asked = np.zeros(last - first, np.bool_)
    compiled(mark_asked, {}, "scotch")(book.game.cfg, book.numbers, first, asked)
    return asked


def mark_asked(cfg: Cfg, book: Numbers, first: int, asked: NDArray[np.bool_]) -> None:
    """Which of the positions from `first` on are not over."""
    for k in range(len(asked)):
        asked[k] = not over_before(cfg, book, first + k)


def safe_openings(solution: Solution) -> list[list[int]]:
    """For each player the first bids that keep the value, whatever the other bids."""
    cfg = solution.book.game.cfg
    rows = np.full((5, int(cfg[PURSE] + cfg[PURSE + 1]) + 2), np.nan)
    won, lost, tied, floors, ceilings = rows
    position = solution.book.starts[0][0]
    args = (cfg, solution.book.numbers, solution.values, position, won, lost, tied)
    own, other = compiled(rounds_into, {}, "scotch")(*args)
    compiled(guarantees, {}, "scotch")(own, other, won, lost, tied, floors, ceilings)
    value = solution.value
    return [np.flatnonzero(row == value).tolist() for row in (floors, ceilings)]


# --- the bot -------------------------------------------------------------------------------------


def exact(game: Game) -> Bot:
    """Perfect play: no opponent, whatever he does, gets it below the value of the position.

    Of the bids that keep the value it makes the one that would win most if the opponent's next bid
    were any with equal probability and both played perfectly afterwards, the lowest of equal ones.
    Where only chance keeps the value, it draws its bid from an optimal mixed strategy. The solution
    is kept on disk.
    """
    solution = solution_of(game)
    params = packed(solution.book.numbers, solution.values)
    return Bot("exact", _exact_act, params, distribution=_exact_distribution)


def _exact_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    chances = np.zeros(len(scratch))
    out = borrow(chances)
    _exact_distribution(cfg, params, state, player, scratch, out)
    bid = draw(rng, out)
    keep(chances)
    return bid


def _exact_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: Values
) -> None:
    book, values = book_of(params), values_of(params)
    arrays = np.empty((5, cfg[PURSE] + cfg[PURSE + 1] + 2))
    rows = borrow(arrays)
    won, lost, tied, floors, ceilings = rows[0], rows[1], rows[2], rows[3], rows[4]
    position = find(cfg, book, state)
    own, other = rounds_into(cfg, book, values, position, won, lost, tied)
    low, high = guarantees(own, other, won, lost, tied, floors, ceilings)
    out[:] = 0.0
    if low == high:
        if player == 0:
            out[_safest(own, other, low, floors, won, lost, tied, 1.0)] = 1.0
        else:
            out[_safest(other, own, low, ceilings, lost, won, tied, -1.0)] = 1.0
    else:
        matrix = bids_matrix(own, other, won, lost, tied)
        row, column = np.empty(matrix.shape[0]), np.empty(matrix.shape[1])
        solve_into(matrix, row, column)
        chosen = row if player == 0 else column
        least = min(own, 1) if player == 0 else min(other, 1)
        for bid in range(len(chosen)):
            out[least + bid] = chosen[bid]
    keep(arrays)


def _safest(
    mine: int,
    his: int,
    value: float,
    kept: Values,
    ahead: Values,
    behind: Values,
    tied: Values,
    sign: float,
) -> int:
    """The bid that keeps the value and is best on average against all replies, equally likely."""
    outbid = 0.0
    for y in range(his, mine, -1):
        outbid += behind[y]
    best, found = -np.inf, mine
    least_reply = min(his, 1)
    for x in range(mine, min(mine, 1) - 1, -1):
        lower = min(x - 1, his) - least_reply + 1
        total = outbid
        if lower > 0:
            total += lower * ahead[x]
        if least_reply <= x <= his:
            total += tied[x]
            outbid += behind[x]
        if kept[x] == value and sign * total >= best - 1e-12:
            best = max(best, sign * total)
            found = x
    return found
