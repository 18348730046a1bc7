"""Requests of the Twenty-nine competition and short ways to play deals, shared by several tests."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from bidarena.envs.game import Game, State
from bidarena.envs.rng import WORDS

# A request that was captured from the competition's server.
CAPTURED: dict[str, Any] = {
    "playerId": "UcDvW4nf",
    "playerIds": ["Bot 0", "3nrbJ-Kn", "Bot 1", "UcDvW4nf"],
    "timeRemaining": 1215.706928,
    "teams": [
        {"players": ["Bot 0", "Bot 1"], "bid": 0, "won": 1},
        {"players": ["3nrbJ-Kn", "UcDvW4nf"], "bid": 16, "won": 6},
    ],
    "cards": ["1D", "8C", "7D", "9H", "JD", "KD"],
    "bidHistory": [["3nrbJ-Kn", 16], ["Bot 1", 0], ["UcDvW4nf", 0], ["Bot 0", 0]],
    "played": ["KS", "8H", "TC"],
    "handsHistory": [
        ["3nrbJ-Kn", ["JS", "9S", "1S", "7S"], "3nrbJ-Kn"],
        ["3nrbJ-Kn", ["8S", "7C", "KH", "TS"], "Bot 0"],
    ],
    "trumpSuit": "H",
    "trumpRevealed": {"hand": 3, "playerId": "UcDvW4nf"},
}
BID: dict[str, Any] = {
    "playerId": "B1",
    "playerIds": ["A1", "B1", "A2", "B2"],
    "timeRemaining": 1400,
    "cards": ["JS", "TS", "KH", "9C"],
    "bidHistory": [["A1", 16]],
    "bidState": {"defenderId": "A1", "challengerId": "B1", "defenderBid": 16, "challengerBid": 0},
}
TRUMP: dict[str, Any] = {
    "playerId": "A1",
    "playerIds": ["A1", "B1", "A2", "B2"],
    "timeRemaining": 1300.5,
    "cards": ["JS", "TS", "KH", "9C"],
    "bidHistory": [["A1", 16], ["B1", 17], ["A1", 17], ["B1", 0], ["A2", 0], ["B2", 0]],
}
REQUESTS = {"/bid": BID, "/chooseTrump": TRUMP, "/play": CAPTURED}


def changed(request: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    """Return a copy in which the value at a path of keys and indexes is replaced by `to`."""
    made = copy.deepcopy(request)
    place: Any = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return made


def without(request: dict[str, Any], *path: Any) -> dict[str, Any]:
    """Return a copy in which the value at a path of keys and indexes is missing."""
    made = copy.deepcopy(request)
    place: Any = made
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return made


def play_deal(game: Game, seed: int, *sides: Callable[[State, int, Any], int]) -> list[int]:
    """Return all actions of a deal in which `sides` choose the moves of their seats."""
    source = np.random.default_rng(seed)
    chance, luck = source.integers(1, 2**64, (2, WORDS), dtype=np.uint64)
    state = game.new_state(chance)
    done = []
    while (seat := int(game.call("to_move")(game.cfg, state))) >= 0:
        done.append(int(sides[seat % len(sides)](state.copy(), seat, luck)))
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        assert mask[done[-1]]
        game.call("step")(game.cfg, state, done[-1], chance)
    return done
