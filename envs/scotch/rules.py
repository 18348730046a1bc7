"""The rules of Scotch, in the order the game is played.

A bottle stands on a line 0..length; player 0 sits at 0, player 1 at length. Each round both bid in
secret; the higher bid pulls the bottle one step toward its bidder, who pays.
"""

from __future__ import annotations

from bidarena.envs.bidding import (
    ALTERNATE,
    COIN,
    HOLDER,
    OPPONENT,
    guessed_bid,
    next_holder,
    outcome_returns,
    round_winner,
)
from bidarena.envs.game import CUT_SHORT, OVER, Cfg, Mask, Observation, Returns, Rng, State, layout
from bidarena.envs.rng import below

# cfg: one number per option
LENGTH, START = 0, 1
PURSE = 2  # two numbers: the money each player starts with
PAYMENT, TIE, BOTH_BROKE, BROKE, KNOW, MAX_ROUNDS, LARGEST = 4, 5, 6, 7, 8, 9, 10

# values of options, in the order of the words in env.py; payment and tie are in bidding.py
DRAW, PLAY_ON = 0, 1  # both_broke
BID_ZERO, LOSE = 0, 1  # broke

STATE = layout(
    position=1,
    money=2,
    advantage=1,  # who wins the next tie; -1 when a coin decides
    round=1,
    pending=1,  # player 0's bid while player 1 has not bid; -1 before
    outcome=1,  # RUNNING, the winner, DRAWN or UNDECIDED
    last_bids=2,  # of the round before, for drawing; -1 before the first
    last_winner=1,  # who won it; -1 before the first
    low=2,  # what can be known of each player's money by counting: at least this ...
    high=2,  # ... and at most this; kept only where money is hidden
)
POSITION = STATE["position"].start
MONEY = STATE["money"].start
ADVANTAGE = STATE["advantage"].start
ROUND = STATE["round"].start
PENDING = STATE["pending"].start
OUTCOME = STATE["outcome"].start
LAST_BIDS = STATE["last_bids"].start
LAST_WINNER = STATE["last_winner"].start
LOW = STATE["low"].start
HIGH = STATE["high"].start

RUNNING, DRAWN, UNDECIDED = -1, 2, 3  # outcomes beside the winner's number

OBSERVATION = layout(money=1, opponent_high=1, opponent_low=1, distance=1, advantage=1)


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Put the bottle on its start and hand out the money; player 0 holds the draw advantage."""
    state[POSITION] = cfg[START]
    state[ADVANTAGE] = -1 if cfg[TIE] == COIN else 0
    state[ROUND] = 0
    state[PENDING] = -1
    state[OUTCOME] = RUNNING
    state[LAST_WINNER] = -1
    for player in range(2):
        state[MONEY + player] = cfg[PURSE + player]
        state[LAST_BIDS + player] = -1
        state[LOW + player] = cfg[PURSE + player]
        state[HIGH + player] = cfg[PURSE + player]


def to_move(cfg: Cfg, state: State) -> int:
    """Player 0 commits his bid first, player 1 then, without seeing it."""
    if state[OUTCOME] != RUNNING:
        return CUT_SHORT if state[OUTCOME] == UNDECIDED else OVER
    return 0 if state[PENDING] < 0 else 1


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """From 1 to all one's money; exactly 0 without money."""
    player = 0 if state[PENDING] < 0 else 1
    money = state[MONEY + player]
    mask[:] = 0
    mask[min(money, 1) : money + 1] = 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Commit a bid; when both are in, play the round."""
    if state[PENDING] < 0:
        state[PENDING] = action
    else:
        _play_round(cfg, state, state[PENDING], action, rng)


def _play_round(cfg: Cfg, state: State, bid0: int, bid1: int, rng: Rng) -> None:
    holder = state[ADVANTAGE]
    winner = round_winner(cfg[TIE], holder, bid0, bid1, rng)
    state[ADVANTAGE] = next_holder(cfg[TIE], holder, bid0, bid1)
    price = max(bid0, bid1)
    state[MONEY + winner] -= price
    if cfg[PAYMENT] == OPPONENT:
        state[MONEY + 1 - winner] += price
    state[POSITION] += 2 * winner - 1
    state[ROUND] += 1
    state[PENDING] = -1
    state[LAST_BIDS] = bid0
    state[LAST_BIDS + 1] = bid1
    state[LAST_WINNER] = winner
    state[OUTCOME] = _outcome(cfg, state, price)

    if not cfg[KNOW]:
        _count_money(cfg, state, 0, bid0, winner, holder, bid0 == bid1)
        _count_money(cfg, state, 1, bid1, winner, holder, bid0 == bid1)


def _outcome(cfg: Cfg, state: State, price: int) -> int:
    """How the game stands after a round that cost `price`."""
    if state[POSITION] == 0:
        return 0
    if state[POSITION] == cfg[LENGTH]:
        return 1
    broke0 = state[MONEY] == 0
    broke1 = state[MONEY + 1] == 0
    if cfg[BROKE] == LOSE and (broke0 or broke1):
        return 1 if broke0 else 0
    if broke0 and broke1:
        if cfg[BOTH_BROKE] == DRAW:
            return DRAWN
        if cfg[TIE] == ALTERNATE and price == 0:
            return DRAWN  # the advantage goes to and fro, and the bottle with it, for ever
    if state[ROUND] >= cfg[MAX_ROUNDS]:
        return UNDECIDED
    return RUNNING


def _count_money(
    cfg: Cfg, state: State, player: int, bid: int, winner: int, holder: int, tied: bool
) -> None:
    """What `player`, who bid `bid`, can work out of the other's money from how the round went.

    He sees who won and whether the advantage passed, never the other's bid. All he can know is an
    interval, because the other may always have paid anything that was enough.
    """
    other = 1 - player
    low = state[LOW + other]
    high = state[HIGH + other]
    if cfg[PAYMENT] == OPPONENT:
        low = high = cfg[PURSE] + cfg[PURSE + 1] - state[MONEY + player]
    elif tied and cfg[TIE] == ALTERNATE:  # the advantage passed: both bid the same
        if bid == 0:
            low = high = 0
        else:
            low = max(low, bid)
            if winner == other:
                low -= bid
                high -= bid
    elif winner == other:  # he bid more, or won a tie that shows no sign
        may_have_tied = cfg[TIE] == COIN or (cfg[TIE] == HOLDER and holder == other)
        least = bid if may_have_tied else bid + 1
        low = 0
        high = max(high - max(least, 1), 0)
    else:
        may_have_tied = cfg[TIE] == COIN or (cfg[TIE] == HOLDER and holder == player)
        if bid == 0 or (bid == 1 and not may_have_tied):
            low = high = 0  # only a player without money bids nothing
    if state[OUTCOME] == RUNNING or state[OUTCOME] == UNDECIDED:
        if cfg[BROKE] == LOSE or (cfg[BOTH_BROKE] == DRAW and state[MONEY + player] == 0):
            low = max(low, 1)  # otherwise the game would have ended
    elif 0 < state[POSITION] < cfg[LENGTH] and state[OUTCOME] != other:
        low = high = 0  # a draw, or the other lost without the bottle: for want of money
    state[LOW + other] = low
    state[HIGH + other] = high


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """+1 for having the bottle, -1 for the other, 0 each for a draw."""
    outcome_returns(state[OUTCOME], out)


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Own money, the other's (or what counting tells of it), the bottle's distance, advantage."""
    other = 1 - player
    scale = 1.0 / cfg[LARGEST]
    out[0] = state[MONEY + player] * scale
    if cfg[KNOW]:
        out[1] = state[MONEY + other] * scale
        out[2] = out[1]
    else:
        out[1] = state[HIGH + other] * scale
        out[2] = state[LOW + other] * scale
    distance = state[POSITION] if player == 0 else cfg[LENGTH] - state[POSITION]
    out[3] = distance / cfg[LENGTH]
    holder = state[ADVANTAGE]
    out[4] = 0.5 if holder < 0 else (1.0 if holder == player else 0.0)


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Guess the other's committed bid and, where money is hidden, his money."""
    other = 1 - player
    if not cfg[KNOW]:
        low = state[LOW + other]
        own = state[MONEY + player]
        state[MONEY + other] = low + below(rng, state[HIGH + other] - low + 1)
        # What the other makes of our money follows from bids of his that we never saw.
        state[LOW + player] = below(rng, own + 1)
        state[HIGH + player] = own + below(rng, cfg[LARGEST] - own + 1)
        state[LAST_BIDS + other] = -1
    if player == 1 and state[PENDING] >= 0:
        state[PENDING] = guessed_bid(state[MONEY], rng)


def withdraw(cfg: Cfg, state: State) -> None:
    """Take back the bid that waits."""
    state[PENDING] = -1
