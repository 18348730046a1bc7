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
from bidarena.envs.game import (
    CUT_SHORT,
    OVER,
    Cfg,
    Mask,
    Observation,
    Returns,
    Rng,
    State,
    layout,
    starts,
)
from bidarena.envs.rng import below

# cfg: one number per option, and for money one per player
C = starts(
    layout(
        length=1,  # the line is 0..length
        start=1,
        money=2,
        payment=1,
        tie=1,
        both_broke=1,
        broke=1,
        know_opponent_money=1,
        max_rounds=1,
        largest=1,  # the most money that a player can come to have
    )
)

# values of options, in the order of their names in env.py; payment and tie are in bidding.py
DRAW, PLAY_ON = 0, 1  # both_broke
BID_ZERO, LOSE = 0, 1  # broke

STATE = layout(
    position=1,
    money=2,
    advantage=1,  # who wins the next tie; -1 when a coin decides
    round=1,
    pending=1,  # player 0's bid while player 1 has not bid; -1 before
    outcome=1,  # RUNNING, the winner, DRAWN or UNDECIDED
    last_bids=2,  # the bids of the last round, for drawing; -1 before the first round
    last_winner=1,  # who won the last round; -1 before the first round
    low=2,  # the least money of each player that the other can work out by counting
    high=2,  # the most; both are kept up only where money is hidden
)
S = starts(STATE)

RUNNING, DRAWN, UNDECIDED = -1, 2, 3  # outcomes beside the winner's number

OBSERVATION = layout(money=1, opponent_high=1, opponent_low=1, distance=1, advantage=1)
V = starts(OBSERVATION)


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Put the bottle on its start and hand out the money; player 0 holds the draw advantage."""
    state[S.position] = cfg[C.start]
    state[S.advantage] = -1 if cfg[C.tie] == COIN else 0
    state[S.round] = 0
    state[S.pending] = -1
    state[S.outcome] = RUNNING
    state[S.last_winner] = -1
    for player in range(2):
        state[S.money + player] = cfg[C.money + player]
        state[S.last_bids + player] = -1
        state[S.low + player] = cfg[C.money + player]
        state[S.high + player] = cfg[C.money + player]


def to_move(cfg: Cfg, state: State) -> int:
    """Return the player to move: player 0 bids first, then player 1, who does not see that bid."""
    if state[S.outcome] != RUNNING:
        return CUT_SHORT if state[S.outcome] == UNDECIDED else OVER
    return 0 if state[S.pending] < 0 else 1


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Allow bids from 1 to all the mover's money; exactly 0 without money."""
    player = 0 if state[S.pending] < 0 else 1
    money = state[S.money + player]
    mask[:] = 0
    mask[min(money, 1) : money + 1] = 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Commit a bid; when both are in, play the round."""
    if state[S.pending] < 0:
        state[S.pending] = action
    else:
        _play_round(cfg, state, state[S.pending], action, rng)


def _play_round(cfg: Cfg, state: State, bid0: int, bid1: int, rng: Rng) -> None:
    """Compare the bids, take the price, move the bottle, and see whether the game is over."""
    holder = state[S.advantage]
    winner = round_winner(cfg[C.tie], holder, bid0, bid1, rng)
    state[S.advantage] = next_holder(cfg[C.tie], holder, bid0, bid1)
    price = max(bid0, bid1)
    state[S.money + winner] -= price
    if cfg[C.payment] == OPPONENT:
        state[S.money + 1 - winner] += price
    state[S.position] += 2 * winner - 1
    state[S.round] += 1
    state[S.pending] = -1
    state[S.last_bids] = bid0
    state[S.last_bids + 1] = bid1
    state[S.last_winner] = winner
    state[S.outcome] = _outcome(cfg, state, price)

    if not cfg[C.know_opponent_money]:
        _count_money(cfg, state, 0, bid0, winner, holder, bid0 == bid1)
        _count_money(cfg, state, 1, bid1, winner, holder, bid0 == bid1)


def _outcome(cfg: Cfg, state: State, price: int) -> int:
    """Return how the game stands after a round that cost `price`: a value of `outcome`."""
    if state[S.position] == 0:
        return 0
    if state[S.position] == cfg[C.length]:
        return 1
    broke0 = state[S.money] == 0
    broke1 = state[S.money + 1] == 0
    if cfg[C.broke] == LOSE and (broke0 or broke1):
        return 1 if broke0 else 0
    if broke0 and broke1:
        if cfg[C.both_broke] == DRAW:
            return DRAWN
        if cfg[C.tie] == ALTERNATE and price == 0:
            return DRAWN  # the advantage goes to and fro, and the bottle with it, for ever
    if state[S.round] >= cfg[C.max_rounds]:
        return UNDECIDED
    return RUNNING


def _count_money(
    cfg: Cfg, state: State, player: int, bid: int, winner: int, holder: int, tied: bool
) -> None:
    """Update what `player`, who bid `bid`, can work out about the other's money.

    The player sees who won and whether the advantage passed, never the other's bid. All they can
    know is an interval, because the other may have paid any amount that was enough.
    """
    other = 1 - player
    low = state[S.low + other]
    high = state[S.high + other]
    if cfg[C.payment] == OPPONENT:
        low = high = cfg[C.money] + cfg[C.money + 1] - state[S.money + player]
    elif tied and cfg[C.tie] == ALTERNATE:  # the advantage passed: both bid the same
        if bid == 0:
            low = high = 0
        else:
            low = max(low, bid)
            if winner == other:
                low -= bid
                high -= bid
    elif winner == other:  # the other bid more, or won a tie that cannot be seen
        may_have_tied = cfg[C.tie] == COIN or (cfg[C.tie] == HOLDER and holder == other)
        least = bid if may_have_tied else bid + 1
        low = 0
        high = max(high - max(least, 1), 0)
    else:
        may_have_tied = cfg[C.tie] == COIN or (cfg[C.tie] == HOLDER and holder == player)
        if bid == 0 or (bid == 1 and not may_have_tied):
            low = high = 0  # only a player without money bids nothing
    if state[S.outcome] == RUNNING or state[S.outcome] == UNDECIDED:
        if cfg[C.broke] == LOSE or (cfg[C.both_broke] == DRAW and state[S.money + player] == 0):
            low = max(low, 1)  # otherwise the game would have ended
    elif 0 < state[S.position] < cfg[C.length] and state[S.outcome] != other:
        low = high = 0  # a draw, or the other lost without the bottle: for want of money
    state[S.low + other] = low
    state[S.high + other] = high


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write +1 for the winner and -1 for the loser, or 0 for both."""
    outcome_returns(state[S.outcome], out)


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Write both players' money (or its bounds), the bottle's distance and the advantage."""
    other = 1 - player
    scale = 1.0 / cfg[C.largest]
    out[V.money] = state[S.money + player] * scale
    if cfg[C.know_opponent_money]:
        out[V.opponent_high] = state[S.money + other] * scale
        out[V.opponent_low] = out[V.opponent_high]
    else:
        out[V.opponent_high] = state[S.high + other] * scale
        out[V.opponent_low] = state[S.low + other] * scale
    distance = state[S.position] if player == 0 else cfg[C.length] - state[S.position]
    out[V.distance] = distance / cfg[C.length]
    holder = state[S.advantage]
    out[V.advantage] = 0.5 if holder < 0 else (1.0 if holder == player else 0.0)


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Guess the other's committed bid and, where it is hidden, the other's money."""
    other = 1 - player
    if not cfg[C.know_opponent_money]:
        low = state[S.low + other]
        own = state[S.money + player]
        state[S.money + other] = low + below(rng, state[S.high + other] - low + 1)
        # What the other knows about our money follows from bids of theirs that we never saw.
        state[S.low + player] = below(rng, own + 1)
        state[S.high + player] = own + below(rng, cfg[C.largest] - own + 1)
        tied = state[S.last_bids] == state[S.last_bids + 1]
        if not (tied and cfg[C.tie] == ALTERNATE):  # the advantage passed for all to see
            state[S.last_bids + other] = -1
    if player == 1 and state[S.pending] >= 0:
        state[S.pending] = guessed_bid(state[S.money], rng)


def withdraw(cfg: Cfg, state: State) -> None:
    """Take back player 0's bid while player 1 has not bid."""
    state[S.pending] = -1


def signature(cfg: Cfg, state: State, player: int) -> int:
    """Return what a player sees, packed into one number: 15 bits are enough for any money."""
    other = 1 - player
    low, high = state[S.low + other], state[S.high + other]
    if cfg[C.know_opponent_money]:
        low = high = state[S.money + other]
    seen = state[S.position] << 2 | state[S.advantage] + 1
    return ((seen << 15 | state[S.money + player]) << 15 | low) << 15 | high
