"""All games of the arena: in memory while they are played or looked at, always in the store."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bidarena.arena.catalogue import Catalogue
from bidarena.arena.settings import Settings
from bidarena.arena.store import Store
from bidarena.arena.table import About, Pools, RefusedError, Table, new_key
from bidarena.envs.game import Game
from bidarena.evaluate.match.record import Record, check_form, from_hexadecimal, replay
from bidarena.evaluate.session import PERSON, Session, replayed, restored

MAKING, JUDGING = 2, 2  # threads


class MissingError(Exception):
    """There is no game of this name."""


class Hall:
    """Begins games, finds them, and puts those away that nobody looks at."""

    def __init__(self, settings: Settings, catalogue: Catalogue) -> None:
        self.settings, self.catalogue = settings, catalogue
        self.store = Store(settings.store)
        moving = max(4, 2 * (os.cpu_count() or 1))
        self.pools = Pools(*(ThreadPoolExecutor(n) for n in (MAKING, moving, JUDGING)))
        self.tables: dict[str, Table] = {}

    # --- new games ---

    async def begin(self, name: Any, rules: Any, seats: Any) -> Table:
        """Begin a game; the bots are made in the background.

        Args:
            name: a registered game.
            rules: texts by the name of the rule.
            seats: for each seat an opponent of the catalogue, or None for the person.
        """
        loop = asyncio.get_running_loop()
        game = await loop.run_in_executor(
            self.pools.making, lambda: self.catalogue.make(name, rules)
        )
        return self._begin(game, seats, secrets.randbits(62))

    async def begin_from(self, source: Table, line: list[int], seats: Any) -> Table:
        """Begin a game that goes on from a position of a finished one."""
        session = over(source)
        record = {**session.record(), "actions": line, "returns": None, "fault": None}
        record.pop("luck")
        return self._begin(session.game, seats, secrets.randbits(62), record)

    async def rematch(self, table: Table) -> Table:
        """Begin the same game anew with every player one seat further."""
        if table.status not in ("over", "failed"):
            raise RefusedError("the game is not over")
        if table.about.origin:
            raise RefusedError("this game was not begun here")
        choices = table.about.choices
        return self._begin(table.game, [choices[-1], *choices[:-1]], secrets.randbits(62))

    def _begin(self, game: Game, seats: Any, seed: int, past: Record | None = None) -> Table:
        about, specs = self._seated(game, seats)

        def make() -> Session:
            chance = None if past is None else from_hexadecimal("chance", past["chance"])
            session = Session(game, specs, seed, chance=chance)
            if past is not None:
                replayed(session, past)
            return session

        self._room()
        table = self._table(new_key(), game, about, make, fresh=True)
        table.start()
        return table

    def _seated(self, game: Game, seats: Any) -> tuple[About, list[str | None]]:
        """Return who sits where, and the names of the bots; raise ValueError if that is wrong."""
        if not isinstance(seats, list) or len(seats) != game.players:
            raise ValueError(f"seats: expected {game.players} players")
        persons = [seat for seat, choice in enumerate(seats) if choice is None]
        if len(persons) > 1:
            raise ValueError("seats: expected at most one person")
        named = [None if choice is None else self.catalogue.spec(game, choice) for choice in seats]
        labels = ["you" if pair is None else pair[1] for pair in named]
        about = About(persons[0] if persons else None, seats, labels)
        return about, [None if pair is None else pair[0] for pair in named]

    def _table(
        self, key: str, game: Game, about: About, make: Callable[[], Session], *, fresh: bool
    ) -> Table:
        table = Table(key, game, about, self.store, self.pools, make, fresh)
        self.tables[key] = table
        return table

    def _room(self) -> None:
        """Put idle games away; raise RefusedError if there are too many."""
        limits = self.settings.limits
        if self.store.count() >= limits.kept:
            raise RefusedError(f"the store holds {limits.kept:,} games; begin with another --store")
        preparing = sum(table.status == "preparing" for table in self.tables.values())
        if preparing >= limits.preparing:
            raise RefusedError("many games are being prepared; try again in a moment")
        idle = sorted((t for t in self.tables.values() if t.idle), key=lambda table: table.used)
        for table in idle[: max(0, len(self.tables) - limits.live + 1)]:
            del self.tables[table.key]
        if len(self.tables) >= limits.live:
            raise RefusedError("too many games are played at the same time; try again in a moment")

    # --- games of the store ---

    async def find(self, key: str) -> Table:
        """Return a game; one that was put away is restored in the background."""
        if key in self.tables:
            return self.tables[key]
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self.pools.moving, self.store.find, key)
        if found is None:
            raise MissingError
        row, record = found
        about = About(**row.about)
        game = await loop.run_in_executor(
            self.pools.making, lambda: self.catalogue.checked(row.game, record["rules"])
        )
        if key in self.tables:  # somebody else was faster
            return self.tables[key]

        def make() -> Session:
            if row.over or about.origin:  # nobody will move, so no bot is made
                return restored({**record, "seats": [PERSON] * game.players}, game)
            specs = [
                PERSON if choice is None else self.catalogue.spec(game, choice)[0]
                for choice in about.choices
            ]
            # the catalogue allows these bots, whatever the store says
            return restored({**record, "seats": specs}, game, trust=True)

        self._room()
        table = self._table(key, game, about, make, fresh=False)
        table.start()
        return table

    async def add(self, record: Any, origin: str) -> str:
        """Store a finished game from elsewhere and return its name; its bots are never made."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.pools.judging, self._add, record, origin)

    def _add(self, record: Any, origin: str) -> str:
        if not isinstance(record, dict):
            raise ValueError("record: expected a game as JSON")
        try:
            check_form(record)
            game = self.catalogue.checked(record["game"], record["rules"])
            seats = [str(seat)[:200] for seat in record["seats"]]
            if len(seats) != game.players:
                raise ValueError(f"seats: expected {game.players}")
            if len(record["actions"]) > self.settings.limits.moves:
                raise ValueError(f"actions: more than {self.settings.limits.moves}")
            for _ in replay(record, game):
                pass
            clean = restored({**record, "seats": [PERSON] * game.players, "luck": None}, game)
        except (KeyError, TypeError, AttributeError, OverflowError) as wrong:
            raise ValueError(f"record: not a game ({wrong!r})"[:300]) from None
        if self.store.count() >= self.settings.limits.kept:
            raise ValueError("the store is full")
        key = new_key()
        about = About(None, [None] * game.players, seats, None, origin)
        self.store.save(key, game.name, True, about.as_dict(), {**clean.record(), "seats": seats})
        return key

    async def close(self) -> None:
        """Stop all games; they are in the store."""
        await asyncio.gather(*(table.close() for table in self.tables.values()))
        for pool in (self.pools.making, self.pools.moving, self.pools.judging):
            pool.shutdown(wait=False, cancel_futures=True)
        self.store.close()


def over(table: Table) -> Session:
    """Return the session of a game that may be looked at with everything open."""
    if table.session is None:
        raise RefusedError("the game is being prepared")
    if not (table.session.over or table.about.origin):
        raise RefusedError("the game is not over; it is analysed afterwards")
    return table.session
