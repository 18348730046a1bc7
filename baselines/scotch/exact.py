"""Perfect play of Scotch: the solution, what `bidarena solve scotch` shows of it, and a bot."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.common import draw_act
from bidarena.baselines.scotch.solver import (
    bids_matrix,
    find,
    guarantees,
    index_from,
    index_positions,
    limited,
    over_before,
    rounds_into,
    solve_range,
)
from bidarena.baselines.solvers.matrix import solve_into
from bidarena.baselines.solvers.positions import (
    Numbers,
    PositionIndex,
    Values,
    index_in,
    values_of,
)
from bidarena.baselines.solvers.solution import Solution, Solutions, check_memory
from bidarena.envs.compile import borrow, compiled, digest, fill_in, keep
from bidarena.envs.game import Cfg, Game, Mask, Params, State
from bidarena.envs.registry import Bot, make_game
from bidarena.envs.scotch.rules import C


def solve(game: Game) -> Solution:
    """Solve a game anew, even if its solution is on disk, and return the solution.

    Its `figure` is the number of positions in which only a mixed strategy keeps the value.
    """
    began = time.perf_counter()
    fill = compiled(solve_range, {}, "scotch")
    if not limited(game):
        index = index_positions(game)
        values = np.zeros(index.positions)
        mixed = int(fill(game.cfg, index.numbers, values, 0, index.positions))
        return Solution(index, values, mixed, time.perf_counter() - began)
    values, mixed, rounds = np.zeros(0), 0, 0
    while rounds < int(game.cfg[C.max_rounds]):
        room = min(max(2 * rounds, 16), int(game.cfg[C.max_rounds]))
        index = index_positions(game, room)
        each = index.layers[1]
        values = np.concatenate([values, np.zeros((room - rounds) * each)])
        for layer in range(rounds, room):
            here, mixed_here = slice(layer * each, (layer + 1) * each), 0
            mixed_here = int(fill(game.cfg, index.numbers, values, here.start, here.stop))
            mixed += mixed_here
            before = values[(layer - 1) * each : layer * each]
            if layer > 0 and np.array_equal(values[here], before):
                # With more rounds left no value changes any more.
                values = values[: here.stop].copy()
                return Solution(
                    index_positions(game, layer + 1), values, mixed, time.perf_counter() - began
                )
        rounds = room
    return Solution(index_positions(game), values, mixed, time.perf_counter() - began)


solutions = Solutions(solve, index_from, lambda: digest(solve_range, {}))


def report(game: Game, memory: int, begin: Callable[[int, str], Any]) -> dict[str, Any]:
    """Solve a game and return what `bidarena solve scotch` shows; see `cli/solve.py`."""
    index = index_positions(game, 1)
    check_memory(index, memory)
    solve(make_game("scotch", length=2, money=1))  # compiles, untimed
    solution = solve(game)
    solutions.keep(solution)
    asked = _asked(solution.index)
    values = solution.values[solution.index.layers[-2] :][asked]
    return {
        "value": solution.value,
        "safe_openings": safe_openings(solution),
        "pure": solution.figure == 0,
        "mixed_positions": int(solution.figure),
        "states": len(values),
        "counts": {
            "won": int((values == 1.0).sum()),
            "drawn": int((values == 0.0).sum()),
            "lost": int((values == -1.0).sum()),
            "between": int((np.abs(values) % 1.0 != 0.0).sum()),
        },
        "rounds": int(solution.index.numbers[0]) or None,
        "seconds": solution.seconds,
    }


def _asked(index: PositionIndex) -> NDArray[np.bool_]:
    """Return for each position of the last layer, which has the start, whether it is not over."""
    first, last = index.layers[-2:]
    asked = np.zeros(last - first, np.bool_)
    compiled(mark_asked, {}, "scotch")(index.game.cfg, index.numbers, first, asked)
    return asked


def mark_asked(cfg: Cfg, index: Numbers, first: int, asked: NDArray[np.bool_]) -> None:
    """Write into `asked` whether each position from `first` on is not over."""
    for k in range(len(asked)):
        asked[k] = not over_before(cfg, index, first + k)


def safe_openings(solution: Solution) -> list[list[int]]:
    """Return for each player the first bids that keep the value against every bid of the other."""
    cfg = solution.index.game.cfg
    rows = np.full((5, int(cfg[C.money] + cfg[C.money + 1]) + 2), np.nan)
    won, lost, tied, floors, ceilings = rows
    position = solution.index.starts[0][0]
    args = (cfg, solution.index.numbers, solution.values, position, won, lost, tied)
    own, other = compiled(rounds_into, {}, "scotch")(*args)
    compiled(guarantees, {}, "scotch")(own, other, won, lost, tied, floors, ceilings)
    value = solution.value
    return [np.flatnonzero(row == value).tolist() for row in (floors, ceilings)]


# --- the bot -------------------------------------------------------------------------------------


def exact(game: Game) -> Bot:
    """Play perfectly: against every opponent it gets at least the value of the position.

    Of the bids that keep the value it makes the one that would win most if the opponent's next bid
    were any with equal probability and both played perfectly afterwards, the lowest of equal ones.
    Where no single bid keeps the value, it draws its bid from an optimal mixed strategy. The
    solution is kept on disk.
    """
    params = solutions.find(game).params
    return Bot("exact", _exact_act, params, distribution=_exact_distribution)


def _exact_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: Values
) -> None:
    index, values = index_in(params), values_of(params)
    arrays = np.empty((5, cfg[C.money] + cfg[C.money + 1] + 2))
    rows = borrow(arrays)
    won, lost, tied, floors, ceilings = rows[0], rows[1], rows[2], rows[3], rows[4]
    position = find(cfg, index, state)
    own, other = rounds_into(cfg, index, values, position, won, lost, tied)
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


_exact_act = fill_in(draw_act, __name__, "_exact_act", distribution=_exact_distribution)


def _safest(
    most: int,
    most_reply: int,
    value: float,
    kept: Values,
    ahead: Values,
    behind: Values,
    tied: Values,
    sign: float,
) -> int:
    """Return the bid that keeps the value and is best on average if all replies are equally likely.

    Args:
        most: the highest bid of the player, all their money.
        most_reply: the highest bid of the opponent.
        value: the value of the position.
        kept: what each bid guarantees.
        ahead: the value after the player wins with each bid.
        behind: the value after the player loses to each bid.
        tied: the value after a tie at each bid.
        sign: 1 for player 0, -1 for player 1, for whom lower values are better.
    """
    outbid = 0.0
    for y in range(most_reply, most, -1):
        outbid += behind[y]
    best, found = -np.inf, most
    least_reply = min(most_reply, 1)
    for x in range(most, min(most, 1) - 1, -1):
        lower = min(x - 1, most_reply) - least_reply + 1
        total = outbid
        if lower > 0:
            total += lower * ahead[x]
        if least_reply <= x <= most_reply:
            total += tied[x]
            outbid += behind[x]
        if kept[x] == value and sign * total >= best - 1e-12:
            best = max(best, sign * total)
            found = x
    return found
