"""What is chosen when the arena starts, and the limits of what a browser may ask for."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Limits:
    """Bounds of everything that a browser can make the arena do."""

    body: int = 512 * 1024  # bytes of a request
    address: int = 8 * 1024  # characters of an address with its query
    rate: float = 300.0  # requests a second from one machine, and in one go twice as many
    streams: int = 200  # pages that wait for news at the same time
    live: int = 300  # games in memory
    kept: int = 100_000  # games in the store
    preparing: int = 40  # games that wait for their bots at the same time
    moves: int = 20_000  # of one game
    actions: int = 5_000  # that a game may have
    rule: int = 4_000  # characters of one rule
    think: float = 10.0  # seconds of a bot whose time can be limited
    hints: int = 20_000  # iterations of a search that advises or analyses


# The most that a browser may give for an option of a bot that costs time or memory
COSTLY = {
    "iterations": 100_000,
    "ms": 10_000,
    "nodes": 1_000_000,
    "samples": 200,
    "trees": 50,
    "depth": 4,
    "threads": 2,
    "memory": 128,
}
OTHERWISE = 1_000  # the most for any other number


@dataclass(frozen=True)
class Settings:
    """What is chosen at start.

    Args:
        host: the address to listen on.
        port: the port; 0: any free one.
        runs: folders whose policies, tournaments and training runs are shown.
        store: the file with all games.
        bots: bots that can be played against beside the registered ones, such as "cmd:./mine".
        token: what a browser must know; empty: no token, for this machine only.
        limits: bounds.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    runs: tuple[Path, ...] = (Path("runs"),)
    store: Path = Path("runs/arena.sqlite")
    bots: tuple[str, ...] = ()
    token: str = ""
    limits: Limits = field(default_factory=Limits)

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the arena."""
        return self.host in LOOPBACK

    @property
    def hosts(self) -> frozenset[str] | None:
        """Names by which browsers may call the arena, without ports; None: any, with the token."""
        if self.host in ("0.0.0.0", "::", ""):
            return None
        return frozenset(LOOPBACK if self.local else (self.host,))


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(18)
