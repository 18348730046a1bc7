"""Sets of up to 62 things as whole numbers: bit i is set if thing i is in the set.

The functions are plain, and compiled into the code that calls them.
"""

from __future__ import annotations

from bidarena.envs.compile import apart
from bidarena.envs.rng import Words, below

FEW = 8  # `nth` is fast for a smaller n


def count(mask: int) -> int:
    """Return how many bits are set. Compilers replace this pattern by one instruction."""
    mask = mask - ((mask >> 1) & 0x5555555555555555)
    mask = (mask & 0x3333333333333333) + ((mask >> 2) & 0x3333333333333333)
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((mask * 0x0101010101010101) >> 56) & 0x7F


def nth(mask: int, n: int) -> int:
    """Return the index of the n-th lowest bit that is set, counted from 0.

    Always seven steps: a loop of n steps is slower, because the processor mispredicts its end.
    """
    if n >= FEW:
        return nth_of_many(mask, n)
    for k in range(FEW - 1):
        mask = mask & (mask - 1) if k < n else mask
    return lowest(mask)


@apart
def nth_of_many(mask: int, n: int) -> int:
    """Return what `nth` returns, by halving; this is faster if n is often large."""
    at = 0
    for width in (32, 16, 8, 4, 2, 1):
        lower = count((mask >> at) & ((1 << width) - 1))
        if n >= lower:
            n -= lower
            at += width
    return at


def lowest(mask: int) -> int:
    """Return the index of the lowest bit that is set; 62 for the empty set."""
    return count(((mask & -mask) - 1) & 0x3FFFFFFFFFFFFFFF)


def highest(mask: int) -> int:
    """Return the index of the highest bit that is set; -1 for the empty set."""
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> shift
    return count(mask) - 1


@apart
def subset(rng: Words, mask: int, size: int) -> int:
    """Return `size` of the bits of `mask`, every choice equally likely."""
    left = count(mask)
    if 2 * size > left:
        return mask ^ _few_of(rng, mask, left - size)
    return _few_of(rng, mask, size)


def _few_of(rng: Words, mask: int, size: int) -> int:
    """Return `size` of the bits of `mask`, drawn one by one; fast when few are chosen."""
    chosen = 0
    left = count(mask)
    for k in range(size):
        one = 1 << nth_of_many(mask ^ chosen, below(rng, left - k))
        chosen |= one
    return chosen
