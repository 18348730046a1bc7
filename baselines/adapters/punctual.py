"""Sockets with a deadline for a whole exchange of messages, for bots and servers over HTTP.

The timeout of an ordinary socket starts again with every piece that arrives, so a sender of one
byte per second is never late.
"""

from __future__ import annotations

import math
import socket
import ssl
import time
from typing import Any


class Punctual(socket.socket):
    """A socket that raises `TimeoutError` after `deadline`, a time of `time.monotonic`."""

    deadline = math.inf

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        """Read what has arrived into `buffer`, and return its size; `makefile` calls this."""
        self.settimeout(_left(self.deadline))
        return super().recv_into(buffer, nbytes, flags)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Write everything."""
        self.settimeout(_left(self.deadline))
        super().sendall(data, flags)


class PunctualTLS(ssl.SSLSocket):
    """An https socket that raises `TimeoutError` after `deadline`, like `Punctual`."""

    deadline = math.inf

    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        """Read what has arrived into `buffer`, and return its size."""
        self.settimeout(_left(self.deadline))
        return super().recv_into(buffer, nbytes, flags)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Write everything."""
        self.settimeout(_left(self.deadline))
        super().sendall(data, flags)


def punctual(connected: socket.socket) -> Punctual:
    """Return a connected socket as a `Punctual`; the given socket must not be used any more."""
    family, kind, protocol = connected.family, connected.type, connected.proto
    return Punctual(family, kind, protocol, fileno=connected.detach())


def connect(host: str, port: int, *, tls: bool, deadline: float) -> Punctual | PunctualTLS:
    """Return a connection that keeps a deadline; `TimeoutError` if it is not made before.

    Args:
        host: name or address of the server.
        port: port of the server.
        tls: whether to speak https.
        deadline: a time of `time.monotonic`; it holds for all that follows, until it is changed.
    """
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
