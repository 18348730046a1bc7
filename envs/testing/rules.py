"""The part of the conformance kit about rules: the seven functions keep their promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import CUT_SHORT, RULES, Game, Returns, Rng, State
from bidarena.envs.rng import WORDS
from bidarena.envs.testing.states import equal_looking_deals, random_states, unseen_moves


def check_rules(game: Game, *, games: int = 20, seed: int = 0) -> None:
    """Check masks, observations, returns and the length of random games; try all legal actions."""
    low, high = game.observation_range
    legal, step, to_move = game.call("legal"), game.call("step"), game.call("to_move")
    observe, returns = game.call("observe"), game.call("returns")
    for state, mover, rng in random_states(game, games, seed):
        assert 0 <= mover < game.players, f"{game}: to_move gave {mover}"
        for player in range(game.players):
            view = np.full(game.observation_size, np.nan, np.float32)
            observe(game.cfg, state, player, view)
            assert np.isfinite(view).all(), f"{game}: observation not written: {view}"
            inside = (view >= low).all() and (view <= high).all()
            assert inside, f"{game}: {view} is outside [{low}, {high}]"
        mask = np.full(game.actions, 7, np.int8)
        legal(game.cfg, state, mask)
        assert np.isin(mask, (0, 1)).all(), f"{game}: legal left parts of the mask unwritten"
        assert mask.any(), f"{game}: no legal action in {state.tolist()}"
        for action in np.flatnonzero(mask):
            after = state.copy()
            step(game.cfg, after, int(action), rng.copy())
            assert not np.array_equal(after, state), f"{game}: action {action} changed nothing"
            status = int(to_move(game.cfg, after))
            assert CUT_SHORT <= status < game.players, f"{game}: to_move gave {status}"
            if status < 0:
                result = np.full(game.players, np.nan)
                returns(game.cfg, after, result)
                _check_returns(game, result)


def _check_returns(game: Game, result: Returns) -> None:
    """Assert that results are numbers in the declared range, and add to 0 where declared."""
    low, high = game.return_range
    assert np.isfinite(result).all(), f"{game}: returns not written: {result}"
    inside = (result >= low - 1e-9).all() and (result <= high + 1e-9).all()
    assert inside, f"{game}: returns {result} outside [{low}, {high}]"
    if game.zero_sum:
        assert abs(result.sum()) < 1e-9, f"{game}: returns {result} do not add to 0"


def check_plain_python(game: Game, *, seed: int = 0, games: int = 2) -> None:
    """Check that the rules run uncompiled, and that compiled rules give the same results.

    In plain Python an index out of bounds is an error. Compiled code would read or write elsewhere
    in memory instead.
    """
    try:
        with np.errstate(all="ignore"):
            states = list(random_states(game, games, seed, plain=True))
            plain = [_consequences(game, game.rules, *state) for state in states]
    except (IndexError, TypeError, ValueError, ZeroDivisionError) as wrong:
        raise AssertionError(f"{game}: the rules fail in plain Python: {wrong!r}") from wrong
    rules = {name: game.call(name) for name in RULES}
    for state, expected in zip(states, plain, strict=True):
        for before, after in zip(expected, _consequences(game, rules, *state), strict=True):
            same = np.allclose(before, after, equal_nan=True)
            assert same, f"{game}: plain Python gives {before}, compiled {after} in {state[0]}"


def _consequences(
    game: Game, rules: Mapping[str, Any], state: State, mover: int, rng: Rng
) -> list[NDArray[Any]]:
    """Return everything that the rules compute from a state, for at most 20 actions."""
    mask = np.zeros(game.actions, np.int8)
    rules["legal"](game.cfg, state.copy(), mask)
    found: list[NDArray[Any]] = [mask]
    for player in range(game.players):
        view = np.zeros(game.observation_size, np.float32)
        rules["observe"](game.cfg, state.copy(), player, view)
        guess, words = state.copy(), rng.copy()
        rules["determinize"](game.cfg, guess, player, words)
        found += [view, guess, words]
    for action in np.flatnonzero(mask)[:20]:
        after, words = state.copy(), rng.copy()
        rules["step"](game.cfg, after, int(action), words)
        status = int(rules["to_move"](game.cfg, after))
        found += [after, words, np.array(status)]
        if status < 0:
            result = np.zeros(game.players)
            rules["returns"](game.cfg, after, result)
            found.append(result)
    return found


def check_determinize(game: Game, *, games: int = 20, seed: int = 0) -> None:
    """Check that a guess looks to the player exactly like the truth and can be played to the end.

    Guesses must not depend on what the player cannot know, either.
    """
    legal, step, to_move = game.call("legal"), game.call("step"), game.call("to_move")
    observe, determinize = game.call("observe"), game.call("determinize")
    for state, mover, rng in random_states(game, games, seed):
        for player in range(game.players):
            guess, again = state.copy(), state.copy()
            determinize(game.cfg, again, player, rng.copy())
            determinize(game.cfg, again, player, rng.copy())
            determinize(game.cfg, guess, player, rng.copy())
            assert np.array_equal(guess, again), (
                f"{game}: with the same random numbers player {player} guesses {guess.tolist()} "
                f"from the truth but {again.tolist()} from another guess: the guess depends on "
                "what this player cannot know"
            )
            views = []
            for seen in (state, guess):
                view = np.zeros(game.observation_size, np.float32)
                observe(game.cfg, seen, player, view)
                views.append(view)
            assert np.array_equal(views[0], views[1]), (
                f"{game}: a guess changed what player {player} sees"
            )
            status = int(to_move(game.cfg, guess))
            assert status == mover, f"{game}: a guess changed who is to move: {mover} -> {status}"
            masks = []
            for seen in (state, guess):
                mask = np.zeros(game.actions, np.int8)
                legal(game.cfg, seen, mask)
                masks.append(mask)
            if mover == player:
                assert np.array_equal(masks[0], masks[1]), (
                    f"{game}: a guess changed player {player}'s moves"
                )
            assert masks[1].any(), f"{game}: no legal action in the guess {guess.tolist()}"
            for _ in range(game.longest):
                if (status := int(to_move(game.cfg, guess))) < 0:
                    break
                legal(game.cfg, guess, masks[1])
                action = int(np.flatnonzero(masks[1])[0])
                step(game.cfg, guess, action, rng)
            assert int(to_move(game.cfg, guess)) < 0, f"{game}: a guess could not be played out"
    _check_nothing_shines_through(game, games, seed)


def _check_nothing_shines_through(game: Game, games: int, seed: int) -> None:
    """Assert that guesses have one distribution in two states that look alike to a player.

    The two states differ in a move that is still hidden, or are deals before the first move.
    """
    for player, one, two in [*unseen_moves(game, games, seed), *equal_looking_deals(game, seed)]:
        views = [np.zeros(game.observation_size, np.float32) for _ in range(2)]
        for state, view in zip((one, two), views, strict=True):
            game.call("observe")(game.cfg, state, player, view)
        assert np.array_equal(views[0], views[1]), f"{game}: player {player} sees an unseen move"
        draws = 200
        counts: list[Counter[tuple[int, ...]]] = []
        for which, state in enumerate((one, two)):
            rng = np.random.default_rng([seed, which]).integers(1, 2**64, WORDS, dtype=np.uint64)
            seen: Counter[tuple[int, ...]] = Counter()
            for _ in range(draws):
                guess = state.copy()
                game.call("determinize")(game.cfg, guess, player, rng)
                seen[tuple(guess.tolist())] += 1
            counts.append(seen)
        keys = set(counts[0]) | set(counts[1])
        pairs = [(counts[0][key], counts[1][key]) for key in keys]
        distance = sum((a - b) ** 2 / (a + b) for a, b in pairs)
        # About chi-square with len(keys) - 1 degrees of freedom if both are drawn alike.
        degrees = len(keys) - 1
        assert distance < degrees + 6 * np.sqrt(2 * degrees) + 20, (
            f"{game}: what player {player} cannot know shines through the guesses: they differ "
            f"between {one.tolist()} and {two.tolist()}"
        )
