"""A person's side of `bidarena play`: what is typed, commands, wrong input explained."""

from __future__ import annotations

import shlex
import sys
from contextlib import suppress
from enum import Enum
from pathlib import Path

from rich.console import Console

from bidarena.cli.play.screen import Screen
from bidarena.envs.registry.bot_names import starts_something
from bidarena.evaluate.hint import hint
from bidarena.evaluate.session import Session

COMMANDS = {
    "help": "this list",
    "hint": "what the exact solution or a search thinks of each move",
    "moves": "all legal moves; type `#3` for the third",
    "board": "the board again",
    "log": "everything that has happened",
    "undo": "take back your last move and what followed it",
    "save FILE": "write the game to a file and go on",
    "quit": "write the game to a file and stop; Ctrl-D and Ctrl-C do the same",
}
LONGEST = 200  # characters; a longer line cannot be a move


class Reader:
    """Reads lines from a person at a terminal, or from a pipe, whose lines it repeats."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.terminal = sys.stdin.isatty()
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError):  # a stream that a caller has put there
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        if self.terminal:
            with suppress(ImportError):
                import readline  # noqa: F401  # lets input() edit lines

    def ask(self, prompt: str) -> str | None:
        """Return one line, or None when there are no more."""
        if self.terminal and self.console.file is sys.stdout:
            try:
                return input(prompt)
            except EOFError:
                self.console.print()
                return None
        self.console.file.write(prompt)
        self.console.file.flush()
        line = sys.stdin.readline()
        if not line or not self.terminal:
            self.console.file.write(line.rstrip("\n") + "\n")
        return line.rstrip("\n") if line else None


class Outcome(Enum):
    """What one line of input has changed."""

    CHANGED = 1  # the game, or the wish to see the board again
    SAME = 2
    QUIT = 3


def play_game(session: Session, screen: Screen, reader: Reader, hints: str | None) -> bool:
    """Play until the game is over; return False if the person stops before."""
    stale = True  # must the board be shown again?
    while True:
        while session.bot_to_move():
            with screen.thinking(screen.names[session.mover]):
                session.ask()
            stale = True
        screen.news()
        if session.over:
            screen.result()
            return True
        if stale:
            screen.board()
            screen.offer()
        outcome = _turn(session, screen, reader, hints)
        if outcome == Outcome.QUIT:
            return False
        stale = outcome == Outcome.CHANGED


def _turn(session: Session, screen: Screen, reader: Reader, hints: str | None) -> Outcome:
    """Read one line of input and do what it says."""
    line = reader.ask("your move> ")
    if line is None:
        return Outcome.QUIT
    text = line.strip()
    word, _, rest = text.partition(" ")
    command = word.lower()
    legal = session.legal()
    if not text:
        if len(legal) == 1:
            session.play(legal[0])
            return Outcome.CHANGED
        screen.say("  type a move, or `help`")
    elif command in ("quit", "exit", "q") and not rest:
        return Outcome.QUIT
    elif command == "save":
        _save(session, screen, rest.strip())
    elif command in ("help", "?") and not rest:
        _help(screen)
    elif command == "hint" and not rest:
        _hint(session, screen, hints)
    elif command == "moves" and not rest:
        screen.moves()
    elif command == "log" and not rest:
        screen.log()
    elif command == "board" and not rest:
        return Outcome.CHANGED
    elif command == "undo" and not rest:
        if session.undo():
            screen.told = len(session.points)
            screen.say("  taken back")
            return Outcome.CHANGED
        screen.say("  there is nothing to take back")
    elif _move(session, screen, text, legal):
        return Outcome.CHANGED
    return Outcome.SAME


def _move(session: Session, screen: Screen, text: str, legal: list[int]) -> bool:
    """Play the move that was typed and return True, or say why it cannot be played."""
    try:
        action = understood(session, screen, text, legal)
    except ValueError as wrong:
        screen.say(f"  {wrong}", "red")
        return False
    if action not in legal:
        why = screen.words.refuse(session.game, session.state, action)
        screen.say(f"  {why}", "red")
        return False
    session.play(action)
    return True


def understood(session: Session, screen: Screen, text: str, legal: list[int]) -> int:
    """Return the action that is meant, by the words of the game or by its number in the list."""
    if len(text) > LONGEST:
        raise ValueError("that line is too long to be a move")
    number = text[1:].strip() if text.startswith("#") else text
    place = int(number) if number.isascii() and number.isdigit() and len(number) < 9 else None
    if text.startswith("#"):
        if place is None or not 1 <= place <= len(legal):
            raise ValueError(f"{text!r}: the list of `moves` has the numbers #1 to #{len(legal)}")
        return legal[place - 1]
    try:
        return screen.words.read(session.game, session.state, text)
    except ValueError:
        # A number that means nothing else can only be a place in the list, if one was shown.
        listed = screen.words.offer(session.game, session.state, legal) is None
        if listed and place is not None and 1 <= place <= len(legal):
            return legal[place - 1]
        raise


def _help(screen: Screen) -> None:
    aim = screen.words.aim(screen.session.game, screen.seat)
    if aim:
        screen.say(f"  {aim}")
    screen.say(f"  a move is {screen.words.typed}")
    for command, what in COMMANDS.items():
        screen.say(f"  {command:<10} {what}")


def _hint(session: Session, screen: Screen, hints: str | None) -> None:
    try:
        with screen.thinking("the adviser"):
            found = hint(session.game, session.state.copy(), hints)
    except ValueError as wrong:
        screen.say(f"  no hint: {wrong}", "red")
        return
    screen.hint(found)


def _save(session: Session, screen: Screen, name: str) -> None:
    if not name:
        screen.say("  save where? type `save` and the name of a file", "red")
        return
    try:
        session.save(Path(name).expanduser())
    except OSError as wrong:
        screen.say(f"  not saved: {wrong}", "red")
        return
    screen.say(f"  saved; {go_on(session, Path(name))}")


def go_on(session: Session, path: Path) -> str:
    """Return a line that says how to go on with a saved game."""
    words = ["bidarena", "play", session.name, "--load", str(path)]
    words += ["--trust"] if any(starts_something(bot) for bot in session.seats if bot) else []
    command = shlex.join(words)
    return f"to go on: {command}"


def free_path(session: Session) -> Path:
    """Return a file name that does not exist yet, for a game that is stopped."""
    stem = f"bidarena-{session.game.name}-{session.seed}"
    path, number = Path(f"{stem}.json"), 1
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}.json")
    return path
