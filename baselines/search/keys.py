"""Keys: 64-bit numbers by which a tree finds its nodes.

A key is made for one player. Two situations get equal keys if that player cannot tell them apart.
Otherwise their keys differ, except for about 1 in 2**63 pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import rule
from bidarena.envs.game import Cfg, State, observe, signature

Key = Any  # np.uint64; NumPy's types would ask for a cast at every step

_ONE = np.uint64(1)
_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


def mix(key: Key, value: Key) -> Key:
    """Return a new key made from `key` and the `value` that follows it."""
    mixed = (key ^ value) * _FIRST
    mixed = (mixed ^ (mixed >> _HALF)) * _SECOND
    return mixed ^ (mixed >> _HALF)


def node_key(key: Key, mover: int) -> Key:
    """Return the key of a decision of `mover`; never 0, which marks an empty row of the table.

    Players who decide at the same moment have neighbouring rows: one look into memory finds both.
    """
    return (key + np.uint64(2 * mover)) | _ONE


def state_key(state: State, start: Key) -> Key:
    """Return the key of a whole state in the tree whose root has the key `start`."""
    key, other = start, _FIRST  # two, because a processor can make them at the same time
    for i in range(1, len(state), 2):
        key = (key ^ np.uint64(state[np.uint64(i - 1)])) * _FIRST
        other = (other ^ np.uint64(state[np.uint64(i)])) * _SECOND
    if len(state) % 2 == 1:
        key = (key ^ np.uint64(state[len(state) - 1])) * _FIRST
    return mix(key ^ (key >> _HALF), other)


@rule
def seen(cfg: Cfg, state: State, player: int, view: NDArray[np.float32]) -> Key:
    """Return a number for what `player` sees: one of the two functions below, by game.

    `view` is memory for an observation, which the function may overwrite.
    """
    raise NotImplementedError


def seen_by_signature(cfg: Cfg, state: State, player: int, view: NDArray[np.float32]) -> Key:
    """Return the game's own `signature`, in games that define one."""
    return np.uint64(signature(cfg, state, player))


def seen_by_observation(cfg: Cfg, state: State, player: int, view: NDArray[np.float32]) -> Key:
    """Return a key of the whole observation, in games without `signature`."""
    observe(cfg, state, player, view)
    bits = view.view(np.uint32)
    key = _FIRST
    for i in range(len(bits)):
        key = (key ^ np.uint64(bits[i])) * _FIRST
        key ^= key >> _HALF
    return key
