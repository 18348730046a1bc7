"""What a tournament says: who beat whom and how often, ratings, averages, times, faults.

`Standings.as_dict()` has these keys, and they stay:

| key | value |
|---|---|
| `game`, `rules`, `seed`, `seconds_per_move` | what was played |
| `games_per_lineup`, `games` | for each line-up, and of all of them |
| `bots` | best rating first, each with the keys below |
| `pairs` | each pair of bots once, with the keys below |
| `openskill_games` | how many games the openskill ratings come from |

Of a bot: `bot`, `games`, `wins`, `draws`, `losses` (a game is won by who has the best result
alone), `win_rate`, `mean_return` and `mean_return_95` (interval), `mean_points` and
`mean_points_95` (null where a game counts nothing), `rating` and `rating_95` (Bradley-Terry, in
Elo), `openskill` (`mu`, `sigma`, `ordinal` = mu - 3 sigma), `moves`, `decisions` (moves that were
not forced), `seconds_per_move`, `faults` (a list of `kind`, `reason`, `games` and, of the first
such game, `lineup`, `deal`, `rotation`).

Of a pair: `one`, `two`, `games`, `wins`, `draws`, `losses` of the first against the second (by
whose result is better), `win_share` (a draw is half a win) with `win_share_95`, `mean_return` of
the first in these games with `mean_return_95`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.evaluate.meetings import Meeting
from bidarena.evaluate.ratings import Comparisons, bradley_terry, openskill
from bidarena.evaluate.scores import best_rival, half_width, interval, mean_over_deals
from bidarena.evaluate.tournament_plan import Tournament

MOST_RATED = 20_000  # games that openskill is fed with, which takes 0.1 ms for each


@dataclass(frozen=True)
class Standing:
    """How one bot fared."""

    bot: str
    games: int
    wins: int
    draws: int
    losses: int
    mean: float
    half_width: float
    points: float | None
    points_half_width: float | None
    rating: float
    rating_half_width: float
    mu: float
    sigma: float
    moves: int
    decisions: int
    seconds: float  # of all its moves
    faults: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "bot": self.bot,
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "win_rate": self.wins / self.games,
            "mean_return": self.mean,
            "mean_return_95": interval(self.mean, self.half_width),
            "mean_points": self.points,
            "mean_points_95": interval(self.points, self.points_half_width),
            "rating": self.rating,
            "rating_95": interval(self.rating, self.rating_half_width),
            "openskill": {
                "mu": self.mu,
                "sigma": self.sigma,
                "ordinal": self.mu - 3 * self.sigma,
            },
            "moves": self.moves,
            "decisions": self.decisions,
            "seconds_per_move": self.seconds / self.moves if self.moves else None,
            "faults": self.faults,
        }


@dataclass(frozen=True)
class Pair:
    """How one bot fared against another, in all games in which both sat."""

    one: str
    two: str
    games: int
    wins: int
    draws: int
    losses: int
    share: float  # of the first: wins, and half of the draws
    share_half_width: float
    mean: float  # return of the first
    half_width: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "one": self.one,
            "two": self.two,
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "win_share": self.share,
            "win_share_95": interval(self.share, self.share_half_width),
            "mean_return": self.mean,
            "mean_return_95": interval(self.mean, self.half_width),
        }


@dataclass(frozen=True)
class Standings:
    """The result of a tournament."""

    tournament: Tournament
    bots: list[Standing]  # best rating first
    pairs: dict[tuple[str, str], Pair]  # both ways
    openskill_games: int
    meetings: list[Meeting]

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the keys are those of this module's table."""
        names = [standing.bot for standing in self.bots]
        played = self.tournament
        return {
            "game": played.game.name,
            "rules": played.game.options,
            "seed": played.seed,
            "seconds_per_move": played.seconds_per_move,
            "games_per_lineup": played.deals * played.seats,
            "games": played.deals * played.seats * len(self.meetings),
            "bots": [standing.as_dict() for standing in self.bots],
            "pairs": [self.pairs[pair].as_dict() for pair in combinations(names, 2)],
            "openskill_games": self.openskill_games,
        }


def standings(tournament: Tournament, meetings: list[Meeting]) -> Standings:
    """Count what was played."""
    names = list(tournament.bots)
    number = {name: k for k, name in enumerate(names)}
    ratings, widths = bradley_terry(comparisons(meetings, number), len(names))
    rated = min(tournament.deals, max(1, MOST_RATED // (len(meetings) * tournament.seats)))
    mu, sigma = openskill(_in_order(meetings, number, rated), len(names))
    found = [
        _standing(tournament, meetings, name, ratings[k], widths[k], mu[k], sigma[k])
        for k, name in enumerate(names)
    ]
    found.sort(key=lambda standing: -standing.rating)
    pairs = {(one, two): _pair(meetings, one, two) for one in names for two in names if one != two}
    return Standings(tournament, found, pairs, rated * len(meetings) * tournament.seats, meetings)


def comparisons(meetings: Sequence[Meeting], number: dict[str, int]) -> Comparisons:
    """All pairs of bots in all games, by whose result is better."""
    ones, twos, scores, deals = [], [], [], []
    for met in meetings:
        count, rotations = met.returns.shape[:2]
        where = np.repeat(np.arange(count), rotations)
        for i, j in combinations(range(len(met.bots)), 2):
            scores.append(_share(met, i, j).ravel())
            ones.append(np.full(count * rotations, number[met.bots[i]]))
            twos.append(np.full(count * rotations, number[met.bots[j]]))
            deals.append(where)
    return Comparisons(*(np.concatenate(parts) for parts in (ones, twos, scores, deals)))


def _share(met: Meeting, i: int, j: int) -> NDArray[np.float64]:
    """(deals, rotations) 1 where bot i did better than bot j, 0.5 where they did as well."""
    mine, other = met.returns[:, :, i], met.returns[:, :, j]
    made: NDArray[np.float64] = (mine > other) + 0.5 * (mine == other)
    return made


def _in_order(
    meetings: Sequence[Meeting], number: dict[str, int], deals: int
) -> Iterator[tuple[list[int], list[float]]]:
    """The games of the first deals: deal by deal, in each of them all line-ups from all seats."""
    for deal in range(deals):
        for met in meetings:
            who = [number[bot] for bot in met.bots]
            for results in met.returns[deal]:
                yield who, results[: len(who)].tolist()


def _standing(
    tournament: Tournament,
    meetings: Sequence[Meeting],
    name: str,
    rating: float,
    rating_half_width: float,
    mu: float,
    sigma: float,
) -> Standing:
    wins = losses = games = moves = decisions = 0
    seconds = 0.0
    returns, points = [], []
    faults: dict[tuple[str, str], dict[str, Any]] = {}
    for met in meetings:
        if name not in met.bots:
            continue
        k = met.bots.index(name)
        mine, rival = met.returns[:, :, k], best_rival(tournament.game, k, met.returns)
        wins += int((mine > rival).sum())
        losses += int((mine < rival).sum())
        games += mine.size
        returns.append(mine)
        if met.points is not None:
            points.append(met.points[:, :, k])
        moves += met.asked[k]
        decisions += met.decisions[k]
        seconds += met.thinking[k]
        for deal, rotation, bot, kind, reason in met.faults:
            if bot == k:
                first = {"lineup": list(met.bots), "deal": deal, "rotation": rotation}
                told = {"kind": kind, "reason": reason, "games": 0, **first}
                faults.setdefault((kind, reason), told)["games"] += 1
    together = np.concatenate(returns, axis=1)  # all line-ups play the same deals
    mean_points, points_half_width = mean_over_deals(
        np.concatenate(points, axis=1) if points else None
    )
    return Standing(
        bot=name,
        games=games,
        wins=wins,
        draws=games - wins - losses,
        losses=losses,
        mean=float(together.mean()),
        half_width=half_width(together.mean(axis=1)),
        points=mean_points,
        points_half_width=points_half_width,
        rating=float(rating),
        rating_half_width=float(rating_half_width),
        mu=float(mu),
        sigma=float(sigma),
        moves=moves,
        decisions=decisions,
        seconds=seconds,
        faults=sorted(faults.values(), key=lambda told: (-told["games"], told["reason"])),
    )


def _pair(meetings: Sequence[Meeting], one: str, two: str) -> Pair:
    shares, returns = [], []
    for met in meetings:
        if one in met.bots and two in met.bots:
            i, j = met.bots.index(one), met.bots.index(two)
            shares.append(_share(met, i, j))
            returns.append(met.returns[:, :, i])
    share, mine = np.concatenate(shares, axis=1), np.concatenate(returns, axis=1)
    return Pair(
        one=one,
        two=two,
        games=share.size,
        wins=int((share == 1.0).sum()),
        draws=int((share == 0.5).sum()),
        losses=int((share == 0.0).sum()),
        share=float(share.mean()),
        share_half_width=half_width(share.mean(axis=1)),
        mean=float(mine.mean()),
        half_width=half_width(mine.mean(axis=1)),
    )
