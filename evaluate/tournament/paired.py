"""Comparisons of players on the same deals: differences within deals, and verdicts on claims.

A deal is lucky or unlucky for all players, so the difference of two players varies less from deal
to deal than the score of each. All intervals are 95 %, from the spread between deals, without a
correction for the number of comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.evaluate.match.scores import half_width
from bidarena.evaluate.tournament.meetings import Meeting

Scores = NDArray[np.float64]  # (deals,)

EQUAL = 0.05  # a difference in mean return up to this counts as none

HOLDS, FAILS, OPEN = "holds", "does not hold", "undecided"


@dataclass(frozen=True)
class Estimate:
    """A mean over deals."""

    mean: float
    half_width: float  # of its 95 % interval; infinite from a single deal
    deals: int

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.half_width

    def as_dict(self) -> dict[str, Any]:
        """Return the estimate as a dict for JSON."""
        known = np.isfinite(self.half_width)
        return {
            "mean": self.mean,
            "interval": [self.low, self.high] if known else None,
            "deals": self.deals,
        }

    def __str__(self) -> str:
        return f"{self.mean:+.3f} ± {self.half_width:.3f}"


@dataclass(frozen=True)
class Duel:
    """The games of two bots. Pairs of numbers are those of the first and of the second bot."""

    results: Scores  # (deals,) mean result of the first bot over both sides
    moves: int
    decisions: tuple[int, int]  # moves that were not forced
    thinking: tuple[float, float]  # seconds of all moves


def duels_of(
    meetings: Iterable[Meeting], pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], Duel]:
    """Return the duel of each pair, in the order in which its bots are named."""
    met = {frozenset(meeting.bots): meeting for meeting in meetings}
    duels = {}
    for pair in pairs:
        meeting = met[frozenset(pair)]
        one, two = map(meeting.bots.index, pair)
        duels[pair] = Duel(
            results=meeting.returns[:, :, one].mean(axis=1),
            moves=sum(meeting.asked),
            decisions=(meeting.decisions[one], meeting.decisions[two]),
            thinking=(meeting.thinking[one], meeting.thinking[two]),
        )
    return duels


def estimate(per_deal: Scores) -> Estimate:
    """Return the mean of one number per deal, with its interval."""
    return Estimate(float(per_deal.mean()), half_width(per_deal), len(per_deal))


def average(scores: Iterable[Scores]) -> Scores:
    """Return the mean over players or pairs, deal by deal."""
    return np.mean(list(scores), axis=0)


def scores_of(duels: Mapping[tuple[str, str], Scores]) -> dict[str, Scores]:
    """Return the mean score of each player over all its opponents, deal by deal.

    `duels` has the scores of the first player of each pair; those of the second are the negative.
    """
    against: dict[str, list[Scores]] = {}
    for (one, two), results in duels.items():
        against.setdefault(one, []).append(results)
        against.setdefault(two, []).append(-results)
    return {player: average(results) for player, results in against.items()}


def between(
    duels: Mapping[tuple[str, str], Scores], ones: Iterable[str], twos: Iterable[str]
) -> Scores:
    """Return the mean score of the players `ones` against the players `twos`, deal by deal."""
    twos = list(twos)
    across = [(one, two) for one in ones for two in twos]
    return average(duels[pair] if pair in duels else -duels[pair[::-1]] for pair in across)


@dataclass(frozen=True)
class Claim:
    """A claim about two players, and the difference that was measured between them."""

    one: str
    relation: str  # ">", ">>" or "~"
    two: str
    difference: Estimate

    @property
    def verdict(self) -> str:
        """HOLDS, FAILS or OPEN, judged by the whole interval of the difference.

        ">": the difference is above 0. ">>": it is above `EQUAL`. "~": it is between `-EQUAL` and
        `EQUAL`.
        """
        low, high = self.difference.low, self.difference.high
        if self.relation == "~":
            if low >= -EQUAL and high <= EQUAL:
                return HOLDS
            return FAILS if low > EQUAL or high < -EQUAL else OPEN
        least = EQUAL if self.relation == ">>" else 0.0
        if low > least:
            return HOLDS
        return FAILS if high < least else OPEN

    def __str__(self) -> str:
        return f"{self.one} {self.relation} {self.two}"

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as a dict for JSON."""
        return {"claim": str(self), **self.difference.as_dict(), "verdict": self.verdict}
