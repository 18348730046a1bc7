"""Random and hand-made states of Twenty-nine, shared by the tests of its records and drawings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from twentynine_deals import SUITED

from bidarena.envs.game import Game, State
from bidarena.envs.twentynine.record import deal_state
from bidarena.envs.twentynine.rules.layout import A, S, card_of

HOUSE: dict[str, Any] = {
    "last_trick": 1,
    "marriage": True,
    "doubling": True,
    "single_hand": True,
    "seventh_card": True,
    "redeal": "no_points",
    "all_pass": "redeal",
}
VARIANTS: list[dict[str, Any]] = [
    {},
    {"auction": "round_robin", "first_lead": "bidder", "unrevealed": "score", "min_bid": 20},
    {"marriage": True, "doubling": True, "reward": "margin"},
    {"seventh_card": True, "single_hand": True},
    {"match_to": 2, "max_deals": 3},
    HOUSE,
    {**HOUSE, "match_to": 3, "max_deals": 6, "auction": "round_robin"},
]


def legal(game: Game, state: State) -> list[int]:
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    return [int(action) for action in np.flatnonzero(mask)]


def walk(game: Game, seed: int, games: int = 1) -> Iterator[tuple[State, list[int]]]:
    """Yield every state of random games, final ones too, with the actions of the present deal."""
    source = np.random.default_rng(seed)
    for _ in range(games):
        rng = source.integers(1, 2**64, 2, dtype=np.uint64)
        state = game.new_state(rng)
        done: list[int] = []
        while state[S.mover] >= 0:
            yield state.copy(), done
            options = legal(game, state)
            # Mostly pass, so that the deal is played with contracts and single hands of all kinds.
            calm = A.pass_ in options and source.random() < 0.7
            action = A.pass_ if calm else int(source.choice(options))
            before = (int(state[S.redeals]), int(state[S.deals]))
            game.call("step")(game.cfg, state, action, rng)
            same = before == (int(state[S.redeals]), int(state[S.deals]))
            done = [*done, action] if same or state[S.mover] < 0 else []
        yield state.copy(), done


def hands_of(deal: tuple[str, ...]) -> list[list[str]]:
    return [hand.split() for hand in deal]


def play(game: Game, state: State, *script: int | str) -> State:
    """Take actions, given as numbers or card codes, and return the state; all must be legal."""
    rng = np.ones(2, np.uint64)
    for said in script:
        action = card_of(said) if isinstance(said, str) else said
        assert action in legal(game, state), (said, legal(game, state))
        game.call("step")(game.cfg, state, action, rng)
    return state


def taken(game: Game, deal: tuple[str, ...] = SUITED, *more: int | str) -> State:
    """Return a state after seat 0 has bid 16 and made hearts the trump, and `more` was played."""
    calls = (A.bid_16, A.pass_, A.pass_, A.pass_, A.choose + 2)
    return play(game, deal_state(game, hands_of(deal)), *calls, *more)


def play_on(game: Game, state: State, tricks: int = 8, cards: int = 0) -> State:
    """Play the lowest legal action until a point of the deal or its end; return the state."""
    while state[S.mover] >= 0:
        if (int(state[S.trick]), int(state[S.in_trick])) >= (tricks, cards):
            break
        play(game, state, legal(game, state)[0])
    return state
