"""The HTTP around our Twenty-nine server: paths, methods, limits, and errors as JSON.

The server must stay up, no matter what is sent: bodies, times, connections and threads are limited,
and a request that is refused gets a status and {"error": reason}.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bidarena.baselines.adapters.punctual import Punctual, punctual
from bidarena.baselines.adapters.twentynine.fields import FIELDS

LARGEST = 1 << 16  # most bytes of a request; real ones have less than two thousand
IDLE = 60.0  # seconds that a connection may be silent
PATIENCE = 5.0  # seconds for a body to arrive, and for the client to take the answer
LAST_ANSWERS = 30.0  # seconds for answers that are being made when the server is stopped
CONNECTIONS = 64  # most connections at a time
LEFTOVERS = 1 << 20  # most bytes of a refused request that are read, so that the refusal arrives

Answer = Callable[[str, Any, float], dict[str, Any]]  # (path, request, when it arrived) -> answer


class Server(ThreadingHTTPServer):
    """HTTP server with a thread for each connection.

    Args:
        answer: makes the answer to a request.
        host: the address to listen on.
        port: the port; 0 takes a free one.
        about: what the answer to /hi tells besides its greeting, such as name and version.
        cors: origin of web pages that may ask, "*" for all; empty: none.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        answer: Answer,
        host: str,
        port: int,
        about: dict[str, str] | None = None,
        cors: str = "",
    ) -> None:
        self.answer = answer
        self.cors = cors
        self.about = about or {}
        self._places = threading.BoundedSemaphore(CONNECTIONS)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._answering = 0
        self._answered = threading.Condition()
        if ":" in host:
            self.address_family = socket.AF_INET6
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        """Return the URL at which the server listens."""
        host, port = self.server_address[:2]
        return f"http://[{host!s}]:{port}" if ":" in str(host) else f"http://{host!s}:{port}"

    def server_bind(self) -> None:
        """Bind the socket, but ask no name service: the base class does, which may take long."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def get_request(self) -> tuple[Punctual, Any]:
        """Return a new connection, which keeps a deadline, and its address."""
        connected, address = self.socket.accept()
        return punctual(connected), address

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start a thread for a connection; refuse it if there are too many."""
        if not self._places.acquire(blocking=False):
            body = b'{"error": "too many connections"}'
            head = f"HTTP/1.1 503 Busy\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            request.deadline = time.monotonic() + 0.1
            with suppress(OSError):
                request.sendall(head.encode() + body)
            super().shutdown_request(request)
            return
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """End a connection and free its place."""
        with self._lock:
            ours = request in self._open
            self._open.discard(request)
        super().shutdown_request(request)
        if ours:
            self._places.release()

    @contextmanager
    def in_flight(self) -> Iterator[None]:
        """Context manager around the answer to one request, for which `server_close` waits."""
        with self._answered:
            self._answering += 1
        try:
            yield
        finally:
            with self._answered:
                self._answering -= 1
                self._answered.notify_all()

    def server_close(self) -> None:
        """Stop listening, wait for answers that are being made, and end all connections."""
        super().server_close()
        with self._answered:
            self._answered.wait_for(lambda: self._answering == 0, LAST_ANSWERS)
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print an error in one line, unless it is only a broken connection."""
        wrong = sys.exc_info()[1]
        if not isinstance(wrong, OSError):
            print(f"bidarena: a request failed: {wrong!r}", file=sys.stderr)


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "bidarena", ""
    disable_nagle_algorithm = True
    wbufsize = -1  # buffered, so that head and body are sent together
    server: Server
    connection: Punctual
    _unread = 0  # bytes of the request's body that were not read

    def handle_one_request(self) -> None:
        """Handle one request, which must begin within `IDLE` seconds."""
        self.connection.deadline = time.monotonic() + IDLE
        self._unread = 0
        super().handle_one_request()

    def do_GET(self) -> None:
        """Answer GET /hi."""
        self._unread = self._declared()
        if self._route() == "/hi":
            self._send(HTTPStatus.OK, {"value": "hello", **self.server.about})
        else:
            self._refuse_method()

    def do_OPTIONS(self) -> None:
        """Tell a browser whether a web page may ask; refuse it if no page may."""
        self._unread = self._declared()
        if not self.server.cors or self._route() not in ("/hi", *FIELDS):
            self._refuse_method()
            return
        allowed = {
            "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
            "Access-Control-Allow-Headers": "Content-Type",
            "Access-Control-Max-Age": "86400",
        }
        if "Access-Control-Request-Private-Network" in self.headers:
            allowed["Access-Control-Allow-Private-Network"] = "true"
        self._send(HTTPStatus.OK, {"value": "allowed"}, **allowed)

    def do_POST(self) -> None:
        """Answer a question of the competition."""
        arrived = time.monotonic()
        path = self._route()
        self._unread = self._declared()
        if path not in FIELDS:
            self._refuse_method()
            return
        try:
            body = self._body()
        except _Refusal as refused:
            self._refuse(*refused.args)
            return
        try:
            request = json.loads(body)
        except (ValueError, RecursionError) as wrong:
            self._refuse(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {str(wrong)[:200]}")
            return
        with self.server.in_flight():
            self._answer(path, request, arrived)

    def _answer(self, path: str, request: Any, arrived: float) -> None:
        """Send the answer to a question, or why there is none."""
        try:
            found = self.server.answer(path, request, arrived)
        except (ValueError, RecursionError) as wrong:
            self._refuse(HTTPStatus.BAD_REQUEST, str(wrong)[:500])
        except Exception as wrong:
            print(f"bidarena: no answer to {path}: {wrong!r}", file=sys.stderr)
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, f"no answer: {wrong!r:.200}")
        else:
            self._send(HTTPStatus.OK, found)

    def _declared(self) -> int:
        """Return the declared length of the body; `LEFTOVERS` if it is not clear."""
        if "Transfer-Encoding" in self.headers:
            return LEFTOVERS
        told = set(self.headers.get_all("Content-Length", ["0"]))
        text = told.pop().strip() if len(told) == 1 else ""
        return int(text[:18]) if text.isascii() and text.isdecimal() else LEFTOVERS

    def _body(self) -> bytes:
        """Return the body of a request; raise _Refusal if its length is wrong or too large."""
        told, length = self.headers.get_all("Content-Length", []), self._unread
        if "Transfer-Encoding" in self.headers or not told:
            raise _Refusal(HTTPStatus.LENGTH_REQUIRED, "Content-Length: missing")
        if len(set(told)) > 1 or not told[0].strip().isdecimal():
            reason = f"Content-Length={', '.join(told)[:50]!r}: expected a number"
            raise _Refusal(HTTPStatus.BAD_REQUEST, reason)
        if length > LARGEST:
            reason = f"the body is too large; at most {LARGEST} bytes"
            raise _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, reason)
        self.connection.deadline = time.monotonic() + PATIENCE
        body = self.rfile.read(length)
        if len(body) < length:
            raise _Refusal(HTTPStatus.BAD_REQUEST, f"only {len(body)} of {length} bytes came")
        self._unread = 0
        return body

    def _route(self) -> str:
        """Return the path of the request, without a query."""
        return self.path.partition("?")[0]

    def _refuse_method(self) -> None:
        """Refuse a request because its path is unknown, or needs another method."""
        path = self._route()
        if path == "/hi":
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "/hi: use GET", Allow="GET")
        elif path in FIELDS:
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, f"{path}: use POST", Allow="POST")
        else:
            known = ", ".join(["/hi", *FIELDS])
            self._refuse(HTTPStatus.NOT_FOUND, f"{path[:100]}: there are {known}")

    def _refuse(self, status: int, reason: str, **headers: str) -> None:
        self._send(status, {"error": reason}, **headers)

    def _send(self, status: int, content: dict[str, Any], **headers: str) -> None:
        """Send an answer; close the connection if the request was not read to its end."""
        body = json.dumps(content).encode()
        self.connection.deadline = time.monotonic() + PATIENCE
        self.send_response(status)
        if self._unread:  # the rest would be taken for the next request
            self.close_connection = True
            self.send_header("Connection", "close")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.server.cors:
            self.send_header("Access-Control-Allow-Origin", self.server.cors)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()
        if self._unread:
            self._read_leftovers()

    def _read_leftovers(self) -> None:
        """Read some of the rest: closing at once could destroy the refusal on its way."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.deadline = time.monotonic() + 1.0
            left = min(self._unread, LEFTOVERS)
            while left > 0 and (piece := self.rfile.read1(min(left, 1 << 16))):
                left -= len(piece)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse, as JSON, what the base class refuses: broken requests and unknown methods."""
        if code == HTTPStatus.NOT_IMPLEMENTED:
            self._unread = self._declared()
            self._refuse_method()
            return
        self.request_version = "HTTP/1.1"  # a broken request may not tell it
        self._unread = LEFTOVERS
        self._refuse(code, message or HTTPStatus(code).phrase)

    def handle_expect_100(self) -> bool:
        """Tell a client at once that asks whether to send its body."""
        go_on = super().handle_expect_100()
        self.wfile.flush()
        return go_on

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class _Refusal(Exception):  # noqa: N818 - holds a status and a reason
    pass
