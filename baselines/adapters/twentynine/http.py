"""Bots of the Twenty-nine competition as players here: name a bot `http://127.0.0.1:8001`.

Such a bot is an HTTP server that answers /bid, /chooseTrump and /play; messages.py writes the
questions. A bot has one clock for each deal, which runs while it answers. A label and options
follow a #, as in "http://127.0.0.1:8001#mybot-v2,ms=3000,max_faults=2".
"""

from __future__ import annotations

import http.client
import json
import time
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.identity import Identity
from bidarena.baselines.adapters.punctual import Punctual, PunctualTLS, connect
from bidarena.baselines.adapters.twentynine.messages import (
    CLOCK,
    check_allowed,
    check_rules,
    question,
    read_answer,
)
from bidarena.envs.arguments import whole
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.phrases import legal_actions
from bidarena.envs.registry import Bot
from bidarena.envs.twentynine.record import history
from bidarena.envs.twentynine.rules.layout import BIDDING, PLAYING, SEATS, S

LARGEST = 1 << 16  # most bytes of an answer; a real one has about twenty
HELLO = 5.0  # seconds that a bot has to answer the greeting
REMEMBERED = 1 << 16  # most deals whose clocks are kept


def opener(game: Game, address: str) -> Bot:
    """Return a player that asks the bot at an address; the bot must be running.

    A label may follow a #, which tells bots apart that answer at one address at different times.
    Options: `ms`, the milliseconds the bot has for a deal (1500), and `max_faults`, how many wrong
    or late answers in a deal are replaced by a legal action before it loses (0).

    Raises:
        ValueError: if the rules are not the competition's, the address is wrong, or no bot answers.
    """
    check_rules(game)
    place, _, text = address.partition("#")
    options: dict[str, Any] = {"ms": int(CLOCK), "max_faults": 0}
    labels = []
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            labels.append(name)
        elif name not in options or not value.isdecimal():
            raise ValueError(
                f"#{text}: expected a label and options, #mybot-v2,ms=1500,max_faults=0"
            )
        else:
            options[name] = int(value)
    asked = HttpPlayer(game, place, **options, label=",".join(labels))
    try:
        asked.greet()
    except Fault as fault:
        raise ValueError(f"{fault}; start the bot first") from None
    return Bot(address, _only_outside, outside=asked)


def _only_outside(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    """Return an illegal action: compiled code cannot ask a server."""
    return -1


@dataclass
class _Deal:
    """The clock and the faults of one player in one deal; the keys are numbers from `_turn`."""

    spent: dict[int, float] = field(default_factory=dict)  # milliseconds in each turn
    faults: dict[int, str] = field(default_factory=dict)
    cards: dict[int, int] = field(default_factory=dict)  # cards that came with the reveal
    shift: int = 0  # the place of the first speaker in the list of players


class HttpPlayer:
    """Asks one bot over a connection that is kept open.

    Many games may go on side by side. The player tells games apart by the cards dealt. Like the
    clocks, these cards are for the arbiter only and never part of a question.

    Args:
        game: a game with the competition's rules.
        address: the address of the bot, such as "http://127.0.0.1:8001".
        ms: milliseconds that the bot has for a deal.
        max_faults: wrong or late answers in a deal that are replaced before the bot loses.
        label: tells this bot from others that answer at the same address at other times.
    """

    def __init__(
        self,
        game: Game,
        address: str,
        ms: int = int(CLOCK),
        max_faults: int = 0,
        label: str = "",
    ) -> None:
        parts = urlsplit(address)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
            raise ValueError(f"address={address!r}: expected one like http://127.0.0.1:8001")
        if parts.query or parts.username or parts.password:
            raise ValueError(f"address={address!r}: expected neither a name nor a question mark")
        self.game = game
        self.label = label
        self.address = address.rstrip("/")
        self.ms = whole("ms", ms, 1, 10**7)
        self.max_faults = whole("max_faults", max_faults, 0, 100)
        self.faults: deque[str] = deque(maxlen=1000)  # the latest ones whose answers were replaced
        self._host, self._port = parts.hostname, port or (443 if parts.scheme == "https" else 80)
        self._tls, self._folder = parts.scheme == "https", parts.path.rstrip("/")
        self._connection: http.client.HTTPConnection | None = None
        self._deals: OrderedDict[tuple[int, ...], _Deal] = OrderedDict()

    def __call__(self, state: State, player: int, rng: Rng) -> int:
        """Return the action that the bot chooses for `player`.

        Raises:
            Fault: if the bot gives no answer, or one that has no meaning or is not allowed.
        """
        deal, turn = self._deal(state, player, rng), _turn(state)
        legal = legal_actions(self.game, state)
        try:
            if state[S.asked] and turn in deal.cards:
                check_allowed(deal.cards[turn], legal)
                return deal.cards.pop(turn)
            action, *more = self._ask(state, player, legal, deal, turn)
            deal.cards.pop(turn + 1, None)
            if more:
                deal.cards[turn + 1] = more[0]
            return action
        except (Fault, ValueError) as wrong:
            reason = str(wrong) if isinstance(wrong, Fault) else self._reason(state, str(wrong))
            deal.cards.pop(turn, None)
            deal.faults[turn] = reason
            if sum(known <= turn for known in deal.faults) > self.max_faults:
                raise Fault(reason) from None
            self.faults.append(reason)
            return legal[0]  # the compulsory bid, a pass, or the first card

    def forget(self) -> None:
        """Forget all deals, so that their clocks start again."""
        self._deals.clear()

    def close(self) -> None:
        """Close the connection; the next question opens a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        if hasattr(self, "_connection"):  # not if the address was refused
            self.close()  # a match with an address makes a player that nobody else can close

    def greet(self) -> bytes:
        """Return what the bot answers to GET /hi, which may be anything; raise Fault if nothing."""
        return self._exchange("GET", "/hi", b"", time.monotonic() + HELLO, f"{HELLO:g} s")[1]

    def identity(self) -> Identity:
        """Return what the server tells of itself in its answer to /hi: `name` and `version`.

        It is sure if there is a version, or if the address has a label.
        """
        try:
            told = json.loads(self.greet())
        except (Fault, ValueError, RecursionError):
            told = None
        told = told if isinstance(told, dict) else {}
        name, version = (str(told.get(key) or "")[:200] for key in ("name", "version"))
        return Identity(f"{name} {version}".strip(), bool(version or self.label))

    def _deal(self, state: State, player: int, rng: Rng) -> _Deal:
        """Return the record of this deal, a new one if there is none.

        The first speaker has another place in the list of players from deal to deal, so that bots
        which take it for the first in the list are found out. All seats of a bot get the same list.
        """
        key = (*history.dealt(state), int(state[S.deals]), player)
        if key not in self._deals:
            others = (self._deals.get((*key[:-1], seat)) for seat in range(SEATS))
            shift = next((deal.shift for deal in others if deal is not None), None)
            if shift is None:  # hashed: the words must not tell a bot what others will draw
                shift = blake2b(rng.tobytes(), digest_size=1).digest()[0] % SEATS
            self._deals[key] = _Deal(shift=shift)
        deal = self._deals[key]
        self._deals.move_to_end(key)
        if len(self._deals) > REMEMBERED:
            self._deals.popitem(last=False)
        return deal

    def _ask(
        self, state: State, player: int, legal: Sequence[int], deal: _Deal, turn: int
    ) -> tuple[int, ...]:
        """Ask the bot, with its clock running; return the actions that its answer means."""
        # Later turns may be on record too: from another game with equal cards.
        remaining = self.ms - sum(ms for known, ms in deal.spent.items() if known < turn)
        path, body = question(state, player, max(remaining, 0.0), shift=deal.shift)
        if remaining <= 0:
            raise Fault(f"{self.address}{path}: its {self.ms} ms for this deal are used up")
        began = time.monotonic()
        deadline, allowed = began + remaining / 1000, f"its {self.ms} ms for a deal"
        try:
            payload = json.dumps(body).encode()
            status, data = self._exchange("POST", path, payload, deadline, allowed)
        finally:
            deal.spent[turn] = (time.monotonic() - began) * 1000
        if status // 100 != 2:
            raise ValueError(f"answered with status {status}: {_excerpt(data)}")
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            raise ValueError(f"answered something that is not JSON: {_excerpt(data)}") from None
        return read_answer(path, answer, legal, bidder=player == state[S.bidder])

    def _reason(self, state: State, what: str) -> str:
        """Return the text of a fault, with the address that was asked."""
        path = {BIDDING: "/bid", PLAYING: "/play"}.get(int(state[S.phase]), "/chooseTrump")
        return f"{self.address}{path}: {what[:300]}"

    # --- HTTP ------------------------------------------------------------------------------------

    def _exchange(
        self, method: str, path: str, payload: bytes, deadline: float, allowed: str
    ) -> tuple[int, bytes]:
        """Return the status and the body of an answer; raise Fault if there is none."""
        place = f"{self.address}{path}"
        try:
            if self._connection is not None:
                try:
                    return self._exchange_once(method, path, payload, deadline)
                except (ConnectionResetError, BrokenPipeError):
                    self.close()  # the bot may have closed it between two questions: connect again
            return self._exchange_once(method, path, payload, deadline)
        except TimeoutError:
            reason = f"did not answer within {allowed}"
        except ConnectionRefusedError:
            reason = "nobody listens there"
        except (ConnectionResetError, BrokenPipeError):  # RemoteDisconnected is one of them
            reason = "closed the connection without an answer"
        except http.client.HTTPException as wrong:
            reason = f"what it answered is not HTTP: {wrong!r:.100}"
        except (OSError, UnicodeError) as wrong:
            reason = f"no connection: {wrong}"
        except _TooLarge:
            reason = f"answered more than {LARGEST} bytes"
        self.close()
        raise Fault(f"{place}: {reason}")

    def _exchange_once(
        self, method: str, path: str, payload: bytes, deadline: float
    ) -> tuple[int, bytes]:
        """Send one request and return status and body; connect first if necessary."""
        if self._connection is None:
            line = connect(self._host, self._port, tls=self._tls, deadline=deadline)
            self._connection = http.client.HTTPConnection(self._host, self._port)
            self._connection.auto_open = 0  # else it would connect by itself, without a deadline
            self._connection.sock = line
        sock = self._connection.sock
        assert isinstance(sock, Punctual | PunctualTLS)
        sock.deadline = deadline
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        self._connection.request(method, self._folder + path, payload or None, headers)
        response = self._connection.getresponse()
        data = response.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise _TooLarge
        if not response.isclosed():
            response.close()
            self.close()  # the unread rest would be taken for the next answer
        elif response.will_close:
            self.close()
        return response.status, data

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_connection": None}  # a connection cannot be pickled


class _TooLarge(Exception):  # noqa: N818 - never leaves this module
    pass


def _turn(state: State) -> int:
    """Return a number that grows with every decision of a player in a deal."""
    if state[S.phase] == BIDDING:
        return int(state[S.calls])
    if state[S.phase] == PLAYING:
        return 100 + 2 * int(state[S.trick]) + int(state[S.asked])
    return 99


def _excerpt(data: bytes) -> str:
    """Return the first 100 bytes for an error message."""
    text = data[:100].decode("utf-8", "replace")
    return repr(text) + ("..." if len(data) > 100 else "")
