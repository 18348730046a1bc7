"""Sets as whole numbers: the n-th bit, and its faster ways."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bidarena.envs.bits import nth, nth_of_many


@given(st.sets(st.integers(0, 61), min_size=1), st.data())
def test_nth__is_the_index_of_the_nth_lowest_bit(things, data):
    n = data.draw(st.integers(0, len(things) - 1))
    mask = sum(1 << thing for thing in things)
    assert nth(mask, n) == nth_of_many(mask, n) == sorted(things)[n]
