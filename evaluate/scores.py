"""What a match counts for each bot: games won and lost, mean results with intervals, faults.

Intervals are 95 %, by deals: the games of one deal are played with the same chance and are not
independent of one another, deals are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import Game
from bidarena.evaluate.playing import Block, seat_owners

Z95 = 1.959963984540054  # half width of a 95 % interval, in standard errors


@dataclass(frozen=True)
class Score:
    """How one bot of a match fared."""

    bot: str
    games: int
    wins: int
    draws: int
    losses: int
    mean: float  # mean return
    half_width: float  # of the 95 % interval of the mean return, by deals
    points: float | None  # mean of what the game counts (Raj's bank), where it counts something
    points_half_width: float | None = None  # of its 95 % interval, by deals
    faults: Mapping[str, int] = field(default_factory=dict)  # games lost by a fault, by reason

    @property
    def win_rate(self) -> float:
        """Share of all games won."""
        return self.wins / self.games

    @property
    def decided_rate(self) -> float:
        """Share of the decided games won; 0.5 if none was decided."""
        decided = self.wins + self.losses
        return self.wins / decided if decided else 0.5

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "bot": self.bot,
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "win_rate": self.win_rate,
            "decided_rate": self.decided_rate,
            "mean_return": self.mean,
            "mean_return_95": interval(self.mean, self.half_width),
            "mean_points": self.points,
            "mean_points_95": interval(self.points, self.points_half_width),
            "faults": dict(self.faults),
        }


def interval(mean: float | None, half_width: float | None) -> list[float] | None:
    """Both ends for JSON; None where they are not known, as from a single deal."""
    if mean is None or half_width is None or not np.isfinite(half_width):
        return None
    return [mean - half_width, mean + half_width]


def half_width(per_deal: NDArray[np.float64]) -> float:
    """Of the 95 % interval of a mean over deals; infinite from a single one."""
    deals = len(per_deal)
    return float(Z95 * per_deal.std(ddof=1) / np.sqrt(deals)) if deals > 1 else float("inf")


def faults_by_bot(block: Block, players: int) -> list[Counter[str]]:
    """How often each bot lost by which fault."""
    rotations = len(block.asked)
    counted: list[Counter[str]] = [Counter() for _ in range(rotations)]
    if block.faults:
        owners = seat_owners(players, rotations)
        for deal, rotation in np.argwhere(block.losers >= 0):
            kind, reason = block.faults[block.reasons[deal, rotation]]
            bot = owners[rotation, block.losers[deal, rotation]]
            counted[bot][f"{kind}: {reason}"] += 1
    return counted


def best_rival(game: Game, k: int, results: NDArray[np.float64]) -> NDArray[np.float64]:
    """(deals, rotations) the best result of those that are not on the side of bot `k`.

    A game is won when no other side did as well; who is on which side depends on the seats.
    """
    best = np.empty(results.shape[:2])
    for rotation in range(results.shape[1]):
        side = [game.teams[(j + rotation) % game.players] for j in range(game.players)]
        rivals = [j for j in range(game.players) if side[j] != side[k]]
        best[:, rotation] = results[:, rotation, rivals].max(axis=1)
    return best


def score_of(
    game: Game,
    k: int,
    name: str,
    results: NDArray[np.float64],
    points: NDArray[np.float64] | None,
    faults: Counter[str],
) -> Score:
    """How bot `k` fared; (deals, rotations, players) results and points by bot, not by seat."""
    mine = results[:, :, k]
    rival = best_rival(game, k, results)
    wins = int((mine > rival).sum())
    losses = int((mine < rival).sum())
    mean_points, points_half_width = mean_over_deals(None if points is None else points[:, :, k])
    return Score(
        bot=name,
        games=mine.size,
        wins=wins,
        draws=mine.size - wins - losses,
        losses=losses,
        mean=float(mine.mean()),
        half_width=half_width(mine.mean(axis=1)),
        points=mean_points,
        points_half_width=points_half_width,
        faults=dict(sorted(faults.items(), key=lambda item: (-item[1], item[0]))),
    )


def mean_over_deals(
    values: NDArray[np.float64] | None,
) -> tuple[float | None, float | None]:
    """The mean of (deals, rotations) and its half width, without NaN; None if nothing is left.

    The interval is that of a ratio: what all games of a deal add up to, over how many they are.
    """
    if values is None:
        return None, None
    known = ~np.isnan(values)
    games = known.sum(axis=1)
    if not games.any():
        return None, None
    total = np.where(known, values, 0.0).sum(axis=1)
    mean = float(total.sum() / games.sum())
    return mean, half_width((total - mean * games) / games.mean())
