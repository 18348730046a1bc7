"""What a tournament has played, in a folder with an SQLite database.

A block of deals of one line-up is a row, written in one transaction when the block is over. Whoever
is killed loses the blocks that he was playing, and nothing else. The settings that all results have
in common are kept beside them, and other ones refused.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.files import lock
from bidarena.evaluate.playing import Block
from bidarena.evaluate.tournament_plan import LineUp

DATABASE = "tournament.sqlite"
LOCK = "lock"

_TABLES = """
create table if not exists settings (key text primary key, value text not null);
create table if not exists bots (name text primary key, digest text not null);
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
"""
_ARRAYS = ("returns", "points", "lengths", "losers", "reasons", "actions")
_TYPES = {"returns": "<f8", "points": "<f8", "actions": "<i4"}  # the others are <i8


class Store:
    """The database of a folder that is open for writing."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base

    def done(self, lineup: LineUp) -> list[tuple[int, int, float]]:
        """The blocks of a line-up in order: first deal, number of deals, seconds."""
        found = self._base.execute(
            "select first, deals, seconds from blocks where lineup = ? order by first",
            (json.dumps(lineup),),
        )
        return [(int(first), int(deals), float(seconds)) for first, deals, seconds in found]

    def add(self, lineup: LineUp, first: int, block: Block, seconds: float) -> None:
        """Keep a block; it is on the disk when this returns."""
        deals, _, players = block.returns.shape
        counts = {
            "asked": block.asked,
            "decisions": block.decisions,
            "thinking": block.thinking,
            "faults": block.faults,
        }
        arrays = [_packed(name, getattr(block, name)) for name in _ARRAYS]
        with self._base:
            self._base.execute(
                "insert into blocks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (json.dumps(lineup), first, deals, seconds, players, json.dumps(counts), *arrays),
            )

    def blocks(self, lineup: LineUp, below: int) -> Iterator[tuple[int, Block]]:
        """The blocks of a line-up that begin below some deal, in order, with their first deal."""
        found = self._base.execute(
            f"select first, deals, players, counts, {', '.join(_ARRAYS)} from blocks "
            "where lineup = ? and first < ? order by first",
            (json.dumps(lineup), below),
        )
        for first, deals, players, counts, *arrays in found:
            shape = (deals, len(lineup))
            shapes = {"returns": (*shape, players), "points": (*shape, players), "actions": (-1,)}
            parts: dict[str, Any] = dict.fromkeys(_ARRAYS)
            for name, packed in zip(_ARRAYS, arrays, strict=True):
                if packed is not None:
                    parts[name] = _unpacked(name, packed).reshape(shapes.get(name, shape))
            told = json.loads(counts)
            told["faults"] = [(kind, reason) for kind, reason in told["faults"]]
            yield int(first), Block(**parts, **told)


@contextmanager
def open_store(
    folder: Path, settings: Mapping[str, Any], bots: Mapping[str, str]
) -> Iterator[Store]:
    """The store of a folder, which is made if it does not exist; nobody else may write meanwhile.

    Args:
        folder: where it is.
        settings: JSON-able; those of an earlier run must be the same.
        bots: a digest for each, of the file that it is read from; another one is refused.
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
                _check_bots(base, folder, bots)
                yield Store(base)
            finally:
                base.close()
        except sqlite3.DatabaseError as wrong:
            raise ValueError(
                f"folder={str(folder)!r}: {DATABASE} cannot be used: {wrong}; choose another folder"
            ) from wrong


def _check_settings(base: sqlite3.Connection, folder: Path, settings: dict[str, Any]) -> None:
    before = {key: json.loads(value) for key, value in base.execute("select * from settings")}
    if not before:
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


def _check_bots(base: sqlite3.Connection, folder: Path, bots: Mapping[str, str]) -> None:
    before = dict(base.execute("select name, digest from bots"))
    changed = [name for name, digest in bots.items() if before.get(name, digest) != digest]
    if changed:
        raise ValueError(
            f"folder={str(folder)!r}: the file of {changed[0]!r} is another one than that whose "
            "games are kept there; give it another name or choose another folder"
        )
    with base:
        base.executemany("insert or ignore into bots values (?, ?)", bots.items())


def _packed(name: str, array: NDArray[Any] | None) -> bytes | None:
    if array is None:
        return None
    return zlib.compress(np.ascontiguousarray(array, _TYPES.get(name, "<i8")).tobytes(), 6)


def _unpacked(name: str, packed: bytes) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(packed), _TYPES.get(name, "<i8")).copy()
