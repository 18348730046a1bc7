"""Games as JSON: the record of a game, and its replay with checks.

Matches, tournaments, `bidarena play` and the arena all write and read this form.

    play_match("raj", ["value", "random"], 100, record="games.jsonl")
    for record in read_records("games.jsonl"):
        for moment in replay(record):
            print(moment.text)

A record is one line of JSON with these keys:

| key | value |
|---|---|
| `format`, `version` | "bidarena/game", 1 |
| `game`, `rules` | the name and the keywords of the game |
| `seed`, `deal`, `rotation` | seed of the match, number of the deal, seats the bots moved on |
| `seats` | the bot in each seat; "person" where a person sat |
| `chance` | the two words of the generator of the deal, in hexadecimal |
| `actions` | all actions in order |
| `returns` | the result of each seat; null if the game is not over |
| `points` | points of each seat; null if the game counts none or was forfeited |
| `fault` | null, or `seat`, `kind` and `reason` of the loss |
| `words`, `luck` | of `play` and the arena: the moves in words; the generator of the bots at each |

The `kind` of a fault is "raised", "illegal", "time", or "resigned".
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.batch import forfeits
from bidarena.envs.files import sync_folder
from bidarena.envs.game import Game
from bidarena.envs.registry import load, make_game
from bidarena.envs.registry.trust import names_from_file
from bidarena.envs.rng import WORDS, checked_words
from bidarena.evaluate.match.blocks import Block, Words, seat_owners

FORMAT, VERSION = "bidarena/game", 1
KEYS = ("game", "rules", "seats", "chance", "actions", "returns", "fault")

Record = dict[str, Any]


@dataclass(frozen=True)
class Moment:
    """A game between two moves."""

    game: Game
    state: NDArray[np.int64]  # the whole state, with nothing hidden
    number: int  # moves made so far
    mover: int  # the seat to move; -1 at the end, -2 if the game was cut short
    seat: int | None  # the seat that made the last move
    action: int | None  # the last move

    def drawn(self, seat: int | None = None) -> str:
        """Return the game as text as a seat sees it; None: the seat to move, at the end seat 0."""
        if not self.game.ansi:
            return f"{self.game.name}: {self.state.tolist()}\n"
        return str(
            load(self.game.ansi)(
                self.game, self.state, max(self.mover, 0) if seat is None else seat
            )
        )

    @property
    def text(self) -> str:
        """The game as text as the seat to move sees it."""
        return self.drawn()


def block_records(
    game: Game,
    names: Sequence[str],
    seed: int,
    first: int,
    chance: Words,
    block: Block,
    deals: Iterable[int] | None = None,
) -> Iterator[Record]:
    """Yield the records of a block whose actions were kept.

    Args:
        game: the game that was played.
        names: names of the bots.
        seed: seed of the match.
        first: number of the first deal of the block.
        chance: words of the generators of its deals.
        block: the games.
        deals: deals to yield, counted from 0 in the block; None: all.
    """
    if block.actions is None:
        raise ValueError("block: its actions were not kept")
    rotations = len(names)
    owners = seat_owners(game.players, rotations)
    ends = np.cumsum(block.lengths)  # over all games in order
    rules = json.loads(json.dumps(game.options))
    for deal in range(len(chance)) if deals is None else deals:
        words = hexadecimal(chance[deal])
        for rotation in range(rotations):
            end = int(ends[deal * rotations + rotation])
            begin = end - int(block.lengths[deal, rotation])
            loser = int(block.losers[deal, rotation])
            fault = None
            if loser >= 0:
                kind, reason = block.faults[block.reasons[deal, rotation]]
                fault = {"seat": loser, "kind": kind, "reason": reason}
            order = (np.arange(game.players) - rotation) % game.players  # of bots, by seats
            counted = None
            if block.points is not None and fault is None:
                counted = block.points[deal, rotation, order].tolist()
            yield {
                "format": FORMAT,
                "version": VERSION,
                "game": game.name,
                "rules": rules,
                "seed": seed,
                "deal": first + deal,
                "rotation": rotation,
                "seats": [names[owners[rotation, seat]] for seat in range(game.players)],
                "chance": words,
                "actions": block.actions[begin:end].tolist(),
                "returns": block.returns[deal, rotation, order].tolist(),
                "points": counted,
                "fault": fault,
            }


def hexadecimal(words: Words) -> list[str]:
    """Return the words of a generator as text, which every reader of JSON keeps exactly."""
    return [f"{word:016x}" for word in words.tolist()]


def from_hexadecimal(name: str, words: Any) -> Words:
    """Return the words of a generator from their texts; raise ValueError if they are not that.

    Args:
        name: what the words are, for the error.
        words: `WORDS` texts.
    """
    try:
        return checked_words(name, [int(word, 16) for word in words])
    except (TypeError, ValueError) as wrong:
        raise ValueError(f"{name}: expected {WORDS} hexadecimal words; {wrong}") from None


def check_form(record: Any) -> None:
    """Raise ValueError unless the record has the keys of this format and version."""
    if not isinstance(record, dict):
        raise ValueError(f"record: expected an object with the keys {', '.join(KEYS)}")
    missing = [key for key in KEYS if key not in record]
    what = f"record of deal {record.get('deal')!r:.50}"
    if record.get("format") != FORMAT or record.get("version") != VERSION or missing:
        lacks = f"; it lacks {', '.join(missing)}" if missing else ""
        raise ValueError(f"{what}: expected format {FORMAT!r} and version {VERSION}{lacks}")
    if not isinstance(record["actions"], list):
        raise ValueError(f"{what}: actions: expected a list")


def replay(record: Record, game: Game | None = None) -> Iterator[Moment]:
    """Play a record again and yield every moment from the deal to the end.

    Raise ValueError where a move or the result does not fit the rules.

    Args:
        record: a record, as `read_records` yields it.
        game: the game, if its name is not registered. No module is imported to find it.
    """
    what = f"record of deal {record.get('deal')!r:.50}" if isinstance(record, dict) else "record"
    check_form(record)
    game = _game_of(record, what) if game is None else game
    to_move, legal, step = game.call("to_move"), game.call("legal"), game.call("step")
    try:
        rng = from_hexadecimal("chance", record["chance"])
    except ValueError as wrong:
        raise ValueError(f"{what}: {wrong}") from None
    mask = np.zeros(game.actions, np.int8)
    state = game.new_state(rng)
    seat = int(to_move(game.cfg, state))
    yield Moment(game, state.copy(), 0, seat, None, None)
    for number, action in enumerate(record["actions"]):
        if seat < 0:
            raise ValueError(f"{what}: the game ends after {number} moves, but there are more")
        legal(game.cfg, state, mask)
        if not (isinstance(action, int) and 0 <= action < game.actions and mask[action]):
            raise ValueError(f"{what}: move {number + 1}, {action!r}, is illegal for seat {seat}")
        step(game.cfg, state, action, rng)
        before, seat = seat, int(to_move(game.cfg, state))
        yield Moment(game, state.copy(), number + 1, seat, before, action)
    _check_end(record, game, state, seat, what)


def _game_of(record: Record, what: str) -> Game:
    """Return the game of a record, which must be registered; ValueError if it cannot be made."""
    name, rules = record["game"], record["rules"]
    if not isinstance(name, str) or not isinstance(rules, dict):
        raise ValueError(f"{what}: expected the name of a game and an object with its rules")
    with names_from_file(what):
        try:
            return make_game(name, **rules)
        except TypeError as wrong:  # a rule that the game does not have, or of another type
            raise ValueError(f"{what}: {wrong}") from wrong


def _check_end(record: Record, game: Game, state: NDArray[np.int64], seat: int, what: str) -> None:
    """Raise ValueError unless the result is that of the state or of the fault."""
    if record["fault"] is not None:
        loser = record["fault"].get("seat") if isinstance(record["fault"], dict) else None
        if loser != seat:
            raise ValueError(f"{what}: seat {loser} lost by a fault, but seat {seat} was to move")
        result = forfeits(game)[seat]
    elif seat >= 0:
        if record["returns"] is None:
            return
        raise ValueError(f"{what}: the game is not over after its last move")
    else:
        result = np.zeros(game.players)
        game.call("returns")(game.cfg, state, result)
        if game.score is not None:
            counted = (state[game.state[game.score]] * game.score_unit).tolist()
            if record.get("points") != counted:
                raise ValueError(f"{what}: says points {record.get('points')}, they are {counted}")
    if record["returns"] != result.tolist():
        raise ValueError(f"{what}: says returns {record['returns']}, they are {result.tolist()}")


def read_records(path: str | Path) -> Iterator[Record]:
    """Yield the records of a file."""
    with Path(path).open() as file:
        for number, line in enumerate(file, 1):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                raise ValueError(f"{path}: line {number} is not JSON") from None
            yield record


@contextmanager
def records_to(path: str | Path | None) -> Iterator[Callable[[int, int, Iterable[Record]], None]]:
    """Context manager that yields `write(first deal, number of deals, records)`.

    Blocks may come in any order; the file has them in the order of the deals. They are written as
    they come to a file beside `path` that ends in ".part", which takes its place at the end and on
    Ctrl-C. So `path` has whole games only, and what a killed process played is in the other file.
    None: nothing is written.
    """
    if path is None:
        yield lambda first, deals, records: None
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f"{target.name}.{os.getpid()}.part")
    waiting: dict[int, tuple[int, list[str]]] = {}
    written = 0  # deals
    with beside.open("w") as file:

        def write(first: int, deals: int, records: Iterable[Record]) -> None:
            nonlocal written
            waiting[first] = deals, [json.dumps(record) + "\n" for record in records]
            while written in waiting:
                count, lines = waiting.pop(written)
                file.writelines(lines)
                written += count
            file.flush()

        whole = False
        try:
            yield write
            whole = True
        except KeyboardInterrupt:
            whole = written > 0
            raise
        finally:
            for _, lines in waiting.values():  # blocks after one that is missing
                file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
            if whole:
                beside.replace(target)
                sync_folder(target.parent)
            elif not written:
                beside.unlink(missing_ok=True)
