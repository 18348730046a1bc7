"""Sets of up to 62 things as whole numbers: bit i is set if thing i is in the set.

Compiled code carries out most of these functions by single instructions of the processor.
"""

from __future__ import annotations

from bidarena.envs.bits.instructions import deposit, instruction, leading, ones, trailing
from bidarena.envs.compile import apart
from bidarena.envs.rng import Words, below

_ALWAYS = 1 << 62  # a bit above all things


@instruction(ones)
def count(mask: int) -> int:
    """Return how many bits are set."""
    return int(mask).bit_count()


@instruction(trailing)
def _zeros_below(mask: int) -> int:
    """Return the index of the lowest bit that is set, at least one is."""
    return (int(mask) & -int(mask)).bit_length() - 1


@instruction(leading)
def _zeros_above(mask: int) -> int:
    """Return how many of 64 bits are above the highest that is set."""
    return 64 - int(mask).bit_length()


@instruction(deposit)
def _only_nth(mask: int, n: int) -> int:
    """Return the mask without all bits but the n-th lowest that is set, counted from 0."""
    at = 0
    for width in (32, 16, 8, 4, 2, 1):
        lower = count((mask >> at) & ((1 << width) - 1))
        if n >= lower:
            n -= lower
            at += width
    return 1 << at


def nth(mask: int, n: int) -> int:
    """Return the index of the n-th lowest bit that is set, counted from 0."""
    return _zeros_below(_only_nth(mask, n))


def lowest(mask: int) -> int:
    """Return the index of the lowest bit that is set; 62 for the empty set."""
    return _zeros_below(mask | _ALWAYS)


def highest(mask: int) -> int:
    """Return the index of the highest bit that is set; -1 for the empty set."""
    return 63 - _zeros_above(mask)


@apart
def subset(rng: Words, mask: int, size: int) -> int:
    """Return `size` of the bits of `mask`, every choice equally likely."""
    left = count(mask)
    if 2 * size > left:
        return mask ^ _few_of(rng, mask, left - size)
    return _few_of(rng, mask, size)


def _few_of(rng: Words, mask: int, size: int) -> int:
    """Return `size` of the bits of `mask`, drawn one by one; fast when few are chosen."""
    rest = mask
    left = count(mask)
    for k in range(size):
        rest ^= _only_nth(rest, below(rng, left - k))
    return mask ^ rest
