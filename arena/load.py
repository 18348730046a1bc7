"""A load test: many games at once against one arena, each from a client of its own.

    python -m bidarena.arena.load --games 50 --seconds 20

An arena is started in a process of its own, with a store in a temporary folder. Every client plays
games against a bot by rules of thumb, a move each second or so as a quick person would, and listens
to the stream of its game. Measured is the time from sending a move until the bot has answered and
it is the client's turn again, or the game is over.
"""

from __future__ import annotations

import http.client
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from bidarena.arena.catalogue import board_of
from bidarena.envs import bots, games, make_game

READY = ("waiting", "over", "failed")


@dataclass
class Arguments:
    """Play many games at once against one arena, and print how long its answers take.

    Example: python -m bidarena.arena.load --games 50
    """

    games: int = 50
    """How many games are played at the same time."""

    seconds: float = 20.0
    """How long."""

    pause: float = 1.0
    """Seconds between an answer and the next move, on average."""

    bot: str = "rules"
    """The opponent; games that have no such bot are left out."""

    json: bool = False
    """Print one JSON object."""


class Client(threading.Thread):
    """One person who plays until the time is up."""

    def __init__(self, port: int, game: str, args: Arguments, until: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.port, self.game, self.args, self.until = port, game, args, until
        self.draw = random.Random(seed)
        self.taken: list[float] = []  # seconds of each answer
        self.finished = 0
        self.wrong = ""

    def run(self) -> None:
        """Play games."""
        try:
            while time.monotonic() < self.until:
                self._play()
        except Exception as wrong:  # told at the end, beside the figures
            self.wrong = repr(wrong)

    def _play(self) -> None:
        players = make_game(self.game).players
        seats: list[Any] = [None] + [{"id": self.args.bot}] * (players - 1)
        sender = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        key = _post(sender, "/api/tables", {"game": self.game, "rules": {}, "seats": seats})["id"]
        listener = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        listener.request("GET", f"/api/tables/{key}/news")
        news = _events(listener.getresponse())
        table = next(told for told in news if told["status"] in READY)
        while table["status"] == "waiting" and time.monotonic() < self.until:
            time.sleep(self.draw.expovariate(1 / max(self.args.pause, 1e-3)))
            action, ply = self.draw.choice(table["legal"]), table["ply"]
            began = time.perf_counter()
            _post(sender, f"/api/tables/{key}/move", {"action": action, "ply": ply})
            table = next(told for told in news if told["ply"] > ply and told["status"] in READY)
            self.taken.append(time.perf_counter() - began)
        self.finished += table["status"] == "over"
        sender.close()
        listener.close()


def _post(connection: http.client.HTTPConnection, path: str, body: dict[str, Any]) -> Any:
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    answer = connection.getresponse()
    told = json.loads(answer.read())
    if answer.status != 200:
        raise RuntimeError(told.get("error"))
    return told


def _events(answer: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    while line := answer.readline():
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


def measure(args: Arguments) -> dict[str, Any]:
    """Start an arena, play, and return the figures."""
    played = [name for name in games() if args.bot in bots(name) and board_of(name) != "generic"]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bidarena.cli.main", "arena", "--port", "0"]
        command += ["--store", str(Path(folder) / "arena.sqlite"), "--runs", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                found = re.search(r":(\d+)/", server.stdout.readline())
                port = int(found[1]) if found else 0
                for name in played:  # compile first
                    warm = Client(port, name, Arguments(pause=0), time.monotonic() + 5, 0)
                    warm.args.bot = args.bot
                    warm.run()
                until = time.monotonic() + args.seconds
                clients = [
                    Client(port, played[k % len(played)], args, until, k) for k in range(args.games)
                ]
                for client in clients:
                    client.start()
                for client in clients:
                    client.join(args.seconds + 60)
            finally:
                server.terminate()
    taken = sorted(second for client in clients for second in client.taken)
    faults = [client.wrong for client in clients if client.wrong]

    def percentile(share: float) -> float:
        return round(1000 * taken[min(len(taken) - 1, int(share * len(taken)))], 1)

    return {
        "games_at_once": args.games,
        "bot": args.bot,
        "played": played,
        "seconds": args.seconds,
        "moves": len(taken),
        "moves_per_second": round(len(taken) / args.seconds, 1),
        "games_finished": sum(client.finished for client in clients),
        "median_ms": percentile(0.5) if taken else None,
        "p95_ms": percentile(0.95) if taken else None,
        "slowest_ms": percentile(1.0) if taken else None,
        "faults": faults,
    }


if __name__ == "__main__":
    chosen = tyro.cli(Arguments)
    figures = measure(chosen)
    if chosen.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, figure in figures.items():
            print(f"{name.replace('_', ' '):<18}{figure}")
