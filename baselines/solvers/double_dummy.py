"""Twenty-nine with all hands open and the trump revealed: what perfect card play takes, exactly.

`double_dummy` gives the points of side 0, `card_points` what each legal card leads to, `best_cards`
those that keep the value. Positions may lie in the middle of a trick. The rules are those of the
play after the reveal: who cannot follow may play anything.

    double_dummy(["JS 9H", "1S 7H", "TS JH", "7S 8H"], leader=0, trump="S")  # -> 10
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bidarena.baselines.solvers.trick_layout import COLUMNS, PLIES, Hands, Memory
from bidarena.baselines.solvers.trick_memory import number_cards
from bidarena.baselines.solvers.trick_moves import beats
from bidarena.baselines.solvers.trick_search import begin, exact_points, points_after
from bidarena.envs.bits import count
from bidarena.envs.check import whole
from bidarena.envs.compile import compiled
from bidarena.envs.twentynine.auction import points_in
from bidarena.envs.twentynine.layout import (
    ALL_CARDS,
    NOBODY,
    SEATS,
    SUIT,
    SUITS,
    card_code,
    card_of,
    suit_of,
)

Cards = int | str | Iterable[str | int]  # a bit mask, "JS 9H", or a list of codes or numbers

SLOTS = 1 << 17  # positions that are remembered during a solution, 16 bytes each


def double_dummy(
    hands: Sequence[Cards],
    leader: int,
    trump: str | int | None,
    *,
    table: str | Sequence[str | int] = (),
    last_trick: int = 0,
) -> int:
    """The points that seats 0 and 2 take together from here on if all play perfectly.

    Points on the table go to whoever wins the trick; tricks that are finished do not count.

    Args:
        hands: of the seats 0 to 3, without the cards on the table: bit masks, codes such as
            "JS 9H", or lists of codes or of card numbers.
        leader: the seat that leads to this trick, or has led to it.
        trump: a suit, as a letter of "SDHC" or 0 to 3; None: there is none.
        table: the cards on the table in the order of play, the first one the leader's.
        last_trick: 1 if the last trick counts one point more.
    """
    position = _Position(hands, leader, trump, table, last_trick)
    solve = compiled(_value, {}, "double dummy")
    return int(solve(*position.arguments, np.zeros((SLOTS, 2), np.int64)))


def card_points(
    hands: Sequence[Cards],
    leader: int,
    trump: str | int | None,
    *,
    table: str | Sequence[str | int] = (),
    last_trick: int = 0,
) -> dict[str, int]:
    """What seats 0 and 2 take if this card is played now and all play perfectly from then on.

    For every legal card of the seat to move, by its code; arguments as for `double_dummy`.
    """
    position = _Position(hands, leader, trump, table, last_trick)
    points = np.zeros(32, np.int64)
    legal = position.legal()
    solve = compiled(_values, {}, "double dummy")
    solve(*position.arguments, np.zeros((SLOTS, 2), np.int64), legal, points)
    return {card_code(card): int(points[card]) for card in range(32) if legal >> card & 1}


def best_cards(
    hands: Sequence[Cards],
    leader: int,
    trump: str | int | None,
    *,
    table: str | Sequence[str | int] = (),
    last_trick: int = 0,
) -> list[str]:
    """All cards that the seat to move may play without giving anything away; arguments as above."""
    points = card_points(hands, leader, trump, table=table, last_trick=last_trick)
    position = _Position(hands, leader, trump, table, last_trick)
    best = min(points.values()) if position.mover & 1 else max(points.values())
    return [card for card, value in points.items() if value == best]


class _Position:
    """The arguments of a question, checked."""

    def __init__(
        self,
        hands: Sequence[Cards],
        leader: int,
        trump: str | int | None,
        table: str | Sequence[str | int],
        last_trick: int,
    ) -> None:
        if isinstance(hands, str) or len(hands) != SEATS:
            raise ValueError(f"hands={hands!r}: expected four, of the seats 0 to 3")
        leader = whole("leader", leader, 0, SEATS - 1)
        self.trump = _suit(trump)
        self.last_trick = whole("last_trick", last_trick, 0, 1)
        self.hands = np.array([_mask(f"hands[{k}]", hand) for k, hand in enumerate(hands)])
        played = _listed("table", table)
        if len(played) >= SEATS:
            raise ValueError(f"table={table!r}: expected at most three cards")
        self.mover = (leader + len(played)) % SEATS
        self._check_cards(leader, played)
        self.led, self.best, self.best_seat = 0, 0, leader
        for k, card in enumerate(played):
            if k == 0:
                self.led, self.best = suit_of(card), card
            elif beats(card, self.best, self.trump):
                self.best, self.best_seat = card, (leader + k) % SEATS
        self.table = sum(1 << card for card in played)

    def _check_cards(self, leader: int, played: list[int]) -> None:
        seen = 0
        for cards in [*map(int, self.hands), *(1 << card for card in played)]:
            if seen & cards:
                twice = [card_code(c) for c in range(32) if (seen & cards) >> c & 1]
                raise ValueError(f"hands and table: {', '.join(twice)} is there twice")
            seen |= cards
        sizes = [int(hand).bit_count() for hand in self.hands]
        for k in range(len(played)):
            sizes[(leader + k) % SEATS] += 1
        if len(set(sizes)) > 1:
            raise ValueError(
                f"hands and table: expected equally many cards of each seat, got {sizes}"
            )
        if sizes[0] == 0:
            raise ValueError("hands: expected at least one card each, got none")

    @property
    def arguments(self) -> tuple[Hands, int, int, int, int, int, int, int]:
        """What the compiled functions take."""
        return (
            *(self.hands, self.mover, self.table, self.led, self.best, self.best_seat),
            *(self.trump, self.last_trick),
        )

    def legal(self) -> int:
        """The cards that the seat to move may play."""
        hand = int(self.hands[self.mover])
        return hand & SUIT << 8 * self.led if self.table and hand & SUIT << 8 * self.led else hand


def _suit(trump: str | int | None) -> int:
    if trump is None:
        return NOBODY
    if isinstance(trump, str) and len(trump) == 1 and trump in SUITS:
        return SUITS.index(trump)
    if isinstance(trump, int | np.integer) and not isinstance(trump, bool) and 0 <= trump < 4:
        return int(trump)
    raise ValueError(f"trump={trump!r}: expected one of S D H C, 0 to 3, or None")


def _mask(name: str, cards: Cards) -> int:
    if isinstance(cards, int | np.integer):
        if isinstance(cards, bool) or not 0 <= cards <= ALL_CARDS:
            raise ValueError(f"{name}={cards}: expected a mask of 32 bits")
        return int(cards)
    listed = _listed(name, cards)
    if len(set(listed)) < len(listed):
        raise ValueError(f"{name}={cards!r}: a card is there twice")
    return sum(1 << card for card in listed)


def _listed(name: str, cards: str | Iterable[str | int]) -> list[int]:
    listed = []
    for card in cards.split() if isinstance(cards, str) else cards:
        try:
            listed.append(card_of(card) if isinstance(card, str) else whole("card", card, 0, 31))
        except ValueError as wrong:
            raise ValueError(f"{name}: {wrong}") from None
    return listed


# --- compiled ------------------------------------------------------------------------------------


def _likely(hands: Hands, trump: int) -> int:
    """A first guess of side 0's points: those it holds, and more the more trumps it has."""
    own, other = hands[0] | hands[2], hands[1] | hands[3]
    guess = points_in(own)
    if trump >= 0:
        trumps = SUIT << (8 * trump)
        guess += count(own & trumps) - count(other & trumps)
    return guess


def _value(
    hands: Hands,
    mover: int,
    table: int,
    led: int,
    best: int,
    best_seat: int,
    trump: int,
    last_trick: int,
    memory: Memory,
) -> int:
    stack = np.zeros((PLIES, COLUMNS), np.int64)
    codes = np.empty((4, 256), np.int64)
    number_cards(hands, codes)
    begin(hands, mover, table, led, best, best_seat, trump, last_trick, stack[0])
    return exact_points(hands, stack, trump, last_trick, codes, memory, 1, _likely(hands, trump))


def _values(
    hands: Hands,
    mover: int,
    table: int,
    led: int,
    best: int,
    best_seat: int,
    trump: int,
    last_trick: int,
    memory: Memory,
    legal: int,
    out: Hands,
) -> None:
    stack = np.zeros((PLIES, COLUMNS), np.int64)
    root = np.zeros(COLUMNS, np.int64)
    codes = np.empty((4, 256), np.int64)
    number_cards(hands, codes)
    begin(hands, mover, table, led, best, best_seat, trump, last_trick, root)
    guess = 14
    for card in range(32):
        if (legal >> card) & 1:
            guess = points_after(
                hands, root, card, stack, trump, last_trick, codes, memory, 1, guess
            )
            out[card] = guess
