"""A session in words: what has happened so far, and how it ended, as one viewer may know it."""

from __future__ import annotations

from itertools import pairwise

from bidarena.envs.game import CUT_SHORT
from bidarena.envs.phrases import Names, Viewer, phrases_of
from bidarena.evaluate.session import ILLEGAL, Session


def stories(session: Session, viewer: Viewer, names: Names, first: int = 1) -> list[str]:
    """Return the moves since a point in words, a line up to every full stop.

    Args:
        session: the game.
        viewer: the seat that is told; None: a spectator, who may know everything.
        names: what each seat is called.
        first: number of the first move that is told, from 1.
    """
    phrases = phrases_of(session.game)
    lines: list[str] = []
    going_on = False
    for before, after in pairwise(session.points[first - 1 :]):
        if after.move is None:
            continue
        told = phrases.tell(
            session.game, before.state, after.move.action, after.state, viewer, names
        )
        if not told:
            continue
        if going_on:
            lines[-1] += f"; {told}"
        else:
            lines.append(told)
        going_on = not told.endswith(".")
    return lines


def verdict(session: Session, viewer: Viewer, names: Names) -> str:
    """Return the result of a game that is over in a few words."""
    game, fault = session.game, session.fault
    if fault is not None:
        if fault.kind == ILLEGAL:
            return f"{names[fault.seat]} made an illegal move and lost"
        return f"{names[fault.seat]} {fault.reason}"
    results = session.returns()
    best = max(results)
    if session.points[-1].mover == CUT_SHORT:
        return "stopped: the limit on the length of a game was reached"
    if min(results) == best:
        return "the game is drawn"
    winners = [seat for seat in range(game.players) if results[seat] == best]
    called = " and ".join(names[seat] for seat in winners)
    verb = "wins" if len(winners) == 1 and called != "you" else "win"
    if viewer is not None and viewer not in winners:
        return f"you lose: {called} {verb}"
    return f"{called} {verb}"
