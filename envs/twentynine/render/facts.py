"""The panels beside the table of Twenty-nine: contract, trump, points, last trick, auction."""

from __future__ import annotations

import textwrap

from bidarena.envs import drawing
from bidarena.envs.drawing import (
    CARD,
    GOLD,
    HAIRLINE,
    INK,
    MUTED,
    SIDES,
    TRACK,
    WIDTH,
    Canvas,
    Colour,
    mix,
)
from bidarena.envs.drawing.cards import SUIT_COLOURS, back, face, suit
from bidarena.envs.twentynine.phrases.seen import View
from bidarena.envs.twentynine.phrases.state import NAMES, RANK_NAMES, STAKES
from bidarena.envs.twentynine.rules.layout import FINISHED, suit_of

LEFT, RIGHT = 536.0, WIDTH - 24.0
NEAR, FAR = LEFT + 13, RIGHT - 13
COLUMNS = (27.0, 29.0, 44.0, 34.0)  # width of each place's column in the auction
LINES = 4  # of the auction that are shown
BROWN: Colour = mix(GOLD, INK, 0.45)


def facts(canvas: Canvas, view: View) -> None:
    """Draw all panels, from top to bottom."""
    _contract(canvas, view, 62, 158)
    _trump(canvas, view, 167, 263)
    _points(canvas, view, 272, 382)
    _last_trick(canvas, view, 391, 471)
    _auction(canvas, view, 480, 576)


def _panel(canvas: Canvas, top: float, bottom: float, label: str, *, note: str = "") -> None:
    """Draw an empty panel with a label at its top left and a note at its top right."""
    canvas.panel((LEFT, top, RIGHT, bottom), CARD, radius=10, border=HAIRLINE)
    canvas.text((NEAR, top + 15), label, 12, MUTED, anchor="lm")
    canvas.text((FAR, top + 15), note, 12, INK, anchor="rm", room=84)


def _contract(canvas: Canvas, view: View, top: float, bottom: float) -> None:
    """Draw the contract and its bidder; before there is one, the highest bid."""
    bids = [(bid, -turn, place) for turn, (place, bid) in enumerate(view.calls) if bid]
    holder, number = view.declarer, str(view.contract)
    if holder is None and bids:
        best = max(bid for bid, _, _ in bids)
        # A bid that was matched belongs to the player who matched it, the last to speak.
        holder = [place for bid, _, place in bids if bid == best][-1]
        number = str(best)
    _panel(canvas, top, bottom, "contract" if view.declarer is not None else "highest bid")
    if holder is None:
        canvas.text((NEAR, top + 48), "none yet", 17, MUTED, anchor="lm")
        return
    if view.declarer is not None and not view.target:
        number = "single"
    size = 34 if len(number) < 3 else 24
    colour = SIDES[holder & 1]
    canvas.text((NEAR, top + 39), number, size, colour, anchor="lm", bold=True)
    at = NEAR + drawing.text_width(number, size) + 10
    stake = STAKES[view.stake] if view.target else ""
    y = top + (33 if stake else 42)
    canvas.text((at, y), f"by {NAMES[holder]}", 14, INK, anchor="lm", room=FAR - at)
    canvas.text((at, y + 16), stake, 12, BROWN, anchor="lm", room=FAR - at)
    notes = list(view.contract_notes)
    if view.target and view.declarer is not None:
        left = view.target - view.points[view.declarer & 1]
        more = "short" if view.phase == FINISHED else "to go"
        notes.append(f"{left} point{'s' * (left != 1)} {more}" if left > 0 else "reached")
    lines = [*notes[:1], ", ".join(notes[1:])] if len(notes) > 2 else notes
    y = bottom - 13 - 15 * (len(lines) - 1)
    for i, line in enumerate(lines):
        canvas.text((NEAR, y + 15 * i), line, 12, BROWN, anchor="lm", room=FAR - NEAR)


def _trump(canvas: Canvas, view: View, top: float, bottom: float) -> None:
    """Draw the trump as a card, face up if this seat knows it."""
    _panel(canvas, top, bottom, "trump")
    condition, more = view.trump_notes
    box = (NEAR, top + 27, NEAR + 42, top + 85)
    if view.trump is not None:
        revealed = condition == "revealed"
        fill = CARD if revealed else mix(GOLD, CARD, 0.85)
        canvas.panel(box, fill, radius=5, border=INK if revealed else GOLD, width=1.5)
        suit(canvas, (NEAR + 21, top + 56), 29, view.trump, SUIT_COLOURS[view.trump])
    elif condition == "hidden":
        back(canvas, box, BROWN)
        canvas.disc((NEAR + 21, top + 56), 11, CARD)
        canvas.text((NEAR + 21, top + 55.5), "?", 17, BROWN, bold=True)
    else:
        canvas.panel(box, None, radius=5, border=HAIRLINE, width=1.5)
    at = NEAR + 54
    lines = textwrap.wrap(more, 15)
    y = top + 56 - 7.5 * len(lines)
    canvas.text((at, y), condition, 14, INK, anchor="lm", bold=True, room=FAR - at)
    for i, line in enumerate(lines):
        canvas.text((at, y + 18 + 15 * i), line, 12, MUTED, anchor="lm", room=FAR - at)


def _points(canvas: Canvas, view: View, top: float, bottom: float) -> None:
    """Draw a bar for each side's points, and a mark at the points the bidding side needs."""
    _panel(canvas, top, bottom, "points", note=f"of {view.most}")
    for side, names in enumerate(("you, partner", "left, right")):
        y, colour = top + 37 + 38 * side, SIDES[side]
        canvas.text((NEAR, y), names, 12, colour, anchor="lm", bold=True)
        tricks = f"{view.won[side]} trick{'s' * (view.won[side] != 1)}"
        canvas.text((FAR - 24, y), tricks, 11, MUTED, anchor="rm")
        canvas.text((FAR, y - 1), str(view.points[side]), 17, colour, anchor="rm", bold=True)
        full = FAR - NEAR
        canvas.panel((NEAR, y + 11, FAR, y + 18), TRACK, radius=3.5)
        canvas.panel(
            (NEAR, y + 11, NEAR + full * view.points[side] / view.most, y + 18), colour, radius=3.5
        )
        if view.target and view.declarer is not None and view.declarer & 1 == side:
            at = NEAR + full * view.target / view.most
            canvas.line(((at, y + 8.5), (at, y + 20.5)), GOLD, 3)


def _last_trick(canvas: Canvas, view: View, top: float, bottom: float) -> None:
    """Draw the last finished trick in the order of play, with a frame round the winning card."""
    last = view.tricks[-1] if view.tricks else None
    taker = f"{NAMES[last.winner]} took {last.points}" if last else ""
    _panel(canvas, top, bottom, "last trick", note=taker)
    if last is None:
        canvas.text((NEAR, top + 46), "none yet", 13, MUTED, anchor="lm")
        return
    for i, (place, card) in enumerate(last.cards):
        x = NEAR + 35.5 * i
        won = place == last.winner
        edge, width = (GOLD, 2.5) if won else (None, 1)
        box = (x, top + 27, x + 29, top + 66)
        face(canvas, box, RANK_NAMES[card & 7], suit_of(card), border=edge, width=width)
        canvas.panel((x + 4, top + 70.5, x + 25, top + 73.5), SIDES[place & 1], radius=1.5)


def _auction(canvas: Canvas, view: View, top: float, bottom: float) -> None:
    """Draw the last lines of the auction, a column for each place, the first to speak at left."""
    _panel(canvas, top, bottom, "auction")
    first = view.calls[0][0] if view.calls else 0
    columns, x = {}, NEAR
    for place in ((first + k) % 4 for k in range(4)):
        columns[place] = x + COLUMNS[place] / 2
        canvas.text((columns[place], top + 32), NAMES[place], 11, SIDES[place & 1])
        x += COLUMNS[place]
    lines: list[dict[int, int]] = []
    for place, bid in view.calls:
        if not lines or any(columns[other] >= columns[place] for other in lines[-1]):
            lines.append({})
        lines[-1][place] = bid
    for i, line in enumerate(lines[-LINES:]):
        for place, bid in line.items():
            call, colour = (str(bid), INK) if bid else ("pass", MUTED)
            canvas.text((columns[place], top + 47 + 13 * i), call, 11.5, colour, bold=bid > 0)
    above = len(lines) - LINES
    if above > 0:
        hidden = f"{above} line{'s' * (above != 1)} above"
        canvas.text((FAR, top + 15), hidden, 11, MUTED, anchor="rm")
