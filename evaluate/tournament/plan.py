"""The plan of a tournament: its game, bots and line-ups, and the generators of its deals."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.envs.rng import WORDS
from bidarena.evaluate.match.blocks import Words
from bidarena.evaluate.match.play import check_limit, check_seats

FORMAT = 1  # of the stored results; raise it when they mean something else than before
# The first version whose results are the same as this one's; raise it when a seed plays other
# games. Folders of versions from this one on are found by their names and gone on with.
SINCE = "0.1.0"
UNIT = 16  # deals whose generators are drawn together

LineUp = tuple[str, ...]


@dataclass(frozen=True)
class Tournament:
    """What is to be played.

    Attributes:
        game: the game with its rules.
        bots: names with options, or files of policies; at least two different ones.
        games: games of each line-up, rounded up to whole deals.
        seed: seed of deals and bots.
        seconds_per_move: time limit of a move; None: no limit.
        only: the line-ups to play, in which every bot appears; None: every set of different bots.
            The order of the bots in a line-up makes no difference.
    """

    game: Game
    bots: tuple[str, ...]
    games: int = 2000
    seed: int = 0
    seconds_per_move: float | None = None
    only: tuple[LineUp, ...] | None = None

    @property
    def seats(self) -> int:
        """The number of bots in a line-up: one for each side."""
        return len(set(self.game.teams))

    @property
    def lineups(self) -> list[LineUp]:
        """The line-ups to play, each in alphabetical order."""
        chosen = combinations(self.bots, self.seats) if self.only is None else self.only
        return [tuple(sorted(lineup)) for lineup in chosen]

    @property
    def deals(self) -> int:
        """The number of deals of each line-up."""
        return -(-self.games // self.seats)

    @property
    def all_games(self) -> int:
        """The number of games of all line-ups."""
        return self.deals * self.seats * len(self.lineups)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that all results in one folder share."""
        return {
            "format": FORMAT,
            "bidarena": SINCE,
            "game": self.game.name,
            "rules": self.game.options,
            "seed": self.seed,
            "seconds_per_move": self.seconds_per_move,
        }

    @property
    def name(self) -> str:
        """A name for the folder: equal tournaments have equal names."""
        told: list[Any] = [self.settings, sorted(self.bots)]
        if self.only is not None:
            told.append(sorted(self.lineups))
        hashed = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
        return f"tournament-{self.game.name}-{hashed[:8]}"


def check(tournament: Tournament) -> None:
    """Raise ValueError unless the tournament can be played."""
    whole("games", tournament.games, 1, 10**7)
    whole("seed", tournament.seed, 0, 2**63)
    check_limit(tournament.seconds_per_move)
    names = list(tournament.bots)
    if tournament.only is not None:
        _check_lineups(tournament)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"bots: expected at least two different ones, got {names}")
    if len(names) < tournament.seats:
        raise ValueError(
            f"bots: a line-up of {tournament.game.name} has {tournament.seats} different ones, got "
            f"only {names}"
        )
    check_seats(tournament.game, names[: tournament.seats])


def _check_lineups(tournament: Tournament) -> None:
    """Raise ValueError unless the chosen line-ups are different, complete and use all bots."""
    only, lineups = tournament.only, tournament.lineups
    if not lineups or len(set(lineups)) < len(lineups):
        raise ValueError(f"only={only!r}: expected different line-ups, at least one")
    for lineup in lineups:
        if len(lineup) != tournament.seats or len(set(lineup)) < len(lineup):
            raise ValueError(
                f"only: a line-up of {tournament.game.name} has {tournament.seats} different "
                f"bots, got {list(lineup)}"
            )
    playing = {bot for lineup in lineups for bot in lineup}
    if playing != set(tournament.bots):
        odd = sorted(playing ^ set(tournament.bots))
        raise ValueError(f"only: expected line-ups of just the bots given; check {', '.join(odd)}")


def deal_words(seed: int, lineup: LineUp, first: int, deals: int) -> tuple[Words, Words]:
    """Return the generators of some deals: their chance, and the luck of the bots.

    The chance of a deal is the same for all line-ups.
    """
    digest = hashlib.sha256(json.dumps(lineup).encode()).digest()
    own = int.from_bytes(digest[:8], "little")
    rotations = len(lineup)
    units = range(first // UNIT, -(-(first + deals) // UNIT))
    shape = [(1, 2**64, (UNIT * games, WORDS), np.uint64) for games in (1, rotations)]
    chance, luck = (
        np.concatenate([np.random.default_rng([*key, unit]).integers(*wanted) for unit in units])
        for key, wanted in (([seed, 0], shape[0]), ([seed, 1, own], shape[1]))
    )
    skip = first - units.start * UNIT
    return (
        chance[skip : skip + deals],
        luck[skip * rotations : (skip + deals) * rotations],
    )
