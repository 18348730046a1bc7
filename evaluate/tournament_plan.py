"""What a tournament is: its game, its bots, its line-ups, and the generators of its deals."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import version
from itertools import combinations
from typing import Any

import numpy as np

from bidarena.envs.check import whole
from bidarena.envs.game import Game
from bidarena.envs.policy_paths import find_policy
from bidarena.envs.registry import bots
from bidarena.envs.rng import WORDS
from bidarena.evaluate.match import check_limit, check_seats
from bidarena.evaluate.playing import Words

FORMAT = 1  # to be raised when results mean something else than before
UNIT = 16  # deals whose generators are drawn together

LineUp = tuple[str, ...]


@dataclass(frozen=True)
class Tournament:
    """What is to be played.

    Attributes:
        game: with its rules.
        bots: names with options, or files of policies; two or more different ones.
        games: for each line-up, rounded up to whole deals.
        seed: of deals and bots.
        seconds_per_move: the time that a bot has; None: as long as it likes.
    """

    game: Game
    bots: tuple[str, ...]
    games: int = 2000
    seed: int = 0
    seconds_per_move: float | None = None

    @property
    def seats(self) -> int:
        """Bots of a line-up: one for each side."""
        return len(set(self.game.teams))

    @property
    def lineups(self) -> list[LineUp]:
        """Every set of different bots, in the order of the alphabet however they are given."""
        return [tuple(sorted(some)) for some in combinations(self.bots, self.seats)]

    @property
    def deals(self) -> int:
        """Of each line-up."""
        return -(-self.games // self.seats)

    @property
    def settings(self) -> dict[str, Any]:
        """What all results of a folder have in common."""
        return {
            "format": FORMAT,
            "bidarena": version("bidarena"),
            "game": self.game.name,
            "rules": self.game.options,
            "seed": self.seed,
            "seconds_per_move": self.seconds_per_move,
        }

    @property
    def name(self) -> str:
        """A name for a folder, which the same command finds again."""
        told = json.dumps([self.settings, sorted(self.bots)], sort_keys=True)
        return f"tournament-{self.game.name}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"


def check(tournament: Tournament) -> None:
    """Refuse what cannot be played, before anything is written."""
    whole("games", tournament.games, 1, 10**7)
    whole("seed", tournament.seed, 0, 2**63)
    check_limit(tournament.seconds_per_move)
    names = list(tournament.bots)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"bots: expected at least two different ones, got {names}")
    if len(names) < tournament.seats:
        raise ValueError(
            f"bots: a line-up of {tournament.game.name} has {tournament.seats} different ones, got "
            f"only {names}"
        )
    check_seats(tournament.game, names[: tournament.seats])


def deal_words(seed: int, lineup: LineUp, first: int, deals: int) -> tuple[Words, Words]:
    """The generators of some deals: of their chance, the same for all line-ups, and of the bots."""
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


def digest(game: Game, bot: str) -> str:
    """Of the file that a policy is read from; empty for a bot with a name."""
    if bot.partition(":")[0].removeprefix(f"{game.name}/") in bots(game.name):
        return ""  # names come before files, as in `make_bot`
    found = find_policy(bot)
    return "" if found is None else hashlib.sha256(found[0].read_bytes()).hexdigest()
