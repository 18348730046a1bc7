"""A game in words, for people who play it: what moves are called and how they are typed.


A game gives its words as a `Words` record that `Game.words` names, "module:NAME". A game without
one is played by the numbers of its actions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bidarena.envs.game import Game, State
from bidarena.envs.registry import load

Names = Sequence[str]  # what the seats are called, by their numbers
Viewer = int | None  # the seat that looks; None: a spectator, from whom nothing is hidden


def legal_actions(game: Game, state: State) -> list[int]:
    """What the player to move may do."""
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    return [int(action) for action in np.flatnonzero(mask)]


def mover_of(game: Game, state: State) -> int:
    """The player to move; below 0 when the game is over."""
    return int(game.call("to_move")(game.cfg, state))


def name_action(game: Game, state: State, action: int) -> str:
    """What an action is called in a game without words of its own."""
    return f"action {action}"


def read_action(game: Game, state: State, text: str) -> int:
    """The action that a typed number means."""
    number = re.fullmatch(r"(?:action\s+)?(\d{1,9})", text.strip().lower())
    if number is None:
        raise ValueError(f"{text!r} is no move: type the number of an action")
    return int(number[1])


def refuse_action(game: Game, state: State, action: int) -> str:
    """Why an action is not legal, as far as a game without words can say."""
    if not 0 <= action < game.actions:
        return f"out of range: actions are 0 to {game.actions - 1}"
    return "not legal now"


def tell_action(
    game: Game, before: State, action: int, after: State, seat: Viewer, names: Names
) -> str:
    """That somebody has moved; where things are hidden, what he did is for him and spectators."""
    mover = mover_of(game, before)
    if seat in (None, mover) or not (game.hidden or game.simultaneous):
        return f"{names[mover]} took {name_action(game, before, action)}"
    return f"{names[mover]} moved"


def list_all(game: Game, state: State, actions: list[int]) -> None:
    """Nothing shorter than a list of all legal actions."""


def _no_aim(game: Game, seat: int) -> str:
    return ""


def _nothing_to_open(game: Game, state: State, names: Names) -> list[str]:
    return []


@dataclass(frozen=True)
class Words:
    """How people speak of a game. What a seat is told is what it may know."""

    # (game, state, action) -> what the player to move would call it; `read` understands this
    name: Callable[[Game, State, int], str] = name_action
    # (game, state, text) -> the action that is meant, legal or not; a ValueError says what to type
    read: Callable[[Game, State, str], int] = read_action
    # (game, state, action) -> why the player to move may not do that
    refuse: Callable[[Game, State, int], str] = refuse_action
    # (game, before, action, after, seat, names) -> what `seat` saw happen; "" if nothing. What ends
    # with a full stop ends a line.
    tell: Callable[[Game, State, int, State, Viewer, Names], str] = tell_action
    # (game, state, actions) -> the legal actions at a glance; None: they are listed by number, and
    # a number that means nothing else is a place in the list
    offer: Callable[[Game, State, list[int]], str | None] = list_all
    # (game, seat, names) -> the columns of a table with a row per round; None: no such table
    columns: Callable[[Game, Viewer, Names], list[str]] | None = None
    # (game, before, after, seat, names) -> the row of the round that has just ended; None: none has
    row: Callable[[Game, State, State, Viewer, Names], list[str] | None] | None = None
    # (game, state, names) -> what was hidden from some players, in lines
    opened: Callable[[Game, State, Names], list[str]] = _nothing_to_open
    typed: str = "the number of an action"  # how a move is typed, for the help
    aim: Callable[[Game, int], str] = _no_aim  # (game, seat) -> the game in a few sentences


def words_of(game: Game) -> Words:
    """The words of a game, or those that fit every game."""
    if not game.words:
        return Words()
    words: Words = load(game.words)
    return words


def seat_names(game: Game, seat: int) -> list[str]:
    """What the player in `seat` calls all seats, as the drawings do."""
    if game.players == 2:
        return ["you" if player == seat else "opponent" for player in range(2)]
    if tuple(game.teams) == (0, 1, 0, 1):
        around = ("you", "left", "partner", "right")
        return [around[(player - seat) % 4] for player in range(4)]
    return ["you" if player == seat else f"player {player}" for player in range(game.players)]


def in_order(game: Game, seat: Viewer) -> list[int]:
    """The seats from the one that looks on; from 0 for a spectator."""
    return [((seat or 0) + k) % game.players for k in range(game.players)]
