"""The four suits of Twenty-nine, which can be exchanged: no rule tells one from another."""

from __future__ import annotations

import numpy as np

from bidarena.envs.game import Game
from bidarena.envs.structure.exchange import Exchange
from bidarena.envs.twentynine.rules.layout import SEATS, A, V

RANKS_IN_SUIT = 8


def exchange(game: Game) -> Exchange:
    """Return what belongs to each suit: cards, voids and the trump; its cards as actions."""
    ranks = np.arange(RANKS_IN_SUIT)
    inputs, actions = [], []
    for suit in range(4):
        cards = RANKS_IN_SUIT * suit + ranks
        seen = [V.hand + cards]
        for seat in range(SEATS):
            seen += [V.played + 32 * seat + cards, V.trick + 32 * seat + cards]
            seen.append(np.array([V.voids + 4 * seat + suit]))
        seen.append(np.array([V.trump + suit]))
        inputs.append(np.concatenate(seen))
        actions.append(np.append(A.card + cards, A.choose + suit))
    return Exchange(np.stack(inputs), np.stack(actions))
