"""The rules of Coins, in the order the game is played.

Coins lie on a board; the players take turns, each taking coins of one line. Who takes the last coin
loses (or wins, or the points of the coins decide). A position is one word, a bit per coin, and a
move takes one of the segments that `lines.py` lists; it is legal where all its coins still lie.
"""

from __future__ import annotations

from bidarena.envs.game import OVER, Cfg, Mask, Observation, Returns, Rng, State, layout
from bidarena.envs.rng import below

# cfg: one number per option, then a bit mask per segment, then the points of every coin
COINS, SEGMENTS = 0, 1  # how many
LAST_COIN, SCORE, REWARD, BONUS = 2, 3, 4, 5
COLOURS = 6  # have the coins points, and where are they?
BRIGHTEST = 7  # the most points, or negative points, of a coin
UNIT = 8  # the most that a player can be ahead
TAKES = 9  # from here on the segments

# values of options, in the order of the words in env.py
LOSES, WINS = 0, 1  # last_coin
LAST, POINTS = 0, 1  # score
OUTCOME, MARGIN = 0, 1  # reward
PLAIN, FIXED, SEEDED = 0, 1, 2  # colours: no points, the same in every game, drawn for each game

PALETTE = (-2, -1, 1, 2, 3)  # what coins are worth when colours are drawn
CHEAPEST = -2

BOARD, MOVER, LAST_MOVE = 0, 1, 2  # the state; on a coloured board followed by ...
TOTALS = 3  # ... the points of both players
VALUES = 5  # ... and what every coin is worth


def state_layout(coins: int, coloured: bool) -> dict[str, slice]:
    """The parts of the state."""
    plain = {"board": 1, "mover": 1, "last_move": 1}
    return layout(**plain, **({"points": 2, "values": coins} if coloured else {}))


def observation_layout(coins: int, coloured: bool) -> dict[str, slice]:
    """The parts of the observation."""
    plain = {"coins": coins, "own_turn": 1}
    return layout(**plain, **({"values": coins, "points": 2} if coloured else {}))


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Lay out all coins; player 0 begins."""
    coins = cfg[COINS]
    state[BOARD] = (1 << coins) - 1
    state[MOVER] = 0
    state[LAST_MOVE] = -1
    if cfg[COLOURS] != PLAIN:
        state[TOTALS] = 0
        state[TOTALS + 1] = 0
        for coin in range(coins):
            value = cfg[TAKES + cfg[SEGMENTS] + coin]
            if cfg[COLOURS] == SEEDED:  # the palette has no 0
                value = CHEAPEST + below(rng, len(PALETTE))
                if value >= 0:
                    value += 1
            state[VALUES + coin] = value


def to_move(cfg: Cfg, state: State) -> int:
    """The players take turns until no coin is left."""
    return state[MOVER] if state[BOARD] != 0 else OVER


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """A segment can be taken when all its coins lie there; so a gap ends a run."""
    taken = ~state[BOARD]
    for action in range(len(mask)):
        mask[action] = (cfg[TAKES + action] & taken) == 0


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Take the coins of a segment, and their points."""
    take = cfg[TAKES + action]
    mover = state[MOVER]
    state[BOARD] ^= take
    state[MOVER] = 1 - mover
    state[LAST_MOVE] = action
    if cfg[COLOURS] != PLAIN:
        for coin in range(cfg[COINS]):
            if take >> coin & 1:
                state[TOTALS + mover] += state[VALUES + coin]
        if state[BOARD] == 0:
            state[TOTALS + mover] += cfg[BONUS]


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """By the last coin: +1 to the winner, -1 to the loser; by points: also 0 each, or a margin."""
    if cfg[SCORE] == LAST:
        taker = 1 - state[MOVER]
        winner = taker if cfg[LAST_COIN] == WINS else 1 - taker
        out[0] = 1.0 if winner == 0 else -1.0
    else:
        ahead = state[TOTALS] - state[TOTALS + 1]
        if cfg[REWARD] == MARGIN:
            out[0] = ahead / cfg[UNIT]
        else:
            out[0] = 1.0 if ahead > 0 else (-1.0 if ahead < 0 else 0.0)
    out[1] = -out[0]


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """A bit per coin, whose turn it is, and where coins have points: these, and both totals."""
    coins = cfg[COINS]
    board = state[BOARD]
    for coin in range(coins):
        out[coin] = (board >> coin) & 1
    out[coins] = 1.0 if board != 0 and state[MOVER] == player else 0.0
    if cfg[COLOURS] != PLAIN:
        for coin in range(coins):
            out[coins + 1 + coin] = (board >> coin & 1) * state[VALUES + coin] / cfg[BRIGHTEST]
        out[2 * coins + 1] = state[TOTALS + player] / cfg[UNIT]
        out[2 * coins + 2] = state[TOTALS + 1 - player] / cfg[UNIT]


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Nothing is hidden."""
