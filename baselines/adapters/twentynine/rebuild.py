"""Rebuild a state of our game from a request of the competition.

What the request does not tell is made up: the cards that the player has not seen are dealt in any
way that agrees with what all seats have shown, and a trump that the player does not know is spades.
Bots look at neither: a search guesses both again, from exactly what is public. All moves are made
again by our rules, so that a request to which no deal can lead is refused and confuses no bot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.adapters.twentynine.fields import Fields, read_fields
from bidarena.baselines.adapters.twentynine.messages import answer_of, cards_in
from bidarena.envs.game import Cfg, Game, Mask, Rng, State, legal, step, to_move
from bidarena.envs.phrases import legal_actions
from bidarena.envs.rng import WORDS
from bidarena.envs.twentynine.record.fixed_deal import deal_cards
from bidarena.envs.twentynine.rules.guess import deal_unseen
from bidarena.envs.twentynine.rules.layout import (
    ALL_CARDS,
    BIDDING,
    NOBODY,
    SEATS,
    TRUMPING,
    A,
    S,
    bid_action,
    card_code,
)


class Asked(NamedTuple):
    """The question that a request asks."""

    state: State
    seat: int  # the seat to move
    remaining: float  # milliseconds left on its clock
    ids: tuple[str, ...]  # the names of the seats in the request


class _Move(NamedTuple):
    """An action that a request tells of."""

    place: str  # where the request tells of it, for errors
    seat: int
    action: int


def rebuild(game: Game, path: str, request: Any) -> Asked:
    """Return the state and the seat that a request asks about.

    Our seat 0 is the player who spoke first.

    Args:
        game: a game with the competition's rules.
        path: "/bid", "/chooseTrump" or "/play".
        request: the body of the request, parsed from JSON.

    Raises:
        ValueError: if the request is broken or no deal can lead to it; the message names the field.
    """
    fields = read_fields(path, request)
    state = _rebuild_play(game, fields) if path == "/play" else _rebuild_auction(game, path, fields)
    return Asked(state, fields.seat, fields.remaining, fields.ids)


# --- the auction ---------------------------------------------------------------------------------


def _rebuild_auction(game: Game, path: str, fields: Fields) -> State:
    """Return the state behind a request to "/bid" or "/chooseTrump"."""
    _check_cards(fields, [], 4)
    hands = _fill([[] for _ in range(SEATS)], fields)
    state = deal_cards(game, hands, first=0, redeals=0, score=(0, 0), deals=0)
    _hold_auction(game, state, fields)
    if path == "/chooseTrump":
        _end_auction(game, state)
        _check_turn(state, fields.seat, fields.ids, "bidHistory")
        return state
    if state[S.phase] == BIDDING and state[S.mover] == fields.seat:
        return state
    earlier = _before(game, hands, fields)
    if earlier is not None:
        return earlier
    if state[S.phase] != BIDDING:
        raise ValueError("bidHistory: the auction is over")
    _check_turn(state, fields.seat, fields.ids, "bidHistory")
    return state


def _hold_auction(game: Game, state: State, fields: Fields) -> None:
    """Make all calls of the auction."""
    moves = [
        _Move(f"bidHistory[{k}]", seat, bid_action(bid) if bid else A.pass_)
        for k, (seat, bid) in enumerate(fields.calls)
    ]
    _make(game, state, moves[:-1], fields.ids)
    if moves and moves[-1].action == A.pass_ and _must_bid(game, state):
        # The last seat had to take the contract, even if it passed.
        moves[-1] = moves[-1]._replace(action=legal_actions(game, state)[0])
    _make(game, state, moves[-1:], fields.ids)


def _end_auction(game: Game, state: State) -> None:
    """Make the compulsory bid of the last seat if the history leaves it out, as a server may.

    Raise ValueError if the auction is not over then.
    """
    if _must_bid(game, state):
        least = legal_actions(game, state)[0]
        _make(game, state, [_Move("bidHistory", int(state[S.mover]), least)], ())
    if state[S.phase] != TRUMPING:
        raise ValueError("bidHistory: the auction is not over")


def _must_bid(game: Game, state: State) -> bool:
    """Return whether the seat to move must bid because all others have passed."""
    return state[S.phase] == BIDDING and A.pass_ not in legal_actions(game, state)


def _before(game: Game, hands: list[list[int]], fields: Fields) -> State | None:
    """Return the latest state of the auction with the duel in `bidState` and this player's turn.

    Histories of whole auctions are sent by people who try out a bot: the documented example of the
    competition is one. None if there is no such state.
    """
    for calls in range(len(fields.calls) - 1, 0, -1):
        state = deal_cards(game, hands, first=0, redeals=0, score=(0, 0), deals=0)
        _hold_auction(game, state, fields._replace(calls=fields.calls[:calls]))
        defender, challenger = int(state[S.defender]), int(state[S.challenger])
        duel = (defender, challenger, *(int(state[S.bids + k]) for k in (defender, challenger)))
        turn = state[S.phase] == BIDDING and state[S.mover] == fields.seat
        if turn and challenger != NOBODY and duel == fields.duel:
            return state
    return None


# --- the play ------------------------------------------------------------------------------------


def _rebuild_play(game: Game, fields: Fields) -> State:
    """Return the state behind a request to "/play"."""
    moves = _moves(fields)
    played: list[list[int]] = [[] for _ in range(SEATS)]
    for move in moves:
        if move.action != A.reveal:
            played[move.seat].append(move.action)
    _check_cards(fields, [card for cards in played for card in cards], 8 - len(fields.tricks))
    hands = _fill(played, fields)
    auction = deal_cards(game, hands, first=0, redeals=0, score=(0, 0), deals=0)
    _hold_auction(game, auction, fields)
    _end_auction(game, auction)
    _check_trump(auction, fields)
    trump = A.choose + (fields.trump or 0)
    moves.insert(0, _Move("trumpSuit", int(auction[S.bidder]), trump))

    # Play once with any cards, to learn what each seat has shown not to hold ...
    state = auction.copy()
    _make(game, state, moves, fields.ids, checked=False)
    _check_turn(state, fields.seat, fields.ids, "played")
    if not _can_be_dealt(state, fields.seat):
        raise ValueError("handsHistory, played: no deal agrees with all that was played")
    game.compiled(deal_unseen)(state, fields.seat, np.ones(WORDS, np.uint64))

    # ... and again with cards that agree with it, so that every move can be checked.
    for seat in range(SEATS):
        cards = played[seat] + cards_in(int(state[S.hands + seat]))
        auction[S.hands + seat] = sum(1 << card for card in cards[:4])
        auction[S.rest + seat] = sum(1 << card for card in cards[4:])
    _make(game, auction, moves, fields.ids)
    _check_teams(auction, fields)
    return auction


def _moves(fields: Fields) -> list[_Move]:
    """Return the cards and the reveal since the first lead, in order."""
    leader = (fields.seat - len(fields.table)) % SEATS
    rows = [
        (f"handsHistory[{k}]", trick.leader, trick.cards) for k, trick in enumerate(fields.tricks)
    ]
    rows.append(("played", leader, fields.table))
    for k, trick in enumerate(fields.tricks):
        if trick.winner != rows[k + 1][1]:  # the rules check the leader when moves are made
            won, leads = fields.ids[trick.winner], fields.ids[rows[k + 1][1]]
            raise ValueError(f"handsHistory[{k}]: {won} won it, but {leads} leads after it")
    reveal = fields.revealed
    moves: list[_Move] = []
    for hand, (place, leads_it, cards) in enumerate(rows, 1):
        for turn, card in enumerate(cards):
            seat = (leads_it + turn) % SEATS
            if reveal == (hand, seat) and turn > 0:
                moves.append(_Move("trumpRevealed", seat, A.reveal))
                reveal = None
            moves.append(_Move(place, seat, card))
    if reveal == (len(rows), fields.seat) and fields.table:
        moves.append(_Move("trumpRevealed", fields.seat, A.reveal))
        reveal = None
    if reveal is not None:
        hand, seat = reveal
        raise ValueError(
            f"trumpRevealed: {fields.ids[seat]} led in hand {hand} or has not yet had a turn"
        )
    return moves


def _check_trump(state: State, fields: Fields) -> None:
    """Raise ValueError unless the request tells the trump exactly if the player knows it."""
    knows = fields.revealed is not None or fields.seat == state[S.bidder]
    if knows and fields.trump is None:
        raise ValueError("trumpSuit=false: this player knows the trump; expected S, D, H or C")
    if not knows and fields.trump is not None:
        raise ValueError("trumpSuit: this player cannot know the trump yet; expected false")


def _can_be_dealt(state: State, player: int) -> bool:
    """Return whether the unseen cards can be dealt to seats that have not shown to lack them.

    They can if no group of seats must take more cards than it has room for (Hall's theorem).
    """
    others = [seat for seat in range(SEATS) if seat != player]
    unseen = 0
    for seat in others:
        unseen |= int(state[S.hands + seat])
    for group in range(1 << len(others)):
        room, for_others = 0, 0
        for k, seat in enumerate(others):
            if group >> k & 1:
                room += int(state[S.hands + seat]).bit_count()
            else:
                for_others |= ~int(state[S.barred + seat])
        if (unseen & ~for_others).bit_count() > room:
            return False
    return True


def _check_teams(state: State, fields: Fields) -> None:
    """Raise ValueError unless the partners, bids and points of both teams are right."""
    sides = [team.players for team in fields.teams]
    if sorted(sides) != [(0, 2), (1, 3)]:
        raise ValueError("teams: expected partners that face each other in playerIds")
    for k, team in enumerate(fields.teams):
        side = team.players[0]
        bid = int(state[S.contract]) if state[S.bidder] % 2 == side else 0
        if team.bid != bid:
            raise ValueError(f"teams[{k}].bid={team.bid}: by bidHistory it is {bid}")
        if team.won != state[S.points + side]:
            right = int(state[S.points + side])
            raise ValueError(f"teams[{k}].won={team.won}: by handsHistory it is {right}")


# --- cards and moves -----------------------------------------------------------------------------


def _check_cards(fields: Fields, played: Sequence[int], expected: int) -> None:
    """Raise ValueError unless the player has `expected` cards and no card is there twice."""
    if len(fields.cards) != expected:
        raise ValueError(f"cards: expected {expected}, got {len(fields.cards)}")
    seen: set[int] = set()
    for card in (*played, *fields.cards):
        if card in seen:
            raise ValueError(f"cards, played, handsHistory: {card_code(card)} is there twice")
        seen.add(card)


def _fill(known: list[list[int]], fields: Fields) -> list[list[int]]:
    """Return eight cards for each seat: first the known ones, then any others."""
    hands = [list(cards) for cards in known]
    hands[fields.seat] += fields.cards
    unseen = ALL_CARDS
    for cards in hands:
        for card in cards:
            unseen ^= 1 << card
    rest = cards_in(unseen)
    for cards in hands:
        while len(cards) < 8:
            cards.append(rest.pop())
    return hands


def make_moves(
    cfg: Cfg, state: State, moves: NDArray[np.int64], checked: bool, mask: Mask, rng: Rng
) -> int:
    """Make moves until one is impossible; return how many were made.

    Args:
        cfg: the options of the game.
        state: the state, which is changed.
        moves: rows of a seat and an action.
        checked: whether an action must be legal; the seat must always be the one to move.
        mask: room for the legal actions.
        rng: random numbers for the rules.
    """
    for k in range(len(moves)):
        if to_move(cfg, state) != moves[k, 0]:
            return k
        if checked:
            legal(cfg, state, mask)
            if mask[moves[k, 1]] == 0:
                return k
        step(cfg, state, moves[k, 1], rng)
    return len(moves)


def _make(
    game: Game, state: State, moves: Sequence[_Move], ids: Sequence[str], *, checked: bool = True
) -> None:
    """Make moves; raise ValueError, which names the move, if one is impossible."""
    if not moves:
        return
    table = np.array([(move.seat, move.action) for move in moves], np.int64)
    mask = np.zeros(game.actions, np.int8)
    words = np.ones(WORDS, np.uint64)  # nothing is drawn
    made = int(game.compiled(make_moves)(game.cfg, state, table, checked, mask, words))
    if made == len(moves):
        return
    place, seat, action = moves[made]
    if state[S.phase] != BIDDING and place.startswith("bidHistory"):
        raise ValueError(f"{place}: the auction was over before")
    _check_turn(state, seat, ids, place)
    said = next(iter(answer_of(action).values()))
    what = f"play {said}" if action < A.pass_ else f"bid {said}"
    if action == A.reveal:
        what = "ask for the trump"
    raise ValueError(f"{place}: {ids[seat]} was not allowed to {what}")


def _check_turn(state: State, seat: int, ids: Sequence[str], place: str) -> None:
    """Raise ValueError unless it is the turn of `seat`."""
    if state[S.mover] != seat:
        turn = "nobody's turn" if state[S.mover] < 0 else f"the turn of {ids[int(state[S.mover])]}"
        raise ValueError(f"{place}: it is {turn}, not of {ids[seat]}")
