"""Random games, state by state, with their ends."""

from __future__ import annotations

import numpy as np

from bidarena.envs.game import Game, State
from bidarena.envs.phrases import legal_actions, mover_of
from bidarena.envs.rng import WORDS, seeded


def random_game(game: Game, seed: int) -> list[State]:
    """Return all states of a game between random players; the last one is over."""
    source = np.random.default_rng(seed)
    rng = seeded(source, WORDS)
    state = game.new_state(rng)
    states = [state.copy()]
    while mover_of(game, state) >= 0:
        game.call("step")(game.cfg, state, int(source.choice(legal_actions(game, state))), rng)
        states.append(state.copy())
    return states
