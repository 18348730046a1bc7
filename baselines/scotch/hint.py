"""Exact hints for Scotch, from its solution."""

from __future__ import annotations

import numpy as np

from bidarena.baselines.scotch.exact import solutions
from bidarena.baselines.scotch.solver import bids_matrix, find, rounds_into
from bidarena.baselines.solvers.advice import Hint, hint_from_matrix
from bidarena.envs.compile import compiled
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import mover_of
from bidarena.envs.registry import make_bot
from bidarena.envs.scotch.rules import C

QUICK_MONEY = 120  # with up to so much money each, solving takes a few seconds ...
QUICK_LENGTH = 20  # ... on a line up to this length


def exact_hint(game: Game, state: State, patient: bool) -> Hint | None:
    """Return the exact worth of every bid; None if solving takes long and `patient` is False."""
    options = game.options
    quick = max(options["money"]) <= QUICK_MONEY and options["length"] <= QUICK_LENGTH
    if not (patient or quick):
        return None

    bot = make_bot(game, "exact")
    solution, cfg = solutions.find(game), game.cfg
    numbers = solution.index.numbers
    won, lost, tied = np.zeros((3, int(cfg[C.money] + cfg[C.money + 1]) + 2))
    position = int(find(cfg, numbers, state))
    fill = compiled(rounds_into, {}, "scotch")
    own, other = fill(cfg, numbers, solution.values, position, won, lost, tied)
    matrix = np.asarray(bids_matrix(own, other, won, lost, tied))  # what player 0 wins
    bids = [list(range(min(money, 1), money + 1)) for money in (own, other)]
    if mover_of(game, state) == 0:
        return hint_from_matrix(game, state, bot, (bids[0], bids[1]), matrix)
    return hint_from_matrix(game, state, bot, (bids[1], bids[0]), -matrix.T)
