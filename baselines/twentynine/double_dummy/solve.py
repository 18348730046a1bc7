"""The functions of the double-dummy solver."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bidarena.baselines.twentynine.double_dummy.layout import (
    COLUMNS,
    PLIES,
    REST,
    Hands,
    Memory,
    Row,
)
from bidarena.baselines.twentynine.double_dummy.memory import begin_deal
from bidarena.baselines.twentynine.double_dummy.position import (
    Cards,
    Position,
    Table,
    read_position,
)
from bidarena.baselines.twentynine.double_dummy.search import (
    ALL,
    exact_points,
    likely_points,
    points_after,
)
from bidarena.envs.compile import compiled
from bidarena.envs.twentynine.rules.layout import card_code

SLOTS = 1 << 19  # positions that are remembered at most, 16 bytes each


def double_dummy(
    hands: Sequence[Cards],
    leader: int,
    trump: str | int | None,
    *,
    table: Table = (),
    last_trick: int = 0,
) -> int:
    """Return the points that seats 0 and 2 take together from here on if all play perfectly.

    Points on the table go to the side that wins the trick; finished tricks do not count.

    Args:
        hands: the cards of seats 0 to 3, without those on the table: bit masks, codes such as
            "JS 9H", or lists of codes or of card numbers.
        leader: the seat that leads to this trick, or has led to it.
        trump: a suit, as a letter of "SDHC" or 0 to 3; None: there is no trump.
        table: the cards on the table in the order of play, the leader's first.
        last_trick: 1 if the last trick counts one point more.

    Raises:
        ValueError: if no deal can lead to this position; the message names the argument.
    """
    position = read_position(hands, leader, trump, table, last_trick)
    solve = compiled(_value, {}, "double dummy")
    memory = np.empty((1 + SLOTS, 2), np.int64)
    return int(solve(position.hands, position.row, position.trump, position.last_trick, memory))


def card_points(
    hands: Sequence[Cards],
    leader: int,
    trump: str | int | None,
    *,
    table: Table = (),
    last_trick: int = 0,
) -> dict[str, int]:
    """Return what seats 0 and 2 take after each legal card, if all play perfectly from then on.

    The keys are the codes of the legal cards. The arguments are those of `double_dummy`.
    """
    return _points_by_card(read_position(hands, leader, trump, table, last_trick))


def best_cards(
    hands: Sequence[Cards],
    leader: int,
    trump: str | int | None,
    *,
    table: Table = (),
    last_trick: int = 0,
) -> list[str]:
    """Return the codes of the cards with which the seat to move loses nothing.

    The arguments are those of `double_dummy`.
    """
    position = read_position(hands, leader, trump, table, last_trick)
    points = _points_by_card(position)
    best = min(points.values()) if position.mover & 1 else max(points.values())
    return [card for card, value in points.items() if value == best]


def _points_by_card(position: Position) -> dict[str, int]:
    hands, row, trump, last_trick, legal = position
    points = np.zeros(32, np.int64)
    solve = compiled(_values, {}, "double dummy")
    solve(hands, row, trump, last_trick, np.empty((1 + SLOTS, 2), np.int64), legal, points)
    return {card_code(card): int(points[card]) for card in range(32) if legal >> card & 1}


# --- compiled ------------------------------------------------------------------------------------


def _value(hands: Hands, root: Row, trump: int, last_trick: int, memory: Memory) -> int:
    """Return the points that side 0 takes from the position `root` on."""
    stack = np.zeros((PLIES, COLUMNS), np.int64)
    stack[0] = root
    codes = np.empty((4, 256), np.int64)
    begin_deal(hands, codes, memory)
    guess = likely_points(hands, trump, root[REST])
    return exact_points(hands, stack, trump, last_trick, codes, memory, guess, ALL)


def _values(
    hands: Hands,
    root: Row,
    trump: int,
    last_trick: int,
    memory: Memory,
    legal: int,
    out: Hands,
) -> None:
    """Write into `out` the points that side 0 takes after each card of `legal`."""
    stack = np.zeros((PLIES, COLUMNS), np.int64)
    codes = np.empty((4, 256), np.int64)
    begin_deal(hands, codes, memory)
    guess = likely_points(hands, trump, root[REST])
    for card in range(32):
        if (legal >> card) & 1:
            guess = points_after(
                hands, root, card, stack, trump, last_trick, codes, memory, guess, ALL
            )
            out[card] = guess
