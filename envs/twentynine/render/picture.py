"""Twenty-nine as a picture: a table seen from above, with the viewer at the bottom."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bidarena.envs import drawing
from bidarena.envs.drawing import (
    CARD,
    GOLD,
    HAIRLINE,
    INK,
    MUTED,
    SIDES,
    WIDTH,
    Box,
    Canvas,
    Colour,
    Point,
    mix,
)
from bidarena.envs.drawing.cards import SHADOW, SUIT_COLOURS, back, face, suit
from bidarena.envs.game import Game, State
from bidarena.envs.twentynine.phrases.seen import Place, View, look
from bidarena.envs.twentynine.phrases.state import NAMES, RANK_NAMES
from bidarena.envs.twentynine.render.facts import facts
from bidarena.envs.twentynine.rules.layout import FINISHED, PLAYING, TRUMPING, suit_of

HEIGHT = 602
FELT: Colour = (44, 104, 86)
PALE, FAINT = mix(FELT, CARD, 0.62), mix(FELT, CARD, 0.2)
TABLE: Box = (24, 62, 524, 576)
MIDDLE: Point = (274, 284)
SIDE_Y = 284.0
SPOTS: tuple[Point, ...] = (  # where the card or bid of each place is drawn, the viewer's first
    (MIDDLE[0], MIDDLE[1] + 58),
    (MIDDLE[0] - 76, MIDDLE[1]),
    (MIDDLE[0], MIDDLE[1] - 58),
    (MIDDLE[0] + 76, MIDDLE[1]),
)
SIDE_X = {1: 68.0, 3: 480.0}  # the middle of the cards at the left and at the right


def picture(game: Game, state: State, seat: int) -> NDArray[np.uint8]:
    """Return the game as the player in `seat` sees it, as RGB pixels of shape (602, 720, 3)."""
    view = look(game, state, seat)
    canvas = _empty_table().copy()
    _heading(canvas, view)
    for k in (1, 2, 3):
        _backs(canvas, view, k)
    for k in range(4):
        _plate(canvas, view, k)
    if view.phase >= PLAYING:
        _trick(canvas, view)
    else:
        _bids(canvas, view)
    _hand(canvas, view)
    facts(canvas, view)
    rules = f"rules: {', '.join(view.rules)}" if view.rules else ""
    canvas.text((WIDTH / 2, 589), rules, 12, MUTED, room=WIDTH - 60)
    return canvas.pixels()


@lru_cache(maxsize=1)
def _empty_table() -> Canvas:
    """Return a canvas with the background, which is drawn only once."""
    canvas = Canvas(HEIGHT)
    left, top, right, bottom = TABLE
    canvas.panel(TABLE, FELT, radius=22, border=mix(FELT, INK, 0.35), width=3)
    seam = (left + 9, top + 9, right - 9, bottom - 9)
    canvas.panel(seam, None, radius=15, border=mix(FELT, CARD, 0.14))
    return canvas


def _heading(canvas: Canvas, view: View) -> None:
    """Draw the name of the game, the stage, and what is expected or how the game ended."""
    canvas.text((24, 33), "Twenty-nine", 22, INK, anchor="lm", bold=True)
    stage = ", ".join(filter(None, (view.round, view.match)))
    start = 36 + drawing.text_width("Twenty-nine", 22)
    right = WIDTH - 37 - drawing.text_width(view.reason, 14)
    left = right - drawing.text_width(view.headline, 14) - 28
    canvas.text((start, 34), stage, 15, MUTED, anchor="lm", room=left - start - 14)
    canvas.text((WIDTH - 26, 33), view.reason, 14, MUTED, anchor="rm")
    actor = view.mover if view.champion is None else view.champion
    canvas.panel((left, 19, right, 47), INK if actor is None else SIDES[actor & 1], radius=14)
    canvas.text(((left + right) / 2, 32.5), view.headline, 14, CARD, bold=True)


# --- the table -----------------------------------------------------------------------------------


def _backs(canvas: Canvas, view: View, k: int) -> None:
    """Draw the cards in the hand of place `k`, face down."""
    place = view.places[k]
    colour = mix(SIDES[k & 1], FELT, 0.6) if place.away else SIDES[k & 1]
    for i in range(place.cards):
        offset = i - (place.cards - 1) / 2
        if k == 2:
            x, y, wide, high = MIDDLE[0] + 25 * offset, 103.0, 17, 23
        else:
            x, y, wide, high = SIDE_X[k], SIDE_Y + 21 * offset, 23, 17
        back(canvas, (x - wide, y - high, x + wide, y + high), colour)


def _plate(canvas: Canvas, view: View, k: int) -> None:
    """Draw the name of place `k` (ringed if it is to act), its contract, and what it has shown."""
    place, colour = view.places[k], SIDES[k & 1]
    reach = 10.5 * max(place.cards, 1) + 7  # from the middle of the cards to their ends
    x, y = (SIDE_X[k], SIDE_Y - reach - 22) if k in SIDE_X else (MIDDLE[0], 438 if k == 0 else 144)
    half = drawing.text_width(NAMES[k], 14) / 2 + 12
    canvas.panel((x - half, y - 12, x + half, y + 12), mix(colour, CARD, 0.86), radius=12)
    if view.mover == k:
        canvas.panel((x - half, y - 12, x + half, y + 12), colour, radius=12)
        ring = (x - half - 3, y - 15, x + half + 3, y + 15)
        canvas.panel(ring, None, radius=15, border=GOLD, width=2)
    canvas.text((x, y - 0.5), NAMES[k], 14, CARD if view.mover == k else colour, bold=True)
    if view.declarer == k:
        contract = str(view.contract) if view.target else "single"
        wide = drawing.text_width(contract, 13) / 2 + 7
        at = x + (half + wide + 8) * (-1 if k > 1 else 1)
        canvas.panel((at - wide, y - 11, at + wide, y + 11), GOLD, radius=11)
        canvas.text((at, y - 0.5), contract, 13, CARD, bold=True)
    for i, note in enumerate(_notes(place)):
        if k == 2:
            _chip(canvas, (x + half + 18 + _chip_width(note) / 2, y + 22 * i), note)
        else:
            inside = max(x, TABLE[0] + 18 + _chip_width(note) / 2) if k == 1 else x
            inside = min(inside, TABLE[2] - 18 - _chip_width(note) / 2)
            _chip(canvas, (inside, SIDE_Y + reach + 17 + 22 * i), note)


def _notes(place: Place) -> list[list[str | int]]:
    """Return notes on what a seat has shown; each is a list of texts, and of suits as numbers."""
    if place.away:
        return [["sits out"]]
    notes: list[list[str | int]] = [["no", *place.lacks]] if place.lacks else []
    for verb, cards in (("no", place.without), ("has", place.holds)):
        if cards:
            note: list[str | int] = [verb]
            for card in cards:
                note += [RANK_NAMES[card & 7], suit_of(card)]
            notes.append(note)
    return notes


def _part_width(part: str | int) -> float:
    return 15.0 if isinstance(part, int) else drawing.text_width(part, 12) + 1


def _chip_width(parts: list[str | int]) -> float:
    return sum(_part_width(part) for part in parts)


def _chip(canvas: Canvas, centre: Point, parts: list[str | int]) -> None:
    """Draw a small label of texts and suits."""
    x, y = centre[0] - _chip_width(parts) / 2, centre[1]
    box = (x - 7, y - 9, x + _chip_width(parts) + 6, y + 9)
    canvas.panel(box, mix(FELT, CARD, 0.88), radius=9)
    for part in parts:
        wide = _part_width(part)
        if isinstance(part, int):
            suit(canvas, (x + wide / 2 - 0.5, y), 11, part, SUIT_COLOURS[part])
        else:
            canvas.text((x, y - 0.5), part, 12, INK, anchor="lm")
        x += wide


def _bids(canvas: Canvas, view: View) -> None:
    """Draw the last call of each place, before the play."""
    highest = max(place.call or 0 for place in view.places)
    for k, place in enumerate(view.places):
        x, y = SPOTS[k]
        box = (x - 34, y - 23, x + 34, y + 23)
        if place.call is None:
            canvas.panel(box, None, radius=12, border=FAINT, width=1.5)
        elif place.call == 0:
            canvas.panel(box, mix(FELT, INK, 0.25), radius=12)
            canvas.text((x, y - 0.5), "pass", 15, PALE)
        else:
            # A defender may match a bid and then holds it, so two bids can be the highest until the
            # auction ends.
            holds = view.bidder in (None, k) and place.call == highest
            canvas.panel((x - 33, y - 21, x + 35, y + 25.5), SHADOW, radius=12)
            canvas.panel(box, CARD, radius=12, border=GOLD if holds else HAIRLINE, width=3)
            canvas.text((x, y - 0.5), str(place.call), 24, SIDES[k & 1], bold=True)


def _trick(canvas: Canvas, view: View) -> None:
    """Draw the cards on the table; at the end of the game the result instead."""
    if view.phase == FINISHED:
        _result(canvas, view)
        return
    for k, place in enumerate(view.places):
        x, y = SPOTS[k]
        box = (x - 29, y - 40, x + 29, y + 40)
        if place.card is not None and view.table is not None:
            wins = view.table.winner == k
            edge, width = (GOLD, 3) if wins else (None, 1)
            rank = RANK_NAMES[place.card & 7]
            face(canvas, box, rank, suit_of(place.card), border=edge, width=width)
            if view.table.cards[0][0] == k:
                canvas.text((x, y - 48 if k == 2 else y + 49), "led", 12, PALE)
        elif not place.away:
            canvas.panel(box, None, radius=6, border=FAINT, width=1.5)
    if view.table is not None:
        points = f"{view.table.points} point{'s' * (view.table.points != 1)}"
        canvas.text((SPOTS[3][0] + 34, SPOTS[0][1] + 20), points, 13, PALE)


def _result(canvas: Canvas, view: View) -> None:
    """Draw who won and why, and all tricks of the deal."""
    colour = INK if view.champion is None else SIDES[view.champion]
    x, y = MIDDLE
    canvas.panel((x - 133, y - 42, x + 137, y + 50), SHADOW, radius=16)
    canvas.panel((x - 135, y - 46, x + 135, y + 46), CARD, radius=16, border=colour, width=2)
    canvas.text((x, y - 13), view.headline, 28, colour, bold=True, room=240)
    canvas.text((x, y + 21), view.reason, 15, INK, room=245)
    _all_tricks(canvas, view)


def _all_tricks(canvas: Canvas, view: View) -> None:
    """Draw the tricks of a finished deal below the table; each is two rows in the order of play."""
    left = MIDDLE[0] - 29 * (len(view.hand) + len(view.tricks))
    for i, trick in enumerate(view.tricks):
        x = left + 58 * i + 2
        for turn, (place, card) in enumerate(trick.cards):
            u, v = x + 2 + 26 * (turn % 2), 474 + 39 * (turn // 2)
            edge, width = (GOLD, 2.5) if place == trick.winner else (None, 1)
            rank = RANK_NAMES[card & 7]
            box = (u, v, u + 24, v + 36)
            face(canvas, box, rank, suit_of(card), border=edge, width=width)
        colour = mix(SIDES[trick.winner & 1], CARD, 0.3)
        canvas.panel((x + 2, 553, x + 52, 557), colour, radius=2)


def _hand(canvas: Canvas, view: View) -> None:
    """Draw the viewer's cards; on the viewer's turn the playable ones stand out."""
    coming = 4 if view.phase <= TRUMPING else 0
    past = len(view.tricks) if view.phase == FINISHED else 0  # `_all_tricks` draws them here
    left = MIDDLE[0] - 29 * (len(view.hand) + coming - past)
    for i in range(len(view.hand) + coming):
        x = left + 58 * i + 2
        box: Box = (x, 474, x + 54, 552)
        if i >= len(view.hand):
            canvas.panel(box, None, radius=6, border=FAINT, width=1.5)
            continue
        card = view.hand[i]
        lifted = 10 if card in view.playable else 0
        box = (x, 474 - lifted, x + 54, 552 - lifted)
        dim = FELT if view.playable and not lifted else None
        face(canvas, box, RANK_NAMES[card & 7], suit_of(card), dim=dim)
