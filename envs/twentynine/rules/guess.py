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
from bidarena.envs.twentynine.rules.layout import ALL_CARDS, NOBODY, SEATS, TRUMPING, S, suit_of
from bidarena.envs.twentynine.rules.play import table_card

CHOOSE_FROM = np.array([[comb(n, k) for k in range(25)] for n in range(25)], np.int64)
_S30 = np.uint64(30)


@apart
def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Deal all cards that `player` has not seen anew; guess the trump unless it is known there."""
    if state[S.phase] <= TRUMPING:
        _guess_first_cards(state, player, rng)
        return
    if state[S.seventh] == NOBODY or player == state[S.bidder]:
        deal_unseen(state, player, rng)
        if player != state[S.bidder] and state[S.revealed] == 0:
            state[S.trump] = below(rng, 4)
        return
    # Each of the bidder's eight cards is equally likely the seventh: guess until the suit fits.
    trump = state[S.trump]
    while True:
        deal_unseen(state, player, rng)
        seventh = nth(_dealt_to(state, state[S.bidder]), below(rng, 8))
        if state[S.revealed] == 0 or suit_of(seventh) == trump:
            state[S.seventh] = seventh
            state[S.trump] = suit_of(seventh)
            return


def _guess_first_cards(state: State, player: int, rng: Rng) -> None:
    """Deal all cards anew but the first four of `player`: before the trump it knows no others."""
    deck = ALL_CARDS ^ state[S.hands + player]
    for part in (S.hands, S.rest):
        for seat in range(SEATS):
            if part == S.rest or seat != player:
                cards = subset(rng, deck, 4)
                state[part + seat] = cards
                deck ^= cards


def _dealt_to(state: State, seat: int) -> int:
    """Return the eight cards that a seat was dealt: those it holds and those it has played."""
    cards = state[S.hands + seat]
    for trick in range(8):
        card = table_card(state[S.tricks + trick], seat)
        if card != NOBODY:
            cards |= 1 << card
    return cards


def deal_unseen(state: State, player: int, rng: Rng) -> None:
    """Deal the cards of the three other hands anew, all consistent deals equally likely."""
    one, two, three = (player + 1) % SEATS, (player + 2) % SEATS, (player + 3) % SEATS
    cards = state[S.hands + one] | state[S.hands + two] | state[S.hands + three]
    room_one, room_two = count(state[S.hands + one]), count(state[S.hands + two])
    room_three = count(state[S.hands + three])
    for_one = cards & ~state[S.barred + one]
    for_two = cards & ~state[S.barred + two]
    for_three = cards & ~state[S.barred + three]
    anybody = for_one & for_two & for_three
    if anybody == cards:
        hand = subset(rng, cards, room_one)
        state[S.hands + one] = hand
        cards ^= hand
        hand = subset(rng, cards, room_two)
        state[S.hands + two] = hand
        state[S.hands + three] = cards ^ hand
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

    # x, y and z: how many cards that two seats may hold go to the earlier one. The rest follows.
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
                if left < 0:
                    break
                left -= _ways(n12, n13, n23, n123, x, y, z, room_one, room_two, room_three)
                take_x, take_y, take_z = x, y, z

    to_one = subset(rng, not_three, take_x)
    to_one_too = subset(rng, not_two, take_y)
    to_two = subset(rng, not_one, take_z)
    share = subset(rng, anybody, room_one - take_x - take_y)
    rest = anybody ^ share
    share_two = subset(rng, rest, room_two - (n12 - take_x) - take_z)
    state[S.hands + one] = only_one | to_one | to_one_too | share
    state[S.hands + two] = only_two | (not_three ^ to_one) | to_two | share_two
    state[S.hands + three] = (
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
    """Return how many deals give x, y and z of the shared cards to the earlier of two seats."""
    a = room_one - x - y
    b = room_two - (n12 - x) - z
    c = room_three - (n13 - y) - (n23 - z)
    if a < 0 or b < 0 or c < 0:
        return 0
    pairs = CHOOSE_FROM[n12, x] * CHOOSE_FROM[n13, y] * CHOOSE_FROM[n23, z]
    return pairs * CHOOSE_FROM[n123, a] * CHOOSE_FROM[n123 - a, b]


def _below_large(rng: Rng, n: int) -> int:
    """Return a number from 0 to n - 1, each equally likely; n is at most 2**34 (> 24!/8!^3)."""
    if n <= 1 << 32:
        return below(rng, n)
    draw = n
    while draw >= n:
        draw = np.int64(word(rng) >> _S30)  # type: ignore[assignment]
    return draw
