"""The results of a tournament in a folder with an SQLite database.

A block of deals of one line-up is a row, written in one transaction when the block is over. A
process that is killed loses the blocks that it was playing, and nothing else. The settings that all
results share are stored beside them, and a run with other settings is refused.

Results belong to the bots that played, and the digest of each bot is stored too. If a bot has
changed, its blocks move to the table `set_aside` and its games are played again. How much it can be
exploited is forgotten then, and computed again.
"""

from __future__ import annotations

import json
import shlex
import sqlite3
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.files import lock
from bidarena.evaluate.match.blocks import Block
from bidarena.evaluate.tournament.plan import LineUp

DATABASE = "tournament.sqlite"
LOCK = "lock"

_TABLES = """
create table if not exists settings (key text primary key, value text not null);
create table if not exists bots (name text primary key, digest text not null);
create table if not exists exploitabilities (bot text primary key, value real not null);
create table if not exists blocks (
    lineup text not null,     -- JSON: the names of the bots
    first integer not null,   -- the first deal
    deals integer not null,
    seconds real not null,
    players integer not null,
    counts text not null,     -- JSON: asked, decisions, thinking, faults
    returns blob not null,    -- arrays of a Block, compressed
    points blob,
    lengths blob not null,
    losers blob not null,
    reasons blob not null,
    actions blob not null,
    primary key (lineup, first)
);
create table if not exists set_aside (  -- blocks of bots that have changed; the first columns say
    bot text not null,        -- who has changed
    digest text not null,     -- of the bot that played these blocks
    date text not null,       -- when they were set aside
    lineup text, first integer, deals integer, seconds real, players integer, counts text,
    returns blob, points blob, lengths blob, losers blob, reasons blob, actions blob
);
"""
_ARRAYS = ("returns", "points", "lengths", "losers", "reasons", "actions")
_TYPES = {"returns": "<f8", "points": "<f8", "actions": "<i4"}  # the others are <i8


@dataclass(frozen=True)
class Replaced:
    """The games of a bot that were set aside, because it has changed or was to play again."""

    bot: str
    games: int
    date: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {"bot": self.bot, "games": self.games, "date": self.date}


class Store:
    """The database of a folder that is open for writing."""

    def __init__(self, base: sqlite3.Connection, path: Path) -> None:
        self._base, self._path = base, path

    def done(self, lineup: LineUp) -> list[tuple[int, int, float]]:
        """Return (first deal, number of deals, seconds) of the blocks of a line-up, in order."""
        found = self._base.execute(
            "select first, deals, seconds from blocks where lineup = ? order by first",
            (json.dumps(lineup),),
        )
        return [(int(first), int(deals), float(seconds)) for first, deals, seconds in found]

    def update_bots(self, bots: Mapping[str, str], replay: Collection[str] = ()) -> list[Replaced]:
        """Write the digests of all bots; set aside, and return, the games of those that changed.

        Args:
            bots: the digest of each bot.
            replay: bots whose games are set aside even if their digests are the same.
        """
        before = dict(self._base.execute("select name, digest from bots"))
        date = datetime.now(UTC).isoformat(timespec="seconds")
        gone = []
        with self._base:  # one transaction: all or nothing
            lineups = [row for (row,) in self._base.execute("select distinct lineup from blocks")]
            for name, digest in bots.items():
                if before.get(name, digest) == digest and name not in replay:
                    continue
                self._base.execute("delete from exploitabilities where bot = ?", (name,))
                games = 0
                for lineup in lineups:
                    if name in json.loads(lineup):
                        games += self._set_aside(name, before.get(name, ""), date, lineup)
                if games:
                    gone.append(Replaced(name, games, date))
            self._base.executemany("insert or replace into bots values (?, ?)", bots.items())
        return gone

    def _set_aside(self, bot: str, digest: str, date: str, lineup: str) -> int:
        """Move all blocks of a line-up out of the results; return the number of their games."""
        count = "select coalesce(sum(deals), 0) from blocks where lineup = ?"
        (deals,) = self._base.execute(count, (lineup,)).fetchone()
        self._base.execute(
            "insert into set_aside select ?, ?, ?, * from blocks where lineup = ?",
            (bot, digest, date, lineup),
        )
        self._base.execute("delete from blocks where lineup = ?", (lineup,))
        return int(deals) * len(json.loads(lineup))

    def replaced(self) -> list[Replaced]:
        """Return all games that were ever set aside, by bot and date."""
        rows = self._base.execute(
            "select bot, date, lineup, sum(deals) from set_aside group by 1, 2, 3"
        )
        games: dict[tuple[str, str], int] = {}
        for bot, date, lineup, deals in rows:
            games[date, bot] = games.get((date, bot), 0) + deals * len(json.loads(lineup))
        return [Replaced(bot, count, date) for (date, bot), count in sorted(games.items())]

    def exploitabilities(self) -> dict[str, float]:
        """Return what a best response wins against each bot of which that was computed."""
        return dict(self._base.execute("select bot, value from exploitabilities"))

    def keep_exploitability(self, bot: str, value: float) -> None:
        """Write what a best response wins against a bot."""
        with self._base:
            row = (bot, value)
            self._base.execute("insert or replace into exploitabilities values (?, ?)", row)

    def games_of(self, bot: str) -> int:
        """Return how many games of a bot are kept."""
        rows = self._base.execute("select lineup, sum(deals) from blocks group by lineup")
        found = [(json.loads(lineup), deals) for lineup, deals in rows]
        return sum(deals * len(lineup) for lineup, deals in found if bot in lineup)

    def add(self, lineup: LineUp, first: int, block: Block, seconds: float) -> None:
        """Write a block; it is on the disk when this returns."""
        deals, _, players = block.returns.shape
        counts = {
            "asked": block.asked,
            "decisions": block.decisions,
            "thinking": block.thinking,
            "faults": block.faults,
        }
        arrays = [_compressed(name, getattr(block, name)) for name in _ARRAYS]
        with self._base:
            self._base.execute(
                "insert into blocks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (json.dumps(lineup), first, deals, seconds, players, json.dumps(counts), *arrays),
            )

    def blocks(self, lineup: LineUp, below: int) -> Iterator[tuple[int, Block]]:
        """Yield (first deal, block) of a line-up in order, as far as blocks begin before `below`.

        Raise ValueError at a block whose data are damaged.
        """
        rows = self._base.execute(
            f"select rowid, first, deals, players, counts, {', '.join(_ARRAYS)} from blocks "
            "where lineup = ? and first < ? order by first",
            (json.dumps(lineup), below),
        )
        with closing(rows):  # an open query would keep the file locked
            for row, first, deals, players, counts, *arrays in rows:
                try:
                    block = _block((deals, len(lineup), players), counts, arrays)
                except (zlib.error, ValueError, TypeError, LookupError):
                    remove = ["sqlite3", str(self._path), f"delete from blocks where rowid = {row}"]
                    raise ValueError(
                        f"{self._path}: row {row} of the table blocks is damaged (deals from "
                        f"{first} on of {' against '.join(lineup)}); remove it and go on: "
                        f"{shlex.join(remove)}"
                    ) from None
                yield int(first), block


def _block(shape: tuple[int, int, int], counts: str, arrays: list[bytes | None]) -> Block:
    """Return the block of a row; `shape` is (deals, rotations, players)."""
    games = shape[:2]
    shapes = {"returns": shape, "points": shape, "actions": (-1,)}
    parts: dict[str, Any] = dict.fromkeys(_ARRAYS)
    for name, data in zip(_ARRAYS, arrays, strict=True):
        if data is not None:
            parts[name] = _expanded(name, data).reshape(shapes.get(name, games))
    told = json.loads(counts)
    told["faults"] = [(kind, reason) for kind, reason in told["faults"]]
    return Block(**parts, **told)


@contextmanager
def open_store(folder: Path, settings: Mapping[str, Any]) -> Iterator[Store]:
    """Context manager that yields the store of a folder, locked against other processes.

    Raise ValueError if the folder holds results of other settings.

    Args:
        folder: where the database is; made if it does not exist.
        settings: JSON-able settings that all results of the folder share.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a") as claimed:
        lock(claimed, folder)
        try:
            base = sqlite3.connect(folder / DATABASE)
            try:
                base.execute("pragma synchronous = full")
                base.executescript(_TABLES)
                _check_settings(base, folder, json.loads(json.dumps(settings)))
                yield Store(base, folder / DATABASE)
            finally:
                base.close()
        except sqlite3.DatabaseError as wrong:
            raise ValueError(
                f"folder={str(folder)!r}: {DATABASE} cannot be used: {wrong}; choose another folder"
            ) from wrong


def _check_settings(base: sqlite3.Connection, folder: Path, settings: dict[str, Any]) -> None:
    """Write the settings of a new store; raise ValueError if those of an old one differ."""
    before = {key: json.loads(value) for key, value in base.execute("select * from settings")}
    if not before:
        if base.execute("select 1 from blocks limit 1").fetchone():
            raise ValueError(
                f"folder={str(folder)!r}: {DATABASE} holds blocks without settings, so nobody "
                "knows what they are results of; choose another folder"
            )
        with base:
            rows = [(key, json.dumps(value)) for key, value in settings.items()]
            base.executemany("insert into settings values (?, ?)", rows)
        return
    differ = [key for key in {**before, **settings} if before.get(key) != settings.get(key)]
    if differ:
        was, now = (
            ", ".join(f"{key}={known.get(key)!r}" for key in differ) for known in (before, settings)
        )
        raise ValueError(
            f"folder={str(folder)!r}: was begun with {was}, not {now}; go on with the same "
            "settings or choose another folder"
        )


def _compressed(name: str, array: NDArray[Any] | None) -> bytes | None:
    if array is None:
        return None
    return zlib.compress(np.ascontiguousarray(array, _TYPES.get(name, "<i8")).tobytes(), 6)


def _expanded(name: str, data: bytes) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(data), _TYPES.get(name, "<i8")).copy()
