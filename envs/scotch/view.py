"""What one player may know of Scotch, for a drawing in a browser."""

from __future__ import annotations

from typing import Any

from bidarena.envs.drawing import auction_view
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Viewer
from bidarena.envs.scotch.render import last_round, money_of_other
from bidarena.envs.scotch.rules import C, S


def view(game: Game, state: State, seat: Viewer) -> dict[str, Any]:
    """Return what `seat` may know: the line, the bottle, and what `auction_view` tells.

    Where money is hidden, `money` of the other holds the bounds that the player can work out, and
    `last_bid` of the other is None unless it can be known.
    """
    position, length = int(state[S.position]), int(game.cfg[C.length])
    seen = auction_view(game, state, seat)
    if seat is not None:
        other = seen["players"][1 - seat]
        other["money"] = list(money_of_other(game.cfg, state, seat))
        (_, bid), _ = last_round(game.cfg, state, seat)
        other["last_bid"] = bid if bid >= 0 else None
    return {
        **seen,
        "position": position,
        "length": length,
        "start": int(game.cfg[C.start]),
        "at_an_end": position in (0, length),
    }
