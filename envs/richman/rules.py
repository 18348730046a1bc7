"""The rules of RichmanGraph, in the order the game is played.

A token stands on a vertex of a directed graph; two vertices are targets, one of each player. Each
round both bid in secret; the higher bid is paid, and its bidder moves the token along an edge.
"""

from __future__ import annotations

from bidarena.envs.bidding import (
    COIN,
    OPPONENT,
    guessed_bid,
    next_holder,
    outcome_returns,
    round_winner,
)
from bidarena.envs.game import CUT_SHORT, OVER, Cfg, Mask, Observation, Returns, Rng, State, layout

# cfg: one number per option, then the graph
VERTICES, START = 0, 1
TARGETS = 2  # two numbers: where player 0 and player 1 want the token
PURSE = 4  # two numbers: the money each player starts with
PAYMENT, TIE, MAX_ROUNDS, LARGEST = 6, 7, 8, 9
EDGES = 10  # vertices + 1 numbers: cfg[cfg[EDGES + v] : cfg[EDGES + v + 1]] are the successors of v

STATE = layout(
    vertex=1,
    money=2,
    advantage=1,  # who wins the next tie; -1 when a coin decides
    round=1,  # rounds finished, the move of the token included
    decision=1,  # one more when bids are opened and when a successor is chosen
    pending=1,  # player 0's bid while player 1 has not bid; -1 before
    chooser=1,  # who moves the token now; -1 while the players bid
    outcome=1,  # RUNNING, the winner, DRAWN or UNDECIDED
    last_bids=2,  # opened last, for drawing; -1 before the first
    last_winner=1,  # who won them; -1 before the first
)
VERTEX = STATE["vertex"].start
MONEY = STATE["money"].start
ADVANTAGE = STATE["advantage"].start
ROUND = STATE["round"].start
DECISION = STATE["decision"].start
PENDING = STATE["pending"].start
CHOOSER = STATE["chooser"].start
OUTCOME = STATE["outcome"].start
LAST_BIDS = STATE["last_bids"].start
LAST_WINNER = STATE["last_winner"].start

RUNNING, DRAWN, UNDECIDED = -1, 2, 3  # outcomes beside the winner's number

# the observation: seven numbers, then three blocks with one number per vertex
OWN, OTHER, HOLDS, BIDDING, CHOOSING, OTHER_CHOOSING, SEAT, TOKEN = range(8)


def observation(vertices: int) -> dict[str, slice]:
    """The parts of the observation on a graph of that many vertices."""
    return layout(
        money=1,
        opponent_money=1,
        advantage=1,
        phase=3,  # bidding, own choice, the opponent's choice
        seat=1,
        token=vertices,
        own_target=vertices,
        opponent_target=vertices,
    )


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Put the token on its start and hand out the money; player 0 holds the draw advantage."""
    state[VERTEX] = cfg[START]
    state[ADVANTAGE] = -1 if cfg[TIE] == COIN else 0
    state[ROUND] = 0
    state[DECISION] = 0
    state[PENDING] = -1
    state[CHOOSER] = -1
    state[OUTCOME] = RUNNING
    state[LAST_WINNER] = -1
    for player in range(2):
        state[MONEY + player] = cfg[PURSE + player]
        state[LAST_BIDS + player] = -1


def to_move(cfg: Cfg, state: State) -> int:
    """Player 0 commits his bid first, player 1 then, without seeing it; the winner moves."""
    if state[OUTCOME] != RUNNING:
        return CUT_SHORT if state[OUTCOME] == UNDECIDED else OVER
    if state[CHOOSER] >= 0:
        return state[CHOOSER]
    return 0 if state[PENDING] < 0 else 1


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Bids from 1 to all one's money, exactly 0 without money; then the successors."""
    mask[:] = 0
    if state[CHOOSER] >= 0:
        vertex = state[VERTEX]
        for edge in range(cfg[EDGES + vertex], cfg[EDGES + vertex + 1]):
            mask[cfg[LARGEST] + 1 + cfg[edge]] = 1
        return
    money = state[MONEY + (0 if state[PENDING] < 0 else 1)]
    if money == 0:
        mask[0] = 1
    else:
        mask[1 : money + 1] = 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Commit a bid and, when both are in, open them; or move the token."""
    if state[CHOOSER] >= 0:
        state[DECISION] += 1
        state[CHOOSER] = -1
        _move_token(cfg, state, action - cfg[LARGEST] - 1)
    elif state[PENDING] < 0:
        state[PENDING] = action
    else:
        _open_bids(cfg, state, state[PENDING], action, rng)


def _open_bids(cfg: Cfg, state: State, bid0: int, bid1: int, rng: Rng) -> None:
    winner = round_winner(cfg[TIE], state[ADVANTAGE], bid0, bid1, rng)
    state[ADVANTAGE] = next_holder(cfg[TIE], state[ADVANTAGE], bid0, bid1)
    price = max(bid0, bid1)
    state[MONEY + winner] -= price
    if cfg[PAYMENT] == OPPONENT:
        state[MONEY + 1 - winner] += price
    state[DECISION] += 1
    state[PENDING] = -1
    state[LAST_BIDS] = bid0
    state[LAST_BIDS + 1] = bid1
    state[LAST_WINNER] = winner

    first = cfg[EDGES + state[VERTEX]]
    if cfg[EDGES + state[VERTEX] + 1] - first == 1:
        _move_token(cfg, state, cfg[first])  # the only way on: nothing to choose
    else:
        state[CHOOSER] = winner


def _move_token(cfg: Cfg, state: State, vertex: int) -> None:
    state[VERTEX] = vertex
    state[ROUND] += 1
    if vertex == cfg[TARGETS]:
        state[OUTCOME] = 0
    elif vertex == cfg[TARGETS + 1]:
        state[OUTCOME] = 1
    elif state[MONEY] == 0 and state[MONEY + 1] == 0:
        state[OUTCOME] = DRAWN
    elif state[ROUND] >= cfg[MAX_ROUNDS]:
        state[OUTCOME] = UNDECIDED


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """+1 for the token on the own target, -1 for the other, 0 each for a draw."""
    outcome_returns(state[OUTCOME], out)


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Both players' money, the advantage, what is being decided, the token and the targets."""
    other = 1 - player
    scale = 1.0 / cfg[LARGEST]
    out[:] = 0.0
    out[OWN] = state[MONEY + player] * scale
    out[OTHER] = state[MONEY + other] * scale
    holder = state[ADVANTAGE]
    out[HOLDS] = 0.5 if holder < 0 else (1.0 if holder == player else 0.0)
    chooser = state[CHOOSER]
    out[BIDDING if chooser < 0 else (CHOOSING if chooser == player else OTHER_CHOOSING)] = 1.0
    out[SEAT] = player
    vertices = cfg[VERTICES]
    out[TOKEN + state[VERTEX]] = 1.0
    out[TOKEN + vertices + cfg[TARGETS + player]] = 1.0
    out[TOKEN + 2 * vertices + cfg[TARGETS + other]] = 1.0


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Guess the other's committed bid; nothing else is hidden."""
    if player == 1 and state[PENDING] >= 0:
        state[PENDING] = guessed_bid(state[MONEY], rng)


def withdraw(cfg: Cfg, state: State) -> None:
    """Take back the bid that waits."""
    state[PENDING] = -1
