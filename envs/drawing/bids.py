"""What the drawings of games of bids share: both players' money, the bids, who is to bid.

A game first collects what one player may see in an `Auction`. Then `heading`, `stage` and `bidding`
draw parts of a picture from it, and `bidding_lines` the same facts as text.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from bidarena.envs.drawing.canvas import (
    CARD,
    GOLD,
    HAIRLINE,
    INK,
    MUTED,
    NAMES,
    SIDES,
    TRACK,
    WIDTH,
    Box,
    Canvas,
    Point,
    mix,
    text_width,
)
from bidarena.envs.drawing.terminal import BOLD, GREEN, SIDE_CODES, paint
from bidarena.envs.game import Game, State

# Outcomes besides the number of the winner, as in the rules of games of bids.
DRAWN, UNDECIDED = 2, 3


class Auction(NamedTuple):
    """What one player sees of a game of bids. A side of -1 is nobody.

    Args:
        round: the number of the round, as text.
        money: for each side, the least and the most that it can have.
        most: the most that any side can have.
        advantage: the side that wins ties; -1: a coin decides.
        rules: the rules of payment and ties, as text.
        bids: each side's last bid that was opened; -1: none yet, or hidden.
        winner: the side that won the last bids; -1: none yet, or not known.
        sealed: for each side, whether it has committed a bid that is not opened yet.
        mover: the side to move; -1: the game is over.
        champion: the side that has won the game; -1: none.
        headline: the result, or what the game waits for.
        reason: a few words on the headline.
    """

    round: str
    money: tuple[tuple[int, int], tuple[int, int]]
    most: int
    advantage: int
    rules: str
    bids: tuple[int, int]
    winner: int
    sealed: tuple[bool, bool]
    mover: int
    champion: int
    headline: str
    reason: str


def auction(game: Game, state: State, seat: int) -> Auction:
    """Return what the player in `seat` sees of the parts of the state that games of bids share.

    It shows all money and the last bids. A game that hides these must replace them.
    """

    def side(player: int) -> int:
        return player if player < 0 else int(player != seat)

    part = {name: state[where].tolist() for name, where in game.state.items()}
    (rounds,), (pending,), (outcome,) = part["round"], part["pending"], part["outcome"]
    own, other = (part["money"][player] for player in (seat, 1 - seat))
    over = outcome >= 0
    mover = -1 if over else side(int(pending >= 0))
    champion = side(outcome) if outcome in (0, 1) else -1
    if outcome == UNDECIDED:
        headline, reason = "stopped", "no more rounds"
    elif outcome == DRAWN:
        headline, reason = "draw", "both are out of money"
    elif over:
        headline, reason = ("you win", "you lose")[champion], ""
    elif mover == 0:
        headline, reason = "your bid", f"from $1 to ${own:,}" if own else "you have nothing: $0"
    else:
        headline, reason = "waiting", "the opponent is bidding"
    limit = game.options["max_rounds"]
    payee = {"bank": "the bank", "opponent": "the loser"}[game.options["payment"]]
    coin = ", a coin decides ties" if game.options["tie"] == "coin" else ""
    played = f"{rounds:,} round{'s' * (rounds != 1)} played"
    return Auction(
        round=played if over else f"round {rounds + 1:,}" + (f" of {limit:,}" if limit else ""),
        money=((own, own), (other, other)),
        most=max(game.options["money"]) if payee == "the bank" else sum(game.options["money"]),
        advantage=side(part["advantage"][0]),
        rules=f"the winner of a bid pays {payee}{coin}",
        bids=(part["last_bids"][seat], part["last_bids"][1 - seat]),
        winner=side(part["last_winner"][0]) if "last_winner" in part else -1,
        sealed=(pending >= 0 and seat == 0, pending >= 0 and seat == 1),
        mover=mover,
        champion=champion,
        headline=headline,
        reason=reason,
    )


def _round_result(seen: Auction) -> str:
    """Return how the last bids were decided, in a few words."""
    own, other = seen.bids
    if own < 0:
        return "no bids yet"
    tied = own == other
    if seen.winner < 0:
        return "a tie: a coin decided" if tied else "the other bid is hidden"
    price = seen.bids[seen.winner]
    paid = f", paid ${price:,}" if price >= 0 else ""
    return f"{NAMES[seen.winner]} won{' the tie' if tied else ''}{paid}"


def heading(canvas: Canvas, title: str, seen: Auction) -> None:
    """Draw the top line of a picture: the title, the round, the result or what is awaited."""
    canvas.text((24, 33), title, 22, INK, anchor="lm", bold=True)
    canvas.text((36 + text_width(title, 22), 34), seen.round, 15, MUTED, anchor="lm")
    canvas.text((WIDTH - 26, 33), seen.reason, 14, MUTED, anchor="rm")
    actor = seen.champion if seen.mover < 0 else seen.mover
    colour = INK if actor < 0 else SIDES[actor]
    right = WIDTH - 37 - text_width(seen.reason, 14)
    left = right - text_width(seen.headline, 14) - 28
    canvas.panel((left, 19, right, 47), colour, radius=14)
    canvas.text(((left + right) / 2, 32.5), seen.headline, 14, CARD, bold=True)


def stage(canvas: Canvas, bottom: float, champion: int) -> None:
    """Draw the panel behind a board, in the colour of the side that has won."""
    won = champion >= 0
    fill = mix(SIDES[champion], CARD, 0.9) if won else CARD
    border, width = (SIDES[champion], 2) if won else (HAIRLINE, 1)
    canvas.panel((24, 62, WIDTH - 24, bottom), fill, radius=10, border=border, width=width)


def bidding(canvas: Canvas, top: float, seen: Auction) -> None:
    """Draw the bottom of a picture: both sides' money, and the last bids between them."""
    for side, left in enumerate((24, WIDTH - 264)):
        _purse(canvas, (left, top, left + 240, top + 98), side, seen)
        bid = seen.bids[side]
        text = "" if seen.bids[0] < 0 else f"{bid:,}" if bid >= 0 else "?"
        _card(canvas, (WIDTH / 2 - 33 + 66 * side, top + 36), text, side, seen.winner == side)
    colour = MUTED if seen.winner < 0 else SIDES[seen.winner]
    canvas.text((WIDTH / 2, top + 89), _round_result(seen), 13, colour, room=182)


def _purse(canvas: Canvas, box: Box, side: int, seen: Auction) -> None:
    """Draw a side's money as number and bar; the opponent's is mirrored."""
    left, top, right, _ = box
    near, inward, anchor = (left + 16, 1, "lm") if side == 0 else (right - 16, -1, "rm")
    far, opposite = left + right - near, "rm" if side == 0 else "lm"
    colour = SIDES[side]
    canvas.panel(box, CARD, radius=10, border=HAIRLINE)
    canvas.text((near, top + 20), ("you have", "opponent has")[side], 13, MUTED, anchor=anchor)
    low, high = seen.money[side]
    text = f"${low:,}" if low == high else f"${low:,} to ${high:,}"
    room = 125 if seen.sealed[side] else 208
    canvas.text((near, top + 47), text, 26, colour, anchor=anchor, bold=True, room=room)
    for amount, tint in ((seen.most, TRACK), (high, mix(colour, CARD, 0.6)), (low, colour)):
        ends = sorted((near, near + 208 * inward * amount / seen.most))
        canvas.panel((ends[0], top + 72, ends[1], top + 82), tint, radius=5)
    if seen.advantage == side:
        x, y = far - 8 * inward, top + 20
        canvas.disc((x, y), 9, GOLD, border=mix(GOLD, INK, 0.35))
        for dy in (-2, 2):
            canvas.line(((x - 3.5, y + dy), (x + 3.5, y + dy)), CARD, 1.8)
        canvas.text((far - 22 * inward, y), "wins ties", 13, INK, anchor=opposite)
    if seen.sealed[side]:  # draw a card face down
        x, y = far - 8 * inward, top + 48
        canvas.panel((x - 7, y - 10, x + 7, y + 10), colour, radius=2.5)
        canvas.panel((x - 4.5, y - 7.5, x + 4.5, y + 7.5), None, radius=1, border=CARD)
        canvas.line(((x - 3, y - 6), (x + 3, y + 6)), CARD)
        canvas.line(((x + 3, y - 6), (x - 3, y + 6)), CARD)
        canvas.text((far - 22 * inward, y), "bid is in", 13, INK, anchor=opposite)


def _card(canvas: Canvas, at: Point, text: str, side: int, won: bool) -> None:
    """Draw a bid on a card, raised and filled if it won; an empty place if `text` is empty."""
    x, y = at[0], at[1] - (5 if won else 0)
    box = (x - 30, y - 34, x + 30, y + 34)
    if not text:
        canvas.panel(box, None, radius=8, border=HAIRLINE, width=1.5)
        return
    colour = SIDES[side]
    canvas.panel((x - 29, y - 31, x + 31, y + 37), (0, 0, 0, 26), radius=8)
    canvas.panel(box, colour if won else CARD, radius=8, border=colour, width=1.5)
    canvas.text((x, y), text, 24, CARD if won else colour, bold=True, room=50)


def bidding_lines(seen: Auction) -> list[str]:
    """Return the lines below a board of text: money, bids, rules, the result or what is awaited."""
    lines = []
    for side, (low, high) in enumerate(seen.money):
        full, shaded = (math.ceil(20 * amount / seen.most) for amount in (low, high))
        bar = "█" * full + "▒" * (shaded - full) + "·" * (20 - shaded)
        amount = f"${low:,}" if low == high else f"${low:,} to ${high:,}"
        token = "  ◆ wins ties" if seen.advantage == side else ""
        name = paint(f"{NAMES[side]:<8}", SIDE_CODES[side])
        lines.append(f"  {name}  {bar}  {amount}{token}")
    own, other = seen.bids
    bids = f"you {own:,}, opponent {f'{other:,}' if other >= 0 else 'hidden'}"
    if own < 0:
        bids = _round_result(seen)
    elif seen.winner >= 0 or other >= 0:
        bids = f"{bids}: {_round_result(seen)}"
    lines.append(f"  bids      {bids}")
    lines.append(f"  rules     {seen.rules}")
    waiting = "; the opponent's bid is in" if seen.sealed[1] else ""
    code = GREEN if seen.champion == 0 else BOLD
    lines.append(f"  {paint(seen.headline, code)}: {seen.reason}{waiting}")
    return lines
