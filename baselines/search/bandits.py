"""Bandits: which of the moves of a node that were tried before to look at once more.

Moves are compared with those that were available at the same time: in one guess of what is hidden a
card may be in the hand, in another not. `CHANCES` of an edge counts how often it was available; it
takes the place of the visits of the node.

- `ucb1`: the mean plus c * sqrt(ln(chances) / visits).
- `ucb_tuned`: the same, with the square root scaled by the variance that was seen, at most 1/4.
- `thompson`: draws from Beta(1 + won, 1 + lost) for every move; the largest is chosen.
- `regret`: regret matching. Moves are drawn in proportion to what not having played them cost, as
  far as that is positive; with probability c any of them. What each would have brought is not
  known, so the result of the one drawn counts 1/probability times, less the mean of the node. If
  all players of a moment do so, the frequencies with which they meant to play go toward an
  equilibrium; the other rules, which settle on what looks best, have no such tendency.
"""

from __future__ import annotations

import math

from bidarena.baselines.search.layout import REGRET, THOMPSON, UCB1
from bidarena.baselines.search.tree import (
    ACTION,
    CHANCES,
    COUNT,
    PLAN,
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
    """The best edge among those from `first` to before `end` whose actions are in `mask`.

    Takes these actions out of the mask, so that the untried ones are left, and counts that they
    were available. Beside the edge it gives the probability with which `regret` drew it. Without
    any edge: -1.
    """
    best, chosen, probability = -1.0, -1, 0.0
    known, log_known = -1.0, 0.0  # neighbours mostly have the same chances
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
    """Draw one of the available edges, and add what was meant to the plan of each."""
    left = uniform(rng)
    chosen, probability = -1, 0.0
    for edge in range(first, end):
        row = edges[edge]
        if row[STAMP] == stamp:
            meant = max(row[SQUARES], 0.0) / positive if positive > 0.0 else 1.0 / available
            row[PLAN] += meant
            if left >= 0.0:
                probability = (1.0 - c) * meant + c / available
                chosen = edge  # the last one, should rounding leave a little
                left -= probability
    return chosen, probability


def learn_regret(
    edges: Edges, first: int, end: int, drawn: int, probability: float, result: float, stamp: float
) -> None:
    """Change the regrets of all edges that were available, before the result is entered."""
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
    """A draw from the beta distribution; a and b are at least 1."""
    x = gamma(rng, a)
    return x / (x + gamma(rng, b))


def gamma(rng: Rng, shape: float) -> float:
    """A draw from the gamma distribution, by the method of Marsaglia and Tsang; shape >= 1."""
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


def normal(rng: Rng) -> float:
    """A draw from the standard normal distribution, by the polar method."""
    while True:
        x = 2.0 * uniform(rng) - 1.0
        y = 2.0 * uniform(rng) - 1.0
        radius = x * x + y * y
        if 0.0 < radius < 1.0:
            return x * math.sqrt(-2.0 * math.log(radius) / radius)
