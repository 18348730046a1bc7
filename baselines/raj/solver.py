"""Raj with two players as numbered positions, and the equilibrium values of all of them.

A position is a slot and a pair of hands. A slot is what does not depend on the hands: the items
left, the pot, and the part of the banks that matters. So the slots that may follow a round do not
depend on the hands, and averages over the next item are taken once per slot.

Only the order of bids counts. Cards that neither player holds any more therefore change nothing,
and hands that interleave in the same way are one position: of some 65,000 pairs of hands with 8
cards 1,709 remain. Swapping the players negates the value, which halves the work again. This is the
index for solving. Bots may look at the cards themselves and at both banks, so the index for best
responses tells all of them apart.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.matrix import solve_into
from bidarena.baselines.solvers.positions import Numbers, PositionIndex, Values
from bidarena.envs.bits import count
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, Mask, State
from bidarena.envs.raj.rules import (
    BANK,
    CARRY,
    NOBODY,
    OUTCOME,
    SPLIT,
    C,
    S,
    banks_at,
    bids_at,
    last_bids_at,
    without_item,
)

MOST_CARDS = 10
MOST_POSITIONS = 30_000_000

# which part of the banks belongs to a slot: nothing, the difference (as bank0), or both
NO_BANKS, DIFFERENCE, BOTH_BANKS = 0, 1, 2

# The numbers of the index: first these, then tables, which begin at the places given here.
BANKS, SLOTS = 0, 1
PAIRS_AT = 2  # for both hands: the number of the pair among pairs with as many cards
COUNTS_AT = 3  # for a number of cards held: how many pairs there are, and where their hands are
SLOTS_AT = 4  # a line per slot, see below
NEXT_AT = 5  # for slot, result and item: the next slot
LEFT_AT = 6  # for a set of items left: the first slot, and the one after the last
HEAD = 7

# A line of the table of slots; lines with equal items left are sorted by pot, bank0, bank1. FIRST
# is the first position of the slot.
ITEMS_LEFT, HELD, IN_POT, BANK0, BANK1, FIRST = 0, 1, 2, 3, 4, 5
LINE = 6

FIRST_TAKES, SECOND_TAKES, NOBODY_TAKES = 0, 1, 2  # results of a round


def index_positions(game: Game, *, solving: bool = False) -> PositionIndex:
    """Return the index of positions of a game; raise ValueError if it cannot be solved.

    Args:
        game: Raj for two players with the reward "outcome" or "margin".
        solving: tell only those positions apart that an equilibrium tells apart.
    """
    cfg = game.cfg
    size = int(cfg[C.size])
    if game.players != 2:
        raise ValueError(f"players={game.players}: only games of two players are solved")
    if cfg[C.reward] == BANK:
        raise ValueError("reward='bank' is not zero-sum; expected 'outcome' or 'margin'")
    if size > MOST_CARDS:
        raise ValueError(f"cards: expected at most {MOST_CARDS} to be solved, got {size}")
    banks = BOTH_BANKS
    if solving:
        banks = DIFFERENCE if cfg[C.reward] == OUTCOME else NO_BANKS
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
        slot = find_slot(
            numbers, int(without_item(cfg, full, item)), int(cfg[C.items + item]), 0, 0
        )
        at = int(slots[slot, FIRST])
        starts[at] = starts.get(at, 0.0) + 1.0 / size
    return index_from(game, numbers, (*by_held, positions), tuple(starts.items()))


def index_from(
    game: Game,
    numbers: NDArray[np.int64],
    layers: tuple[int, ...],
    starts: tuple[tuple[int, float], ...],
) -> PositionIndex:
    """Return the index whose numbers are already known."""
    return PositionIndex(game, numbers, layers, starts, put, find, worths, spread)


@lru_cache(maxsize=8)
def _pairs(size: int, solving: bool) -> tuple[NDArray[np.int64], list[list[int]], list[int]]:
    """Return the number of each pair of hands, and by cards held the pairs and how many there are.

    Pairs are numbered from 0 for each number of cards held.
    """
    pairs = np.full(1 << 2 * size, -1, np.int64)
    hands: list[list[int]] = [[] for _ in range(size + 1)]
    known: list[dict[int, int]] = [{} for _ in range(size + 1)]
    by_held: list[list[int]] = [[] for _ in range(size + 1)]
    for hand in range(1 << size):
        by_held[hand.bit_count()].append(hand)
    for held in range(size + 1):
        for hand0 in by_held[held]:
            for hand1 in by_held[held]:
                key = hand0 << size | hand1
                if solving:
                    small0, small1, at = 0, 0, 0
                    for card in range(size):
                        if (hand0 | hand1) >> card & 1:
                            small0 |= (hand0 >> card & 1) << at
                            small1 |= (hand1 >> card & 1) << at
                            at += 1
                    key = small0 << size | small1
                number = known[held].setdefault(key, len(known[held]))
                if number == len(hands[held]):
                    hands[held].append(key)
                pairs[hand0 << size | hand1] = number
    return pairs, hands, [len(keys) for keys in hands]


def _hand_table(size: int, hands: list[list[int]], counts: list[int]) -> NDArray[np.int64]:
    """Return a table: by cards held how many pairs there are and where they begin; the pairs."""
    head = 2 * (size + 1)
    places = head + np.cumsum([0, *counts[:-1]])
    flat = [key for keys in hands for key in keys]
    return np.array([*np.stack([counts, places], 1).ravel(), *flat], np.int64)


def _slots(
    cfg: Cfg, banks: int, counts: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the tables SLOTS_AT, NEXT_AT, LEFT_AT; slots of the last round come first."""
    size, full = int(cfg[C.size]), (1 << int(cfg[C.size])) - 1
    level: dict[int, set[tuple[int, int, int]]] = {}
    for item in range(size):
        left = int(without_item(cfg, full, item))
        level.setdefault(left, set()).add((int(cfg[C.items + item]), 0, 0))
    levels = [level]
    for _ in range(size - 1):
        after: dict[int, set[tuple[int, int, int]]] = {}
        for left, keys in levels[-1].items():
            for item in range(size):
                if left >> item & 1:
                    found = after.setdefault(int(without_item(cfg, left, item)), set())
                    for key in keys:
                        for result in range(3):
                            carried, bank0, bank1 = _settle(cfg, banks, key, result)
                            found.add((carried + int(cfg[C.items + item]), bank0, bank1))
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
    for number, (left, _, pot, bank0, bank1, _) in enumerate(lines):
        for result in range(3):
            carried, next_bank0, next_bank1 = _settle(cfg, banks, (pot, bank0, bank1), result)
            for item in range(size):
                if left >> item & 1:
                    key = (carried + int(cfg[C.items + item]), next_bank0, next_bank1)
                    after_left = int(without_item(cfg, left, item))
                    following[number, result, item] = place[after_left, key]
    return np.array(lines, np.int64), following, first_of


def _settle(cfg: Cfg, banks: int, key: tuple[int, int, int], result: int) -> tuple[int, int, int]:
    """Return what a round leaves in the pot and, as far as slots hold them, in the banks."""
    pot, bank0, bank1 = key
    carried = pot if result == NOBODY_TAKES and cfg[C.tie] == CARRY else 0
    unit = int(cfg[C.unit])
    if banks == DIFFERENCE:
        bank0 += pot * unit * (1, -1, 0)[result]
    elif banks == BOTH_BANKS:
        if result == FIRST_TAKES:
            bank0 += pot * unit
        elif result == SECOND_TAKES:
            bank1 += pot * unit
        elif cfg[C.tie] == SPLIT:
            bank0 += pot * unit // 2
            bank1 += pot * unit // 2
    return carried, bank0, bank1


# --- looking things up ---------------------------------------------------------------------------


def find_slot(index: Numbers, left: int, pot: int, bank0: int, bank1: int) -> int:
    """Return the slot of these items left, this pot and these banks, by binary search."""
    at = int(index[LEFT_AT]) + 2 * left
    low, high = int(index[at]), int(index[at + 1]) - 1
    while low < high:
        middle = (low + high) // 2
        line = int(index[SLOTS_AT]) + middle * LINE
        before = index[line + IN_POT] < pot
        if index[line + IN_POT] == pot:
            before = index[line + BANK0] < bank0
            if index[line + BANK0] == bank0:
                before = index[line + BANK1] < bank1
        if before:
            low = middle + 1
        else:
            high = middle
    return low


def slot_of(index: Numbers, position: int) -> int:
    """Return the slot of a position, by binary search."""
    low, high = 0, int(index[SLOTS]) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if index[int(index[SLOTS_AT]) + middle * LINE + FIRST] <= position:
            low = middle
        else:
            high = middle - 1
    return low


def pair_of(cfg: Cfg, index: Numbers, hand0: int, hand1: int) -> int:
    """Return the number of a pair of hands."""
    return int(index[int(index[PAIRS_AT]) + (hand0 << cfg[C.size] | hand1)])


def hands_of(cfg: Cfg, index: Numbers, held: int, pair: int) -> tuple[int, int]:
    """Return the hands of the pair with this number, each with `held` cards."""
    at = int(index[COUNTS_AT])
    key = int(index[at + int(index[at + 2 * held + 1]) + pair])
    return key >> cfg[C.size], key & ((1 << cfg[C.size]) - 1)


def pairs_of(index: Numbers, held: int) -> int:
    """Return how many pairs of hands with `held` cards each there are."""
    return int(index[int(index[COUNTS_AT]) + 2 * held])


def put(cfg: Cfg, index: Numbers, position: int, state: State) -> None:
    """Write the state of a position; see `positions.py`. The index must hold both banks."""
    slot = slot_of(index, position)
    line = int(index[SLOTS_AT]) + slot * LINE
    held = int(index[line + HELD])
    hand0, hand1 = hands_of(cfg, index, held, position - int(index[line + FIRST]))
    bids, banks, last = bids_at(cfg), banks_at(cfg), last_bids_at(cfg)
    state[S.pot] = int(index[line + IN_POT])
    state[S.items] = int(index[line + ITEMS_LEFT])
    state[S.round] = cfg[C.size] - held
    state[S.committed] = 0
    state[S.last_pot] = 0
    state[S.last_taker] = NOBODY
    state[S.hands] = hand0
    state[S.hands + 1] = hand1
    state[banks] = int(index[line + BANK0])
    state[banks + 1] = int(index[line + BANK1])
    for player in range(2):
        state[bids + player] = 0
        state[last + player] = -1


def find(cfg: Cfg, index: Numbers, state: State) -> int:
    """Return the position of a state; see `positions.py`."""
    banks = banks_at(cfg)
    bank0, bank1 = state[banks], state[banks + 1]
    if index[BANKS] != BOTH_BANKS:
        bank0, bank1 = (bank0 - bank1 if index[BANKS] == DIFFERENCE else 0), 0
    slot = find_slot(index, state[S.items], state[S.pot], bank0, bank1)
    first = int(index[int(index[SLOTS_AT]) + slot * LINE + FIRST])
    return first + pair_of(cfg, index, state[S.hands], state[S.hands + 1])


# --- one round -----------------------------------------------------------------------------------


def result_of(card: int, reply: int, pot: int) -> int:
    """Return who takes the pot when player 0 bids `card` and player 1 `reply`."""
    if card == reply:
        return NOBODY_TAKES
    return FIRST_TAKES if (card > reply) == (pot >= 0) else SECOND_TAKES


def taken(cfg: Cfg, index: Numbers, slot: int, result: int) -> float:
    """Return what a round brings player 0 at once.

    With the reward "margin" this is the pot; with "outcome" the result, after the last round.
    """
    line = int(index[SLOTS_AT]) + slot * LINE
    pot = int(index[line + IN_POT])
    won = pot if result == FIRST_TAKES else (-pot if result == SECOND_TAKES else 0)
    if cfg[C.reward] != OUTCOME:
        return float(won)
    if index[line + ITEMS_LEFT] != 0:
        return 0.0
    ahead = int(index[line + BANK0]) - int(index[line + BANK1]) + won * cfg[C.unit]
    return 1.0 if ahead > 0 else (-1.0 if ahead < 0 else 0.0)


def later(cfg: Cfg, index: Numbers, values: Values, slot: int, result: int, pair: int) -> float:
    """Return the value after a round, on average over the next item."""
    at = int(index[NEXT_AT]) + (slot * 3 + result) * cfg[C.size]
    total = 0.0
    items = 0
    for item in range(cfg[C.size]):
        following = int(index[at + item])
        if following >= 0:
            total += values[int(index[int(index[SLOTS_AT]) + following * LINE + FIRST]) + pair]
            items += 1
    return total / items if items > 0 else 0.0


def cards_matrix(
    cfg: Cfg, index: Numbers, values: Values, slot: int, hand0: int, hand1: int
) -> NDArray[np.float64]:
    """Return the matrix game of all bids in a position, the lowest cards first."""
    held = count(hand0)
    pot = int(index[int(index[SLOTS_AT]) + slot * LINE + IN_POT])
    matrix = np.empty((held, held))
    i = 0
    for card in range(cfg[C.size]):
        if not (hand0 >> card) & 1:
            continue
        j = 0
        for reply in range(cfg[C.size]):
            if (hand1 >> reply) & 1:
                result = result_of(card, reply, pot)
                pair = pair_of(cfg, index, hand0 ^ (1 << card), hand1 ^ (1 << reply))
                matrix[i, j] = taken(cfg, index, slot, result)
                matrix[i, j] += later(cfg, index, values, slot, result, pair)
                j += 1
        i += 1
    return matrix


def worths(
    cfg: Cfg,
    index: Numbers,
    values: Values,
    position: int,
    player: int,
    replies: Values,
    out: Values,
) -> None:
    """Write the worth of every card against a distribution of replies; see `positions.py`."""
    slot = slot_of(index, position)
    line = int(index[SLOTS_AT]) + slot * LINE
    hand0, hand1 = hands_of(
        cfg, index, int(index[line + HELD]), position - int(index[line + FIRST])
    )
    own_hand, other_hand = (hand0, hand1) if player == 0 else (hand1, hand0)
    pot = int(index[line + IN_POT])
    for card in range(cfg[C.size]):
        if not (own_hand >> card) & 1:
            out[card] = np.nan
            continue
        out[card] = 0.0
        for reply in range(cfg[C.size]):
            if (other_hand >> reply) & 1 and replies[reply] != 0.0:
                card0, card1 = (card, reply) if player == 0 else (reply, card)
                result = result_of(card0, card1, pot)
                pair = pair_of(cfg, index, hand0 ^ (1 << card0), hand1 ^ (1 << card1))
                worth = taken(cfg, index, slot, result)
                worth += later(cfg, index, values, slot, result, pair)
                out[card] += replies[reply] * worth


def spread(
    cfg: Cfg, index: Numbers, position: int, player: int, replies: Values, reached: Mask
) -> None:
    """Mark the positions that may follow a position; see `positions.py`."""
    slot = slot_of(index, position)
    line = int(index[SLOTS_AT]) + slot * LINE
    hand0, hand1 = hands_of(
        cfg, index, int(index[line + HELD]), position - int(index[line + FIRST])
    )
    pot = int(index[line + IN_POT])
    for card0 in range(cfg[C.size]):
        for card1 in range(cfg[C.size]):
            if not ((hand0 >> card0) & 1 and (hand1 >> card1) & 1):
                continue
            if replies[card1 if player == 0 else card0] == 0.0:
                continue
            at = int(index[NEXT_AT]) + (slot * 3 + result_of(card0, card1, pot)) * cfg[C.size]
            pair = pair_of(cfg, index, hand0 ^ (1 << card0), hand1 ^ (1 << card1))
            for item in range(cfg[C.size]):
                following = int(index[at + item])
                if following >= 0:
                    first = int(index[int(index[SLOTS_AT]) + following * LINE + FIRST])
                    reached[first + pair] = 1


# --- solving -------------------------------------------------------------------------------------


def solve_slots(cfg: Cfg, index: Numbers, values: Values, first: int, last: int) -> float:
    """Write the values of all positions of the slots `first` to `last` - 1; return the doubt."""
    cfg, index, values = borrow(cfg), borrow(index), borrow(values)
    size = cfg[C.size]
    most = 1
    for held in range(size + 1):
        most = max(most, pairs_of(index, held))
    averages = np.zeros((3, most))
    after = borrow(averages)
    doubt = 0.0
    for slot in range(first, last):
        line = int(index[SLOTS_AT]) + slot * LINE
        held, bank0, start = int(index[line + HELD]), index[line + BANK0], int(index[line + FIRST])
        if bank0 > 0:
            continue  # the mirror image of a slot with bank0 < 0
        pot = int(index[line + IN_POT])
        for result in range(3):
            now = taken(cfg, index, slot, result)
            for pair in range(pairs_of(index, held - 1)):
                after[result, pair] = now + later(cfg, index, values, slot, result, pair)
        image = start
        if bank0 < 0:
            other_slot = find_slot(index, int(index[line + ITEMS_LEFT]), pot, -bank0, 0)
            image = int(index[int(index[SLOTS_AT]) + other_slot * LINE + FIRST])
        matrix = np.empty((held, held))
        row, column = np.empty(held), np.empty(held)
        for pair in range(pairs_of(index, held)):
            hand0, hand1 = hands_of(cfg, index, held, pair)
            swapped = pair_of(cfg, index, hand1, hand0)
            if bank0 == 0 and swapped <= pair:
                values[start + pair] = -values[start + swapped] if swapped < pair else 0.0
                continue
            i = 0
            for card in range(size):
                if (hand0 >> card) & 1:
                    j = 0
                    for reply in range(size):
                        if (hand1 >> reply) & 1:
                            left0, left1 = hand0 ^ (1 << card), hand1 ^ (1 << reply)
                            place = pair_of(cfg, index, left0, left1)
                            matrix[i, j] = after[result_of(card, reply, pot), place]
                            j += 1
                    i += 1
            value, gap = solve_into(matrix, row, column)
            doubt = max(doubt, gap)
            values[start + pair] = value
            if bank0 < 0:
                values[image + swapped] = -value
    keep(averages)
    return doubt
