"""Exact hints for Raj, from its solution."""

from __future__ import annotations

import numpy as np

from bidarena.baselines.raj.exact import solutions
from bidarena.baselines.raj.solver import (
    BANKS,
    DIFFERENCE,
    cards_matrix,
    find_slot,
    hands_of,
    pair_of,
)
from bidarena.baselines.solvers.advice import Hint, hint_from_matrix
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import mover_of
from bidarena.envs.raj.rules import C, S, banks_at
from bidarena.envs.registry import make_bot

QUICK_CARDS = 7  # with up to so many cards, solving takes a few seconds


def exact_hint(game: Game, state: State, patient: bool) -> Hint | None:
    """Return the exact worth of every card; None if solving takes long and `patient` is False."""
    if not (patient or len(game.options["cards"]) <= QUICK_CARDS):
        return None

    bot = make_bot(game, "exact")
    solution, cfg, player = solutions.find(game), game.cfg, mover_of(game, state)
    numbers = solution.index.numbers
    banks = int(banks_at(cfg))
    ahead = int(state[banks + player] - state[banks + 1 - player])
    hands = [int(state[S.hands + seat]) for seat in (player, 1 - player)]
    slot = find_slot(
        numbers,
        int(state[S.items]),
        int(state[S.pot]),
        ahead if numbers[BANKS] == DIFFERENCE else 0,
        0,
    )
    pair = pair_of(cfg, numbers, *hands)
    solved = hands_of(cfg, numbers, hands[0].bit_count(), pair)  # without cards that nobody holds
    matrix = np.asarray(cards_matrix(cfg, numbers, solution.values, slot, *solved))
    if game.options["reward"] == "margin":  # the solution counts only what is still to come
        matrix = matrix + ahead / int(cfg[C.unit])
    held = [[card for card in range(game.actions) if hand >> card & 1] for hand in hands]
    return hint_from_matrix(game, state, bot, (held[0], held[1]), matrix)
