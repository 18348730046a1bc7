"""Our bots behind the competition's protocol: right answers in time, and a server that stays up."""

from __future__ import annotations

import copy
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from twentynine_requests import BID, CAPTURED, REQUESTS, TRUMP, play_deal

from bidarena.baselines.adapters.twentynine import web as twentynine_web
from bidarena.baselines.adapters.twentynine.chooser import ON_THE_WAY, budget, luck, make_chooser
from bidarena.baselines.adapters.twentynine.http import HttpPlayer
from bidarena.baselines.adapters.twentynine.messages import CLOCK
from bidarena.baselines.adapters.twentynine.rebuild import rebuild
from bidarena.baselines.adapters.twentynine.server import serving
from bidarena.baselines.adapters.twentynine.web import CONNECTIONS, LARGEST
from bidarena.envs import batched, make_bot, make_game
from bidarena.envs.game import Game
from bidarena.envs.phrases import legal_actions
from bidarena.envs.testing import random_states
from bidarena.envs.twentynine.rules.layout import S, card_of


@pytest.fixture(scope="module")
def game() -> Game:
    return make_game("twentynine")


@pytest.fixture(scope="module")
def address(game: Game) -> Iterator[str]:
    with serving(game, "rules") as url:
        yield url


@pytest.fixture
def line(address: str) -> Iterator[http.client.HTTPConnection]:
    connection = dial(address)
    yield connection
    connection.close()


def dial(address: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)


def call(
    line: http.client.HTTPConnection, method: str, path: str, body: Any = None, **headers: str
) -> tuple[int, Any]:
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    line.request(method, path, body, headers)
    response = line.getresponse()
    assert response.headers["Content-Type"] == "application/json"
    return response.status, json.loads(response.read())


def send_raw(address: str, data: bytes, *, end: bool = True) -> bytes:
    """Send bytes as they are; return everything that comes back."""
    host, _, port = address.removeprefix("http://").partition(":")
    back = b""
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        try:
            connection.sendall(data)
            if end:
                connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                back += piece
        except ConnectionError:
            pass
    return back


# --- answers -------------------------------------------------------------------------------------


def test_server__says_hello(line: http.client.HTTPConnection) -> None:
    status, told = call(line, "GET", "/hi")
    assert (status, told["value"], told["name"]) == (200, "hello", "bidarena rules")
    assert told["version"].endswith(" seed 0")


@pytest.mark.parametrize("bot", ["rules", "random", "pimc:samples=2", "ismcts:iterations=50"])
def test_server__answers_the_captured_request_with_the_nine_of_hearts(game: Game, bot: str) -> None:
    with serving(game, bot) as address:
        line = dial(address)
        assert call(line, "POST", "/play", CAPTURED) == (200, {"card": "9H"})
        status, answer = call(line, "POST", "/bid", BID)
        assert status == 200 and answer["bid"] in (0, *range(17, 29))
        status, answer = call(line, "POST", "/chooseTrump", TRUMP)
        assert status == 200 and answer["suit"] in "SDHC"
        line.close()


def test_server__keeps_a_connection_and_needs_no_memory(line: http.client.HTTPConnection) -> None:
    first = [call(line, "POST", path, request) for path, request in REQUESTS.items()]
    sock = line.sock
    again = [call(line, "POST", path, request) for path, request in reversed(REQUESTS.items())]
    assert again[::-1] == first
    assert line.sock is sock


def test_server__same_request_and_seed_get_the_same_answer(game: Game) -> None:
    answers: dict[int, list[Any]] = {}
    for seed in (1, 1, 2, 3, 4):
        with serving(game, "random", seed=seed) as address:
            line = dial(address)
            found = [call(line, "POST", "/chooseTrump", TRUMP), call(line, "POST", "/bid", BID)]
            line.close()
        assert answers.setdefault(seed, found) == found
    assert len({str(found) for found in answers.values()}) > 1


def test_server__bidder_sends_a_card_along_with_the_reveal(game: Game) -> None:
    """The bidder knows the suit already, so that no second question is needed."""
    request = {
        **CAPTURED,
        "playerId": "3nrbJ-Kn",
        "cards": ["JH", "9H", "1H", "JD", "9D", "8H"],
        "played": ["KC"],  # the bidder has no clubs
        "trumpRevealed": False,
    }
    seen = set()
    for seed in range(40):
        with serving(game, "random", seed=seed) as address:
            line = dial(address)
            status, answer = call(line, "POST", "/play", request)
            line.close()
        assert status == 200
        seen.add(tuple(sorted(answer)))
        if "revealTrump" in answer:
            assert answer["card"][1] == "H"
            break
    assert ("card", "revealTrump") in seen


# --- time ----------------------------------------------------------------------------------------


def test_budget__lasts_for_the_longest_deal(game: Game) -> None:
    remaining = CLOCK
    auction, trump, play = (rebuild(game, path, REQUESTS[path]) for path in REQUESTS)
    thought = []
    for asked in [auction] * 9 + [trump] + [play] * 6:
        share = budget(asked.state, asked.seat, remaining)
        thought.append(share)
        remaining -= share + ON_THE_WAY
        assert remaining > 0
    assert sum(thought) > CLOCK / 2
    assert budget(play.state, play.seat, 1e9) <= CLOCK / 6  # nobody makes us think for hours
    assert budget(play.state, play.seat, -5) == 0


def test_search__keeps_within_the_clock_of_a_deal(game: Game) -> None:
    """A search without limits of its own, held to the clock by what requests tell."""
    rival = make_chooser(game, "rules")
    with serving(game, "ismcts") as address:
        player = HttpPlayer(game, address, ms=700)
        began = time.monotonic()
        play_deal(game, 5, player, lambda state, seat, rng: rival(state, seat, CLOCK))
        spent = time.monotonic() - began
        player.close()
    assert 0.3 < spent < 1.6  # two players of 700 ms; it thinks, and no fault was raised


def test_search__takes_no_longer_than_it_was_told_to(game: Game) -> None:
    asked = rebuild(game, "/bid", BID)
    for spec in ("ismcts:iterations=30", "ismcts:ms=5", "ismcts:iterations=30,threads=2"):
        choose = make_chooser(game, spec)
        began = time.monotonic()
        for _ in range(4):
            choose(asked.state, asked.seat, CLOCK)
        assert time.monotonic() - began < 4 * CLOCK / 11 / 1000 / 2


def test_pimc__takes_as_many_samples_as_there_is_time_for(game: Game) -> None:
    """With time enough all of them, and its answer is its own; else fewer, but an answer."""
    bot, choose = make_bot(game, "pimc:samples=3"), make_chooser(game, "pimc:samples=3", seed=5)
    hasty = make_chooser(game, "pimc:samples=10000", seed=5)
    act, decisions = game.compiled(bot.act, **bot.more), 0
    for state, mover, _ in random_states(game, 2, seed=9):
        if state[S.trick] < 5:
            continue  # later on a sample takes no time
        scratch = np.zeros(game.actions, np.int8)
        words = luck(game, state, mover, 5)
        expected = int(act(game.cfg, bot.params, state, mover, words, scratch))
        assert choose(state, mover, CLOCK) == expected
        began = time.monotonic()
        assert hasty(state, mover, 60.0) in legal_actions(game, state)
        assert time.monotonic() - began < 0.5
        decisions += 1
    assert decisions > 20


def test_chooser__refuses_what_a_request_cannot_tell(game: Game) -> None:
    with pytest.raises(ValueError, match="sees what is hidden"):
        make_chooser(game, "cheater")
    with pytest.raises(ValueError, match="match_to=6"):
        make_chooser(make_game("twentynine", match_to=6), "rules")
    with pytest.raises(ValueError, match=r"marriage=True.*cannot express"):
        make_chooser(make_game("twentynine", marriage=True), "rules")


def test_chooser__takes_callables_and_bots(game: Game) -> None:
    asked = rebuild(game, "/play", CAPTURED)
    many = batched(lambda views, masks: masks.argmax(axis=1))
    for bot in (lambda view, mask: int(np.argmax(mask)), many, make_bot(game, "rules")):
        assert make_chooser(game, bot)(asked.state, asked.seat, CLOCK) == card_of("9H")
    with pytest.raises(ValueError, match="it chose 50, which is not legal"):
        make_chooser(game, lambda view, mask: 50)


# --- browsers ------------------------------------------------------------------------------------


def headers_of(address: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    line = dial(address)
    sent = {"Origin": "https://sandbox.example", "Access-Control-Request-Private-Network": "true"}
    line.request(method, path, None if body is None else json.dumps(body), sent)
    response = line.getresponse()
    response.read()
    line.close()
    return response.status, response.headers


def test_cors__pages_may_ask_if_the_option_is_given(game: Game) -> None:
    with serving(game, "rules", cors="*") as address:
        status, told = headers_of(address, "OPTIONS", "/play")
        assert status == 200 and told["Access-Control-Allow-Origin"] == "*"
        assert "POST" in told["Access-Control-Allow-Methods"]
        assert told["Access-Control-Allow-Headers"] == "Content-Type"
        assert told["Access-Control-Allow-Private-Network"] == "true"
        status, told = headers_of(address, "POST", "/play", CAPTURED)
        assert (status, told["Access-Control-Allow-Origin"]) == (200, "*")
        status, told = headers_of(address, "POST", "/play", {})
        assert (status, told["Access-Control-Allow-Origin"]) == (400, "*")
        assert headers_of(address, "OPTIONS", "/nothing")[0] == 404


def test_cors__no_page_may_ask_without_it(game: Game, address: str) -> None:
    assert headers_of(address, "OPTIONS", "/play")[0] == 405
    assert "Access-Control-Allow-Origin" not in headers_of(address, "POST", "/play", CAPTURED)[1]
    with (
        pytest.raises(ValueError, match="cors='sandbox': expected"),
        serving(game, "rules", cors="sandbox"),
    ):
        pass


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status", "reason"),
    [
        ("POST", "/hi", 405, "/hi: use GET"),
        ("GET", "/bid", 405, "/bid: use POST"),
        ("PUT", "/play", 405, "/play: use POST"),
        ("DELETE", "/chooseTrump", 405, "/chooseTrump: use POST"),
        ("BREW", "/bid", 405, "/bid: use POST"),
        ("GET", "/", 404, "/: there are /hi, /bid, /chooseTrump, /play"),
        ("POST", "/Play", 404, "there are"),
        ("BREW", "/coffee", 404, "there are"),
    ],
)
def test_server__wrong_methods_and_paths_are_told(
    line: http.client.HTTPConnection, method: str, path: str, status: int, reason: str
) -> None:
    for body in (None, BID):
        got, content = call(line, method, path, body)
        assert got == status and reason in content["error"]
    assert call(line, "GET", "/hi")[0] == 200


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 50_000, "not JSON"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "playerId: missing"),
        (b"1" * 5000, "not JSON"),
        (b"null", "expected a JSON object"),
        (b"[]", "expected a JSON object"),
        (b"{}", "playerId: missing"),
        (json.dumps({**BID, "cards": None}).encode(), "cards: null"),
        (json.dumps({**BID, "timeRemaining": float("inf")}).encode(), "timeRemaining=inf"),
        (json.dumps({**BID, "playerId": "\ud800"}).encode(), "playerId="),
    ],
)
def test_server__broken_bodies_are_told(
    line: http.client.HTTPConnection, body: bytes, reason: str
) -> None:
    status, content = call(line, "POST", "/bid", body)
    assert status == 400 and reason in content["error"]
    assert call(line, "POST", "/play", CAPTURED) == (200, {"card": "9H"})  # same connection


def test_server__too_large_a_body_is_refused_even_while_it_comes(address: str) -> None:
    for body in (b" " * (LARGEST + 1), b"x" * 3_000_000):
        line = dial(address)
        try:
            status, content = call(line, "POST", "/play", body)
            assert status == 413 and "too large" in content["error"]
        except ConnectionError:
            assert len(body) > LARGEST * 10  # it may be cut off when it is very long
        line.close()
    back = send_raw(address, b"POST /bid HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n")
    assert back.startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"POST /bid HTTP/1.1\r\n\r\n", b"411"),
        (b"POST /bid HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", b"411"),
        (b"POST /bid HTTP/1.1\r\nContent-Length: -5\r\n\r\n", b"400"),
        (b"POST /bid HTTP/1.1\r\nContent-Length: 50\r\n\r\n{}", b"400"),
        (b"POST /bid HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", b"400"),
        (b"\r\n\r\n", b""),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /hi HTTP/9.9\r\n\r\n", b"505"),
        (b"GET /hi HTTP/x\r\n\r\n", b"400"),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"414"),
        (b"GET /hi HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", b"431"),
        (b"GET /hi HTTP/1.1\r\n" + b"A: " + b"b" * 70_000 + b"\r\n\r\n", b"431"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100), b""),
    ],
)
def test_server__broken_http_gets_a_status_or_nothing(
    address: str, data: bytes, status: bytes
) -> None:
    back = send_raw(address, data)
    assert back.startswith(b"HTTP/1.1 " + status if status else b"")


def test_server__a_client_that_asks_whether_to_go_on_is_told(address: str) -> None:
    body = json.dumps(CAPTURED).encode()
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        head = f"POST /play HTTP/1.1\r\nContent-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100")
        connection.sendall(body)
        assert b'"9H"' in connection.recv(4096)


# --- staying up ----------------------------------------------------------------------------------


def twisted(source: random.Random, request: Any) -> Any:
    """A request in which some values are others, missing or doubled."""
    made = copy.deepcopy(request)
    strange = [
        None,
        -1,
        0,
        17,
        1e99,
        "",
        "JS",
        "\x00",
        True,
        [],
        {},
        [[]],
        "A1",
        10**30,
        [None] * 9,
    ]
    for _ in range(source.randint(1, 3)):
        place = made
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = source.choice(keys)
            if isinstance(place[key], dict | list) and source.random() < 0.6:
                place = place[key]
                continue
            how = source.random()
            if how < 0.2:
                del place[key]
            elif how < 0.4 and isinstance(place, list):
                source.shuffle(place)
            elif how < 0.5 and isinstance(place, dict):
                place[source.choice(["x", "", "cards "])] = source.choice(strange)
            else:
                place[key] = source.choice(strange)
            break
    return made


def test_server__goes_on_answering_after_a_thousand_hostile_requests(
    address: str, capfd: pytest.CaptureFixture[str]
) -> None:
    source = random.Random(29)
    valid = json.dumps(CAPTURED).encode()
    statuses: dict[int, int] = {}
    line, waiting = dial(address), []
    sent = 0
    while sent < 1000:
        kind = source.randrange(10)
        sent += 1
        if kind < 5:
            path = source.choice(list(REQUESTS))
            body: Any = json.dumps(twisted(source, REQUESTS[path])).encode()
        elif kind == 5:
            path, body = source.choice(list(REQUESTS)), source.randbytes(source.randint(0, 3000))
        elif kind == 6:
            path, body = "/play", valid[: source.randrange(len(valid))]
        elif kind == 7:
            path, body = source.choice(["/", "/bid/", "//play", "/hi?x", "/%00"]), b"x"
        elif kind == 8:
            broken = bytearray(b"POST /play HTTP/1.1\r\nContent-Length: 900\r\n\r\n" + valid)
            for _ in range(source.randint(1, 6)):
                broken[source.randrange(60)] = source.randrange(256)
            send_raw(address, bytes(broken[: source.randrange(len(broken))]))
            continue
        else:
            if source.random() < 0.2:
                send_raw(address, b"POST /bid HTTP/1.1\r\nContent-Length: 400000\r\n\r\n" * 5000)
            elif len(waiting) < 20:  # says nothing, or half of something, and stays
                host, _, port = address.removeprefix("http://").partition(":")
                waiting.append(socket.create_connection((host, int(port))))
                waiting[-1].sendall(b"POST /bid HT"[: source.randrange(12)])
            continue
        method = source.choice(["POST"] * 6 + ["GET", "PUT", "HEAD", "PATCH"])
        line.request(method, path, body)
        response = line.getresponse()
        response.read()
        statuses[response.status] = statuses.get(response.status, 0) + 1
        if sent % 25 == 0:
            assert call(line, "POST", "/play", CAPTURED) == (200, {"card": "9H"})
    assert call(line, "POST", "/play", CAPTURED) == (200, {"card": "9H"})
    line.close()
    for connection in waiting:
        connection.close()
    assert set(statuses) == {200, 400, 404, 405}, statuses
    assert statuses[400] > 300
    assert capfd.readouterr().err == ""  # nothing went wrong inside


def test_server__has_room_again_when_others_hang_up(game: Game) -> None:
    with serving(game, "rules") as address:
        host, _, port = address.removeprefix("http://").partition(":")
        held = [socket.create_connection((host, int(port))) for _ in range(CONNECTIONS)]
        assert send_raw(address, b"GET /hi HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 503")
        for connection in held:
            connection.close()
        until = time.monotonic() + 10
        while not send_raw(address, b"GET /hi HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 200"):
            assert time.monotonic() < until
            time.sleep(0.02)


def test_server__does_not_wait_for_ever(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for a request nor for the rest of one, even if a byte comes now and then."""
    monkeypatch.setattr(twentynine_web, "IDLE", 0.3)
    monkeypatch.setattr(twentynine_web, "PATIENCE", 0.3)
    with serving(game, "rules") as address:
        host, _, port = address.removeprefix("http://").partition(":")
        for start in (
            b"",
            b"POST /bid HTTP/1.1\r\n",
            b"POST /bid HTTP/1.1\r\nContent-Length: 99\r\n\r\n",
        ):
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                connection.sendall(start)
                began, ended = time.monotonic(), False
                while not ended and time.monotonic() - began < 5:
                    try:
                        if start:
                            connection.sendall(b"x")
                        connection.settimeout(0.05)
                        ended = connection.recv(100) == b""
                    except TimeoutError:
                        continue
                    except ConnectionError:
                        ended = True
                assert ended and time.monotonic() - began < 2


def test_server__a_bot_that_fails_is_told_and_the_next_request_is_answered(
    game: Game, capfd: pytest.CaptureFixture[str]
) -> None:
    calls = []

    def moody(view: Any, mask: Any) -> int:
        calls.append(1)
        if calls[0] == "served" and len(calls) % 2:
            raise ValueError("not today")
        return int(np.argmax(mask))

    with serving(game, moody) as address:
        calls[:] = ["served"]
        line = dial(address)
        assert call(line, "POST", "/play", CAPTURED) == (200, {"card": "9H"})
        status, content = call(line, "POST", "/play", CAPTURED)
        assert status == 500 and "not today" in content["error"]
        assert call(line, "POST", "/play", CAPTURED) == (200, {"card": "9H"})
        line.close()
    assert "not today" in capfd.readouterr().err


def test_server__listens_on_loopback_only_and_hangs_up_at_the_end(game: Game) -> None:
    with serving(game, "rules") as address:
        assert address.startswith("http://127.0.0.1:")
        line = dial(address)
        assert call(line, "GET", "/hi")[0] == 200
        port = int(address.rpartition(":")[2])
        taken = pytest.raises(ValueError, match=f"port={port}: cannot listen there")
        with taken, serving(game, "rules", port=port):
            pass
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        call(line, "GET", "/hi")
    line.close()
    with pytest.raises(ConnectionRefusedError):
        call(dial(address), "GET", "/hi")


def test_serve__runs_until_it_is_interrupted() -> None:
    code = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in background jobs
        "from bidarena.baselines.adapters.twentynine.server import serve\n"
        "serve('twentynine', 'rules', port=0)\nprint('ended')"
    )
    done = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    assert done.stderr is not None
    told = ""
    while "Ctrl-C" not in told:
        told = done.stderr.readline()
        assert told, "it ended without listening"
    found = re.search(r"http://127\.0\.0\.1:\d+", told)
    assert found
    line = dial(found[0])
    assert call(line, "POST", "/play", CAPTURED) == (200, {"card": "9H"})
    line.close()
    done.send_signal(signal.SIGINT)
    out, err = done.communicate(timeout=20)
    assert (done.returncode, out, err) == (0, "ended\n", "")


def test_serve__sigterm_lets_answers_be_finished() -> None:
    """The bot takes two seconds for its answer; the signal comes in the middle."""
    code = (
        "import sys, time, numpy as np\n"
        "from bidarena.baselines.adapters.twentynine.server import serve\n"
        "from bidarena.envs.stopping import Terminated, stop_at_sigterm\n"
        "def slow(observation, mask):\n"
        "    time.sleep(2); return int(np.argmax(mask))\n"
        "with stop_at_sigterm(): serve('twentynine', slow, port=int(sys.argv[1]))\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen(
        [sys.executable, "-c", code, str(port)], stderr=subprocess.PIPE
    ) as server:
        assert server.stderr is not None
        assert b"answers at" in server.stderr.readline()
        found: list[tuple[int, Any]] = []
        address = f"http://127.0.0.1:{port}"
        asking = threading.Thread(
            target=lambda: found.append(call(dial(address), "POST", "/play", CAPTURED))
        )
        asking.start()
        time.sleep(0.7)
        server.send_signal(signal.SIGTERM)
        asking.join(timeout=30)
        assert server.wait(timeout=30) == 0
    assert found[0][0] == 200
