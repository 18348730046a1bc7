"""The record of a game's phrases, for people who play it, and phrases that fit every game.

`Game.phrases` names the game's `Phrasebook` as "module:NAME". In a game without one, people type
the numbers of actions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bidarena.envs.game import Game, State
from bidarena.envs.registry import load

Names = Sequence[str]  # what each seat is called, such as "you" and "opponent"
Viewer = int | None  # the seat that is told something; None: a spectator, who may know everything


def legal_actions(game: Game, state: State) -> list[int]:
    """Return the legal actions of the player to move."""
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    return [int(action) for action in np.flatnonzero(mask)]


def mover_of(game: Game, state: State) -> int:
    """Return the player to move; below 0 when the game is over."""
    return int(game.call("to_move")(game.cfg, state))


def name_action(game: Game, state: State, action: int) -> str:
    """Return the name of an action in a game without a phrasebook: its number."""
    return f"action {action}"


def read_action(game: Game, state: State, text: str) -> int:
    """Return the action whose number was typed; raise ValueError if it is not a number."""
    number = re.fullmatch(r"(?:action\s+)?(\d{1,9})", text.strip().lower())
    if number is None:
        raise ValueError(f"{text!r} is no move: type the number of an action")
    return int(number[1])


def refuse_action(game: Game, state: State, action: int) -> str:
    """Return why an action is not legal, for a game without a phrasebook."""
    if not 0 <= action < game.actions:
        return f"out of range: actions are 0 to {game.actions - 1}"
    return "not legal now"


def tell_action(
    game: Game, before: State, action: int, after: State, seat: Viewer, names: Names
) -> str:
    """Return that a player has moved; and how, if `seat` may know that in any game.

    In a game that hides anything, only the mover and spectators are told the action.
    """
    mover = mover_of(game, before)
    if seat in (None, mover) or not (game.hidden or game.simultaneous):
        return f"{names[mover]} took {name_action(game, before, action)}"
    return f"{names[mover]} moved"


def list_all(game: Game, state: State, actions: list[int]) -> None:
    """Return None: the legal actions are listed one by one."""


def _no_aim(game: Game, seat: int) -> str:
    return ""


def _nothing_to_open(game: Game, state: State, names: Names) -> list[str]:
    return []


@dataclass(frozen=True)
class Phrasebook:
    """How people speak of one game. A seat is never told more than it may know.

    All fields have defaults that fit every game. `names` are what the seats are called, by number.

    Args:
        name: `(game, state, action) -> str`: the name of an action of the player to move. `read`
            must understand it.
        read: `(game, state, text) -> int`: the action that a typed text means, legal or not. It
            raises a ValueError that says what to type.
        refuse: `(game, state, action) -> str`: why the player to move may not take an action.
        tell: `(game, before, action, after, seat, names) -> str`: what `seat` saw of a move; "" if
            nothing. A text with a full stop at its end ends the line.
        offer: `(game, state, actions) -> str | None`: the legal actions in one line. None: they are
            listed with numbers, and a typed number that `read` does not understand is a place in
            the list.
        columns: `(game, seat, names) -> list`: the columns of a table with one row per round. None:
            the game has no such table.
        row: `(game, before, after, seat, names) -> list | None`: the table's row for the round that
            the last move ended; None: it ended no round.
        opened: `(game, state, names) -> list`: lines that tell, at the end, what was hidden.
        typed: how a move is typed, for the help.
        aim: `(game, seat) -> str`: the game in a few sentences.
    """

    name: Callable[[Game, State, int], str] = name_action
    read: Callable[[Game, State, str], int] = read_action
    refuse: Callable[[Game, State, int], str] = refuse_action
    tell: Callable[[Game, State, int, State, Viewer, Names], str] = tell_action
    offer: Callable[[Game, State, list[int]], str | None] = list_all
    columns: Callable[[Game, Viewer, Names], list[str]] | None = None
    row: Callable[[Game, State, State, Viewer, Names], list[str] | None] | None = None
    opened: Callable[[Game, State, Names], list[str]] = _nothing_to_open
    typed: str = "the number of an action"
    aim: Callable[[Game, int], str] = _no_aim


def phrases_of(game: Game) -> Phrasebook:
    """Return the phrasebook of a game, or the one that fits every game."""
    if not game.phrases:
        return Phrasebook()
    own: Phrasebook = load(game.phrases)
    return own


def seat_names(game: Game, seat: int) -> list[str]:
    """Return what the player in `seat` calls each seat, as in the drawings."""
    if game.players == 2:
        return ["you" if player == seat else "opponent" for player in range(2)]
    if tuple(game.teams) == (0, 1, 0, 1):
        around = ("you", "left", "partner", "right")
        return [around[(player - seat) % 4] for player in range(4)]
    return ["you" if player == seat else f"player {player}" for player in range(game.players)]


def in_order(game: Game, seat: Viewer) -> list[int]:
    """Return all seats in order, beginning with `seat`; with 0 for a spectator."""
    return [((seat or 0) + k) % game.players for k in range(game.players)]
