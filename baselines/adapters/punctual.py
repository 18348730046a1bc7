"""Sockets that keep a deadline: it holds for a whole exchange, not for each piece that arrives.

An ordinary timeout starts anew with every byte, so that somebody who sends one byte a second is
never late.
"""

from __future__ import annotations

import math
import socket
import ssl
import time
from typing import Any


class Punctual(socket.socket):
    """A socket that raises `TimeoutError` when `deadline` (of `time.monotonic`) has passed."""

    deadline = math.inf

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        """Read what is there; `makefile` reads with this."""
        self.settimeout(_left(self.deadline))
        return super().recv_into(buffer, nbytes, flags)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Write everything."""
        self.settimeout(_left(self.deadline))
        super().sendall(data, flags)


class PunctualTLS(ssl.SSLSocket):
    """The same for https."""

    deadline = math.inf

    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        """Read what is there."""
        self.settimeout(_left(self.deadline))
        return super().recv_into(buffer, nbytes, flags)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Write everything."""
        self.settimeout(_left(self.deadline))
        super().sendall(data, flags)


def punctual(connected: socket.socket) -> Punctual:
    """A connected socket as one that keeps a deadline; the given one must not be used any more."""
    family, kind, protocol = connected.family, connected.type, connected.proto
    return Punctual(family, kind, protocol, fileno=connected.detach())


def connect(host: str, port: int, *, tls: bool, deadline: float) -> Punctual | PunctualTLS:
    """A connection that is there before the deadline, or a `TimeoutError`."""
    plain = socket.create_connection((host, port), timeout=_left(deadline))
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made: Punctual | PunctualTLS
    if tls:
        try:
            context = ssl.create_default_context()
            context.sslsocket_class = PunctualTLS
            plain.settimeout(_left(deadline))
            wrapped = context.wrap_socket(plain, server_hostname=host)
        except BaseException:
            plain.close()
            raise
        assert isinstance(wrapped, PunctualTLS)
        made = wrapped
    else:
        made = punctual(plain)
    made.deadline = deadline
    return made


def _left(deadline: float) -> float | None:
    if deadline == math.inf:
        return None
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("timed out")
    return seconds
