"""A position of the double-dummy solver, made from checked arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from bidarena.baselines.twentynine.double_dummy.layout import COLUMNS, MOVER, Hands, Row
from bidarena.baselines.twentynine.double_dummy.search import begin
from bidarena.envs.arguments import whole
from bidarena.envs.twentynine.rules.layout import (
    ALL_CARDS,
    NOBODY,
    SEATS,
    SUIT,
    SUITS,
    card_code,
    card_of,
    suit_of,
)
from bidarena.envs.twentynine.rules.play import beats

Cards = int | str | Iterable[str | int]  # a bit mask, "JS 9H", or a list of codes or numbers
Table = str | Sequence[str | int]  # "JS 9H", or a list of codes or numbers


class Position(NamedTuple):
    """A position to be solved."""

    hands: Hands
    row: Row  # the rest of the position, as the search keeps it
    trump: int  # a suit, or NOBODY
    last_trick: int
    legal: int  # bit mask of the cards that the seat to move may play

    @property
    def mover(self) -> int:
        """Return the seat to move."""
        return int(self.row[MOVER])


def read_position(
    hands: Sequence[Cards], leader: int, trump: str | int | None, table: Table, last_trick: int
) -> Position:
    """Return the position that the arguments of `double_dummy` describe.

    Raises:
        ValueError: if no deal can lead to such a position; the message names the argument.
    """
    if isinstance(hands, str) or len(hands) != SEATS:
        raise ValueError(f"hands={hands!r}: expected four, of the seats 0 to 3")
    leader = whole("leader", leader, 0, SEATS - 1)
    power = _suit(trump)
    last_trick = whole("last_trick", last_trick, 0, 1)
    masks = [_mask(f"hands[{k}]", hand) for k, hand in enumerate(hands)]
    played = _listed("table", table)
    if len(played) >= SEATS:
        raise ValueError(f"table={table!r}: expected at most three cards")
    _check_cards(masks, leader, played)
    led, best, best_seat = 0, 0, leader
    for k, card in enumerate(played):
        if k == 0:
            led, best = suit_of(card), card
        elif beats(card, best, power):
            best, best_seat = card, (leader + k) % SEATS
    mover = (leader + len(played)) % SEATS
    on_table = sum(1 << card for card in played)
    row = np.zeros(COLUMNS, np.int64)
    begin(sum(masks), mover, on_table, led, best, best_seat, power, last_trick, row)
    following = masks[mover] & SUIT << 8 * led if played else 0
    return Position(np.array(masks, np.int64), row, power, last_trick, following or masks[mover])


def _check_cards(hands: list[int], leader: int, played: list[int]) -> None:
    """Raise ValueError if a card is there twice, or seats have different numbers of cards."""
    seen = 0
    for cards in [*hands, *(1 << card for card in played)]:
        if seen & cards:
            twice = [card_code(c) for c in range(32) if (seen & cards) >> c & 1]
            raise ValueError(f"hands and table: {', '.join(twice)} is there twice")
        seen |= cards
    sizes = [hand.bit_count() for hand in hands]
    for k in range(len(played)):
        sizes[(leader + k) % SEATS] += 1
    if len(set(sizes)) > 1:
        raise ValueError(f"hands and table: expected equally many cards of each seat, got {sizes}")
    if sizes[0] == 0:
        raise ValueError("hands: expected at least one card each, got none")


def _suit(trump: str | int | None) -> int:
    """Return the number of a suit, NOBODY for None; raise ValueError if it is no suit."""
    if trump is None:
        return NOBODY
    if isinstance(trump, str) and len(trump) == 1 and trump in SUITS:
        return SUITS.index(trump)
    if isinstance(trump, int | np.integer) and not isinstance(trump, bool) and 0 <= trump < 4:
        return int(trump)
    raise ValueError(f"trump={trump!r}: expected one of S D H C, 0 to 3, or None")


def _mask(name: str, cards: Cards) -> int:
    """Return cards as a bit mask; raise ValueError, which names `name`, if they are wrong."""
    if isinstance(cards, int | np.integer):
        if isinstance(cards, bool) or not 0 <= cards <= ALL_CARDS:
            raise ValueError(f"{name}={cards}: expected a mask of 32 bits")
        return int(cards)
    listed = _listed(name, cards)
    if len(set(listed)) < len(listed):
        raise ValueError(f"{name}={cards!r}: a card is there twice")
    return sum(1 << card for card in listed)


def _listed(name: str, cards: str | Iterable[str | int]) -> list[int]:
    """Return cards as a list of numbers; raise ValueError, which names `name`, if one is wrong."""
    listed = []
    for card in cards.split() if isinstance(cards, str) else cards:
        try:
            listed.append(card_of(card) if isinstance(card, str) else whole("card", card, 0, 31))
        except ValueError as wrong:
            raise ValueError(f"{name}: {wrong}") from None
    return listed
