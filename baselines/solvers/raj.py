"""Raj with two players as numbered positions, and the equilibrium values of all of them.

A position is a slot and a pair of hands. A slot is what does not depend on the hands: the items
left, the pot, and what of the banks matters. So the slots that may follow a round are the same for
all hands, and averages over the next item are taken once per slot.

Bids are compared by order only. Cards that neither player holds any more therefore change nothing,
and hands that interleave in the same way are one position: of some 65,000 pairs of hands with 8
cards 1,709 remain. Swapping the players negates the value, which halves the work again. That is the
book for solving; bots may well look at the cards themselves and at both banks, so the book for best
responses tells all of them apart.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.matrix import solve_into
from bidarena.baselines.solvers.positions import Book, Numbers, Values, book_of, values_of
from bidarena.envs.bits import count
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.raj.rules import (
    BANK,
    CARRY,
    COMMITTED,
    HANDS,
    ITEMS,
    LAST_POT,
    LAST_TAKER,
    LEFT,
    NOBODY,
    OUTCOME,
    POT,
    REWARD,
    ROUND,
    SIZE,
    SPLIT,
    TIE,
    UNIT,
    banks_at,
    bids_at,
    last_bids_at,
    without_item,
)

MOST_CARDS = 10
MOST_POSITIONS = 30_000_000

# what of the banks is part of a slot: nothing, the difference, or both
NO_BANKS, DIFFERENCE, BOTH_BANKS = 0, 1, 2

# the book: numbers, then tables
BANKS, SLOTS = 0, 1
PAIRS_AT = 2  # by both hands: the number of the pair among those of as many cards
COUNTS_AT = 3  # by cards held: how many pairs, and where their hands are
SLOTS_AT = 4  # a line per slot, see below
NEXT_AT = 5  # by slot, result and item: the next slot
LEFT_AT = 6  # by items left: the first slot, and the one after the last
HEAD = 7

# a line of the table of slots; lines of the same items left are in the order of pot, ones, others
ITEMS_LEFT, HELD, IN_POT, ONES, OTHERS, FIRST = 0, 1, 2, 3, 4, 5
LINE = 6

FIRST_TAKES, SECOND_TAKES, NOBODY_TAKES = 0, 1, 2  # results of a round


def book_for(game: Game, *, solving: bool = False) -> Book:
    """The positions of a game of Raj.

    Args:
        game: Raj for two players, the reward being the outcome or the margin.
        solving: tell only apart what an equilibrium depends on.
    """
    cfg = game.cfg
    size = int(cfg[SIZE])
    if game.players != 2:
        raise ValueError(f"players={game.players}: only games of two players are solved")
    if cfg[REWARD] == BANK:
        raise ValueError("reward='bank' is not zero-sum; expected 'outcome' or 'margin'")
    if size > MOST_CARDS:
        raise ValueError(f"cards: expected at most {MOST_CARDS} to be solved, got {size}")
    banks = BOTH_BANKS
    if solving:
        banks = DIFFERENCE if cfg[REWARD] == OUTCOME else NO_BANKS
    pairs, hands, counts = _pairs(size, solving)
    slots, following, first_of = _slots(cfg, banks, counts)
    positions = int(slots[-1][FIRST]) + counts[slots[-1][HELD]]
    lists = [pairs, _hand_table(size, hands, counts), slots.ravel(), following.ravel()]
    tables: list[NDArray[np.int64]] = [*lists, first_of.ravel()]
    places = np.cumsum([HEAD, *(len(table) for table in tables)])[:-1]
    numbers = np.concatenate([[banks, len(slots)], places, *tables]).astype(np.int64)
    by_held = [int(slots[slots[:, HELD] == held][0, FIRST]) for held in range(1, size + 1)]
    full = (1 << size) - 1
    starts: dict[int, float] = {}
    for item in range(size):
        slot = find_slot(numbers, int(without_item(cfg, full, item)), int(cfg[ITEMS + item]), 0, 0)
        at = int(slots[slot, FIRST])
        starts[at] = starts.get(at, 0.0) + 1.0 / size
    return book_from(game, numbers, (*by_held, positions), tuple(starts.items()))


def book_from(
    game: Game,
    numbers: NDArray[np.int64],
    layers: tuple[int, ...],
    starts: tuple[tuple[int, float], ...],
) -> Book:
    """A book whose numbers are already known."""
    return Book(game, numbers, layers, starts, put, find, worths, spread)


@lru_cache(maxsize=8)
def _pairs(size: int, solving: bool) -> tuple[NDArray[np.int64], list[list[int]], list[int]]:
    """The number of every pair of hands; a pair of hands for each number; how many, by cards."""
    pairs = np.full(1 << 2 * size, -1, np.int64)
    hands: list[list[int]] = [[] for _ in range(size + 1)]
    known: list[dict[int, int]] = [{} for _ in range(size + 1)]
    by_held: list[list[int]] = [[] for _ in range(size + 1)]
    for hand in range(1 << size):
        by_held[hand.bit_count()].append(hand)
    for held in range(size + 1):
        for mine in by_held[held]:
            for other in by_held[held]:
                key = mine << size | other
                if solving:
                    small_mine, small_other, at = 0, 0, 0
                    for card in range(size):
                        if (mine | other) >> card & 1:
                            small_mine |= (mine >> card & 1) << at
                            small_other |= (other >> card & 1) << at
                            at += 1
                    key = small_mine << size | small_other
                number = known[held].setdefault(key, len(known[held]))
                if number == len(hands[held]):
                    hands[held].append(key)
                pairs[mine << size | other] = number
    return pairs, hands, [len(keys) for keys in hands]


def _hand_table(size: int, hands: list[list[int]], counts: list[int]) -> NDArray[np.int64]:
    """By cards held: how many pairs and where they are in this table; then the pairs."""
    head = 2 * (size + 1)
    places = head + np.cumsum([0, *counts[:-1]])
    flat = [key for keys in hands for key in keys]
    return np.array([*np.stack([counts, places], 1).ravel(), *flat], np.int64)


def _slots(
    cfg: Cfg, banks: int, counts: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """All slots from the last round to the first, what follows them, and where to look them up."""
    size, full = int(cfg[SIZE]), (1 << int(cfg[SIZE])) - 1
    level: dict[int, set[tuple[int, int, int]]] = {}
    for item in range(size):
        left = int(without_item(cfg, full, item))
        level.setdefault(left, set()).add((int(cfg[ITEMS + item]), 0, 0))
    levels = [level]
    for _ in range(size - 1):
        after: dict[int, set[tuple[int, int, int]]] = {}
        for left, keys in levels[-1].items():
            for item in range(size):
                if left >> item & 1:
                    found = after.setdefault(int(without_item(cfg, left, item)), set())
                    for key in keys:
                        for result in range(3):
                            carried, ones, others = _settle(cfg, banks, key, result)
                            found.add((carried + int(cfg[ITEMS + item]), ones, others))
        levels.append(after)
    lines: list[tuple[int, ...]] = []
    place: dict[tuple[int, tuple[int, int, int]], int] = {}
    first_of = np.zeros((full + 1, 2), np.int64)
    positions = 0
    for held, level in enumerate(reversed(levels), start=1):
        for left, keys in level.items():
            first_of[left] = len(lines), len(lines) + len(keys)
            for key in sorted(keys):
                place[left, key] = len(lines)
                lines.append((left, held, *key, positions))
                positions += counts[held]
        if positions > MOST_POSITIONS:
            raise ValueError(
                f"more than {MOST_POSITIONS:,} positions; choose fewer cards, items of smaller "
                "values, or reward='margin'"
            )
    following = np.full((len(lines), 3, size), -1, np.int64)
    for number, (left, _, pot, ones, others, _) in enumerate(lines):
        for result in range(3):
            carried, next_ones, next_others = _settle(cfg, banks, (pot, ones, others), result)
            for item in range(size):
                if left >> item & 1:
                    key = (carried + int(cfg[ITEMS + item]), next_ones, next_others)
                    after_left = int(without_item(cfg, left, item))
                    following[number, result, item] = place[after_left, key]
    return np.array(lines, np.int64), following, first_of


def _settle(cfg: Cfg, banks: int, key: tuple[int, int, int], result: int) -> tuple[int, int, int]:
    """What a round leaves in the pot and, as far as the slots tell it, in the banks."""
    pot, ones, others = key
    carried = pot if result == NOBODY_TAKES and cfg[TIE] == CARRY else 0
    unit = int(cfg[UNIT])
    if banks == DIFFERENCE:
        ones += pot * unit * (1, -1, 0)[result]
    elif banks == BOTH_BANKS:
        if result == FIRST_TAKES:
            ones += pot * unit
        elif result == SECOND_TAKES:
            others += pot * unit
        elif cfg[TIE] == SPLIT:
            ones += pot * unit // 2
            others += pot * unit // 2
    return carried, ones, others


# --- looking things up ---------------------------------------------------------------------------


def find_slot(book: Numbers, left: int, pot: int, ones: int, others: int) -> int:
    """The slot of these items left, this pot and these banks; by halving."""
    at = int(book[LEFT_AT]) + 2 * left
    low, high = int(book[at]), int(book[at + 1]) - 1
    while low < high:
        middle = (low + high) // 2
        line = int(book[SLOTS_AT]) + middle * LINE
        before = book[line + IN_POT] < pot
        if book[line + IN_POT] == pot:
            before = book[line + ONES] < ones
            if book[line + ONES] == ones:
                before = book[line + OTHERS] < others
        if before:
            low = middle + 1
        else:
            high = middle
    return low


def slot_of(book: Numbers, position: int) -> int:
    """The slot of a position; by halving."""
    low, high = 0, int(book[SLOTS]) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if book[int(book[SLOTS_AT]) + middle * LINE + FIRST] <= position:
            low = middle
        else:
            high = middle - 1
    return low


def pair_of(cfg: Cfg, book: Numbers, mine: int, other: int) -> int:
    """The number of a pair of hands."""
    return int(book[int(book[PAIRS_AT]) + (mine << cfg[SIZE] | other)])


def hands_of(cfg: Cfg, book: Numbers, held: int, pair: int) -> tuple[int, int]:
    """The hands of a pair."""
    at = int(book[COUNTS_AT])
    key = int(book[at + int(book[at + 2 * held + 1]) + pair])
    return key >> cfg[SIZE], key & ((1 << cfg[SIZE]) - 1)


def pairs_of(book: Numbers, held: int) -> int:
    """How many pairs of hands of so many cards there are."""
    return int(book[int(book[COUNTS_AT]) + 2 * held])


def put(cfg: Cfg, book: Numbers, position: int, state: State) -> None:
    """The state of a position; see `positions.py`. Only where both banks are told apart."""
    slot = slot_of(book, position)
    line = int(book[SLOTS_AT]) + slot * LINE
    held = int(book[line + HELD])
    mine, other = hands_of(cfg, book, held, position - int(book[line + FIRST]))
    bids, banks, last = bids_at(cfg), banks_at(cfg), last_bids_at(cfg)
    state[POT] = int(book[line + IN_POT])
    state[LEFT] = int(book[line + ITEMS_LEFT])
    state[ROUND] = cfg[SIZE] - held
    state[COMMITTED] = 0
    state[LAST_POT] = 0
    state[LAST_TAKER] = NOBODY
    state[HANDS] = mine
    state[HANDS + 1] = other
    state[banks] = int(book[line + ONES])
    state[banks + 1] = int(book[line + OTHERS])
    for player in range(2):
        state[bids + player] = 0
        state[last + player] = -1


def find(cfg: Cfg, book: Numbers, state: State) -> int:
    """The position of a state; see `positions.py`."""
    banks = banks_at(cfg)
    ones, others = state[banks], state[banks + 1]
    if book[BANKS] != BOTH_BANKS:
        ones, others = (ones - others if book[BANKS] == DIFFERENCE else 0), 0
    slot = find_slot(book, state[LEFT], state[POT], ones, others)
    first = int(book[int(book[SLOTS_AT]) + slot * LINE + FIRST])
    return first + pair_of(cfg, book, state[HANDS], state[HANDS + 1])


# --- one round -----------------------------------------------------------------------------------


def result_of(card: int, reply: int, pot: int) -> int:
    """Who takes the pot."""
    if card == reply:
        return NOBODY_TAKES
    return FIRST_TAKES if (card > reply) == (pot >= 0) else SECOND_TAKES


def taken(cfg: Cfg, book: Numbers, slot: int, result: int) -> float:
    """What a round brings at once: its pot, or in the last round of a game for a win, the win."""
    line = int(book[SLOTS_AT]) + slot * LINE
    pot = int(book[line + IN_POT])
    won = pot if result == FIRST_TAKES else (-pot if result == SECOND_TAKES else 0)
    if cfg[REWARD] != OUTCOME:
        return float(won)
    if book[line + ITEMS_LEFT] != 0:
        return 0.0
    ahead = int(book[line + ONES]) - int(book[line + OTHERS]) + won * cfg[UNIT]
    return 1.0 if ahead > 0 else (-1.0 if ahead < 0 else 0.0)


def later(cfg: Cfg, book: Numbers, values: Values, slot: int, result: int, pair: int) -> float:
    """The value after a round, on average over the next item."""
    at = int(book[NEXT_AT]) + (slot * 3 + result) * cfg[SIZE]
    total = 0.0
    items = 0
    for item in range(cfg[SIZE]):
        following = int(book[at + item])
        if following >= 0:
            total += values[int(book[int(book[SLOTS_AT]) + following * LINE + FIRST]) + pair]
            items += 1
    return total / items if items > 0 else 0.0


def cards_matrix(
    cfg: Cfg, book: Numbers, values: Values, slot: int, mine: int, other: int
) -> NDArray[np.float64]:
    """The matrix game of all bids in a position, from the lowest cards."""
    held = count(mine)
    pot = int(book[int(book[SLOTS_AT]) + slot * LINE + IN_POT])
    matrix = np.empty((held, held))
    i = 0
    for card in range(cfg[SIZE]):
        if not (mine >> card) & 1:
            continue
        j = 0
        for reply in range(cfg[SIZE]):
            if (other >> reply) & 1:
                result = result_of(card, reply, pot)
                pair = pair_of(cfg, book, mine ^ (1 << card), other ^ (1 << reply))
                matrix[i, j] = taken(cfg, book, slot, result)
                matrix[i, j] += later(cfg, book, values, slot, result, pair)
                j += 1
        i += 1
    return matrix


def worths(
    cfg: Cfg,
    book: Numbers,
    values: Values,
    position: int,
    player: int,
    replies: Values,
    out: Values,
) -> None:
    """Every card against a distribution of the other's; see `positions.py`."""
    slot = slot_of(book, position)
    line = int(book[SLOTS_AT]) + slot * LINE
    hand0, hand1 = hands_of(cfg, book, int(book[line + HELD]), position - int(book[line + FIRST]))
    mine, other = (hand0, hand1) if player == 0 else (hand1, hand0)
    pot = int(book[line + IN_POT])
    for card in range(cfg[SIZE]):
        if not (mine >> card) & 1:
            out[card] = np.nan
            continue
        out[card] = 0.0
        for reply in range(cfg[SIZE]):
            if (other >> reply) & 1 and replies[reply] != 0.0:
                card0, card1 = (card, reply) if player == 0 else (reply, card)
                result = result_of(card0, card1, pot)
                pair = pair_of(cfg, book, hand0 ^ (1 << card0), hand1 ^ (1 << card1))
                worth = taken(cfg, book, slot, result)
                worth += later(cfg, book, values, slot, result, pair)
                out[card] += replies[reply] * worth


def spread(
    cfg: Cfg, book: Numbers, position: int, player: int, replies: Values, reached: Mask
) -> None:
    """Mark what may follow a position; see `positions.py`."""
    slot = slot_of(book, position)
    line = int(book[SLOTS_AT]) + slot * LINE
    hand0, hand1 = hands_of(cfg, book, int(book[line + HELD]), position - int(book[line + FIRST]))
    pot = int(book[line + IN_POT])
    for card0 in range(cfg[SIZE]):
        for card1 in range(cfg[SIZE]):
            if not ((hand0 >> card0) & 1 and (hand1 >> card1) & 1):
                continue
            if replies[card1 if player == 0 else card0] == 0.0:
                continue
            at = int(book[NEXT_AT]) + (slot * 3 + result_of(card0, card1, pot)) * cfg[SIZE]
            pair = pair_of(cfg, book, hand0 ^ (1 << card0), hand1 ^ (1 << card1))
            for item in range(cfg[SIZE]):
                following = int(book[at + item])
                if following >= 0:
                    first = int(book[int(book[SLOTS_AT]) + following * LINE + FIRST])
                    reached[first + pair] = 1


def response_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    """Plays from a table of actions: all positions of seat 0, then those of seat 1."""
    table = values_of(params)
    return int(table[player * (len(table) // 2) + find(cfg, book_of(params), state)])


# --- solving -------------------------------------------------------------------------------------


def solve_slots(cfg: Cfg, book: Numbers, values: Values, first: int, last: int) -> float:
    """Write the values of all positions of some slots; the largest doubt about any of them."""
    cfg, book, values = borrow(cfg), borrow(book), borrow(values)
    size = cfg[SIZE]
    most = 1
    for held in range(size + 1):
        most = max(most, pairs_of(book, held))
    averages = np.zeros((3, most))
    after = borrow(averages)
    doubt = 0.0
    for slot in range(first, last):
        line = int(book[SLOTS_AT]) + slot * LINE
        held, ones, start = int(book[line + HELD]), book[line + ONES], int(book[line + FIRST])
        if ones > 0:
            continue  # the mirror image of a slot with ones < 0
        pot = int(book[line + IN_POT])
        for result in range(3):
            now = taken(cfg, book, slot, result)
            for pair in range(pairs_of(book, held - 1)):
                after[result, pair] = now + later(cfg, book, values, slot, result, pair)
        image = start
        if ones < 0:
            other_slot = find_slot(book, int(book[line + ITEMS_LEFT]), pot, -ones, 0)
            image = int(book[int(book[SLOTS_AT]) + other_slot * LINE + FIRST])
        matrix = np.empty((held, held))
        row, column = np.empty(held), np.empty(held)
        for pair in range(pairs_of(book, held)):
            mine, other = hands_of(cfg, book, held, pair)
            swapped = pair_of(cfg, book, other, mine)
            if ones == 0 and swapped <= pair:
                values[start + pair] = -values[start + swapped] if swapped < pair else 0.0
                continue
            i = 0
            for card in range(size):
                if (mine >> card) & 1:
                    j = 0
                    for reply in range(size):
                        if (other >> reply) & 1:
                            left0, left1 = mine ^ (1 << card), other ^ (1 << reply)
                            place = pair_of(cfg, book, left0, left1)
                            matrix[i, j] = after[result_of(card, reply, pot), place]
                            j += 1
                    i += 1
            value, gap = solve_into(matrix, row, column)
            doubt = max(doubt, gap)
            values[start + pair] = value
            if ones < 0:
                values[image + swapped] = -value
    keep(averages)
    return doubt
