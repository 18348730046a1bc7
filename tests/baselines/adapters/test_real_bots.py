"""Bots that behave as real ones did: what they may do, and what they are told if they may not.

The bots are our own. Their habits were seen in bots that people wrote for the competition of
Twenty-nine, for the Scotch contest and for the course in which Raj is played.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from bidarena.baselines.adapters.raj.series import play_settings
from bidarena.cli.main import main
from bidarena.envs import make_game
from bidarena.evaluate.match import play_match

# --- Twenty-nine ---------------------------------------------------------------------------------

HABITS: Counter[str] = Counter()  # how often each habit was shown


def habitual(path: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Answer as several real bots do."""
    more = {"name": "habitual", "debug": {"cards": asked["cards"]}}
    HABITS["extra keys"] += 1
    if path == "/bid":
        calls = asked["bidHistory"]
        if len(calls) == 3 and all(bid == 0 for _, bid in calls):
            HABITS["bid 0 where compulsory"] += 1
        if not calls and asked["cards"][0][1] == "S":
            HABITS["floats"] += 1
            return {"bid": 16.0, **more}
        return {"bid": 0, **more}
    if path == "/chooseTrump":
        return {"suit": asked["cards"][0][1], **more}
    cards, table, revealed = asked["cards"], asked["played"], asked["trumpRevealed"]
    if not table:
        return {"card": cards[0], **more}
    following = [card for card in cards if card[1] == table[0][1]]
    if following:
        return {"card": following[-1], **more}
    if not revealed:
        HABITS["bare reveal"] += 1
        if asked["trumpSuit"]:
            HABITS["bare reveal of the bidder"] += 1
        return {"revealTrump": True, **more}
    hand = {"hand": len(asked["handsHistory"]) + 1, "playerId": asked["playerId"]}
    trumps = [card for card in cards if card[1] == asked["trumpSuit"]]
    return {"card": (trumps if trumps and revealed == hand else cards)[0], **more}


class Handler(BaseHTTPRequestHandler):
    """A server as the starter code makes it; /hi answers text."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.reply(b"hello")

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.reply(json.dumps(habitual(self.path, asked)).encode())

    def reply(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def habitual_server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}#ms=60000"
    finally:
        server.shutdown()
        server.server_close()


def test_twentynine__habits_of_real_bots_are_no_fault() -> None:
    HABITS.clear()
    with habitual_server() as address:
        match = play_match("twentynine", [address, address], 60, seed=4)
    assert all(not score.faults for score in match.scores)
    shown = {"extra keys", "bid 0 where compulsory", "floats", "bare reveal"}
    assert shown | {"bare reveal of the bidder"} <= set(HABITS)


# --- Scotch --------------------------------------------------------------------------------------

linux = pytest.mark.skipif(sys.platform != "linux", reason="programs are run on Linux")

# Counts money as the contest's examples do, and never bids less than 1: also when it is broke.
CAREFUL = """
def calculate_bid(player, pos, first, second):
    money, holder = [100, 100], 0
    for one, two in zip(first, second):
        winner = holder if one == two else int(two > one)
        holder = 1 - holder if one == two else holder
        money[winner] -= (one, two)[winner]
    return {bid}
"""


def play_scotch(tmp_path, bid: str, rival: str = "dp"):
    file = tmp_path / "bot.py"
    file.write_text(CAREFUL.format(bid=bid))
    return play_match("scotch", [f"file:{file}", rival], 20, seed=2).scores[0]


@linux
@pytest.mark.parametrize("bid", ["min(9.0, money[player - 1])", "min(60, money[player - 1])"])
def test_scotch__floats_and_money_counted_from_bids_are_no_fault(tmp_path, bid) -> None:
    assert not play_scotch(tmp_path, bid, "uniform").faults


@linux
def test_scotch__a_bid_of_1_when_broke_is_told_with_money_and_legal_bids(tmp_path) -> None:
    score = play_scotch(tmp_path, "max(1, min(60, money[player - 1]))", "uniform:high=2")
    assert list(score.faults) == ["raised: bid 1 with 0 left; legal: 0"]


@linux
def test_scotch__a_program_for_python_2_is_refused_with_advice(tmp_path, capsys) -> None:
    file = tmp_path / "old.py"
    file.write_text(CAREFUL.format(bid="1") + "print calculate_bid(1, 5, [], [])\n")
    assert main(["match", "scotch", f"file:{file}", "random", "--games", "2"]) == 2
    told = capsys.readouterr().err
    assert "this is Python 2; convert it (2to3), or run it by cmd: with a Python 2" in told


# --- Raj -----------------------------------------------------------------------------------------

# As the course's agents: seeds NumPy when it is made, trains by hooks, returns NumPy's numbers.
LEARNING = """
import numpy as np
agentName = "<fill in>"
training = [("other.py", 3)]
save_filename = "weights.npy"
class RajAgent:
    def __init__(self, item_values, card_values):
        np.random.seed(5)
        self.games = np.zeros(1)
    def load(self, filename):
        self.games = np.load(filename)
    def save(self, filename):
        with open(filename, "wb") as file:
            np.save(file, self.games)
    def train_start(self):
        print("training")
    def train_game_end(self, banks):
        self.games += 1
    def AgentFunction(self, percepts):
        assert self.games[0] <= 3
        return np.int64(np.random.choice(percepts[2]))
"""
OTHER = """
import numpy as np
class RajAgent:
    def __init__(self, item_values, card_values):
        pass
    def AgentFunction(self, percepts):
        return float(percepts[2][np.random.randint(0, len(percepts[2]))])
"""


@pytest.fixture
def course(tmp_path):
    (tmp_path / "mine.py").write_text(LEARNING)
    (tmp_path / "other.py").write_text(OTHER)
    settings = {"agentFiles": ("mine.py", "other.py"), "seed": 8, "totalNumberOfGames": 20}
    settings["tournament"] = True  # a key that nobody reads
    (tmp_path / "settings.py").write_text(f"game_settings = {settings!r}\n")
    return tmp_path


@linux
def test_raj__agents_that_train_and_seed_numpy_play_a_series(course) -> None:
    first = play_settings(str(course / "settings.py"))
    assert first.fault == "" and len(first.banks) == 20
    assert first.names == ["mine.py", "other.py"]
    assert (course / "weights.npy").exists()
    again = play_settings(str(course / "settings.py"))  # loads what was learned
    assert again.fault == ""
    assert again.banks == play_settings(str(course / "settings.py")).banks, "NumPy was seeded"


@linux
def test_raj__agents_that_train_and_seed_numpy_play_a_match(course) -> None:
    bots = [f"file:{course / name}" for name in ("mine.py", "other.py")]
    match = play_match(make_game("raj"), bots, 20)
    assert all(not score.faults for score in match.scores)
    assert (course / "weights.npy").exists()


@linux
def test_raj__an_agent_for_python_2_is_refused_with_advice(course, capsys) -> None:
    (course / "other.py").write_text(OTHER + "        print percepts\n")
    assert main(["series", str(course / "settings.py")]) == 1
    assert "other.py: this is Python 2" in capsys.readouterr().err
