"""The search of the double-dummy solver, compiled: can a side take a given number of points?

All hands are open and the trump is known. `takes` answers for one number of points; the answers for
several numbers enclose the exact value. The positions on the way from the root are the rows of a
stack; the caller fills row 0. The memory (memory.py) keeps bounds on the points that side 0 takes
from positions between two tricks. A time to stop may be written into the row CLOCK of the stack; a
search that reaches it marks that row and returns anything.
"""

from __future__ import annotations

from bidarena.baselines.twentynine.double_dummy.layout import (
    BEST,
    BEST_SEAT,
    CLOCK,
    COUNT,
    END,
    HINT,
    LED,
    LOOK,
    MOVER,
    MOVES,
    NEED,
    NEXT,
    NODES,
    ON_TABLE,
    POWER,
    REST,
    STOPPED,
    TABLE,
    TABLE_POINTS,
    UNKNOWN,
    Codes,
    Hands,
    Memory,
    Row,
    Stack,
)
from bidarena.baselines.twentynine.double_dummy.memory import recall, remember
from bidarena.baselines.twentynine.double_dummy.moves import order_moves
from bidarena.envs.bits import count
from bidarena.envs.compile import apart, borrow, seconds
from bidarena.envs.twentynine.rules.auction import points_in
from bidarena.envs.twentynine.rules.layout import SEATS, suit_of, worth
from bidarena.envs.twentynine.rules.play import beats


@apart
def takes(
    hands: Hands,
    stack: Stack,
    trump: int,
    last_trick: int,
    codes: Codes,
    memory: Memory,
    deal: int,
) -> int:
    """Return 1 if side 0 can take the points that row 0 of the stack needs, else 0.

    Args:
        hands: the four hands; changed during the search, restored at its end.
        stack: row 0 is the position to search; the other rows are overwritten.
        trump: the trump from the next trick on, or -1.
        last_trick: 1 if the last trick counts one point more.
        codes: written by `number_cards`.
        memory: bounds found so far; new ones are added.
        deal: a number for the deal and its trump; entries of other deals are ignored.
    """
    hands, stack, codes, memory = borrow(hands), borrow(stack), borrow(codes), borrow(memory)
    ply = 0
    result = UNKNOWN
    arriving = True
    while True:
        node = stack[ply]
        mover = node[MOVER]
        if arriving:
            if out_of_time(stack[CLOCK]):
                for above in range(ply):  # give the cards back
                    row = stack[above]
                    hands[row[MOVER]] |= 1 << row[MOVES + row[NEXT] - 1]
                return 0
            arriving = False
            node[HINT] = -1
            if node[ON_TABLE] == 0:
                result = recall(hands, node, codes, memory, deal)
            if result == UNKNOWN:
                order_moves(hands, node)
        else:
            hands[mover] |= 1 << node[MOVES + node[NEXT] - 1]
            wanted = 1 - (mover & 1)
            if result == wanted or node[NEXT] == node[COUNT]:
                if node[ON_TABLE] == 0:
                    remember(hands, node, result, codes, memory, deal)
            else:
                result = UNKNOWN
        if result != UNKNOWN:
            if ply == 0:
                return result
            ply -= 1
            continue
        card = node[MOVES + node[NEXT]]
        node[NEXT] += 1
        hands[mover] ^= 1 << card
        below = stack[ply + 1]
        _put(hands, node, card, trump, last_trick, below)
        if below[NEED] <= 0:
            result = 1
        elif below[NEED] > below[REST]:
            result = 0
        else:
            ply += 1
            arriving = True


def out_of_time(clock: Row) -> bool:
    """Return whether the search must stop; the clock is read once in `LOOK` calls."""
    if clock[END] == 0:
        return False
    clock[NODES] += 1
    if clock[NODES] >= LOOK:
        clock[NODES] = 0
        if seconds() * 1e9 >= clock[END]:
            clock[STOPPED] = 1
    return clock[STOPPED] != 0


def _put(
    hands: Hands,
    node: Row,
    card: int,
    trump: int,
    last_trick: int,
    below: Row,
) -> None:
    """Write into `below` the position after a card, which has already left the hand."""
    seat, on_table = node[MOVER], node[ON_TABLE]
    best, best_seat = node[BEST], node[BEST_SEAT]
    if on_table == 0 or beats(card, best, node[POWER]):
        best, best_seat = card, seat
    points = node[TABLE_POINTS] + worth(card)
    if on_table < SEATS - 1:
        below[MOVER] = (seat + 1) & 3
        below[ON_TABLE] = on_table + 1
        below[BEST], below[BEST_SEAT] = best, best_seat
        below[TABLE] = node[TABLE] | 1 << card
        below[TABLE_POINTS] = points
        below[LED] = suit_of(card) if on_table == 0 else node[LED]
        below[POWER] = node[POWER]
        below[NEED], below[REST] = node[NEED], node[REST]
        return
    if hands[0] | hands[1] | hands[2] | hands[3] == 0:
        points += last_trick
    below[MOVER] = best_seat
    below[ON_TABLE] = 0
    below[TABLE] = 0
    below[TABLE_POINTS] = 0
    below[POWER] = trump
    below[NEED] = node[NEED] - (points if best_seat & 1 == 0 else 0)
    below[REST] = node[REST] - points


# --- exact points --------------------------------------------------------------------------------


def begin(
    left: int,
    mover: int,
    table: int,
    led: int,
    best: int,
    best_seat: int,
    power: int,
    last_trick: int,
    row: Row,
) -> None:
    """Write a position into a row.

    Args:
        left: bit mask of the cards in all four hands, without those on the table.
        mover: the seat to move.
        table: bit mask of the cards on the table.
        led: the suit led.
        best: the card on the table that is winning.
        best_seat: the seat that played it.
        power: the suit that is trump in this trick, or -1.
        last_trick: 1 if the last trick counts one point more.
        row: where to write.
    """
    row[MOVER], row[ON_TABLE] = mover, count(table)
    row[BEST], row[BEST_SEAT] = best, best_seat
    row[TABLE], row[TABLE_POINTS], row[LED], row[POWER] = table, points_in(table), led, power
    row[NEED] = 0
    row[REST] = points_in(left | table) + last_trick


@apart
def exact_points(
    hands: Hands,
    stack: Stack,
    trump: int,
    last_trick: int,
    codes: Codes,
    memory: Memory,
    deal: int,
    guess: int,
) -> int:
    """Return the points that side 0 takes from row 0 of the stack on.

    The search asks for `guess` points first, then further and further from it. The other arguments
    are those of `takes`.
    """
    row = borrow(stack)[0]
    low, high = 0, row[REST]
    need, step = guess, 1
    while low < high and borrow(stack)[CLOCK, STOPPED] == 0:
        need = max(low + 1, min(high, need))
        row[NEED] = need
        if takes(hands, stack, trump, last_trick, codes, memory, deal):
            low = need
            need += step
        else:
            high = need - 1
            need -= step
        step *= 2
    return low


@apart
def points_after(
    hands: Hands,
    root: Row,
    card: int,
    stack: Stack,
    trump: int,
    last_trick: int,
    codes: Codes,
    memory: Memory,
    deal: int,
    guess: int,
) -> int:
    """Return the points that side 0 takes from the position `root` on, if `card` is played there.

    The other arguments are those of `exact_points`; row 0 of the stack is overwritten.
    """
    hands[root[MOVER]] ^= 1 << card
    first = borrow(stack)[0]
    _put(hands, root, card, trump, last_trick, first)
    taken = root[NEED] - first[NEED]
    later = exact_points(
        hands, stack, trump, last_trick, codes, memory, deal, max(guess - taken, 1)
    )
    hands[root[MOVER]] |= 1 << card
    return taken + later
