"""A game between persons and bots: moves, undo, saving to a file and resuming from it.

This module knows no terminal. A session is a list of points, each with the state, the generators
and the move that led to it. Undo cuts points off, and their generators with them, so that the same
moves are followed by the same chance.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.arguments import whole
from bidarena.envs.batch import CHANCE, LUCK, ask_bot, ask_policy, forfeits
from bidarena.envs.files import write_json
from bidarena.envs.game import OVER, Game, State
from bidarena.envs.learner import Policy, player_of
from bidarena.envs.phrases import legal_actions, mover_of, phrases_of
from bidarena.envs.registry import Bot, make_game
from bidarena.envs.registry.trust import names_from_file
from bidarena.envs.rng import WORDS
from bidarena.envs.rows.seeding import seed_rows
from bidarena.envs.rows.threads import Threads
from bidarena.envs.stopping import interruptible
from bidarena.evaluate.match.record import (
    FORMAT,
    VERSION,
    Record,
    check_form,
    from_hexadecimal,
    hexadecimal,
)

PERSON = "person"  # the name of a person's seat in a record
ILLEGAL, RESIGNED = "illegal", "resigned"  # kinds of faults

Words = NDArray[np.uint64]  # states of generators


class Move(NamedTuple):
    """An action and the seat that took it."""

    seat: int
    action: int


class Point(NamedTuple):
    """The game after a move."""

    state: State
    rngs: Words  # the generator of the game, then that of the bots
    mover: int  # the seat to move; below 0 when the game is over
    move: Move | None  # the last move; None at the start


class Fault(NamedTuple):
    """Why a seat has lost before the end of the game."""

    seat: int
    kind: str  # ILLEGAL or RESIGNED; records of matches have others
    reason: str


class Session:
    """One game between persons and bots."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[str | None],
        seed: int,
        *,
        name: str | None = None,
        chance: Words | None = None,
    ) -> None:
        """Deal a game.

        Args:
            game: any game.
            seats: a bot for each seat, or None where a person sits.
            seed: seed of deals and bots; every interface deals the same game from it.
            name: name of the game with its module, if it needs one ("my_module:mygame").
            chance: the generator of the deal, as in a record; None: it follows from the seed.
        """
        if len(seats) != game.players:
            raise ValueError(f"seats: {game.name} has {game.players}, got {len(seats)}")
        self.game = game
        self.name = name or game.name
        self.seats = list(seats)
        self.seed = whole("seed", seed, 0, 2**63 - 1)
        made: dict[str, Bot | Policy] = {}
        for spec in seats:
            if spec is not None and spec not in made:
                made[spec] = player_of(game, spec)
        self._bots = made
        self._threads = Threads(1)
        rngs = np.zeros((1, 2 * WORDS), np.uint64)
        seed_rows(rngs, self.seed, np.random.default_rng())
        if chance is not None:
            rngs[0, CHANCE] = chance
        self.chance = rngs[0, CHANCE].copy()  # before the deal
        state = game.new_state(rngs[0, CHANCE])
        self.points = [Point(state, rngs[0].copy(), mover_of(game, state), None)]
        self.fault: Fault | None = None  # why a seat has lost before the end

    # --- the position ---

    @property
    def state(self) -> State:
        """The current state; do not write to it."""
        return self.points[-1].state

    @property
    def mover(self) -> int:
        """The seat to move; below 0 when the game is over."""
        return OVER if self.fault else self.points[-1].mover

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.mover < 0

    @property
    def moves(self) -> list[Move]:
        """All moves so far."""
        return [point.move for point in self.points if point.move is not None]

    @property
    def persons(self) -> list[int]:
        """The seats of persons."""
        return [seat for seat, bot in enumerate(self.seats) if bot is None]

    def legal(self) -> list[int]:
        """Return the legal actions of the seat to move."""
        return legal_actions(self.game, self.state)

    def returns(self) -> list[float]:
        """Return the result of every seat; the game must be over."""
        if self.fault:
            return [float(result) for result in forfeits(self.game)[self.fault.seat]]
        out = np.zeros(self.game.players)
        self.game.call("returns")(self.game.cfg, self.state, out)
        return out.tolist()

    # --- moving ---

    def play(self, action: int) -> Point:
        """Play an action of the seat to move and return the new point; raise if it is illegal."""
        if self.over:
            raise ValueError(f"action={action!r}: the game is over")
        if action not in self.legal():
            why = phrases_of(self.game).refuse(self.game, self.state, action)
            raise ValueError(f"action={action!r}: {why}")
        here = self.points[-1]
        state, rngs = here.state.copy(), here.rngs.copy()
        self.game.call("step")(self.game.cfg, state, action, rngs[CHANCE])
        there = Point(state, rngs, mover_of(self.game, state), Move(here.mover, action))
        self.points.append(there)  # last, so that an interruption leaves a whole game
        return there

    def bot_to_move(self) -> bool:
        """Return whether it is a bot's turn."""
        return not self.over and self.seats[self.mover] is not None

    def bot_of(self, seat: int) -> Bot | Policy:
        """Return the bot in a seat; raise KeyError if a person sits there."""
        return self._bots[self.seats[seat] or ""]

    def ask(self) -> Point | None:
        """Let the bot to move play and return the new point; None if its move is illegal.

        An illegal move loses the game.
        """
        here = self.points[-1]
        spec = self.seats[here.mover]
        if self.over or spec is None:
            raise ValueError("no bot is to move")
        bot, game = self._bots[spec], self.game
        rngs = here.rngs.copy()[None]
        if isinstance(bot, Bot):
            actions = np.zeros(1, np.int64)
            where = (np.zeros(1, np.int64), np.array([here.mover]), actions)
            asked = partial(ask_bot, threads=self._threads)
            args = (game, bot, here.state.copy()[None], rngs, *where)
            if bot.outside is None:
                interruptible(asked, *args)
            else:
                asked(*args)
        else:
            view = np.zeros((1, game.observation_size), np.float32)
            mask = np.zeros((1, game.actions), np.int8)
            game.call("observe")(game.cfg, here.state.copy(), here.mover, view[0])
            game.call("legal")(game.cfg, here.state, mask[0])
            actions = ask_policy(bot, view, mask)
        action = int(actions[0])
        if action not in self.legal():
            self.fault = Fault(here.mover, ILLEGAL, f"answered {action}, which is not legal")
            return None
        self.points[-1] = here._replace(rngs=rngs[0])  # the bot has drawn from its generator
        try:
            return self.play(action)
        except BaseException:
            self.points[-1] = here
            raise

    def resign(self) -> None:
        """Let the person to move give up the game."""
        if self.over or self.seats[self.mover] is not None:
            raise ValueError("resign: no person is to move")
        self.fault = Fault(self.mover, RESIGNED, "gave up the game")

    def undo(self) -> bool:
        """Go back to the last decision of a person; return False if there is none."""
        if self.fault is not None and self.fault.kind == RESIGNED:
            self.fault = None
            return True
        for at in range(len(self.points) - 1, 0, -1):
            move = self.points[at].move
            if move is not None and self.seats[move.seat] is None:
                del self.points[at:]
                self.fault = None
                self._forget()
                return True
        return False

    def _forget(self) -> None:
        """Let bots drop what they remember of moves that were undone."""
        for bot in self._bots.values():
            if isinstance(bot, Bot) and bot.outside is not None:
                bot.outside.forget()

    # --- saving ---

    def record(self) -> Record:
        """Return the session as a record (bidarena.evaluate.match.record), for `restored`."""
        game, phrases = self.game, phrases_of(self.game)
        counted = None
        if self.over and self.fault is None and game.score is not None:
            counted = (self.state[game.state[game.score]] * game.score_unit).tolist()
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": self.name,
            "rules": json.loads(json.dumps(game.options)),
            "seed": self.seed,
            "deal": 0,
            "rotation": 0,
            "seats": [PERSON if bot is None else bot for bot in self.seats],
            "chance": hexadecimal(self.chance),
            "actions": [move.action for move in self.moves],
            "returns": self.returns() if self.over else None,
            "points": counted,
            "fault": self.fault._asdict() if self.fault else None,
            "words": [
                phrases.name(game, before.state, after.move.action)
                for before, after in pairwise(self.points)
                if after.move is not None
            ],
            "luck": [hexadecimal(point.rngs[LUCK]) for point in self.points],
        }

    def save(self, path: Path) -> None:
        """Write the session to a file, which is whole or missing afterwards."""
        if not path.parent.is_dir():  # a mistyped folder is not made
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
        write_json(path, self.record())


def read_record(path: Path) -> Record:
    """Return the first record of a file; raise ValueError if it holds none.

    The file holds one record, as `play` saves it, or one record on each line, as `match` does.
    """
    try:
        text = path.read_text()
        try:
            record = json.loads(text)
        except ValueError:
            record = json.loads(text.partition("\n")[0])
    except OSError as wrong:
        raise ValueError(f"load={str(path)!r}: {wrong.strerror or wrong}") from None
    except (ValueError, RecursionError):
        raise ValueError(f"load={str(path)!r}: not a saved game") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"load={str(path)!r}: not a saved game of this version")
    try:
        check_form(record)
    except ValueError as wrong:
        raise ValueError(f"load={str(path)!r}: not a whole saved game: {wrong}") from None
    if not isinstance(record["game"], str):
        raise ValueError(f"load={str(path)!r}: not a whole saved game; it names no game")
    return record


def restored(record: Record, game: Game | None = None, *, trust: bool = False) -> Session:
    """Return the session of a record, played again move by move.

    Args:
        record: a record made by `Session.record` or by a match.
        game: the game, if it was made already.
        trust: whether names in the record may start programs and import modules.

    Raises:
        ValueError: the record is not that of a game by these rules, or is not to be trusted.
    """
    with names_from_file("saved game", trust=trust):
        try:
            return _restored(record, game)
        except KeyError as missing:
            raise ValueError(f"saved game: it lacks {missing}") from missing
        except (TypeError, ValueError, OverflowError, AttributeError, LookupError) as wrong:
            told = str(wrong)
            prefix = "" if told.startswith("saved game:") else "saved game: "
            raise ValueError(f"{prefix}{told}") from wrong


def _restored(record: Record, game: Game | None) -> Session:
    """Do the work of `restored`; errors are of all kinds."""
    check_form(record)
    game = game or make_game(record["game"], **record["rules"])
    seats = [None if seat == PERSON else str(seat) for seat in record["seats"]]
    chance = from_hexadecimal("chance", record["chance"])
    session = Session(game, seats, record["seed"], name=record["game"], chance=chance)
    replayed(session, record)
    return session


def replayed(session: Session, record: Record) -> None:
    """Play the moves of a record in a new session; raise ValueError where they do not fit."""
    actions = record["actions"]
    luck = record.get("luck")
    if luck is not None and len(luck) != len(actions) + 1:
        raise ValueError(f"luck: expected {len(actions) + 1} entries, got {len(luck)}")
    for number in range(len(actions) + 1):
        if luck is not None:
            _set_luck(session, from_hexadecimal("luck", luck[number]))
        if number < len(actions):
            session.play(whole("action", actions[number], 0, session.game.actions - 1))
    fault = record["fault"]
    if fault is not None:
        if fault["seat"] != session.mover:
            raise ValueError(f"fault: of seat {fault['seat']}, but {session.mover} is to move")
        session.fault = Fault(int(fault["seat"]), str(fault["kind"]), str(fault["reason"]))
    found = session.returns() if session.over else None
    if record["returns"] != found:
        raise ValueError(f"returns: says {record['returns']}, they are {found}")


def _set_luck(session: Session, words: Words) -> None:
    """Set the generator of the bots, which are not asked again when moves are replayed."""
    here = session.points[-1]
    rngs = here.rngs.copy()
    rngs[LUCK] = words
    session.points[-1] = here._replace(rngs=rngs)
