"""The rules of Coins, in the order the game is played.

Coins lie on a board; the players take turns, each taking coins of one line. The player who takes
the last coin loses (or wins, or the points of the coins decide). A position is one integer, a bit
per coin. A move takes one of the segments that `lines.py` lists; it is legal if all its coins are
still on the board.
"""

from __future__ import annotations

from bidarena.envs.game import OVER, Cfg, Mask, Observation, Returns, Rng, State, layout, starts
from bidarena.envs.rng import below

# cfg: one number per option, then the segments and the points of the coins
C = starts(
    layout(
        coins=1,  # how many coins the board has
        segments=1,  # how many segments can be taken
        last_coin=1,
        score=1,
        reward=1,
        last_bonus=1,
        colours=1,  # whether the coins have points, and where these come from
        brightest=1,  # the most points, or negative points, of a coin
        unit=1,  # the most that a player can be ahead
        takes=1,  # the first of the segments' bit masks; the points of each coin follow
    )
)

# values of options, in the order of their names in env.py
LOSES, WINS = 0, 1  # last_coin
LAST, POINTS = 0, 1  # score
OUTCOME, MARGIN = 0, 1  # reward
PLAIN, FIXED, SEEDED = 0, 1, 2  # colours: no points, points from `values`, drawn for each game

PALETTE = (-2, -1, 1, 2, 3)  # what coins are worth when colours are drawn
CHEAPEST = -2


def state_layout(coins: int, coloured: bool) -> dict[str, slice]:
    """Return the parts of the state; a coloured board adds the points of players and of coins."""
    plain = {"board": 1, "mover": 1, "last_move": 1}
    return layout(**plain, **({"points": 2, "values": coins} if coloured else {}))


S = starts(state_layout(coins=1, coloured=True))  # each part begins there whatever the board


def observation_layout(coins: int, coloured: bool) -> dict[str, slice]:
    """Return the parts of the observation."""
    plain = {"coins": coins, "own_turn": 1}
    return layout(**plain, **({"values": coins, "points": 2} if coloured else {}))


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Lay out all coins and draw their points if colours are drawn; player 0 begins."""
    coins = cfg[C.coins]
    state[S.board] = (1 << coins) - 1
    state[S.mover] = 0
    state[S.last_move] = -1
    if cfg[C.colours] != PLAIN:
        state[S.points] = 0
        state[S.points + 1] = 0
        for coin in range(coins):
            value = cfg[C.takes + cfg[C.segments] + coin]
            if cfg[C.colours] == SEEDED:  # the palette has no 0
                value = CHEAPEST + below(rng, len(PALETTE))
                if value >= 0:
                    value += 1
            state[S.values + coin] = value


def to_move(cfg: Cfg, state: State) -> int:
    """Return the player to move; the players take turns until no coin is left."""
    return state[S.mover] if state[S.board] != 0 else OVER


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Allow every segment whose coins are all on the board; so a gap ends a run."""
    taken = ~state[S.board]
    for action in range(len(mask)):
        mask[action] = (cfg[C.takes + action] & taken) == 0


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Take the coins of a segment, and their points."""
    take = cfg[C.takes + action]
    mover = state[S.mover]
    state[S.board] ^= take
    state[S.mover] = 1 - mover
    state[S.last_move] = action
    if cfg[C.colours] != PLAIN:
        state[S.points + mover] += points_of(cfg, state, take)
        if state[S.board] == 0:
            state[S.points + mover] += cfg[C.last_bonus]


def points_of(cfg: Cfg, state: State, take: int) -> int:
    """Return the points of the coins in `take`; 0 on a plain board."""
    if cfg[C.colours] == PLAIN:
        return 0
    points = 0
    for coin in range(cfg[C.coins]):
        points += (take >> coin & 1) * state[S.values + coin]
    return points


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write +1 for the winner and -1 for the loser; by points also 0 for both, or the margin."""
    if cfg[C.score] == LAST:
        taker = 1 - state[S.mover]
        winner = taker if cfg[C.last_coin] == WINS else 1 - taker
        out[0] = 1.0 if winner == 0 else -1.0
    else:
        ahead = state[S.points] - state[S.points + 1]
        if cfg[C.reward] == MARGIN:
            out[0] = ahead / cfg[C.unit]
        else:
            out[0] = 1.0 if ahead > 0 else (-1.0 if ahead < 0 else 0.0)
    out[1] = -out[0]


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Write a bit per coin and whose turn it is; on coloured boards the points and both totals."""
    coins = cfg[C.coins]
    board = state[S.board]
    for coin in range(coins):
        out[coin] = (board >> coin) & 1
    out[coins] = 1.0 if board != 0 and state[S.mover] == player else 0.0
    if cfg[C.colours] != PLAIN:
        for coin in range(coins):
            out[coins + 1 + coin] = (board >> coin & 1) * state[S.values + coin] / cfg[C.brightest]
        out[2 * coins + 1] = state[S.points + player] / cfg[C.unit]
        out[2 * coins + 2] = state[S.points + 1 - player] / cfg[C.unit]


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Change nothing, because nothing is hidden."""


def signature(cfg: Cfg, state: State, player: int) -> int:
    """Return the coins that are left; who took which, and their points, follows move by move."""
    return state[S.board]
