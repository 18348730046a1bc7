"""`bidarena play`: a person against bots in the terminal, or bots to watch."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from bidarena.cli.options import parse_with_game, show_json
from bidarena.cli.play.dialogue import Reader, free_path, go_on, play_game
from bidarena.cli.play.screen import Screen, make_console
from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.envs.learner import partner_places
from bidarena.envs.phrases import seat_names
from bidarena.envs.registry import make_game, tools_of
from bidarena.envs.registry.trust import check_module, names_from_file
from bidarena.evaluate.session import Session, read_record, restored

OPPONENT = "ismcts:iterations=1000"  # for games that have registered no usual opponent


@dataclass
class Arguments:
    """Play against bots in the terminal. You type your moves; `help` lists what else can be typed.

    With `hint` the exact solution or a search tells what it thinks of each move, `undo` takes a
    move back, and `quit` saves the game. Moves can also come from a pipe.

    Example: bidarena play scotch --vs dp --money 50
    """

    vs: str | None = None
    """The bot that plays the opponents, with options. Without it a strong bot of the game."""

    seat: str | None = None
    """Your seat: 0, 1, ... or random. Without it 0."""

    partner: str | None = None
    """The bot that plays your partner, in games with partners. Without it the bot of --vs."""

    watch: tuple[str, ...] = ()
    """Bots to watch instead of playing yourself: one for each seat, or one for each side."""

    delay: float | None = None
    """Seconds between the moves of bots that you watch. Without it Enter shows the next move."""

    hints: str | None = None
    """What gives hints: exact, or a search bot such as ismcts:iterations=50000."""

    load: Path | None = None
    """The file of a saved game to go on with."""

    trust: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """With --load: let the file start the programs and import the modules that it names."""

    seed: int | None = None
    """Seeds the deals and the bots. Without it every game is a new one."""

    no_color: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Show no colours, as with the variable NO_COLOR."""

    json: bool = False
    """Print the record of the game as one JSON object. All else goes to stderr."""


def main(argv: list[str]) -> None:
    """Run the command."""
    saved = _file_in(argv)
    if saved is not None and (not argv or argv[0].startswith("-")):
        with names_from_file(str(saved), trust="--trust" in argv):
            name = read_record(saved)["game"]
            check_module("game", name)
        argv = [name, *argv]
    game, args = parse_with_game("play", Arguments, argv)
    if args.delay is not None and not 0 <= args.delay <= 3600:
        raise ValueError(f"delay={args.delay}: expected seconds, 0 or more")
    console = make_console(stderr=args.json, plain=args.no_color)
    reader = Reader(console)
    if args.load is not None:
        session = _loaded(game, args)
    else:
        seed = secrets.randbelow(10**6) if args.seed is None else args.seed
        session = Session(game, _seats(game, args, seed), seed, name=argv[0])
    last = (
        _watch(session, console, reader, args)
        if not session.persons
        else _play(session, console, reader, args)
    )
    if args.json:
        show_json(last.record())


def _file_in(argv: list[str]) -> Path | None:
    """Return the file after --load before the options are read, because it may name the game."""
    for word, following in zip(argv, [*argv[1:], ""], strict=True):
        if word == "--load" and following:
            return Path(following)
        if word.startswith("--load="):
            return Path(word.partition("=")[2])
    return None


def _loaded(game: Game, args: Arguments) -> Session:
    record = read_record(args.load or Path())
    for option in ("vs", "seat", "partner", "watch", "seed"):
        if getattr(args, option) not in (None, ()):
            raise ValueError(f"{option}: cannot be given with load, the file says who plays")
    named = record["game"].rpartition(":")[2]
    if named != game.name:
        raise ValueError(f"load={str(args.load)!r}: a game of {named!r}, not of {game.name!r}")
    if not isinstance(record["rules"], dict):
        raise ValueError(f"load={str(args.load)!r}: rules: expected an object")
    if game.options not in (make_game(game.name).options, record["rules"]):
        raise ValueError(f"load={str(args.load)!r}: the game was saved with other rules")
    # Its module, if it has one, was imported because its name was typed or the file is trusted.
    return restored(record, make_game(game.name, **record["rules"]), trust=args.trust)


def _seats(game: Game, args: Arguments, seed: int) -> list[str | None]:
    """Return the bot of each seat, None for the person."""
    sides = len(set(game.teams))
    if args.watch:
        for option in ("vs", "seat", "partner"):
            if getattr(args, option) is not None:
                raise ValueError(f"{option}: cannot be given with watch, where only bots play")
        if len(args.watch) not in (game.players, sides):
            wanted = f"{game.players} seats" + f" on {sides} sides" * (sides < game.players)
            raise ValueError(f"watch: {game.name} has {wanted}, got {len(args.watch)} bots")
        if len(args.watch) == game.players:
            return list(args.watch)
        order = list(dict.fromkeys(game.teams))
        return [args.watch[order.index(team)] for team in game.teams]
    if args.seat == "random":
        own = seed % game.players
    else:
        try:
            own = whole("seat", int(args.seat or 0), 0, game.players - 1)
        except ValueError:
            raise ValueError(
                f"seat={args.seat!r}: expected 0 to {game.players - 1}, or random"
            ) from None
    other = args.vs or tools_of(game.name).opponent or OPPONENT
    seats: list[str | None] = [other] * game.players
    places = partner_places(game)
    if args.partner is not None and not places:
        raise ValueError(f"partner={args.partner!r}: {game.name} has no partners")
    for place in places:
        seats[(own + place) % game.players] = args.partner or other
    seats[own] = None
    return seats


# --- playing -------------------------------------------------------------------------------------


def _play(session: Session, console: Console, reader: Reader, args: Arguments) -> Session:
    """Play games as long as the person likes, and return the last session."""
    path = args.load
    while True:
        seat = session.persons[0]
        screen = Screen(console, session, seat, seat, seat_names(session.game, seat))
        screen.told = len(session.points)
        screen.title(f"{session.game.name}: you are player {seat}; seed {session.seed}")
        screen.say(f"  You play {_others(session, seat)}", "dim")
        aim = screen.words.aim(session.game, seat)
        screen.say(f"  {aim}{' ' * bool(aim)}Type a move, or `help`.", "dim")
        try:
            ended = play_game(session, screen, reader, args.hints)
            following = _again(session, reader) if ended else None
        except KeyboardInterrupt:
            console.print()
            following = None
        if following is None:
            if not session.over:
                _stop(session, screen, path)
            return session
        if following is not session:
            path = None
        session = following


def _others(session: Session, seat: int) -> str:
    names = seat_names(session.game, seat)
    bots = list(dict.fromkeys(bot for bot in session.seats if bot is not None))
    who = (
        bots[0]
        if len(bots) == 1
        else ", ".join(
            f"{names[k]} {bot}" for k, bot in enumerate(session.seats) if bot is not None
        )
    )
    return f"against {who}."


def _stop(session: Session, screen: Screen, path: Path | None) -> None:
    """Save a game that is not over."""
    path = path or free_path(session)
    try:
        session.save(path)
    except OSError as wrong:
        raise ValueError(f"the game could not be saved: {wrong}") from None
    screen.say(f"saved; {go_on(session, path)}")


def _again(session: Session, reader: Reader) -> Session | None:
    """Ask what to play next and return it; None if the person has had enough.

    That is a new game with the seats moved on, or the present one with a move taken back.
    """
    if not reader.terminal:
        return None
    while True:
        line = reader.ask("Enter: again with seats changed; undo: take back; q: quit> ")
        word = "q" if line is None else line.strip().lower()
        if word in ("q", "quit", "exit", "n", "no"):
            return None
        if word == "undo" and session.undo():
            return session
        if word in ("", "y", "yes", "again"):
            seats = [*session.seats[-1:], *session.seats[:-1]]
            return Session(session.game, seats, session.seed + 1, name=session.name)


# --- watching ------------------------------------------------------------------------------------


def _watch(session: Session, console: Console, reader: Reader, args: Arguments) -> Session:
    """Show a game between bots, round after round, and return its session.

    The next round comes with Enter, after the delay, or at once where the output is not a terminal.
    """
    names = _bot_names([bot or "" for bot in session.seats])
    screen = Screen(console, session, None, 0, names)
    screen.title(f"{session.game.name}: {', '.join(names)}; seed {session.seed}")
    wait = reader.terminal and args.delay is None and not args.json
    try:
        while True:
            told = screen.told
            if not args.json:
                screen.news()
            if session.over:
                break
            if not args.json and (told < screen.told or len(session.points) == 1):
                screen.say(f"as {names[0]}, who is `you`, sees it:", "dim")
                screen.board()
                for line in screen.words.opened(session.game, session.state, names):
                    screen.say(f"  {line}")
                if wait and reader.ask("Enter: go on; q: quit> ") not in ("", " "):
                    return session
                time.sleep(args.delay or 0)
            _round(session, screen)
    except KeyboardInterrupt:
        return session
    if not args.json:
        screen.result()
    return session


def _round(session: Session, screen: Screen) -> None:
    """Let bots make one move, or all moves that are made at the same time."""
    game = session.game
    part = game.state[game.simultaneous] if game.simultaneous else None
    before = session.state[part].tolist() if part else None
    while True:
        with screen.thinking(screen.names[session.mover]):
            session.ask()
        if session.over or part is None or session.state[part].tolist() != before:
            return


def _bot_names(bots: Sequence[str]) -> list[str]:
    """Return the names of bots; equal ones are told apart by their seats."""
    return [bot if bots.count(bot) == 1 else f"{bot} ({seat})" for seat, bot in enumerate(bots)]
