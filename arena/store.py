"""All games in one SQLite file: a row for each, written anew after every move.

The database keeps a log of what is written (WAL), so a process that is killed at any moment leaves
every game as it was after its last move.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from bidarena.envs.files import lock

_TABLES = """
create table if not exists games (
    id text primary key,
    game text not null,
    changed real not null,
    over integer not null,
    moves integer not null,
    about text not null,    -- JSON: who sits where, what the page shows in lists
    record text not null    -- JSON: the record of the game
);
create index if not exists by_time on games (changed);
create table if not exists judgements (
    id text not null,
    line text not null,     -- JSON: the moves that lead to the position
    judgement text not null,
    primary key (id, line)
);
"""


class Row(NamedTuple):
    """A game in the store."""

    id: str
    game: str
    changed: float
    over: bool
    moves: int
    about: dict[str, Any]


class Store:
    """The database; its methods may be called by any thread."""

    def __init__(self, path: Path) -> None:
        """Open the database, which is made if it does not exist.

        Raises:
            ValueError: another arena uses it, or it is not a database.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self._claim = path.with_name(f"{path.name}.lock").open("a")
        lock(self._claim, path.parent)
        self._mutex = threading.Lock()
        try:
            self._base = sqlite3.connect(path, check_same_thread=False)
            self._base.execute("pragma journal_mode = wal")
            self._base.execute("pragma synchronous = normal")
            self._base.executescript(_TABLES)
        except sqlite3.DatabaseError as wrong:
            raise ValueError(f"store={str(path)!r}: cannot be used: {wrong}") from wrong

    def save(
        self, key: str, game: str, over: bool, about: dict[str, Any], record: dict[str, Any]
    ) -> None:
        """Write a game as it is now."""
        with self._mutex, self._base:
            self._base.execute(
                "insert or replace into games values (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(key, game, time.time(), int(over), len(record["actions"])),
                    *(json.dumps(about), json.dumps(record)),
                ),
            )

    def find(self, key: str) -> tuple[Row, dict[str, Any]] | None:
        """Return a game and its record; None if there is none of this name."""
        with self._mutex:
            found = self._base.execute("select * from games where id = ?", (key,)).fetchone()
        return None if found is None else (_row(found), json.loads(found[6]))

    def latest(self, most: int) -> list[Row]:
        """Return the games that were changed last, the latest first."""
        with self._mutex:
            found = self._base.execute(
                "select * from games order by changed desc limit ?", (most,)
            ).fetchall()
        return [_row(row) for row in found]

    def count(self) -> int:
        """Return the number of games."""
        with self._mutex:
            return int(self._base.execute("select count(*) from games").fetchone()[0])

    def judgement(self, key: str, line: list[int]) -> str | None:
        """Return what was found out about a position, as JSON; None if nothing was."""
        with self._mutex:
            found = self._base.execute(
                "select judgement from judgements where id = ? and line = ?",
                (key, json.dumps(line)),
            ).fetchone()
        return None if found is None else str(found[0])

    def keep_judgement(self, key: str, line: list[int], judgement: str) -> None:
        """Write what was found out about a position."""
        with self._mutex, self._base:
            self._base.execute(
                "insert or replace into judgements values (?, ?, ?)",
                (key, json.dumps(line), judgement),
            )

    def close(self) -> None:
        """Close the database."""
        with self._mutex:
            self._base.close()
        self._claim.close()


def _row(found: tuple[Any, ...]) -> Row:
    return Row(found[0], found[1], found[2], bool(found[3]), found[4], json.loads(found[5]))
