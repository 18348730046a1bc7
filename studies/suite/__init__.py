"""The benchmark suite: every algorithm on every game, at equal budgets, in one figure per cell.

    from bidarena.studies.suite import Settings, study

    report = study(Settings(algo=("mmd",), cells=("leduc",), budget="tiny", seeds=1))
    print(report.result["algorithms"]["mmd"]["cells"]["leduc"]["figure"]["mean"])

cells.py        the cells: games under fixed rules, and the scale of each; suite-v1.yml lists ours
hidden_games.py small games with hidden information
budget.py       equal budgets
measuring.py    the figure of a policy: 0 is random play, 1 is perfect play
runs.py         one run: learn within the budget, then measure
benchmark.py    all runs, and the study `suite`
summary.py      means over seeds with intervals, tables
plot.py         the picture
page.py         the HTML page
"""

from bidarena.studies.suite.benchmark import Settings, study
from bidarena.studies.suite.cells import Cell, Suite, read_suite

__all__ = ["Cell", "Settings", "Suite", "read_suite", "study"]
