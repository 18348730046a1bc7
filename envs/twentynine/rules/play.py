"""The tricks of Twenty-nine: following suit, revealing the trump, the marriage, the points."""

from __future__ import annotations

from bidarena.envs.compile import apart
from bidarena.envs.game import Cfg, State
from bidarena.envs.twentynine.rules.layout import (
    KING_QUEEN,
    NOBODY,
    SEATS,
    SUIT,
    A,
    C,
    S,
    suit_of,
    worth,
)

LEADER_AT = 24  # the bit of a packed trick at which its leader begins, above four cards


def table_card(packed: int, seat: int) -> int:
    """Return the card that `seat` has played to a packed trick, or NOBODY if there is none."""
    return ((packed >> (6 * seat)) & 63) - 1


def led_suit(state: State) -> int:
    """Return the suit of the first card on the table."""
    return suit_of(table_card(state[S.tricks + state[S.trick]], state[S.leader]))


def play_options(cfg: Cfg, state: State) -> int:
    """Return the legal actions of the play as a bit mask."""
    seat = state[S.mover]
    hand = state[S.hands + seat]
    options = hand
    if state[S.in_trick] > 0:
        following = hand & (SUIT << (8 * led_suit(state)))
        if following:
            options = following
        elif state[S.asked]:
            options = _duty(state, seat, hand)
        elif state[S.revealed] == 0 and state[S.single] == NOBODY:
            options |= 1 << A.reveal
    if cfg[C.marriage] and _may_declare(state, seat, hand):
        options |= 1 << A.declare
    return options


def _duty(state: State, seat: int, hand: int) -> int:
    """Return the legal cards of a seat that has just asked for the trump.

    It must play a trump if it has one, and must beat an opponent's winning trump if it can.
    """
    trumps = hand & (SUIT << (8 * state[S.trump]))
    if trumps == 0:
        return hand
    if _opponents_trump_wins(state, seat):
        higher = trumps & -(2 << state[S.best_card])
        if higher:
            return higher
    return trumps


def _opponents_trump_wins(state: State, seat: int) -> bool:
    """Return whether the winning card on the table is a trump of an opponent of `seat`."""
    opponent = (state[S.best_seat] ^ seat) & 1 == 1
    return opponent and suit_of(state[S.best_card]) == state[S.trump]


def _may_declare(state: State, seat: int, hand: int) -> bool:
    """Return whether `seat` may declare the marriage.

    It needs king and queen of the revealed trump, and its side a trick won since the reveal.
    """
    if state[S.revealed] == 0 or state[S.married] != NOBODY:
        return False
    pair = KING_QUEEN << (8 * state[S.trump])
    return hand & pair == pair and (state[S.won_since] >> (seat & 1)) & 1 == 1


@apart
def reveal(state: State) -> None:
    """Reveal the trump. From now on its cards in this trick count as trumps."""
    seat = state[S.mover]
    state[S.revealed] = state[S.trick] + 1
    state[S.revealer] = seat
    state[S.asked] = 1
    state[S.barred + seat] |= SUIT << (8 * led_suit(state))  # it could not follow suit
    packed = state[S.tricks + state[S.trick]]
    for other in range(SEATS):
        card = table_card(packed, other)
        if card != NOBODY and beats(card, state[S.best_card], state[S.trump]):
            state[S.best_card] = card
            state[S.best_seat] = other


def beats(card: int, best: int, trump: int) -> bool:
    """Return whether `card` beats the winning card; `trump` is NOBODY while there is none."""
    if suit_of(card) == suit_of(best):
        return card > best
    return suit_of(card) == trump


@apart
def declare(cfg: Cfg, state: State) -> None:
    """Declare the marriage: the bidding side needs 4 points less if it declares, else 4 more."""
    seat = state[S.mover]
    state[S.married] = seat
    state[S.married_in] = state[S.trick] + 1
    pair = KING_QUEEN << (8 * state[S.trump])
    for other in range(SEATS):
        if other != seat:
            state[S.barred + other] |= pair
    if (seat ^ state[S.bidder]) & 1 == 0:
        state[S.target] = max(cfg[C.min_bid], state[S.target] - 4)
    else:
        state[S.target] = min(28 + cfg[C.last_trick], state[S.target] + 4)


def play_card(cfg: Cfg, state: State, card: int) -> bool:
    """Put a card on the table; return whether that ended the deal."""
    seat = state[S.mover]
    trick = state[S.trick]
    if state[S.in_trick] == 0:
        state[S.best_card] = card
        state[S.best_seat] = seat
        state[S.table_points] = 0
        state[S.tricks + trick] = seat << LEADER_AT
    else:
        _note_what_it_shows(state, seat, card)
        if beats(card, state[S.best_card], state[S.trump] if state[S.revealed] else NOBODY):
            state[S.best_card] = card
            state[S.best_seat] = seat
    state[S.asked] = 0
    state[S.hands + seat] ^= 1 << card
    state[S.tricks + trick] |= (card + 1) << (6 * seat)
    state[S.table_points] += worth(card)
    state[S.in_trick] += 1

    single = state[S.single]
    if state[S.in_trick] < (SEATS if single == NOBODY else SEATS - 1):
        seat = (seat + 1) % SEATS
        if single != NOBODY and seat == (single + 2) % SEATS:
            seat = (seat + 1) % SEATS
        state[S.mover] = seat
        return False
    return _take_trick(cfg, state)


def _note_what_it_shows(state: State, seat: int, card: int) -> None:
    """Bar the seat from cards that it has just shown not to hold.

    These are the suit led, if it did not follow; and after its reveal, the trumps it had to play.
    """
    led = led_suit(state)
    if suit_of(card) == led:
        return
    state[S.barred + seat] |= SUIT << (8 * led)
    if state[S.asked]:
        trumps = SUIT << (8 * state[S.trump])
        if suit_of(card) != state[S.trump]:
            state[S.barred + seat] |= trumps
        elif _opponents_trump_wins(state, seat) and card < state[S.best_card]:
            state[S.barred + seat] |= trumps & -(2 << state[S.best_card])


def _take_trick(cfg: Cfg, state: State) -> bool:
    """Give the trick to the winning seat, which leads next; return whether the deal is over."""
    winner = state[S.best_seat]
    side = winner & 1
    trick = state[S.trick] + 1
    state[S.points + side] += state[S.table_points]
    if trick == 8:
        state[S.points + side] += cfg[C.last_trick]
    state[S.won + side] += 1
    if state[S.revealed]:
        state[S.won_since] |= 1 << side
    state[S.trick] = trick
    state[S.in_trick] = 0
    state[S.leader] = winner
    state[S.mover] = winner
    lost_single = state[S.single] != NOBODY and winner != state[S.single]
    return trick == 8 or lost_single
