"""Scotch solved exactly: the value of every position, and the bids that keep it.

The structure that makes this fast: given one's own bid x, the other's bid y matters only in whether
it is lower (one wins and pays x, whatever y was), equal, or higher (he wins and pays y). So what x
guarantees is the least of three numbers: the value after winning with x, the value after a tie at
x, and the least value after losing to any y > x, which is a running minimum. All guarantees of a
position together take as many steps as there are bids, without any matrix. Where the best guarantee
of one player meets that of the other, both have a pure optimal bid; elsewhere the matrix of bids is
solved (`matrix.py`).

Money paid to the bank is gone, so positions are solved from little money to much. Where the winner
pays the loser, or a limit of rounds was asked for, the rounds left are part of the position, and
the layers are solved from the last round back until nothing changes any more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.matrix import solve_into
from bidarena.baselines.solvers.positions import Book, Numbers, Values, book_of, values_of
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.scotch.rules import (
    ADVANTAGE,
    ALTERNATE,
    BOTH_BROKE,
    BROKE,
    COIN,
    DRAW,
    HIGH,
    HOLDER,
    KNOW,
    LAST_BIDS,
    LAST_WINNER,
    LENGTH,
    LOSE,
    LOW,
    MAX_ROUNDS,
    MONEY,
    OPPONENT,
    OUTCOME,
    PAYMENT,
    PENDING,
    POSITION,
    PURSE,
    ROUND,
    RUNNING,
    START,
    TIE,
)

MOST_POSITIONS = 20_000_000  # of a book, 8 bytes each in every table made from it
MOST_WORK = 2_000_000_000  # positions of a round times bids

# the book: how many rounds it tells apart (0: the rounds do not matter), how many amounts of money
# of player 0 and of player 1 (1 where it follows from the other's), how many holders
ROUNDS, AMOUNTS0, AMOUNTS1, HOLDERS = 0, 1, 2, 3
_COLUMNS = 4


def limited(game: Game) -> bool:
    """Can the limit of rounds cut a game short?"""
    cfg = game.cfg
    if cfg[PAYMENT] == OPPONENT:
        return True
    if endless_coin(game):
        # Without money a coin walks the bottle; the chance that it still walks after n rounds is
        # below cos(pi / length)^n x length, which must not matter.
        spare = int(cfg[MAX_ROUNDS]) - int(cfg[PURSE] + cfg[PURSE + 1])
        still = int(cfg[LENGTH]) * np.cos(np.pi / int(cfg[LENGTH])) ** max(spare, 0)
        return bool(still > 1e-15)
    return bool(cfg[MAX_ROUNDS] < cfg[PURSE] + cfg[PURSE + 1] + cfg[LENGTH])


def endless_coin(game: Game) -> bool:
    """Does a coin move the bottle for players without money?"""
    return bool(game.cfg[BOTH_BROKE] != DRAW and game.cfg[TIE] == COIN)


def book_for(game: Game, rounds: int | None = None) -> Book:
    """The positions of a game of Scotch.

    Args:
        game: Scotch, the opponent's money being known.
        rounds: how many rounds to tell apart, where there is a limit; None: all.
    """
    cfg = game.cfg
    if not cfg[KNOW]:
        raise ValueError(
            "know_opponent_money=False: the positions of such a game are what the players believe; "
            "only games with known money are solved"
        )
    layers = (int(cfg[MAX_ROUNDS]) if rounds is None else rounds) if limited(game) else 0
    total = int(cfg[PURSE] + cfg[PURSE + 1])
    richman = cfg[PAYMENT] == OPPONENT
    amounts0 = total + 1 if richman else int(cfg[PURSE]) + 1
    amounts1 = 1 if richman else int(cfg[PURSE + 1]) + 1
    holders = 1 if cfg[TIE] == COIN else 2
    each = amounts0 * amounts1 * (int(cfg[LENGTH]) - 1) * holders
    if each * max(layers, 1) > MOST_POSITIONS:
        raise ValueError(
            f"{each * max(layers, 1):,} positions ({each:,} in each of {max(layers, 1)} rounds) "
            f"are more than {MOST_POSITIONS:,}; choose less money, a shorter line or max_rounds"
        )
    if each * total > MOST_WORK:
        raise ValueError(
            f"{each:,} positions with up to {total:,} bids each would take hours; choose less "
            "money or a shorter line"
        )
    numbers = np.array([layers, amounts0, amounts1, holders], np.int64)
    start = _index(cfg, numbers, layers, cfg[PURSE], cfg[PURSE + 1], cfg[START], 0)
    return Book(
        game=game,
        numbers=numbers,
        layers=tuple(each * layer for layer in range(max(layers, 1) + 1)),
        starts=((int(start), 1.0),),
        put=put,
        find=find,
        worths=worths,
    )


# --- positions -----------------------------------------------------------------------------------


def _index(cfg: Cfg, book: Numbers, rounds: int, own: int, other: int, at: int, holder: int) -> int:
    """The number of a position; `rounds` are those left, 0 where they do not matter."""
    amounts1 = int(book[AMOUNTS1])
    index = max(rounds - 1, 0) * int(book[AMOUNTS0]) + own
    index = index * amounts1 + (other if amounts1 > 1 else 0)
    return (index * (cfg[LENGTH] - 1) + at - 1) * int(book[HOLDERS]) + holder


def _parts(cfg: Cfg, book: Numbers, position: int) -> tuple[int, int, int, int, int]:
    """Rounds left, both players' money, the bottle, the holder of the advantage."""
    holders, amounts1 = int(book[HOLDERS]), int(book[AMOUNTS1])
    holder = position % holders
    position //= holders
    at = position % (cfg[LENGTH] - 1) + 1
    position //= cfg[LENGTH] - 1
    other = position % amounts1
    position //= amounts1
    own = position % int(book[AMOUNTS0])
    rounds = position // int(book[AMOUNTS0]) + 1 if book[ROUNDS] > 0 else 0
    if cfg[PAYMENT] == OPPONENT:
        other = cfg[PURSE] + cfg[PURSE + 1] - own
    return rounds, own, other, at, holder


def put(cfg: Cfg, book: Numbers, position: int, state: State) -> None:
    """The state of a position; see `positions.py`."""
    rounds, own, other, at, holder = _parts(cfg, book, position)
    state[POSITION] = at
    state[MONEY] = own
    state[MONEY + 1] = other
    state[ADVANTAGE] = -1 if cfg[TIE] == COIN else holder
    state[ROUND] = cfg[MAX_ROUNDS] - rounds if rounds > 0 else 0
    state[PENDING] = -1
    state[OUTCOME] = RUNNING
    state[LAST_WINNER] = -1
    for player in range(2):
        state[LAST_BIDS + player] = -1
        state[LOW + player] = state[MONEY + player]
        state[HIGH + player] = state[MONEY + player]


def find(cfg: Cfg, book: Numbers, state: State) -> int:
    """The position of a state; see `positions.py`."""
    rounds = min(cfg[MAX_ROUNDS] - state[ROUND], int(book[ROUNDS]))
    holder = max(state[ADVANTAGE], 0)
    return _index(cfg, book, rounds, state[MONEY], state[MONEY + 1], state[POSITION], holder)


# --- one round -----------------------------------------------------------------------------------


def _after(
    cfg: Cfg,
    book: Numbers,
    values: Values,
    rounds: int,
    own: int,
    other: int,
    at: int,
    holder: int,
    price: int,
) -> float:
    """The value of what stands after a round that cost `price`, `rounds` being left before it."""
    if at == 0:
        return 1.0
    if at == cfg[LENGTH]:
        return -1.0
    if cfg[BROKE] == LOSE and (own == 0 or other == 0):
        return -1.0 if own == 0 else 1.0
    if own == 0 and other == 0:
        if cfg[BOTH_BROKE] == DRAW or (cfg[TIE] == ALTERNATE and price == 0):
            return 0.0
        if rounds == 0:
            return _walk(cfg, at, holder)
    if rounds == 1:
        return 0.0  # the limit
    return values[_index(cfg, book, rounds - 1, own, other, at, holder)]


def _walk(cfg: Cfg, at: int, holder: int) -> float:
    """The value when both play on without money: every bid is 0, and ties move the bottle."""
    if cfg[TIE] == HOLDER:
        return 1.0 - 2.0 * holder
    if cfg[TIE] == COIN:  # where a fair coin walks the bottle
        return 1.0 - 2.0 * at / cfg[LENGTH]
    if holder == 0:
        return 1.0 if at == 1 else 0.0
    return -1.0 if at == cfg[LENGTH] - 1 else 0.0


def rounds_into(
    cfg: Cfg,
    book: Numbers,
    values: Values,
    position: int,
    won: Values,
    lost: Values,
    tied: Values,
) -> tuple[int, int]:
    """The value after player 0 wins with a bid, loses to one, or ties; both players' money.

    won[x], x up to his money; lost[y], y up to the other's; tied[z], z up to both.
    """
    rounds, own, other, at, holder = _parts(cfg, book, position)
    back = 1 if cfg[PAYMENT] == OPPONENT else 0  # does the loser of a round get the price?
    for x in range(min(own, 1), own + 1):
        won[x] = _after(cfg, book, values, rounds, own - x, other + back * x, at - 1, holder, x)
    for y in range(min(other, 1), other + 1):
        lost[y] = _after(cfg, book, values, rounds, own + back * y, other - y, at + 1, holder, y)
    passed = 1 - holder if cfg[TIE] == ALTERNATE else holder
    for z in range(max(min(own, 1), min(other, 1)), min(own, other) + 1):
        if cfg[TIE] == COIN:
            tied[z] = 0.5 * (won[z] + lost[z])
        elif holder == 0:
            tied[z] = _after(
                cfg, book, values, rounds, own - z, other + back * z, at - 1, passed, z
            )
        else:
            tied[z] = _after(
                cfg, book, values, rounds, own + back * z, other - z, at + 1, passed, z
            )
    return own, other


def guarantees(
    own: int, other: int, won: Values, lost: Values, tied: Values, floors: Values, ceilings: Values
) -> tuple[float, float]:
    """What each bid of player 0 guarantees, what each of player 1 concedes; the best of both."""
    least, least_reply = min(own, 1), min(other, 1)
    low, worst = -np.inf, np.inf  # worst: after losing to a bid above x
    for y in range(other, own, -1):
        worst = min(worst, lost[y])
    for x in range(own, least - 1, -1):
        floor = worst
        if x > least_reply:
            floor = min(floor, won[x])
        if least_reply <= x <= other:
            floor = min(floor, tied[x])
            worst = min(worst, lost[x])
        floors[x] = floor
        low = max(low, floor)
    high, best = np.inf, -np.inf  # best: after winning with a bid above y
    for x in range(own, other, -1):
        best = max(best, won[x])
    for y in range(other, least_reply - 1, -1):
        ceiling = best
        if y > least:
            ceiling = max(ceiling, lost[y])
        if least <= y <= own:
            ceiling = max(ceiling, tied[y])
            best = max(best, won[y])
        ceilings[y] = ceiling
        high = min(high, ceiling)
    return low, high


def bids_matrix(
    own: int, other: int, won: Values, lost: Values, tied: Values
) -> NDArray[np.float64]:
    """The matrix game of all bids, from the lowest."""
    first, second = min(own, 1), min(other, 1)
    matrix = np.empty((own - first + 1, other - second + 1))
    for x in range(first, own + 1):
        for y in range(second, other + 1):
            result = won[x] if x > y else (lost[y] if y > x else tied[x])
            matrix[x - first, y - second] = result
    return matrix


def over_before(cfg: Cfg, book: Numbers, position: int) -> bool:
    """Is this a position in which nobody is ever asked, because the game has ended?"""
    rounds, own, other, _, _ = _parts(cfg, book, position)
    if cfg[BROKE] == LOSE and (own == 0 or other == 0):
        return True
    return own == 0 and other == 0 and (cfg[BOTH_BROKE] == DRAW or rounds == 0)


def solve_range(cfg: Cfg, book: Numbers, values: Values, first: int, last: int) -> int:
    """Write the values of the positions from `first` to `last` - 1; how many need mixed bids."""
    cfg, book, values = borrow(cfg), borrow(book), borrow(values)
    most = cfg[PURSE] + cfg[PURSE + 1] + 2
    arrays = np.empty((5, most))
    rows = borrow(arrays)
    won, lost, tied, floors, ceilings = rows[0], rows[1], rows[2], rows[3], rows[4]
    mixed = 0
    for position in range(first, last):
        if over_before(cfg, book, position):
            _, own, other, at, holder = _parts(cfg, book, position)
            values[position] = _ended(cfg, own, other, at, holder)
            continue
        own, other = rounds_into(cfg, book, values, position, won, lost, tied)
        low, high = guarantees(own, other, won, lost, tied, floors, ceilings)
        if low == high:
            values[position] = low
        else:
            mixed += 1
            matrix = bids_matrix(own, other, won, lost, tied)
            row, column = np.empty(matrix.shape[0]), np.empty(matrix.shape[1])
            values[position], _ = solve_into(matrix, row, column)
    keep(arrays)
    return mixed


def _ended(cfg: Cfg, own: int, other: int, at: int, holder: int) -> float:
    """What a position that is over is worth."""
    if cfg[BROKE] == LOSE:
        return -1.0 if own == 0 else 1.0
    return 0.0 if cfg[BOTH_BROKE] == DRAW else _walk(cfg, at, holder)


def worths(
    cfg: Cfg,
    book: Numbers,
    values: Values,
    position: int,
    player: int,
    replies: Values,
    out: Values,
) -> None:
    """Every bid against a distribution of the other's, by running sums; see `positions.py`."""
    out[:] = np.nan
    if over_before(cfg, book, position):
        _, own, other, at, holder = _parts(cfg, book, position)
        out[0] = _ended(cfg, own, other, at, holder)
        return
    arrays = np.empty((3, cfg[PURSE] + cfg[PURSE + 1] + 2))
    rows = borrow(arrays)
    won, lost, tied = rows[0], rows[1], rows[2]
    own, other = rounds_into(cfg, book, values, position, won, lost, tied)
    mine, his = (own, other) if player == 0 else (other, own)
    ahead, behind = (won, lost) if player == 0 else (lost, won)
    least, least_reply = min(mine, 1), min(his, 1)
    below = 0.0  # how likely the reply is lower than the bid
    for y in range(least_reply, min(least, his + 1)):
        below += replies[y]
    for x in range(least, mine + 1):
        out[x] = below * ahead[x] if x > least_reply else 0.0
        if least_reply <= x <= his:
            below += replies[x]
            out[x] += replies[x] * tied[x]
    outbid = 0.0  # what higher replies come to
    for y in range(his, mine, -1):
        outbid += replies[y] * behind[y]
    for x in range(mine, least - 1, -1):
        out[x] += outbid
        if least_reply <= x <= his:
            outbid += replies[x] * behind[x]
    keep(arrays)


def response_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    """Plays from a table of actions: all positions of seat 0, then those of seat 1."""
    table = values_of(params)
    return int(table[player * (len(table) // 2) + find(cfg, book_of(params), state)])
