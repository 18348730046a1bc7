"""How far a game of Twenty-nine has come, for bots from outside."""

from __future__ import annotations

from bidarena.envs.game import Game, State
from bidarena.envs.twentynine.rules.layout import S


def calls_and_cards(game: Game, state: State) -> int:
    """Return how far a game has come: it never falls, and grows with every call and card."""
    deals, redeals, calls, trick, in_trick = (
        int(state[place]) for place in (S.deals, S.redeals, S.calls, S.trick, S.in_trick)
    )
    return 10_000 * deals + 1000 * redeals + calls + 5 * trick + in_trick
