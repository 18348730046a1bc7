"""Ratings of bots from their games: Bradley-Terry with intervals, and openskill.

Bradley-Terry says that a bot of strength a beats one of strength b with probability
1 / (1 + exp(b - a)). Strengths are those that make the games most likely, where a draw is half a
win for each. They are shown on the scale of Elo, where 400 points are odds of ten to one, around a
mean of 0.

A bot that wins every game would be infinitely strong. So every bot is given one more game, drawn,
against a bot of average strength. It keeps all ratings finite, counts as a game in the intervals
too, and makes next to no difference to a bot that has both won and lost.

Intervals are 95 %, from the spread between deals (the sandwich estimate with deals as clusters):
games of one deal share their chance, so they are not independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.evaluate.match.scores import Z95

ELO = 400.0 / np.log(10.0)  # points of one unit of strength
VIRTUAL = 1.0  # drawn games of each bot against one of strength 0
STEPS = 200  # the most steps of Newton's method, which needs about ten

Numbers = NDArray[np.float64]
Indexes = NDArray[np.int64]


@dataclass(frozen=True)
class Comparisons:
    """Pairs of bots compared by a game, one entry each."""

    one: Indexes  # the number of a bot
    two: Indexes
    score: Numbers  # of the first: 1, 0.5 or 0
    deal: Indexes  # the number of the deal


def bradley_terry(games: Comparisons, bots: int) -> tuple[Numbers, Numbers]:
    """Return the ratings in Elo, with a mean of 0, and the half widths of their 95 % intervals."""
    one, two = games.one, games.two
    cells = one * bots + two
    count = np.bincount(cells, minlength=bots**2).reshape(bots, bots).astype(np.float64)
    won: Numbers = np.bincount(cells, games.score, bots**2).reshape(bots, bots).astype(np.float64)
    strength = _most_likely(won, count)
    chance = _wins(strength[:, None] - strength[None, :])

    # Curvature of the likelihood, then what each deal pulls each bot by.
    surprise = games.score - chance[one, two]
    _, where = np.unique(games.deal, return_inverse=True)
    deals = int(where.max()) + 1 if len(where) else 0
    pull = np.zeros((deals, bots))
    for bot in range(bots):
        weights = surprise * ((one == bot).astype(np.float64) - (two == bot))
        pull[:, bot] = np.bincount(where, weights=weights, minlength=deals)
    spread = pull.T @ pull * (deals / (deals - 1) if deals > 1 else 1.0)
    spread += np.diag(VIRTUAL * (0.5 - _wins(strength)) ** 2)
    inverse = np.linalg.inv(_curvature(strength, count))
    centred = np.eye(bots) - 1.0 / bots
    variance = np.diag(centred @ inverse @ spread @ inverse @ centred)
    half_widths = Z95 * np.sqrt(np.maximum(variance, 0.0))
    if deals < 2:
        half_widths = np.full(bots, np.inf)  # it is not known how much deals differ
    return ELO * (strength - strength.mean()), ELO * half_widths


def _wins(difference: Numbers) -> Numbers:
    """Return the probabilities to win at these differences in strength."""
    made: Numbers = 1.0 / (1.0 + np.exp(-difference))
    return made


def _most_likely(won: Numbers, count: Numbers) -> Numbers:
    """Return the likeliest strengths, by Newton's method; the likelihood has one maximum."""
    bots = len(won)
    strength = np.zeros(bots)
    for _ in range(STEPS):
        surprise = won - count * _wins(strength[:, None] - strength[None, :])
        slope = surprise.sum(axis=1) - surprise.sum(axis=0) + VIRTUAL * (0.5 - _wins(strength))
        step = np.linalg.solve(_curvature(strength, count), slope)
        strength += step * min(1.0, 1.0 / max(np.abs(step).max(), 1e-300))  # not too far at once
        if np.abs(step).max() < 1e-10:
            return strength
    raise ArithmeticError("ratings: no maximum of the likelihood was found")


def _curvature(strength: Numbers, count: Numbers) -> Numbers:
    """Return minus the second derivatives of the logarithm of the likelihood."""
    chance = _wins(strength[:, None] - strength[None, :])
    weight = (count + count.T) * chance * (1.0 - chance)
    own = _wins(strength)
    made: Numbers = np.diag(weight.sum(axis=1) + VIRTUAL * own * (1.0 - own)) - weight
    return made


def openskill(
    games: Iterable[tuple[Sequence[int], Sequence[float]]], bots: int
) -> tuple[Numbers, Numbers]:
    """Return the mean and the deviation of each bot's skill by openskill's Plackett-Luce model.

    Args:
        games: (numbers of the bots, their results) of each game; the order matters.
        bots: number of bots.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    skills = [model.rating() for _ in range(bots)]
    for who, results in games:
        rated = model.rate([[skills[bot]] for bot in who], scores=list(results))
        for bot, (skill,) in zip(who, rated, strict=True):
            skills[bot] = skill
    return np.array([skill.mu for skill in skills]), np.array([skill.sigma for skill in skills])
