"""Saved policies against every bot of their game and against the truth, side by side."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bidarena.baselines.policy_file import load_policy, policy_bot
from bidarena.envs.game import Game
from bidarena.envs.policy_paths import EXPECTED, find_policy
from bidarena.envs.registry import make_bot, make_game, playing
from bidarena.evaluate.match import Score
from bidarena.evaluate.strength import Truth, against, asked, truth_of


@dataclass(frozen=True)
class Appraisal:
    """What was found of one policy."""

    name: str  # of the run, or of the file
    path: Path  # of the policy
    game: Game
    info: dict[str, Any]  # what its file tells: algorithm, steps, seed, command
    scores: dict[str, Score]  # by rival
    truth: Truth | None
    curve: list[dict[str, str]]  # what was measured while it learned, if it is in a run folder

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
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
        """What was measured before anything was learned, by measure."""
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
    """Measure saved policies of one game.

    Args:
        paths: policy files or run folders.
        rivals: bots with their options; none: all fair bots of the game, the thinking ones with
            modest options.
        games: of each match.
        seed: of all matches: every policy plays the same deals.
        exact: also by the exact measure, where there is one.
        deterministic: let the policies always take their likeliest action.
        begin: called with the number of games and what is played; returns what is called with the
            number of games just finished.
    """
    files = [load_policy(_file_of(path)) for path in paths]
    kinds = {file.game for file in files}
    if len(kinds) > 1:
        raise ValueError(f"policies: expected all for one game, got {', '.join(sorted(kinds))}")
    made = [make_game(file.game, **file.options) for file in files]
    named = list(rivals) or list(playing(made[0])[0])
    for rival in named:
        make_bot(made[0], rival)  # refused before anything is played
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
    found = find_policy(str(path))
    if found is None or found[0].suffix != ".safetensors":
        raise ValueError(f"policy={str(path)!r}: expected {EXPECTED}; a zip plays in matches only")
    return found[0]


def _curve(folder: Path) -> list[dict[str, str]]:
    path = folder / "evaluations.csv"
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
