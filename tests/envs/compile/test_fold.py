"""Fields of global named tuples in compiled code are plain numbers, whatever else is done there."""

from typing import NamedTuple

import numpy as np
import pytest

from bidarena.envs.compile import compiled
from bidarena.envs.compile.fold import fold_named_tuples
from bidarena.envs.game import layout, starts

S = starts(layout(mover=1, hands=4, trump=1))
HANDS, TRUMP = S.hands, S.trump


class Prices(NamedTuple):
    """Not all of one type."""

    low: float = 0.5
    high: int = 3


PRICES = Prices()


def by_name(state, seat):
    return state[S.hands + seat] + state[S.trump]


def by_number(state, seat):
    return state[HANDS + seat] + state[TRUMP]


def in_a_loop(state):
    total = 0
    for place in (S.hands, S.trump):
        total += state[place] if place > S.mover else 0
    return total


def of_two_types(x):
    return x * PRICES.low + PRICES.high


def whole_tuple_too(x):
    return S.trump + len(S) + S[1] + x


def through_a_local(x):
    places = S
    total = places.trump + x
    if total > 5:
        total += places.hands
    return total


def wrong_field(x):
    return S.trmup + x


@pytest.mark.parametrize("body", [of_two_types, whole_tuple_too, through_a_local])
def test_fold__compiled_code_returns_what_python_returns(body):
    assert compiled(body, {}, "test")(4) == body(4)


def test_fold__fields_are_indexes():
    state = np.arange(10, 16)
    assert compiled(by_name, {}, "test")(state, 2) == by_name(state, 2) == 28
    assert compiled(in_a_loop, {}, "test")(state) == in_a_loop(state) == 26


def lines_for_llvm(body, *args):
    """How many lines Numba hands over to be optimised when it compiles `body` by itself."""
    from llvmlite import binding
    from numba import njit

    fold_named_tuples()
    parse, lines = binding.parse_assembly, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            binding,
            "parse_assembly",
            lambda text, *more: lines.append(text.count("\n")) or parse(text, *more),
        )
        njit(body)(*args)
    return sum(lines)


def test_fold__code_is_as_short_as_with_numbers():
    state = np.arange(10, 16)
    assert lines_for_llvm(by_name, state, 2) == lines_for_llvm(by_number, state, 2) > 0


def test_fold__a_wrong_field_is_named():
    with pytest.raises(Exception, match="trmup"):
        compiled(wrong_field, {}, "test")(1)
