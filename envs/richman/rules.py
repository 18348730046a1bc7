"""The rules of RichmanGraph, in the order the game is played.

A token stands on a vertex of a directed graph; two vertices are targets, one for each player. Each
round both bid in secret; the higher bidder pays the bid and moves the token along an edge.
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

# cfg: one number per option, two where each player has one, then the graph
C = starts(
    layout(
        vertices=1,
        start=1,
        targets=2,  # where player 0 and player 1 want the token
        money=2,  # what each player starts with
        payment=1,
        tie=1,
        max_rounds=1,
        largest=1,  # the most money that a player can come to have
        edges=1,  # the first of vertices + 1 numbers: where in cfg the successors of each vertex
        # begin; those of v are cfg[cfg[C.edges + v] : cfg[C.edges + v + 1]]
    )
)

STATE = layout(
    vertex=1,
    money=2,
    advantage=1,  # who wins the next tie; -1 when a coin decides
    round=1,  # rounds finished, the move of the token included
    decision=1,  # one more when bids are opened and when a successor is chosen
    pending=1,  # player 0's bid while player 1 has not bid; -1 before
    chooser=1,  # who moves the token now; -1 while the players bid
    outcome=1,  # RUNNING, the winner, DRAWN or UNDECIDED
    last_bids=2,  # the bids opened last, for drawing; -1 before the first round
    last_winner=1,  # who won with them; -1 before the first round
)
S = starts(STATE)

RUNNING, DRAWN, UNDECIDED = -1, 2, 3  # outcomes beside the winner's number

_HEAD = {  # the observation begins with these; blocks with one number per vertex follow
    "money": 1,
    "opponent_money": 1,
    "advantage": 1,
    "phase": 3,  # BIDDING, CHOOSING or OTHER_CHOOSING
    "seat": 1,
}
V = starts(layout(**_HEAD, token=1))
BIDDING, CHOOSING, OTHER_CHOOSING = 0, 1, 2  # CHOOSING: the observer moves the token


def observation(vertices: int) -> dict[str, slice]:
    """Return the parts of the observation on a graph with so many vertices."""
    return layout(**_HEAD, token=vertices, own_target=vertices, opponent_target=vertices)


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Put the token on its start and hand out the money; player 0 holds the draw advantage."""
    state[S.vertex] = cfg[C.start]
    state[S.advantage] = -1 if cfg[C.tie] == COIN else 0
    state[S.round] = 0
    state[S.decision] = 0
    state[S.pending] = -1
    state[S.chooser] = -1
    state[S.outcome] = RUNNING
    state[S.last_winner] = -1
    for player in range(2):
        state[S.money + player] = cfg[C.money + player]
        state[S.last_bids + player] = -1


def to_move(cfg: Cfg, state: State) -> int:
    """Return the player to move.

    Player 0 commits a bid first, then player 1, who does not see it; the winner moves the token.
    """
    if state[S.outcome] != RUNNING:
        return CUT_SHORT if state[S.outcome] == UNDECIDED else OVER
    if state[S.chooser] >= 0:
        return state[S.chooser]
    return 0 if state[S.pending] < 0 else 1


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Allow bids from 1 to all the mover's money, exactly 0 without money; then the successors."""
    mask[:] = 0
    if state[S.chooser] >= 0:
        vertex = state[S.vertex]
        for edge in range(cfg[C.edges + vertex], cfg[C.edges + vertex + 1]):
            mask[cfg[C.largest] + 1 + cfg[edge]] = 1
        return
    money = state[S.money + (0 if state[S.pending] < 0 else 1)]
    if money == 0:
        mask[0] = 1
    else:
        mask[1 : money + 1] = 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Commit a bid and, when both are in, open them; or move the token."""
    if state[S.chooser] >= 0:
        state[S.decision] += 1
        state[S.chooser] = -1
        _move_token(cfg, state, action - cfg[C.largest] - 1)
    elif state[S.pending] < 0:
        state[S.pending] = action
    else:
        _open_bids(cfg, state, state[S.pending], action, rng)


def _open_bids(cfg: Cfg, state: State, bid0: int, bid1: int, rng: Rng) -> None:
    """Compare the bids and take the price; the winner chooses a successor if there are several."""
    winner = round_winner(cfg[C.tie], state[S.advantage], bid0, bid1, rng)
    state[S.advantage] = next_holder(cfg[C.tie], state[S.advantage], bid0, bid1)
    price = max(bid0, bid1)
    state[S.money + winner] -= price
    if cfg[C.payment] == OPPONENT:
        state[S.money + 1 - winner] += price
    state[S.decision] += 1
    state[S.pending] = -1
    state[S.last_bids] = bid0
    state[S.last_bids + 1] = bid1
    state[S.last_winner] = winner

    first = cfg[C.edges + state[S.vertex]]
    if cfg[C.edges + state[S.vertex] + 1] - first == 1:
        _move_token(cfg, state, cfg[first])  # the only successor: nothing to choose
    else:
        state[S.chooser] = winner


def _move_token(cfg: Cfg, state: State, vertex: int) -> None:
    """Put the token on `vertex` and see whether the game is over."""
    state[S.vertex] = vertex
    state[S.round] += 1
    if vertex == cfg[C.targets]:
        state[S.outcome] = 0
    elif vertex == cfg[C.targets + 1]:
        state[S.outcome] = 1
    elif state[S.money] == 0 and state[S.money + 1] == 0:
        state[S.outcome] = DRAWN
    elif state[S.round] >= cfg[C.max_rounds]:
        state[S.outcome] = UNDECIDED


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write +1 for the winner and -1 for the loser, or 0 for both."""
    outcome_returns(state[S.outcome], out)


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Write both players' money, the advantage, the phase, the seat, the token and the targets."""
    other = 1 - player
    scale = 1.0 / cfg[C.largest]
    out[:] = 0.0
    out[V.money] = state[S.money + player] * scale
    out[V.opponent_money] = state[S.money + other] * scale
    holder = state[S.advantage]
    out[V.advantage] = 0.5 if holder < 0 else (1.0 if holder == player else 0.0)
    chooser = state[S.chooser]
    phase = BIDDING if chooser < 0 else (CHOOSING if chooser == player else OTHER_CHOOSING)
    out[V.phase + phase] = 1.0
    out[V.seat] = player
    vertices = cfg[C.vertices]
    out[V.token + state[S.vertex]] = 1.0
    out[V.token + vertices + cfg[C.targets + player]] = 1.0
    out[V.token + 2 * vertices + cfg[C.targets + other]] = 1.0


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Guess the other's committed bid; nothing else is hidden."""
    if player == 1 and state[S.pending] >= 0:
        state[S.pending] = guessed_bid(state[S.money], rng)


def withdraw(cfg: Cfg, state: State) -> None:
    """Take back player 0's bid while player 1 has not bid."""
    state[S.pending] = -1


def signature(cfg: Cfg, state: State, player: int) -> int:
    """Return what everybody sees, packed into one number: 15 bits are enough for any money."""
    seen = (state[S.vertex] << 2 | state[S.advantage] + 1) << 2 | state[S.chooser] + 1
    return (seen << 15 | state[S.money]) << 15 | state[S.money + 1]
