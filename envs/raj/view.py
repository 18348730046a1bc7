"""What one player may know of Raj, for a drawing in a browser."""

from __future__ import annotations

from typing import Any

from bidarena.envs.drawing import view_frame
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Viewer
from bidarena.envs.raj.render import takers
from bidarena.envs.raj.rules import NOBODY, C, S


def view(game: Game, state: State, seat: Viewer) -> dict[str, Any]:
    """Return what `seat` may know: the pot, the items to come, all hands and banks, own bids.

    Cards and items are given by their index in `cards` and `items`. `bid` is a bid of this round
    that the others do not see yet; None: there is none, or `seat` does not know it.
    """
    frame = view_frame(game, state, seat)
    part = {name: state[where].tolist() for name, where in game.state.items()}
    size, played, tie = int(game.cfg[C.size]), int(state[S.round]), game.options["tie"]
    last_pot, taker = int(state[S.last_pot]), int(state[S.last_taker])
    took = takers(part["last_bids"], last_pot, taker, tie) if played else []
    players = []
    for player in range(game.players):
        sealed = not frame["over"] and player < int(state[S.committed])
        known = sealed and seat in (None, player)
        players.append(
            {
                "bank": part["banks"][player] / int(game.cfg[C.unit]),
                "hand": _set(part["hands"][player]),
                "sealed": sealed,
                "bid": part["bids"][player] if known else None,
                "last_bid": part["last_bids"][player] if played else None,
                "took": player in took,
            }
        )
    carried = bool(played) and taker == NOBODY and tie == "carry" and not frame["over"]
    return {
        **frame,
        "cards": list(game.options["cards"]),
        "items": list(game.options["items"]),
        "to_come": _set(int(state[S.items])),
        "pot": int(state[S.pot]),
        "carried": last_pot if carried else 0,
        "round": played,
        "rounds": size,
        "tie": tie,
        "last_pot": last_pot if played else None,
        "players": players,
    }


def _set(mask: int) -> list[int]:
    """Return the indexes in a bit mask."""
    return [index for index in range(mask.bit_length()) if mask >> index & 1]
