"""Tournaments: all line-ups of some bots on the same deals, in pieces that survive what stops them.

Deals are numbered. What happens in a deal depends on the seed, its number and the line-up alone, so
the result does not depend on how the deals are cut into pieces, on the number of processes or on
interruptions. A piece is played in some seconds and kept in a database when it is over.

In a game of two players or sides every bot meets every other one. In a game of three or more, each
for himself, every set of so many different bots plays; who sat ahead of whom in the result is what
the bots are compared by.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bidarena.envs.check import whole
from bidarena.envs.game import Game
from bidarena.evaluate.match import ROWS
from bidarena.evaluate.meetings import Meeting, meeting
from bidarena.evaluate.playing import Block, play_deals, prepare
from bidarena.evaluate.preparing import player, ready
from bidarena.evaluate.store import Store, open_store
from bidarena.evaluate.tournament_plan import LineUp, Tournament, check, deal_words, digest
from bidarena.evaluate.workers import workers

__all__ = ["Meeting", "Tournament", "run_tournament"]

PIECE = 2.0  # seconds that a piece should take
SHORTEST = 0.1  # seconds of the last ones, so that nobody waits long for whoever ends last
FIRST_PIECE, GROWTH = 2, 8  # deals of a first piece; by how much the next one may be larger


def run_tournament(
    tournament: Tournament,
    folder: str | Path,
    *,
    processes: int = 1,
    ray: str | None = None,
    samples: int = 2,
    progress: Callable[[int], None] | None = None,
) -> list[Meeting]:
    """Play what is not yet in the folder; what all line-ups have played.

    Args:
        tournament: what to play. More games and other bots than before go on from what is there.
        folder: where results are kept; made if it does not exist.
        processes: how many play at the same time.
        ray: play on a Ray instead, with this address or "local"; see `bidarena.evaluate.workers`.
        samples: games of each line-up that come with their records, from the first deals on; games
            with a fault come before others.
        progress: called with the number of games just played, first with those in the folder.
    """
    check(tournament)
    processes = whole("processes", processes, 1, 256)
    players = {bot: player(tournament.game, bot) for bot in tournament.bots}
    if ray is not None:
        from bidarena.evaluate.ray_workers import refuse_elsewhere

        refuse_elsewhere(players)
    digests = {bot: digest(tournament.game, bot) for bot in tournament.bots}
    with open_store(Path(folder), tournament.settings, digests) as store:
        plan = _Plan(tournament, store)
        if progress is not None:
            progress(plan.found * tournament.seats)
        if plan.left and processes > 1 and ray is None:  # so that they find their code on disk
            for one in players.values():
                prepare(tournament.game, [one])
        if plan.left:
            with workers(processes, ray) as do:
                for job, (block, seconds) in do(play_job, plan.jobs()):
                    store.add(job.lineup, job.first, block, seconds)
                    plan.took(job, seconds)
                    if progress is not None:
                        progress(job.deals * tournament.seats)
        return [meeting(tournament, store, lineup, samples) for lineup in tournament.lineups]


# --- pieces --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """Some deals of a line-up."""

    game: Game
    lineup: LineUp
    seed: int
    first: int
    deals: int
    limit: float | None

    def __str__(self) -> str:
        deals = f"deals {self.first} to {self.first + self.deals - 1}"
        return f"{deals} of {' against '.join(self.lineup)}"


class _Plan:
    """What is left to play, cut into pieces of a fitting size while it is played."""

    def __init__(self, tournament: Tournament, store: Store) -> None:
        self.tournament = tournament
        self.lineups = tournament.lineups
        self.gaps: list[tuple[int, int, int]] = []  # (first deal, number of line-up, last deal + 1)
        self.pace: dict[LineUp, float] = {}  # seconds a deal
        self.size: dict[LineUp, int] = {}  # deals of the last piece
        wanted = tournament.deals
        self.found = 0
        for number, lineup in enumerate(self.lineups):
            played = 0
            for first, deals, seconds in store.done(lineup):
                if first > played and played < wanted:
                    self.gaps.append((played, number, min(first, wanted)))
                self.found += max(0, min(first + deals, wanted) - first)
                played = first + deals
                self.pace[lineup], self.size[lineup] = seconds / deals, deals
            if played < wanted:
                self.gaps.append((played, number, wanted))
        self.left = wanted * len(self.lineups) - self.found  # deals that nobody was given yet
        self.under_way = 0  # pieces
        heapq.heapify(self.gaps)

    def jobs(self) -> Iterator[Job]:
        """The earliest deals first: what is there early is already balanced."""
        planned = self.tournament
        while self.gaps:
            first, number, end = heapq.heappop(self.gaps)
            lineup = self.lineups[number]
            size = FIRST_PIECE
            if lineup in self.pace:
                fitting = int(self._seconds() / max(self.pace[lineup], 1e-9))
                size = max(1, min(fitting, GROWTH * self.size[lineup], ROWS // len(lineup)))
            deals = min(size, end - first)
            if first + deals < end:
                heapq.heappush(self.gaps, (first + deals, number, end))
            self.left -= deals
            self.under_way += 1
            how = (planned.seed, first, deals, planned.seconds_per_move)
            yield Job(planned.game, lineup, *how)

    def _seconds(self) -> float:
        """How long the next piece should take: not more than its share of what is left."""
        each = sum(self.pace.values()) / len(self.pace)
        return min(PIECE, max(SHORTEST, each * self.left / max(1, self.under_way)))

    def took(self, job: Job, seconds: float) -> None:
        """Learn how long a piece took."""
        self.under_way -= 1
        self.pace[job.lineup], self.size[job.lineup] = seconds / job.deals, job.deals


def play_job(job: Job) -> tuple[Block, float]:
    """Play a piece; what happened, and the seconds it took."""
    players = [ready(job.game, bot) for bot in job.lineup]
    prepare(job.game, players)
    chance, luck = deal_words(job.seed, job.lineup, job.first, job.deals)
    began = time.perf_counter()
    block = play_deals(job.game, players, chance, luck, limit=job.limit, keep_actions=True)
    return block, time.perf_counter() - began
