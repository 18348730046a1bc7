"""Draw Coins as one player sees it: as text, and as a picture."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.envs import drawing
from bidarena.envs.coins.lines import Board, Coins, coins_of, parse_board
from bidarena.envs.coins.rules import PLAIN, POINTS, WINS, C, S
from bidarena.envs.drawing import CARD, GOLD, INK, MUTED, NAMES, SIDES, WIDTH, Canvas, Colour, mix
from bidarena.envs.game import Game, State

GREEN_COIN, RED_COIN = (58, 140, 92), (178, 62, 58)  # coins of positive, of negative points


class _View(NamedTuple):
    board: Board
    lying: Coins
    taken: Coins  # the coins of the last move
    taker: int  # the side that made the last move; -1 before the first
    values: tuple[int, ...]  # points of each coin; empty on a plain board
    points: tuple[int, int]  # points of both sides
    brightest: int
    mover: int  # the side to move; -1 when the game is over
    champion: int  # the side that has won; -1: nobody
    headline: str
    reason: str
    rule: str


def _look(game: Game, state: State, seat: int) -> _View:
    """Return what the player in `seat` sees of the state."""
    options, cfg = game.options, game.cfg
    lying, last = coins_of(int(state[S.board])), int(state[S.last_move])
    to_move = int(state[S.mover] != seat)
    taker = 1 - to_move if last >= 0 else -1
    coloured, by_points = cfg[C.colours] != PLAIN, cfg[C.score] == POINTS
    totals = state[S.points : S.points + 2].tolist() if coloured else [0, 0]
    points = (totals[seat], totals[1 - seat])
    taken = coins_of(int(cfg[C.takes + last])) if last >= 0 else ()
    rule = f"the player who takes the last coin {options['last_coin']}"
    mover, champion = (to_move, -1) if lying else (-1, -1)
    if by_points:
        bonus = int(cfg[C.last_bonus])
        rule = "the higher total wins" + (f", {bonus:+} for the last coin" if bonus else "")
    if lying:
        headline = ("your move", "waiting")[to_move]
        reason = ("", "the opponent is to move")[to_move]
    elif by_points:
        champion = -1 if points[0] == points[1] else int(points[1] > points[0])
        reason = f"{points[0]} points to {points[1]}"
        headline = "draw"
    else:
        champion = taker if cfg[C.last_coin] == WINS else 1 - taker
        reason = f"{('you', 'the opponent')[taker]} took the last coin"
    if champion >= 0:
        headline = ("you win", "you lose")[champion]
    return _View(
        board=parse_board(options["board"]),
        lying=lying,
        taken=taken,
        taker=taker,
        values=tuple(state[S.values :].tolist()) if coloured else (),
        points=points,
        brightest=int(cfg[C.brightest]),
        mover=mover,
        champion=champion,
        headline=headline,
        reason=reason,
        rule=rule,
    )


def _coins(count: int) -> str:
    return f"{count} coin{'s' * (count != 1)}"


def _last_move(view: _View) -> str:
    """Return who took which coins last, as a phrase."""
    if view.taker < 0:
        return "no coin has been taken yet"
    numbers = " ".join(map(str, view.taken))
    return f"{NAMES[view.taker]} took {_coins(len(view.taken))}: {numbers}"


def _state_of_play(view: _View) -> str:
    return f"{len(view.lying)} of {_coins(len(view.board.cells))} left"


# --- as text -------------------------------------------------------------------------------------


def ansi(game: Game, state: State, seat: int) -> str:
    """Return a board of text as `seat` sees the game, and beside it the coins' numbers."""
    view = _look(game, state, seat)
    title = f"{drawing.paint('Coins', drawing.BOLD)}  {_state_of_play(view)}; {view.rule}"
    lines = [title, ""]
    signs = _grid(view.board, [_sign(view, coin) for coin in range(len(view.board.cells))])
    numbers = [str(coin) if coin in view.lying else "·" for coin in range(len(view.board.cells))]
    lines += [
        f"  {left}     {right}".rstrip()
        for left, right in zip(signs, _grid(view.board, numbers), strict=True)
    ]
    lines.append("")
    for side in (0, 1) if view.values else ():
        name = drawing.paint(f"{NAMES[side]:<8}", drawing.SIDE_CODES[side])
        lines.append(f"  {name}  {view.points[side]} points")
    lines.append(f"  {_last_move(view)}")
    code = drawing.GREEN if view.champion == 0 else drawing.BOLD
    reason = f": {view.reason}" if view.reason else ""
    lines.append(f"  {drawing.paint(view.headline, code)}{reason}")
    return "\n".join(lines) + "\n"


def _sign(view: _View, coin: int) -> str:
    """Return the sign for a place: a coin, its points, a ring if taken last, or nothing."""
    if coin in view.lying:
        if not view.values:
            return drawing.paint("●", "1;33")
        value = view.values[coin]
        return drawing.paint(f"{value:+}", "1;32" if value > 0 else "1;31" if value < 0 else "1")
    if coin in view.taken:
        return drawing.paint("○", drawing.SIDE_CODES[view.taker])
    return "·"


def _grid(board: Board, signs: list[str]) -> list[str]:
    """Return lines with the signs at the places of their coins, all equally wide."""
    half = 2 if board.triangular else 0  # a row of a triangle begins half a cell further left
    at = dict(zip(board.cells, signs, strict=True))
    lines = []
    for row in range(board.rows):
        cells = "".join(_centred(at.get((row, column), "")) for column in range(board.columns))
        before, after = half * (board.rows - 1 - row), half * row
        lines.append(" " * before + cells + " " * after)
    return lines


def _centred(sign: str) -> str:
    """Return the sign in the middle of four columns; its colour codes take no room."""
    bare = sign
    while "\x1b" in bare:
        start = bare.index("\x1b")
        bare = bare[:start] + bare[bare.index("m", start) + 1 :]
    free = 4 - len(bare)
    return " " * (free - free // 2) + sign + " " * (free // 2)


# --- as a picture --------------------------------------------------------------------------------

TOP, SIDE = 62, 24
WIDEST = 74.0  # the most pixels from one coin to the next


def picture(game: Game, state: State, seat: int) -> NDArray[np.uint8]:
    """Return a picture of the game as the player in `seat` sees it, (height, 720, 3)."""
    view = _look(game, state, seat)
    places, apart, floor = _places(view.board)
    canvas = _table(view.board, bool(view.values), view.champion).copy()
    _heading(canvas, view)
    radius = 0.41 * apart
    ends = [places[coin] for coin in view.taken]
    if ends:
        colour = SIDES[view.taker]
        canvas.line([ends[0], ends[-1]], mix(colour, CARD, 0.72), 2 * radius + 4)
        if len(ends) == 1:
            canvas.disc(ends[0], radius + 2, mix(colour, CARD, 0.72))
        for at in ends:
            canvas.disc(at, radius - 3, mix(colour, CARD, 0.86), border=colour, width=1.6)
    for coin in view.lying:
        x, y = places[coin]
        canvas.disc((x + 0.05 * apart, y + 0.08 * apart), radius, (0, 0, 0, 38))
    for coin in view.lying:
        _coin(canvas, places[coin], radius, view, coin)
    _footer(canvas, view, floor)
    return canvas.pixels()


@lru_cache(maxsize=16)
def _places(board: Board) -> tuple[list[tuple[float, float]], float, float]:
    """Return the centre of each coin, the distance between coins, and the board's lower edge."""
    lean, drop = (0.5, math.sqrt(3) / 2) if board.triangular else (0.0, 1.0)
    raw = [(column - lean * row, drop * row) for row, column in board.cells]
    left, right = min(x for x, _ in raw), max(x for x, _ in raw)
    low, high = min(y for _, y in raw), max(y for _, y in raw)
    apart = min(WIDEST, (WIDTH - 2 * SIDE - 40) / (right - left + 1), 470 / (high - low + 1))
    middle = WIDTH / 2 - apart * (left + right) / 2
    top = TOP + 46 + apart / 2 - apart * low
    places = [(middle + apart * x, top + apart * y) for x, y in raw]
    return places, apart, top + apart * high + apart / 2 + 20


@lru_cache(maxsize=16)
def _table(board: Board, coloured: bool, champion: int) -> Canvas:
    """Return a canvas with everything that does not move: the cloth and the coins' places."""
    places, apart, floor = _places(board)
    canvas = Canvas(round(floor + (86 if coloured else 56)))
    drawing.stage(canvas, floor, champion)
    for at in places:
        canvas.disc(at, max(0.09 * apart, 2.5), drawing.TRACK)
    return canvas


def _coin(canvas: Canvas, at: tuple[float, float], radius: float, view: _View, coin: int) -> None:
    """Draw a coin: its rim, its face, a gleam, and its number or its points."""
    metal: Colour = GOLD
    if view.values:
        value = view.values[coin]
        strength = abs(value) / view.brightest
        metal = GREEN_COIN if value > 0 else RED_COIN if value < 0 else MUTED
        metal = mix(metal, CARD, 0.42 * (1 - strength))
    x, y = at
    dark, light = mix(metal, INK, 0.38), mix(metal, CARD, 0.5)
    canvas.disc(at, radius, metal, border=dark, width=1.2)
    canvas.disc(at, radius * 0.86, mix(metal, CARD, 0.18), border=mix(metal, INK, 0.16))
    arc = [
        (x + 0.93 * radius * math.cos(turn), y + 0.93 * radius * math.sin(turn))
        for turn in np.linspace(math.radians(190), math.radians(285), 16).tolist()
    ]
    canvas.line(arc, light, max(radius * 0.06, 1.0))
    if view.values:
        points = f"{view.values[coin]:+}"
        canvas.text((x, y), points, radius * 0.82, CARD, bold=True, room=radius * 1.5)
    else:
        canvas.text((x, y), str(coin), radius * 0.62, mix(metal, INK, 0.45), room=radius * 1.3)


def _heading(canvas: Canvas, view: _View) -> None:
    """Draw the name of the game, what happens next or how it ended, and the rule."""
    canvas.text((24, 33), "Coins", 22, INK, anchor="lm", bold=True)
    left = 36 + drawing.text_width("Coins", 22)
    canvas.text((left, 34), _state_of_play(view), 15, MUTED, anchor="lm")
    canvas.text((WIDTH - 26, 33), view.reason, 14, MUTED, anchor="rm")
    actor = view.champion if view.mover < 0 else view.mover
    right = WIDTH - (37 if view.reason else 24) - drawing.text_width(view.reason, 14)
    edge = right - drawing.text_width(view.headline, 14) - 28
    canvas.panel((edge, 19, right, 47), INK if actor < 0 else SIDES[actor], radius=14)
    canvas.text(((edge + right) / 2, 32.5), view.headline, 14, CARD, bold=True)
    canvas.text((40, TOP + 20), view.rule, 12, MUTED, anchor="lm")


def _footer(canvas: Canvas, view: _View, floor: float) -> None:
    """Draw the last move and, where coins have points, the points of both sides."""
    colour = MUTED if view.taker < 0 else SIDES[view.taker]
    if not view.values:
        canvas.text((WIDTH / 2, floor + 28), _last_move(view), 14, colour, room=WIDTH - 60)
        return
    canvas.text((WIDTH / 2, floor + 43), _last_move(view), 13, colour, room=270)
    for side, left in enumerate((SIDE, WIDTH - SIDE - 180)):
        canvas.panel(
            (left, floor + 14, left + 180, floor + 72), CARD, radius=10, border=drawing.HAIRLINE
        )
        near, anchor = (left + 16, "lm") if side == 0 else (left + 164, "rm")
        far, opposite = (left + 164, "rm") if side == 0 else (left + 16, "lm")
        points = str(view.points[side])
        canvas.text((near, floor + 43), NAMES[side], 14, MUTED, anchor=anchor)
        canvas.text((far, floor + 43), points, 26, SIDES[side], anchor=opposite, bold=True)
