"""Where a deal of Twenty-nine stands, in the words of the seat that looks at it.

The drawings read nothing but a `View`, which holds only what the seat may know: they cannot show
more than that.
"""

from __future__ import annotations

from typing import NamedTuple

from bidarena.envs.game import Game, State
from bidarena.envs.twentynine import history
from bidarena.envs.twentynine.layout import (
    BARRED,
    BIDDER,
    CONTRACT,
    HANDS,
    IN_TRICK,
    KING_QUEEN,
    LAST_TRICK,
    MARRIED,
    MOVER,
    NOBODY,
    PHASE,
    PLAYING,
    POINTS,
    SEATS,
    SINGLE_IS,
    STAKE,
    SUIT,
    TARGET,
    TRICK,
    TRUMP,
    WON,
    worth,
)
from bidarena.envs.twentynine.view import known_trump
from bidarena.envs.twentynine.words import (
    allowed_actions,
    contract_notes,
    house_rules,
    match_score,
    stage,
    status,
    trump_notes,
)


class Place(NamedTuple):
    """One of the four at the table."""

    number: int  # of the seat
    cards: int  # held
    lacks: tuple[int, ...]  # suits that he has shown not to hold
    without: tuple[int, ...]  # single cards that he has shown not to hold, still unseen
    holds: tuple[int, ...]  # cards that he has shown to hold
    call: int | None  # his last bid, 0 if he has passed
    card: int | None  # on the table
    away: bool  # while his partner plays a single hand


class Play(NamedTuple):
    """A trick in which seats are counted from the viewer on."""

    cards: tuple[tuple[int, int], ...]  # (place, card) in the order of play
    winner: int
    points: int


class View(NamedTuple):
    """What one seat knows. Places: 0 the viewer, 1 left, 2 partner, 3 right; sides: 0 own."""

    phase: int
    places: tuple[Place, ...]
    hand: tuple[int, ...]  # the own cards by suit, the highest first
    playable: tuple[int, ...]  # those that may be played now
    mover: int | None
    bidder: int | None
    contract: int
    declarer: int | None  # the bidder, or who plays a single hand
    target: int  # points the declarer's side needs, 0 if unknown or a single hand
    stake: int
    contract_notes: tuple[str, ...]
    trump: int | None  # if known
    trump_notes: tuple[str, str]  # its condition in a word or two; more about it
    points: tuple[int, int]
    won: tuple[int, int]  # tricks
    most: int  # points there are
    calls: tuple[tuple[int, int], ...]  # (place, bid), 0 for a pass
    table: Play | None
    tricks: tuple[Play, ...]  # the finished ones
    round: str  # where in the deal
    match: str  # the score, empty if there is none
    rules: tuple[str, ...]  # house rules in force
    champion: int | None  # the side that has won
    headline: str  # the result, or what is awaited
    reason: str


def look(game: Game, state: State, seat: int) -> View:
    """The state as `seat` sees it."""
    cfg, phase = game.cfg, int(state[PHASE])
    bidder = _place(state[BIDDER], seat)
    single = int(state[SINGLE_IS])
    plays = history.tricks(state)
    bonus = [0] * 7 + [int(cfg[LAST_TRICK])]
    seen = [_play(trick, seat, more) for trick, more in zip(plays, bonus, strict=False)]
    trump = NOBODY if single != NOBODY else int(known_trump(state, seat))
    own, other = seat & 1, 1 - (seat & 1)
    champion, headline, reason = status(game, state, seat)
    mine = phase == PLAYING and state[MOVER] == seat
    return View(
        phase=phase,
        places=tuple(_look_at(state, (seat + k) % SEATS, seat, plays) for k in range(SEATS)),
        hand=_by_suit(int(state[HANDS + seat])),
        playable=_by_suit(allowed_actions(game, state)) if mine else (),
        mover=_place(state[MOVER], seat),
        bidder=bidder,
        contract=int(state[CONTRACT]),
        declarer=bidder if single == NOBODY else _place(single, seat),
        target=int(state[TARGET]) if single == NOBODY else 0,
        stake=int(state[STAKE]),
        contract_notes=contract_notes(state, seat),
        trump=None if trump == NOBODY else trump,
        trump_notes=trump_notes(state, seat),
        points=(int(state[POINTS + own]), int(state[POINTS + other])),
        won=(int(state[WON + own]), int(state[WON + other])),
        most=28 + int(cfg[LAST_TRICK]),
        calls=tuple(((who - seat) % SEATS, bid) for who, bid in history.calls(state)),
        table=seen[-1] if state[IN_TRICK] > 0 else None,
        tricks=tuple(seen[: int(state[TRICK])]),
        round=stage(state),
        match=match_score(game, state, seat),
        rules=house_rules(game),
        champion=champion,
        headline=headline,
        reason=reason,
    )


def _place(who: int, seat: int) -> int | None:
    return (int(who) - seat) % SEATS if who >= 0 else None


def _by_suit(cards: int) -> tuple[int, ...]:
    order = [8 * suit + strength for suit in range(4) for strength in range(7, -1, -1)]
    return tuple(card for card in order if cards >> card & 1)


def _play(trick: history.Trick, seat: int, bonus: int) -> Play:
    return Play(
        cards=tuple(((who - seat) % SEATS, card) for who, card in trick.cards),
        winner=(trick.winner - seat) % SEATS,
        points=sum(int(worth(card)) for _, card in trick.cards) + bonus,
    )


def _look_at(state: State, who: int, seat: int, plays: list[history.Trick]) -> Place:
    said = [bid for caller, bid in history.calls(state) if caller == who]
    on_table = dict(plays[-1].cards) if state[IN_TRICK] > 0 else {}
    seen = int(state[HANDS + seat])
    for trick in plays:
        for _, card in trick.cards:
            seen |= 1 << card
    pair = 0
    if state[MARRIED] != NOBODY:
        pair = KING_QUEEN << (8 * int(state[TRUMP]))
    barred = int(state[BARRED + who])
    lacks = [suit for suit in range(4) if barred >> (8 * suit) & SUIT == SUIT]
    for suit in lacks:
        barred &= ~(SUIT << (8 * suit))
    single, cards = int(state[SINGLE_IS]), int(state[HANDS + who]).bit_count()
    told = who != seat and cards > 0  # else it is known anyway
    return Place(
        number=who,
        cards=cards,
        lacks=tuple(lacks) if told else (),
        without=_by_suit(barred & ~pair & ~seen) if told else (),
        holds=_by_suit(pair & ~seen) if told and who == state[MARRIED] else (),
        call=said[-1] if said else None,
        card=on_table.get(who),
        away=single != NOBODY and who == (single + 2) % SEATS,
    )
