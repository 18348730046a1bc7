"""What a player sees of Coins, for a drawing in a browser: everything."""

from __future__ import annotations

from typing import Any

from bidarena.envs.coins.env import board_of, takes_of
from bidarena.envs.coins.lines import coins_of
from bidarena.envs.coins.rules import PLAIN, C, S
from bidarena.envs.drawing import view_frame
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Viewer


def view(game: Game, state: State, seat: Viewer) -> dict[str, Any]:
    """Return the board, the coins on it, what can be taken, the last move and the points.

    `cells` has the row and column of each coin; in a triangle each row begins half a column further
    left. `takes` has the coins of every action that is possible now. `values` and `points` are None
    on a board without points.
    """
    board, lying = board_of(game), int(state[S.board])
    takes = takes_of(game)
    last, coloured = int(state[S.last_move]), game.cfg[C.colours] != PLAIN
    options = game.options
    return {
        **view_frame(game, state, seat),
        "cells": [list(cell) for cell in board.cells],
        "triangular": board.triangular,
        "lying": list(coins_of(lying)),
        "takes": {
            str(action): list(coins_of(take))
            for action, take in enumerate(takes)
            if take & ~lying == 0
        },
        "last": list(coins_of(takes[last])) if last >= 0 else [],
        "taker": 1 - int(state[S.mover]) if last >= 0 else None,
        "values": state[S.values :].tolist() if coloured else None,
        "points": state[S.points : S.points + 2].tolist() if coloured else None,
        "gaps": options["gaps"],
        "score": options["score"],
        "last_coin": options["last_coin"],
        "last_bonus": options["last_bonus"],
        "max_take": options["max_take"],
    }
