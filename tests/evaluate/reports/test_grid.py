"""The grid of fields in reports."""

import re

from bidarena.evaluate.reports.grid import grid
from bidarena.evaluate.reports.html import Cell


def test_grid__has_a_field_for_each_cell_and_escapes_names():
    cells = {(0, 0): Cell(1.0, "1.00", "a & b"), (1, 2): Cell(-0.5, "0.00", "worse than random")}
    made = grid(["<one>", "two"], ["x", "y", "a very long name of an algorithm indeed"], cells)
    assert made.count("<rect") == 2
    assert "&lt;one&gt;" in made and "<one>" not in made and "a &amp; b" in made
    strengths = [float(found) for found in re.findall(r'fill-opacity="([\d.]+)"', made)]
    assert strengths == [0.9, 0.05]  # the colour says how much, and nothing below 0
    assert "a very long name of an algori…" in made
