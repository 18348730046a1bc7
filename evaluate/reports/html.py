"""The parts of reports as HTML: pages of sections, tables, heat maps, interval plots, replays.

    page("Raj", [Section("Ratings", table(["bot", "rating"], [["value", "+12"]]))])

A page is one file that needs nothing else: style, script and data are inside, and its content
policy forbids the browser to load anything. It follows the reader's choice of light or dark, and
fits a phone. Text from outside, such as the names of bots, is escaped here, in every part; only
`Section.body` is taken as HTML, because it is made of these parts.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from bidarena.envs.files import write_whole
from bidarena.evaluate.reports.assets import SCRIPT, STYLE

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
SMALLEST, LARGEST = 0.75, 1.2  # scale of drawings on a phone, and on a large screen


@dataclass(frozen=True)
class Section:
    """A part of a page with a heading; `body` is HTML, `note` is text under the heading."""

    title: str
    body: str
    note: str = ""


def page(title: str, sections: Sequence[Section], *, lead: str = "") -> str:
    """Return a whole page, with links to its sections at the top.

    Args:
        title: the heading, and the name of the page.
        sections: the sections in order.
        lead: a sentence under the heading.
    """
    anchors = [anchor(section.title) for section in sections]
    links = "".join(
        f'<a href="#{name}">{escape(section.title)}</a>'
        for name, section in zip(anchors, sections, strict=True)
    )
    parts = [
        f'<section id="{name}"><h2>{escape(section.title)}</h2>'
        + (f'<p class="note">{escape(section.note)}</p>' if section.note else "")
        + f"{section.body}</section>"
        for name, section in zip(anchors, sections, strict=True)
    ]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
            f"<header><h1>{escape(title)}</h1>",
            f'<p class="lead">{escape(lead)}</p>' if lead else "",
            f"<nav>{links}</nav></header><main>",
            *parts,
            f"</main><script>{SCRIPT}</script></body></html>\n",
        ]
    )


def write_page(path: str | Path, text: str) -> None:
    """Write a page to a file, which is whole or missing afterwards."""
    write_whole(Path(path), text.encode())


def anchor(title: str) -> str:
    """Return the name by which links find a section."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def embedded(data: Any) -> str:
    """Return data as JSON in a script element that nothing in the data can end."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    safe = safe.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f'<script type="application/json">{safe}</script>'


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, text_columns: int = 1) -> str:
    """Return a table; the first `text_columns` columns hold text, the others numbers."""

    def cells(tag: str, row: Sequence[str]) -> str:
        made = []
        for place, cell in enumerate(row):
            text = " class=long" if len(cell) > 40 else " class=word"
            kind = text if place < text_columns else ""
            made.append(f"<{tag}{kind}>{escape(cell)}</{tag}>")
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(cells("td", row) for row in rows)
    head = cells("th", columns)
    return f'<div class="scroll"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def paragraphs(*texts: str) -> str:
    """Return plain texts as paragraphs."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def code(text: str) -> str:
    """Return a command line in a box."""
    return f'<div class="scroll"><pre class="code">{escape(text)}</pre></div>'


def picture(png: bytes, description: str) -> str:
    """Return an image whose data are inside the page."""
    data = base64.b64encode(png).decode()
    return f'<img alt="{escape(description)}" src="data:image/png;base64,{data}">'


@dataclass(frozen=True)
class Cell:
    """A field of a heat map."""

    value: float  # 0 to 1; 0.5 has no colour
    text: str
    tip: str  # shown below the map when the field is pointed at, touched or reached by keys


def heat_map(names: Sequence[str], cells: Mapping[tuple[int, int], Cell]) -> str:
    """Return a map of rows against columns: blue above 0.5, orange below.

    Columns have the numbers of the rows.
    """
    wide, high, label = 50, 32, 12 + max(7.6 * min(len(name) + 3, 30) for name in names)
    width, height = label + wide * len(names) + 2, high * (len(names) + 1) + 2
    parts = []
    for i, name in enumerate(names):
        across, down = label + wide * (i + 0.5), high * (i + 1.5)
        shown = name if len(name) <= 30 else name[:29] + "…"
        parts.append(f'<text x="{across}" y="{high * 0.66:.0f}" class="mid dim">{i + 1}</text>')
        parts.append(
            f'<text x="0" y="{down + 5:.0f}"><title>{escape(name)}</title>'
            f'<tspan class="dim">{i + 1}</tspan> {escape(shown)}</text>'
        )
    for (i, j), cell in cells.items():
        x, y = label + wide * j, high * (i + 1)
        strength = min(1.0, abs(cell.value - 0.5) * 2)
        side = "good" if cell.value >= 0.5 else "bad"
        ink = "on" if strength > 0.6 else "off"
        parts.append(
            f'<g class="cell" tabindex="0" data-tip="{escape(cell.tip)}" role="img" '
            f'aria-label="{escape(cell.tip)}"><title>{escape(cell.tip)}</title>'
            f'<rect x="{x + 1}" y="{y + 1}" width="{wide - 2}" height="{high - 2}" rx="4" '
            f'class="{side}" fill-opacity="{0.06 + 0.84 * strength:.2f}"/>'
            f'<text x="{x + wide / 2}" y="{y + high / 2 + 5}" class="mid {ink}">'
            f"{escape(cell.text)}</text></g>"
        )
    svg = (
        f'<svg viewBox="0 0 {width} {height}" style="min-width:{width * SMALLEST:.0f}px;'
        f'max-width:{width * LARGEST:.0f}px" role="group" aria-label="heat map">'
        f"{''.join(parts)}</svg>"
    )
    hint = "Point at a field, or touch it, to read more."
    return f'<div class="map"><div class="scroll">{svg}</div><p class="tip">{hint}</p></div>'


@dataclass(frozen=True)
class Estimated:
    """A row of an interval plot."""

    name: str
    value: float
    half_width: float  # infinite: not known
    text: str  # the text beside it


def interval_plot(rows: Sequence[Estimated], what: str) -> str:
    """Return a plot with a dot and its interval for each row, over one axis called `what`."""
    known = [row.half_width if row.half_width < float("inf") else 0.0 for row in rows]
    low = min(row.value - width for row, width in zip(rows, known, strict=True))
    high = max(row.value + width for row, width in zip(rows, known, strict=True))
    if high == low:  # all alike, without any spread
        low, high = low - 1.0, high + 1.0
    ticks = _ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    label = 12 + max(7.6 * min(len(row.name), 30) for row in rows)
    across, beside, line = 340, 20 + max(7.6 * len(row.text) for row in rows), 30
    height = line * len(rows) + 46

    def place(value: float) -> float:
        return label + across * (value - low) / (high - low)

    parts = []
    for tick in ticks:
        x = place(tick)
        end = line * len(rows) + 6
        kind = "zero" if tick == 0 else "grid"
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{end}" class="{kind}"/>')
        parts.append(f'<text x="{x:.1f}" y="{end + 16}" class="mid dim">{tick:g}</text>')
    middle = label + across / 2
    parts.append(f'<text x="{middle}" y="{height - 4}" class="mid dim">{escape(what)}</text>')
    for number, (row, width) in enumerate(zip(rows, known, strict=True)):
        y = line * (number + 0.5) + 4
        shown = row.name if len(row.name) <= 30 else row.name[:29] + "…"
        left, right = place(row.value - width), place(row.value + width)
        parts.append(
            f"<g><title>{escape(f'{row.name}: {row.text}')}</title>"
            f'<text x="0" y="{y + 5:.0f}">{escape(shown)}</text>'
            f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}" class="range"/>'
            f'<circle cx="{place(row.value):.1f}" cy="{y}" r="5" class="dot"/>'
            f'<text x="{label + across + 14}" y="{y + 5:.0f}" class="dim">{escape(row.text)}</text>'
            "</g>"
        )
    width_all = label + across + beside
    svg = (
        f'<svg viewBox="0 0 {width_all} {height}" style="min-width:{width_all * SMALLEST:.0f}px;'
        f'max-width:{width_all * LARGEST:.0f}px" role="img" aria-label="{escape(what)}">'
        f"{''.join(parts)}</svg>"
    )
    return f'<div class="scroll">{svg}</div>'


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers that cover the range."""
    span = max(high - low, 1e-9)
    size = 10.0 ** len(str(int(span))) / 100 if span >= 1 else 0.01
    steps = (size * factor for factor in (1, 2, 5, 10, 20, 50, 100))
    step = next((step for step in steps if span / step <= 6), span)
    first, last = int(low // step), int(-(-high // step))
    return [round(step * k, 6) for k in range(first, last + 1)]


def replays(games: Sequence[Mapping[str, Any]]) -> str:
    """Return a viewer of games with buttons, a slider and arrow keys to step through them.

    Args:
        games: each with `group` and `title` to choose it by, `result` (text), `views` (each with
            the `name` of a viewpoint and `frames`, a text for each moment, which may hold the
            colour codes of a terminal) and `captions`, one for each moment.
    """
    # Drawings repeat most of their lines from move to move, so each different line is stored once.
    lines: dict[str, int] = {}

    def numbered(frame: str) -> list[int]:
        return [lines.setdefault(line, len(lines)) for line in frame.rstrip("\n").split("\n")]

    kept = [
        {
            **{key: game[key] for key in ("group", "title", "result", "captions")},
            "views": [
                {"name": view["name"], "frames": [numbered(frame) for frame in view["frames"]]}
                for view in game["views"]
            ],
        }
        for game in games
    ]
    controls = "".join(
        f'<button type="button" data-step="{step}" aria-label="{label}">{sign}</button>'
        for step, label, sign in (
            ("first", "to the start", "|◀"),
            ("back", "a move back", "◀"),
            ("next", "a move on", "▶"),
            ("last", "to the end", "▶|"),
            ("play", "play all moves", "play"),
        )
    )
    return (
        '<div class="replay"><div class="choose">'
        '<label>game <select class="game"></select></label>'
        '<label>seen by <select class="view"></select></label></div>'
        f'<div class="steps">{controls}<input type="range" min="0" value="0" class="moment" '
        'aria-label="move"></div><p class="caption" aria-live="polite"></p>'
        '<div class="scroll"><pre class="frame"></pre></div><p class="result"></p>'
        f"{embedded({'lines': list(lines), 'games': kept})}</div>"
    )
