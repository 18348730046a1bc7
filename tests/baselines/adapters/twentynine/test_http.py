"""Bots of the competition as players: round trips, the clock, and everything that can go wrong."""

from __future__ import annotations

import json
import pickle
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from twentynine_requests import play_deal

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.twentynine.chooser import make_chooser
from bidarena.baselines.adapters.twentynine.http import LARGEST, HttpPlayer, opener
from bidarena.baselines.adapters.twentynine.messages import CLOCK, answer_of, question
from bidarena.baselines.adapters.twentynine.server import serving
from bidarena.envs import make_bot, make_game
from bidarena.envs.game import Game
from bidarena.envs.phrases import legal_actions
from bidarena.envs.testing import check_bot, random_states
from bidarena.envs.twentynine.rules.layout import SUITS, A, S, card_code
from bidarena.evaluate.match import play_match

NO_LUCK = np.ones(2, np.uint64)


@pytest.fixture(scope="module")
def game() -> Game:
    return make_game("twentynine")


@contextmanager
def strange_bot(handle: Callable[[socket.socket], None]) -> Iterator[str]:
    """Context manager: a server that calls `handle` with every connection."""
    server = socket.create_server(("127.0.0.1", 0))
    stopped = threading.Event()
    open_ones: list[socket.socket] = []

    def work(connection: socket.socket) -> None:
        with connection, suppress(OSError):  # the other side has had enough
            handle(connection)

    def accept() -> None:
        while not stopped.is_set():
            try:
                connection, _ = server.accept()
            except OSError:
                return
            open_ones.append(connection)
            threading.Thread(target=work, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
    finally:
        stopped.set()
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        for connection in open_ones:
            connection.close()


def read_request(connection: socket.socket) -> tuple[str, Any]:
    """Return the path and the body of one request."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(4096)
        if not piece:
            raise OSError("closed")
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
    length = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < length:
        body += connection.recv(4096)
    return head.split()[1].decode(), json.loads(body) if body else None


def reply(connection: socket.socket, content: Any, status: str = "200 OK") -> None:
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    connection.sendall(head + body)


def answering(answer: Callable[[str, Any], Any]) -> Callable[[socket.socket], None]:
    """A proper bot that keeps connections open."""

    def handle(connection: socket.socket) -> None:
        while True:
            path, body = read_request(connection)
            reply(connection, {"value": "hello"} if path == "/hi" else answer(path, body))

    return handle


# --- round trips ---------------------------------------------------------------------------------


def test_round_trip__rules_play_the_same_games_through_the_protocol(game: Game) -> None:
    direct = play_match(game, ["rules", "random"], 12, seed=3)
    with serving(game, "rules") as address:
        bot = make_bot(game, address)
        remote = play_match(game, [bot, "random"], 12, seed=3)
        bot.outside.close()
    assert np.array_equal(direct.results, remote.results)
    assert (direct.moves, direct.decisions) == (remote.moves, remote.decisions)


@pytest.mark.parametrize(
    "spec", ["rules", "random", "ismcts:iterations=60", "dmcts:iterations=60,trees=3,book=formula"]
)
def test_round_trip__is_the_same_move_for_move(game: Game, spec: str) -> None:
    """Random words come from what the player sees, so that searches can be compared as well."""
    choose = make_chooser(game, spec, seed=11)
    other = make_chooser(game, "random", seed=12)

    def direct(state: Any, seat: int, rng: Any) -> int:
        return choose(state, seat, CLOCK)

    def rival(state: Any, seat: int, rng: Any) -> int:
        return other(state, seat, CLOCK)

    with serving(game, spec, seed=11) as address:
        remote = HttpPlayer(game, address, ms=10**6)  # no fault of a busy machine
        reveals = 0
        for seed in range(6):
            expected = play_deal(game, seed, direct, rival)
            assert play_deal(game, seed, remote, rival) == expected
            assert play_deal(game, seed, remote, remote) == play_deal(game, seed, direct, direct)
            reveals += A.reveal in expected
        remote.close()
    assert reveals > 0


def test_http_bot__passes_the_checks_of_a_bot(game: Game) -> None:
    """The answers are legal, repeatable, and do not depend on what is hidden."""
    with serving(game, "rules") as address:
        bot = make_bot(game, address)
        check_bot(game, bot, games=2)
        bot.outside.close()


def test_http_bot__is_asked_the_same_whatever_is_hidden(game: Game) -> None:
    asked = []

    def first_legal(path: str, body: Any) -> Any:
        asked.append((path, body))
        return {"/bid": {"bid": 0}, "/chooseTrump": {"suit": "S"}}.get(path, {"card": "JS"})

    determinize = game.call("determinize")
    with strange_bot(answering(first_legal)) as address:
        player = HttpPlayer(game, address, max_faults=100)
        for state, mover, rng in random_states(game, 3, seed=1):
            for _ in range(2):
                guess = state.copy()
                determinize(game.cfg, guess, mover, rng)
                player.forget()
                player(guess, mover, NO_LUCK)
            assert asked[-1] == asked[-2]
            assert asked[-1] in [question(state, mover, CLOCK, shift=shift) for shift in range(4)]
        player.close()


def test_http_bot__first_speaker_sits_in_all_places_of_the_list(game: Game) -> None:
    choose = make_chooser(game, "rules")
    lists: list[list[str]] = []
    decisions = []

    def note(path: str, body: Any) -> Any:
        lists[-1].append(" ".join(body["playerIds"]))
        return decisions.pop()

    with strange_bot(answering(note)) as address:
        player = HttpPlayer(game, address)

        def ask(state: Any, seat: int, rng: Any) -> int:
            decisions.append(answer_of(choose(state, seat, CLOCK)))
            return player(state, seat, rng)

        for seed in range(24):
            lists.append([])
            play_deal(game, seed, ask)
        player.close()
    assert all(len(set(told)) == 1 for told in lists), "one list in a deal, for all its seats"
    assert {told[0].index("seat0") // 6 for told in lists} == {0, 1, 2, 3}


def test_http_bot__plays_a_match_and_travels(game: Game) -> None:
    match = make_game("twentynine", match_to=2, max_deals=3)
    with serving(game, "rules") as address:
        player = pickle.loads(pickle.dumps(opener(match, address).outside))
        deal = play_deal(match, 0, player, player)
        player.close()
    assert len(deal) > 40


# --- the clock -----------------------------------------------------------------------------------


def test_clock__runs_down_over_a_deal_for_each_player(game: Game) -> None:
    clocks: dict[str, list[float]] = {}
    choose = make_chooser(game, "rules")
    decisions = []

    def slow(path: str, body: Any) -> Any:
        clocks.setdefault(body["playerId"], []).append(body["timeRemaining"])
        time.sleep(0.01)
        return decisions.pop()

    with strange_bot(answering(slow)) as address:
        player = HttpPlayer(game, address, ms=5000)

        def ask(state: Any, seat: int, rng: Any) -> int:
            decisions.append(answer_of(choose(state, seat, CLOCK)))
            return player(state, seat, rng)

        for seed in (1, 2):
            clocks.clear()
            play_deal(game, seed, ask)
            assert len(clocks) == 4
            for times in clocks.values():
                assert times[0] == 5000  # a new deal, a new clock
                assert len(times) >= 8
                assert all(one - two >= 10 for one, two in pairwise(times))
        player.close()


def test_clock__games_side_by_side_have_their_own(game: Game) -> None:
    """A batch asks for many deals in turn; none may use up another's time."""

    def slow(path: str, body: Any) -> Any:
        time.sleep(0.02)
        return {"bid": 0}

    with strange_bot(answering(slow)) as address:
        player = HttpPlayer(game, address, ms=200)
        for seed in range(30):
            state = game.new_state(np.array([seed + 1, 7], np.uint64))
            assert player(state, 0, NO_LUCK) == A.pass_
            assert player(state, 0, NO_LUCK) == A.pass_  # the same turn, not a second one
        player.close()


def test_clock__late_answers_have_one_reason_whatever_was_left(game: Game) -> None:
    pauses = iter([0.02, 1.0, 0.06, 1.0, 0.1, 1.0])

    def slower(path: str, body: Any) -> Any:
        time.sleep(next(pauses))
        return {"bid": 16}

    reasons = set()
    with strange_bot(answering(slower)) as address:
        for seed in range(3):
            player = HttpPlayer(game, address, ms=300)
            state = game.new_state(np.array([seed + 1, 7], np.uint64))
            first = player(state, 0, NO_LUCK)
            for action in (first, first + 1):  # 16, and 17 of the challenger
                game.call("step")(game.cfg, state, action, NO_LUCK)
            with pytest.raises(Fault) as fault:
                player(state, 0, NO_LUCK)
            reasons.add(str(fault.value))
            player.close()
    assert reasons == {f"{address}/bid: did not answer within its 300 ms for a deal"}


def test_clock__that_has_run_out_is_a_fault(game: Game) -> None:
    def slow(path: str, body: Any) -> Any:
        time.sleep(0.09)
        return {"bid": 16 + (len(body["bidHistory"]) + 1) // 2}  # as little as possible

    with strange_bot(answering(slow)) as address:
        player = HttpPlayer(game, address, ms=250)
        began = time.monotonic()
        with pytest.raises(
            Fault, match=r"/bid: (did not answer within its 250 ms for a deal|its 250 ms)"
        ):
            play_deal(game, 1, player)
        assert time.monotonic() - began < 5
        player.close()


# --- reveals -------------------------------------------------------------------------------------


def about_to_reveal(game: Game, bidder: bool) -> tuple[Any, int]:
    for state, mover, _ in random_states(game, 200, seed=2):
        if A.reveal in legal_actions(game, state) and (mover == state[S.bidder]) == bidder:
            return state, mover
    raise AssertionError


@pytest.mark.parametrize("bidder", [True, False])
@pytest.mark.parametrize("both", [True, False])
def test_reveal__card_sent_along_counts_for_the_bidder_only(
    game: Game, bidder: bool, both: bool
) -> None:
    state, mover = about_to_reveal(game, bidder)
    after = state.copy()
    game.call("step")(game.cfg, after, A.reveal, NO_LUCK)
    first, *_, last = [card_code(card) for card in legal_actions(game, after)] * 2
    asked = []

    def bot(path: str, body: Any) -> Any:
        asked.append(body)
        if body["trumpRevealed"]:
            return {"card": last}
        return {"revealTrump": True, "card": first} if both else {"revealTrump": True}

    with strange_bot(answering(bot)) as address:
        player = HttpPlayer(game, address)
        assert player(state, mover, NO_LUCK) == A.reveal
        chosen = card_code(player(after, mover, NO_LUCK))
        player.close()
    assert chosen == (first if both and bidder else last)
    assert len(asked) == (1 if both and bidder else 2)
    if len(asked) == 2:
        assert asked[1]["trumpSuit"] == SUITS[int(state[S.trump])]


def test_reveal__card_sent_along_must_be_allowed(game: Game) -> None:
    state, mover = about_to_reveal(game, bidder=True)
    after = state.copy()
    game.call("step")(game.cfg, after, A.reveal, NO_LUCK)
    allowed = legal_actions(game, after)
    wrong = next(card for card in range(32) if card not in allowed)
    both = {"revealTrump": True, "card": card_code(wrong)}
    with strange_bot(answering(lambda path, body: both)) as address:
        player = HttpPlayer(game, address)
        assert player(state, mover, NO_LUCK) == A.reveal
        with pytest.raises(Fault, match=f"/play: answered {card_code(wrong)}, which is not"):
            player(after, mover, NO_LUCK)
        player.close()


# --- faults --------------------------------------------------------------------------------------


def hang(connection: socket.socket) -> None:
    read_request(connection)
    time.sleep(30)


def silent(connection: socket.socket) -> None:
    time.sleep(30)


def close(connection: socket.socket) -> None:
    read_request(connection)


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def garbage(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"\x00\xff garbage \r\n\r\n" * 10)


def raw(body: bytes, head: bytes = b"") -> Callable[[socket.socket], None]:
    def handle(connection: socket.socket) -> None:
        read_request(connection)
        length = b"Content-Length: %d\r\n" % len(body)
        connection.sendall(b"HTTP/1.1 200 OK\r\n" + (head or length) + b"\r\n" + body)
        time.sleep(0.2)

    return handle


def endless_body(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b'{"bid": 16, "more": "' + b"x" * 65536)


def endless_chunks(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")


def trickle(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.02)


def endless_head(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X: y\r\n")
        time.sleep(0.02)


def endless_continue(connection: socket.socket) -> None:
    read_request(connection)
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def refuse(connection: socket.socket) -> None:
    read_request(connection)
    reply(connection, {"error": "no idea"}, "500 Oh")


LATE = "did not answer within its 300 ms for a deal"
FAULTS = [
    (hang, LATE),
    (silent, LATE),
    (close, "closed the connection without an answer"),
    (reset, "closed the connection without an answer"),
    (garbage, "is not HTTP"),
    (endless_body, f"answered more than {LARGEST} bytes"),
    (endless_chunks, f"answered more than {LARGEST} bytes"),
    (raw(b"", b"Content-Length: 10000000000\r\n"), LATE + "|not JSON"),
    (trickle, LATE),
    (endless_head, LATE),
    (endless_continue, LATE),
    (refuse, "status 500.*no idea"),
    (raw(b""), "not JSON"),
    (raw(b"bid 16"), "not JSON: 'bid 16'"),
    (raw(b"[" * 60000), "not JSON"),
    (raw(b"9" * 5000), "not JSON"),
    (raw(b"\xff\xfe\x00"), "not JSON"),
    (raw(b'{"bid": NaN}'), "expected"),
    (raw(b'{"bid": 99}'), "expected"),
    (raw(b'{"card": "JS"}'), "expected"),
    (raw(b"null"), "expected a JSON object"),
]


@pytest.mark.parametrize(("handle", "reason"), FAULTS)
def test_fault__ends_in_time_and_says_why(
    game: Game, handle: Callable[[socket.socket], None], reason: str
) -> None:
    state = game.new_state(np.array([5, 6], np.uint64))
    with strange_bot(handle) as address:
        player = HttpPlayer(game, address, ms=300)
        began = time.monotonic()
        with pytest.raises(Fault, match=rf"{address}/bid: .*({reason})"):
            player(state, 0, NO_LUCK)
        assert time.monotonic() - began < 2
        player.close()


def test_fault__nobody_there_is_told_when_the_bot_is_made(game: Game) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ValueError, match=rf"{port}/hi: nobody listens there; start the bot first"):
        make_bot(game, f"http://127.0.0.1:{port}")
    player = HttpPlayer(game, f"http://127.0.0.1:{port}")
    with pytest.raises(Fault, match="nobody listens there"):
        player(game.new_state(NO_LUCK.copy()), 0, NO_LUCK)


def test_fault__some_are_replaced_if_that_is_wanted(game: Game) -> None:
    """By a pass, the compulsory bid, or the first legal card; beyond the limit it loses."""
    with strange_bot(answering(lambda path, body: {"card": "nonsense"})) as address:
        player = opener(game, f"{address}#ms=60000,max_faults=100").outside
        assert isinstance(player, HttpPlayer) and player.ms == 60000
        done = play_deal(game, 4, player)
        assert done[:5] == [A.pass_, A.pass_, A.pass_, A.bid_16, A.choose]
        assert len(player.faults) == len(done)
        player.close()

        strict = HttpPlayer(game, address, ms=60000, max_faults=2)
        with pytest.raises(Fault, match="/play: "):
            play_deal(game, 4, strict)
        assert len(strict.faults) == 4 + 1 + 3  # nobody was forgiven three times
        strict.close()


def test_connection__is_kept_and_dialled_again_when_it_was_closed(game: Game) -> None:
    connections = []

    def handle(connection: socket.socket) -> None:
        connections.append(connection)
        for _ in range(5):  # then hang up, as servers do with connections that stood idle
            read_request(connection)
            reply(connection, {"bid": 16})

    with strange_bot(handle) as address:
        player = HttpPlayer(game, address)
        for seed in range(1, 13):
            player(game.new_state(np.array([seed, 1], np.uint64)), 0, NO_LUCK)
        player.close()
    assert len(connections) == 3


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl for a certificate")
def test_connection__may_be_https(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")]
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*make, *files, *name], check=True, capture_output=True)
    secret = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secret.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    asked = []

    def handle(connection: socket.socket) -> None:
        with secret.wrap_socket(connection, server_side=True) as line:
            while True:
                asked.append(read_request(line)[0])
                if len(asked) > 2:
                    time.sleep(5)
                reply(line, {"bid": 16})

    state = game.new_state(np.array([5, 6], np.uint64))
    with strange_bot(handle) as address:
        there = address.replace("http://127.0.0.1", "https://localhost")
        with pytest.raises(ValueError, match="certificate verify failed"):
            opener(game, there)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        player = opener(game, f"{there}#ms=400").outside
        assert isinstance(player, HttpPlayer)
        assert player(state, 0, NO_LUCK) == A.bid_16
        with pytest.raises(Fault, match="/bid: did not answer within its 400 ms"):
            player(state, 0, NO_LUCK)
        player.close()
    assert asked == ["/hi", "/bid", "/bid"]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://", "expected one like"),
        ("http://:8001", "expected one like"),
        ("http://127.0.0.1:99999", "expected one like"),
        ("http://127.0.0.1:x", "expected one like"),
        ("http://me:secret@127.0.0.1:8001", "neither a name"),
        ("http://127.0.0.1:8001?a=1", "neither a name"),
        ("http://127.0.0.1:8001#speed=3", "expected a label and options"),
        ("http://127.0.0.1:8001#ms=-3", "expected a label and options"),
        ("http://127.0.0.1:8001#ms=0", "ms=0"),
    ],
)
def test_address__that_is_none_is_refused(game: Game, address: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make_bot(game, address)


def test_address__house_rules_are_refused_before_anybody_is_asked() -> None:
    with pytest.raises(ValueError, match=r"doubling=True.*cannot express"):
        make_bot(make_game("twentynine", doubling=True), "http://127.0.0.1:8001")
    with pytest.raises(ValueError, match="for twentynine only"):
        make_bot(make_game("raj"), "http://127.0.0.1:8001")
