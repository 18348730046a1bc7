"""The part of the conformance kit about facts for searches and solvers, such as `hidden`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bidarena.envs.game import CUT_SHORT, Game, Observation, Rng, State

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
            met: dict[tuple[int, int], tuple[State, Observation]] = {}
            for action, after in [*_successors(game, state, rng), *_successors(game, guess, rng)]:
                known = action if player == mover else -1  # players know their own actions
                number = int(signature(game.cfg, after, player))
                view = _view(game, after, player)
                other, seen = met.setdefault((known, number), (after, view))
                assert np.array_equal(view, seen), (
                    f"{game}: player {player} can tell {other.tolist()} from {after.tolist()}, but "
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


def check_idle(game: Game, states: States) -> None:
    """Check that nothing but other idle parts changes if the idle parts of a state are changed."""
    apart = _parts(game, game.idle)
    if not apart.any():
        return
    earlier = np.zeros(game.state_size, np.int64)
    for state, _, rng in states:
        for values in (np.zeros_like(state), earlier):
            changed = np.where(apart, values, state)
            _check_alike(game, state, changed, rng, apart, f"idle parts {game.idle}")
        earlier = state


def check_clock(game: Game, states: States) -> None:
    """Check that the clock starts at 0, advances by 0 or 1, and only cuts the game short."""
    if game.clock is None:
        return
    part = game.state[game.clock]
    assert part.stop == part.start + 1, f"{game}: the clock {game.clock!r} is not one number"
    assert game.limit >= 1, (
        f"{game}: limit={game.limit}, expected 1 or more for a game with a clock"
    )
    at, apart = part.start, _parts(game, (game.clock,))
    to_move = game.call("to_move")
    for state, _, rng in states:
        now = int(state[at])
        beginning = game.new_state(rng.copy())
        assert beginning[at] == 0, f"{game}: the clock starts at {beginning[at]}, expected 0"
        assert 0 <= now < game.limit, f"{game}: runs with its clock at {now}, limit {game.limit}"
        for time in {0, now // 2, game.limit - 2} if now < game.limit - 1 else ():
            if 0 <= time < game.limit - 1:
                changed = state.copy()
                changed[at] = time
                _check_alike(game, state, changed, rng, apart, f"the clock {game.clock!r}")
        last, early = state.copy(), state.copy()
        last[at], early[at] = game.limit - 1, 0
        pairs = zip(_successors(game, early, rng), _successors(game, last, rng), strict=True)
        for (action, freely), (_, late) in pairs:
            ticks = int(late[at]) - int(last[at])
            assert ticks in (0, 1), f"{game}: action {action} moved the clock by {ticks}"
            if ticks and (int(to_move(game.cfg, freely)) >= 0 or game.limit == 1):
                mover = int(to_move(game.cfg, late))
                assert mover < 0 if game.limit == 1 else mover == CUT_SHORT, (
                    f"{game}: not cut short when the clock {game.clock!r} reached the limit "
                    f"{game.limit}: {late.tolist()}"
                )


def _parts(game: Game, names: Iterable[str]) -> Any:
    """Return True for each number of the state that belongs to one of these parts."""
    chosen = np.zeros(game.state_size, np.bool_)
    for name in names:
        chosen[game.state[name]] = True
    return chosen


def _check_alike(game: Game, state: State, changed: State, rng: Rng, apart: Any, what: str) -> None:
    """Check that two states are alike, and so are their successors, but for the parts `apart`."""
    _check_same_facts(game, state, changed, what)
    pairs = zip(_successors(game, state, rng), _successors(game, changed, rng), strict=True)
    for (action, one), (_, two) in pairs:
        moved = (one - state)[apart], (two - changed)[apart]
        assert np.array_equal(one[~apart], two[~apart]), (
            f"{game}: {what} matter for action {action}: {one.tolist()} follows "
            f"{state.tolist()}, but {two.tolist()} follows {changed.tolist()}"
        )
        if what.startswith("the clock"):
            assert np.array_equal(*moved), f"{game}: {what} moves by itself: {one.tolist()}"
        _check_same_facts(game, one, two, what)


def _check_same_facts(game: Game, one: State, two: State, what: str) -> None:
    """Check that the mover, the moves, the views and the results are those of the other state."""

    def told(fact: str) -> str:
        return f"{game}: {what} matter: {one.tolist()} and {two.tolist()} differ in {fact}"

    movers = [int(game.call("to_move")(game.cfg, state)) for state in (one, two)]
    assert movers[0] == movers[1], told("the player to move")
    for player in range(game.players):
        views = _view(game, one, player), _view(game, two, player)
        assert np.array_equal(*views), told(f"what player {player} sees")
    results = np.zeros((2, game.players))
    masks = np.zeros((2, game.actions), np.int8)
    for state, result, mask in zip((one, two), results, masks, strict=True):
        if movers[0] < 0:
            game.call("returns")(game.cfg, state, result)
        else:
            game.call("legal")(game.cfg, state, mask)
    assert np.array_equal(*results), told("the results")
    assert np.array_equal(*masks), told("the legal moves")


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
