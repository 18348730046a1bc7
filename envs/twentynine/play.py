"""The tricks of Twenty-nine: following, revealing the trump, the marriage, and who takes what."""

from __future__ import annotations

from bidarena.envs.compile import apart
from bidarena.envs.game import Cfg, State
from bidarena.envs.twentynine.layout import (
    ASKED,
    BARRED,
    BEST_CARD,
    BEST_SEAT,
    BIDDER,
    DECLARE,
    HANDS,
    IN_TRICK,
    KING_QUEEN,
    LAST_TRICK,
    LEADER,
    MARRIAGE,
    MARRIED,
    MARRIED_IN,
    MIN_BID,
    MOVER,
    NOBODY,
    POINTS,
    REVEAL,
    REVEALED,
    REVEALER,
    SEATS,
    SINGLE_IS,
    SUIT,
    TABLE_POINTS,
    TARGET,
    TRICK,
    TRICKS,
    TRUMP,
    WON,
    WON_SINCE,
    suit_of,
    worth,
)

LEADER_AT = 24  # where the leader stands in the word of a trick, above the cards of four seats


def table_card(word: int, seat: int) -> int:
    """The card that `seat` has played to the trick kept in `word`; NOBODY if none."""
    return ((word >> (6 * seat)) & 63) - 1


def led_suit(state: State) -> int:
    """The suit of the first card on the table."""
    return suit_of(table_card(state[TRICKS + state[TRICK]], state[LEADER]))


def play_options(cfg: Cfg, state: State) -> int:
    """The legal actions of the play, a bit each."""
    seat = state[MOVER]
    hand = state[HANDS + seat]
    options = hand
    if state[IN_TRICK] > 0:
        following = hand & (SUIT << (8 * led_suit(state)))
        if following:
            options = following
        elif state[ASKED]:
            options = _duty(state, seat, hand)
        elif state[REVEALED] == 0 and state[SINGLE_IS] == NOBODY:
            options |= 1 << REVEAL
    if cfg[MARRIAGE] and _may_declare(state, seat, hand):
        options |= 1 << DECLARE
    return options


def _duty(state: State, seat: int, hand: int) -> int:
    """Who has asked for the trump must play one, and beat an opponent's if he can."""
    trumps = hand & (SUIT << (8 * state[TRUMP]))
    if trumps == 0:
        return hand
    if _opponents_trump_wins(state, seat):
        higher = trumps & -(2 << state[BEST_CARD])
        if higher:
            return higher
    return trumps


def _opponents_trump_wins(state: State, seat: int) -> bool:
    opponent = (state[BEST_SEAT] ^ seat) & 1 == 1
    return opponent and suit_of(state[BEST_CARD]) == state[TRUMP]


def _may_declare(state: State, seat: int, hand: int) -> bool:
    """The marriage: king and queen of the revealed trump, and a trick won since the reveal."""
    if state[REVEALED] == 0 or state[MARRIED] != NOBODY:
        return False
    pair = KING_QUEEN << (8 * state[TRUMP])
    return hand & pair == pair and (state[WON_SINCE] >> (seat & 1)) & 1 == 1


@apart
def reveal(state: State) -> None:
    """Show the trump; from now on its cards in this trick count as trumps."""
    seat = state[MOVER]
    state[REVEALED] = state[TRICK] + 1
    state[REVEALER] = seat
    state[ASKED] = 1
    state[BARRED + seat] |= SUIT << (8 * led_suit(state))  # he could not follow
    word = state[TRICKS + state[TRICK]]
    for other in range(SEATS):
        card = table_card(word, other)
        if card != NOBODY and _beats(card, state[BEST_CARD], state[TRUMP]):
            state[BEST_CARD] = card
            state[BEST_SEAT] = other


def _beats(card: int, best: int, trump: int) -> bool:
    """Does `card` beat the winning card? `trump` is NOBODY while it has no power."""
    if suit_of(card) == suit_of(best):
        return card > best
    return suit_of(card) == trump


@apart
def declare(cfg: Cfg, state: State) -> None:
    """The marriage makes it easier for one's own side to win, or harder for the others."""
    seat = state[MOVER]
    state[MARRIED] = seat
    state[MARRIED_IN] = state[TRICK] + 1
    pair = KING_QUEEN << (8 * state[TRUMP])
    for other in range(SEATS):
        if other != seat:
            state[BARRED + other] |= pair
    if (seat ^ state[BIDDER]) & 1 == 0:
        state[TARGET] = max(cfg[MIN_BID], state[TARGET] - 4)
    else:
        state[TARGET] = min(28 + cfg[LAST_TRICK], state[TARGET] + 4)


def play_card(cfg: Cfg, state: State, card: int) -> bool:
    """Put a card on the table; True when that was the last one of the deal."""
    seat = state[MOVER]
    trick = state[TRICK]
    if state[IN_TRICK] == 0:
        state[BEST_CARD] = card
        state[BEST_SEAT] = seat
        state[TABLE_POINTS] = 0
        state[TRICKS + trick] = seat << LEADER_AT
    else:
        _note_what_it_shows(state, seat, card)
        if _beats(card, state[BEST_CARD], state[TRUMP] if state[REVEALED] else NOBODY):
            state[BEST_CARD] = card
            state[BEST_SEAT] = seat
    state[ASKED] = 0
    state[HANDS + seat] ^= 1 << card
    state[TRICKS + trick] |= (card + 1) << (6 * seat)
    state[TABLE_POINTS] += worth(card)
    state[IN_TRICK] += 1

    single = state[SINGLE_IS]
    if state[IN_TRICK] < (SEATS if single == NOBODY else SEATS - 1):
        seat = (seat + 1) % SEATS
        if single != NOBODY and seat == (single + 2) % SEATS:
            seat = (seat + 1) % SEATS
        state[MOVER] = seat
        return False
    return _take_trick(cfg, state)


def _note_what_it_shows(state: State, seat: int, card: int) -> None:
    """Who does not follow suit has none; likewise with what is owed after a reveal."""
    led = led_suit(state)
    if suit_of(card) == led:
        return
    state[BARRED + seat] |= SUIT << (8 * led)
    if state[ASKED]:
        trumps = SUIT << (8 * state[TRUMP])
        if suit_of(card) != state[TRUMP]:
            state[BARRED + seat] |= trumps
        elif _opponents_trump_wins(state, seat) and card < state[BEST_CARD]:
            state[BARRED + seat] |= trumps & -(2 << state[BEST_CARD])


def _take_trick(cfg: Cfg, state: State) -> bool:
    winner = state[BEST_SEAT]
    side = winner & 1
    trick = state[TRICK] + 1
    state[POINTS + side] += state[TABLE_POINTS]
    if trick == 8:
        state[POINTS + side] += cfg[LAST_TRICK]
    state[WON + side] += 1
    if state[REVEALED]:
        state[WON_SINCE] |= 1 << side
    state[TRICK] = trick
    state[IN_TRICK] = 0
    state[LEADER] = winner
    state[MOVER] = winner
    lost_single = state[SINGLE_IS] != NOBODY and winner != state[SINGLE_IS]
    return trick == 8 or lost_single
