"""Plays matches between bots: every deal from every seat, in blocks, here or in processes."""

from __future__ import annotations

import pickle
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.envs.learner import player_of
from bidarena.envs.registry import Bot, make_game
from bidarena.envs.rng import WORDS
from bidarena.evaluate.match.blocks import Block, Player, Words, play_deals, prepare
from bidarena.evaluate.match.ready import check_loads, ready
from bidarena.evaluate.match.record import block_records, records_to
from bidarena.evaluate.match.scores import Score, add_faults, faults_by_bot, score_of
from bidarena.evaluate.workers import Do, in_processes
from bidarena.evaluate.workers.pace import Pace
from bidarena.evaluate.workers.preparing import player as made_player
from bidarena.evaluate.workers.preparing import turn

ROWS = 4096  # games of a block, played side by side


@dataclass(frozen=True)
class Match:
    """The result of a match."""

    scores: list[Score]
    games: int
    moves: int
    seconds: float
    results: NDArray[np.float64]  # (deals, rotations, bots) the return of each bot in each game
    decisions: list[int]  # moves of each bot that were not forced
    thinking: list[float]  # seconds of all moves of each bot
    asked: list[int] = field(default_factory=list)  # moves of each bot
    cpu: list[float] = field(default_factory=list)  # CPU seconds of the moves of each bot
    wanted: int = 0  # games that were to be played: more than `games` after Ctrl-C
    stopped: KeyboardInterrupt | None = None  # what ended the match early: Ctrl-C, or SIGTERM


def play_match(
    game: str | Game,
    bots: Sequence[str | Player],
    games: int = 1000,
    *,
    seed: int = 0,
    names: Sequence[str] | None = None,
    progress: Callable[[int], None] | None = None,
    processes: int = 1,
    do: Do | None = None,
    seconds_per_move: float | None = None,
    record: str | Path | None = None,
    keep_on_interrupt: bool = False,
    **rules: Any,
) -> Match:
    """Play `games` games between `bots`, one for each seat or, with partners, one for each side.

    Every deal is played once from each rotation of the seats, with the same chance; the number of
    games is rounded up to whole deals. A bot for a side plays all its seats, and each deal is
    played once from each side. The result depends on the seed only, unless a bot thinks by the
    clock, remembers earlier games, or draws random numbers of its own.

    A bot that raises an exception, answers illegally or takes longer than `seconds_per_move` loses
    that game; `Score.faults` counts these games by reason. Python code is interrupted at the limit.
    A compiled bot cannot be interrupted: each of its moves is timed inside the compiled code, and a
    move that took too long loses the game when it is over. A batched policy has the time of all
    moves that it is asked for together. If it fails, it is asked again row by row, to find the
    games in which it fails.

    Games are played in pieces of about two seconds, so that with slow bots progress is seen and
    records are written on the way.

    Args:
        game: a name, as `bidarena list` shows them, or a `Game`.
        bots: as many as the game has players, or sides: names with options, `Bot`s, or callables.
        games: number of games.
        seed: seed of deals and bots.
        names: names of the bots in the result; by default their own names.
        progress: called with the number of games just finished.
        processes: number of processes that play at the same time; the result does not depend on
            it. With more than one, bots that are not names must be picklable.
        do: executor from `workers()`, used instead of `processes`.
        seconds_per_move: time limit of a move; None: no limit.
        record: file to write all games to, a line of JSON each (see `record.py`). While the match
            is played they are in a file beside it that ends in ".part".
        keep_on_interrupt: on Ctrl-C return the games played so far, if there are any, instead of
            raising KeyboardInterrupt.
        **rules: the rules of the game.

    Raises:
        ValueError: an argument is wrong, or a bot in another process cannot be loaded.
    """
    game = make_game(game, **rules)
    rotations = check_seats(game, bots)
    games = whole("games", games, 1, 10**7)
    whole("seed", seed, 0, 2**63)
    processes = whole("processes", processes, 1, 256)
    check_limit(seconds_per_move)
    players = [player_of(game, bot) for bot in bots]
    if names is None:
        names = [_name(bot, player) for bot, player in zip(bots, players, strict=True)]
    for name, player in zip(names, players, strict=True):
        check_loads(name, player)
    deals = -(-games // rotations)
    done = np.zeros(deals, np.bool_)
    results = np.zeros((deals, rotations, game.players))  # by bot, not by seat
    points = np.zeros_like(results) if game.score is not None else None
    faults: list[Counter[str]] = [Counter() for _ in names]
    asked, decisions = [0] * rotations, [0] * rotations
    thinking, cpu = [0.0] * rotations, [0.0] * rotations
    size = max(1, ROWS // rotations)
    jobs = [
        _Job(
            game, tuple(bots), seed, first, min(size, deals - first), seconds_per_move, bool(record)
        )
        for first in range(0, deals, size)
    ]
    if do is None:
        prepare(game, players)
    began = time.perf_counter()
    stopped = None
    with records_to(record) as write:
        try:
            if do is None:
                played = _blocks(jobs, players, processes, progress)
            else:
                played = _pieces(jobs, do, progress)
            for job, block in played:
                part = slice(*job.bounds)
                done[part] = True
                results[part] = block.returns
                if points is not None:
                    points[part] = block.points
                for k, counted in enumerate(faults_by_bot(block, game.players)):
                    add_faults(faults[k], counted)
                    asked[k] += block.asked[k]
                    decisions[k] += block.decisions[k]
                    thinking[k] += block.thinking[k]
                    cpu[k] += block.cpu[k]
                if record is not None:
                    chance, _ = _words(job, rotations)
                    lines = block_records(game, names, seed, part.start, chance, block)
                    write(part.start, part.stop - part.start, lines)
        except KeyboardInterrupt as interrupt:
            if not keep_on_interrupt or not done.any():
                raise
            stopped = interrupt
    seconds = time.perf_counter() - began
    results = results[done]
    points = None if points is None else points[done]
    scores = [score_of(game, k, names[k], results, points, faults[k]) for k in range(rotations)]
    by_bot = results[:, :, :rotations]  # the others are the same bots in their other seats
    return Match(
        scores=scores,
        games=len(results) * rotations,
        moves=sum(asked),
        seconds=seconds,
        results=by_bot,
        decisions=decisions,
        thinking=thinking,
        asked=asked,
        cpu=cpu,
        wanted=deals * rotations,
        stopped=stopped,
    )


def check_seats(game: Game, bots: Sequence[Any]) -> int:
    """Return the number of rotations; raise ValueError unless the bots fill all seats."""
    if isinstance(bots, str):
        raise ValueError(f"bots={bots!r}: expected a list, one for each seat")
    sides = len(set(game.teams))
    if len(bots) not in (game.players, sides):
        wanted = f"{game.players} players" + f" on {sides} sides" * (sides < game.players)
        raise ValueError(f"bots: {game.name} has {wanted}, got {len(bots)}: {list(bots)}")
    if any(game.teams[seat] != game.teams[seat % len(bots)] for seat in range(game.players)):
        raise ValueError(f"bots: give one for each of the {game.players} seats of {game.name}")
    return len(bots)


def check_limit(seconds_per_move: float | None) -> None:
    """Raise ValueError unless the limit is None or in (0, 1e6]."""
    limit: Any = seconds_per_move
    good = isinstance(limit, int | float) and not isinstance(limit, bool) and 0 < limit <= 1e6
    if limit is not None and not good:
        raise ValueError(f"seconds_per_move={limit!r}: expected seconds above 0 and up to 1000000")


# --- blocks --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Job:
    """A block of deals to play, or a part of it."""

    game: Game
    bots: tuple[str | Player, ...]
    seed: int
    first: int
    deals: int
    limit: float | None
    keep_actions: bool
    part: tuple[int, int] | None = None  # (first, last + 1) of the block's deals; None: all

    @property
    def bounds(self) -> tuple[int, int]:
        """(first deal, last deal + 1) of the match."""
        first, last = self.part or (0, self.deals)
        return self.first + first, self.first + last

    def __str__(self) -> str:
        return f"the block of deals from {self.first} on"


def _blocks(
    jobs: list[_Job],
    players: list[Player],
    processes: int,
    progress: Callable[[int], None] | None,
) -> Iterator[tuple[_Job, Block]]:
    """Yield jobs with their blocks, played here or in processes."""
    asked = not all(isinstance(player, Bot) and player.outside is None for player in players)
    if not asked:  # compiled bots are so quick that other processes would start too late
        processes = min(processes, len(jobs))
    if processes == 1:
        pace = Pace()
        for piece in _cut(jobs, pace):
            began = time.perf_counter()
            block = _play(piece, players, progress)
            first, last = piece.bounds
            pace.took(last - first, time.perf_counter() - began)
            yield piece, block
        return
    try:
        pickle.dumps(jobs[0])
    except Exception as reason:  # pickling runs code of the bots
        raise ValueError(
            f"processes={processes}: these bots cannot be sent to other processes ({reason}); give "
            "names or functions of a module, or play with processes=1"
        ) from None
    if asked:
        yield from _pieces(jobs, partial(in_processes, processes=processes), progress)
        return
    for job, block in in_processes(_play_there, jobs, processes):
        if progress is not None:
            progress(job.deals * len(job.bots))
        yield job, block


def _pieces(
    jobs: list[_Job], do: Do, progress: Callable[[int], None] | None
) -> Iterator[tuple[_Job, Block]]:
    """Yield jobs with their blocks, cut into pieces that `do` plays.

    The games are those of `_blocks`, because a piece takes its generators from the whole block.
    """
    pace = Pace()
    for piece, (block, seconds) in do(_play_piece, _cut(jobs, pace)):
        first, last = piece.bounds
        pace.took(last - first, seconds)
        if progress is not None:
            progress((last - first) * len(piece.bots))
        yield piece, block


def _cut(jobs: list[_Job], pace: Pace) -> Iterator[_Job]:
    """Yield all jobs in pieces of the size that `pace` has when they are asked for."""
    for job in jobs:
        first = 0
        while first < job.deals:
            last = min(first + pace.size, job.deals)
            yield replace(job, part=(first, last))
            first = last


def _play_piece(job: _Job) -> tuple[Block, float]:
    """Play a piece on any machine; return its games and the seconds it took."""
    players: list[Player] = []
    for bot in job.bots:
        if isinstance(bot, str):
            players.append(ready(job.game, bot))
            continue
        players.append(player_of(job.game, bot))
        if isinstance(bot, Bot):
            with turn(f"{job.game.key.hex()} {bot.name} {bot.act.__module__} {list(bot.more)}"):
                prepare(job.game, [bot])
    prepare(job.game, players)
    began = time.perf_counter()
    return _play(job, players, None), time.perf_counter() - began


def _play_there(job: _Job) -> Block:
    """Play a block in another process."""
    players = [
        made_player(job.game, bot) if isinstance(bot, str) else player_of(job.game, bot)
        for bot in job.bots
    ]
    prepare(job.game, players)
    return _play(job, players, None)


def _play(job: _Job, players: list[Player], progress: Callable[[int], None] | None) -> Block:
    chance, luck = _words(job, len(players))
    return play_deals(
        *(job.game, players, chance, luck),
        limit=job.limit,
        keep_actions=job.keep_actions,
        progress=progress,
    )


def _words(job: _Job, rotations: int) -> tuple[Words, Words]:
    """Return the generators of a job: of its deals, and of the bots in its games."""
    shapes = (job.deals, WORDS), (job.deals * rotations, WORDS)
    made = [
        np.random.default_rng([job.seed, use, job.first]).integers(1, 2**64, shape, np.uint64)
        for use, shape in enumerate(shapes)
    ]
    first, last = job.part or (0, job.deals)
    return made[0][first:last], made[1][first * rotations : last * rotations]


def _name(spec: str | Player, player: Player) -> str:
    if isinstance(spec, str):
        return spec
    return str(getattr(player, "name", None) or getattr(player, "__name__", type(player).__name__))
