"""Cells of tables: results of games, and values of any kind."""

import math
from types import SimpleNamespace

import pytest

from bidarena.cli.tables import SHOWN, cell, percent, percents, shares, with_interval

RESULTS = SimpleNamespace(games=8, wins=5, draws=1, losses=2)


def test_results__won_drawn_and_lost():
    assert percents(RESULTS) == ["62.5 %", "12.5 %", "25.0 %"]
    assert shares(RESULTS) == "62 / 12 / 25"
    assert shares(RESULTS, between="/") == "62/12/25"


def test_with_interval__a_single_deal_has_none():
    assert with_interval(0.5, 0.25) == "+0.500 ± 0.250"
    assert with_interval(-0.5, 0.25, digits=1) == "-0.5 ± 0.2"
    assert with_interval(0.5, math.inf) == "+0.500"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12345, "12,345"),
        (True, "True"),
        ("dp", "dp"),
        (0.123456789, "0.1235"),
        ([1, 2000], "1 2,000"),
        ([], "none"),
        ([[1, 2], [3]], "1 2\n3"),
        ({"best_move": 1, "of": {"a": 2}}, "best move: 1\nof: a: 2"),
    ],
)
def test_cell__any_value(value, shown):
    assert cell(value) == shown


def test_cell__long_lists_are_cut_and_digits_chosen():
    lines = cell([[i] for i in range(SHOWN + 3)]).splitlines()
    assert len(lines) == SHOWN + 1 and lines[-1] == "... and 3 more"
    assert cell([0.123456789], digits=6) == "0.123457"


def test_percent__a_share_of_nothing_is_a_dash():
    assert percent(0.125) == "12.5 %"
    assert percent(None) == "-"
