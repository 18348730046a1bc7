"""The picture of measured policies: mean returns, and the exact measure during training."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bidarena.envs.files import write_whole
from bidarena.evaluate.appraisal import Appraisal


def draw(found: Sequence[Appraisal], path: Path) -> Path:
    """Write a PNG with bars of mean returns and curves of the exact measure; return its path."""
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise ValueError('a picture needs: pip install "bidarena[plot]"') from missing
    truths = [one for one in found if one.truth is not None]
    panels = 1 + bool(truths)
    rivals = list(found[0].scores)
    height = max(3.5, 0.3 * len(rivals) * len(found) + 1.2)
    figure = Figure(figsize=(6 * panels, height), layout="constrained")
    axes: Any = figure.subplots(1, panels, squeeze=False)[0]
    thick = 0.8 / len(found)
    for place, one in enumerate(found):
        at = [row + (place - (len(found) - 1) / 2) * thick for row in range(len(rivals))]
        means = [one.scores[rival].mean for rival in rivals]
        errors = [one.scores[rival].half_width for rival in rivals]
        axes[0].barh(at, means, thick * 0.9, xerr=errors, label=one.name, error_kw={"lw": 1})
    axes[0].set_yticks(range(len(rivals)), rivals)
    axes[0].invert_yaxis()
    axes[0].axvline(0, color="0.3", linewidth=1)
    axes[0].set(xlabel="mean return, 95 % interval", title="against")
    if len(found) > 1:
        axes[0].legend(fontsize="small")
    for one in truths:
        assert one.truth is not None
        rows = [row for row in one.curve if row["measure"] == one.truth.name]
        steps = [int(row["steps"]) for row in rows]
        values = [float(row["value"]) for row in rows]
        line = axes[1].plot(steps, values, marker=".", label=one.name) if rows else None
        color = line[0].get_color() if line else None
        axes[1].axhline(one.truth.value, color=color, linestyle=":", linewidth=1)
    if truths:
        named = truths[0].truth.name if truths[0].truth is not None else ""
        axes[1].set(xlabel="decisions learned from", title=f"{named} (dotted: the policy measured)")
        axes[1].set_ylim(0, 1.05 * axes[1].get_ylim()[1])
    png = io.BytesIO()
    figure.savefig(png, dpi=120, format="png")
    write_whole(path, png.getvalue())
    return path
