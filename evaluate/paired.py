"""Comparing players who all played the same deals: differences within deals, and verdicts.

Deals are lucky or unlucky for everybody, so the difference of two players varies less from deal to
deal than the score of each. All intervals are 95 %, from the spread between deals; none is
corrected for how many are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.evaluate.match import Z95

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
        """For JSON."""
        known = np.isfinite(self.half_width)
        return {
            "mean": self.mean,
            "interval": [self.low, self.high] if known else None,
            "deals": self.deals,
        }

    def __str__(self) -> str:
        return f"{self.mean:+.3f} ± {self.half_width:.3f}"


def estimate(per_deal: Scores) -> Estimate:
    """The mean of one number a deal."""
    deals = len(per_deal)
    spread = float(per_deal.std(ddof=1)) / deals**0.5 if deals > 1 else float("inf")
    return Estimate(float(per_deal.mean()), Z95 * spread, deals)


def average(scores: Iterable[Scores]) -> Scores:
    """The mean over players or pairs, deal by deal."""
    return np.mean(list(scores), axis=0)


def scores_of(duels: Mapping[tuple[str, str], Scores]) -> dict[str, Scores]:
    """The mean score of each player over all its opponents, deal by deal.

    `duels` has what the first of each pair scored; the other scored as much less.
    """
    against: dict[str, list[Scores]] = {}
    for (one, two), results in duels.items():
        against.setdefault(one, []).append(results)
        against.setdefault(two, []).append(-results)
    return {player: average(results) for player, results in against.items()}


def between(
    duels: Mapping[tuple[str, str], Scores], ones: Iterable[str], twos: Iterable[str]
) -> Scores:
    """What a group of players scored against another one, over all pairs across, deal by deal."""
    twos = list(twos)
    across = [(one, two) for one in ones for two in twos]
    return average(duels[pair] if pair in duels else -duels[pair[::-1]] for pair in across)


@dataclass(frozen=True)
class Claim:
    """Something said about two players, and what their difference says to that."""

    one: str
    relation: str  # ">", ">>" or "~"
    two: str
    difference: Estimate

    @property
    def verdict(self) -> str:
        """Whether the claim holds, judged by the whole interval.

        ">": the difference is above 0. ">>": it is above what counts as equal. "~": it is within
        that, on both sides.
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
        """For JSON."""
        return {"claim": str(self), **self.difference.as_dict(), "verdict": self.verdict}
