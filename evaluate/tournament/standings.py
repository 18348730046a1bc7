"""The standings of a tournament: results of all pairs, ratings, averages, times, faults.

`Standings.as_dict()` has these keys, and they stay:

| key | value |
|---|---|
| `game`, `rules`, `seed`, `seconds_per_move` | what was played |
| `games_per_lineup`, `games` | number of games of each line-up, and of all line-ups |
| `bots` | best rating first, each with the keys below |
| `pairs` | each pair of bots that met, once, with the keys below |
| `openskill_games` | number of games from which the openskill ratings come |

Of a bot: `bot`, `games`, `wins`, `draws`, `losses` (a game is won by the only bot with the best
result), `win_rate`, `mean_return` and `mean_return_95` (interval), `mean_points` and
`mean_points_95` (null where a game counts no points), `rating` and `rating_95` (Bradley-Terry, in
Elo), `openskill` (`mu`, `sigma`, `ordinal` = mu - 3 sigma), `moves`, `decisions` (moves that were
not forced), `seconds_per_move`, `exploitability` (what a best response wins on average over all
seats; null where it was not computed), `faults` (a list of `kind`, `reason`, `games` and, of the
first such game, `lineup`, `deal`, `rotation`).

Of a pair: `one`, `two`, `games`, `wins`, `draws`, `losses` of the first against the second (by
the better result), `win_share` (a draw is half a win) with `win_share_95`, `mean_return` of
the first in these games with `mean_return_95`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.evaluate.match.scores import Tally, best_rival, half_width, interval, tallied
from bidarena.evaluate.tournament.meetings import Meeting
from bidarena.evaluate.tournament.plan import Tournament
from bidarena.evaluate.tournament.ratings import Comparisons, bradley_terry, openskill

MOST_RATED = 20_000  # games from which openskill rates, at 0.1 ms a game


@dataclass(frozen=True)
class Standing(Tally):
    """The result of one bot over all its line-ups."""

    rating: float
    rating_half_width: float
    mu: float
    sigma: float
    moves: int
    decisions: int
    seconds: float  # of all its moves
    exploitability: float | None = None  # what a best response wins; None: not computed
    faults: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the standing as a dict for JSON."""
        return {
            **self.counts(),
            **self.means(),
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
            "exploitability": self.exploitability,
            "faults": self.faults,
        }


@dataclass(frozen=True)
class Pair:
    """The result of one bot against another, in all games that both played."""

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
        """Return the result as a dict for JSON."""
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
    pairs: dict[tuple[str, str], Pair]  # pairs that met, in both orders
    openskill_games: int
    meetings: list[Meeting]

    @property
    def exploited(self) -> bool:
        """Whether it was computed of any bot how much it can be exploited."""
        return any(standing.exploitability is not None for standing in self.bots)

    def as_dict(self) -> dict[str, Any]:
        """Return the standings as a dict for JSON, with the keys of this module's table."""
        names = [standing.bot for standing in self.bots]
        played = self.tournament
        return {
            "game": played.game.name,
            "rules": played.game.options,
            "seed": played.seed,
            "seconds_per_move": played.seconds_per_move,
            "games_per_lineup": played.deals * played.seats,
            "games": played.all_games,
            "bots": [standing.as_dict() for standing in self.bots],
            "pairs": [
                self.pairs[pair].as_dict() for pair in combinations(names, 2) if pair in self.pairs
            ],
            "openskill_games": self.openskill_games,
        }


def standings(
    tournament: Tournament,
    meetings: list[Meeting],
    exploited: Mapping[str, float] | None = None,
) -> Standings:
    """Return the standings of a tournament from the games of its line-ups.

    Args:
        tournament: what was played.
        meetings: the games of its line-ups, from `run_tournament`.
        exploited: how much bots can be exploited, from `exploitabilities`.
    """
    names = list(tournament.bots)
    number = {name: k for k, name in enumerate(names)}
    ratings, widths = bradley_terry(comparisons(meetings, number), len(names))
    rated = min(tournament.deals, max(1, MOST_RATED // (len(meetings) * tournament.seats)))
    mu, sigma = openskill(_in_order(meetings, number, rated), len(names))
    found = [
        _standing(tournament, meetings, name, ratings[k], widths[k], mu[k], sigma[k])
        for k, name in enumerate(names)
    ]
    known = exploited or {}
    found = [replace(standing, exploitability=known.get(standing.bot)) for standing in found]
    found.sort(key=lambda standing: -standing.rating)
    met = {pair for meeting in meetings for pair in permutations(meeting.bots, 2)}
    pairs = {pair: _pair(meetings, *pair) for pair in permutations(names, 2) if pair in met}
    return Standings(tournament, found, pairs, rated * len(meetings) * tournament.seats, meetings)


def comparisons(meetings: Sequence[Meeting], number: dict[str, int]) -> Comparisons:
    """Return the comparisons of all pairs of bots in all games, by the better result."""
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
    """Return (deals, rotations) 1 where bot i did better than bot j, 0.5 where as well, else 0."""
    mine, other = met.returns[:, :, i], met.returns[:, :, j]
    made: NDArray[np.float64] = (mine > other) + 0.5 * (mine == other)
    return made


def _in_order(
    meetings: Sequence[Meeting], number: dict[str, int], deals: int
) -> Iterator[tuple[list[int], list[float]]]:
    """Yield the bots and results of the games of the first deals, deal by deal."""
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
    """Return the standing of a bot over all meetings in which it played."""
    moves = decisions = 0
    seconds = 0.0
    returns, rivals, points = [], [], []
    faults: dict[tuple[str, str], dict[str, Any]] = {}
    for met in meetings:
        if name not in met.bots:
            continue
        k = met.bots.index(name)
        returns.append(met.returns[:, :, k])
        rivals.append(best_rival(tournament.game, k, met.returns))
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
    # All line-ups play the same deals, so their games stand side by side.
    return Standing(
        **tallied(
            np.concatenate(returns, axis=1),
            np.concatenate(rivals, axis=1),
            np.concatenate(points, axis=1) if points else None,
        ),
        bot=name,
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
    """Return the result of two bots over all meetings in which both played."""
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
