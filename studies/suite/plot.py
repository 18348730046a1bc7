"""The picture of the suite: a field for every algorithm on every cell, from random to perfect."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from bidarena.envs.files import write_whole
from bidarena.studies.suite.summary import OVERALL, learned, shown

WIDE, HIGH = 0.95, 0.5  # inches of a field


def draw(result: dict[str, Any], path: Path) -> Path:
    """Write a PNG with cells as rows and algorithms as columns, and return its path."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            'pictures need matplotlib: pip install "bidarena[plot]"; the same command then only '
            "draws, because all results are kept"
        ) from None
    told = learned(result)
    names = [n for n in result["cells"] if any(n in one["cells"] for one in told.values())]
    labels = [result["cells"][name]["title"] or name for name in names]
    means = {
        key: title
        for key, title in OVERALL.items()
        if any(one["overall"][key] is not None for one in told.values())
    }
    rows = [*labels, *means.values()]
    size = (3.6 + WIDE * max(len(told), 3), 2.0 + HIGH * len(rows))
    figure = Figure(figsize=size, layout="constrained")
    axes: Any = figure.subplots()
    blank = float("nan")
    values = [[blank] * len(told) for _ in rows]
    texts = [[""] * len(told) for _ in rows]
    for j, one in enumerate(told.values()):
        for i, name in enumerate(names):
            cell = one["cells"].get(name, {})
            if "figure" in cell:
                values[i][j], texts[i][j] = _field(cell["figure"])
            elif "refused" in cell:
                texts[i][j] = "-"
        for i, key in enumerate(means, len(names)):
            if one["overall"][key] is not None:
                values[i][j], texts[i][j] = _field(one["overall"][key])
    image = axes.imshow(values, cmap="viridis", vmin=0, vmax=1, aspect="auto")
    for i, line in enumerate(texts):
        for j, text in enumerate(line):
            dark = values[i][j] < 0.6  # dark fields have light letters
            ink = "#777777" if text == "-" else ("white" if dark else "black")
            axes.text(j, i, text, ha="center", va="center", fontsize=8.5, color=ink)
    axes.axhline(len(names) - 0.5, color="white", linewidth=5)
    columns = [name.replace("_", "_\n", 1) for name in told]
    axes.set_xticks(range(len(told)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.spines[:].set_visible(False)
    axes.set_xticks([j - 0.5 for j in range(1, len(told))], minor=True)
    axes.set_yticks([i - 0.5 for i in range(1, len(rows))], minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    budget = result["budget"]
    axes.set_title(
        f"{result['suite']}: {budget['cpu_seconds']:g} CPU seconds or {budget['decisions']:,} "
        "decisions a run\n0 uniformly random, 1 perfect play; mean over seeds ± 95 %",
        fontsize=11,
        pad=14,
    )
    figure.colorbar(image, ax=axes, shrink=0.6, aspect=25)
    png = io.BytesIO()
    figure.savefig(png, dpi=130, format="png")
    write_whole(path, png.getvalue())
    return path


def _field(found: dict[str, Any]) -> tuple[float, str]:
    """Return the value that colours a field, and its text."""
    value = shown(found["mean"])
    half = found["half_width"]
    return value, f"{value:.2f}" + ("" if half is None else f"\n± {half:.2f}")
