"""Equilibrium play of Raj for two players: the solution, what `bidarena solve raj` shows, a bot."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bidarena.baselines.solvers.matrix import solve_into
from bidarena.baselines.solvers.positions import Book, Values, book_of, packed, values_of
from bidarena.baselines.solvers.raj import (
    BANKS as BANKS_KIND,
)
from bidarena.baselines.solvers.raj import (
    DIFFERENCE,
    HELD,
    LINE,
    SLOTS,
    SLOTS_AT,
    book_for,
    book_from,
    cards_matrix,
    find_slot,
    hands_of,
    pair_of,
    solve_slots,
)
from bidarena.baselines.solvers.store import Arrays, save, stored
from bidarena.envs.bits import count, nth
from bidarena.envs.compile import borrow, compiled, digest, keep
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.raj.rules import CARDS, HANDS, ITEMS, LEFT, POT, SIZE, banks_at
from bidarena.envs.registry import Bot, make_game
from bidarena.envs.rng import draw

FORMAT = 1  # of what is kept on disk, and of the book that is made without compiled code


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved game of Raj."""

    book: Book
    values: Values  # of every position, for player 0: the margin yet to come, or the result
    doubt: float  # the largest gap between guarantee and concession in any single position
    seconds: float

    @property
    def value(self) -> float:
        """What player 0 wins on average from the start."""
        return float(sum(chance * self.values[at] for at, chance in self.book.starts))


def solve(game: Game, progress: Callable[[int], None] | None = None) -> Solution:
    """Solve a game, whatever is on disk."""
    began = time.perf_counter()
    book = book_for(game, solving=True)
    values = np.zeros(book.positions)
    fill = compiled(solve_slots, {}, "raj")
    slots = int(book.numbers[SLOTS])
    at = int(book.numbers[SLOTS_AT])
    held = book.numbers[at : at + slots * LINE].reshape(slots, LINE)[:, HELD]
    doubt = 0.0
    for cards in range(1, int(game.cfg[SIZE]) + 1):
        first, last = np.searchsorted(held, [cards, cards + 1]).tolist()
        part = max(1, (last - first) // 20)
        for begin in range(first, last, part):
            end = min(begin + part, last)
            doubt = max(doubt, float(fill(game.cfg, book.numbers, values, begin, end)))
            if progress is not None:
                progress(end - begin)
    return Solution(book, values, doubt, time.perf_counter() - began)


def _version() -> str:
    return f"{FORMAT} {digest(solve_slots, {})}"


def _arrays(solution: Solution) -> Arrays:
    return {
        "values": solution.values,
        "summary": np.array([solution.doubt, solution.seconds]),
        "book": solution.book.numbers.astype(np.float64),
        "layers": np.array(solution.book.layers, np.float64),
        "starts": np.array(solution.book.starts, np.float64),
    }


_known: dict[bytes, Solution] = {}  # by `Game.key`, the latest few


def solution_of(game: Game) -> Solution:
    """The solution of a game: from memory, from disk, or worked out now."""
    if game.key not in _known:
        found = stored(game, "exact", _version(), lambda: _arrays(solve(game)))
        doubt, seconds = found["summary"].tolist()
        while len(_known) >= 4:
            del _known[next(iter(_known))]
        layers = tuple(int(first) for first in found["layers"])
        starts = tuple((int(at), float(chance)) for at, chance in found["starts"])
        book = book_from(game, found["book"].astype(np.int64), layers, starts)
        _known[game.key] = Solution(book, found["values"], doubt, seconds)
    return _known[game.key]


def report(game: Game, memory: int, begin: Callable[[int, str], Any]) -> dict[str, Any]:
    """What `bidarena solve raj` shows; see `cli/solve.py`."""
    tiny = {**game.options, "cards": [1, 2], "items": [1, 2]}
    solve(make_game("raj", **tiny))  # compiles, untimed
    book = book_for(game, solving=True)
    if 8 * book.positions > memory:
        raise ValueError(f"memory: {8 * book.positions:,} bytes are needed, {memory:,} allowed")
    solution = solve(game, begin(int(book.numbers[SLOTS]), "raj"))
    save(game, "exact", _version(), _arrays(solution))
    return {
        "value": solution.value,
        "reward": game.options["reward"],
        "openings": openings(solution),
        "states": len(solution.values),
        "doubt": solution.doubt,
        "seconds": solution.seconds,
    }


def openings(solution: Solution) -> dict[str, dict[str, float]]:
    """For every first item how likely each card is bid, both players alike."""
    cfg, numbers = solution.book.game.cfg, solution.book.numbers
    size = int(cfg[SIZE])
    full = (1 << size) - 1
    found: dict[str, dict[str, float]] = {}
    for item in range(size):
        state = np.zeros(solution.book.game.state_size, np.int64)
        state[HANDS : HANDS + 2] = full
        state[LEFT] = full ^ (1 << item)
        state[POT] = cfg[ITEMS + item]
        out = np.zeros(size)
        params = packed(numbers, solution.values)
        scratch = np.zeros(size, np.int8)
        compiled(_exact_distribution, {}, "raj")(cfg, params, state, 0, scratch, out)
        law = {str(cfg[CARDS + card]): float(out[card]) for card in range(size) if out[card] > 0}
        found.setdefault(str(cfg[ITEMS + item]), law)
    return found


# --- the bot -------------------------------------------------------------------------------------


def exact(game: Game) -> Bot:
    """Equilibrium play: on average no opponent does better against it than it does against itself.

    It draws its card from a mixed strategy that is optimal in every position, for the reward of the
    game: "outcome" or "margin". Two players, up to 10 cards as far as the positions fit. The
    solution is kept on disk.
    """
    solution = solution_of(game)
    params = packed(solution.book.numbers, solution.values)
    return Bot("exact", _exact_act, params, distribution=_exact_distribution)


def _exact_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    chances = np.zeros(len(scratch))
    out = borrow(chances)
    _exact_distribution(cfg, params, state, player, scratch, out)
    card = draw(rng, out)
    keep(chances)
    return card


def _exact_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: Values
) -> None:
    """Seen from the own side, as if one were player 0: the rules are the same for both."""
    book, values = book_of(params), values_of(params)
    banks = banks_at(cfg)
    ahead = state[banks + player] - state[banks + 1 - player]
    ones = ahead if book[BANKS_KIND] == DIFFERENCE else 0
    hand = state[HANDS + player]
    slot = find_slot(book, state[LEFT], state[POT], ones, 0)
    pair = pair_of(cfg, book, hand, state[HANDS + 1 - player])
    mine, other = hands_of(cfg, book, count(hand), pair)  # the same but for cards nobody holds
    matrix = cards_matrix(cfg, book, values, slot, mine, other)
    row, column = np.empty(len(matrix)), np.empty(len(matrix))
    solve_into(matrix, row, column)
    out[:] = 0.0
    for k in range(len(row)):
        out[nth(hand, k)] = row[k]
