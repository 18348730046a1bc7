"""The bots of RichmanGraph: random play, and two that play by the theory of continuous bids.

These two know the share f(v) of the money that their own side needs at each vertex
(`solvers/richman.py` for payment to the opponent, `solvers/poorman.py` for payment to the bank),
and move the token to the successor where that share is smallest. They differ in the bid.

**Whole bids.** The theory bids an exact amount x at which winning and losing are equally good. A
winner who paid less than x is better off than the theory promises; so is a loser whose opponent
paid more than x. Hence:

- With the draw advantage, bid x rounded down. Winning then costs at most x, and losing means that
  the opponent bid at least one more, which is more than x: nothing is lost by rounding.
- Without it (or when a coin decides) a player may lose to an equal bid. If x is rounded up, winning
  can cost up to 1 too much; if it is rounded down, losing can bring up to 1 too little. The nearest
  whole number limits both to 1/2.

By the rules the least bid is 1 and the largest is all the player's money.

**What it is worth.** The tests try every reply to `richman` on small graphs: a lead of more than 1
over f(v) is never lost while ties alternate, and a player who keeps the advantage needs no lead.
But a lead does not always become a win: with payment to the opponent equal bids can carry the token
to and fro until the game is cut short, as when `richman` plays against itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bidarena.baselines.common import random_distribution
from bidarena.baselines.solvers.poorman import poorman_thresholds
from bidarena.baselines.solvers.richman import richman_costs
from bidarena.baselines.solvers.richman_bids import best_successors, critical_bid, safety_bid
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot
from bidarena.envs.richman.env import graph_of, targets_of
from bidarena.envs.richman.rules import C, S
from bidarena.envs.rng import below

# params: for each player and vertex two numbers, BID and SUCCESSOR
BID = 0  # a share of the money of both players (richman) or of the player's own (safety)
SUCCESSOR = 1  # where to move the token
NUMBERS = 2

TOLERANCE = 1e-9  # the largest error of a threshold
SLACK = 1e-4  # a bid so little below a whole number is that number; more than 20,000 x TOLERANCE


def random(game: Game) -> Bot:
    """Make every legal bid and every legal move of the token with equal probability."""
    return Bot("random", _random_act, distribution=random_distribution)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    # The same random numbers as a draw from the mask, which takes one for a single bid as well.
    if state[S.chooser] < 0:
        money = state[S.money + player]
        return min(money, 1) + below(rng, max(money, 1))
    first, end = cfg[C.edges + state[S.vertex]], cfg[C.edges + state[S.vertex] + 1]
    rank = below(rng, end - first)  # among the successors in ascending order
    for edge in range(first, end):
        smaller = 0
        for another in range(first, end):
            smaller += cfg[another] < cfg[edge]
        if smaller == rank:
            return cfg[C.largest] + 1 + cfg[edge]
    return -1


def richman(game: Game) -> Bot:
    """Make the critical bid for the money of both players, but never more than is sure to win."""
    return Bot("richman", _richman_act, _params(game, critical_bid), deterministic=True)


def _richman_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    entry = NUMBERS * (player * cfg[C.vertices] + state[S.vertex])
    if state[S.chooser] >= 0:
        return cfg[C.largest] + 1 + int(params[entry + SUCCESSOR])
    other = state[S.money + 1 - player]
    bid = _whole(state, player, params[entry + BID] * (state[S.money + player] + other))
    sure_to_win = other if state[S.advantage] == player else other + 1
    return _legal(state, player, min(bid, sure_to_win))


def safety(game: Game) -> Bot:
    """Make the bid of a player who has just the money needed, without regard to the opponent's.

    In exact amounts, the ratio of the share held to the share needed then never falls. Next to its
    own target the bot bids everything.
    """
    return Bot("safety", _safety_act, _params(game, safety_bid), deterministic=True)


def _safety_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    entry = NUMBERS * (player * cfg[C.vertices] + state[S.vertex])
    if state[S.chooser] >= 0:
        return cfg[C.largest] + 1 + int(params[entry + SUCCESSOR])
    bid = _whole(state, player, params[entry + BID] * state[S.money + player])
    return _legal(state, player, bid)


def _whole(state: State, player: int, bid: float) -> int:
    """Return an exact bid as a whole number, rounded as the top of this file explains."""
    return int(bid + (SLACK if state[S.advantage] == player else 0.5))


def _legal(state: State, player: int, bid: int) -> int:
    """Return the legal bid nearest to `bid`; 0 for a player without money."""
    return min(max(bid, 1), state[S.money + player])


def _params(game: Game, bid: Callable[..., float]) -> Params:
    """Return bids, as `bid` computes them for 1 unit of money, and successors of both players."""
    graph, targets, payment = graph_of(game), targets_of(game), game.options["payment"]
    needed = _thresholds(game)
    moves = best_successors(graph, targets, needed, TOLERANCE)
    params = np.zeros((2, len(graph), NUMBERS))
    for player, own in enumerate((needed, [1.0 - need for need in needed])):
        for v, ways in enumerate(graph):
            if ways:
                params[player, v] = bid(graph, own, v, 1.0, payment), moves[v][player]
    return params.ravel()


def _thresholds(game: Game) -> list[float]:
    """Return the share of all money that player 0 needs at each vertex; player 1 needs the rest."""
    graph, targets = graph_of(game), targets_of(game)
    if game.options["payment"] == "opponent":
        return [float(cost) for cost in richman_costs(graph, targets)]
    return poorman_thresholds(graph, targets, TOLERANCE)
