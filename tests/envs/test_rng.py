"""The generator: compared with xoroshiro128++ in Python's integers, and its distributions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidarena.envs.compile import compiled
from bidarena.envs.rng import below, pick, seeded, shuffle, uniform, word

MASK = 2**64 - 1
words = st.integers(0, MASK)


def reference(a: int, b: int) -> Iterator[int]:
    """Yield what Blackman and Vigna's xoroshiro128++ 1.0 gives (rotations 17, 49, 28, shift 21)."""

    def rotate(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & MASK

    while True:
        yield (rotate((a + b) & MASK, 17) + a) & MASK
        b ^= a
        a, b = rotate(a, 49) ^ b ^ ((b << 21) & MASK), rotate(b, 28)


def fast(body: Any) -> Callable[..., Any]:
    return compiled(body, {}, "rng")


def rng_of(*state: int) -> np.ndarray:
    return np.array(state, np.uint64)


# Many draws in one call.


def _many_below(rng, n, out):
    for i in range(len(out)):
        out[i] = below(rng, n)


def _many_uniform(rng, out):
    for i in range(len(out)):
        out[i] = uniform(rng)


def _many_shuffles(rng, out):
    for i in range(len(out)):
        for j in range(out.shape[1]):
            out[i, j] = j
        shuffle(rng, out[i])


def _many_picks(rng, mask, out):
    for i in range(len(out)):
        out[i] = pick(rng, mask)


def chi_square(counts: np.ndarray) -> float:
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


def five_sigma(cells: int) -> float:
    """Return a bound far in the tail of chi square with cells - 1 degrees of freedom."""
    return cells - 1 + 5 * np.sqrt(2 * (cells - 1)) + 8


@given(st.tuples(words, words).filter(any))
@settings(deadline=None, max_examples=100)
def test_rng__word_equals_the_reference(state):
    rng = rng_of(*state)
    expected = reference(*state)
    for _ in range(20):
        assert int(fast(word)(rng)) == next(expected)


@given(st.tuples(words, words).filter(any))
@settings(deadline=None, max_examples=30)
def test_rng__plain_python_equals_compiled(state):
    plain, quick = rng_of(*state), rng_of(*state)
    with np.errstate(over="ignore"):
        for n in (1, 2, 3, 7, 100, 2**31 + 1):
            assert below(plain, n) == fast(below)(quick, n)
        assert uniform(plain) == fast(uniform)(quick)
        a, b = np.arange(9), np.arange(9)
        shuffle(plain, a)
        fast(shuffle)(quick, b)
    assert a.tolist() == b.tolist()
    assert plain.tolist() == quick.tolist()


def test_rng__below_is_the_upper_half_of_a_word_scaled():
    # Lemire: floor(x * n / 2**32), rejected when the low half of the product is below 2**32 mod n.
    for n in (3, 6, 100, 2**31 + 1, 2**32 - 1):
        rng = rng_of(12, 34)
        stream = reference(12, 34)
        for _ in range(50):
            while True:
                product = (next(stream) >> 32) * n
                if product % 2**32 >= 2**32 % n:
                    break
            assert fast(below)(rng, n) == product >> 32


@pytest.mark.parametrize("n", [2, 3, 6, 100])
def test_rng__below_is_unbiased(n):
    draws = np.empty(200_000, np.int64)
    fast(_many_below)(rng_of(1, n), n, draws)
    counts = np.bincount(draws, minlength=n)
    assert len(counts) == n
    assert chi_square(counts) < five_sigma(n)


def test_rng__below_rejects_instead_of_favouring_some_numbers():
    # With n = 3 * 2**30 a plain scaling would give every third number twice as often.
    n = 3 * 2**30
    draws = np.empty(300_000, np.int64)
    fast(_many_below)(rng_of(5, 6), n, draws)
    assert chi_square(np.bincount(draws % 3, minlength=3)) < five_sigma(3)
    assert draws.max() < n


def test_rng__below_one_is_zero_and_takes_one_word():
    rng = rng_of(8, 9)
    assert fast(below)(rng, 1) == 0
    stream = reference(8, 9)
    next(stream)
    assert int(fast(word)(rng)) == next(stream)


def test_rng__uniform_fills_the_unit_interval():
    draws = np.empty(100_000)
    fast(_many_uniform)(rng_of(3, 4), draws)
    assert draws.min() >= 0.0 and draws.max() < 1.0
    assert chi_square(np.bincount((draws * 20).astype(int), minlength=20)) < five_sigma(20)


def test_rng__uniform_stays_below_one_at_the_largest_word():
    assert next(reference(0, MASK)) == MASK
    assert fast(uniform)(rng_of(0, MASK)) == 1.0 - 2.0**-53


def test_rng__shuffle_gives_all_orders_equally_often():
    orders = np.empty((120_000, 4), np.int64)
    fast(_many_shuffles)(rng_of(7, 7), orders)
    counts = Counter(map(tuple, orders.tolist()))
    assert set(counts) == set(permutations(range(4)))
    assert chi_square(np.array(list(counts.values()))) < five_sigma(24)


@pytest.mark.parametrize("items", [[], [5], [5, 6]])
def test_rng__shuffle_keeps_short_lists_whole(items):
    array = np.array(items, np.int64)
    fast(shuffle)(rng_of(1, 2), array)
    assert sorted(array.tolist()) == items


def test_rng__pick_chooses_every_one_equally_often_and_no_zero():
    mask = np.array([0, 1, 0, 1, 1, 0, 1], np.int8)
    draws = np.empty(80_000, np.int64)
    fast(_many_picks)(rng_of(2, 1), mask, draws)
    counts = np.bincount(draws, minlength=len(mask))
    assert (counts[mask == 0] == 0).all()
    assert chi_square(counts[mask == 1]) < five_sigma(4)


def test_rng__pick_of_an_empty_mask_is_minus_one():
    assert fast(pick)(rng_of(2, 1), np.zeros(5, np.int8)) == -1


def test_rng__seeded_words_are_never_zero_and_follow_the_generator():
    words = seeded(np.random.default_rng(3), 1000)
    assert words.dtype == np.uint64 and (words != 0).all()
    assert words.tolist() == seeded(np.random.default_rng(3), 1000).tolist()
    assert words.tolist() != seeded(np.random.default_rng(4), 1000).tolist()
