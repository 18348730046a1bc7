"""Refuses requests that the arena's own page would not send.

A page of another site can make a browser send requests to a server on the same machine. Therefore
the host must be one of ours (which also stops names that are pointed to this machine later on),
a request that says where it comes from must come from our page, and what changes anything must be
JSON, which no form of another site can send. Beyond this machine a token is asked for as well.
"""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bidarena.arena.settings import Settings

COOKIE = "bidarena_arena"
MACHINES = 1_000  # whose rates are remembered
HEADERS = {
    b"content-security-policy": (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
        b"data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
}


class TooLargeError(Exception):
    """A request with more bytes than allowed."""


class Guard:
    """ASGI middleware that lets only requests of our own page through."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings
        self._allowance: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        read, most = 0, self._settings.limits.body

        async def bounded() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                raise TooLargeError
            return message

        try:
            await self._app(scope, bounded, _with_headers(send))
        except TooLargeError:
            wrong = _refused(413, f"the request is longer than {most:,} bytes")
            await wrong(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """Return why a request is refused; None if it is not."""
        settings, headers = self._settings, Headers(scope=scope)
        if not self._in_time((scope.get("client") or ("", 0))[0]):
            return _refused(429, "too many requests; wait a second")
        if len(scope["raw_path"] or b"") + len(scope["query_string"]) > settings.limits.address:
            return _refused(414, "the address is too long")
        host = headers.get("host", "")
        if settings.hosts is not None and _name(f"http://{host}") not in settings.hosts:
            return _refused(421, "this host is not served here")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return _refused(403, "requests of other sites are refused")
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            navigates = headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
            if not navigates or scope["path"].startswith("/api"):
                return _refused(403, "requests of other sites are refused")
        if scope["method"] not in ("GET", "HEAD"):
            kind = headers.get("content-type", "").partition(";")[0].strip()
            if kind != "application/json":
                return _refused(415, "expected JSON")
            if not headers.get("content-length", "").isdigit():
                return _refused(411, "expected a length")
            if int(headers["content-length"]) > settings.limits.body:
                return _refused(413, f"longer than {settings.limits.body:,} bytes")
        return self._without_token(scope, headers) if settings.token else None

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the refusal of a request without the token, or the answer that stores it."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            found = None
        if found is not None and _same(found.value, self._settings.token):
            return None
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        if scope["method"] == "GET" and _same(query.get("token", ""), self._settings.token):
            answer = RedirectResponse(scope["path"], 303)
            answer.set_cookie(COOKIE, self._settings.token, httponly=True, samesite="strict")
            return answer
        return _refused(401, "open the address with the token that was printed at start")

    def _in_time(self, machine: str) -> bool:
        """Return whether a machine may send one more request now."""
        rate, now = self._settings.limits.rate, time.monotonic()
        left, then = self._allowance.pop(machine, (2 * rate, now))
        left = min(2 * rate, left + (now - then) * rate)
        self._allowance[machine] = (left - 1 if left >= 1 else left, now)
        while len(self._allowance) > MACHINES:
            self._allowance.popitem(last=False)
        return left >= 1


def _name(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


def _refused(status: int, why: str) -> JSONResponse:
    return JSONResponse({"error": why}, status)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *HEADERS.items()]
        await send(message)

    return sending
