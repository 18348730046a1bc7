"""Which cards the double-dummy search tries in a position, and in which order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.twentynine.double_dummy.layout import (
    BEATING,
    BEST_SEAT,
    HINT,
    LED,
    MOVER,
    ON_TABLE,
    TABLE,
    TRUMPS,
    UNTRIED,
    WINNING,
    Hands,
    Row,
)
from bidarena.envs.bits import lowest
from bidarena.envs.twentynine.rules.layout import JACKS, NINES, ONES, SEATS, SUIT

EVERY_CARD = -1  # all bits
CHEAP = 0x0F0F0F0F  # cards without points


def _one_of_each_run() -> NDArray[np.int64]:
    """Return a table [own, others] for the four cards without points: one own card of each run."""
    kept = np.zeros((16, 16), np.int64)
    for own in range(16):
        for others in range(16):
            running = False
            for card in range(4):
                if own >> card & 1:
                    kept[own, others] |= 0 if running else 1 << card
                    running = True
                elif others >> card & 1:
                    running = False
    return kept


ONE_OF_EACH_RUN = _one_of_each_run()


def different(cards: int, others: int) -> int:
    """Return those of `cards` that make a difference.

    Of neighbours with equal points only the lowest is kept.

    Args:
        cards: cards of one hand, as a bit mask.
        others: all other cards that still matter: in other hands and on the table.
    """
    kept = 0
    for suit in range(4):
        own = (cards >> (8 * suit)) & SUIT
        if own & (own - 1):
            few = ONE_OF_EACH_RUN[own & 15, (others >> (8 * suit)) & 15] | (own & 0xC0)
            own = few | (0x10 if own & 0x30 == 0x30 else own & 0x30)  # ten and ace are neighbours
        kept |= own << (8 * suit)
    return kept


# --- who wins a trick ----------------------------------------------------------------------------


def beating(card: int, trumps: int) -> int:
    """Return the cards that beat a winning card."""
    higher = (SUIT << (card & 24)) & -(2 << card)
    return higher if (trumps >> card) & 1 else higher | trumps


def playable(hand: int, led: int) -> int:
    """Return the cards of a hand that may be played when the suit `led` was led."""
    following = hand & led
    return following if following else hand


def up_to_highest(cards: int) -> int:
    """Return the cards of one suit and all below the highest of them; lower suits hold anything."""
    cards |= cards >> 1
    cards |= cards >> 2
    return cards | cards >> 4


def _raised(better: int, cards: int, led: int, trumps: int) -> int:
    """Return which cards beat the trick after a seat that may play `cards` has won it if it can.

    Args:
        better: the cards that beat the trick before.
        cards: what the seat may play; it plays its highest card.
        led: the suit led.
        trumps: the trumps in this trick.
    """
    winners = cards & better
    if winners == 0:
        return better
    if winners & trumps:
        return trumps & ~up_to_highest(winners)
    return led & ~up_to_highest(winners) | trumps


# --- the cards to try ----------------------------------------------------------------------------


def list_leads(hands: Hands, node: Row) -> None:
    """Write the cards to try into a node between two tricks.

    A lead seems to win if the opponents cannot beat it, or the partner can beat all that they have.
    """
    seat, trumps = node[MOVER], node[TRUMPS]
    hand = hands[seat]
    left = hands[(seat + 1) & 3], hands[(seat + 2) & 3], hands[(seat + 3) & 3]
    winning = 0
    for suit in range(4):
        led = SUIT << (8 * suit)
        if hand & led:
            better = _raised(led | trumps, playable(left[0], led), led, trumps)
            better = _raised(better, playable(left[2], led), led, trumps)
            winning |= led & (EVERY_CARD if playable(left[1], led) & better else better)
    node[WINNING] = winning
    node[UNTRIED] = different(hand, left[0] | left[1] | left[2])


def list_answers(hands: Hands, node: Row) -> int:
    """Write the cards to try into a node within a trick; return the side sure to win it, or -1.

    A card seems to win if it beats all that the opponents still have, or the partner can.
    """
    seat, led, trumps, on_table = node[MOVER], node[LED], node[TRUMPS], node[ON_TABLE]
    better, ahead = node[BEATING], node[BEST_SEAT] & 1
    hand = hands[seat]
    cards = playable(hand, led)
    after = better  # the cards that beat the trick when the next seat, an opponent, has played
    if on_table < SEATS - 1:
        after = _raised(better, playable(hands[(seat + 1) & 3], led), led, trumps)
    if on_table == 1:
        partners = playable(hands[(seat + 2) & 3], led)
        winning = EVERY_CARD if partners & after else after
        sure = (cards | partners) & better == 0
    elif ahead == seat & 1:
        sure = after == better
        winning = EVERY_CARD if sure else after
    else:
        winning = after
        sure = cards & better == 0
    if cards & (cards - 1):
        others = (hands[0] | hands[1] | hands[2] | hands[3] | node[TABLE]) ^ hand
        cards = different(cards, others)
    node[UNTRIED], node[WINNING], node[HINT] = cards, winning, 0
    return ahead if sure else -1


def next_card(node: Row) -> int:
    """Return the most promising card that is still untried: the hint, if there is one.

    If the trick seems won, that is a card with many points, but rather a low trump than a high one.
    Else it is a card without points; a lead is a trump.
    """
    untried, trumps = node[UNTRIED], node[TRUMPS]
    if untried & node[HINT]:
        return lowest(node[HINT])
    cards = untried & node[WINNING]
    if cards & ~trumps:
        return lowest(_first_of(cards & ~trumps, JACKS, NINES, ONES))
    if cards:
        return lowest(_first_of(cards, ONES, CHEAP, NINES))
    if node[ON_TABLE] == 0:
        untried = _rather(untried, trumps)
    return lowest(_rather(_first_of(untried, CHEAP, ONES, NINES), ~trumps))


def _rather(cards: int, kind: int) -> int:
    """Return those of `cards` that are in `kind`, or all if none is."""
    return cards & kind if cards & kind else cards


def _first_of(cards: int, best: int, good: int, fair: int) -> int:
    """Return those of `cards` in the first of three kinds that has any, or all if none has."""
    if cards & best:
        return cards & best
    if cards & good:
        return cards & good
    return _rather(cards, fair)
