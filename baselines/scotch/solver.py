"""Scotch solved exactly: the value of every position, and the bids that keep it.

What makes this fast: for a player's bid x, the other's bid y matters only in whether it is lower
(the player wins and pays x), equal, or higher (the other wins and pays y). So what x guarantees is
the least of three numbers: the value after winning with x, the value after a tie at x, and the
least value after losing to any y > x, which is a running minimum. All guarantees of a position
together take as many steps as there are bids, without any matrix. Where the best guarantees of both
players are equal, both have a pure optimal bid; elsewhere the matrix of bids is solved
(`matrix.py`).

Money paid to the bank is gone, so positions are solved from little money to much. Where the winner
pays the loser, or a limit of rounds was asked for, the rounds left are part of the position, and
the layers are solved from the last round back until nothing changes any more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.matrix import solve_into
from bidarena.baselines.solvers.positions import Numbers, PositionIndex, Values
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, Mask, State
from bidarena.envs.scotch.rules import ALTERNATE, COIN, DRAW, HOLDER, LOSE, OPPONENT, RUNNING, C, S

MOST_POSITIONS = 20_000_000  # in an index; each takes 8 bytes in every table made from it
MOST_WORK = 2_000_000_000  # the most positions of a round times bids

# The numbers of the index: how many rounds it tells apart (0: the rounds do not matter), how many
# amounts of money of player 0 and of player 1 (1 if it follows from player 0's), how many holders.
ROUNDS, AMOUNTS0, AMOUNTS1, HOLDERS = 0, 1, 2, 3
_COLUMNS = 4


def limited(game: Game) -> bool:
    """Return whether the limit of rounds can cut a game short."""
    cfg = game.cfg
    if cfg[C.payment] == OPPONENT:
        return True
    if endless_coin(game):
        # Without money a coin moves the bottle. The chance that no end is reached in n rounds is
        # below cos(pi / length)^n x length, which must not matter.
        spare = int(cfg[C.max_rounds]) - int(cfg[C.money] + cfg[C.money + 1])
        still = int(cfg[C.length]) * np.cos(np.pi / int(cfg[C.length])) ** max(spare, 0)
        return bool(still > 1e-15)
    return bool(cfg[C.max_rounds] < cfg[C.money] + cfg[C.money + 1] + cfg[C.length])


def endless_coin(game: Game) -> bool:
    """Return whether a coin moves the bottle when both players are without money."""
    return bool(game.cfg[C.both_broke] != DRAW and game.cfg[C.tie] == COIN)


def index_positions(game: Game, rounds: int | None = None) -> PositionIndex:
    """Return the index of positions of a game; raise ValueError if there are too many.

    Args:
        game: Scotch with known money of the opponent.
        rounds: how many rounds to tell apart if rounds are limited; None: all.
    """
    cfg = game.cfg
    if not cfg[C.know_opponent_money]:
        raise ValueError(
            "know_opponent_money=False: the positions of such a game are what the players believe; "
            "only games with known money are solved"
        )
    layers = (int(cfg[C.max_rounds]) if rounds is None else rounds) if limited(game) else 0
    total = int(cfg[C.money] + cfg[C.money + 1])
    richman = cfg[C.payment] == OPPONENT
    amounts0 = total + 1 if richman else int(cfg[C.money]) + 1
    amounts1 = 1 if richman else int(cfg[C.money + 1]) + 1
    holders = 1 if cfg[C.tie] == COIN else 2
    each = amounts0 * amounts1 * (int(cfg[C.length]) - 1) * holders
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
    start = _index(cfg, numbers, layers, cfg[C.money], cfg[C.money + 1], cfg[C.start], 0)
    first_of_layers = tuple(each * layer for layer in range(max(layers, 1) + 1))
    return index_from(game, numbers, first_of_layers, ((int(start), 1.0),))


def index_from(
    game: Game,
    numbers: NDArray[np.int64],
    layers: tuple[int, ...],
    starts: tuple[tuple[int, float], ...],
) -> PositionIndex:
    """Return the index whose numbers are already known."""
    return PositionIndex(game, numbers, layers, starts, put, find, worths, spread)


# --- positions -----------------------------------------------------------------------------------


def _index(
    cfg: Cfg, index: Numbers, rounds: int, own: int, other: int, at: int, holder: int
) -> int:
    """Return the number of a position; `rounds` are those left, 0 where they do not matter."""
    amounts1 = int(index[AMOUNTS1])
    number = max(rounds - 1, 0) * int(index[AMOUNTS0]) + own
    number = number * amounts1 + (other if amounts1 > 1 else 0)
    return (number * (cfg[C.length] - 1) + at - 1) * int(index[HOLDERS]) + holder


def _parts(cfg: Cfg, index: Numbers, position: int) -> tuple[int, int, int, int, int]:
    """Return rounds left, both players' money, the bottle's position, the advantage's holder."""
    holders, amounts1 = int(index[HOLDERS]), int(index[AMOUNTS1])
    holder = position % holders
    position //= holders
    at = position % (cfg[C.length] - 1) + 1
    position //= cfg[C.length] - 1
    other = position % amounts1
    position //= amounts1
    own = position % int(index[AMOUNTS0])
    rounds = position // int(index[AMOUNTS0]) + 1 if index[ROUNDS] > 0 else 0
    if cfg[C.payment] == OPPONENT:
        other = cfg[C.money] + cfg[C.money + 1] - own
    return rounds, own, other, at, holder


def put(cfg: Cfg, index: Numbers, position: int, state: State) -> None:
    """Write the state of a position; see `positions.py`."""
    rounds, own, other, at, holder = _parts(cfg, index, position)
    state[S.position] = at
    state[S.money] = own
    state[S.money + 1] = other
    state[S.advantage] = -1 if cfg[C.tie] == COIN else holder
    state[S.round] = cfg[C.max_rounds] - rounds if rounds > 0 else 0
    state[S.pending] = -1
    state[S.outcome] = RUNNING
    state[S.last_winner] = -1
    for player in range(2):
        state[S.last_bids + player] = -1
        state[S.low + player] = state[S.money + player]
        state[S.high + player] = state[S.money + player]


def find(cfg: Cfg, index: Numbers, state: State) -> int:
    """Return the position of a state; see `positions.py`."""
    rounds = min(cfg[C.max_rounds] - state[S.round], int(index[ROUNDS]))
    holder = max(state[S.advantage], 0)
    return _index(cfg, index, rounds, state[S.money], state[S.money + 1], state[S.position], holder)


# --- one round -----------------------------------------------------------------------------------


def _after(
    cfg: Cfg,
    index: Numbers,
    values: Values,
    rounds: int,
    own: int,
    other: int,
    at: int,
    holder: int,
    price: int,
) -> float:
    """Return the value after a round that cost `price`; `rounds` were left before it."""
    if at == 0:
        return 1.0
    if at == cfg[C.length]:
        return -1.0
    if cfg[C.broke] == LOSE and (own == 0 or other == 0):
        return -1.0 if own == 0 else 1.0
    if own == 0 and other == 0:
        if cfg[C.both_broke] == DRAW or (cfg[C.tie] == ALTERNATE and price == 0):
            return 0.0
        if rounds == 0:
            return _walk(cfg, at, holder)
    if rounds == 1:
        return 0.0  # the limit of rounds is reached
    return values[_index(cfg, index, rounds - 1, own, other, at, holder)]


def _walk(cfg: Cfg, at: int, holder: int) -> float:
    """Return the value when both play on without money: bids are 0, and ties move the bottle."""
    if cfg[C.tie] == HOLDER:
        return 1.0 - 2.0 * holder
    if cfg[C.tie] == COIN:  # a fair coin moves the bottle
        return 1.0 - 2.0 * at / cfg[C.length]
    if holder == 0:
        return 1.0 if at == 1 else 0.0
    return -1.0 if at == cfg[C.length] - 1 else 0.0


def rounds_into(
    cfg: Cfg,
    index: Numbers,
    values: Values,
    position: int,
    won: Values,
    lost: Values,
    tied: Values,
) -> tuple[int, int]:
    """Write the values after all rounds that may be played; return both players' money.

    won[x] is the value after player 0 wins with x, lost[y] after player 1 wins with y, tied[z]
    after both bid z.
    """
    rounds, own, other, at, holder = _parts(cfg, index, position)
    back = 1 if cfg[C.payment] == OPPONENT else 0  # 1: the loser of a round gets the price
    for x in range(min(own, 1), own + 1):
        won[x] = _after(cfg, index, values, rounds, own - x, other + back * x, at - 1, holder, x)
    for y in range(min(other, 1), other + 1):
        lost[y] = _after(cfg, index, values, rounds, own + back * y, other - y, at + 1, holder, y)
    passed = 1 - holder if cfg[C.tie] == ALTERNATE else holder
    for z in range(max(min(own, 1), min(other, 1)), min(own, other) + 1):
        if cfg[C.tie] == COIN:
            tied[z] = 0.5 * (won[z] + lost[z])
        elif holder == 0:
            tied[z] = _after(
                cfg, index, values, rounds, own - z, other + back * z, at - 1, passed, z
            )
        else:
            tied[z] = _after(
                cfg, index, values, rounds, own + back * z, other - z, at + 1, passed, z
            )
    return own, other


def guarantees(
    own: int, other: int, won: Values, lost: Values, tied: Values, floors: Values, ceilings: Values
) -> tuple[float, float]:
    """Write what each bid guarantees its bidder; return the best guarantees of both players.

    All are values for player 0: floors[x] is the least that player 0 gets with x, ceilings[y] the
    most that player 0 gets if player 1 bids y.
    """
    low = _guarantees_of_one(own, other, won, lost, tied, 1.0, floors)
    high = _guarantees_of_one(other, own, lost, won, tied, -1.0, ceilings)
    return low, high


def _guarantees_of_one(
    own: int, other: int, won: Values, lost: Values, tied: Values, sign: float, out: Values
) -> float:
    """Write what each bid of one player guarantees them; return the best.

    All values are for player 0; `sign` is -1 for player 1, who wants them low.
    """
    least, least_reply = min(own, 1), min(other, 1)
    best, worst = -np.inf, np.inf  # worst: after losing to a bid above x
    for y in range(other, own, -1):
        worst = min(worst, sign * lost[y])
    for x in range(own, least - 1, -1):
        floor = worst
        if x > least_reply:
            floor = min(floor, sign * won[x])
        if least_reply <= x <= other:
            floor = min(floor, sign * tied[x])
            worst = min(worst, sign * lost[x])
        out[x] = sign * floor
        best = max(best, floor)
    return sign * best


def bids_matrix(
    own: int, other: int, won: Values, lost: Values, tied: Values
) -> NDArray[np.float64]:
    """Return the matrix game of all bids, the lowest first: what player 0 wins."""
    first, second = min(own, 1), min(other, 1)
    matrix = np.empty((own - first + 1, other - second + 1))
    for x in range(first, own + 1):
        for y in range(second, other + 1):
            result = won[x] if x > y else (lost[y] if y > x else tied[x])
            matrix[x - first, y - second] = result
    return matrix


def over_before(cfg: Cfg, index: Numbers, position: int) -> bool:
    """Return whether the game is over in a position, so that nobody bids in it."""
    rounds, own, other, _, _ = _parts(cfg, index, position)
    if cfg[C.broke] == LOSE and (own == 0 or other == 0):
        return True
    return own == 0 and other == 0 and (cfg[C.both_broke] == DRAW or rounds == 0)


def solve_range(cfg: Cfg, index: Numbers, values: Values, first: int, last: int) -> int:
    """Write the values of the positions `first` to `last` - 1; return how many need mixed bids."""
    cfg, index, values = borrow(cfg), borrow(index), borrow(values)
    most = cfg[C.money] + cfg[C.money + 1] + 2
    arrays = np.empty((5, most))
    rows = borrow(arrays)
    won, lost, tied, floors, ceilings = rows[0], rows[1], rows[2], rows[3], rows[4]
    mixed = 0
    for position in range(first, last):
        if over_before(cfg, index, position):
            _, own, other, at, holder = _parts(cfg, index, position)
            values[position] = _ended(cfg, own, other, at, holder)
            continue
        own, other = rounds_into(cfg, index, values, position, won, lost, tied)
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
    """Return the value of a position in which the game is over."""
    if cfg[C.broke] == LOSE:
        return -1.0 if own == 0 else 1.0
    return 0.0 if cfg[C.both_broke] == DRAW else _walk(cfg, at, holder)


def worths(
    cfg: Cfg,
    index: Numbers,
    values: Values,
    position: int,
    player: int,
    replies: Values,
    out: Values,
) -> None:
    """Write the worth of every bid against a distribution of replies; see `positions.py`.

    Running sums make this as fast as one pass over the bids.
    """
    out[:] = np.nan
    if over_before(cfg, index, position):
        _, own, other, at, holder = _parts(cfg, index, position)
        out[0] = _ended(cfg, own, other, at, holder)
        return
    arrays = np.empty((3, cfg[C.money] + cfg[C.money + 1] + 2))
    rows = borrow(arrays)
    won, lost, tied = rows[0], rows[1], rows[2]
    own, other = rounds_into(cfg, index, values, position, won, lost, tied)
    most, most_reply = (own, other) if player == 0 else (other, own)
    ahead, behind = (won, lost) if player == 0 else (lost, won)
    least, least_reply = min(most, 1), min(most_reply, 1)
    below = 0.0  # how likely the reply is lower than the bid
    for y in range(least_reply, min(least, most_reply + 1)):
        below += replies[y]
    for x in range(least, most + 1):
        out[x] = below * ahead[x] if x > least_reply else 0.0
        if least_reply <= x <= most_reply:
            below += replies[x]
            out[x] += replies[x] * tied[x]
    outbid = 0.0  # the sum over all higher replies
    for y in range(most_reply, most, -1):
        outbid += replies[y] * behind[y]
    for x in range(most, least - 1, -1):
        out[x] += outbid
        if least_reply <= x <= most_reply:
            outbid += replies[x] * behind[x]
    keep(arrays)


def spread(
    cfg: Cfg, index: Numbers, position: int, player: int, replies: Values, reached: Mask
) -> None:
    """Mark the positions that may follow a position; see `positions.py`."""
    if over_before(cfg, index, position):
        return
    rounds, own, other, at, holder = _parts(cfg, index, position)
    passed = 1 - holder if cfg[C.tie] == ALTERNATE else holder
    most, most_reply = (own, other) if player == 0 else (other, own)
    for y in range(min(most_reply, 1), most_reply + 1):
        if replies[y] == 0.0:
            continue
        for x in range(min(most, 1), most + 1):
            price = max(x, y)
            if x != y:
                winner = player if x > y else 1 - player
                _mark(cfg, index, rounds, own, other, at, holder, winner, price, reached)
            elif cfg[C.tie] == COIN:
                for winner in range(2):
                    _mark(cfg, index, rounds, own, other, at, holder, winner, price, reached)
            else:
                _mark(cfg, index, rounds, own, other, at, passed, holder, price, reached)


def _mark(
    cfg: Cfg,
    index: Numbers,
    rounds: int,
    own: int,
    other: int,
    at: int,
    holder: int,
    winner: int,
    price: int,
    reached: Mask,
) -> None:
    """Mark the position after a player has won a round, unless the game is over there."""
    back = price if cfg[C.payment] == OPPONENT else 0
    own += -price if winner == 0 else back
    other += -price if winner == 1 else back
    at += -1 if winner == 0 else 1
    if 0 < at < cfg[C.length] and rounds != 1:
        reached[_index(cfg, index, rounds - 1, own, other, at, holder)] = 1
