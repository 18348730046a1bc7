"""The application of the arena, and how it is started."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bidarena.arena.answers import Answers
from bidarena.arena.archive import Archive
from bidarena.arena.catalogue import Catalogue
from bidarena.arena.guard import Guard
from bidarena.arena.hall import Hall
from bidarena.arena.settings import Settings

STATIC = Path(__file__).parent / "static"
# Addresses of the page; what is shown there the page decides itself.
PAGES = (
    *("/", "/new/{name:str}", "/game/{key:str}", "/analysis/{key:str}", "/open"),
    *("/tournaments", "/tournaments/{key:str}", "/runs", "/runs/{key:str}"),
)


def make_app(settings: Settings) -> Starlette:
    """Return the application; its games are in `settings.store`."""
    catalogue = Catalogue(settings)
    hall = Hall(settings, catalogue)
    answers = Answers(hall, Archive(settings, catalogue))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await hall.close()

    async def page(request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    async def failed(request: Request, wrong: Exception) -> Response:
        # The text of an unexpected error may tell what is hidden, so it stays here.
        return JSONResponse({"error": "the arena failed to answer"}, 500)

    async def missing(request: Request, wrong: Exception) -> Response:
        return JSONResponse({"error": "there is no such page"}, 404)

    app = Starlette(
        routes=[
            *answers.routes(),
            *(Route(path, page) for path in PAGES),
            Mount("/static", _Files(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={404: missing, 500: failed},
        lifespan=lifespan,
    )
    app.state.hall = hall
    return app


class _Files(StaticFiles):
    """Files of the page, which browsers ask for anew each time so that none is out of date."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        """Return the answer with a file."""
        answer: Response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        answer.headers["cache-control"] = "no-cache"
        return answer


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise ValueError if the address is taken or not ours."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends answers at once and does not collect them for 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as wrong:
        raise ValueError(f"port={port} on {host}: {wrong.strerror}; choose another") from None
    listening.listen(128)
    return listening
