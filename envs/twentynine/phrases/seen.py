"""What one seat sees of a deal of Twenty-nine, as a `View` for the drawings.

A `View` holds only what the seat may know. The drawings read nothing else, so they cannot show
more.
"""

from __future__ import annotations

from typing import NamedTuple

from bidarena.envs.game import Game, State
from bidarena.envs.twentynine.phrases.state import (
    allowed_actions,
    contract_notes,
    house_rules,
    match_score,
    stage,
    status,
    trump_notes,
)
from bidarena.envs.twentynine.record import history
from bidarena.envs.twentynine.rules.layout import (
    KING_QUEEN,
    NOBODY,
    PLAYING,
    SEATS,
    SUIT,
    C,
    S,
    by_suit,
    worth,
)
from bidarena.envs.twentynine.rules.view import known_trump


class Place(NamedTuple):
    """One of the four places at the table, as the viewer sees it."""

    number: int  # its seat
    cards: int  # number of cards in the hand
    lacks: tuple[int, ...]  # suits that it has shown not to hold
    without: tuple[int, ...]  # single unseen cards that it has shown not to hold
    holds: tuple[int, ...]  # cards that it has shown to hold
    call: int | None  # its last call: a bid, or 0 for a pass
    card: int | None  # its card on the table
    away: bool  # True while its partner plays a single hand


class Play(NamedTuple):
    """A trick, with places instead of seats."""

    cards: tuple[tuple[int, int], ...]  # (place, card) in the order of play
    winner: int
    points: int


class View(NamedTuple):
    """What one seat knows.

    Places: 0 viewer, 1 left, 2 partner, 3 right. Sides: 0 the viewer's, 1 the other.
    """

    phase: int
    places: tuple[Place, ...]
    hand: tuple[int, ...]  # the viewer's cards by suit, the highest first
    playable: tuple[int, ...]  # the cards of `hand` that may be played now
    mover: int | None
    bidder: int | None
    contract: int
    declarer: int | None  # the bidder, or the place that plays a single hand
    target: int  # points the declarer's side needs, 0 if unknown or a single hand
    stake: int
    contract_notes: tuple[str, ...]
    trump: int | None  # None if the viewer does not know it
    trump_notes: tuple[str, str]  # its condition, such as "hidden"; more about it
    points: tuple[int, int]
    won: tuple[int, int]  # tricks of each side
    most: int  # points in a deal
    calls: tuple[tuple[int, int], ...]  # (place, bid), 0 for a pass
    table: Play | None
    tricks: tuple[Play, ...]  # the finished tricks
    round: str  # the stage of the deal
    match: str  # the score of the match, "" if there is none
    rules: tuple[str, ...]  # house rules in force
    champion: int | None  # the side that has won
    headline: str  # the result, or what is expected
    reason: str  # of the result, or what exactly is expected


def look(game: Game, state: State, seat: int) -> View:
    """Return the state as `seat` sees it."""
    cfg, phase = game.cfg, int(state[S.phase])
    bidder = _place(state[S.bidder], seat)
    single = int(state[S.single])
    plays = history.tricks(state)
    bonus = [0] * 7 + [int(cfg[C.last_trick])]
    seen = [_play(trick, seat, more) for trick, more in zip(plays, bonus, strict=False)]
    trump = NOBODY if single != NOBODY else int(known_trump(state, seat))
    own, other = seat & 1, 1 - (seat & 1)
    champion, headline, reason = status(game, state, seat)
    mine = phase == PLAYING and state[S.mover] == seat
    return View(
        phase=phase,
        places=tuple(_look_at(state, (seat + k) % SEATS, seat, plays) for k in range(SEATS)),
        hand=tuple(by_suit(int(state[S.hands + seat]))),
        playable=tuple(by_suit(allowed_actions(game, state))) if mine else (),
        mover=_place(state[S.mover], seat),
        bidder=bidder,
        contract=int(state[S.contract]),
        declarer=bidder if single == NOBODY else _place(single, seat),
        target=int(state[S.target]) if single == NOBODY else 0,
        stake=int(state[S.stake]),
        contract_notes=contract_notes(state, seat),
        trump=None if trump == NOBODY else trump,
        trump_notes=trump_notes(state, seat),
        points=(int(state[S.points + own]), int(state[S.points + other])),
        won=(int(state[S.won + own]), int(state[S.won + other])),
        most=28 + int(cfg[C.last_trick]),
        calls=tuple(((who - seat) % SEATS, bid) for who, bid in history.calls(state)),
        table=seen[-1] if state[S.in_trick] > 0 else None,
        tricks=tuple(seen[: int(state[S.trick])]),
        round=stage(state),
        match=match_score(game, state, seat),
        rules=house_rules(game),
        champion=champion,
        headline=headline,
        reason=reason,
    )


def _place(who: int, seat: int) -> int | None:
    """Return the place of seat `who` as seen from `seat`; None for NOBODY."""
    return (int(who) - seat) % SEATS if who >= 0 else None


def _play(trick: history.Trick, seat: int, bonus: int) -> Play:
    """Return a trick as seen from `seat`; `bonus` is added to its points."""
    return Play(
        cards=tuple(((who - seat) % SEATS, card) for who, card in trick.cards),
        winner=(trick.winner - seat) % SEATS,
        points=sum(int(worth(card)) for _, card in trick.cards) + bonus,
    )


def _look_at(state: State, who: int, seat: int, plays: list[history.Trick]) -> Place:
    """Return what `seat` knows of the seat `who`."""
    said = [bid for caller, bid in history.calls(state) if caller == who]
    on_table = dict(plays[-1].cards) if state[S.in_trick] > 0 else {}
    seen = int(state[S.hands + seat])
    for trick in plays:
        for _, card in trick.cards:
            seen |= 1 << card
    pair = 0
    if state[S.married] != NOBODY:
        pair = KING_QUEEN << (8 * int(state[S.trump]))
    barred = int(state[S.barred + who])
    lacks = [suit for suit in range(4) if barred >> (8 * suit) & SUIT == SUIT]
    for suit in lacks:
        barred &= ~(SUIT << (8 * suit))
    single, cards = int(state[S.single]), int(state[S.hands + who]).bit_count()
    told = who != seat and cards > 0  # the viewer sees the own hand, and an empty one
    return Place(
        number=who,
        cards=cards,
        lacks=tuple(lacks) if told else (),
        without=tuple(by_suit(barred & ~pair & ~seen)) if told else (),
        holds=tuple(by_suit(pair & ~seen)) if told and who == state[S.married] else (),
        call=said[-1] if said else None,
        card=on_table.get(who),
        away=single != NOBODY and who == (single + 2) % SEATS,
    )
