"""A grid of fields for reports: rows against columns, each field from 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from bidarena.evaluate.reports.html import LARGEST, SMALLEST, Cell

WIDE, HIGH = 66, 32  # of a field
LETTER = 7.6  # width of a letter
LONGEST = 30  # letters of a label


def grid(rows: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[int, int], Cell]) -> str:
    """Return a map of fields, without colour at 0 and blue at 1.

    Args:
        rows: the names of the rows.
        columns: the names of the columns, which stand slanted above the fields.
        cells: the fields by row and column; the others stay empty.
    """
    label = 12 + LETTER * max(min(len(name), LONGEST) for name in rows)
    slant = 14 + 0.6 * LETTER * max(min(len(name), LONGEST) for name in columns)
    overhang = 0.8 * LETTER * min(len(columns[-1]), LONGEST)  # of the last name
    width = label + WIDE * len(columns) + max(0.0, overhang - WIDE / 2) + 4
    height = slant + HIGH * len(rows) + 2
    parts = []
    for j, name in enumerate(columns):
        x, y = label + WIDE * (j + 0.45), slant - 6
        parts.append(
            f'<text x="{x:.0f}" y="{y:.0f}" class="dim" transform="rotate(-35 {x:.0f} {y:.0f})">'
            f"<title>{escape(name)}</title>{escape(_short(name))}</text>"
        )
    for i, name in enumerate(rows):
        y = slant + HIGH * (i + 0.5) + 5
        parts.append(
            f'<text x="0" y="{y:.0f}"><title>{escape(name)}</title>{escape(_short(name))}</text>'
        )
    for (i, j), cell in cells.items():
        x, y = label + WIDE * j, slant + HIGH * i
        strength = min(1.0, max(0.0, cell.value))
        ink = "on" if strength > 0.6 else "off"
        parts.append(
            f'<g class="cell" tabindex="0" data-tip="{escape(cell.tip)}" role="img" '
            f'aria-label="{escape(cell.tip)}"><title>{escape(cell.tip)}</title>'
            f'<rect x="{x + 1:.1f}" y="{y + 1:.1f}" width="{WIDE - 2}" height="{HIGH - 2}" rx="4" '
            f'class="good" fill-opacity="{0.05 + 0.85 * strength:.2f}"/>'
            f'<text x="{x + WIDE / 2:.1f}" y="{y + HIGH / 2 + 5:.1f}" class="mid {ink}">'
            f"{escape(cell.text)}</text></g>"
        )
    svg = (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" style="min-width:{width * SMALLEST:.0f}px;'
        f'max-width:{width * LARGEST:.0f}px" role="group" aria-label="grid">{"".join(parts)}</svg>'
    )
    hint = "Point at a field, or touch it, to read more."
    return f'<div class="map"><div class="scroll">{svg}</div><p class="tip">{hint}</p></div>'


def _short(name: str) -> str:
    """Return a name, cut off if it is very long."""
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
