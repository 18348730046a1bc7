"""The store of the bot `memo` of Coins: positions and what was found out about them, on disk.

It is an SQLite database in WAL mode, from Python's standard library. SQLite does what is hard to
get right by hand: several processes read and write at once, a save is complete or not there at all,
and a process killed while writing leaves nothing broken. The file can be read with any SQLite tool:
rows are the report's row codes, such as "60 6 0 63 1 32".
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bidarena.envs.coins.rules import POINTS, C
from bidarena.envs.files import cache_folder
from bidarena.envs.game import Game

APPLICATION = 0x62644331  # "bdC1": marks the file as one of ours, in this version of its tables
PATIENCE = 30.0  # seconds to wait for another process that is writing

_TABLES = (
    "CREATE TABLE games (id INTEGER PRIMARY KEY, rules TEXT NOT NULL UNIQUE)",
    """CREATE TABLE positions (
        game INTEGER NOT NULL REFERENCES games,
        rows TEXT NOT NULL,
        margin INTEGER NOT NULL,
        wins REAL NOT NULL,
        losses REAL NOT NULL,
        verdict INTEGER NOT NULL CHECK (verdict IN (-1, 0, 1)),
        PRIMARY KEY (game, rows, margin)
    ) WITHOUT ROWID""",
)

# rows, margin, wins and losses below, verdict (1 sure win, -1 sure loss)
Entry = tuple[str, int, float, float, int]


def default_path() -> Path:
    """Return the path of the store in the user's cache folder."""
    return cache_folder() / "coins.sqlite"


def rules_key(game: Game) -> str:
    """Return the rules that positions depend on, as JSON; a store keeps different rules apart."""
    names = ["board", "gaps", "diagonals", "max_take"]
    names += ["score", "values", "last_bonus"] if game.cfg[C.score] == POINTS else ["last_coin"]
    return json.dumps({name: game.options[name] for name in names}, sort_keys=True)


class Store:
    """The positions of one game in a store, which is made if it does not exist."""

    def __init__(self, path: str | Path, game: Game) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        except (OSError, sqlite3.Error) as reason:
            raise self._refusal(f"cannot be opened ({reason})") from None
        try:
            self._game = self._open(rules_key(game))
        except sqlite3.Error as reason:
            self._base.close()
            raise self._refusal(f"cannot be used ({reason})") from None
        except ValueError:
            self._base.close()
            raise

    def _open(self, rules: str) -> int:
        """Create or check the tables; return the number of the game with these rules."""
        with self._writing():
            mark = self._one("PRAGMA application_id")
            if mark == 0 and self._one("SELECT count(*) FROM sqlite_master") == 0:
                self._base.execute(f"PRAGMA application_id = {APPLICATION}")
                for table in _TABLES:
                    self._base.execute(table)
            elif mark != APPLICATION:
                raise self._refusal("is a database of something else")
        state = self._one("PRAGMA quick_check(1)")
        if state != "ok":
            raise self._refusal(f"is damaged ({' '.join(state.split())})")
        self._write_ahead()
        with self._writing():
            self._base.execute("INSERT OR IGNORE INTO games (rules) VALUES (?)", (rules,))
        return int(self._one("SELECT id FROM games WHERE rules = ?", rules))

    def _write_ahead(self) -> None:
        """Switch to WAL mode; only one process can, and only while no other is writing."""
        self._base.execute("PRAGMA synchronous = FULL")  # a save survives a power cut
        until = time.monotonic() + PATIENCE
        while True:
            try:
                self._base.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def load(self, most: int) -> list[Entry]:
        """Return at most `most` positions of the game, those with most games below first."""
        query = """SELECT rows, margin, wins, losses, verdict FROM positions
                   WHERE game = ? ORDER BY wins + losses DESC LIMIT ?"""
        try:
            return self._base.execute(query, (self._game, most)).fetchall()
        except sqlite3.Error as reason:
            raise self._refusal(f"cannot be read ({reason})") from None

    def save(self, entries: list[Entry]) -> None:
        """Add positions, all of them or none; those that are there already stay as they are."""
        query = "INSERT OR IGNORE INTO positions VALUES (?, ?, ?, ?, ?, ?)"
        try:
            with self._writing():
                self._base.executemany(query, [(self._game, *entry) for entry in entries])
        except sqlite3.Error as reason:
            raise self._refusal(f"cannot be written ({reason})") from None

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _refusal(self, why: str) -> ValueError:
        """Return an error that says what is wrong with the file and what to do."""
        return ValueError(
            f"path={str(self.path)!r} {why}: expected a store of the bot 'memo'; "
            "give another path, or remove the file to begin a new store"
        )

    def _one(self, query: str, *values: Any) -> Any:
        """Return the first column of the first row that a query finds."""
        row = self._base.execute(query, values).fetchone()
        return row[0]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Context manager for one transaction, which waits for those of other processes."""
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")
