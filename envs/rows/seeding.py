"""Seeds the generators of many rows at once, with the words that NumPy's generators give.

NumPy makes generators one by one, which takes seconds for the rows of a large batch. Here the same
arithmetic is done for all seeds together, in arrays whose last axis is the seed:

1. `SeedSequence` spreads a seed over a pool of four 32-bit words and draws the state of a generator
   from it. After M. E. O'Neill, "Developing a seed_seq alternative", pcg-random.org, 2015, in the
   form that the documentation of `numpy.random.SeedSequence` promises never to change.
2. `PCG64` is a linear congruential generator of 128 bits whose state is folded to 64 bits (XSL-RR).
   After M. E. O'Neill, "PCG: A family of simple fast space-efficient statistically good algorithms
   for random number generation", Harvey Mudd College, HMC-CS-2014-0905.
3. `Generator.integers(1, 2**64)`, which `rng.seeded` draws, gives the numbers of the generator as
   they are and leaves out zeros (D. Lemire, "Fast random integer generation in an interval", 2019,
   for this interval).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from bidarena.envs.arguments import whole
from bidarena.envs.rng import seeded

_FEW = 4  # so many seeds are faster one by one
_POOL = 4  # 32-bit words of the pool of a SeedSequence
_STATE = 8  # 32-bit words that a PCG64 takes from it: its state and its increment, 128 bits each
_LOW32 = np.uint64(2**32 - 1)
_U32 = np.uint64(32)
_ONE = np.uint64(1)
_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # of PCG64


def _constants(first: int, factor: int, count: int) -> NDArray[np.uint32]:
    """Return (count, 1) numbers, each `factor` times the one before it, modulo 2**32."""
    powers = [first * pow(factor, k, 2**32) % 2**32 for k in range(count)]
    return np.array(powers, np.uint32)[:, None]


# A hash takes two neighbours of these series: one to add to a word and one to multiply it by.
_MIXING = _constants(0x43B0D7E5, 0x931E8875, _POOL * _POOL + 1)
_DRAWING = _constants(0x8B51F9DD, 0x58F38DED, _STATE + 1)
_LEFT, _RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)


def seed_rows(
    rngs: NDArray[np.uint64],
    seed: Any,
    fallback: np.random.Generator,
    where: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Seed the generators of some rows in place, and of all rows that were never seeded.

    Args:
        rngs: (rows, words) the generators, all zeros where a row was never seeded.
        seed: a number: row i gets seed + i. A list with an entry per row: None leaves that row as
            it is. None: leaves all rows as they are.
        fallback: seeds the rows that have no seed now and never had one.
        where: (rows,) bools, the rows that `seed` is for; None: all.

    Returns:
        (rows,) bools, True in the rows that were seeded.
    """
    rows = len(rngs)
    seeds, fresh = _seed_numbers(seed, rows)
    if where is not None:
        fresh &= where
    rngs[fresh] = seed_words(seeds[fresh], rngs.shape[1])
    unseeded = ~rngs.any(axis=1)
    if unseeded.any():
        words = seeded(fallback, int(unseeded.sum()) * rngs.shape[1])
        rngs[unseeded] = words.reshape(-1, rngs.shape[1])
    return fresh | unseeded


def _seed_numbers(seed: Any, rows: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return (rows,) seeds for `seed_words`, and bools: True in the rows that have one."""
    if seed is None:
        return np.zeros(rows, np.uint64), np.zeros(rows, np.bool_)
    if not isinstance(seed, Iterable) or isinstance(seed, str | bytes):
        first = np.uint64(whole("seed", seed, 0, 2**63))
        return first + np.arange(rows, dtype=np.uint64), np.ones(rows, np.bool_)
    if isinstance(seed, np.ndarray) and seed.dtype.kind in "iu" and seed.ndim == 1:
        for wrong in seed[seed < 0][:1]:
            whole("seed", wrong, 0, 2**64)
        seeds, fresh = seed.astype(np.uint64), np.ones(len(seed), np.bool_)
    else:
        listed = [None if own is None else whole("seed", own, 0, 2**64) for own in seed]
        fresh = np.array([own is not None for own in listed], np.bool_)
        seeds = np.array(listed, object)
    if len(seeds) != rows:
        raise ValueError(f"seed: got {len(seeds)} seeds for {rows} rows")
    return seeds, fresh


def seed_words(seeds: NDArray[Any], words: int) -> NDArray[np.uint64]:
    """Return (seeds, words): what `seeded` draws from a new Gymnasium generator of each seed.

    Args:
        seeds: whole numbers from 0 to 2**128 - 1, as uint64 or as Python's ints in an object array.
        words: how many words each seed gives.
    """
    if len(seeds) <= _FEW:
        drawn = np.zeros((len(seeds), words), np.uint64)
    else:
        drawn = np.ascontiguousarray(_numbers(_state(_pool(seeds)), words).T)
    for row in np.flatnonzero((drawn == 0).any(axis=1)):  # few seeds, or a zero in 2**64 numbers
        drawn[row] = seeded(seeding.np_random(int(seeds[row]))[0], words)
    return drawn


def _pool(seeds: NDArray[Any]) -> NDArray[np.uint32]:
    """Return (4, seeds) the pools of the SeedSequences, mixed."""
    parts = [(seeds >> 32 * k & 0xFFFFFFFF).astype(np.uint32) for k in range(_POOL)]
    pool = _hashed(np.array(parts), _MIXING[: _POOL + 1])
    used = _POOL
    for source in range(_POOL):
        others = [word for word in range(_POOL) if word != source]
        own = _hashed(pool[source], _MIXING[used : used + _POOL])
        mixed = pool[others] * _LEFT - own * _RIGHT
        pool[others] = mixed ^ (mixed >> np.uint32(16))
        used += len(others)
    return pool


def _state(pool: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Return (4, seeds) what the pools give for a PCG64: state and increment, high half first."""
    words = _hashed(np.concatenate((pool, pool)), _DRAWING).astype(np.uint64)
    return words[0::2] | (words[1::2] << _U32)


def _hashed(words: NDArray[np.uint32], series: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the words hashed, each with its own neighbours in `series`."""
    hashed = (words ^ series[:-1]) * series[1:]
    return hashed ^ (hashed >> np.uint32(16))


def _numbers(state: NDArray[np.uint64], count: int) -> NDArray[np.uint64]:
    """Return (count, seeds) the first numbers of PCG64s.

    With the multiplier m, k steps lead to start * m**k + increment * (1 + m + ... + m**(k-1)).
    A new generator has made one step before the first number, from increment + `state`.
    """
    powers = [pow(_MULTIPLIER, k, 2**128) for k in range(count + 2)]
    sums = [sum(powers[: k + 1]) % 2**128 for k in range(count + 2)]
    start = (state[0], state[1])
    increment = (state[2] << _ONE | state[3] >> np.uint64(63), state[3] << _ONE | _ONE)
    high, low = _times(start, powers[2:])
    more_high, more_low = _times(increment, sums[2:])
    low += more_low
    high += more_high + (low < more_low)
    turn = high >> np.uint64(58)
    folded = high ^ low
    turned: NDArray[np.uint64] = folded >> turn
    turned |= folded << (-turn & np.uint64(63))
    return turned


def _times(
    number: tuple[NDArray[np.uint64], NDArray[np.uint64]], factors: list[int]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return (factors, seeds) high and low halves of 128-bit numbers times each factor."""
    high, low = number
    by_high, by_low = (
        np.array([factor >> bits & 2**64 - 1 for factor in factors], np.uint64)[:, None]
        for bits in (64, 0)
    )
    a, b = low >> _U32, low & _LOW32
    c, d = by_low >> _U32, by_low & _LOW32
    middle = a * d + (b * d >> _U32)
    other = b * c + (middle & _LOW32)
    carried = a * c + (middle >> _U32) + (other >> _U32)
    return carried + high * by_low + low * by_high, low * by_low
