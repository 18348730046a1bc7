"""What each address of the arena answers. Bodies and answers are JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from bidarena.arena import analysis
from bidarena.arena.archive import Archive
from bidarena.arena.hall import Hall, MissingError, over
from bidarena.arena.table import SLOWEST, RefusedError, Table

HEARTBEAT = 15.0  # seconds after which a page that waits is told that nothing is new
LATEST = 60  # games in the list
LONGEST_LINE = 500  # moves that are tried from a position

Answer = Callable[[Request], Awaitable[Response]]


class Answers:
    """The handlers of all addresses under /api."""

    def __init__(self, hall: Hall, archive: Archive) -> None:
        self._hall, self._archive = hall, archive
        self._streams = 0

    def routes(self) -> list[Route]:
        """Return the handlers with their addresses."""
        get, post = ["GET"], ["POST"]
        table = "/api/tables/{key:str}"
        return [
            Route("/api/catalogue", _told(self.catalogue), methods=get),
            Route("/api/catalogue/{name:str}", _told(self.form), methods=get),
            Route("/api/tables", _told(self.latest), methods=get),
            Route("/api/tables", _told(self.begin), methods=post),
            Route(table, _told(self.table), methods=get),
            Route(f"{table}/news", _told(self.news), methods=get),
            Route(f"{table}/move", _told(self.move), methods=post),
            Route(f"{table}/undo", _told(self.undo), methods=post),
            Route(f"{table}/resign", _told(self.resign), methods=post),
            Route(f"{table}/rematch", _told(self.rematch), methods=post),
            Route(f"{table}/hint", _told(self.hint), methods=post),
            Route(f"{table}/pace", _told(self.pace), methods=post),
            Route(f"{table}/continue", _told(self.go_on), methods=post),
            Route(f"{table}/record", _told(self.record), methods=get),
            Route(f"{table}/moves", _told(self.moves), methods=get),
            Route(f"{table}/position", _told(self.position), methods=get),
            Route(f"{table}/judgement", _told(self.judgement), methods=get),
            Route("/api/records", _told(self.add), methods=post),
            Route("/api/tournaments", _told(self.tournaments), methods=get),
            Route("/api/tournaments/{key:str}", _told(self.tournament), methods=get),
            Route("/api/tournaments/{key:str}/open", _told(self.open_game), methods=post),
            Route("/api/tournaments/{key:str}/truth", _told(self.truth), methods=get),
            Route("/api/runs", _told(self.runs), methods=get),
            Route("/api/runs/{key:str}", _told(self.run), methods=get),
        ]

    async def _work(self, work: Callable[..., Any], *given: Any, pool: str = "judging") -> Any:
        """Do slow work in a thread."""
        chosen = getattr(self._hall.pools, pool)
        return await asyncio.get_running_loop().run_in_executor(chosen, partial(work, *given))

    async def _table(self, request: Request) -> Table:
        return await self._hall.find(request.path_params["key"])

    # --- choosing ---

    async def catalogue(self, request: Request) -> Any:
        """Return all games."""
        return {"games": await self._work(self._hall.catalogue.overview, pool="making")}

    async def form(self, request: Request) -> Any:
        """Return the form of one game."""
        return await self._work(
            self._hall.catalogue.form, request.path_params["name"], pool="making"
        )

    async def latest(self, request: Request) -> Any:
        """Return the games that were played last."""
        rows = await self._work(self._hall.store.latest, LATEST, pool="moving")
        return {
            "tables": [
                {
                    "id": row.id,
                    "game": row.game,
                    "changed": row.changed,
                    "over": row.over,
                    "moves": row.moves,
                    "players": row.about["labels"],
                    "you": row.about["you"],
                    "origin": row.about["origin"],
                }
                for row in rows
            ]
        }

    async def begin(self, request: Request) -> Any:
        """Begin a game."""
        asked = await _body(request)
        game, rules, seats = asked.get("game"), asked.get("rules", {}), asked.get("seats")
        table = await self._hall.begin(game, rules, seats)
        return table.snapshot()

    # --- playing and watching ---

    async def table(self, request: Request) -> Any:
        """Return a game as it is now."""
        return (await self._table(request)).snapshot()

    async def news(self, request: Request) -> Response:
        """Return a stream of server-sent events: the game whenever it changes."""
        table = await self._table(request)
        if self._streams >= self._hall.settings.limits.streams:
            raise RefusedError("too many pages are open")
        return StreamingResponse(self._events(table), media_type="text/event-stream")

    async def _events(self, table: Table) -> AsyncIterator[str]:
        version = -1
        self._streams += 1
        table.listeners += 1
        try:
            while True:
                if await table.news(version, HEARTBEAT):
                    told = table.snapshot()
                    version = told["version"]
                    yield f"data: {json.dumps(told)}\n\n"
                else:
                    yield ": nothing new\n\n"
        finally:
            self._streams -= 1
            table.listeners -= 1

    async def move(self, request: Request) -> Any:
        """Play a move of the person."""
        asked, table = await _body(request), await self._table(request)
        await table.play(_whole(asked, "action"), _whole(asked, "ply"))
        return table.snapshot()

    async def undo(self, request: Request) -> Any:
        """Take a move back."""
        table = await self._table(request)
        await table.undo()
        return table.snapshot()

    async def resign(self, request: Request) -> Any:
        """Give up."""
        table = await self._table(request)
        await table.resign()
        return table.snapshot()

    async def rematch(self, request: Request) -> Any:
        """Begin the same game with seats changed."""
        return (await self._hall.rematch(await self._table(request))).snapshot()

    async def pace(self, request: Request) -> Any:
        """Change the pace of a game that is watched."""
        asked, table = await _body(request), await self._table(request)
        pace = asked.get("pace")
        if pace is not None and not (isinstance(pace, int | float) and 0 <= pace <= SLOWEST):
            raise ValueError(f"pace: expected seconds from 0 to {SLOWEST:g}, or null")
        table.set_pace(pace, asked.get("step") is True)
        return table.snapshot()

    async def hint(self, request: Request) -> Any:
        """Return what is thought of each move of the person, from what the person knows."""
        return await self._work((await self._table(request)).hint)

    async def go_on(self, request: Request) -> Any:
        """Begin a game from a position of a finished one."""
        asked, table = await _body(request), await self._table(request)
        points = analysis.points_to(over(table), _whole(asked, "ply"), _line(asked.get("line")))
        actions = [point.move.action for point in points if point.move is not None]
        return (await self._hall.begin_from(table, actions, asked.get("seats"))).snapshot()

    # --- looking back ---

    async def record(self, request: Request) -> Any:
        """Return the record of a finished game."""
        table = await self._table(request)
        over(table)
        found = await self._work(self._hall.store.find, table.key, pool="moving")
        if found is None:
            raise MissingError
        return found[1]

    async def add(self, request: Request) -> Any:
        """Store a game from a file or a link."""
        asked = await _body(request)
        return {"id": await self._hall.add(asked.get("record"), "a file or a link")}

    async def moves(self, request: Request) -> Any:
        """Return the moves of a finished game."""
        return await self._work(analysis.overview, await self._table(request), pool="moving")

    async def position(self, request: Request) -> Any:
        """Return a position of a finished game."""
        table, asked = await self._table(request), request.query_params
        eyes = asked.get("eyes", "all")
        if eyes not in ("all", "mover") and not (eyes.isascii() and eyes.isdigit()):
            raise ValueError("eyes: expected all, mover or a seat")
        where = (_number(asked.get("ply")), _line_of(asked.get("line", "")))
        return await self._work(analysis.position, table, *where, eyes, pool="moving")

    async def judgement(self, request: Request) -> Response:
        """Return what a position and its move are worth."""
        table, asked = await self._table(request), request.query_params
        where = (_number(asked.get("ply")), _line_of(asked.get("line", "")))
        told = await self._work(analysis.judgement, table, self._hall.store, *where)
        return Response(told, media_type="application/json")

    # --- tournaments and runs ---

    async def tournaments(self, request: Request) -> Any:
        """Return all tournaments."""
        return {"tournaments": await self._work(self._archive.tournaments)}

    async def tournament(self, request: Request) -> Any:
        """Return the standings of a tournament and a list of its games."""
        return await self._work(self._archive.tournament, request.path_params["key"])

    async def truth(self, request: Request) -> Any:
        """Return the exact measure of one bot of a tournament."""
        key, place = request.path_params["key"], _number(request.query_params.get("bot"))
        return await self._work(self._archive.truth, key, place)

    async def open_game(self, request: Request) -> Any:
        """Store a game of a tournament, to look at it."""
        asked = await _body(request)
        which = tuple(_whole(asked, name) for name in ("lineup", "deal", "rotation"))
        key = request.path_params["key"]
        record = await self._work(self._archive.game, key, *which)
        return {"id": await self._hall.add(record, f"tournament {self._archive.name(key)}")}

    async def runs(self, request: Request) -> Any:
        """Return all training runs."""
        return {"runs": await self._work(self._archive.runs)}

    async def run(self, request: Request) -> Any:
        """Return the curves of a training run."""
        return await self._work(self._archive.run, request.path_params["key"])


def _told(answer: Callable[[Request], Awaitable[Any]]) -> Answer:
    """Return a handler that answers with JSON, and with an error that says what is wrong."""

    async def handler(request: Request) -> Response:
        try:
            told = await answer(request)
        except MissingError:
            return JSONResponse({"error": "there is no such game"}, 404)
        except RefusedError as why:
            return JSONResponse({"error": str(why)}, 409)
        except (ValueError, RecursionError) as wrong:
            return JSONResponse({"error": str(wrong)[:500]}, 400)
        return told if isinstance(told, Response) else JSONResponse(told)

    return handler


async def _body(request: Request) -> dict[str, Any]:
    """Return the object in the body of a request."""
    try:
        asked = json.loads(await request.body())
    except ValueError:
        raise ValueError("the body is not JSON") from None
    if not isinstance(asked, dict):
        raise ValueError("the body is not an object")
    return asked


def _whole(asked: dict[str, Any], name: str) -> int:
    value = asked.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 10**9:
        raise ValueError(f"{name}: expected a whole number")
    return value


def _line(actions: Any) -> list[int]:
    if actions is None:
        return []
    if not isinstance(actions, list) or len(actions) > LONGEST_LINE:
        raise ValueError(f"line: expected at most {LONGEST_LINE} actions")
    return [_whole({"line": action}, "line") for action in actions]


def _line_of(text: str) -> list[int]:
    return _line([_number(part) for part in text.split(",") if part])


def _number(text: str | None) -> int:
    if text is None or not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError("expected a whole number")
    return int(text)
