"""The figures of the suite: random play is 0 and perfect play is 1, checked by hand."""

import pytest

from bidarena.studies.suite.cells import OURS, Cell, read_suite
from bidarena.studies.suite.measuring import measure

SUITE = read_suite()
CELLS = {cell.name: cell for cell in SUITE.cells}
QUICK = sorted(set(CELLS) - {"raj", "scotch", "richman"})
SOLVED = ["raj-small", "scotch-small", "richman-small", "coins-small", "leduc", "dice", "goofspiel"]


def test_suite_v1__is_as_it_was_published():
    assert SUITE.name == OURS.stem == "suite-v1"
    assert len(CELLS) == 15
    hidden = {name for name, cell in CELLS.items() if cell.make_game().hidden}
    assert hidden == {"scotch-hidden", "leduc", "dice", "goofspiel", "twentynine"}


@pytest.mark.parametrize("name", QUICK)
def test_figure__random_play_is_0(name):
    found = measure(CELLS[name], CELLS[name].make_game(), "random")
    assert found.figure == pytest.approx(0.0, abs=1e-9 if found.exact else 0.02)


@pytest.mark.parametrize("name", SOLVED)
def test_figure__perfect_play_is_1(name):
    found = measure(CELLS[name], CELLS[name].make_game(), "exact")
    assert found.exact and found.figure == pytest.approx(1.0, abs=1e-3)


def test_figure__the_best_known_bot_is_at_1_where_the_truth_is_not_known():
    cell = CELLS["coins"]
    found = measure(cell, cell.make_game(), cell.best)
    assert not found.exact and found.half_width > 0
    assert found.figure == pytest.approx(1.0, abs=3 * found.half_width)


def test_figure__is_a_straight_line_by_hand():
    lower = Cell("x", "raj", "exploitability", random=4.0, perfect=0.0)
    assert lower.figure(4.0) == 0.0 and lower.figure(0.0) == 1.0 and lower.figure(1.0) == 0.75
    assert lower.figure(6.0) == -0.5  # worse than random is kept
    kept = Cell("x", "coins", "kept", random=0.2, perfect=1.0)
    assert kept.figure(0.6) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "values, told",
    [
        ({"random": 1.0, "perfect": 1.0}, "there is no scale"),
        ({"random": "1", "perfect": 0.0}, "random='1': expected a number"),
        ({"random": 1.0, "perfect": 0.0, "measure": "match"}, "references"),
        ({"random": 1.0, "perfect": 0.0, "name": "a/b"}, "small letters"),
    ],
)
def test_cell__refuses_what_cannot_be_measured(values, told):
    with pytest.raises(ValueError, match=told):
        Cell(**{"name": "x", "game": "raj", "measure": "exploitability", **values})


def test_measure__names_those_that_there_are():
    cell = Cell("x", "coins", "beauty", 0.0, 1.0, rules={"board": "triangle3"})
    with pytest.raises(ValueError, match=r"measure='beauty': expected one of .*kept_everywhere"):
        measure(cell, cell.make_game(), "random")


def test_suite__a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError, match="suite="):
        read_suite(tmp_path / "missing.yml")
    (tmp_path / "wrong.yml").write_text("cells: [1, 2]")
    with pytest.raises(ValueError, match="not a list of cells"):
        read_suite(tmp_path / "wrong.yml")
