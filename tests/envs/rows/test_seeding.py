"""Seeds of many rows at once give the words of NumPy's own generators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.utils import seeding
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bidarena.envs.rng import seeded
from bidarena.envs.rows.seeding import seed_rows, seed_words

EDGES = [0, 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1]
seeds_of_64_bits = st.one_of(st.sampled_from(EDGES), st.integers(0, 2**64 - 1))


def one_by_one(seeds: list[int], words: int) -> list[list[int]]:
    """Return what a generator of its own gives for each seed."""
    return [seeded(seeding.np_random(own)[0], words).tolist() for own in seeds]


@settings(max_examples=60, deadline=None)
@given(st.lists(seeds_of_64_bits, min_size=1, max_size=12), st.integers(1, 9))
@example(EDGES, 4)
@example(EDGES[:1], 4)
def test_seed_words__are_those_of_numpy(seeds, words):
    found = seed_words(np.array(seeds, np.uint64), words)
    assert found.tolist() == one_by_one(seeds, words)
    assert found.dtype == np.uint64
    assert found.flags.c_contiguous


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 2**128 - 1), min_size=5, max_size=8))
@example([2**64, 2**64 + 1, 2**96 - 1, 2**96, 2**128 - 1])
def test_seed_words__of_longer_seeds_are_those_of_numpy(seeds):
    assert seed_words(np.array(seeds, object), 4).tolist() == one_by_one(seeds, 4)


def test_seed_words__a_zero_is_drawn_again_as_numpy_does(monkeypatch):
    seeds = np.arange(20, dtype=np.uint64)
    right = seed_words(seeds, 2)
    wrong = right.copy()
    wrong[7, 1] = 0
    monkeypatch.setattr("bidarena.envs.rows.seeding._numbers", lambda state, words: wrong.T)
    assert np.array_equal(seed_words(seeds, 2), right)


@pytest.mark.parametrize("first", [0, 5, 2**32 - 1000, 2**63])
def test_seed_rows__a_large_batch_counts_up_from_the_seed(first):
    rngs = np.zeros((5000, 4), np.uint64)
    assert seed_rows(rngs, first, np.random.default_rng(0)).all()
    rows = [0, 1, 999, 1000, 1001, 4999]
    assert rngs[rows].tolist() == one_by_one([first + row for row in rows], 4)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | seeds_of_64_bits | st.just(2**64), min_size=1, max_size=12))
def test_seed_rows__a_row_whose_seed_is_none_stays_as_it_is(seeds):
    rngs = np.arange(1, 1 + 4 * len(seeds), dtype=np.uint64).reshape(-1, 4)
    before = rngs.tolist()
    fresh = seed_rows(rngs, seeds, np.random.default_rng(0))
    assert fresh.tolist() == [own is not None for own in seeds]
    for words, kept, own in zip(rngs.tolist(), before, seeds, strict=True):
        assert words == (kept if own is None else one_by_one([own], 4)[0])


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.uint8, object])
@pytest.mark.parametrize("kind", [np.asarray, list, tuple, iter])
def test_seed_rows__arrays_and_lists_of_seeds_are_alike(dtype, kind):
    seeds = np.array([7, 0, 3, 255, 0, 12, 13], dtype)
    rngs = np.zeros((7, 4), np.uint64)
    assert seed_rows(rngs, kind(seeds), np.random.default_rng(0)).all()
    assert rngs.tolist() == one_by_one([int(own) for own in seeds], 4)


def test_seed_rows__only_chosen_rows_are_seeded():
    rngs = np.ones((6, 4), np.uint64)
    where = np.array([True, False, True, True, True, True])
    assert np.array_equal(seed_rows(rngs, 40, np.random.default_rng(0), where), where)
    assert rngs[1].tolist() == [1] * 4
    assert rngs[where].tolist() == one_by_one([40, 42, 43, 44, 45], 4)


def test_seed_rows__rows_without_a_seed_ever_get_one_from_the_fallback():
    rngs = np.zeros((3, 4), np.uint64)
    assert seed_rows(rngs, [None, 5, None], np.random.default_rng(1)).all()
    words = seeded(np.random.default_rng(1), 8).tolist()
    assert rngs.tolist() == [words[:4], *one_by_one([5], 4), words[4:]]


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        (np.array([3, -1, -2]), f"seed={np.int64(-1)!r}: expected a whole number from 0 to"),
        (np.array([0.0, 1.0, 2.0]), f"seed={np.float64(0)!r}: expected a whole number"),
        (np.array([True, False, True]), f"seed={np.True_!r}: expected a whole number"),
        (np.array([[1], [2], [3]]) > 0, "expected a whole number"),
        (np.array([1, 2]), "seed: got 2 seeds for 3 rows"),
        (np.array([1, -2]), f"seed={np.int64(-2)!r}"),
        ([1, 2, 2**64 + 1], f"seed={2**64 + 1}: expected a whole number from 0 to {2**64}"),
        ([1, True, 2], "seed=True"),
        (["1", 2, 3], "seed='1'"),
        ("123", "seed='123'"),
        (2**63 + 1, f"seed={2**63 + 1}: expected a whole number from 0 to {2**63}"),
    ],
)
def test_seed_rows__wrong_seeds_are_refused_before_anything_is_seeded(seeds: Any, told: str):
    rngs = np.ones((3, 4), np.uint64)
    with pytest.raises(ValueError) as error:
        seed_rows(rngs, seeds, np.random.default_rng(0))
    assert told in str(error.value)
    assert (rngs == 1).all()
