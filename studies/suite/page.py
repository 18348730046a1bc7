"""The HTML page of the suite: all figures, the algorithms in order, the cells and their scales."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bidarena.evaluate.reports.grid import grid
from bidarena.evaluate.reports.html import (
    Cell,
    Estimated,
    Section,
    code,
    interval_plot,
    page,
    paragraphs,
    table,
    write_page,
)
from bidarena.studies.suite.cells import MATCH
from bidarena.studies.suite.summary import learned, plus_minus, reasons_of, shown


def write_report(result: Mapping[str, Any], path: Path) -> Path:
    """Write the page; it needs no other file and no network."""
    budget = result["budget"]
    lead = (
        f"Each run ends after {budget['cpu_seconds']:g} CPU seconds of learning or "
        f"{budget['decisions']:,} decisions. "
        "0 is uniformly random play, 1 is perfect play or, where that is not known, the best known "
        "bot. Means over seeds with 95 % intervals."
    )
    sections = [_figures(result), *_overall(result), _cells(result), _runs(result)]
    if reasons := reasons_of(result):
        rows = table(["algorithm", "cells", "reason"], reasons, text_columns=3)
        sections.append(Section("Cannot be learned", rows, note="What the learners say."))
    sections.append(_again(result))
    write_page(path, page(f"Benchmark {result['suite']}", sections, lead=lead))
    return path


def _title(result: Mapping[str, Any], cell: str) -> str:
    """Return what readers see of a cell."""
    return str(result["cells"][cell]["title"] or cell)


def _figures(result: Mapping[str, Any]) -> Section:
    """Return the section with a field for every algorithm on every cell."""
    told, names = learned(result), list(result["cells"])
    fields = {}
    for j, (algorithm, one) in enumerate(told.items()):
        for i, name in enumerate(names):
            found = one["cells"].get(name)
            if found is None:
                continue
            about = f"{algorithm} on {_title(result, name)}: "
            if "refused" in found:
                fields[i, j] = Cell(0.0, "-", about + found["refused"])
                continue
            figure = found["figure"]
            seeds = ", ".join(f"{value:.3f}" for value in figure["values"])
            tip = f"{about}{plus_minus(figure)} (by seed {seeds}); {found['measure']} "
            tip += f"{found['value']['mean']:.4g}, {found['cpu_seconds']:.1f} CPU s"
            value = shown(figure["mean"])
            fields[i, j] = Cell(value, f"{value:.2f}", tip)
    if not told:
        return Section("Figures", paragraphs("Nothing was run yet."))
    return Section("Figures", grid([_title(result, name) for name in names], list(told), fields))


def _overall(result: Mapping[str, Any]) -> list[Section]:
    """Return the sections with the mean figures of the algorithms, the best first."""
    sections = []
    for key, title, note in (
        ("mean_of_all", "Mean of all cells", "Cells that an algorithm cannot learn count 0."),
        ("mean_of_own", "Mean of own cells", "Only the cells that an algorithm can learn."),
    ):
        known = {
            name: one["overall"]
            for name, one in result["algorithms"].items()
            if one["overall"][key] is not None
        }
        rows = [
            Estimated(
                name,
                told[key]["mean"],
                float("inf") if told[key]["half_width"] is None else told[key]["half_width"],
                f"{plus_minus(told[key])}, {told['cells']} of {told['of']} cells",
            )
            for name, told in sorted(known.items(), key=lambda item: -item[1][key]["mean"])
        ]
        if rows:
            sections.append(Section(title, interval_plot(rows, "mean figure, 95 %"), note=note))
    return sections


def _cells(result: Mapping[str, Any]) -> Section:
    """Return the section that says what the cells are and how they are measured."""
    rows = []
    for name, cell in result["cells"].items():
        rules = ", ".join(f"{rule}={json.dumps(value)}" for rule, value in cell["rules"].items())
        measure = cell["measure"]
        if measure == MATCH:
            measure = f"{cell['games']} games against {', '.join(cell['references'])}"
        perfect = f"{cell['perfect']:.4g}" + (f" ({cell['best']})" if cell["best"] else "")
        rows.append(
            [
                name,
                _title(result, name),
                f"{cell['game'].rpartition(':')[2]} {rules}".strip(),
                "yes" if cell["hidden_information"] else "no",
                measure,
                f"{cell['random']:.4g}",
                perfect,
            ]
        )
    columns = ["cell", "game", "rules", "hidden information", "measure", "0: random", "1: perfect"]
    note = "Figures are (value - random) / (perfect - random); what is below 0 is shown as 0."
    return Section("Cells", table(columns, rows, text_columns=5), note=note)


def _runs(result: Mapping[str, Any]) -> Section:
    """Return the section with all figures in numbers, and what they took."""
    rows = []
    for algorithm, one in result["algorithms"].items():
        for name, found in one["cells"].items():
            if "figure" in found:
                rows.append(
                    [
                        algorithm,
                        name,
                        found["against"],
                        plus_minus(found["figure"]),
                        f"{found['figure']['mean']:.3f}",
                        f"{found['value']['mean']:.4g}",
                        f"{found['decisions']:,.0f}",
                        f"{found['cpu_seconds']:.1f}",
                    ]
                )
    columns = ["algorithm", "cell", "against", "figure", "unclipped", "value", "decisions", "CPU s"]
    return Section("Runs", table(columns, rows, text_columns=3), note="Means over seeds.")


def _again(result: Mapping[str, Any]) -> Section:
    """Return the section that says how to repeat it."""
    budget = result["budget"]
    words = f"--decisions {budget['decisions']:g} --cpu-seconds {budget['cpu_seconds']:g}"
    if budget["name"] in ("tiny", "small", "medium", "full"):
        words = f"--budget {budget['name']}"
    body = code(f"bidarena study suite {words}") + paragraphs("An algorithm of your own:")
    body += code(f"bidarena study suite {words} --algo my_algorithm:climb")
    return Section("Run it", body)
