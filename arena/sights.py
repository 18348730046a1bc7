"""A position as one seat may see it, for JSON. Nothing else of a running game leaves the server."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidarena.envs.drawing import view_frame
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Viewer, legal_actions, mover_of, phrases_of, seat_names
from bidarena.envs.registry import find_tool, load
from bidarena.evaluate.session import Move, Point, Session
from bidarena.evaluate.telling import stories, verdict


def view_of(game: Game, state: State, seat: Viewer) -> dict[str, Any]:
    """Return what `seat` may know of a position, for the game's board; None: everything."""
    tool = find_tool(game.name, "view")
    if tool is not None:
        seen: dict[str, Any] = tool(game, state, seat)
        return seen
    return {**view_frame(game, state, seat), "text": _drawing(game, state, seat)}


def _drawing(game: Game, state: State, seat: Viewer) -> str:
    """Return the game as text; a spectator looks over the shoulder of the player to move."""
    eyes = max(mover_of(game, state), 0) if seat is None else seat
    if game.ansi:
        return str(load(game.ansi)(game, state, eyes)).rstrip()
    view = np.zeros(game.observation_size, np.float32)
    game.call("observe")(game.cfg, state.copy(), eyes, view)
    return "\n".join(
        f"{part}: {' '.join(f'{number:g}' for number in view[where])}"
        for part, where in game.observation.items()
    )


def names_for(game: Game, seat: Viewer) -> list[str]:
    """Return what each seat is called."""
    return [f"player {k}" for k in range(game.players)] if seat is None else seat_names(game, seat)


def moves_of(game: Game, state: State) -> dict[str, Any]:
    """Return the legal actions of the player to move, and what they are called."""
    legal, phrases = legal_actions(game, state), phrases_of(game)
    return {
        "legal": legal,
        "phrases": {str(action): phrases.name(game, state, action) for action in legal},
    }


NO_MOVES: dict[str, Any] = {"legal": [], "phrases": {}}


def last_move(game: Game, before: Point, after: Point, seat: Viewer) -> dict[str, Any] | None:
    """Return the last move as `seat` may know it: the action only where nothing can be hidden."""
    move = after.move
    if move is None:
        return None
    names = names_for(game, seat)
    told = phrases_of(game).tell(game, before.state, move.action, after.state, seat, names)
    seen: dict[str, Any] = {"seat": move.seat, "words": told}
    if _open(game, move, seat):
        seen["action"] = move.action
        seen["words"] = phrases_of(game).name(game, before.state, move.action)
    return seen


def _open(game: Game, move: Move, seat: Viewer) -> bool:
    return seat in (None, move.seat) or not (game.hidden or game.simultaneous)


def sight(session: Session, seat: Viewer) -> dict[str, Any]:
    """Return a session as `seat` may see it now: view, own moves, what has happened, the result."""
    game, points = session.game, session.points
    own = session.mover == seat and not session.over
    names = names_for(game, seat)
    last = last_move(game, points[-2], points[-1], seat) if len(points) > 1 else None
    seen = {
        "ply": len(points) - 1,
        "view": view_of(game, session.state, seat),
        **(moves_of(game, session.state) if own else NO_MOVES),
        "last": last,
        "mover": None if session.over else session.mover,
        "names": names,
        "log": stories(session, seat, names),
        "over": session.over,
        "result": None,
    }
    if session.over:
        seen["result"] = {
            "words": verdict(session, seat, names),
            "returns": session.returns(),
            "opened": phrases_of(game).opened(game, session.state, names),
        }
    return seen
