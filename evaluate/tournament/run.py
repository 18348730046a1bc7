"""Plays tournaments: line-ups of bots on the same deals, in pieces that survive interruptions.

Deals are numbered. What happens in a deal depends on the seed, its number and the line-up alone, so
the result does not depend on how the deals are cut into pieces, on the number of processes or on
interruptions. A piece is played in some seconds and stored in a database when it is over.

In a game of two players or sides a line-up is a pair of bots. In a game of three or more players
without sides it has a bot for each player, and bots are compared by their results in the same game.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bidarena.baselines.adapters.identity import Identity
from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.evaluate.match.blocks import Block, play_deals, prepare
from bidarena.evaluate.match.play import ROWS
from bidarena.evaluate.match.ready import check_loads, ready
from bidarena.evaluate.tournament.identify import identify, identities
from bidarena.evaluate.tournament.meetings import Meeting, meeting
from bidarena.evaluate.tournament.plan import LineUp, Tournament, check, deal_words
from bidarena.evaluate.tournament.store import Store, open_store
from bidarena.evaluate.workers import workers
from bidarena.evaluate.workers.preparing import forget_bots, player

PIECE = 2.0  # seconds that a piece should take
CROWD = 100  # with more pieces under way each takes longer, because one process stores them all
SHORTEST = 0.1  # seconds of the last pieces, so that the wait for the very last one is short
FIRST_PIECE, GROWTH = 2, 8  # deals of a first piece; how many times larger the next one may be


def run_tournament(
    tournament: Tournament,
    folder: str | Path,
    *,
    processes: int = 1,
    ray: str | None = None,
    samples: int = 2,
    progress: Callable[[int], None] | None = None,
    replay: Collection[str] = (),
    tell: Callable[[str], None] | None = None,
) -> list[Meeting]:
    """Play the games that are not yet in the folder; return the games of all line-ups.

    Results belong to the bots that played: those of a bot whose file, command or server has changed
    are set aside, and its games are played again.

    Args:
        tournament: what to play. The folder may hold fewer or more games and line-ups.
        folder: where results are stored; made if it does not exist.
        processes: number of processes that play at the same time.
        ray: play on a Ray instead, with this address or "local"; see `bidarena.evaluate.workers`.
        samples: number of games of each line-up that come with their records, from the first deals
            on; a game with a fault comes first.
        progress: called with the number of games just played, first with those in the folder.
        replay: bots to play again, whatever is kept of them.
        tell: called with a sentence about each bot that has changed, or that cannot be told from
            others that had its name.
    """
    check(tournament)
    for bot in replay:
        if bot not in tournament.bots:
            raise ValueError(f"replay={bot!r}: expected one of {', '.join(tournament.bots)}")
    forget_bots()  # what was loaded earlier may be another bot now
    processes = whole("processes", processes, 1, 256)
    players = {bot: player(tournament.game, bot) for bot in tournament.bots}
    for bot, made in players.items():
        check_loads(bot, made)
    if ray is not None:
        from bidarena.evaluate.workers.ray import check_sendable

        check_sendable(players)
    known = identities(tournament)
    with open_store(Path(folder), tournament.settings) as store:
        _update(store, known, replay, tell or (lambda sentence: None))
        plan = _Plan(tournament, store)
        if progress is not None:
            progress(plan.found * tournament.seats)
        if plan.left and processes > 1 and ray is None:  # so that they find their code on disk
            for one in players.values():
                prepare(tournament.game, [one])
        if plan.left:
            with workers(processes, ray) as do:
                for job, (block, seconds) in do(play_job, plan.jobs()):
                    _check_same(tournament, job.lineup, known)
                    store.add(job.lineup, job.first, block, seconds)
                    plan.took(job, seconds)
                    if progress is not None:
                        progress(job.deals * tournament.seats)
        return [meeting(tournament, store, lineup, samples) for lineup in tournament.lineups]


def _update(
    store: Store,
    known: Mapping[str, Identity],
    replay: Collection[str],
    tell: Callable[[str], None],
) -> None:
    """Set aside the games of bots that have changed, and tell of all bots that need a word."""
    for one in store.update_bots({bot: found.digest for bot, found in known.items()}, replay):
        why = "is to play again" if one.bot in replay else "has changed"
        tell(f"{one.bot} {why}: {one.games:,} games are set aside and played again")
    for bot, found in known.items():
        games = 0 if found.sure else store.games_of(bot)
        if games:
            tell(
                f"{bot}: nothing tells whether this is the bot whose {games:,} games are kept; if "
                f"it is another one, use --replay {bot}"
            )


def _check_same(tournament: Tournament, lineup: LineUp, known: Mapping[str, Identity]) -> None:
    """Raise ValueError if a bot was changed while it played: nobody knows who played the piece."""
    for bot in lineup:
        if known[bot].digest and identify(tournament.game, bot).digest != known[bot].digest:
            raise ValueError(
                f"{bot} has changed while it played; this piece is not kept, give the command "
                "again to play all its games with the new one"
            )


# --- pieces --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """A piece of a tournament: some deals of a line-up."""

    game: Game
    lineup: LineUp
    seed: int
    first: int
    deals: int
    limit: float | None

    def __str__(self) -> str:
        deals = f"deals {self.first} to {self.first + self.deals - 1}"
        return f"{deals} of {' against '.join(self.lineup)}"


def piece_seconds(under_way: int) -> float:
    """Return the seconds that a piece should take when `under_way` pieces are played."""
    return PIECE * max(1.0, under_way / CROWD)


class _Plan:
    """The deals left to play, cut into pieces whose size fits how long deals take."""

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
        self.left = wanted * len(self.lineups) - self.found  # deals not yet given out
        self.under_way = 0  # pieces
        heapq.heapify(self.gaps)

    def jobs(self) -> Iterator[Job]:
        """Yield all pieces, the earliest deals first, so that unfinished results are balanced."""
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
        """Return the seconds for the next piece: at most its share of the deals left."""
        each = sum(self.pace.values()) / len(self.pace)
        share = each * self.left / max(1, self.under_way)
        return min(piece_seconds(self.under_way), max(SHORTEST, share))

    def took(self, job: Job, seconds: float) -> None:
        """Note how long a piece took."""
        self.under_way -= 1
        self.pace[job.lineup], self.size[job.lineup] = seconds / job.deals, job.deals


def play_job(job: Job) -> tuple[Block, float]:
    """Play a piece; return its games and the seconds it took."""
    players = [ready(job.game, bot) for bot in job.lineup]
    prepare(job.game, players)
    chance, luck = deal_words(job.seed, job.lineup, job.first, job.deals)
    began = time.perf_counter()
    block = play_deals(job.game, players, chance, luck, limit=job.limit, keep_actions=True)
    return block, time.perf_counter() - began
