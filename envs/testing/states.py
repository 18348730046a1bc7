"""States for the conformance kit: of random games, and pairs that one player cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bidarena.envs.game import RULES, Game, Rng, State
from bidarena.envs.rng import WORDS, seeded

WAYS = 6  # how often a pair of deals is played on, with other actions each time


def random_states(
    game: Game, games: int, seed: int, *, plain: bool = False
) -> Iterator[tuple[State, int, Rng]]:
    """Yield all states of random games in which a player is to move.

    Args:
        game: the game to play.
        games: how many games.
        seed: of the games.
        plain: play by the uncompiled rules.

    Yields:
        (state, player to move, generator with which the game goes on), all copies.
    """
    rules = game.rules if plain else {name: game.call(name) for name in RULES}
    source = np.random.default_rng(seed)
    for _ in range(games):
        rng = source.integers(1, 2**64, WORDS, dtype=np.uint64)
        state = np.zeros(game.state_size, np.int64)
        rules["reset"](game.cfg, state, rng)
        decisions = 0
        while (mover := int(rules["to_move"](game.cfg, state))) >= 0:
            decisions += 1
            assert decisions <= game.longest, f"{game} went on after {game.longest} decisions"
            yield state.copy(), mover, rng.copy()
            mask = np.zeros(game.actions, np.int8)
            rules["legal"](game.cfg, state, mask)
            assert mask.any(), f"{game}: no legal action in {state.tolist()}"
            action = int(source.choice(np.flatnonzero(mask)))
            before = state.copy()
            rules["step"](game.cfg, state, action, rng)
            assert not np.array_equal(state, before), f"{game}: action {action} changed nothing"


def unseen_moves(game: Game, games: int, seed: int) -> Iterator[tuple[int, State, State]]:
    """Yield (player, state, state); the states differ only in a move hidden from that player."""
    if game.simultaneous is None:
        return
    moment = game.state[game.simultaneous]
    for count, (state, _, rng) in enumerate(random_states(game, games, seed)):
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        options = np.flatnonzero(mask)
        pair = [state.copy(), state.copy()]
        for after, action in zip(pair, (options[0], options[-1]), strict=True):
            game.call("step")(game.cfg, after, int(action), rng.copy())
        unseen = all(np.array_equal(after[moment], state[moment]) for after in pair)
        if len(options) > 1 and unseen and count % 3 == 0:
            yield int(game.call("to_move")(game.cfg, pair[0])), pair[0], pair[1]


def equal_looking_deals(game: Game, seed: int) -> Iterator[tuple[int, State, State]]:
    """Yield (player, state, state): different deals that look alike to that player."""
    source = np.random.default_rng(seed)
    deals = [game.new_state(source.integers(1, 2**64, 2, dtype=np.uint64)) for _ in range(50)]
    for player in range(game.players):
        known: dict[bytes, State] = {}
        found = 0
        for state in deals:
            view = np.zeros(game.observation_size, np.float32)
            game.call("observe")(game.cfg, state, player, view)
            other = known.setdefault(view.tobytes(), state)
            if not np.array_equal(other, state) and found < 3:
                found += 1
                yield player, other, state


def equal_looking_positions(game: Game, seed: int) -> Iterator[tuple[int, State, State]]:
    """Yield (player to move, state, state): positions that look alike to that player.

    They follow from `equal_looking_deals`, with the same actions and the same random numbers.
    """
    source = np.random.default_rng(seed)
    for player, *deals in equal_looking_deals(game, seed):
        for _ in range(WAYS):
            pair = [deal.copy() for deal in deals]
            for _ in range(game.longest):
                movers = [int(game.call("to_move")(game.cfg, state)) for state in pair]
                views = np.zeros((2, game.observation_size), np.float32)
                masks = np.zeros((2, game.actions), np.int8)
                if movers[0] != movers[1] or movers[0] < 0:
                    break
                for state, view, mask in zip(pair, views, masks, strict=True):
                    game.call("observe")(game.cfg, state, player, view)
                    game.call("legal")(game.cfg, state, mask)
                both = np.flatnonzero(masks[0] & masks[1])
                if not np.array_equal(*views) or not len(both):
                    break
                if movers[0] == player:
                    yield player, pair[0].copy(), pair[1].copy()
                action, rng = int(source.choice(both)), seeded(source, WORDS)
                for state in pair:
                    game.call("step")(game.cfg, state, action, rng.copy())
