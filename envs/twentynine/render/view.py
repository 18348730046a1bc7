"""What one seat may know of Twenty-nine, for a drawing in a browser.

The drawings of `look` have places as the viewer sees them. A browser turns the table itself, so
that here seats go by their numbers, and sides are seat % 2.
"""

from __future__ import annotations

from typing import Any

from bidarena.envs.drawing import view_frame
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Viewer
from bidarena.envs.twentynine.phrases.seen import Place, Play, View, look
from bidarena.envs.twentynine.phrases.state import status
from bidarena.envs.twentynine.rules.layout import ACTIONS, FINISHED, NOBODY, SEATS, C, S, by_suit

PHASES = ("bidding", "doubling", "trump", "single", "playing", "finished")


def view(game: Game, state: State, seat: Viewer) -> dict[str, Any]:
    """Return what `seat` may know: hands, auction, contract, trump, tricks and points.

    Cards are 8 * suit + strength, suits 0 spades, 1 diamonds, 2 hearts, 3 clubs. What nobody has
    done yet, or `seat` does not know, is None. `actions` has the first action of each kind.
    """
    looker = seat or 0
    seen = look(game, state, looker)
    frame = view_frame(game, state, seat)
    mover = frame["mover"]
    task = status(game, state, mover)[2] if mover is not None and seat in (None, mover) else ""
    match = int(game.cfg[C.match_to])
    return {
        **frame,
        "actions": {name.rstrip("_"): part.start for name, part in ACTIONS.items()},
        "phase": PHASES[seen.phase],
        "task": task,
        "ending": seen.reason if seen.phase == FINISHED else "",
        "stage": seen.round,
        "first": int(state[S.first]),
        "seats": _seats(state, seat, seen),
        "calls": [[(place + looker) % SEATS, bid] for place, bid in seen.calls],
        "bidder": _number(state[S.bidder]),
        "declarer": _turned(seen.declarer, looker),
        "contract": seen.contract or None,
        "target": seen.target or None,
        "stake": seen.stake,
        "single": _number(state[S.single]),
        "married": _number(state[S.married]),
        "married_in": int(state[S.married_in]),
        **_trump(state, seat, seen),
        "tricks": [_trick(play, looker) for play in seen.tricks],
        "table": None if seen.table is None else _trick(seen.table, looker),
        "points": _sides(state, S.points),
        "won": _sides(state, S.won),
        "most": seen.most,
        "match_to": match or None,
        "score": _sides(state, S.score) if match else None,
        "deals": int(state[S.deals]),
        "redeals": int(state[S.redeals]),
        "rules": list(seen.rules),
    }


def _number(value: int) -> int | None:
    return None if value == NOBODY else int(value)


def _turned(place: int | None, looker: int) -> int | None:
    """Return the seat at a place, as counted from the seat that looks."""
    return None if place is None else (place + looker) % SEATS


def _sides(state: State, part: int) -> list[int]:
    return state[part : part + 2].tolist()


def _seats(state: State, seat: Viewer, seen: View) -> list[dict[str, Any]]:
    """Return what is known of each seat, in the order of their numbers."""
    return [_at(state, seat, place) for place in sorted(seen.places)]


def _at(state: State, seat: Viewer, place: Place) -> dict[str, Any]:
    """Return what `seat` knows of one seat; a hand and the cards to come only if it sees them."""
    who = place.number
    open_hand = seat in (None, who)
    return {
        "cards": place.cards,
        "hand": by_suit(int(state[S.hands + who])) if open_hand else None,
        "to_come": by_suit(int(state[S.rest + who])) if seat is None else None,
        "lacks": list(place.lacks),
        "without": list(place.without),
        "holds": list(place.holds),
        "call": place.call,
        "away": place.away,
    }


def _trump(state: State, seat: Viewer, seen: View) -> dict[str, Any]:
    """Return what `seat` knows of the trump."""
    suit = seen.trump
    if seat is None and state[S.single] == NOBODY:
        suit = _number(state[S.trump])
    knows = seat is None or seat == state[S.bidder]
    return {
        "trump": suit,
        "trump_chosen": bool(state[S.trump] != NOBODY),
        "seventh": bool(state[S.seventh] != NOBODY),
        "seventh_card": _number(state[S.seventh]) if knows else None,
        "revealed_in": int(state[S.revealed]) or None,
        "revealer": _number(state[S.revealer]),
        "asked": bool(state[S.asked]),
    }


def _trick(play: Play, looker: int) -> dict[str, Any]:
    """Return a trick with the numbers of seats; the winner of one on the table is winning it."""
    return {
        "cards": [[(place + looker) % SEATS, card] for place, card in play.cards],
        "winner": (play.winner + looker) % SEATS,
        "points": play.points,
    }
