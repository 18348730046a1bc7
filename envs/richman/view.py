"""What one player may know of RichmanGraph, for a drawing in a browser."""

from __future__ import annotations

from typing import Any

from bidarena.envs.drawing import auction_view
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Viewer
from bidarena.envs.richman.env import graph_of, targets_of
from bidarena.envs.richman.graph_layout import plan_of
from bidarena.envs.richman.phrases import first_way
from bidarena.envs.richman.rules import S


def view(game: Game, state: State, seat: Viewer) -> dict[str, Any]:
    """Return what `seat` may know: the graph and where it is drawn, the token, the auction.

    The player's own target is on the left. `routes` has [from, to, points along the edge] for each
    edge, none if there are too many to draw. The action that moves the token to vertex v is
    `first_way` + v; lower actions are bids.
    """
    graph = tuple(tuple(sorted(ways)) for ways in graph_of(game))
    first, second = targets_of(game)
    targets = (second, first) if seat == 1 else (first, second)
    plan = plan_of(graph, targets, seat or 0)
    chooser = int(state[S.chooser])
    return {
        **auction_view(game, state, seat),
        "vertex": int(state[S.vertex]),
        "chooser": chooser if chooser >= 0 else None,
        "targets": [first, second],
        "successors": [list(ways) for ways in graph],
        "first_way": first_way(game),
        "places": plan.places.round(1).tolist(),
        "radius": round(plan.radius, 1),
        "routes": [[v, u, path.round(1).tolist()] for (v, u), path in plan.routes.items()],
    }
