"""Draw Raj as one player sees it: as text, and as a picture.

Both drawings read a `_View`, which holds only what the player may know, so they cannot show more.
All hands are public; of the committed bids a player knows only their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.envs import drawing
from bidarena.envs.drawing import CARD, GOLD, HAIRLINE, INK, MUTED, SIDES, WIDTH, Canvas, mix
from bidarena.envs.game import Game, State
from bidarena.envs.raj.rules import NOBODY, C


class _Seat(NamedTuple):
    name: str
    bank: str
    hand: tuple[bool, ...]  # for each card whether the player holds it
    sealed: bool  # whether the player has bid in this round
    bid: int | None  # card index, if the viewer knows it
    last: int | None  # card index of the player's last bid
    took: bool  # whether the player took the last pot, or a share of it
    moving: bool
    won: bool


class _View(NamedTuple):
    cards: list[int]
    items: list[int]
    seats: list[_Seat]  # the viewer's seat first
    pot: int
    carried: int  # the part of the pot that is left from the last round
    due: tuple[bool, ...]  # for each item whether it is still to come
    over: bool
    round: str
    headline: str
    reason: str
    last: str  # how the last round went
    tie: str  # the rule for ties


def _look(game: Game, state: State, seat: int) -> _View:
    """Return what the player in `seat` may know of the state."""
    cards, items = game.options["cards"], game.options["items"]
    players, size, unit = game.players, len(cards), int(game.cfg[C.unit])
    part = {name: state[where].tolist() for name, where in game.state.items()}
    (pot,), (left,), (played,), (committed,) = (
        part[name] for name in ("pot", "items", "round", "committed")
    )
    (last_pot,), (taker,) = part["last_pot"], part["last_taker"]
    over = played == size
    banks, last_bids = part["banks"], part["last_bids"]
    champions = [p for p in range(players) if over and banks[p] == max(banks)]
    took = takers(last_bids, last_pot, taker, game.options["tie"]) if played else []
    names = [_name(p, seat, players) for p in range(players)]

    seats = []
    for player in [(seat + k) % players for k in range(players)]:
        sealed = not over and player < committed
        seats.append(
            _Seat(
                name=names[player],
                bank=_number(banks[player] / unit),
                hand=tuple(bool(part["hands"][player] >> i & 1) for i in range(size)),
                sealed=sealed,
                bid=part["bids"][player] if sealed and player == seat else None,
                last=last_bids[player] if played else None,
                took=player in took,
                moving=not over and player == committed,
                won=player in champions,
            )
        )
    tied = bool(played) and taker == NOBODY
    carried = last_pot if tied and game.options["tie"] == "carry" and not over else 0
    headline, reason = _status(over, committed, seat, champions, names, banks, unit)
    return _View(
        cards=cards,
        items=items,
        seats=seats,
        pot=pot,
        carried=carried,
        due=tuple(bool(left >> i & 1) for i in range(size)),
        over=over,
        round=f"{size} rounds played" if over else f"round {played + 1} of {size}",
        headline=headline,
        reason=reason,
        last=_last_round(last_pot, taker, game.options["tie"], over, names) if played else "",
        tie={
            "carry": "no unique bid: the pot stays",
            "discard": "no unique bid: the pot is lost",
            "split": "no unique bid: the pot is shared",
        }[game.options["tie"]],
    )


def takers(bids: list[int], pot: int, taker: int, tie: str) -> list[int]:
    """Return the players who took the last pot or a share of it."""
    if taker != NOBODY:
        return [taker]
    best = max(bids) if pot >= 0 else min(bids)
    return [player for player, bid in enumerate(bids) if bid == best] if tie == "split" else []


def _name(player: int, seat: int, players: int) -> str:
    """Return what the player in `seat` calls `player`."""
    if player == seat:
        return "you"
    return "opponent" if players == 2 else f"player {player}"


def _number(value: float) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def _status(
    over: bool,
    committed: int,
    seat: int,
    champions: list[int],
    names: list[str],
    banks: list[int],
    unit: int,
) -> tuple[str, str]:
    """Return a headline, the result or what happens next, and the reason for it."""
    if over:
        own = _number(banks[seat] / unit)
        best = _number(max(bank for p, bank in enumerate(banks) if p != seat) / unit)
        score = f"{own} : {best}"
        if champions == [seat]:
            return "you win", score
        if seat in champions:
            return "draw", score
        return "you lose", score
    if committed == seat:
        return "your bid", "play one of your cards"
    return "waiting", f"{names[committed]} is bidding"


def _last_round(pot: int, taker: int, tie: str, over: bool, names: list[str]) -> str:
    """Return how the last round went, as a phrase."""
    if taker != NOBODY:
        return f"{names[taker]} took the pot of {pot}"
    if tie == "split":
        return f"no unique bid: the pot of {pot} was shared"
    lost = over or tie == "discard"
    return f"no unique bid: the pot of {pot} {'is lost' if lost else 'stays'}"


# --- as text -------------------------------------------------------------------------------------


def ansi(game: Game, state: State, seat: int) -> str:
    """Return a table of text as the player in `seat` sees the game."""
    view = _look(game, state, seat)
    pot = "" if view.over else f", pot {view.pot}"
    carried = f" ({view.carried} carried over)" if view.carried else ""
    due = [str(item) for item, there in zip(view.items, view.due, strict=True) if there]
    lines = [
        f"{drawing.paint('Raj', drawing.BOLD)}  {view.round}{pot}{carried}",
        f"  items to come  {'  '.join(due) or 'none'}",
    ]
    wide = max(len(str(card)) for card in view.cards)
    names = max(len(player.name) for player in view.seats)
    banks = max(len(player.bank) for player in view.seats)
    for k, player in enumerate(view.seats):
        name = drawing.paint(f"{player.name:<{names}}", drawing.SIDE_CODES[min(k, 1)])
        hand = " ".join(
            f"{card if held else '·':>{wide}}"
            for card, held in zip(view.cards, player.hand, strict=True)
        )
        notes = []
        if player.last is not None:
            notes.append(f"bid {view.cards[player.last]}" + " and took it" * player.took)
        if player.sealed:
            own = player.bid is not None
            notes.append(f"now {view.cards[player.bid or 0]}" if own else "next bid is in")
        lines.append(
            f"  {name}  bank {player.bank:>{banks}}  cards {hand}  {', '.join(notes)}".rstrip()
        )
    if view.last:
        lines.append(f"  {view.last}")
    lines.append(f"  {drawing.paint(view.headline, drawing.GREEN)}  {view.reason}")
    return "\n".join(lines) + "\n"


# --- as a picture --------------------------------------------------------------------------------

TOP, GAP = 62, 10  # below the heading, between the panels
OTHER, TABLE, OWN, FOOT = 60, 136, 92, 14  # heights
HAND, BID = 150.0, 580.0  # where hands begin, and where they end and the bid begins
BROWN = mix(GOLD, INK, 0.45)


def picture(game: Game, state: State, seat: int) -> NDArray[np.uint8]:
    """Return a picture of the game as the player in `seat` sees it.

    Its shape is (height, 720, 3); the height grows with the number of players.
    """
    view = _look(game, state, seat)
    others = (OTHER + GAP) * (len(view.seats) - 1)
    canvas = Canvas(TOP + others + TABLE + GAP + OWN + FOOT)
    _heading(canvas, view)
    top: float = TOP
    for player in view.seats[1:]:
        _player(canvas, view, player, top, OTHER, SIDES[1])
        top += OTHER + GAP
    _table(canvas, view, top)
    _player(canvas, view, view.seats[0], top + TABLE + GAP, OWN, SIDES[0])
    return canvas.pixels()


def _heading(canvas: Canvas, view: _View) -> None:
    """Draw the name of the game, the round, and what happens next or how the game ended."""
    canvas.text((24, 33), "Raj", 22, INK, anchor="lm", bold=True)
    canvas.text((36 + drawing.text_width("Raj", 22), 34), view.round, 15, MUTED, anchor="lm")
    canvas.text((WIDTH - 26, 33), view.reason, 14, MUTED, anchor="rm")
    own, others = view.seats[0], view.seats[1:]
    acting = (own.moving or own.won, any(other.moving or other.won for other in others))
    colour = INK if all(acting) else SIDES[0] if acting[0] else SIDES[1]
    right = WIDTH - 37 - drawing.text_width(view.reason, 14)
    left = right - drawing.text_width(view.headline, 14) - 28
    canvas.panel((left, 19, right, 47), colour, radius=14)
    canvas.text(((left + right) / 2, 32.5), view.headline, 14, CARD, bold=True)


def _player(
    canvas: Canvas, view: _View, player: _Seat, top: float, height: float, colour: drawing.Colour
) -> None:
    """Draw a player's name, bank, hand, and the bid: the committed one, else the last one."""
    middle = top + height / 2
    border, width = (colour, 2) if player.won else (HAIRLINE, 1)
    fill = mix(colour, CARD, 0.9) if player.won else CARD
    canvas.panel((24, top, WIDTH - 24, top + height), fill, radius=10, border=border, width=width)
    if player.moving:
        canvas.panel((24, top + 12, 28, top + height - 12), colour, radius=2)
    canvas.text((42, middle - 11), player.name, 14, colour, anchor="lm", bold=True)
    canvas.text((42, middle + 12), "bank", 13, MUTED, anchor="lm")
    canvas.text((76, middle + 11), player.bank, 17, INK, anchor="lm", bold=True, room=68)

    slot = min((BID - HAND) / len(view.cards), 54)
    for i, held in enumerate(player.hand):
        box = _card_box(HAND + slot * i, middle, slot - 5, height - 18)
        if held and i != player.bid:
            _card(canvas, box, str(view.cards[i]), colour)
        else:
            canvas.panel(box, None, radius=5, border=HAIRLINE)

    box = _card_box(WIDTH - 24 - 52, middle, 38, min(height - 12, 56))
    if player.sealed and player.bid is None:
        label = "bid is in"
        _face_down(canvas, box, colour)
    elif player.sealed and player.bid is not None:
        label = "you bid"
        _card(canvas, box, str(view.cards[player.bid]), colour)
    elif player.last is not None:
        label = "took it" if player.took else "last bid"
        _card(canvas, box, str(view.cards[player.last]), colour, filled=player.took, old=True)
    else:
        return
    canvas.text((box[0] - 8, middle), label, 12, MUTED, anchor="rm", room=58)


def _table(canvas: Canvas, view: _View, top: float) -> None:
    """Draw the pot, the items still to come, and how the last round went."""
    canvas.panel(
        (24, top, WIDTH - 24, top + TABLE),
        mix(GOLD, CARD, 0.88),
        radius=10,
        border=mix(GOLD, CARD, 0.5),
    )
    pot_box = (42.0, top + 16, 112.0, top + TABLE - 16)
    if view.over:
        canvas.panel(pot_box, None, radius=8, border=mix(GOLD, CARD, 0.5), width=1.5)
        canvas.text((77, top + TABLE / 2), "no pot", 13, BROWN)
    else:
        ink = _item(canvas, pot_box, str(view.pot), 34)
        canvas.text((77, top + 32), "pot", 13, ink)
        if view.carried:
            note = f"{view.carried} stayed"
            canvas.text((77, top + TABLE - 32), note, 12, ink, room=62)

    canvas.text((HAND, top + 26), "still to come", 13, BROWN, anchor="lm")
    canvas.text((WIDTH - 42, top + 26), view.tie, 12, MUTED, anchor="rm")
    slot = min((WIDTH - 42 - HAND) / len(view.items), 54)
    for i, due in enumerate(view.due):
        box = _card_box(HAND + slot * i, top + 67, slot - 6, 50)
        if due:
            _item(canvas, box, str(view.items[i]), 19)
        else:
            canvas.panel(box, None, radius=5, border=mix(GOLD, CARD, 0.6))
    canvas.text((HAND, top + TABLE - 23), view.last or "the first round", 13, INK, anchor="lm")


def _card_box(left: float, middle: float, width: float, height: float) -> drawing.Box:
    return left, middle - height / 2, left + width, middle + height / 2


def _card(
    canvas: Canvas,
    box: drawing.Box,
    text: str,
    colour: drawing.Colour,
    *,
    filled: bool = False,
    old: bool = False,
) -> None:
    """Draw a card face up; an old one lies flat on the table and has no shadow."""
    left, top, right, bottom = box
    if not old:
        canvas.panel((left + 1, top + 2, right + 1, bottom + 2), (0, 0, 0, 26), radius=5)
    tint = mix(colour, CARD, 0.45) if old and not filled else colour
    canvas.panel(box, colour if filled else CARD, radius=5, border=tint, width=1.5)
    size = min(24, 0.45 * (bottom - top))
    centre = ((left + right) / 2, (top + bottom) / 2)
    canvas.text(centre, text, size, CARD if filled else tint, bold=True, room=right - left - 5)


def _face_down(canvas: Canvas, box: drawing.Box, colour: drawing.Colour) -> None:
    left, top, right, bottom = box
    canvas.panel((left + 1, top + 2, right + 1, bottom + 2), (0, 0, 0, 26), radius=5)
    canvas.panel(box, colour, radius=5)
    canvas.panel((left + 4, top + 4, right - 4, bottom - 4), None, radius=3, border=CARD)
    light = mix(colour, CARD, 0.55)
    for k in range(1, 4):
        x = left + 4 + (right - left - 8) * k / 4
        canvas.line(((x, top + 7), (x, bottom - 7)), light)


def _item(canvas: Canvas, box: drawing.Box, text: str, size: float) -> drawing.Colour:
    """Draw an item; a bad one has a dark face. Return the colour in which to write on it."""
    left, top, right, bottom = box
    bad = text.startswith("-")
    canvas.panel((left + 1, top + 2, right + 1, bottom + 2), (0, 0, 0, 26), radius=6)
    fill, ink = (BROWN, CARD) if bad else (CARD, BROWN)
    canvas.panel(box, fill, radius=6, border=GOLD, width=2)
    centre = ((left + right) / 2, (top + bottom) / 2)
    canvas.text(centre, text, size, ink, bold=True, room=right - left - 8)
    return ink
