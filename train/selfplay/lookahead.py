"""Positions that were met, and what every move in them leads to: for learners that judge positions.

Nothing here is done row by row in Python, and nothing needs torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.afterstates import scale_of, sides_of
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import (
    Cfg,
    Game,
    Observation,
    Rng,
    legal,
    observe,
    returns,
    step,
    to_move,
)

Floats = NDArray[np.float32]
States = NDArray[np.int64]  # (rows, state_size)
Values = Callable[[Floats], Floats]  # observations of movers -> what each mover expects

_MIX = np.uint64(0x9E3779B97F4A7C15)
_S29 = np.uint64(29)

_UNKNOWN = 2.0  # urgency of what was never looked at: the most that a worth can be wrong
_LEAST = 1e-6  # urgency, so that everything is drawn now and then


class Memory:
    """Positions that were met, each kept once: its place is a hash of its observation.

    A position replaces an older one with the same place, and takes over its urgency. So nothing is
    kept twice, however often it is met, and drawing from the memory finds rare positions as often
    as others.

    Attributes:
        states: (places, state_size) the positions.
        used: (places,) whether a place holds a position.
        urgency: (places,) how much there is to learn from each, from 0 to 2; 2 where nobody said.
    """

    def __init__(self, game: Game, places: int) -> None:
        self.states = np.zeros((places, game.state_size), np.int64)
        self.used = np.zeros(places, np.bool_)
        self.urgency = np.full(places, _UNKNOWN, np.float32)
        self._keep = game.compiled(keep_states)

    def add(self, states: States, observations: Floats) -> None:
        """Keep positions; `observations` holds what the mover sees in each."""
        self._keep(states, observations, self.states, self.used)

    def draw(self, count: int, luck: np.random.Generator) -> States:
        """Return `count` different positions, all equally likely, or all if there are fewer."""
        return self.states[self.choose(count, luck)]

    def choose(
        self, count: int, luck: np.random.Generator, urgent: float = 0.0
    ) -> NDArray[np.int64]:
        """Return `count` different places that hold positions, or all if there are fewer.

        The share `urgent` of them is drawn by urgency: the first with probabilities in proportion
        to it, the next likewise among the others, and so on. The rest are all equally likely.
        """
        filled = np.flatnonzero(self.used)
        if len(filled) <= count:
            return filled
        first = np.empty(0, np.int64)
        if hasty := round(urgent * count):
            # the least of exponential waiting times, each with the urgency as its rate
            waits = luck.standard_exponential(len(filled), np.float32)
            waits /= np.maximum(self.urgency[filled], _LEAST)
            order = np.argpartition(waits, hasty - 1)
            first, filled = filled[order[:hasty]], filled[order[hasty:]]
        rest = luck.choice(filled, count - hasty, replace=False, shuffle=False)
        return np.concatenate([first, rest])

    def state(self) -> dict[str, Any]:
        """Return a copy of all positions, as arrays and numbers."""
        return {
            "places": len(self.used),
            "met": np.flatnonzero(self.used),
            "positions": self.states[self.used],
            "urgency": self.urgency[self.used],
        }

    def check(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless `state` is of a memory with as many places."""
        if state["places"] != len(self.used):
            raise ValueError(
                f"state: places={state['places']} does not fit memory={len(self.used)}; "
                "expected the state of a learner made alike"
            )

    def restore(self, state: dict[str, Any]) -> None:
        """Hold the positions that `state` returned."""
        self.used[:] = False
        self.used[state["met"]] = True
        self.states[state["met"]] = state["positions"]
        self.urgency[:] = _UNKNOWN
        self.urgency[state["met"]] = state.get("urgency", _UNKNOWN)  # earlier versions had none


class LookAhead:
    """Looks one move ahead in positions of a game."""

    def __init__(self, game: Game) -> None:
        self._game, self._sides, self._scale = game, sides_of(game), scale_of(game)
        self._show, self._try = game.compiled(show_states), game.compiled(try_moves)

    def __call__(self, states: States, values: Values, chance: Rng) -> tuple[Floats, Floats]:
        """Return what the mover sees (rows, size), and what each action is worth (rows, actions).

        The worth is the mover's result, scaled so that the largest is 1, if the action ends the
        game, otherwise what `values` says of the position after it; minus infinity if the action is
        not legal.

        Args:
            states: positions in which the game is not over.
            values: judges observations.
            chance: the random generator for moves that are only tried.
        """
        game, rows = self._game, len(states)
        movers, masks = np.empty(rows, np.int64), np.empty((rows, game.actions), np.int8)
        views = np.empty((rows, game.observation_size), np.float32)
        self._show(game.cfg, states, movers, masks, views)
        tried = int(masks.sum())
        worth = np.full((rows, game.actions), -np.inf, np.float32)
        seen = np.empty((tried, game.observation_size), np.float32)
        kinds, signs = np.full(worth.shape, -1, np.int64), np.empty(worth.shape, np.float32)
        table = np.full(2 * tried + 1, -1, np.int64)
        shared: tuple[Any, ...] = (game.cfg, states, movers, masks, self._sides, self._scale)
        different = self._try(*shared, chance, worth, seen, kinds, signs, table)
        if different:
            going_on = kinds >= 0
            worth[going_on] = values(seen[:different])[kinds[going_on]] * signs[going_on]
        return views, worth


# --- compiled for each game ----------------------------------------------------------------------


def place_of(view: Observation, places: int) -> int:
    """Return the place of a position by what is seen of it."""
    mixed = _MIX
    for number in view.view(np.uint32):
        mixed = (mixed ^ np.uint64(number)) * _MIX
        mixed ^= mixed >> _S29
    return np.int64(mixed % np.uint64(places))  # type: ignore[return-value]


def keep_states(
    states: States, observations: Floats, kept: States, used: NDArray[np.bool_]
) -> None:
    """Write positions to their places."""
    for k in range(len(states)):
        place = place_of(observations[k], len(used))
        kept[place] = states[k]
        used[place] = True


def show_states(
    cfg: Cfg, states: States, movers: NDArray[np.int64], masks: NDArray[np.int8], views: Floats
) -> None:
    """Write who is to move in each position, the legal actions, and what the mover sees."""
    cfg, states, masks, views = borrow(cfg), borrow(states), borrow(masks), borrow(views)
    for k in range(len(states)):
        movers[k] = to_move(cfg, states[k])
        legal(cfg, states[k], masks[k])
        observe(cfg, states[k], movers[k], views[k])


def try_moves(
    cfg: Cfg,
    states: States,
    movers: NDArray[np.int64],
    masks: NDArray[np.int8],
    sides: NDArray[np.int64],
    scale: float,
    chance: Rng,
    worth: Floats,
    seen: Floats,
    kinds: NDArray[np.int64],
    signs: Floats,
    table: NDArray[np.int64],
) -> int:
    """Try all legal moves; return how many different positions follow that do not end the game.

    `seen` gets what the next mover sees in each of them, `kinds` which of them a move leads to, and
    `signs` whether what is good for the next mover is good for the present one. `table` finds
    positions that were seen before; it must be -1 everywhere.
    """
    cfg, states, masks, chance = borrow(cfg), borrow(states), borrow(masks), borrow(chance)
    worth, seen, kinds, signs = borrow(worth), borrow(seen), borrow(kinds), borrow(signs)
    copy, results = np.empty(states.shape[1], np.int64), np.empty(len(sides), np.float64)
    after, result = borrow(copy), borrow(results)
    count = 0
    for k in range(len(states)):
        for action in range(masks.shape[1]):
            if masks[k, action] == 0:
                continue
            after[:] = states[k]
            step(cfg, after, action, chance)
            following = to_move(cfg, after)
            if following < 0:
                returns(cfg, after, result)
                worth[k, action] = result[movers[k]] * scale
                continue
            observe(cfg, after, following, seen[count])
            place = place_of(seen[count], len(table))
            while table[place] >= 0 and not _same(seen[table[place]], seen[count]):
                place = (place + 1) % len(table)
            if table[place] < 0:
                table[place] = count
                count += 1
            kinds[k, action] = table[place]
            signs[k, action] = 1.0 if sides[following] == sides[movers[k]] else -1.0
    keep(copy)
    keep(results)
    return count


def _same(one: Observation, other: Observation) -> bool:
    equal = True
    for i in range(len(one)):
        equal &= one[i] == other[i]
    return equal
