"""The counts of a match for each bot: games won and lost, mean results with intervals, faults.

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
from bidarena.evaluate.match.blocks import MOST_REASONS, OTHERS, Block, seat_owners

Z95 = 1.959963984540054  # half width of a 95 % interval, in standard errors


@dataclass(frozen=True)
class Tally:
    """The counted games of one bot."""

    bot: str
    games: int
    wins: int
    draws: int
    losses: int
    mean: float  # mean return
    half_width: float  # of the 95 % interval of the mean return, by deals
    points: float | None  # mean of the points that the game counts; None: it counts none
    points_half_width: float | None  # of the 95 % interval of the mean points, by deals

    @property
    def win_rate(self) -> float:
        """Share of all games won."""
        return self.wins / self.games

    def counts(self) -> dict[str, Any]:
        """Return the bot and its numbers of games, for JSON."""
        return {
            "bot": self.bot,
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "win_rate": self.win_rate,
        }

    def means(self) -> dict[str, Any]:
        """Return the means with their intervals, for JSON."""
        return {
            "mean_return": self.mean,
            "mean_return_95": interval(self.mean, self.half_width),
            "mean_points": self.points,
            "mean_points_95": interval(self.points, self.points_half_width),
        }


@dataclass(frozen=True)
class Score(Tally):
    """The result of one bot in a match."""

    faults: Mapping[str, int] = field(default_factory=dict)  # games lost by a fault, by reason

    @property
    def decided_rate(self) -> float:
        """Share of the decided games won; 0.5 if none was decided."""
        return 0.5 if self.none_decided else self.wins / (self.wins + self.losses)

    @property
    def none_decided(self) -> bool:
        """Whether all games were drawn."""
        return self.wins + self.losses == 0

    def as_dict(self) -> dict[str, Any]:
        """Return the score as a dict for JSON."""
        return {
            **self.counts(),
            "decided_rate": None if self.none_decided else self.decided_rate,
            **self.means(),
            "faults": dict(self.faults),
        }


def interval(mean: float | None, half_width: float | None) -> list[float] | None:
    """Return both ends of an interval; None if they are not known, as from a single deal."""
    if mean is None or half_width is None or not np.isfinite(half_width):
        return None
    return [mean - half_width, mean + half_width]


def half_width(per_deal: NDArray[np.float64]) -> float:
    """Return the half width of the 95 % interval of a mean over deals; infinite from one deal."""
    deals = len(per_deal)
    return float(Z95 * per_deal.std(ddof=1) / np.sqrt(deals)) if deals > 1 else float("inf")


def faults_by_bot(block: Block, players: int) -> list[Counter[str]]:
    """Return the number of games that each bot lost by each fault."""
    rotations = len(block.asked)
    counted: list[Counter[str]] = [Counter() for _ in range(rotations)]
    if block.faults:
        owners = seat_owners(players, rotations)
        for deal, rotation in np.argwhere(block.losers >= 0):
            kind, reason = block.faults[block.reasons[deal, rotation]]
            bot = owners[rotation, block.losers[deal, rotation]]
            counted[bot][f"{kind}: {reason}"] += 1
    return counted


def add_faults(known: Counter[str], more: Counter[str]) -> None:
    """Add games lost by faults; beyond `MOST_REASONS` different reasons they are put together."""
    for reason, games in more.items():
        if reason not in known and len(known) >= MOST_REASONS:
            reason = f"{reason.partition(':')[0]}: {OTHERS}"  # noqa: PLW2901
        known[reason] += games


def best_rival(game: Game, k: int, results: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the best result (deals, rotations) of the bots that are not on the side of bot `k`.

    A game is won when no other side did as well; the side of a bot depends on its seat.
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
    """Return the score of bot `k`.

    `results` and `points` are (deals, rotations, players), by bot and not by seat.
    """
    return Score(
        **tallied(
            results[:, :, k],
            best_rival(game, k, results),
            None if points is None else points[:, :, k],
        ),
        bot=name,
        faults=dict(sorted(faults.items(), key=lambda item: (-item[1], item[0]))),
    )


def tallied(
    mine: NDArray[np.float64], rival: NDArray[np.float64], points: NDArray[np.float64] | None
) -> dict[str, Any]:
    """Return the fields of a `Tally` except `bot`.

    Args:
        mine: (deals, games) results of the bot.
        rival: (deals, games) best results of its rivals.
        points: (deals, games) points of the bot, or None.
    """
    wins = int((mine > rival).sum())
    losses = int((mine < rival).sum())
    mean_points, points_half_width = mean_over_deals(points)
    return {
        "games": mine.size,
        "wins": wins,
        "draws": mine.size - wins - losses,
        "losses": losses,
        "mean": float(mine.mean()),
        "half_width": half_width(mine.mean(axis=1)),
        "points": mean_points,
        "points_half_width": points_half_width,
    }


def mean_over_deals(
    values: NDArray[np.float64] | None,
) -> tuple[float | None, float | None]:
    """Return the mean of (deals, games) and its half width, NaN left out; None if all are NaN.

    The interval is that of a ratio: the sum over the games of a deal, over their number.
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
