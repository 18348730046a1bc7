"""The arena on a real socket, in a thread of this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from bidarena.arena.app import listen, make_app
from bidarena.arena.hall import Hall
from bidarena.arena.settings import Settings


@dataclass
class Arena:
    """A running arena, and a client that plays in it."""

    address: str
    hall: Hall
    client: httpx.Client
    heard: list[str] = field(default_factory=list)  # every answer that was received

    def get(self, path: str, **params: Any) -> Any:
        return self._told(self.client.get(f"/api/{path}", params=params))

    def post(self, path: str, body: Any = None) -> Any:
        return self._told(self.client.post(f"/api/{path}", json={} if body is None else body))

    def _told(self, answer: httpx.Response) -> Any:
        self.heard.append(answer.text)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def begin(self, game: str, seats: list[Any], **rules: str) -> dict[str, Any]:
        """Begin a game; a seat is None for the person, or the id of a bot."""
        chosen = [{"id": seat} if isinstance(seat, str) else seat for seat in seats]
        table = self.post("tables", {"game": game, "rules": rules, "seats": chosen})
        return self.ready(table["id"])

    def ready(self, key: str) -> dict[str, Any]:
        """Wait until no bot is at work in a game, and return it."""
        for _ in range(6_000):
            table: dict[str, Any] = self.get(f"tables/{key}")
            if table["status"] in ("waiting", "over", "failed"):
                return table
            time.sleep(0.01)
        raise AssertionError(f"nothing happens: {table['status']}, {table['line']}")

    def move(self, table: dict[str, Any], action: int | None = None) -> dict[str, Any]:
        """Play an action, by default the first legal one, and return the game after the bots."""
        chosen = table["legal"][0] if action is None else action
        self.post(f"tables/{table['id']}/move", {"action": chosen, "ply": table["ply"]})
        return self.ready(table["id"])

    def finish(self, table: dict[str, Any]) -> dict[str, Any]:
        """Play a game to its end."""
        while table["status"] == "waiting":
            table = self.move(table)
        assert table["status"] == "over", table["line"]
        return table


@contextmanager
def arena(folder: Path, **chosen: Any) -> Iterator[Arena]:
    """Context manager that yields an arena whose store and runs are in a folder."""
    given = {"runs": (folder,), "store": folder / "arena.sqlite", "port": 0, **chosen}
    app = make_app(Settings(**given))
    listening = listen("127.0.0.1", 0)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        with httpx.Client(base_url=address, timeout=120) as client:
            yield Arena(address, app.state.hall, client)
    finally:
        server.should_exit = True
        thread.join(20)
