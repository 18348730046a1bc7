"""What `bidarena play` shows: board, rounds so far, legal moves, hints, the result."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from threading import Timer

import numpy as np
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from bidarena.envs.phrases import Names, Viewer, phrases_of
from bidarena.envs.solo import render_state
from bidarena.evaluate.hint import Hint
from bidarena.evaluate.session import Session
from bidarena.evaluate.telling import stories, verdict

ROUNDS = 4  # rounds in the table below the board, so that all fits a terminal of 24 lines
LISTED = 24  # up to so many moves are listed without being asked for
BEST = 12  # moves that a hint shows
PATIENCE = 0.4  # seconds before the screen says that a bot is thinking


def make_console(*, stderr: bool, plain: bool) -> Console:
    """Return a console, without colours if `plain` or the variable NO_COLOR asks for that."""
    if plain or os.environ.get("NO_COLOR"):
        return Console(stderr=stderr, highlight=False, emoji=False, color_system=None)
    return Console(stderr=stderr, highlight=False, emoji=False)


class Screen:
    """Shows a session as one viewer may see it."""

    def __init__(
        self, console: Console, session: Session, viewer: Viewer, seat: int, names: Names
    ) -> None:
        """Show `session` to `viewer`.

        Args:
            console: where it is shown.
            session: the game.
            viewer: the seat that is told what happens; None: a spectator.
            seat: the seat from which the board is drawn.
            names: the names of the seats.
        """
        self.console = console
        self.session = session
        self.viewer = viewer
        self.seat = seat
        self.names = names
        self.words = phrases_of(session.game)
        self.told = 1  # points whose moves have been told

    def say(self, text: str, style: str = "") -> None:
        """Print text without markup, on as many lines as it takes."""
        lines = textwrap.wrap(text, max(self.console.width, 20), subsequent_indent="  ")
        for line in lines if len(text) > self.console.width else [text]:
            self.console.print(Text(line, style=style), soft_wrap=True)

    def title(self, words: str) -> None:
        """Print a line across the screen with words in it."""
        self.console.print(Rule(Text(words, style="bold"), align="left", style="dim"))

    @contextmanager
    def thinking(self, who: str) -> Iterator[None]:
        """Say on a terminal that `who` is thinking, if it takes long, until the block ends."""
        if not self.console.is_terminal:
            yield
            return
        status = self.console.status(Text(f"{who} is thinking"))
        patience = Timer(PATIENCE, status.start)
        patience.start()
        try:
            yield
        finally:
            patience.cancel()
            patience.join()
            status.stop()

    # --- the game ---

    def board(self, rounds: int | None = ROUNDS) -> None:
        """Print the board, and the last rounds (all with None) if the game has a table of them."""
        game, state = self.session.game, self.session.state
        if game.ansi:
            self.console.print(
                Text.from_ansi(render_state(game, "ansi", state, self.seat).rstrip())
            )
        else:
            self._observation()
        self.rounds(rounds)

    def _observation(self) -> None:
        """Print the named parts of the seat's observation, for games without a drawing."""
        game = self.session.game
        view = np.zeros(game.observation_size, np.float32)
        game.call("observe")(game.cfg, self.session.state.copy(), self.seat, view)
        for part, where in game.observation.items():
            self.say(f"  {part}: {' '.join(f'{number:g}' for number in view[where])}")

    def rounds(self, last: int | None = None) -> bool:
        """Print the table of rounds, all or the last ones; return False if the game has none."""
        words, game, points = self.words, self.session.game, self.session.points
        if words.columns is None or words.row is None:
            return False
        rows = [
            row
            for before, after in pairwise(points)
            if (row := words.row(game, before.state, after.state, self.viewer, self.names))
        ]
        shown = rows if last is None else rows[-last:]
        if shown:
            table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False, pad_edge=False)
            for column in words.columns(game, self.viewer, self.names):
                table.add_column(Text(column), justify="right")
            for row in shown:
                table.add_row(*map(Text, row))
            self.console.print(Padding(table, (0, 0, 0, 2)))
        return True

    def news(self) -> None:
        """Print what has happened since the last call."""
        story = stories(self.session, self.viewer, self.names, self.told)
        self.told = len(self.session.points)
        for line in story:
            self.say(f"» {line}", "cyan")

    def log(self) -> None:
        """Print all moves so far."""
        if len(self.session.points) == 1:
            self.say("no moves yet")
        elif not self.rounds():
            for line in stories(self.session, self.viewer, self.names):
                self.say(f"  {line}")

    def offer(self) -> None:
        """Print the legal moves in short."""
        game, state, legal = self.session.game, self.session.state, self.session.legal()
        glance = self.words.offer(game, state, legal)
        if glance is not None:
            self.say(f"  {glance}")
        elif len(legal) <= LISTED:
            self.moves()
        else:
            self.say(f"  {len(legal)} moves; `moves` lists them")

    def moves(self) -> None:
        """Print the legal moves with their numbers in this list."""
        game, state, legal = self.session.game, self.session.state, self.session.legal()
        sign = "" if self.words.offer(game, state, legal) is None else "#"
        called = [
            f"{sign}{k} {self.words.name(game, state, action)}" for k, action in enumerate(legal, 1)
        ]
        wide = max(len(words) for words in called) + 3
        across = max(1, (self.console.width - 2) // wide)
        if sum(len(words) + 3 for words in called) <= self.console.width - 2:
            self.say("  " + "   ".join(called))
            return
        for first in range(0, len(called), across):
            self.say(
                "  " + "".join(f"{w:<{wide}}" for w in called[first : first + across]).rstrip()
            )

    # --- a hint, and the end ---

    def hint(self, hint: Hint) -> None:
        """Print what a hint says of each move, the best first."""
        game, state = self.session.game, self.session.state
        given = [
            (title, field)
            for title, field in (
                (hint.value, "value"),
                ("at worst", "worst"),
                (hint.share, "share"),
            )
            if any(getattr(advice, field) is not None for advice in hint.moves)
        ]
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False, pad_edge=False)
        table.add_column("move")
        for title, _ in given:
            table.add_column(Text(title), justify="right")
        for advice in hint.moves[:BEST]:
            cells = [Text(self.words.name(game, state, advice.action))]
            for _, field in given:
                number = getattr(advice, field)
                cells.append(Text(_cell(field, number)))
            table.add_row(*cells)
        self.say(f"  from {hint.source}")
        self.console.print(Padding(table, (0, 0, 0, 2)))
        if len(hint.moves) > BEST:
            self.say(f"  ... and {len(hint.moves) - BEST} more, further down the list")

    def result(self) -> None:
        """Print how the game ended, with everything that was hidden."""
        session, game = self.session, self.session.game
        self.title(verdict(session, self.viewer, self.names))
        self.board(rounds=None)
        for line in self.words.opened(game, session.state, self.names):
            self.say(f"  {line}")
        if game.hidden and self.viewer is not None and self.words.row is not None:
            self.say("  all rounds, with what was hidden:")
            Screen(self.console, session, None, self.seat, self.names).rounds()


def _cell(field: str, number: float | None) -> str:
    if number is None:
        return "-"
    if field == "share":
        return f"{100 * number:.1f} %"
    return f"{number + 0.0:+.3f}" if abs(number) >= 5e-4 else "0.000"
