"""Selection rules: which of the tried moves of a node an iteration takes once more.

A move is compared only with moves that are available together with it: in one guess of the hidden
cards a card may be in the hand, in another guess not. `CHANCES` of an edge counts how often its
move was available. In the formulas it takes the place of the visits of the node.

- `ucb1`: take the largest mean + c * sqrt(ln(chances) / visits).
- `ucb_tuned`: like `ucb1`, but the variance of the results, at most 1/4, scales the square root.
- `thompson`: draw from Beta(1 + won, 1 + lost) for every move; take the largest.
- `regret`: regret matching. The regret of a move is the sum of what playing it instead would have
  gained. Moves are drawn in proportion to their positive regrets; with probability c, all moves
  are equally likely. Only the result of the drawn move is known, so it counts 1 / probability
  times, less the mean of the node. If all players who move at the same time use `regret`, the
  average of their probabilities approaches an equilibrium. The other rules settle on the move that
  looks best, so they do not approach one.
- `puct`: take the largest mean + c * prior * sqrt(visits of the node) / (1 + visits), as AlphaZero
  does (Silver et al., "A general reinforcement learning algorithm that masters chess, shogi and Go
  through self-play", 2018). The priors come from a policy. Moves that were never tried count with
  the mean of those that were.
"""

from __future__ import annotations

import math
from typing import Any

from bidarena.baselines.search.layout import REGRET, THOMPSON, UCB1
from bidarena.baselines.search.tree import (
    ACTION,
    CHANCES,
    COUNT,
    PLAN,
    PRIOR,
    SQUARES,
    STAMP,
    SUM,
    Edges,
)
from bidarena.envs.game import Mask, Rng
from bidarena.envs.rng import uniform

_THIRD = 1.0 / 3.0


def select(
    edges: Edges, first: int, end: int, mask: Mask, rule: int, c: float, rng: Rng, stamp: float
) -> tuple[int, float]:
    """Return the edge to take, and the probability with which `regret` drew it (else 0).

    Chooses among the edges `first` to `end` - 1 whose actions are in `mask`; the edge is -1 if
    there is none. Removes these actions from the mask, so that the untried ones are left, and adds
    1 to the `CHANCES` of their edges.
    """
    best, chosen, probability = -1.0, -1, 0.0
    known, log_known = -1.0, 0.0  # neighbours mostly have equal chances
    available, positive = 0, 0.0
    for edge in range(first, end):
        row = edges[edge]
        action = int(row[ACTION])
        if mask[action]:
            mask[action] = 0
            chances = row[CHANCES] + 1.0
            row[CHANCES] = chances
            if rule == REGRET:
                row[STAMP] = stamp
                available += 1
                positive += max(row[SQUARES], 0.0)
            else:
                visits = row[COUNT]
                if rule == THOMPSON:
                    won = row[SUM]
                    worth = beta(rng, 1.0 + won, 1.0 + max(visits - won, 0.0))
                else:
                    if chances != known:
                        known, log_known = chances, math.log(chances)
                    mean = row[SUM] / visits
                    spread = log_known / visits
                    if rule != UCB1:
                        variance = max(row[SQUARES] / visits - mean * mean, 0.0)
                        spread *= min(0.25, variance + math.sqrt(2.0 * spread))
                    worth = mean + c * math.sqrt(spread)
                if worth > best:
                    best, chosen = worth, edge
    if available > 0:
        chosen, probability = _match_regrets(edges, first, end, available, positive, c, rng, stamp)
    return chosen, probability


def select_puct(edges: Edges, first: int, end: int, mask: Mask, c: float) -> int:
    """Return the edge to take by `puct` among those whose actions are in `mask`; -1: there is none.

    Adds 1 to the `CHANCES` of these edges.
    """
    visits, won, priors = 0.0, 0.0, 0.0
    for edge in range(first, end):
        row = edges[edge]
        if mask[int(row[ACTION])]:
            row[CHANCES] += 1.0
            visits += row[COUNT]
            won += row[SUM]
            priors += row[PRIOR]
    mean = won / visits if visits > 0.0 else 0.5
    bonus = c * math.sqrt(visits + 1.0) / max(priors, 1e-9)
    best, chosen = -1.0, -1
    for edge in range(first, end):
        row = edges[edge]
        if mask[int(row[ACTION])]:
            worth = row[SUM] / row[COUNT] if row[COUNT] > 0.0 else mean
            worth += bonus * row[PRIOR] / (1.0 + row[COUNT])
            if worth > best:
                best, chosen = worth, edge
    return chosen


def _match_regrets(
    edges: Edges,
    first: int,
    end: int,
    available: int,
    positive: float,
    c: float,
    rng: Rng,
    stamp: float,
) -> tuple[int, float]:
    """Return an available edge drawn by regret matching, and the probability of drawing it.

    Adds to the `PLAN` of each available edge its probability without the share c of random moves.
    """
    left = uniform(rng)
    chosen, probability = -1, 0.0
    for edge in range(first, end):
        row = edges[edge]
        if row[STAMP] == stamp:
            meant = max(row[SQUARES], 0.0) / positive if positive > 0.0 else 1.0 / available
            row[PLAN] += meant
            if left >= 0.0:
                probability = (1.0 - c) * meant + c / available
                chosen = edge  # rounding may leave a little: then the last edge stays chosen
                left -= probability
    return chosen, probability


def learn_regret(
    edges: Edges, first: int, end: int, drawn: int, probability: float, result: float, stamp: float
) -> None:
    """Update the regrets of all edges that were available; call this before adding `result`."""
    visits, total = 0.0, 0.0
    for edge in range(first, end):
        visits += edges[edge, COUNT]
        total += edges[edge, SUM]
    surprise = result - (total / visits if visits > 0.0 else result)
    for edge in range(first, end):
        row = edges[edge]
        if row[STAMP] == stamp:
            row[SQUARES] -= surprise
    edges[drawn, SQUARES] += surprise / probability


def beta(rng: Rng, a: float, b: float) -> float:
    """Return a draw from the beta distribution; a and b must be at least 1."""
    x = gamma(rng, a)
    return x / (x + gamma(rng, b))


def gamma(rng: Rng, shape: float) -> float:
    """Return a draw from the gamma distribution (method of Marsaglia and Tsang); shape >= 1."""
    d = shape - _THIRD
    narrow = _THIRD / math.sqrt(d)
    while True:
        x = normal(rng)
        v = 1.0 + narrow * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = 1.0 - uniform(rng)  # above 0
        square = x * x
        if u < 1.0 - 0.0331 * square * square:
            return d * v
        if math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
            return d * v


def noise(rng: Rng, shares: Any) -> None:
    """Fill `shares` with random shares of 1 that differ much: a Dirichlet distribution of 0.3."""
    total = 0.0
    for i in range(len(shares)):
        shares[i] = gamma(rng, 1.3) * (1.0 - uniform(rng)) ** (1.0 / 0.3)
        total += shares[i]
    for i in range(len(shares)):
        shares[i] /= max(total, 1e-300)


def normal(rng: Rng) -> float:
    """Return a draw from the standard normal distribution, by the polar method."""
    while True:
        x = 2.0 * uniform(rng) - 1.0
        y = 2.0 * uniform(rng) - 1.0
        radius = x * x + y * y
        if 0.0 < radius < 1.0:
            return x * math.sqrt(-2.0 * math.log(radius) / radius)
