"""Where a deal of Twenty-nine stands, in the words of the seat that looks at it.

The drawings read nothing but a `View`, which holds only what the seat may know: they cannot show
more than that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bidarena.envs.game import CUT_SHORT, Game, State
from bidarena.envs.twentynine import history
from bidarena.envs.twentynine.layout import (
    ASK_REDEAL,
    ASKED,
    BARRED,
    BIDDER,
    BIDDING,
    CONTRACT,
    DECLARE,
    DOUBLES,
    FINISHED,
    GAME_SCORE,
    HANDS,
    IN_TRICK,
    KING_QUEEN,
    LAST_TRICK,
    MARRIED,
    MARRIED_IN,
    MATCH_TO,
    MOVER,
    NOBODY,
    PASS,
    PHASE,
    PLAYING,
    POINTS,
    REDEALS,
    REVEAL,
    REVEALED,
    REVEALER,
    SEATS,
    SEVENTH_IS,
    SINGLE_IS,
    SINGLES,
    STAKE,
    SUIT,
    TARGET,
    TRICK,
    TRUMP,
    TRUMPING,
    WON,
    bid_action,
    worth,
)
from bidarena.envs.twentynine.play import led_suit
from bidarena.envs.twentynine.rules import declarer, game_points
from bidarena.envs.twentynine.view import known_trump

NAMES = ("you", "left", "partner", "right")  # in the order of play
RANK_NAMES = ("7", "8", "Q", "K", "10", "A", "9", "J")  # ascending
STAKES = {1: "", 2: "doubled", 4: "redoubled"}
SUIT_NAMES = ("spades", "diamonds", "hearts", "clubs")


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
    table = _play(plays[-1], seat) if state[IN_TRICK] > 0 else None
    trump = NOBODY if single != NOBODY else int(known_trump(state, seat))
    own, other = seat & 1, 1 - (seat & 1)
    champion, headline, reason = _status(game, state, seat)
    mine = phase == PLAYING and state[MOVER] == seat
    return View(
        phase=phase,
        places=tuple(_look_at(state, (seat + k) % SEATS, seat, plays) for k in range(SEATS)),
        hand=_by_suit(int(state[HANDS + seat])),
        playable=_by_suit(_allowed(game, state)) if mine else (),
        mover=_place(state[MOVER], seat),
        bidder=bidder,
        contract=int(state[CONTRACT]),
        declarer=bidder if single == NOBODY else _place(single, seat),
        target=int(state[TARGET]) if single == NOBODY else 0,
        stake=int(state[STAKE]),
        contract_notes=_contract_notes(state, seat),
        trump=None if trump == NOBODY else trump,
        trump_notes=_trump_notes(state, seat),
        points=(int(state[POINTS + own]), int(state[POINTS + other])),
        won=(int(state[WON + own]), int(state[WON + other])),
        most=28 + int(cfg[LAST_TRICK]),
        calls=tuple(((who - seat) % SEATS, bid) for who, bid in history.calls(state)),
        table=table,
        tricks=tuple(_play(trick, seat) for trick in plays if trick.finished),
        round=_round(state),
        match=_match(game, state, seat),
        rules=_rules(game),
        champion=champion,
        headline=headline,
        reason=reason,
    )


def _place(who: int, seat: int) -> int | None:
    return (int(who) - seat) % SEATS if who >= 0 else None


def _name(who: int, seat: int) -> str:
    return NAMES[(int(who) - seat) % SEATS]


def _by_suit(cards: int) -> tuple[int, ...]:
    order = [8 * suit + strength for suit in range(4) for strength in range(7, -1, -1)]
    return tuple(card for card in order if cards >> card & 1)


def _allowed(game: Game, state: State) -> int:
    """The legal actions of the seat to act, a bit each."""
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    return sum(1 << int(action) for action in np.flatnonzero(mask))


def _play(trick: history.Trick, seat: int) -> Play:
    return Play(
        cards=tuple(((who - seat) % SEATS, card) for who, card in trick.cards),
        winner=(trick.winner - seat) % SEATS,
        points=sum(int(worth(card)) for _, card in trick.cards),
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


def _contract_notes(state: State, seat: int) -> tuple[str, ...]:
    if state[SINGLE_IS] != NOBODY:
        return ("must win all eight tricks", "alone and without trump")
    if state[MARRIED] == NOBODY:
        return ()
    who = _name(state[MARRIED], seat)
    return (f"marriage: {who}, trick {state[MARRIED_IN]}", f"needs {state[TARGET]}")


def _trump_notes(state: State, seat: int) -> tuple[str, str]:
    if state[SINGLE_IS] != NOBODY:
        return "no trump", "in a single hand"
    if state[TRUMP] == NOBODY:
        return "not chosen", ""
    seventh = state[SEVENTH_IS] != NOBODY
    if state[REVEALED]:
        who = _name(state[REVEALER], seat)
        kind = "the seventh card: " if seventh else ""
        return "revealed", f"{kind}in trick {state[REVEALED]} by {who}"
    if seat == state[BIDDER]:
        return "hidden", "the seventh card, known to you" if seventh else "known to you only"
    owner = _name(state[BIDDER], seat)
    return "hidden", f"the seventh card of {owner}" if seventh else f"known to {owner} only"


def _round(state: State) -> str:
    phase = state[PHASE]
    if phase == PLAYING:
        return f"trick {state[TRICK] + 1} of 8"
    if phase == FINISHED:
        return "1 trick played" if state[TRICK] == 1 else f"{state[TRICK]} tricks played"
    words = {BIDDING: "auction", DOUBLES: "doubling", TRUMPING: "choice of the trump"}
    redeals = f", redeal {state[REDEALS]}" if state[REDEALS] and phase == BIDDING else ""
    return words.get(int(phase), "single hand?") + redeals


def _match(game: Game, state: State, seat: int) -> str:
    if game.cfg[MATCH_TO] == 0:
        return ""
    own = int(state[GAME_SCORE + (seat & 1)])
    other = int(state[GAME_SCORE + 1 - (seat & 1)])
    return f"match {own} : {other}, to {game.cfg[MATCH_TO]}"


def _rules(game: Game) -> tuple[str, ...]:
    """The options that are not as in the competition, in words."""
    chosen = game.options
    lowest, highest = chosen["min_bid"], chosen["max_bid"]
    words = {
        "bids go round the table": chosen["auction"] == "round_robin",
        f"bids from {lowest}": lowest != 16,
        f"bids to {highest}": highest is not None,
        "redeal if all pass": chosen["all_pass"] == "redeal",
        "redeal without points": chosen["redeal"] is not None,
        "doubling": chosen["doubling"],
        "seventh card": chosen["seventh_card"],
        "single hand": chosen["single_hand"],
        "the bidder leads": chosen["first_lead"] == "bidder",
        "marriage": chosen["marriage"],
        "last trick +1": chosen["last_trick"] == 1,
        "counts without a reveal": chosen["unrevealed"] == "score",
    }
    return tuple(word for word, on in words.items() if on)


# --- what is awaited, or how it ended ------------------------------------------------------------


def _status(game: Game, state: State, seat: int) -> tuple[int | None, str, str]:
    """The side that has won, a headline and its reason."""
    phase = int(state[PHASE])
    if phase == FINISHED:
        return _ending(game, state, seat)
    if state[MOVER] != seat:
        doing = {
            BIDDING: "bids",
            DOUBLES: "may redouble" if state[STAKE] > 1 else "may double",
            TRUMPING: "chooses the trump",
            SINGLES: "may play a single hand",
            PLAYING: "asked for the trump" if state[ASKED] else "plays a card",
        }[phase]
        return None, "waiting", f"{_name(state[MOVER], seat)} {doing}"
    allowed = _allowed(game, state)
    if phase == BIDDING:
        return None, "your bid", _bids(allowed)
    if phase == DOUBLES:
        return None, "your answer", "redouble or pass" if state[STAKE] > 1 else "double or pass"
    if phase == TRUMPING:
        seventh = ", or the seventh card" if game.options["seventh_card"] else ""
        return None, "your trump", f"choose a suit{seventh}"
    if phase == SINGLES:
        return None, "your answer", "play a single hand or pass"
    return None, "your card", _duty(state, seat, allowed)


def _bids(allowed: int) -> str:
    bids = [bid for bid in range(16, 30) if allowed >> bid_action(bid) & 1]
    ways = ["pass"] if allowed >> PASS & 1 else []
    if bids:
        ways.append(f"{bids[0]} to {bids[-1]}" if len(bids) > 1 else f"{bids[0]}")
    if allowed >> ASK_REDEAL & 1:
        ways.append("a redeal")
    return f"you must take {ways[0]}" if len(ways) == 1 and bids else " or ".join(ways)


def _duty(state: State, seat: int, allowed: int) -> str:
    hand = int(state[HANDS + seat])
    more = ", or declare the marriage" if allowed >> DECLARE & 1 else ""
    if state[IN_TRICK] == 0:
        return f"lead to the trick{more}"
    if hand >> (8 * int(led_suit(state))) & SUIT:
        return f"follow {SUIT_NAMES[int(led_suit(state))]}{more}"
    if state[ASKED]:
        if hand >> (8 * int(state[TRUMP])) & SUIT == 0:
            return "you asked, and have no trump"
        return f"you asked: {SUIT_NAMES[int(state[TRUMP])]}, the trump"
    if allowed >> REVEAL & 1:
        return "any card, or ask for the trump"
    return f"any card{more}"


def _ending(game: Game, state: State, seat: int) -> tuple[int | None, str, str]:
    cfg, player = game.cfg, int(declarer(state))
    side = (player ^ seat) & 1  # of the declarer, seen from the viewer
    gained = int(game_points(cfg, state))
    if state[SINGLE_IS] != NOBODY:
        reason = f"single hand {'made' if gained > 0 else 'lost'}"
    elif gained == 0:
        reason = "nobody asked for the trump"
    else:
        points = int(state[POINTS + (player & 1)])
        reason = f"{'made' if gained > 0 else 'failed'}: {points} points for {state[TARGET]}"
    if state[MOVER] == CUT_SHORT:
        return None, "match cut short", reason
    match = " the match" if cfg[MATCH_TO] else ""
    if gained == 0:
        return None, "void", reason
    champion = side if gained > 0 else 1 - side
    return champion, f"{('you win', 'you lose')[champion]}{match}", reason
