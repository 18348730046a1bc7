"""A tournament read from its folder, while it is played or afterwards, without changing anything.

tournament, store = ...
with reading("runs/tournament-raj-1a2b3c4d") as found:
    print(found.tournament.bots, found.standings().as_dict())
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bidarena.envs.registry import make_game
from bidarena.evaluate.match.record import Record
from bidarena.evaluate.tournament.meetings import game_records, meeting
from bidarena.evaluate.tournament.plan import LineUp, Tournament
from bidarena.evaluate.tournament.standings import Standings, standings
from bidarena.evaluate.tournament.store import DATABASE, Store


@dataclass(frozen=True)
class Stored:
    """What a folder holds: the tournament as far as every line-up has played it."""

    tournament: Tournament
    store: Store

    def standings(self) -> Standings:
        """Return the standings after the deals that every line-up has played."""
        plan = self.tournament
        return standings(plan, [meeting(plan, self.store, one, 0) for one in plan.lineups])

    def game(self, lineup: LineUp, deal: int, rotation: int) -> Record:
        """Return the record of one game; raise ValueError if it was not played."""
        blocks = list(self.store.blocks(lineup, deal + 1))
        for record in game_records(self.tournament, lineup, blocks, deal):
            if record["rotation"] == rotation:
                return record
        raise ValueError(f"rotation={rotation}: there is no such game")


@contextmanager
def reading(folder: str | Path) -> Iterator[Stored]:
    """Context manager that yields what the folder of a tournament holds.

    Raises:
        ValueError: the folder holds no tournament, or none that every line-up has begun.
    """
    path = Path(folder) / DATABASE
    try:
        base = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error:
        raise ValueError(f"folder={str(folder)!r}: there is no {DATABASE}") from None
    try:
        yield _stored(base, path)
    except sqlite3.Error as wrong:
        raise ValueError(f"folder={str(folder)!r}: {DATABASE} cannot be read: {wrong}") from None
    finally:
        base.close()


def _stored(base: sqlite3.Connection, path: Path) -> Stored:
    settings = {key: json.loads(value) for key, value in base.execute("select * from settings")}
    if not settings:
        raise ValueError(f"folder={str(path.parent)!r}: the tournament has not begun")
    game = make_game(settings["game"], **settings["rules"])
    store = Store(base, path)
    names = [json.loads(row[0]) for row in base.execute("select distinct lineup from blocks")]
    lineups = sorted(tuple(str(bot) for bot in lineup) for lineup in names)
    played = [_deals(store, lineup) for lineup in lineups]
    if not lineups or not min(played):
        raise ValueError(f"folder={str(path.parent)!r}: not every line-up has played yet")
    bots = tuple(dict.fromkeys(bot for lineup in lineups for bot in lineup))
    tournament = Tournament(
        game,
        bots,
        min(played) * len(set(game.teams)),
        settings["seed"],
        settings["seconds_per_move"],
        tuple(lineups),
    )
    return Stored(tournament, store)


def _deals(store: Store, lineup: LineUp) -> int:
    """Return how many deals from the first on a line-up has played without a gap."""
    played = 0
    for first, deals, _ in store.done(lineup):
        if first > played:
            break
        played = first + deals
    return played
