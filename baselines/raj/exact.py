"""Equilibrium play of Raj for two players: the solution, what `bidarena solve raj` shows, a bot."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bidarena.baselines.common import draw_act
from bidarena.baselines.raj.solver import (
    BANKS as BANKS_KIND,
)
from bidarena.baselines.raj.solver import (
    DIFFERENCE,
    HELD,
    LINE,
    SLOTS,
    SLOTS_AT,
    cards_matrix,
    find_slot,
    hands_of,
    index_from,
    index_positions,
    pair_of,
    solve_slots,
)
from bidarena.baselines.solvers.matrix import solve_into
from bidarena.baselines.solvers.positions import Values, index_in, values_of
from bidarena.baselines.solvers.solution import Solution, Solutions, check_memory
from bidarena.envs.bits import count, nth
from bidarena.envs.compile import compiled, digest, fill_in
from bidarena.envs.game import Cfg, Game, Mask, Params, State
from bidarena.envs.raj.rules import C, S, banks_at
from bidarena.envs.registry import Bot, make_game


def solve(game: Game, progress: Callable[[int], None] | None = None) -> Solution:
    """Solve a game anew, even if its solution is on disk, and return the solution.

    Its `figure` is the doubt: the largest gap, in any single position, between what one player can
    guarantee and what the other can hold that player to.
    """
    began = time.perf_counter()
    index = index_positions(game, solving=True)
    values = np.zeros(index.positions)
    fill = compiled(solve_slots, {}, "raj")
    slots = int(index.numbers[SLOTS])
    at = int(index.numbers[SLOTS_AT])
    held = index.numbers[at : at + slots * LINE].reshape(slots, LINE)[:, HELD]
    doubt = 0.0
    for cards in range(1, int(game.cfg[C.size]) + 1):
        first, last = np.searchsorted(held, [cards, cards + 1]).tolist()
        part = max(1, (last - first) // 20)
        for begin in range(first, last, part):
            end = min(begin + part, last)
            doubt = max(doubt, float(fill(game.cfg, index.numbers, values, begin, end)))
            if progress is not None:
                progress(end - begin)
    return Solution(index, values, doubt, time.perf_counter() - began)


solutions = Solutions(solve, index_from, lambda: digest(solve_slots, {}))


def report(game: Game, memory: int, begin: Callable[[int, str], Any]) -> dict[str, Any]:
    """Solve a game and return what `bidarena solve raj` shows; see `cli/solve.py`."""
    tiny = {**game.options, "cards": [1, 2], "items": [1, 2]}
    solve(make_game("raj", **tiny))  # compiles, untimed
    index = index_positions(game, solving=True)
    check_memory(index, memory)
    solution = solve(game, begin(int(index.numbers[SLOTS]), "raj"))
    solutions.keep(solution)
    return {
        "value": solution.value,
        "reward": game.options["reward"],
        "openings": openings(solution),
        "states": len(solution.values),
        "doubt": solution.figure,
        "seconds": solution.seconds,
    }


def openings(solution: Solution) -> dict[str, dict[str, float]]:
    """Return for every first item how likely a player, either one, bids each card."""
    cfg = solution.index.game.cfg
    size = int(cfg[C.size])
    full = (1 << size) - 1
    found: dict[str, dict[str, float]] = {}
    for item in range(size):
        state = np.zeros(solution.index.game.state_size, np.int64)
        state[S.hands : S.hands + 2] = full
        state[S.items] = full ^ (1 << item)
        state[S.pot] = cfg[C.items + item]
        out = np.zeros(size)
        scratch = np.zeros(size, np.int8)
        compiled(_exact_distribution, {}, "raj")(cfg, solution.params, state, 0, scratch, out)
        law = {str(cfg[C.cards + card]): float(out[card]) for card in range(size) if out[card] > 0}
        found.setdefault(str(cfg[C.items + item]), law)
    return found


# --- the bot -------------------------------------------------------------------------------------


def exact(game: Game) -> Bot:
    """Play the equilibrium: on average no opponent wins more against it than it wins itself.

    It draws its card from a mixed strategy that is optimal in every position, for the reward of the
    game: "outcome" or "margin". It plays games of two players with up to 10 cards, if the positions
    fit into memory. The solution is kept on disk.
    """
    params = solutions.find(game).params
    return Bot("exact", _exact_act, params, distribution=_exact_distribution)


def _exact_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: Values
) -> None:
    """Write how likely each card is bid; the player is taken for player 0, by symmetry."""
    index, values = index_in(params), values_of(params)
    banks = banks_at(cfg)
    ahead = state[banks + player] - state[banks + 1 - player]
    bank0 = ahead if index[BANKS_KIND] == DIFFERENCE else 0
    hand = state[S.hands + player]
    slot = find_slot(index, state[S.items], state[S.pot], bank0, 0)
    pair = pair_of(cfg, index, hand, state[S.hands + 1 - player])
    hand0, hand1 = hands_of(cfg, index, count(hand), pair)  # cards that nobody holds are left out
    matrix = cards_matrix(cfg, index, values, slot, hand0, hand1)
    row, column = np.empty(len(matrix)), np.empty(len(matrix))
    solve_into(matrix, row, column)
    out[:] = 0.0
    for k in range(len(row)):
        out[nth(hand, k)] = row[k]


_exact_act = fill_in(draw_act, __name__, "_exact_act", distribution=_exact_distribution)
