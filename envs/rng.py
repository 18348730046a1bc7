"""The random generator of the games: xoroshiro128++.

The state of a generator is an array of two uint64 numbers, called its words. It is kept beside the
game that draws from it, and `seeded` fills it from a NumPy generator. Functions of this file change
the array in place. They are plain functions, compiled into the code that calls them. Those marked
`replaceable` have a second version in outcomes.py, which lists all outcomes instead of drawing one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.arguments import wholes
from bidarena.envs.compile import replaceable

Words = NDArray[np.uint64]  # the state of a generator, (WORDS,)

WORDS = 2  # words per generator

# Everything is uint64: Numba would make a float of a uint64 and an int64.
_R17 = np.uint64(17)
_R28 = np.uint64(28)
_R49 = np.uint64(49)
_R21 = np.uint64(21)
_S11 = np.uint64(11)
_S32 = np.uint64(32)
_S47 = np.uint64(64 - 17)
_S36 = np.uint64(64 - 28)
_S15 = np.uint64(64 - 49)
_LOW = np.uint64(0xFFFFFFFF)
_TWO32 = np.uint64(1 << 32)
_UNIT = 1.0 / (1 << 53)


def seeded(generator: np.random.Generator, words: int) -> Words:
    """Return `words` words drawn from a NumPy generator.

    None is zero, because xoroshiro cannot leave the state in which all words are zero.
    """
    return generator.integers(1, 2**64, size=words, dtype=np.uint64)


def checked_words(name: str, value: Any) -> Words:
    """Return the state of a generator that comes from outside; raise ValueError if it is none.

    Args:
        name: what the words are, for the error.
        value: `WORDS` whole numbers of 64 bits, not all of them zero.
    """
    words = np.array(wholes(name, value, WORDS, 0, 2**64 - 1), np.uint64)
    if not words.any():
        raise ValueError(f"{name}={value!r}: expected a number that is not 0, or no draw ends")
    return words


@replaceable
def word(rng: Words) -> Any:
    """Return the next 64 random bits as a uint64."""
    a = rng[0]
    b = rng[1]
    total = a + b
    result = ((total << _R17) | (total >> _S47)) + a
    b ^= a
    rng[0] = ((a << _R49) | (a >> _S15)) ^ b ^ (b << _R21)
    rng[1] = (b << _R28) | (b >> _S36)
    return result


@replaceable
def below(rng: Words, n: int) -> int:
    """Return a whole number from 0 to n-1, each equally likely; n is at most 2**32."""
    bound = np.uint64(n)
    product = (word(rng) >> _S32) * bound
    low = product & _LOW
    if low < bound:
        # Reject the few values that would make some results more likely than others.
        smallest = (_TWO32 - bound) % bound
        while low < smallest:
            product = (word(rng) >> _S32) * bound
            low = product & _LOW
    return np.int64(product >> _S32)  # type: ignore[return-value]


@replaceable
def uniform(rng: Words) -> float:
    """Return a random float in [0, 1)."""
    return np.float64(word(rng) >> _S11) * _UNIT


def shuffle(rng: Words, items: NDArray[np.int64]) -> None:
    """Put `items` into a random order in place, all orders equally likely."""
    for last in range(len(items) - 1, 0, -1):
        other = below(rng, last + 1)
        kept = items[last]
        items[last] = items[other]
        items[other] = kept


def pick(rng: Words, mask: NDArray[np.int8]) -> int:
    """Return the index of a 1 in `mask`, each equally likely; -1 if there is none."""
    count = 0
    for i in range(len(mask)):
        count += mask[i]
    if count == 0:
        return -1
    left = below(rng, count)
    for i in range(len(mask)):
        if mask[i]:
            if left == 0:
                return i
            left -= 1
    return -1


@replaceable
def draw(rng: Words, chances: NDArray[np.float64]) -> int:
    """Return an index drawn with the probabilities `chances`; never one of probability 0.

    If rounding leaves the sum a little below 1, the rest goes to the last possible index.
    """
    left = uniform(rng)
    last = -1
    for index in range(len(chances)):
        if chances[index] > 0.0:
            last = index
            left -= chances[index]
            if left < 0.0:
                break
    return last
