"""Duels: many pairs of bots on the same deals, in pieces that survive whatever stops them.

The deals are cut into blocks. One block of one pair is a job; its deals depend on the seed and the
number of the block alone, so that all pairs play the same ones and the result does not depend on
the number of processes or on interruptions. Jobs that are done are lines of `results.jsonl` in a
folder, with `manifest.json` beside it, which tells what they are results of.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.check import whole
from bidarena.envs.files import lock, write_json
from bidarena.envs.game import Game
from bidarena.envs.learner import player_of
from bidarena.envs.registry import make_game
from bidarena.evaluate.match import play_match
from bidarena.evaluate.playing import Player, prepare
from bidarena.evaluate.preparing import ready
from bidarena.evaluate.workers import workers

MANIFEST, RESULTS = "manifest.json", "results.jsonl"

Pair = tuple[str, str]


@dataclass(frozen=True)
class Duels:
    """What is to be played.

    Attributes:
        game: the name of a game of two players or sides.
        pairs: bots with their options.
        deals: how many for each pair, rounded up to whole blocks; each is played from both sides.
        block: deals of a job.
        seed: of deals and bots.
        version: to be raised when results mean something else than before.
        rules: the rules of the game.
    """

    game: str
    pairs: tuple[Pair, ...]
    deals: int
    block: int = 5
    seed: int = 0
    version: int = 1
    rules: Mapping[str, Any] = field(default_factory=dict)

    @property
    def blocks(self) -> int:
        """How many blocks each pair plays."""
        return -(-self.deals // self.block)

    @property
    def jobs(self) -> list[Job]:
        """All jobs, the first block of all pairs first: what is there early is already balanced."""
        shared = (self.game, dict(self.rules), self.seed, self.block)
        return [Job(pair, k, *shared) for k in range(self.blocks) for pair in self.pairs]


@dataclass(frozen=True)
class Job:
    """One block of one pair."""

    pair: Pair
    number: int
    game: str
    rules: dict[str, Any]
    seed: int
    deals: int

    @property
    def key(self) -> tuple[Pair, int]:
        """What tells it from the other jobs of a folder."""
        return self.pair, self.number

    def __str__(self) -> str:
        return f"block {self.number} of {' against '.join(self.pair)}"


@dataclass(frozen=True)
class Duel:
    """How a pair fared. Pairs of numbers are those of the first and of the second bot."""

    results: NDArray[np.float64]  # (deals,) of the first bot, the mean over both sides
    moves: int
    seconds: float
    decisions: tuple[int, int]  # moves that were not forced
    thinking: tuple[float, float]  # seconds of all moves


def run_duels(
    duels: Duels,
    folder: str | Path,
    *,
    processes: int = 1,
    ray: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[Pair, Duel]:
    """Play what is not yet in the folder; the results of all pairs.

    Args:
        duels: what to play. More pairs and more deals than before go on from what is there.
        folder: where results are kept; made if it does not exist.
        processes: how many play at the same time.
        ray: play on a Ray instead, with this address or "local"; see `bidarena.evaluate.workers`.
        progress: called with the number of jobs just done, first with those found in the folder.
    """
    game, players = _checked(duels)
    if ray is not None:
        from bidarena.evaluate.ray_workers import refuse_elsewhere

        refuse_elsewhere(players)
    processes = whole("processes", processes, 1, 256)
    jobs = duels.jobs
    with _store(Path(folder), _manifest(duels, game)) as (done, file):
        left = [job for job in jobs if job.key not in done]
        if progress is not None:
            progress(len(jobs) - len(left))
        if processes > 1 and left and ray is None:  # so that they find their code on disk
            for bot in sorted({bot for job in left for bot in job.pair}):
                prepare(game, [players[bot]])
        if left:
            with workers(processes, ray) as do:
                for job, line in do(play_job, left):
                    _append(file, line)
                    done[job.key] = line
                    if progress is not None:
                        progress(1)
    return {pair: _joined([done[pair, k] for k in range(duels.blocks)]) for pair in duels.pairs}


def play_job(job: Job) -> dict[str, Any]:
    """Play a job; its line in the file of results."""
    # Not seed + number: blocks of one seed would be those of the next one.
    seed = int(np.random.SeedSequence([job.seed, job.number]).generate_state(1, np.uint64)[0] >> 1)
    game = make_game(job.game, **job.rules)
    for bot in job.pair:
        ready(game, bot)  # compiled; the match makes bots of its own, without a past
    match = play_match(game, list(job.pair), 2 * job.deals, seed=seed)
    return {
        "pair": list(job.pair),
        "block": job.number,
        "results": match.results[:, :, 0].mean(axis=1).tolist(),
        "moves": match.moves,
        "seconds": match.seconds,
        "decisions": match.decisions,
        "thinking": match.thinking,
    }


def _checked(duels: Duels) -> tuple[Game, dict[str, Player]]:
    """The game and its bots; refuses what cannot be played before anything is written."""
    game = make_game(duels.game, **duels.rules)
    if len(set(game.teams)) != 2:
        raise ValueError(f"game={duels.game!r}: expected a game of two players or sides")
    whole("deals", duels.deals, 1, 10**6)
    whole("block", duels.block, 1, 10**6)
    whole("seed", duels.seed, 0, 2**63)
    if not duels.pairs or len(set(duels.pairs)) < len(duels.pairs):
        raise ValueError(f"pairs={duels.pairs!r}: expected different pairs, at least one")
    names = {bot for pair in duels.pairs for bot in pair}
    return game, {bot: player_of(game, bot) for bot in sorted(names)}


def _joined(lines: list[dict[str, Any]]) -> Duel:
    """One duel of its blocks."""
    return Duel(
        results=np.concatenate([line["results"] for line in lines]),
        moves=sum(line["moves"] for line in lines),
        seconds=sum(line["seconds"] for line in lines),
        decisions=(
            sum(line["decisions"][0] for line in lines),
            sum(line["decisions"][1] for line in lines),
        ),
        thinking=(
            sum(line["thinking"][0] for line in lines),
            sum(line["thinking"][1] for line in lines),
        ),
    )


# --- the folder ----------------------------------------------------------------------------------


def _manifest(duels: Duels, game: Game) -> dict[str, Any]:
    """What all results of a folder have in common."""
    made: dict[str, Any] = json.loads(
        json.dumps(
            {
                "version": duels.version,
                "game": game.name,
                "rules": dict(game.options),
                "seed": duels.seed,
                "block": duels.block,
            }
        )
    )
    return made


@contextmanager
def _store(
    folder: Path, manifest: dict[str, Any]
) -> Iterator[tuple[dict[tuple[Pair, int], dict[str, Any]], BinaryIO]]:
    """The lines of a folder by job, and the file to append to; nobody else may use it meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / RESULTS).open("ab") as file:
        lock(file, folder)
        _check_manifest(folder, manifest)
        done, good = _read(folder / RESULTS)
        file.truncate(good)
        yield done, file


def _check_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    path = folder / MANIFEST
    if not path.exists():
        if (folder / RESULTS).stat().st_size:
            raise ValueError(
                f"folder={str(folder)!r}: holds {RESULTS} without {MANIFEST}, so nobody knows what "
                "they are results of; choose another folder"
            )
        write_json(path, manifest)
        return
    before = json.loads(path.read_text())
    if before == manifest:
        return
    differ = [key for key in {**before, **manifest} if before.get(key) != manifest.get(key)]
    was, now = (
        ", ".join(f"{key}={settings.get(key)!r}" for key in differ)
        for settings in (before, manifest)
    )
    raise ValueError(
        f"folder={str(folder)!r}: was begun with {was}, not {now}; go on with the same settings or "
        "choose another folder"
    )


def _read(path: Path) -> tuple[dict[tuple[Pair, int], dict[str, Any]], int]:
    """The lines by job, and the length of the part that is whole.

    What was killed while writing leaves a torn last line, which is to be played again.
    """
    done: dict[tuple[Pair, int], dict[str, Any]] = {}
    text = path.read_bytes()
    good = text.rfind(b"\n") + 1
    for number, line in enumerate(text[:good].splitlines(), 1):
        try:
            found = json.loads(line)
            key = ((found["pair"][0], found["pair"][1]), found["block"])
        except (ValueError, TypeError, LookupError):
            raise ValueError(f"{path}: line {number} is damaged; remove it and go on") from None
        done.setdefault(key, found)
    return done, good


def _append(file: BinaryIO, line: dict[str, Any]) -> None:
    file.write(json.dumps(line).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())
