"""The part of the conformance kit about facts for searches: `hidden`, `signature`, `withdraw`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bidarena.envs.game import Game, Observation, Rng, State

States = Iterable[tuple[State, int, Rng]]  # state, player to move, generator: see `random_states`

SUCCESSORS = 12  # about as many actions of a state are compared with each other


def check_hidden(game: Game, states: States) -> None:
    """Check that `determinize` changes nothing in a game that declares hidden=False.

    Moves that players make at the same time are taken back first.
    """
    if game.hidden or (game.simultaneous is not None and "withdraw" not in game.rules):
        return
    for state, _, rng in states:
        known = _withdrawn(game, state)
        for player in range(game.players):
            guess = known.copy()
            game.call("determinize")(game.cfg, guess, player, rng.copy())
            assert np.array_equal(guess, known), (
                f"{game}: declares hidden=False, but player {player} has to guess: "
                f"{known.tolist()} became {guess.tolist()}"
            )


def check_signature(game: Game, states: States) -> None:
    """Check that `signature` is equal for states that look alike to a player, and else differs.

    The states that are compared follow from one position, or from two that look alike.
    """
    if "signature" not in game.rules:
        return
    signature = game.call("signature")
    for state, mover, rng in states:
        for player in range(game.players):
            guess = state.copy()
            game.call("determinize")(game.cfg, guess, player, rng.copy())
            numbers = [int(signature(game.cfg, each, player)) for each in (state, guess)]
            assert numbers[0] == numbers[1], (
                f"{game}: signature tells player {player} what is hidden: it differs between "
                f"{state.tolist()} and {guess.tolist()}"
            )
            after = [*_successors(game, state, rng), *_successors(game, guess, rng)]
            if player == mover:  # this player knows the action
                pairs = [(a, b) for a in after for b in after if a[0] == b[0]]
            else:
                pairs = [(a, b) for a in after for b in after]
            for (_, one), (_, two) in pairs:
                if np.array_equal(_view(game, one, player), _view(game, two, player)):
                    continue
                assert signature(game.cfg, one, player) != signature(game.cfg, two, player), (
                    f"{game}: player {player} can tell {one.tolist()} from {two.tolist()}, but "
                    "signature gives the same number for both"
                )


def check_withdraw(game: Game, states: States) -> None:
    """Check that `withdraw` leads back to the beginning of the moment from every hidden move."""
    if "withdraw" not in game.rules:
        return
    assert game.simultaneous is not None, (
        f"{game}: has a rule withdraw, but does not say which moves are made at the same time"
    )
    moment = game.state[game.simultaneous]
    to_move = game.call("to_move")
    for state, mover, rng in states:
        before = _withdrawn(game, state)
        first = int(to_move(game.cfg, before))
        assert np.array_equal(before[moment], state[moment]), (
            f"{game}: withdraw changed {game.simultaneous} of {state.tolist()}"
        )
        assert np.array_equal(_withdrawn(game, before), before), (
            f"{game}: withdraw leaves something to withdraw in {before.tolist()}"
        )
        same = np.array_equal(_view(game, before, mover), _view(game, state, mover))
        assert same, f"{game}: withdraw changed what player {mover} sees in {state.tolist()}"
        for action, after in _successors(game, state, rng):
            if not np.array_equal(after[moment], state[moment]):
                continue
            assert int(to_move(game.cfg, after)) >= 0, f"{game}: over while moves are waiting"
            back = _withdrawn(game, after)
            assert np.array_equal(back, before), (
                f"{game}: withdraw leaves a trace of player {mover}'s action {action}: "
                f"{back.tolist()} instead of {before.tolist()}"
            )
            assert int(to_move(game.cfg, back)) == first, (
                f"{game}: after withdraw player {int(to_move(game.cfg, back))} is to move, "
                f"expected {first}"
            )


def _withdrawn(game: Game, state: State) -> State:
    """Return a copy of a state without the moves that `withdraw` takes back."""
    back = state.copy()
    if "withdraw" in game.rules:
        game.call("withdraw")(game.cfg, back)
    return back


def _view(game: Game, state: State, player: int) -> Observation:
    """Return what a player observes in a state."""
    view = np.zeros(game.observation_size, np.float32)
    game.call("observe")(game.cfg, state, player, view)
    return view


def _successors(game: Game, state: State, rng: Any) -> list[tuple[int, State]]:
    """Return some legal actions, each twice with the state that follows, by two generators."""
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    options = np.flatnonzero(mask)
    chosen = options[:: max(1, len(options) // SUCCESSORS)]
    found = []
    for action in chosen:
        for words in (rng, rng[::-1]):
            after = state.copy()
            game.call("step")(game.cfg, after, int(action), np.ascontiguousarray(words).copy())
            found.append((int(action), after))
    return found
