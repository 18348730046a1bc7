"""Export a deal of Twenty-nine as a dict for JSON; `record/__init__.py` describes its keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidarena.envs.arguments import whole
from bidarena.envs.game import Game, State
from bidarena.envs.twentynine.record import history
from bidarena.envs.twentynine.record.fixed_deal import check_game
from bidarena.envs.twentynine.rules.layout import (
    FINISHED,
    NOBODY,
    SEATS,
    SUITS,
    TRUMPING,
    C,
    S,
    by_suit,
    card_code,
)
from bidarena.envs.twentynine.rules.result import declarer, game_points
from bidarena.envs.twentynine.rules.view import known_trump

FORMAT, VERSION = "bidarena/twentynine", 1
PHASES = ("auction", "doubling", "trump", "single_hand", "play", "over")
KEYS = (
    *("format", "version", "rules", "seat", "first", "match", "redeals", "hands", "halves"),
    *("auction", "bidder", "contract", "target", "stake", "trump", "seventh_card", "single_hand"),
    *("tricks", "trump_revealed", "marriage", "points", "phase", "turn", "result"),
)


def export(game: Game, state: State, *, seat: int | None = None) -> dict[str, Any]:
    """Return the present deal as a dict for `json.dump`.

    Args:
        game: a game of Twenty-nine.
        state: any state of it.
        seat: the seat whose knowledge is exported; None exports everything.
    """
    check_game(game)
    if seat is not None:
        whole("seat", seat, 0, SEATS - 1)
    phase, bidder = int(state[S.phase]), int(state[S.bidder])
    trump = int(state[S.trump] if seat is None else known_trump(state, seat))
    hidden = trump == NOBODY != state[S.trump]
    seventh = int(state[S.seventh])
    knows_seventh = seat in (None, bidder)
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": dict(game.options),
        "seat": seat,
        "first": int(state[S.first]),
        "match": _match(game, state),
        "redeals": int(state[S.redeals]),
        "hands": _hands(state, seat),
        "halves": phase <= TRUMPING,
        "auction": [list(call) for call in history.calls(state)],
        "bidder": _or_none(bidder),
        "contract": int(state[S.contract]) or None,
        "target": int(state[S.target]) or None,
        "stake": int(state[S.stake]),
        "trump": "hidden" if hidden else None if trump == NOBODY else SUITS[trump],
        "seventh_card": seventh != NOBODY and (not knows_seventh or card_code(seventh)),
        "single_hand": _or_none(int(state[S.single])),
        "tricks": [
            [
                trick.leader,
                [card_code(card) for _, card in trick.cards],
                trick.winner if trick.finished else None,
            ]
            for trick in history.tricks(state)
        ],
        "trump_revealed": _event(state, S.revealed, S.revealer),
        "marriage": _event(state, S.married_in, S.married),
        "points": [int(state[S.points]), int(state[S.points + 1])],
        "phase": PHASES[phase],
        "turn": _or_none(int(state[S.mover])),
        "result": _result(game, state) if phase == FINISHED else None,
    }


def _hands(state: State, seat: int | None) -> list[list[str]]:
    """Return the codes of each seat's cards; with `seat`, only of those that it has seen."""
    if seat is None and state[S.phase] <= TRUMPING:
        parts = [(int(state[S.hands + k]), int(state[S.rest + k])) for k in range(SEATS)]
        return [_codes(first) + _codes(second) for first, second in parts]
    hands = history.dealt(state)
    if seat is not None:
        for other in range(SEATS):
            hidden = state[S.rest + other] | (0 if other == seat else state[S.hands + other])
            hands[other] &= ~int(hidden)
    return [_codes(hand) for hand in hands]


def _codes(cards: int) -> list[str]:
    """Return the codes of a set of cards, suit by suit, the highest card first."""
    return [card_code(card) for card in by_suit(cards)]


def _or_none(seat: int) -> int | None:
    return seat if seat >= 0 else None


def _event(state: State, trick: int, seat: int) -> dict[str, int] | bool:
    """Return a reveal or marriage by the indexes of its trick and seat; False if there is none."""
    return {"hand": int(state[trick]), "seat": int(state[seat])} if state[trick] else False


def _match(game: Game, state: State) -> dict[str, Any] | None:
    """Return score and number of deals before this deal; None if it is not a match."""
    if game.cfg[C.match_to] == 0:
        return None
    score, deals = [int(state[S.score + side]) for side in range(2)], int(state[S.deals])
    if state[S.phase] == FINISHED:  # the score includes this deal already
        score[int(declarer(state)) & 1] -= int(game_points(game.cfg, state))
        deals -= 1
    return {"score": score, "deals": deals}


def _result(game: Game, state: State) -> dict[str, Any]:
    """Return the result of a finished deal: `made`, `game_points` and `returns`."""
    result = np.zeros(SEATS)
    game.call("returns")(game.cfg, state, result)
    won = int(game_points(game.cfg, state))
    made = None if won == 0 else won > 0
    return {"made": made, "game_points": won, "returns": result.tolist()}
