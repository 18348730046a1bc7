"""Phrases of Coins: coins by their numbers, runs by their ends, who took what."""

from __future__ import annotations

import re

from bidarena.envs.coins.env import board_of, segment_of, takes_of
from bidarena.envs.coins.lines import Board, Coins, coins_of, mask_of
from bidarena.envs.coins.rules import PLAIN, C, S
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Names, Phrasebook, Viewer


def name(game: Game, state: State, action: int) -> str:
    """Return what a move is called: the numbers of its coins."""
    return " ".join(map(str, segment_of(game, action)))


def read(game: Game, state: State, text: str) -> int:
    """Return the move in a typed text: "3", "3 4 5", "3,4,5", or a run by its ends, "3-5".

    Raise ValueError if no move takes these coins.
    """
    typed = text.strip().lower().removeprefix("take").strip()
    ends = re.fullmatch(r"(\d{1,4})\s*(?:-|to)\s*(\d{1,4})", typed)
    board = board_of(game)
    if ends:
        wanted = _run(game, board, *(_known(board, int(end)) for end in ends.groups()))
    elif re.fullmatch(r"\d{1,4}([\s,]+\d{1,4})*", typed):
        wanted = {_known(board, int(coin)) for coin in re.split(r"[\s,]+", typed)}
    else:
        raise ValueError(
            f"{text!r} is no move: type the numbers of coins in one line, such as 3 or 3 4 5, "
            "or the ends of a run, such as 3-5"
        )
    takes, mask = takes_of(game), mask_of(wanted)
    if mask in takes:
        return takes.index(mask)
    raise ValueError(_no_line(game, board, tuple(sorted(wanted))))


def _known(board: Board, coin: int) -> int:
    """Return the coin; raise ValueError if the board has no coin of this number."""
    if coin >= len(board.cells):
        raise ValueError(f"there is no coin {coin}: they are numbered 0 to {len(board.cells) - 1}")
    return coin


def _between(board: Board, first: int, last: int) -> set[int] | None:
    """Return all coins in a straight line from `first` to `last`; None if there is no line."""
    (r0, c0), (r1, c1) = board.cells[first], board.cells[last]
    steps = max(abs(r1 - r0), abs(c1 - c0))
    if steps == 0:
        return {first}
    if (r1 - r0) % steps or (c1 - c0) % steps:
        return None
    way = ((r1 - r0) // steps, (c1 - c0) // steps)
    ways = board.directions(diagonals=not board.triangular)
    if way not in ways and (-way[0], -way[1]) not in ways:
        return None
    at = {cell: coin for coin, cell in enumerate(board.cells)}
    cells = [(r0 + k * way[0], c0 + k * way[1]) for k in range(steps + 1)]
    return {at[cell] for cell in cells if cell in at}


def _run(game: Game, board: Board, first: int, last: int) -> set[int]:
    """Return all coins from `first` to `last`; raise ValueError if they are not in one line."""
    coins = _between(board, first, last)
    if coins is None:
        raise ValueError(f"no line leads from coin {first} to coin {last}")
    return coins


def _no_line(game: Game, board: Board, coins: Coins) -> str:
    """Return why no move can take these coins together."""
    listed = " ".join(map(str, coins))
    most = game.options["max_take"]
    if most is not None and len(coins) > most:
        return f"{listed}: a move takes at most {most} coins"
    # in every direction the ends of a line are its lowest and highest numbers
    span = _between(board, coins[0], coins[-1])
    if span is not None and set(coins) < span:
        between = " ".join(str(coin) for coin in sorted(span - set(coins)))
        return f"{listed}: not neighbours, {between} lies between; {coins[0]}-{coins[-1]} takes all"
    if span is not None and set(coins) == span:
        (r0, c0), (r1, c1) = board.cells[coins[0]], board.cells[coins[-1]]
        if not board.triangular and r0 != r1 and c0 != c1 and not game.options["diagonals"]:
            return f"{listed}: diagonals do not count, only rows and columns"
        return f"{listed}: there is a hole between them"
    return f"{listed}: these coins are not in one straight line"


def refuse(game: Game, state: State, action: int) -> str:
    """Return which coins of the move are gone, so that it is not legal."""
    gone = coins_of(takes_of(game)[action] & ~int(state[S.board]))
    has = "has" if len(gone) == 1 else "have"
    which = f"coin{'s' * (len(gone) > 1)} {' '.join(map(str, gone))}"
    return f"{which} {has} been taken already"


def offer(game: Game, state: State, actions: list[int]) -> str:
    """Return in one line how many moves there are."""
    longest = max(len(segment_of(game, action)) for action in actions)
    runs = f", or up to {longest} in a line" if longest > 1 else ""
    return f"take one coin{runs}: {len(actions)} moves (`moves` lists them)"


def tell(game: Game, before: State, action: int, after: State, seat: Viewer, names: Names) -> str:
    """Return who took which coins, their points, and how many are left."""
    coins = segment_of(game, action)
    mover, left = int(before[S.mover]), len(coins_of(int(after[S.board])))
    points = ""
    if game.cfg[C.colours] != PLAIN:
        gained = int(after[S.points + mover] - before[S.points + mover])
        points = f" for {gained:+} points"
    plural = "coin" if len(coins) == 1 else "coins"
    return f"{names[mover]} took {plural} {' '.join(map(str, coins))}{points}; {left} left."


def aim(game: Game, seat: int) -> str:
    """Return the aim of the game in a few sentences, under the rules in force."""
    options = game.options
    which = "any coins of one line" if options["gaps"] else "one coin, or neighbours in one line"
    most = f", at most {options['max_take']}" if options["max_take"] else ""
    end = f"the player who takes the last coin {options['last_coin']}"
    if options["score"] == "points":
        bonus = f", {options['last_bonus']:+} for the last coin" * bool(options["last_bonus"])
        end = f"the higher total of points wins{bonus}"
    return f"In turn both take {which}{most}; {end}."


PHRASES = Phrasebook(
    name=name,
    read=read,
    refuse=refuse,
    tell=tell,
    offer=offer,
    typed="the numbers of coins in one line, such as 3 or 3 4 5, or the ends of a run, 3-5",
    aim=aim,
)
