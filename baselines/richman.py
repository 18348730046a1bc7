"""The bots of RichmanGraph that play by the theory of continuous bids.

Both know the share f(v) of the money that their own side needs at each vertex (`solvers/richman.py`
for payment to the opponent, `solvers/poorman.py` for payment to the bank), and both move the token
to the successor where that share is smallest. They differ in the bid.

**Whole bids.** The theory bids an exact amount x at which winning and losing are equally good. A
winner who paid less than x, and a loser whose opponent paid more than x, is better off than the
theory promises. Hence:

- With the draw advantage, bid x rounded down. Winning then costs at most x, and losing means that
  the opponent bid at least one more, which is more than x: nothing is lost by rounding.
- Without it (or when a coin decides) a loser may face an opponent who paid just the same. Rounded
  up, winning costs too much by up to one; rounded down, losing brings too little by up to one. The
  nearest whole number keeps either to a half at most.

The least bid is 1 and the largest all one's money, by the rules.

**What it is worth.** The tests try every reply to `richman` on small graphs: a lead of more than 1
over f(v) is never lost while ties alternate, and with the advantage for good no lead is needed. But
a lead is not always turned into a win: with payment to the opponent equal bids can carry the token
to and fro until the game is cut short, as when `richman` meets itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bidarena.baselines.solvers.poorman import poorman_thresholds
from bidarena.baselines.solvers.richman import richman_costs
from bidarena.baselines.solvers.richman_bids import best_successors, critical_bid, safety_bid
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot
from bidarena.envs.richman.env import graph_of, targets_of
from bidarena.envs.richman.rules import ADVANTAGE, CHOOSER, LARGEST, MONEY, VERTEX, VERTICES

# params: for each player and vertex two numbers, BID and SUCCESSOR
BID = 0  # as a share of the money of both (richman) or of the own money (safety)
SUCCESSOR = 1  # where to move the token
NUMBERS = 2

TOLERANCE = 1e-9  # of thresholds
SLACK = 1e-4  # a bid this little below a whole number is that number; 20,000 units x TOLERANCE


def richman(game: Game) -> Bot:
    """The critical bid for the money of both players, but never more than is sure to win."""

    graph, payment = graph_of(game), game.options["payment"]

    def share(needed: list[float], v: int) -> float:
        return critical_bid(graph, needed, v, 1.0, payment)

    return Bot("richman", _richman_act, _params(game, share))


def _richman_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    entry = NUMBERS * (player * cfg[VERTICES] + state[VERTEX])
    if state[CHOOSER] >= 0:
        return cfg[LARGEST] + 1 + int(params[entry + SUCCESSOR])
    other = state[MONEY + 1 - player]
    bid = _whole(state, player, params[entry + BID] * (state[MONEY + player] + other))
    sure_to_win = other if state[ADVANTAGE] == player else other + 1
    return _legal(state, player, min(bid, sure_to_win))


def safety(game: Game) -> Bot:
    """The bid that needs no knowledge of the opponent's money, as if one had just enough.

    In exact amounts it keeps the share held over the share needed from falling, whatever the
    opponent has. Next to the own target that means to bid everything.
    """

    graph, payment = graph_of(game), game.options["payment"]

    def share(needed: list[float], v: int) -> float:
        return safety_bid(graph, needed, v, 1.0, payment)

    return Bot("safety", _safety_act, _params(game, share))


def _safety_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    entry = NUMBERS * (player * cfg[VERTICES] + state[VERTEX])
    if state[CHOOSER] >= 0:
        return cfg[LARGEST] + 1 + int(params[entry + SUCCESSOR])
    bid = _whole(state, player, params[entry + BID] * state[MONEY + player])
    return _legal(state, player, bid)


def _whole(state: State, player: int, bid: float) -> int:
    """An exact bid as a whole number: see the top of this file."""
    return int(bid + (SLACK if state[ADVANTAGE] == player else 0.5))


def _legal(state: State, player: int, bid: int) -> int:
    """The legal bid nearest to `bid`; 0 for a player without money."""
    return min(max(bid, 1), state[MONEY + player])


def _params(game: Game, share: Callable[[list[float], int], float]) -> Params:
    """The table of both players, with `share` of a player's thresholds as the bid at a vertex."""
    graph, targets = graph_of(game), targets_of(game)
    needed = _thresholds(game)
    moves = best_successors(graph, targets, needed, TOLERANCE)
    params = np.zeros((2, len(graph), NUMBERS))
    for player, own in enumerate((needed, [1.0 - need for need in needed])):
        for v, ways in enumerate(graph):
            if ways:
                params[player, v] = share(own, v), moves[v][player]
    return params.ravel()


def _thresholds(game: Game) -> list[float]:
    """The share of all money that player 0 needs at each vertex; player 1 needs the rest."""
    graph, targets = graph_of(game), targets_of(game)
    if game.options["payment"] == "opponent":
        return [float(cost) for cost in richman_costs(graph, targets)]
    return poorman_thresholds(graph, targets, TOLERANCE)
