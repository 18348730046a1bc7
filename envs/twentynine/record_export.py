"""A deal of Twenty-nine written as a dict for JSON; record.py tells the format."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidarena.envs.check import whole
from bidarena.envs.game import Game, State
from bidarena.envs.twentynine import history
from bidarena.envs.twentynine.fixed_deal import check_game
from bidarena.envs.twentynine.layout import (
    BIDDER,
    CONTRACT,
    DEALS,
    FINISHED,
    FIRST,
    GAME_SCORE,
    HANDS,
    MARRIED,
    MARRIED_IN,
    MATCH_TO,
    MOVER,
    NOBODY,
    PHASE,
    POINTS,
    REDEALS,
    REST,
    REVEALED,
    REVEALER,
    SEATS,
    SEVENTH_IS,
    SINGLE_IS,
    STAKE,
    SUITS,
    TARGET,
    TRUMP,
    TRUMPING,
    card_code,
)
from bidarena.envs.twentynine.rules import declarer, game_points
from bidarena.envs.twentynine.view import known_trump

FORMAT, VERSION = "bidarena/twentynine", 1
PHASES = ("auction", "doubling", "trump", "single_hand", "play", "over")
KEYS = (
    *("format", "version", "rules", "seat", "first", "match", "redeals", "hands", "halves"),
    *("auction", "bidder", "contract", "target", "stake", "trump", "seventh_card", "single_hand"),
    *("tricks", "trump_revealed", "marriage", "points", "phase", "turn", "result"),
)


def export(game: Game, state: State, *, seat: int | None = None) -> dict[str, Any]:
    """The present deal as a dict that `json.dump` takes; with `seat`, only what this seat knows."""
    check_game(game)
    if seat is not None:
        whole("seat", seat, 0, SEATS - 1)
    phase, bidder = int(state[PHASE]), int(state[BIDDER])
    trump = int(state[TRUMP] if seat is None else known_trump(state, seat))
    hidden = trump == NOBODY != state[TRUMP]
    seventh = int(state[SEVENTH_IS])
    knows_seventh = seat in (None, bidder)
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": dict(game.options),
        "seat": seat,
        "first": int(state[FIRST]),
        "match": _match(game, state),
        "redeals": int(state[REDEALS]),
        "hands": _hands(state, seat),
        "halves": phase <= TRUMPING,
        "auction": [list(call) for call in history.calls(state)],
        "bidder": _or_none(bidder),
        "contract": int(state[CONTRACT]) or None,
        "target": int(state[TARGET]) or None,
        "stake": int(state[STAKE]),
        "trump": "hidden" if hidden else None if trump == NOBODY else SUITS[trump],
        "seventh_card": seventh != NOBODY and (not knows_seventh or card_code(seventh)),
        "single_hand": _or_none(int(state[SINGLE_IS])),
        "tricks": [
            [
                trick.leader,
                [card_code(card) for _, card in trick.cards],
                trick.winner if trick.finished else None,
            ]
            for trick in history.tricks(state)
        ],
        "trump_revealed": _event(state, REVEALED, REVEALER),
        "marriage": _event(state, MARRIED_IN, MARRIED),
        "points": [int(state[POINTS]), int(state[POINTS + 1])],
        "phase": PHASES[phase],
        "turn": _or_none(int(state[MOVER])),
        "result": _result(game, state) if phase == FINISHED else None,
    }


def _hands(state: State, seat: int | None) -> list[list[str]]:
    if seat is None and state[PHASE] <= TRUMPING:
        parts = [(int(state[HANDS + k]), int(state[REST + k])) for k in range(SEATS)]
        return [_codes(first) + _codes(second) for first, second in parts]
    hands = history.dealt(state)
    if seat is not None:
        for other in range(SEATS):
            hidden = state[REST + other] | (0 if other == seat else state[HANDS + other])
            hands[other] &= ~int(hidden)
    return [_codes(hand) for hand in hands]


def _codes(cards: int) -> list[str]:
    """A set of cards by suit, each suit from the highest card down."""
    order = [8 * suit + strength for suit in range(4) for strength in range(7, -1, -1)]
    return [card_code(card) for card in order if cards >> card & 1]


def _or_none(seat: int) -> int | None:
    return seat if seat >= 0 else None


def _event(state: State, trick: int, seat: int) -> dict[str, int] | bool:
    return {"hand": int(state[trick]), "seat": int(state[seat])} if state[trick] else False


def _match(game: Game, state: State) -> dict[str, Any] | None:
    """The score before this deal: the last deal of a match has already been added to it."""
    if game.cfg[MATCH_TO] == 0:
        return None
    score, deals = [int(state[GAME_SCORE + side]) for side in range(2)], int(state[DEALS])
    if state[PHASE] == FINISHED:
        score[int(declarer(state)) & 1] -= int(game_points(game.cfg, state))
        deals -= 1
    return {"score": score, "deals": deals}


def _result(game: Game, state: State) -> dict[str, Any]:
    result = np.zeros(SEATS)
    game.call("returns")(game.cfg, state, result)
    won = int(game_points(game.cfg, state))
    made = None if won == 0 else won > 0
    return {"made": made, "game_points": won, "returns": result.tolist()}
