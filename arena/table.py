"""One game at the arena: a person against bots, or bots that are watched.

All methods run on the event loop. Whatever takes time (making bots, which may compile, the moves of
bots, drawing the position) runs in threads; `_busy` is set meanwhile, and moves are refused.
After every change the game is stored, then told to the pages that wait for news.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bidarena.arena.catalogue import board_of, title
from bidarena.arena.sights import sight
from bidarena.arena.store import Store
from bidarena.baselines.adapters.faults import Fault as Failure
from bidarena.envs.game import Game
from bidarena.evaluate.review import judge
from bidarena.evaluate.session import Session
from bidarena.evaluate.thoughts import think

T = TypeVar("T")
SLOWEST = 10.0  # seconds between two moves that are watched
judging = threading.Lock()  # solutions are shared; two threads must not work out the same one


class RefusedError(Exception):
    """A request that does not fit the state of the game."""


@dataclass(frozen=True)
class Pools:
    """Threads: for making bots, for their moves and for analysis, so that none waits for others."""

    making: Executor
    moving: Executor
    judging: Executor


@dataclass
class About:
    """What is stored of a table beside its record.

    Attributes:
        you: the seat of the person; None: a game to watch.
        choices: the opponent in each seat as the browser named it; None: the person.
        labels: what each seat's player is called.
        pace: seconds between two moves that are watched; None: paused.
        origin: where the game comes from: "" if it was begun here.
    """

    you: int | None
    choices: list[dict[str, Any] | None]
    labels: list[str]
    pace: float | None = 1.0
    origin: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return dict(vars(self))


@dataclass
class Table:
    """A game that is played or watched."""

    key: str
    game: Game
    about: About
    store: Store
    pools: Pools
    begin: Callable[[], Session]  # makes the session; runs in a thread
    fresh: bool  # whether the game is not in the store yet
    session: Session | None = None
    status: str = "preparing"  # then "thinking", "waiting", "over" or "failed"
    line: str = "getting the bots ready; what is used for the first time is compiled first"
    version: int = 0
    seen: dict[str, Any] = field(default_factory=dict)  # the position as the person may see it
    thought: dict[str, Any] | None = None
    used: float = field(default_factory=time.monotonic)
    listeners: int = 0
    _busy: bool = True
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _go: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None
    _steps: int = 0
    _paused: bool = False

    # --- what pages are told ---

    def snapshot(self) -> dict[str, Any]:
        """Return all that a page shows of this table."""
        return {
            "id": self.key,
            "game": self.game.name,
            "title": title(self.game.name),
            "board": board_of(self.game.name),
            "rules": self.game.options,
            "teams": list(self.game.teams),
            "you": self.about.you,
            "players": self.about.labels,
            "pace": self.about.pace,
            "status": self.status,
            "line": self.line,
            "version": self.version,
            "ply": 0,
            "undo": self._can_undo(),
            "thought": self.thought,
            **self.seen,
        }

    def _can_undo(self) -> bool:
        session, you = self.session, self.about.you
        if session is None or you is None or self.status != "waiting":
            return False
        return any(move.seat == you for move in session.moves)

    async def news(self, version: int, patience: float) -> bool:
        """Wait until there is a newer version; return False if there is none for `patience`."""
        if self.version > version:
            return True
        try:
            await asyncio.wait_for(self._news.wait(), patience)
        except TimeoutError:
            return False
        return True

    def _tell(self, status: str, line: str = "") -> None:
        self.status, self.line = status, line
        self.version += 1
        self.used = time.monotonic()
        news, self._news = self._news, asyncio.Event()
        news.set()

    # --- the course of the game ---

    def start(self) -> None:
        """Make the session and let bots move, in the background."""
        self._busy = True
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        """Let bots move until the person is to move or the game is over."""
        try:
            if self.session is None:
                self.session = await self._in(self.pools.making, self.begin)
                await self._look(save=self.fresh)
            while self.session.bot_to_move():
                if self.about.you is None:
                    self._tell("thinking")
                    await self._pace()
                mover = self.session.mover
                self._tell("thinking", f"{self.about.labels[mover]} is thinking")
                thought = await self._in(self.pools.moving, self._ask)
                await self._look()
                self.thought = thought  # together with the position that it led to
                if self.about.you is None:
                    self._tell("thinking")
            done = self.session.over or self.about.origin
            self._tell("over" if done else "waiting")
        except (ValueError, Failure) as wrong:
            self._tell("failed", f"the game cannot go on: {wrong}")
        except asyncio.CancelledError:
            raise
        except Exception as wrong:  # a fault of a bot of somebody else; its text may tell secrets
            self._tell("failed", f"the game cannot go on: a bot failed ({type(wrong).__name__})")
        finally:
            self._busy = False

    def _ask(self) -> dict[str, Any] | None:
        """Let the bot to move play; return what it thought, for games that are watched."""
        session = self.session
        assert session is not None
        if self.about.you is not None:
            session.ask()
            return None
        state, seat = session.state, session.mover
        seed = (session.seed + len(session.points)) % 2**62
        thought = think(session.game, session.bot_of(seat), state, seed)
        if thought is None:
            session.ask()
            return None
        if thought.action is None:
            session.ask()
        else:
            session.play(thought.action)
        return {"seat": seat, **thought.as_dict(session.game, state)}

    async def _look(self, *, save: bool = True) -> None:
        """Store the game and draw it."""
        session = self.session
        assert session is not None

        def look() -> dict[str, Any]:
            if save:
                about = self.about.as_dict()
                self.store.save(self.key, self.game.name, session.over, about, session.record())
            return sight(session, self.about.you)

        self.seen = await self._in(self.pools.moving, look)

    async def _in(self, pool: Executor, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(pool, work)

    async def _pace(self) -> None:
        """Wait until the next move of a watched game is due."""
        began = time.monotonic()
        while not self._steps:
            left = None
            if self.about.pace is not None:
                left = self.about.pace - (time.monotonic() - began)
                if left <= 0:
                    return
            self._go.clear()
            self._paused = left is None
            try:
                await asyncio.wait_for(self._go.wait(), left)
            except TimeoutError:
                return
            finally:
                self._paused = False
        self._steps -= 1

    # --- what a person does ---

    def _session(self) -> Session:
        """Return the session for a change by the person; raise RefusedError while bots move."""
        if self._busy or self.session is None:
            raise RefusedError("a bot is thinking; wait for its move")
        if self.about.you is None:
            raise RefusedError("this game is only watched")
        return self.session

    async def _change(self, work: Callable[[Session], Any]) -> None:
        """Change the session in a thread, then let bots move."""
        session = self._session()
        self._busy = True
        try:
            await self._in(self.pools.moving, lambda: work(session))
            await self._look()
        except BaseException:
            self._busy = False
            raise
        if session.bot_to_move():
            self._tell("thinking", f"{self.about.labels[session.mover]} is thinking")
            self.start()
        else:
            self._busy = False
            self._tell("over" if session.over else "waiting")

    async def play(self, action: int, ply: int) -> None:
        """Play an action of the person, who saw the game after `ply` moves."""
        session = self._session()
        if session.over or session.mover != self.about.you or ply != len(session.points) - 1:
            raise RefusedError("it is not your turn")
        if action not in self.seen["legal"]:
            raise RefusedError("this move is not legal now")
        await self._change(lambda session: session.play(action))

    async def undo(self) -> None:
        """Take the person's last move back."""
        if self._session().over:
            raise RefusedError("the game is over; try another move in the analysis")
        if not self._can_undo():
            raise RefusedError("there is nothing to take back")
        await self._change(lambda session: session.undo())

    async def resign(self) -> None:
        """Give up the game for the person."""
        session = self._session()
        if session.over or session.mover != self.about.you:
            raise RefusedError("it is not your turn")
        await self._change(lambda session: session.resign())

    def hint(self) -> dict[str, Any]:
        """Return what is thought of each move, from what the person knows; runs in a thread."""
        session = self._session()
        if session.over or session.mover != self.about.you:
            raise RefusedError("it is not your turn")
        state = session.state
        with judging:
            return judge(session.game, state).as_dict(session.game, state)

    def set_pace(self, pace: float | None, step: bool) -> None:
        """Change the pace of a watched game; None pauses it, `step` lets one move happen."""
        if self.about.you is not None:
            raise RefusedError("only games between bots have a pace")
        self.about.pace = pace
        self._steps = 1 if step else 0
        self._go.set()
        self._tell(self.status, self.line)

    @property
    def idle(self) -> bool:
        """Whether the table can be put away: nobody looks and nothing is under way."""
        return not self.listeners and (not self._busy or self._paused)

    def cancel(self) -> None:
        """Stop waiting for the next move of a game that is put away."""
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        """Stop what is under way."""
        if self._task is not None:
            self.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


def new_key() -> str:
    """Return a name for a game that nobody can guess."""
    return secrets.token_urlsafe(9)
