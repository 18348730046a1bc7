"""Draw RichmanGraph as one player sees it: as text, and as a picture.

Nothing but a committed bid is hidden in this game. The picture is laid out once per graph, with
the own target on the left: vertices by stress majorization (distances on paper like distances in
the graph), then every edge as the flattest curve that keeps clear of the other vertices.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.envs import drawing
from bidarena.envs.drawing import CARD, GOLD, INK, MUTED, SIDES, WIDTH, Auction, Canvas, Colour, mix
from bidarena.envs.game import Game, State
from bidarena.envs.richman.env import Graph, graph_of, targets_of
from bidarena.envs.richman.graph_layout import SMALL, Plan, Points, plan_of
from bidarena.envs.richman.rules import S


class _View(NamedTuple):
    """What one player sees."""

    graph: Graph
    targets: tuple[int, int]  # the player's, then the opponent's
    vertex: int
    choosing: bool  # whether the mover is choosing a successor
    seen: Auction


def _look(game: Game, state: State, seat: int) -> _View:
    """Return what the player in `seat` sees of the state."""
    graph = tuple(tuple(sorted(ways)) for ways in graph_of(game))
    targets = targets_of(game)
    vertex, chooser = int(state[S.vertex]), int(state[S.chooser])
    seen = drawing.auction(game, state, seat)
    if chooser == seat:
        seen = seen._replace(mover=0, headline="your move", reason=_listed(graph[vertex]))
    elif chooser >= 0:
        seen = seen._replace(mover=1, headline="waiting", reason="the opponent moves the token")
    elif seen.champion >= 0:
        whose = ("your", "the opponent's")[seen.champion]
        seen = seen._replace(reason=f"the token is on {whose} target")
    own = (targets[seat], targets[1 - seat])
    return _View(graph, own, vertex, chooser >= 0, seen)


def _listed(successors: tuple[int, ...]) -> str:
    """Return the successors as a phrase, or their number if there are many."""
    *others, last = map(str, successors)
    return f"to {', '.join(others)} or {last}" if len(others) < 8 else f"{len(successors)} ways"


@lru_cache(maxsize=64)
def _steps(graph: Graph, target: int) -> tuple[int, ...]:
    """Return the fewest moves from every vertex to the target; -1 where no path leads there."""
    steps = [-1] * len(graph)
    steps[target] = 0
    for turn in range(1, len(graph)):
        near = {v for v, n in enumerate(steps) if n == turn - 1}
        for v, ways in enumerate(graph):
            if steps[v] < 0 and not near.isdisjoint(ways):
                steps[v] = turn
    return tuple(steps)


def _distances(view: _View) -> str:
    """Return how far the token is from both targets, as a phrase."""
    if view.seen.mover < 0:
        return "the game is over"
    own, other = (_steps(view.graph, target)[view.vertex] for target in view.targets)
    first = f"{own} from your target" if own >= 0 else "no way to your target"
    return f"{first}, " + (f"{other} from the opponent's" if other >= 0 else "none to the other")


# --- as text -------------------------------------------------------------------------------------

LISTED = 40  # larger graphs are listed only around the token
MANY = 16  # longer lists of successors are shortened
WHOSE = ("yours", "the opponent's")


def ansi(game: Game, state: State, seat: int) -> str:
    """Return a board of text as the player in `seat` sees the game."""
    view = _look(game, state, seat)
    title = (
        f"{drawing.paint('Richman', drawing.BOLD)}  {view.seen.round}, "
        f"token at {view.vertex}: {_distances(view)}"
    )
    return "\n".join([title, *_listing(view), *drawing.bidding_lines(view.seen)]) + "\n"


def _listing(view: _View) -> list[str]:
    """Return lines with every vertex and its successors.

    The token's vertex is in brackets, the targets are in colour.
    """
    shown = set(range(len(view.graph)))
    if len(shown) > LISTED:
        shown = {view.vertex, *view.graph[view.vertex][:MANY], *view.targets}
    lines, line, used = [], "", 80
    for v in sorted(shown):
        name = f"[{v}]" if v == view.vertex else f"{v}"
        ways = [str(u) for u in view.graph[v]]
        if len(ways) > MANY:
            ways[2:-1] = ["..."]
        word = plain = f"{name}→{','.join(ways)}"
        if v in view.targets:
            side = view.targets.index(v)
            plain = f"{name} ({WHOSE[side]})"
            word = drawing.paint(plain, drawing.SIDE_CODES[side])
        elif v == view.vertex:
            word = drawing.paint(plain, drawing.BOLD)
        if used + 2 + len(plain) > 78:
            lines.append(line)
            line, used = "", 0
        line, used = f"{line}  {word}", used + 2 + len(plain)
    return [*lines[1:], line]


# --- as a picture --------------------------------------------------------------------------------

HEIGHT = 480


def picture(game: Game, state: State, seat: int) -> NDArray[np.uint8]:
    """Return a picture of the game as the player in `seat` sees it, (480, 720, 3)."""
    view = _look(game, state, seat)
    seen = view.seen
    canvas = _board(view.graph, view.targets, seat, seen.champion).copy()
    drawing.heading(canvas, "Richman", seen)
    canvas.text((40, 82), seen.rules, 12, MUTED, anchor="lm")
    canvas.text((WIDTH - 40, 82), _distances(view), 12, MUTED, anchor="rm")

    plan = plan_of(view.graph, view.targets, seat)
    colour, width = (SIDES[seen.mover], 2.6) if view.choosing else (INK, 1.6)
    for u in view.graph[view.vertex]:
        if (view.vertex, u) in plan.routes:
            _arrow(canvas, plan.routes[view.vertex, u], plan.radius, colour, width)
        if view.choosing and u not in view.targets:
            _vertex(canvas, plan, u, mix(colour, CARD, 0.8), colour, 2.4)
    x, y = plan.places[view.vertex]
    size = max(plan.radius, 9) + 3
    canvas.disc((x, y), size + 4, (*GOLD, 70))
    canvas.disc((x, y), size, GOLD, border=mix(GOLD, INK, 0.5), width=1.5)
    canvas.text((x, y), str(view.vertex), 15, INK, bold=True, room=1.6 * size)
    drawing.bidding(canvas, 362, seen)
    return canvas.pixels()


@lru_cache(maxsize=16)
def _board(graph: Graph, targets: tuple[int, int], seat: int, champion: int) -> Canvas:
    """Return a canvas with everything that does not move: edges and vertices."""
    canvas = Canvas(HEIGHT)
    drawing.stage(canvas, 346, champion)
    plan = plan_of(graph, targets, seat)
    for route in plan.routes.values():
        _arrow(canvas, route, plan.radius, (170, 174, 182), 1.2)
    for v in range(len(graph)):
        if v not in targets:
            _vertex(canvas, plan, v, CARD, MUTED, 1.3)
    for side, v in enumerate(targets):
        x, y = plan.places[v]
        size = max(plan.radius + 2, 9)
        canvas.disc((x, y), size, SIDES[side])
        canvas.text((x, y), str(v), 14, CARD, bold=True, room=1.5 * size)
        name = (x, _height_of_name(plan, v, size + 13))
        canvas.text(name, drawing.NAMES[side], 14, SIDES[side], bold=True)
    return canvas


def _height_of_name(plan: Plan, target: int, away: float) -> float:
    """Return where a target's name goes: below or above it, where it covers less."""
    x, y = plan.places[target].tolist()
    t = np.linspace(0, 1, 12)[:, None, None]
    lines = [
        (route[:-1] + t * np.diff(route, axis=0)).reshape(-1, 2) for route in plan.routes.values()
    ]
    drawn = np.concatenate([*lines, *[plan.places] * 9])  # a vertex counts for more than an edge

    def covered(height: float) -> int:
        return int((np.abs(drawn - (x, height)) < (40, 12)).all(axis=1).sum())

    return min((y + away, y - away), key=covered)


def _vertex(canvas: Canvas, plan: Plan, v: int, fill: Colour, border: Colour, width: float) -> None:
    """Draw vertex `v` and, where there is room, its number."""
    x, y = plan.places[v]
    canvas.disc((x, y), plan.radius, fill, border=border, width=min(width, plan.radius / 3))
    if plan.radius >= SMALL:
        canvas.text((x, y), str(v), 13, INK, room=1.5 * plan.radius)


def _arrow(canvas: Canvas, route: Points, radius: float, colour: Colour, width: float) -> None:
    """Draw an edge along its route, with an arrowhead."""
    head = min(5 + 2 * width, 0.8 * radius + 2)
    tip, before = route[-1], route[-2]
    angle = math.atan2(tip[1] - before[1], tip[0] - before[0])
    neck = tip - 0.7 * head * np.array([math.cos(angle), math.sin(angle)])
    canvas.line([*route[:-1].tolist(), neck.tolist()], colour, width)
    canvas.arrowhead((tip[0], tip[1]), angle, colour, head)
