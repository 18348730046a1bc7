"""Positions as sums of parts, for learners that judge them part by part: many at once, compiled.

A part goes by a 64-bit number made of what is seen of it, a position by the sum of the numbers of
its parts: so equal positions are found whatever the order of their parts is. Nothing here needs
torch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.afterstates import scale_of, sides_of
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, Params, Rng, returns, step, to_move
from bidarena.envs.registry.parts import needed_parts, split

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
States = NDArray[np.int64]  # (rows, state_size)

_MIX = np.uint64(0x9E3779B97F4A7C15)
_NEXT = np.uint64(0xD6E8FEB86659FD93)
_S29, _S32 = np.uint64(29), np.uint64(32)
_NONE = np.uint64(0)


class Sums(NamedTuple):
    """Different positions, and the different parts of which they are sums."""

    views: Floats  # (parts, size) what is seen of each part; number 0 stands for no part
    parts: NDArray[np.int32]  # (positions, widest) numbers of parts; after the last one 0


class Moves(NamedTuple):
    """What every move in some positions leads to."""

    worth: Floats  # (rows, actions) the mover's result where a move ends the game; else -inf
    kinds: Integers  # (rows, actions) the position that a move leads to; -1: none
    signs: Floats  # (rows, actions) whether the next mover is on the side of the present one
    sums: Sums  # these positions


class Splitter:
    """Splits positions of a game, and those that follow them, into parts."""

    def __init__(self, game: Game) -> None:
        self.game, self.parts = game, needed_parts(game)
        self._sides, self._scale = sides_of(game), scale_of(game)
        self._split = game.compiled(split_states, split=self.parts.split)
        self._try = game.compiled(try_moves, split=self.parts.split)
        self._room = 1024  # for different parts; grows when it is too small

    def positions(self, states: States) -> tuple[Sums, NDArray[np.uint64], Integers]:
        """Return different positions as sums, the key of each, and which of them each state is."""
        kinds = np.empty(len(states), np.int64)
        found = self._grow(
            len(states), self._split, self.game.cfg, self.parts.params, states, kinds
        )
        return found[0], found[1], kinds

    def moves(self, states: States, movers: Integers, masks: Any, chance: Rng) -> Moves:
        """Return what every legal move leads to.

        Args:
            states: positions in which the game is not over.
            movers: who is to move in each.
            masks: (rows, actions) the legal actions.
            chance: the random generator for moves that are only tried.
        """
        shape = masks.shape
        worth = np.full(shape, -np.inf, np.float32)
        kinds, signs = np.full(shape, -1, np.int64), np.ones(shape, np.float32)
        given: tuple[Any, ...] = (self.game.cfg, self.parts.params, states, movers, masks)
        given += (self._sides, self._scale, chance, worth, kinds, signs)
        found = self._grow(int(masks.sum()), self._try, *given)
        return Moves(worth, kinds, signs, found[0])

    def _grow(self, most: int, run: Any, *given: Any) -> tuple[Sums, NDArray[np.uint64]]:
        """Run a compiled loop that finds at most `most` positions, with room enough for parts."""
        widest, size = self.parts.most, self.parts.size
        numbers = np.zeros((most + 1, widest), np.int32)
        keys = np.empty(most + 1, np.uint64)
        while True:
            views = np.zeros((self._room, size), np.float32)
            slots = np.zeros((2, _slots(max(most, self._room))), np.int64)
            part_keys = np.zeros(self._room, np.uint64)
            counts = np.array([0, 1, 0])
            if run(*given, numbers, keys, views, part_keys, slots, counts):
                break
            self._room *= 2
        positions, parts, wide = counts
        width = max(int(wide), 1)
        return Sums(views[:parts], numbers[:positions, :width]), keys[:positions]


def _slots(most: int) -> int:
    return 1 << (2 * most + 2).bit_length()


# --- compiled for each game ----------------------------------------------------------------------

POSITIONS, PARTS, WIDEST = 0, 1, 2  # counts


def split_states(
    cfg: Cfg,
    params: Params,
    states: States,
    kinds: Integers,
    numbers: NDArray[np.int32],
    keys: NDArray[np.uint64],
    views: Floats,
    part_keys: NDArray[np.uint64],
    slots: Integers,
    counts: Integers,
) -> bool:
    """Find the positions of states; return False if there was no room for all parts."""
    cfg, params, states = borrow(cfg), borrow(params), borrow(states)
    numbers, views, slots = borrow(numbers), borrow(views), borrow(slots)
    room = np.empty((numbers.shape[1], views.shape[1]), np.float32)
    done = True
    for k in range(len(states)):
        kinds[k] = _find(
            cfg, params, states[k], room, numbers, keys, views, part_keys, slots, counts
        )
        if kinds[k] < 0:
            done = False
            break
    return done


def try_moves(
    cfg: Cfg,
    params: Params,
    states: States,
    movers: Integers,
    masks: NDArray[np.int8],
    sides: Integers,
    scale: float,
    chance: Rng,
    worth: Floats,
    kinds: Integers,
    signs: Floats,
    numbers: NDArray[np.int32],
    keys: NDArray[np.uint64],
    views: Floats,
    part_keys: NDArray[np.uint64],
    slots: Integers,
    counts: Integers,
) -> bool:
    """Find the positions after all legal moves; return False if there was no room for all parts."""
    cfg, params, states, masks = borrow(cfg), borrow(params), borrow(states), borrow(masks)
    worth, kinds, signs, chance = borrow(worth), borrow(kinds), borrow(signs), borrow(chance)
    numbers, views, slots = borrow(numbers), borrow(views), borrow(slots)
    made = (np.empty(states.shape[1], np.int64), np.empty(len(sides)))
    after, result = borrow(made[0]), borrow(made[1])
    room = np.empty((numbers.shape[1], views.shape[1]), np.float32)
    done = True
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
            kind = _find(cfg, params, after, room, numbers, keys, views, part_keys, slots, counts)
            if kind < 0:
                done = False
                break
            kinds[k, action] = kind
            signs[k, action] = 1.0 if sides[following] == sides[movers[k]] else -1.0
        if not done:
            break
    keep(made)
    return done


def _find(
    cfg: Cfg,
    params: Params,
    state: NDArray[np.int64],
    room: Floats,
    numbers: NDArray[np.int32],
    keys: NDArray[np.uint64],
    views: Floats,
    part_keys: NDArray[np.uint64],
    slots: Integers,
    counts: Integers,
) -> int:
    """Return the number of the position of a state, a new one if it was not met; -1: no room."""
    found = split(cfg, params, state, room)
    position = counts[POSITIONS]
    key = _NONE
    for k in range(found):
        part_key = _MIX
        for cell in range(room.shape[1]):
            part_key = (part_key ^ np.uint64(np.int64(room[k, cell] * 1024))) * _NEXT
            part_key ^= part_key >> _S32
        slot = _slot_of(slots[1], part_keys, part_key)
        if slots[1, slot] == 0:
            part = counts[PARTS]
            if part >= len(views):
                return -1
            views[part] = room[k]
            part_keys[part] = part_key
            slots[1, slot] = part + 1
            counts[PARTS] += 1
        numbers[position, k] = slots[1, slot] - 1
        mixed = (part_key ^ (part_key >> _S29)) * _MIX
        key += mixed ^ (mixed >> _S32)
    slot = _slot_of(slots[0], keys, key)
    if slots[0, slot] == 0:
        for k in range(found, numbers.shape[1]):
            numbers[position, k] = 0
        keys[position] = key
        slots[0, slot] = position + 1
        counts[POSITIONS] += 1
        counts[WIDEST] = max(counts[WIDEST], found)
    return slots[0, slot] - 1


def _slot_of(slots: Integers, keys: NDArray[np.uint64], key: Any) -> int:
    """Return the slot of a key in a hash table of numbers + 1, or the free one where it belongs."""
    last = len(slots) - 1
    slot = np.int64(key >> _S32) & last
    while slots[slot] > 0 and keys[slots[slot] - 1] != key:
        slot = (slot + 1) & last
    return slot  # type: ignore[return-value]
