"""Measures saved policies against the bots of their game and against the exact solution."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bidarena.baselines.learned.policy_file import load_policy, policy_bot
from bidarena.envs.game import Game
from bidarena.envs.registry import make_bot, make_game, playing
from bidarena.envs.registry.paths import EXPECTED, find_policy
from bidarena.evaluate.appraisal.strength import Truth, against, asked, truth_of
from bidarena.evaluate.match import Score


@dataclass(frozen=True)
class Appraisal:
    """The measured strength of one policy."""

    name: str  # name of the run folder or of the file
    path: Path  # the policy file
    game: Game
    info: dict[str, Any]  # contents of the file: algorithm, steps, seed, command
    scores: dict[str, Score]  # by rival
    truth: Truth | None
    curve: list[dict[str, str]]  # measurements during training, if it is in a run folder

    def as_dict(self) -> dict[str, Any]:
        """Return the appraisal as a dict for JSON."""
        truth = self.truth
        return {
            "name": self.name,
            "path": str(self.path),
            "game": self.game.name,
            "rules": self.game.options,
            "info": self.info,
            "scores": {rival: score.as_dict() for rival, score in self.scores.items()},
            "truth": truth
            and {
                "name": truth.name,
                "value": truth.value,
                "also": truth.also,
                "exact": truth.exact,
                "details": truth.details,
            },
            "untrained": self.untrained(),
        }

    def untrained(self) -> dict[str, float]:
        """Return the measurements before training, by name."""
        return {row["measure"]: float(row["value"]) for row in self.curve if row["steps"] == "0"}


def appraise(
    paths: Sequence[Path],
    *,
    rivals: Sequence[str] = (),
    games: int = 2000,
    seed: int = 0,
    exact: bool = True,
    deterministic: bool = False,
    begin: Callable[[int, str], Callable[[int], None]] | None = None,
) -> list[Appraisal]:
    """Measure saved policies of one game and return an appraisal of each.

    Args:
        paths: policy files or run folders.
        rivals: bots with their options; none: all fair bots of the game, slow ones with options
            that make them faster.
        games: games of each match.
        seed: seed of all matches: every policy plays the same deals.
        exact: whether to take the exact measure too, where there is one.
        deterministic: whether the policies always take their likeliest action.
        begin: `begin(games, name)` starts a progress bar and returns the function that advances it
            by a number of games.
    """
    files = [load_policy(_file_of(path)) for path in paths]
    kinds = {file.game for file in files}
    if len(kinds) > 1:
        raise ValueError(f"policies: expected all for one game, got {', '.join(sorted(kinds))}")
    made = [make_game(file.game, **file.options) for file in files]
    named = list(rivals) or list(playing(made[0])[0])
    for rival in named:
        make_bot(made[0], rival)  # raises before anything is played
    found = []
    for path, file, game in zip(paths, files, made, strict=True):
        name = path.name if path.is_dir() else path.stem
        bot = policy_bot(game, file.path, deterministic=deterministic)
        advance = begin(len(named) * games, name) if begin is not None else None
        scores = against(game, bot, named, games, seed=seed, progress=advance)
        truth = truth_of(game, asked(file.network, bot)) if exact else None
        curve = _curve(Path(file.path).parent)
        found.append(Appraisal(name, Path(file.path), game, file.info, scores, truth, curve))
    return found


def _file_of(path: Path) -> Path:
    """Return the policy file of a path; raise ValueError if there is none."""
    found = find_policy(str(path))
    if found is None or found[0].suffix != ".safetensors":
        raise ValueError(f"policy={str(path)!r}: expected {EXPECTED}; a zip plays in matches only")
    return found[0]


def _curve(folder: Path) -> list[dict[str, str]]:
    """Return the rows of evaluations.csv in a run folder, if it is there."""
    path = folder / "evaluations.csv"
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
