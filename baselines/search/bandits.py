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

import numpy as np

from bidarena.baselines.search.layout import THOMPSON, UCB1
from bidarena.baselines.search.tree import (
    ACTION,
    CHANCES,
    COUNT,
    OWED,
    PLAN,
    PRIOR,
    SQUARES,
    STAMP,
    SUM,
    Edges,
    row_of,
)
from bidarena.envs.compile import apart
from bidarena.envs.game import Mask, Rng
from bidarena.envs.rng import uniform

_THIRD = 1.0 / 3.0
LOGS = 4096  # logarithms of the numbers below this come from a table
_LOGS = np.array([0.0] + [math.log(number) for number in range(1, LOGS)])


@apart
def select(edges: Edges, first: int, end: int, mask: Mask, rule: int, c: float, rng: Rng) -> int:
    """Return the edge to take by any rule but `regret` and `puct`.

    Chooses among the edges `first` to `end` - 1 whose actions are in `mask`; the edge is -1 if
    there is none. Removes these actions from the mask, so that the untried ones are left, and adds
    1 to the `CHANCES` of their edges.
    """
    best, chosen = -1.0, -1
    for edge in range(first, end):
        row = row_of(edge)
        action = np.uint64(int(edges[row + ACTION]))
        if mask[action]:
            mask[action] = 0
            chances = edges[row + CHANCES] + 1.0
            edges[row + CHANCES] = chances
            visits, won = edges[row + COUNT], edges[row + SUM]
            if rule == THOMPSON:
                worth = beta(rng, 1.0 + won, 1.0 + max(visits - won, 0.0))
            else:
                mean = won / visits
                spread = _log(chances) / visits
                if rule != UCB1:
                    square = edges[row + SQUARES] / visits
                    variance = max(square - mean * mean, 0.0)
                    spread *= min(0.25, variance + math.sqrt(2.0 * spread))
                worth = mean + c * math.sqrt(spread)
            if worth > best:
                best, chosen = worth, edge
    return chosen


def _log(number: float) -> float:
    """Return the natural logarithm of a whole number, from a table if it is small."""
    return _LOGS[np.uint64(int(number))] if number < LOGS else math.log(number)


def select_puct(edges: Edges, first: int, end: int, mask: Mask, c: float) -> int:
    """Return the edge to take by `puct` among those whose actions are in `mask`; -1: there is none.

    Adds 1 to the `CHANCES` of these edges.
    """
    visits, won, priors = 0.0, 0.0, 0.0
    for edge in range(first, end):
        row = row_of(edge)
        if mask[np.uint64(int(edges[row + ACTION]))]:
            edges[row + CHANCES] += 1.0
            visits += edges[row + COUNT]
            won += edges[row + SUM]
            priors += edges[row + PRIOR]
    mean = won / visits if visits > 0.0 else 0.5
    bonus = c * math.sqrt(visits + 1.0) / max(priors, 1e-9)
    best, chosen = -1.0, -1
    for edge in range(first, end):
        row = row_of(edge)
        if mask[np.uint64(int(edges[row + ACTION]))]:
            tried = edges[row + COUNT]
            worth = edges[row + SUM] / tried if tried > 0.0 else mean
            worth += bonus * edges[row + PRIOR] / (1.0 + tried)
            if worth > best:
                best, chosen = worth, edge
    return chosen


def select_regret(
    edges: Edges, first: int, end: int, mask: Mask, c: float, rng: Rng
) -> tuple[int, float, float]:
    """Return the edge to take by `regret`, the probability of drawing it, and the usual result.

    The usual result is the mean of all visits; -1 if there are none. For edges, mask and `CHANCES`
    see `select`. Adds to the `PLAN` of each available edge its probability without the share c of
    random moves.

    What the last visit has taught about moves that it did not take is added only here, to save a
    walk over all edges: `OWED` of the first edge is due to all that have a `STAMP` above 0.
    """
    if first == end:
        return -1, 0.0, -1.0
    owed = edges[row_of(first) + OWED]
    edges[row_of(first) + OWED] = 0.0
    visits, won = 0.0, 0.0
    available, positive = 0, 0.0
    for edge in range(first, end):
        row = row_of(edge)
        visits += edges[row + COUNT]
        won += edges[row + SUM]
        # Without a branch: the processor could not foresee for which edge nothing is due.
        regret = edges[row + SQUARES] - (owed if edges[row + STAMP] > 0.0 else 0.0)
        edges[row + SQUARES] = regret
        action = np.uint64(int(edges[row + ACTION]))
        if mask[action]:
            mask[action] = 0
            edges[row + CHANCES] += 1.0
            edges[row + STAMP] = 1.0
            available += 1
            positive += max(regret, 0.0)
        else:
            edges[row + STAMP] = -1.0
    chosen, probability = -1, 0.0
    if available > 0:
        left = uniform(rng)
        for edge in range(first, end):
            row = row_of(edge)
            if edges[row + STAMP] > 0.0:
                regret = max(edges[row + SQUARES], 0.0)
                meant = regret / positive if positive > 0.0 else 1.0 / available
                edges[row + PLAN] += meant
                if left >= 0.0:
                    probability = (1.0 - c) * meant + c / available
                    chosen = edge  # rounding may leave a little: then the last edge stays chosen
                    left -= probability
    return chosen, probability, won / visits if visits > 0.0 else -1.0


def learn_regret(
    edges: Edges, first: int, drawn: int, probability: float, usual: float, result: float
) -> None:
    """Note what a result differs from the usual one: for the drawn edge now, for others as owed."""
    surprise = result - usual if usual >= 0.0 else 0.0
    regret = edges[row_of(drawn) + SQUARES] - surprise
    edges[row_of(drawn) + SQUARES] = regret + surprise / probability
    edges[row_of(drawn) + STAMP] = -1.0
    edges[row_of(first) + OWED] = surprise


def beta(rng: Rng, a: float, b: float) -> float:
    """Return a draw from the beta distribution; a and b must be at least 1."""
    x = gamma(rng, a)
    return x / (x + gamma(rng, b))


@apart
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
