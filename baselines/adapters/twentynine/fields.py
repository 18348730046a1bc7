"""The fields of the competition's requests, checked one by one; errors name the field.

Each field is checked by itself here. rebuild.py checks whether a deal can lead to all of them.
Fields with other names are ignored. `bidState` may be missing or say anything, because `bidHistory`
tells the same; it is read for histories that go on after the question.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bidarena.envs.arguments import choice
from bidarena.envs.twentynine.record.fixed_deal import parse_card
from bidarena.envs.twentynine.rules.layout import SEATS, SUITS

_ALWAYS = ("playerId", "playerIds", "timeRemaining", "cards", "bidHistory")
FIELDS = {
    "/bid": _ALWAYS,
    "/chooseTrump": _ALWAYS,
    "/play": (*_ALWAYS, "teams", "played", "handsHistory", "trumpSuit", "trumpRevealed"),
}
_BID_STATE = ("defenderId", "challengerId", "defenderBid", "challengerBid")
_TEAM = ("players", "bid", "won")
_MOST_CALLS = 36  # in one auction: every second call raises the bid


class Team(NamedTuple):
    """A side in a request."""

    players: tuple[int, ...]  # seats
    bid: int
    won: int


class Trick(NamedTuple):
    """A finished trick in a request."""

    leader: int
    cards: tuple[int, ...]  # in the order of play
    winner: int


class Fields(NamedTuple):
    """A request with seats instead of ids and numbers instead of cards; seat 0 spoke first."""

    ids: tuple[str, ...]  # the id of each seat
    seat: int  # the seat that is asked
    remaining: float  # milliseconds left on its clock, 0 or more
    cards: tuple[int, ...]
    calls: tuple[tuple[int, int], ...]  # (seat, bid)
    duel: tuple[int, int, int, int] | None = None  # defender, challenger and their bids, if told
    teams: tuple[Team, ...] = ()
    tricks: tuple[Trick, ...] = ()
    table: tuple[int, ...] = ()
    trump: int | None = None
    revealed: tuple[int, int] | None = None  # the trick, from 1, and the seat that revealed


def read_fields(path: str, request: Any) -> Fields:
    """Return the fields of a request to `path`.

    Raises:
        ValueError: if a field is missing or wrong; the message names it.
    """
    request = _keys("the request", request, FIELDS[path])
    given = _list("playerIds", request["playerIds"], SEATS)
    for k, name in enumerate(given):
        if not isinstance(name, str) or not 0 < len(name) <= 200:
            raise ValueError(f"playerIds[{k}]={_short(name)}: expected a name")
    if len(set(given)) < SEATS:
        raise ValueError(f"playerIds={_short(given)}: expected four different names")
    asked = _seat("playerId", request["playerId"], given)
    history = _list("bidHistory", request["bidHistory"])
    if len(history) > _MOST_CALLS:
        raise ValueError(f"bidHistory: {len(history)} bids, but there cannot be so many")
    pairs = [_list(f"bidHistory[{k}]", call, 2) for k, call in enumerate(history)]
    # Our seat 0 is the player who spoke first; before the first call, the player who is asked.
    first = _seat("bidHistory[0]", pairs[0][0], given) if pairs else asked
    ids = tuple(given[(first + k) % SEATS] for k in range(SEATS))
    fields = Fields(
        ids=ids,
        seat=(asked - first) % SEATS,
        remaining=_milliseconds(request["timeRemaining"]),
        cards=_cards("cards", request["cards"], 8),
        calls=tuple(
            (_seat(f"bidHistory[{k}]", who, ids), _bid(f"bidHistory[{k}]", bid))
            for k, (who, bid) in enumerate(pairs)
        ),
    )
    if path == "/bid":
        return fields._replace(duel=_duel(request.get("bidState"), ids))
    if path == "/chooseTrump":
        return fields
    return _read_play(fields, request)


def _read_play(fields: Fields, request: Mapping[str, Any]) -> Fields:
    """Return the fields with those that only a request to "/play" has."""
    ids = fields.ids
    tricks = []
    for k, entry in enumerate(_list("handsHistory", request["handsHistory"])):
        place = f"handsHistory[{k}]"
        leader, cards, winner = _list(place, entry, 3)
        four = _cards(f"{place}[1]", _list(f"{place}[1]", cards, SEATS), SEATS)
        tricks.append(Trick(_seat(f"{place}[0]", leader, ids), four, _seat(place, winner, ids)))
    if len(tricks) > 7:
        raise ValueError(f"handsHistory: {len(tricks)} tricks are finished, so nobody is to play")
    revealed = None
    if request["trumpRevealed"] is not False:
        told = request["trumpRevealed"]
        if not isinstance(told, Mapping):
            expected = 'expected false or {"hand": 3, "playerId": ...}'
            raise ValueError(f"trumpRevealed={_short(told)}: {expected}")
        told = _keys("trumpRevealed", told, ("hand", "playerId"))
        hand = _whole("trumpRevealed.hand", told["hand"], 1, 8)
        revealed = hand, _seat("trumpRevealed.playerId", told["playerId"], ids)
    trump = None
    if request["trumpSuit"] is not False:
        trump = choice("trumpSuit", request["trumpSuit"], SUITS)
    return fields._replace(
        teams=_teams(request["teams"], ids),
        tricks=tuple(tricks),
        table=_cards("played", request["played"], SEATS - 1),
        trump=trump,
        revealed=revealed,
    )


def _duel(value: Any, ids: Sequence[str]) -> tuple[int, int, int, int] | None:
    """Return what `bidState` says; None if it says nothing that can be understood."""
    try:
        found = _keys("bidState", value, _BID_STATE)
        return (
            _seat("bidState.defenderId", found["defenderId"], ids),
            _seat("bidState.challengerId", found["challengerId"], ids),
            _bid("bidState.defenderBid", found["defenderBid"]),
            _bid("bidState.challengerBid", found["challengerBid"]),
        )
    except ValueError:
        return None


def _teams(value: Any, ids: Sequence[str]) -> tuple[Team, ...]:
    teams = []
    for k, entry in enumerate(_list("teams", value, 2)):
        place = f"teams[{k}]"
        found = _keys(place, entry, _TEAM)
        names = _list(f"{place}.players", found["players"], 2)
        players = tuple(sorted(_seat(f"{place}.players", name, ids) for name in names))
        won = _whole(f"{place}.won", found["won"], 0, 28)
        teams.append(Team(players, _bid(f"{place}.bid", found["bid"]), won))
    return tuple(teams)


# --- single values -------------------------------------------------------------------------------


def _keys(name: str, value: Any, expected: Sequence[str]) -> Mapping[str, Any]:
    """Return the value; raise ValueError unless it is an object with these fields, none null."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}: expected a JSON object, got {_short(value)}")
    inside = "" if name == "the request" else f"{name}."
    for field in expected:
        if field not in value:
            raise ValueError(f"{inside}{field}: missing")
        if value[field] is None:
            raise ValueError(f"{inside}{field}: null")
    return value


def _list(name: str, value: Any, size: int | None = None) -> list[Any]:
    """Return the value; raise ValueError unless it is a list, of `size` items if that is given."""
    if not isinstance(value, list):
        raise ValueError(f"{name}={_short(value)}: expected a list")
    if size is not None and len(value) != size:
        raise ValueError(f"{name}: expected a list of {size}, got {len(value)}")
    return value


def _seat(name: str, value: Any, ids: Sequence[str]) -> int:
    """Return the seat of an id; raise ValueError unless it is one of `ids`."""
    if not isinstance(value, str) or value not in ids:
        raise ValueError(f"{name}={_short(value)}: expected one of {', '.join(map(_short, ids))}")
    return list(ids).index(value)


def _cards(name: str, value: Any, most: int) -> tuple[int, ...]:
    """Return the cards of a list of codes; raise ValueError if one is wrong or one too many."""
    found = _list(name, value)
    if len(found) > most:
        raise ValueError(f"{name}: expected at most {most} cards, got {len(found)}")
    for k, code in enumerate(found):
        if not isinstance(code, str) or len(code) > 2:
            raise ValueError(f"{name}[{k}]={_short(code)}: expected a card such as 'JS'")
    return tuple(parse_card(f"{name}[{k}]", code) for k, code in enumerate(found))


def _bid(name: str, value: Any) -> int:
    """Return a bid; raise ValueError unless it is 0 or 16 to 28."""
    bid = _whole(name, value, 0, 28)
    if 0 < bid < 16:
        raise ValueError(f"{name}={bid}: expected 0 or 16 to 28")
    return bid


def _whole(name: str, value: Any, low: int, high: int) -> int:
    """Return a whole number, also one written as 16.0; raise ValueError if it is out of range."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high or value != int(value):
        raise ValueError(f"{name}={_short(value)}: expected a whole number from {low} to {high}")
    return int(value)


def _milliseconds(value: Any) -> float:
    """Return the time left, 0 if it is overdrawn; raise ValueError unless it is a finite number."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or abs(value) > 1e9:
        raise ValueError(f"timeRemaining={_short(value)}: expected milliseconds")
    return max(0.0, float(value))


def _short(value: Any) -> str:
    """Return the value for an error message, cut to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
