"""A finished game, position by position: what it looked like, and what its moves were worth.

A position is named by the number of moves of the game that lead to it, and by further moves that
were tried from there.
"""

from __future__ import annotations

import json
import threading
from itertools import pairwise
from typing import Any

from bidarena.arena.hall import over
from bidarena.arena.sights import NO_MOVES, last_move, moves_of, names_for, view_of
from bidarena.arena.store import Store
from bidarena.arena.table import Table
from bidarena.envs.batch import CHANCE
from bidarena.envs.phrases import Viewer, legal_actions, mover_of, phrases_of
from bidarena.evaluate.review import judge
from bidarena.evaluate.session import Move, Point, Session

_exact = threading.Lock()  # solutions are shared; two threads must not work out the same one


def overview(table: Table) -> dict[str, Any]:
    """Return the moves of a game in words, and its result."""
    session = over(table)
    game, phrases = session.game, phrases_of(session.game)
    names = names_for(game, None)
    moves = []
    for before, after in pairwise(session.points):
        if after.move is not None:
            moves.append(
                {
                    "seat": after.move.seat,
                    "action": after.move.action,
                    "words": phrases.name(game, before.state, after.move.action),
                    "choices": len(legal_actions(game, before.state)),
                }
            )
    fault = session.fault
    return {
        "id": table.key,
        "moves": moves,
        "names": names,
        "teams": list(game.teams),
        "zero_sum": game.zero_sum,
        "hides": game.hidden or game.simultaneous is not None,
        "fault": None if fault is None else fault._asdict(),
    }


def points_to(session: Session, ply: int, line: list[int]) -> list[Point]:
    """Return the points of a game up to a move, and those of other moves tried from there.

    Raises:
        ValueError: there is no such move, or one that was tried is not legal.
    """
    if not 0 <= ply < len(session.points):
        raise ValueError(f"ply={ply}: expected 0 to {len(session.points) - 1}")
    game, points = session.game, session.points[: ply + 1]
    for action in line:
        here = points[-1]
        if here.mover < 0 or action not in legal_actions(game, here.state):
            raise ValueError(f"line: {action} is not legal there")
        state, rngs = here.state.copy(), here.rngs.copy()
        game.call("step")(game.cfg, state, action, rngs[CHANCE])
        points.append(Point(state, rngs, mover_of(game, state), Move(here.mover, action)))
    return points


def position(table: Table, ply: int, line: list[int], eyes: str) -> dict[str, Any]:
    """Return a position as one seat saw it, or with everything open.

    Args:
        table: a finished game.
        ply: moves of the game that lead to the position.
        line: further moves that were tried from there.
        eyes: "all", "mover", or the number of a seat.
    """
    session = over(table)
    game, points = session.game, points_to(session, ply, line)
    here = points[-1]
    seat: Viewer = None
    if eyes == "mover":
        seat = here.mover if here.mover >= 0 else None
    elif eyes != "all":
        seat = int(eyes)
        if not 0 <= seat < game.players:
            raise ValueError(f"eyes={eyes}: expected all, mover or a seat")
    over_now = here.mover < 0
    before = points[-2] if len(points) > 1 else None
    return {
        "view": view_of(game, here.state, seat),
        **(NO_MOVES if over_now else moves_of(game, here.state)),
        "last": None if before is None else last_move(game, before, here, None),
        "mover": None if over_now else here.mover,
        "over": over_now,
    }


def judgement(table: Table, store: Store, ply: int, line: list[int]) -> str:
    """Return as JSON what the exact solution or a search thinks of a position, and of its move."""
    session = over(table)
    game, points = session.game, points_to(session, ply, line)
    here = points[-1]
    if here.mover < 0:
        raise ValueError("the game is over there")
    played = None
    if not line and ply + 1 < len(session.points):
        following = session.points[ply + 1].move
        played = None if following is None else following.action
    path = [point.move.action for point in points if point.move is not None]
    key = [-1 if played is None else played, *path]
    known = store.judgement(table.key, key)
    if known is not None:
        return known
    with _exact:
        found = judge(game, here.state, played)
    told = json.dumps(found.as_dict(game, here.state))
    store.keep_judgement(table.key, key, told)
    return told
