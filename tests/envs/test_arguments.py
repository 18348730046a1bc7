"""Checks of arguments: what passes; errors name the argument, the value and what is allowed."""

from __future__ import annotations

import numpy as np
import pytest

from bidarena.envs.arguments import choice, flag, unknown, whole, wholes


@pytest.mark.parametrize("value", [0, 7, 10, np.int64(3), np.uint8(3), np.array(3)])
def test_whole__takes_integers_of_any_kind(value):
    number = whole("money", value, 0, 10)
    assert number == int(value) and type(number) is int


@pytest.mark.parametrize(
    "value", [-1, 11, 2.0, 2.5, float("nan"), "3", None, True, np.float64(3), [3], np.array([1, 2])]
)
def test_whole__refuses_others_and_says_what_is_allowed(value):
    with pytest.raises(ValueError) as error:
        whole("money", value, 0, 10)
    assert "money=" in str(error.value) and "a whole number from 0 to 10" in str(error.value)
    assert repr(value) in str(error.value)


@pytest.mark.parametrize("value", [(1, 2), [1, 2], np.array([1, 2]), range(1, 3)])
def test_wholes__takes_any_sequence(value):
    assert wholes("money", value, 2, 0, 10) == (1, 2)


@pytest.mark.parametrize("value", [5, "12", b"12", None, (1,), (1, 2, 3)])
def test_wholes__refuses_the_wrong_count(value):
    with pytest.raises(ValueError, match=r"money=.*expected 2 whole numbers"):
        wholes("money", value, 2, 0, 10)


def test_wholes__names_the_element_that_is_wrong():
    with pytest.raises(ValueError, match=r"money\[1\]=-5: expected a whole number from 0 to 10"):
        wholes("money", (3, -5), 2, 0, 10)


def test_choice__gives_the_index_of_a_word():
    assert choice("tie", "coin", ("alternate", "coin")) == 1


@pytest.mark.parametrize("value", ["Coin", "", None, 1, ["coin"]])
def test_choice__refuses_other_words_and_lists_the_known(value):
    with pytest.raises(ValueError, match=r"tie=.*expected one of 'alternate', 'coin'"):
        choice("tie", value, ("alternate", "coin"))


@pytest.mark.parametrize("value", [0, 1, "True", None, np.True_])
def test_flag__takes_nothing_but_a_bool(value):
    assert flag("copy", True) is True
    with pytest.raises(ValueError, match=r"copy=.*expected True or False"):
        flag("copy", value)


def test_unknown__suggests_the_nearest_name():
    message = str(unknown("opponent", "unifrom", ["uniform", "random"]))
    assert message.startswith("opponent='unifrom' is not known: did you mean 'uniform'?")
    assert "'random', 'uniform'" in message


def test_unknown__suggests_nothing_when_nothing_is_near():
    message = str(unknown("opponent", "xyz", ["uniform", "random"]))
    assert "did you mean" not in message and "'random', 'uniform'" in message
