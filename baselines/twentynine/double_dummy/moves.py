"""Which cards the double-dummy search tries in a position, and in which order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.twentynine.double_dummy.layout import (
    BEST,
    BEST_SEAT,
    COUNT,
    HINT,
    LED,
    MOVER,
    MOVES,
    NEXT,
    ON_TABLE,
    POWER,
    TABLE,
    TABLE_POINTS,
    Hands,
    Row,
)
from bidarena.envs.bits import highest, lowest
from bidarena.envs.twentynine.rules.layout import SEATS, SUIT, suit_of, worth
from bidarena.envs.twentynine.rules.play import beats


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
        if own & (own - 1) == 0:
            kept |= own << (8 * suit)
            continue
        few = ONE_OF_EACH_RUN[own & 15, (others >> (8 * suit)) & 15] | (own & 0xC0)
        few |= 0x10 if own & 0x30 == 0x30 else own & 0x30  # nothing lies between ten and ace
        kept |= few << (8 * suit)
    return kept


def order_moves(hands: Hands, node: Row) -> None:
    """Write the cards to try into the node, the most promising first."""
    seat = node[MOVER]
    hand = hands[seat]
    others = (hands[0] | hands[1] | hands[2] | hands[3] | node[TABLE]) ^ hand
    cards = hand
    if node[ON_TABLE] > 0:
        following = hand & (SUIT << (8 * node[LED]))
        if following:
            cards = following
    if cards & (cards - 1):
        cards = different(cards, others)
    tried = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        promise = (1 << 20) if card == node[HINT] else _promise(hands, node, card)
        ranked = (promise << 6) | card
        at = tried
        while at > 0 and node[MOVES + at - 1] < ranked:
            node[MOVES + at] = node[MOVES + at - 1]
            at -= 1
        node[MOVES + at] = ranked
        tried += 1
    for k in range(tried):
        node[MOVES + k] &= 63
    node[COUNT] = tried
    node[NEXT] = 0


def _promise(hands: Hands, node: Row, card: int) -> int:
    """Return a number by which cards are ordered.

    It is the points of this trick, won or lost, if each later seat wins it when it can. Of equals,
    cheap cards come first.
    """
    seat, power, on_table = node[MOVER], node[POWER], node[ON_TABLE]
    led = suit_of(card) if on_table == 0 else node[LED]
    best, winner = node[BEST], node[BEST_SEAT]
    if on_table == 0 or beats(card, best, power):
        best, winner = card, seat
    for k in range(1, SEATS - on_table):
        other = (seat + k) & 3
        if (other ^ winner) & 1:
            higher = _beating(hands[other], led, best, power)
            if higher:
                best, winner = highest(higher), other
    points = node[TABLE_POINTS] + worth(card)
    cost = (card & 7) + (8 if suit_of(card) == power else 0)
    if (winner ^ seat) & 1:
        return -16 * points - cost
    return 16 * points + 16 - cost


def _beating(hand: int, led: int, best: int, power: int) -> int:
    """Return the cards of a hand that may be played and beat the winning card."""
    following = hand & (SUIT << (8 * led))
    if following:
        return following & -(2 << best) if suit_of(best) == led else 0
    if power < 0:
        return 0
    trumps = hand & (SUIT << (8 * power))
    return trumps & -(2 << best) if suit_of(best) == power else trumps
