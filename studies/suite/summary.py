"""Means over seeds with intervals, for every cell and over all cells, and tables of them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from bidarena.evaluate.reports.tables import TableSpec
from bidarena.studies.learning import interval
from bidarena.studies.suite.cells import Suite
from bidarena.train.algorithms import algorithms

OVERALL = {"mean_of_own": "mean of own cells", "mean_of_all": "mean of all cells"}
TOGETHER = 5  # algorithms in one table of a terminal
Refusals = dict[str, dict[str, str]]  # algorithm -> cell -> why it cannot learn it


def summarise(
    suite: Suite, runs: Sequence[Mapping[str, Any]], refusals: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Return all cells, and for each algorithm what it reaches in each cell and over all of them.

    Args:
        suite: the suite.
        runs: what was measured at the end of each run.
        refusals: why algorithms cannot learn cells.
    """
    found: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for one in sorted(runs, key=lambda one: one["seed"]):
        found.setdefault(one["algorithm"], {}).setdefault(one["cell"], []).append(one)
    told = {}
    for algorithm in _in_order({*found, *refusals}):
        cells = {}
        for cell in suite.cells:
            by_seed = found.get(algorithm, {}).get(cell.name, [])
            if by_seed:
                cells[cell.name] = _cell(by_seed)
            elif cell.name in refusals.get(algorithm, {}):
                cells[cell.name] = {"refused": refusals[algorithm][cell.name]}
        told[algorithm] = {"overall": _overall(suite, cells), "cells": cells}
    described = {
        cell.name: {**cell.as_dict(), "hidden_information": cell.make_game().hidden}
        for cell in suite.cells
    }
    return {"cells": described, "algorithms": told}


def shown(figure: float) -> float:
    """Return a figure as it is shown and averaged: play that is worse than random counts 0."""
    return max(0.0, figure)


def _in_order(names: set[str]) -> list[str]:
    """Return the names in the order of registration, then unknown ones by the alphabet."""
    known = [name for name in algorithms() if name in names]
    return known + sorted(names - set(known))


def _cell(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what an algorithm reaches in a cell, over its seeds."""
    return {
        "figure": interval([one["figure"] for one in runs]),
        "value": interval([one["value"] for one in runs]),
        "measure": runs[0]["measure"],
        "exact": all(one["exact"] for one in runs),
        "against": runs[0]["against"],
        "seeds": [one["seed"] for one in runs],
        "decisions": statistics.fmean(one["decisions"] for one in runs),
        "cpu_seconds": statistics.fmean(one["cpu_seconds"] for one in runs),
        "ended_by": sorted({one["ended_by"] for one in runs}),
    }


def _overall(suite: Suite, cells: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the mean figure over the cells that an algorithm learns, by seeds, and over all cells.

    In the mean over all cells those that it cannot learn count 0. It is None while cells are
    neither measured nor refused.
    """
    played = {name: told for name, told in cells.items() if "figure" in told}
    seeds = set.intersection(*(set(told["seeds"]) for told in played.values())) if played else set()
    by_seed = [
        statistics.fmean(
            shown(told["figure"]["values"][told["seeds"].index(seed)]) for told in played.values()
        )
        for seed in sorted(seeds)
    ]
    own = interval(by_seed) if by_seed else None
    whole = own is not None and len(cells) == len(suite.cells)
    share = len(played) / len(suite.cells)
    return {
        "cells": len(played),
        "of": len(suite.cells),
        "mean_of_own": own,
        "mean_of_all": _scaled(own, share) if own and whole else None,
    }


def _scaled(found: dict[str, Any], factor: float) -> dict[str, Any]:
    """Return an estimate times a factor."""
    half = found["half_width"]
    return {
        "mean": factor * found["mean"],
        "half_width": None if half is None else factor * half,
        "values": [factor * value for value in found["values"]],
    }


def plus_minus(found: Mapping[str, Any] | None, between: str = " ± ") -> str:
    """Return an estimate as text, with the half width of its interval if that is known."""
    if found is None:
        return "-"
    half = found["half_width"]
    return f"{shown(found['mean']):.2f}" + ("" if half is None else f"{between}{half:.2f}")


def learned(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the algorithms that have learned any cell."""
    return {name: one for name, one in result["algorithms"].items() if one["overall"]["cells"]}


def tables_of(result: Mapping[str, Any]) -> list[TableSpec]:
    """Return tables of all figures, and that of what cannot be learned."""
    told = learned(result)
    names = list(told)
    parts = [names[first : first + TOGETHER] for first in range(0, len(names), TOGETHER)]
    tables = [_table(result, {name: told[name] for name in part}) for part in parts]
    if reasons := reasons_of(result):
        tables.append(TableSpec("- cannot be learned", ["algorithm", "cells", "reason"], reasons))
    return tables


def _table(result: Mapping[str, Any], told: Mapping[str, Any]) -> TableSpec:
    """Return the table of the figures of some algorithms."""
    budget = result["budget"]
    title = (
        f"{result['suite']}, {budget['cpu_seconds']:g} CPU seconds or {budget['decisions']:,} "
        "decisions: 0 random, 1 perfect; mean over seeds ± 95 %"
    )
    rows = []
    for name in result["cells"]:
        cells = [_text(one["cells"].get(name)) for one in told.values()]
        if any(cells):
            rows.append([name, *cells])
    for key, label in OVERALL.items():
        rows.append([label, *(plus_minus(one["overall"][key], "\n±") for one in told.values())])
    rows.append(["cells learned", *(str(one["overall"]["cells"]) for one in told.values())])
    # Names are broken at their underscores, so that all columns have room
    columns = ["", *(name.replace("_", "_\n") for name in told)]
    return TableSpec(title, columns, rows)


def markdown(result: Mapping[str, Any]) -> str:
    """Return the table of all figures in Markdown, for documents; "" before anything was run."""
    told = learned(result)
    if not told:
        return ""
    rows = [["", *(f"`{name}`" for name in told)], ["---"] * (len(told) + 1)]
    for name in result["cells"]:
        cells = [_text(one["cells"].get(name), " ± ") for one in told.values()]
        if any(cells):
            rows.append([f"`{name}`", *cells])
    for key, label in OVERALL.items():
        rows.append([label, *(plus_minus(one["overall"][key]) for one in told.values())])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def reasons_of(result: Mapping[str, Any]) -> list[list[str]]:
    """Return rows of algorithm, cells, and the reason why it cannot learn these cells."""
    rows: dict[tuple[str, str], list[str]] = {}
    for algorithm, one in result["algorithms"].items():
        for cell, told in one["cells"].items():
            if "refused" in told:
                why = told["refused"].rpartition(">: ")[2]  # without the rules of the game
                rows.setdefault((algorithm, why), []).append(cell)
    return [[algorithm, ", ".join(cells), why] for (algorithm, why), cells in rows.items()]


def _text(told: Mapping[str, Any] | None, between: str = "\n±") -> str:
    """Return a field of the table; "" if nothing was run, "-" if it cannot be learned."""
    if told is None:
        return ""
    return "-" if "refused" in told else plus_minus(told["figure"], between)
