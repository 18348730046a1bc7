"""Replay a record of Twenty-nine and check every step; `record/__init__.py` describes its keys.

The actions are derived from the record and then taken in the real game. Each must come from the
seat whose turn it is, and be legal. At the end the game must stand as the record says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bidarena.envs.arguments import choice, whole
from bidarena.envs.game import Game, State
from bidarena.envs.registry import make_game
from bidarena.envs.rng import WORDS
from bidarena.envs.twentynine.record.export import FORMAT, KEYS, PHASES, VERSION, export
from bidarena.envs.twentynine.record.fixed_deal import deal_cards, items, parse_card, parse_hands
from bidarena.envs.twentynine.rules.layout import (
    BIDDING,
    MOST_REDEALS,
    SEATS,
    SUITS,
    A,
    C,
    S,
    bid_action,
    bid_of,
    card_code,
    suit_of,
)

Record = Mapping[str, Any]


class _Move(NamedTuple):
    """An action that a record tells of."""

    place: str  # where the record tells of it, for errors
    seat: int
    action: int


def actions(record: Record | str | PathLike[str]) -> list[int]:
    """Return the actions of a record in order, without checking whether they are legal.

    Args:
        record: a dict, or the path of a JSON file.

    Raises:
        ValueError: if something is missing, or the record is the view of one seat.
    """
    record = _read(record)
    return [move.action for move in _moves(record, _game(record).options)]


def replay(record: Record | str | PathLike[str]) -> tuple[Game, list[State]]:
    """Return the game of a record and all its states; the first one is that after the deal.

    Args:
        record: a dict, or the path of a JSON file.

    Raises:
        ValueError: if the record is broken; the message says where.
    """
    record = _read(record)
    game = _game(record)
    moves = _moves(record, game.options)
    state = _first_state(game, record)
    states = [state.copy()]
    rng = np.ones(WORDS, np.uint64)  # only a seventh card is drawn, and it is replaced below
    for number, move in enumerate(moves):
        _check_legal(game, state, move)
        game.call("step")(game.cfg, state, move.action, rng)
        if move.action == A.seventh_card:
            state[S.seventh] = _seventh(record)
            state[S.trump] = suit_of(_seventh(record))
        if state[S.phase] == BIDDING and number >= len(record["auction"]):
            raise ValueError(f"{move.place}: the match goes on after this; leave the last card out")
        if state[S.phase] == BIDDING and state[S.redeals] != record["redeals"]:
            raise ValueError(f"{move.place}: the cards are dealt anew after this")
        states.append(state.copy())
    _check_end(record, export(game, state))
    return game, states


def _read(record: Record | str | PathLike[str]) -> Record:
    """Return a record; raise ValueError unless it has all keys and shows all hands."""
    if not isinstance(record, Mapping):
        try:
            found = json.loads(Path(record).read_text(encoding="utf-8"))
        except ValueError as wrong:
            raise ValueError(f"record={str(record)!r}: not a JSON file: {wrong}") from None
        if not isinstance(found, dict):
            raise ValueError(f"record={str(record)!r}: expected a JSON object")
        record = found
    if (record.get("format"), record.get("version")) != (FORMAT, VERSION):
        raise ValueError(
            f"format={record.get('format')!r}, version={record.get('version')!r}: "
            f"expected {FORMAT!r}, {VERSION}"
        )
    missing = [key for key in KEYS if key not in record]
    if missing:
        raise ValueError(f"record: lacks {', '.join(missing)}")
    if record["seat"] is not None:
        raise ValueError(
            f"seat={record['seat']!r}: the view of one seat cannot be played; export without seat="
        )
    return record


def _game(record: Record) -> Game:
    rules = record["rules"]
    if not isinstance(rules, Mapping):
        raise ValueError(f"rules={rules!r}: expected the keywords of the game")
    try:
        return make_game("twentynine", **rules)
    except (TypeError, ValueError) as wrong:
        raise ValueError(f"rules: {wrong}") from None


def _seat(name: str, value: Any) -> int:
    return whole(name, value, 0, SEATS - 1)


# --- the deal ------------------------------------------------------------------------------------


def _first_state(game: Game, record: Record) -> State:
    hands = parse_hands("hands", record["hands"])
    if record["halves"] not in (True, False):
        raise ValueError(f"halves={record['halves']!r}: expected true or false")
    if record["seventh_card"] is not False:
        _put_aside(hands, _seat("bidder", record["bidder"]), _seventh(record), record["halves"])
    score, deals, goal = [0, 0], 0, int(game.cfg[C.match_to])
    if goal:
        match = record["match"]
        if not isinstance(match, Mapping) or not {"score", "deals"} <= match.keys():
            raise ValueError(f"match={match!r}: expected its score and deals")
        pair = items("match.score", match["score"], 2)
        score = [whole("match.score", points, 1 - goal, goal - 1) for points in pair]
        deals = whole("match.deals", match["deals"], 0, int(game.cfg[C.max_deals]) - 1)
    first = _seat("first", record["first"])
    if first != deals % SEATS:
        raise ValueError(f"first={first}: seat {deals % SEATS} speaks first after {deals} deals")
    redeals = whole("redeals", record["redeals"], 0, MOST_REDEALS)
    return deal_cards(game, hands, first, redeals, score, deals)


def _put_aside(hands: list[list[int]], bidder: int, seventh: int, halves: bool) -> None:
    """Move the seventh card to the bidder's second four; raise ValueError if it cannot be there."""
    cards = hands[bidder]
    if seventh not in cards:
        raise ValueError(f"seventh_card={card_code(seventh)!r}: not in hands[{bidder}]")
    if seventh in cards[:4]:
        if halves:
            raise ValueError(
                f"seventh_card={card_code(seventh)!r}: one of the first four of hands[{bidder}]"
            )
        at = cards.index(seventh)
        cards[at], cards[7] = cards[7], cards[at]


def _seventh(record: Record) -> int:
    return parse_card("seventh_card", record["seventh_card"])


# --- the actions ---------------------------------------------------------------------------------


def _moves(record: Record, rules: Mapping[str, Any]) -> list[_Move]:
    """Return all actions in order: those in the record, and those that follow from it."""
    moves = _auction(record)
    phase = choice("phase", record["phase"], PHASES)
    if phase == PHASES.index("auction"):
        return moves
    bidder = _seat("bidder", record["bidder"])
    if rules["doubling"]:
        moves += _doubling(record, bidder, phase == PHASES.index("doubling"))
    if phase <= PHASES.index("trump"):
        return moves
    if record["seventh_card"] is not False:
        moves.append(_Move("seventh_card", bidder, A.seventh_card))
    else:
        moves.append(_Move("trump", bidder, A.choose + choice("trump", record["trump"], SUITS)))
    if rules["single_hand"]:
        moves += _single_hand(record, phase == PHASES.index("single_hand"))
    return moves + _tricks(record)


def _auction(record: Record) -> list[_Move]:
    moves = []
    for k, call in enumerate(items("auction", record["auction"])):
        place = f"auction[{k}]"
        seat, bid = items(place, call, 2)
        action = A.pass_ if whole(place, bid, 0, 29) == 0 else bid_action(whole(place, bid, 16, 29))
        moves.append(_Move(place, _seat(place, seat), action))
    return moves


def _doubling(record: Record, bidder: int, going_on: bool) -> list[_Move]:
    """Return the answers of the opponents, then of the bidding side.

    The record does not tell which of two partners doubled; the one asked first does it here.
    """
    stake, one = record["stake"], (bidder + 1) % SEATS
    if stake not in (1, 2, 4):
        raise ValueError(f"stake={stake!r}: expected 1, 2 or 4")
    if stake == 1:
        answers = [(one, A.pass_), ((one + 2) % SEATS, A.pass_)]
    elif stake == 2:
        answers = [(one, A.double), (bidder, A.pass_), ((bidder + 2) % SEATS, A.pass_)]
    else:
        answers = [(one, A.double), (bidder, A.redouble)]
    if going_on:  # only the answers before the seat that is asked now
        asked = [seat for seat, _ in answers]
        turn = _seat("turn", record["turn"])
        if turn not in asked[stake > 1 :]:
            raise ValueError(f"turn={turn}: not asked at a stake of {stake} against seat {bidder}")
        answers = answers[: asked.index(turn, int(stake > 1))]
    return [_Move("stake", seat, action) for seat, action in answers]


def _single_hand(record: Record, going_on: bool) -> list[_Move]:
    """Return the answers to the question who plays a single hand."""
    first, player = _seat("first", record["first"]), record["single_hand"]
    order = [(first + k) % SEATS for k in range(SEATS)]
    if going_on:
        passing = order[: order.index(_seat("turn", record["turn"]))]
    elif player is None:
        passing = order
    else:
        passing = order[: order.index(_seat("single_hand", player))]
    moves = [_Move("single_hand", seat, A.pass_) for seat in passing]
    if player is not None and not going_on:
        moves.append(_Move("single_hand", player, A.single_hand))
    return moves


def _tricks(record: Record) -> list[_Move]:
    """Return the cards; a reveal or marriage comes before the card of the seat that declared it."""
    single = record["single_hand"]
    away = None if single is None else (_seat("single_hand", single) + 2) % SEATS
    events = {}
    for name, action in (("trump_revealed", A.reveal), ("marriage", A.declare)):
        if record[name] is not False:
            hand, seat = _event(name, record[name])
            events[hand, seat] = _Move(name, seat, action)
    moves = []
    for k, entry in enumerate(items("tricks", record["tricks"])):
        leader, cards, _ = items(f"tricks[{k}]", entry, 3)
        leader = _seat(f"tricks[{k}]", leader)
        seats = [(leader + turn) % SEATS for turn in range(SEATS)]
        seats = [seat for seat in seats if seat != away]
        codes = items(f"tricks[{k}]", cards)
        if not 0 < len(codes) <= len(seats):
            raise ValueError(f"tricks[{k}]: expected 1 to {len(seats)} cards, got {len(codes)}")
        for seat, code in zip(seats, codes, strict=False):
            event = events.pop((k + 1, seat), None)
            if event is not None:
                moves.append(event)
            moves.append(_Move(f"tricks[{k}]", seat, parse_card(f"tricks[{k}]", code)))
    return moves + list(events.values())  # of a seat that has not yet played its card


def _event(name: str, value: Any) -> tuple[int, int]:
    """Return trick and seat of a reveal or marriage; raise ValueError if they are missing."""
    if not isinstance(value, Mapping) or not {"hand", "seat"} <= value.keys():
        raise ValueError(f'{name}={value!r}: expected false or {{"hand": 3, "seat": 1}}')
    return whole(f"{name}.hand", value["hand"], 1, 8), _seat(f"{name}.seat", value["seat"])


# --- checks --------------------------------------------------------------------------------------


def _check_legal(game: Game, state: State, move: _Move) -> None:
    """Raise ValueError unless it is the seat's turn and the action is legal."""
    said = _described(move.action)
    if state[S.mover] != move.seat:
        turn = (
            "the deal is over" if state[S.mover] < 0 else f"it is the turn of seat {state[S.mover]}"
        )
        raise ValueError(f"{move.place}: seat {move.seat} cannot {said}: {turn}")
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    if move.action >= game.actions or not mask[move.action]:
        allowed = ", ".join(_described(int(action)) for action in np.flatnonzero(mask))
        raise ValueError(f"{move.place}: seat {move.seat} cannot {said}; allowed: {allowed}")


def _described(action: int) -> str:
    """Return what a seat does with an action, such as "play JS" or "bid 17"."""
    if action < A.pass_:
        return f"play {card_code(action)}"
    verbs = {
        A.pass_: "pass",
        A.reveal: "reveal the trump",
        A.double: "double",
        A.redouble: "redouble",
        A.seventh_card: "leave the trump to the seventh card",
        A.single_hand: "play a single hand",
        A.declare: "declare the marriage",
    }
    if action in verbs:
        return verbs[action]
    if A.choose <= action < A.choose + 4:
        return f"choose {SUITS[action - A.choose]}"
    return f"bid {bid_of(action)}"


def _check_end(record: Record, played: Record) -> None:
    """Raise ValueError unless all that the record says agrees with the state after its actions."""
    for k, (said, found) in enumerate(zip(record["tricks"], played["tricks"], strict=False)):
        for what, one, other in zip(("leader", "cards", "winner"), said, found, strict=True):
            if one != other:
                raise ValueError(f"tricks[{k}]: {what} {one!r} written, but {other!r} is right")
    if len(record["tricks"]) != len(played["tricks"]):
        raise ValueError(
            f"tricks: {len(record['tricks'])} written, but {len(played['tricks'])} can be played"
        )
    for key in KEYS:
        if key in ("rules", "hands", "halves", "tricks"):
            continue  # may be written in other ways, or were checked above
        if record[key] != played[key]:
            raise ValueError(f"{key}: {record[key]!r} written, but {played[key]!r} is right")
