"""Coins as a `Game` and as Gymnasium environments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bidarena.envs.arguments import choice, flag, whole, wholes
from bidarena.envs.coins import rules
from bidarena.envs.coins.lines import (
    Board,
    Coins,
    coins_of,
    from_row_code,
    mask_of,
    parse_board,
    row_code,
    segments,
)
from bidarena.envs.coins.rules import C, S
from bidarena.envs.game import Game, State, rules_of
from bidarena.envs.solo import SoloEnv
from bidarena.envs.vector import BatchedEnv

LAST_COIN = ("loses", "wins")
SCORE = ("last", "points")
REWARD = ("outcome", "margin")
COLOURS = ("seeded",)

MOST_POINTS = 100  # the most points, or negative points, of a coin


def coins(
    *,
    board: str = "square6",
    gaps: bool = False,
    diagonals: bool = False,
    max_take: int | None = None,
    last_coin: str = "loses",
    values: Sequence[int] | None = None,
    colours: str | None = None,
    score: str | None = None,
    last_bonus: int = 0,
    reward: str = "outcome",
) -> Game:
    """Return the game of Coins under the given rules; `CoinsEnv` explains them."""
    layout = parse_board(board)
    count = len(layout.cells)
    if flag("diagonals", diagonals) and layout.triangular:
        raise ValueError(
            f"diagonals=True: {board!r} is triangular, with three directions and no diagonals; "
            "expected a square, a rectangle, or rows of equal length"
        )
    if max_take is not None:
        max_take = whole("max_take", max_take, 1, count)
    takes = segments(layout, flag("gaps", gaps), diagonals, max_take)
    loser = choice("last_coin", last_coin, LAST_COIN)

    if colours is not None:
        choice("colours", colours, COLOURS)
        if values is not None:
            raise ValueError("values, colours: give one of the two")
    if values is not None:
        values = list(wholes("values", values, count, -MOST_POINTS, MOST_POINTS))
    colouring = rules.SEEDED if colours else rules.FIXED if values else rules.PLAIN
    usual = "points" if colouring else "last"
    scoring = choice("score", usual if score is None else score, SCORE)
    by_points = scoring == rules.POINTS
    if by_points and not colouring:
        raise ValueError("score='points': the coins have none; expected values or colours too")
    bonus = whole("last_bonus", last_bonus, -MOST_POINTS, MOST_POINTS)
    margin = choice("reward", reward, REWARD)
    for name, value, used in (("last_bonus", last_bonus, bonus), ("reward", reward, margin)):
        if used and not by_points:
            raise ValueError(
                f"{name}={value!r}: only points are counted so; expected score='points'"
            )

    worth = values or [0] * count
    sizes = [abs(value) for value in (rules.PALETTE if colours else worth)]
    unit = (count * max(sizes) if colours else sum(sizes)) + abs(bonus)
    head = (count, len(takes), loser, scoring, margin, bonus, colouring)
    coloured = bool(colouring)
    return Game(
        name="coins",
        options={
            "board": board,
            "gaps": gaps,
            "diagonals": diagonals,
            "max_take": max_take,
            "last_coin": last_coin,
            "values": values,
            "colours": colours,
            "score": SCORE[scoring],
            "last_bonus": bonus,
            "reward": reward,
        },
        rules=rules_of(rules),
        cfg=np.array(
            [*head, max(*sizes, 1), max(unit, 1), *(mask_of(take) for take in takes), *worth],
            np.int64,
        ),
        players=2,
        actions=len(takes),
        longest=count,
        state=rules.state_layout(count, coloured),
        observation=rules.observation_layout(count, coloured),
        hidden=False,
        idle=("last_move",),
        observation_range=(-1.0, 1.0) if coloured else (0.0, 1.0),
        score="points" if coloured else None,
        ansi="bidarena.envs.coins.render:ansi",
        picture="bidarena.envs.coins.render:picture",
        phrases="bidarena.envs.coins.phrases:PHRASES",
    )


def board_of(game: Game) -> Board:
    """Return the board of a game: where its coins lie."""
    return parse_board(game.options["board"])


def takes_of(game: Game) -> list[int]:
    """Return for each action the coins that it takes, as a bit mask."""
    return game.cfg[C.takes : C.takes + game.actions].tolist()


def segment_of(game: Game, action: int) -> Coins:
    """Return the numbers of the coins that an action takes."""
    return coins_of(takes_of(game)[whole("action", action, 0, game.actions - 1)])


def action_of(game: Game, coins: Iterable[int]) -> int:
    """Return the action that takes exactly these coins, given in any order."""
    wanted = sorted(set(coins))
    count = int(game.cfg[C.coins])
    takes = takes_of(game)
    mask = mask_of(whole("coins", coin, 0, count - 1) for coin in wanted)
    if mask not in takes:
        raise ValueError(f"coins={wanted}: no single move takes these on {game.options['board']!r}")
    return takes.index(mask)


def coins_gone(game: Game, state: State) -> int:
    """Return a number that grows with every coin taken: how far a game has come."""
    return -int(state[S.board]).bit_count()


def rows_of(game: Game, state: State) -> list[int]:
    """Return the coins on the board in the report's row code.

    The code has one number per row; the leftmost coin is its lowest bit.
    """
    return row_code(board_of(game), int(state[S.board]))


def state_of(game: Game, rows: Sequence[int], mover: int = 0) -> State:
    """Return a state with the coins of a row code on the board, and `mover` to move.

    Nobody has points yet; the coins of a game with drawn colours are worth nothing.
    """
    state = np.zeros(game.state_size, np.int64)
    state[S.board] = from_row_code(board_of(game), rows)
    state[S.mover] = whole("mover", mover, 0, 1)
    state[S.last_move] = -1
    if game.cfg[C.colours] == rules.FIXED:
        state[S.values :] = game.options["values"]
    return state


class CoinsEnv(SoloEnv):
    """Two players take coins in lines; the player who takes the last coin loses.

    ## Description
    Coins lie on a triangle, a square or any other board. The players take turns. A move takes one
    coin, or several neighbouring coins of one straight line; a gap ends a run. The player who takes
    the last coin loses (misère play), or wins with `last_coin="wins"`. On a coloured board the
    coins are worth points and the higher total wins. Nothing is hidden, and chance plays no part.

    Coins are numbered row by row from the left, from 0. Lines run along the rows and columns of a
    rectangle, and along the three directions of a triangle.

    ## Action Space
    `Discrete(n)`, one action for every segment of a line that can ever be taken. A segment is legal
    while all its coins still lie there. Segments are numbered by size: first the single coins, then
    all pairs, and so on. Within one size rows come first, then columns (in a triangle: down to the
    left), then falling diagonals (in a triangle: down to the right), then rising ones, each in the
    order of their coin numbers. The 216 actions of the 6x6 square:

    | actions | coins taken | in rows | in columns |
    |---|---|---|---|
    | 0..35 | 1 | 0..35 | |
    | 36..95 | 2 | 36..65 | 66..95 |
    | 96..143 | 3 | 96..119 | 120..143 |
    | 144..179 | 4 | 144..161 | 162..179 |
    | 180..203 | 5 | 180..191 | 192..203 |
    | 204..215 | 6 | 204..209 | 210..215 |

    `segment_of(game, action)` returns the coins of an action, `action_of(game, coins)` the action
    of some coins. With `gaps=True` there is an action for every choice of coins from one line, at
    most 4096 in all.

    ## Observation Space
    `Box(0, 1, (coins + 1,), float32)`; with points `Box(-1, 1, (2 coins + 3,), float32)`:

    | index | what | scaled by |
    |---|---|---|
    | 0..coins-1 | 1 where the coin still lies there | |
    | coins | 1 if it is the own turn | |
    | coins+1..2 coins | points of each coin that still lies there, else 0 | most points of a coin |
    | 2 coins+1 | own points | the most one can be ahead |
    | 2 coins+2 | the opponent's points | the most one can be ahead |

    ## Starting State
    All coins are on the board, and player 0 is to move. With `colours="seeded"` each coin is worth
    -2, -1, 1, 2 or 3 points, drawn anew for every game.

    ## Rewards
    +1 for winning, -1 for losing, 0 for equal points and before the end. With `reward="margin"` the
    reward is the difference of the points, divided by the largest possible difference.

    ## Episode End
    Terminated when no coin is left. An illegal action loses at once (`illegal_action="raise"`
    raises instead).

    ## Information
    `action_mask` (int8, one per action; all ones when the game is over) on every reset and step;
    `illegal_action` and `opponent_illegal_action`: whether that ended the game.

    ## Arguments
    | keyword | default | meaning |
    |---|---|---|
    | `board` | `"square6"` | also `"triangle5"`, `"rectangle4x7"`, or rows such as `"*/**/****"`, where `.` is a hole: rows of equal length are a piece of a square board, others of a triangular one, flush left; at most 63 coins |
    | `gaps` | False | True: any coins of one line can be taken together |
    | `diagonals` | False | True: lines run along diagonals too (not on triangular boards) |
    | `max_take` | None | the most coins one move may take |
    | `last_coin` | `"loses"` | `"wins"`: the player who takes the last coin wins (normal play) |
    | `values` | None | points of every coin, by its number |
    | `colours` | None | `"seeded"`: points drawn for every game |
    | `score` | by points if there are any | `"points"`: the higher total wins, and the last coin does not matter; `"last"`: the last coin decides, and points only guide bots among moves that are equally good |
    | `last_bonus` | 0 | points for taking the last coin, with `score="points"` |
    | `reward` | `"outcome"` | `"margin"`, with `score="points"` |
    | `opponent` | `"random"` | a name with options, a list drawn from per episode, or a callable |
    | `seat` | `"random"` | the learner's: 0, 1, `"random"` or `"alternate"` |
    | `illegal_action` | `"lose"` | `"raise"`: raise a ValueError instead |

    ## References
    The report of two students (Ashish Sharma, Rajat Anurag) on five programs for this game.

    ## Version History
    v0: first version.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("coins", **kwargs)


class CoinsVectorEnv(BatchedEnv):
    """Coins in a batch; see `CoinsEnv` for the game and `BatchedEnv` for the interface."""

    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        super().__init__("coins", num_envs, **kwargs)
