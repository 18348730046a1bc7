"""The HTML page of measured policies: each against all rivals, and side by side."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bidarena.evaluate.appraisal import Appraisal
from bidarena.evaluate.reports.html import (
    Estimated,
    Section,
    code,
    interval_plot,
    page,
    paragraphs,
    picture,
    table,
    write_page,
)


def write_report(found: Sequence[Appraisal], path: Path) -> Path:
    """Write the page of policies of one game; it needs no other file and no network."""
    game = found[0].game.name
    names = ", ".join(one.name for one in found)
    sections = [_side_by_side(found), *map(section_of, found)]
    write_page(path, page(f"Policies for {game}", sections, lead=names))
    return path


def section_of(one: Appraisal) -> Section:
    """Return the section of one policy: against all rivals, and how it was trained."""
    rows = [
        Estimated(
            rival, score.mean, score.half_width, f"{score.mean:+.3f} ± {score.half_width:.3f}"
        )
        for rival, score in one.scores.items()
    ]
    parts = [interval_plot(rows, "mean return, 95 % interval")]
    if one.truth is not None:
        kind = "exact" if one.truth.exact else "an estimate"
        told = f"{one.truth.name}: {one.truth.value:.4f} ({kind})"
        before = one.untrained().get(one.truth.name)
        told += f"; {before:.4f} before it learned" if before is not None else ""
        parts.append(paragraphs(told + "."))
    command = one.info.get("command")
    if isinstance(command, str):
        parts += [paragraphs("Learned by:"), code(command)]
    parts += [
        paragraphs("Measured again by:"),
        code(f"bidarena evaluate {shlex.quote(str(one.path))}"),
    ]
    rules = ", ".join(f"{name}={json.dumps(value)}" for name, value in one.game.options.items())
    return Section(one.name, "".join(parts), note=f"Rules: {rules}")


def _side_by_side(found: Sequence[Appraisal]) -> Section:
    """Return the section with all policies in one table and one picture."""
    columns = ["against", *(one.name for one in found)]
    rows = []
    for rival in found[0].scores:
        cells = []
        for one in found:
            score = one.scores[rival]
            shares = [100 * n / score.games for n in (score.wins, score.draws, score.losses)]
            cells.append(" / ".join(f"{share:.1f}" for share in shares) + " %")
        rows.append([rival, *cells])
    truths = [one.truth for one in found if one.truth is not None]
    if truths:
        values = ["" if one.truth is None else f"{one.truth.value:.4f}" for one in found]
        rows.append([truths[0].name, *values])
    body = table(columns, rows) + _drawn(found)
    return Section("Side by side", body, note="Games won / drawn / lost against each rival.")


def _drawn(found: Sequence[Appraisal]) -> str:
    """Return the picture of `bidarena evaluate --picture` as HTML; "" without matplotlib."""
    from bidarena.evaluate.appraisal.plot import draw

    try:
        with tempfile.TemporaryDirectory() as folder:
            png = draw(found, Path(folder) / "policies.png").read_bytes()
    except ValueError:  # no matplotlib
        return ""
    return picture(png, "mean returns against all rivals, and the exact measure while learning")
