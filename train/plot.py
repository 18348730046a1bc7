"""A picture of the learning curves of a run."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from bidarena.envs.files import write_whole
from bidarena.train.folder import EVALUATIONS, CsvTable

PICTURE = "learning.png"
_TRUTHS = {
    "exploitability": "lost to a best response",
    "kept": "decisions in games that keep the value",
    "kept_everywhere": "decisions in all positions that keep the value",
}


def draw(folder: Path) -> Path | None:
    """Draw the evaluations of a run and return the picture.

    Return None if matplotlib is missing or nothing was measured.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    rows = CsvTable(folder / EVALUATIONS).rows()
    if not rows:
        return None
    curves: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        name = row["measure"]
        value = float(row["value"])
        if name.startswith("match "):
            name = name.removeprefix("match ")
            decided = int(row["won"]) + int(row["lost"])
            value = 100 * int(row["won"]) / decided if decided else 50.0
        curves.setdefault(name, []).append((int(row["steps"]), value))
    truths = [name for name in curves if name in _TRUTHS]
    rivals = [name for name in curves if name not in truths]
    figure = Figure(figsize=(10 if truths else 6, 4), layout="constrained")
    axes: Any = figure.subplots(1, 1 + bool(truths), squeeze=False)[0]
    for name in rivals:
        axes[0].plot(*zip(*curves[name], strict=True), marker=".", label=name)
    axes[0].axhline(50, color="0.7", linewidth=1, zorder=0)
    axes[0].set(xlabel="decisions learned from", ylabel="% of decided games won", ylim=(-2, 102))
    axes[0].legend(title="against", fontsize="small")
    for name in truths:
        axes[1].plot(*zip(*curves[name], strict=True), marker=".", label=_TRUTHS[name])
        axes[1].set(xlabel="decisions learned from")
        axes[1].set_ylim(0, None if name == "exploitability" else 1.02)
        axes[1].legend(fontsize="small")
    figure.suptitle(folder.name, fontsize="small")
    path = folder / PICTURE
    png = io.BytesIO()
    figure.savefig(png, dpi=120, format="png")
    write_whole(path, png.getvalue())
    return path
