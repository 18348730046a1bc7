"""What a seat of Twenty-nine cannot know, guessed: every deal it cannot rule out, equally likely.

Each hidden card may lie with those of the three other seats that have not shown they lack it. Cards
that may lie with the same seats are alike, so a deal is drawn in two steps: how many cards of each
kind go where, with the probability that counting gives it; then which ones. That is exactly
uniform, and it finds a deal whenever there is one.
"""

from __future__ import annotations

from math import comb

import numpy as np

from bidarena.envs.bits import count, nth, subset
from bidarena.envs.compile import apart
from bidarena.envs.game import Cfg, Rng, State
from bidarena.envs.rng import below, word
from bidarena.envs.twentynine.layout import (
    ALL_CARDS,
    BARRED,
    BIDDER,
    HANDS,
    NOBODY,
    PHASE,
    REST,
    REVEALED,
    SEATS,
    SEVENTH_IS,
    TRICKS,
    TRUMP,
    TRUMPING,
    suit_of,
)
from bidarena.envs.twentynine.play import table_card

CHOOSE_FROM = np.array([[comb(n, k) for k in range(25)] for n in range(25)], np.int64)
_S30 = np.uint64(30)


@apart
def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Deal all unseen cards anew, and guess the trump if this seat does not know it."""
    if state[PHASE] <= TRUMPING:
        _guess_first_cards(state, player, rng)
        return
    if state[SEVENTH_IS] == NOBODY or player == state[BIDDER]:
        deal_unseen(state, player, rng)
        if player != state[BIDDER] and state[REVEALED] == 0:
            state[TRUMP] = below(rng, 4)
        return
    # The seventh card was one of the bidder's eight, each equally likely: guess until it fits.
    trump = state[TRUMP]
    while True:
        deal_unseen(state, player, rng)
        seventh = nth(_dealt_to(state, state[BIDDER]), below(rng, 8))
        if state[REVEALED] == 0 or suit_of(seventh) == trump:
            state[SEVENTH_IS] = seventh
            state[TRUMP] = suit_of(seventh)
            return


def _guess_first_cards(state: State, player: int, rng: Rng) -> None:
    """Before the second four cards are given out nothing is known but one's own first four."""
    deck = ALL_CARDS ^ state[HANDS + player]
    for part in (HANDS, REST):
        for seat in range(SEATS):
            if part == REST or seat != player:
                cards = subset(rng, deck, 4)
                state[part + seat] = cards
                deck ^= cards


def _dealt_to(state: State, seat: int) -> int:
    """The eight cards that a seat was dealt: those it holds and those it has played."""
    cards = state[HANDS + seat]
    for trick in range(8):
        card = table_card(state[TRICKS + trick], seat)
        if card != NOBODY:
            cards |= 1 << card
    return cards


def deal_unseen(state: State, player: int, rng: Rng) -> None:
    """Deal the cards of the three other hands anew, all consistent deals equally likely."""
    one, two, three = (player + 1) % SEATS, (player + 2) % SEATS, (player + 3) % SEATS
    cards = state[HANDS + one] | state[HANDS + two] | state[HANDS + three]
    room_one, room_two = count(state[HANDS + one]), count(state[HANDS + two])
    room_three = count(state[HANDS + three])
    for_one = cards & ~state[BARRED + one]
    for_two = cards & ~state[BARRED + two]
    for_three = cards & ~state[BARRED + three]
    anybody = for_one & for_two & for_three
    if anybody == cards:
        hand = subset(rng, cards, room_one)
        state[HANDS + one] = hand
        cards ^= hand
        hand = subset(rng, cards, room_two)
        state[HANDS + two] = hand
        state[HANDS + three] = cards ^ hand
        return

    not_three = for_one & for_two & ~for_three
    not_two = for_one & for_three & ~for_two
    not_one = for_two & for_three & ~for_one
    only_one = for_one & ~for_two & ~for_three
    only_two = for_two & ~for_one & ~for_three
    only_three = for_three & ~for_one & ~for_two
    room_one -= count(only_one)
    room_two -= count(only_two)
    room_three -= count(only_three)
    n12, n13, n23, n123 = count(not_three), count(not_two), count(not_one), count(anybody)

    # Of the cards shared by two seats x, y and z go to the earlier one; the rest follows from that.
    total = 0
    for x in range(n12 + 1):
        for y in range(n13 + 1):
            for z in range(n23 + 1):
                total += _ways(n12, n13, n23, n123, x, y, z, room_one, room_two, room_three)
    left = _below_large(rng, total)
    take_x = take_y = take_z = -1
    for x in range(n12 + 1):
        for y in range(n13 + 1):
            for z in range(n23 + 1):
                ways = _ways(n12, n13, n23, n123, x, y, z, room_one, room_two, room_three)
                if 0 <= left < ways:
                    take_x, take_y, take_z = x, y, z
                left -= ways

    to_one = subset(rng, not_three, take_x)
    to_one_too = subset(rng, not_two, take_y)
    to_two = subset(rng, not_one, take_z)
    share = subset(rng, anybody, room_one - take_x - take_y)
    rest = anybody ^ share
    share_two = subset(rng, rest, room_two - (n12 - take_x) - take_z)
    state[HANDS + one] = only_one | to_one | to_one_too | share
    state[HANDS + two] = only_two | (not_three ^ to_one) | to_two | share_two
    state[HANDS + three] = (
        only_three | (not_two ^ to_one_too) | (not_one ^ to_two) | (rest ^ share_two)
    )


def _ways(
    n12: int,
    n13: int,
    n23: int,
    n123: int,
    x: int,
    y: int,
    z: int,
    room_one: int,
    room_two: int,
    room_three: int,
) -> int:
    """How many deals give x, y and z of the shared cards to the earlier of their two seats."""
    a = room_one - x - y
    b = room_two - (n12 - x) - z
    c = room_three - (n13 - y) - (n23 - z)
    if a < 0 or b < 0 or c < 0:
        return 0
    pairs = CHOOSE_FROM[n12, x] * CHOOSE_FROM[n13, y] * CHOOSE_FROM[n23, z]
    return pairs * CHOOSE_FROM[n123, a] * CHOOSE_FROM[n123 - a, b]


def _below_large(rng: Rng, n: int) -> int:
    """A whole number from 0 to n-1, each equally likely; n is at most 2**34 (24!/8!^3 is less)."""
    if n <= 1 << 32:
        return below(rng, n)
    draw = n
    while draw >= n:
        draw = np.int64(word(rng) >> _S30)  # type: ignore[assignment]
    return draw
