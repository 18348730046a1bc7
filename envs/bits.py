"""Sets of up to 62 things as whole numbers, a bit each; plain functions that get compiled."""

from __future__ import annotations

from bidarena.envs.compile import apart
from bidarena.envs.rng import Words, below


def count(mask: int) -> int:
    """How many bits are set. Compilers know this pattern and replace it by one instruction."""
    mask = mask - ((mask >> 1) & 0x5555555555555555)
    mask = (mask & 0x3333333333333333) + ((mask >> 2) & 0x3333333333333333)
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((mask * 0x0101010101010101) >> 56) & 0x7F


def nth(mask: int, n: int) -> int:
    """The index of the n-th lowest bit that is set, from 0; halving, because loops mispredict."""
    at = 0
    for width in (32, 16, 8, 4, 2, 1):
        lower = count((mask >> at) & ((1 << width) - 1))
        if n >= lower:
            n -= lower
            at += width
    return at


def lowest(mask: int) -> int:
    """The index of the lowest bit that is set; of the empty set 62."""
    return count(((mask & -mask) - 1) & 0x3FFFFFFFFFFFFFFF)


def highest(mask: int) -> int:
    """The index of the highest bit that is set; of the empty set -1."""
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> shift
    return count(mask) - 1


@apart
def subset(rng: Words, mask: int, size: int) -> int:
    """`size` of the bits of `mask`, every choice equally likely."""
    left = count(mask)
    if 2 * size > left:
        return mask ^ _few_of(rng, mask, left - size)
    return _few_of(rng, mask, size)


def _few_of(rng: Words, mask: int, size: int) -> int:
    """The same, fast when few are chosen."""
    chosen = 0
    left = count(mask)
    for k in range(size):
        one = 1 << nth(mask ^ chosen, below(rng, left - k))
        chosen |= one
    return chosen
