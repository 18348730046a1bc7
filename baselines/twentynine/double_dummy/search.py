"""The search of the double-dummy solver, compiled: can a side take a given number of points?

All hands are open and the trump is known. `bound` answers for one number of points; the answers for
several numbers enclose the exact value. The positions on the way from the root are the rows of a
stack; the caller fills row 0. The memory (memory.py) keeps bounds on the points that side 0 takes
from positions between two tricks. A time to stop may be written into the row CLOCK of the stack; a
search that reaches it marks that row and returns anything.
"""

from __future__ import annotations

from bidarena.baselines.twentynine.double_dummy.layout import (
    BEATING,
    BEST_SEAT,
    CARD,
    CLOCK,
    END,
    HIGH,
    HINT,
    LED,
    LOOK,
    LOW,
    MOVER,
    NEED,
    NODES,
    ON_TABLE,
    REST,
    STOPPED,
    TABLE,
    TABLE_POINTS,
    TAKEN,
    TRUMPS,
    UNTRIED,
    VALUE,
    Codes,
    Hands,
    Memory,
    Row,
    Stack,
)
from bidarena.baselines.twentynine.double_dummy.memory import recall, remember
from bidarena.baselines.twentynine.double_dummy.moves import (
    beating,
    list_answers,
    list_leads,
    next_card,
)
from bidarena.envs.bits import count, lowest
from bidarena.envs.compile import apart, borrow, seconds
from bidarena.envs.twentynine.rules.auction import points_in
from bidarena.envs.twentynine.rules.layout import JACKS, NINES, SEATS, SUIT, suit_of, worth


@apart
def bound(
    hands: Hands,
    stack: Stack,
    trumps: int,
    last_trick: int,
    codes: Codes,
    memory: Memory,
) -> int:
    """Return a bound on the points that side 0 takes from row 0 of the stack on.

    If it is as much as row 0 needs, side 0 takes at least so many points, else at most so many.

    Args:
        hands: the four hands; changed during the search, restored at its end.
        stack: row 0 is the position to search; the other rows are overwritten.
        trumps: the trumps from the next trick on, as a bit mask; 0 for none.
        last_trick: 1 if the last trick counts one point more.
        codes: written by `begin_deal`.
        memory: bounds found since `begin_deal`; new ones are added.
    """
    hands, stack, codes, memory = borrow(hands), borrow(stack), borrow(codes), borrow(memory)
    ply = 0
    value = 0
    arriving = True
    while True:
        node = stack[ply]
        mover = node[MOVER]
        if arriving:
            if out_of_time(stack[CLOCK]):
                for above in range(ply):  # give the cards back
                    hands[stack[above, MOVER]] |= 1 << stack[above, CARD]
                return 0
            _look(hands, node, codes, memory)
            decided = node[LOW] >= node[NEED] or node[HIGH] < node[NEED]
            if decided:
                value = node[LOW] if node[LOW] >= node[NEED] else node[HIGH]
            elif node[ON_TABLE] == 0:
                list_leads(hands, node)
            node[VALUE] = 0 if mover & 1 == 0 else node[REST]
        else:
            hands[mover] |= 1 << node[CARD]
            value += stack[ply + 1, TAKEN]
            if mover & 1 == 0:
                node[VALUE] = max(node[VALUE], value)
                decided = value >= node[NEED]
            else:
                node[VALUE] = min(node[VALUE], value)
                decided = value < node[NEED]
            if decided and node[ON_TABLE] == 0:
                node[HINT] = 1 << node[CARD]
            if decided or node[UNTRIED] == 0:
                decided = True
                value = node[VALUE]
                if node[ON_TABLE] == 0:
                    if value >= node[NEED]:
                        node[LOW] = max(node[LOW], value)
                    else:
                        node[HIGH] = min(node[HIGH], value)
                    remember(node, memory)
        if decided:
            if ply == 0:
                return value
            ply -= 1
            arriving = False
            continue
        card = next_card(node)
        node[CARD] = card
        node[UNTRIED] ^= 1 << card
        hands[mover] ^= 1 << card
        ply += 1
        _put(hands, node, card, trumps, last_trick, stack[ply])
        arriving = True


def _look(hands: Hands, node: Row, codes: Codes, memory: Memory) -> None:
    """Write bounds that need no search into a node, and within a trick the cards to try."""
    node[LOW], node[HIGH] = 0, node[REST]
    if node[ON_TABLE] > 0:
        winner = list_answers(hands, node)
        if winner == 0:
            node[LOW] = node[TABLE_POINTS]
        elif winner == 1:
            node[HIGH] = node[REST] - node[TABLE_POINTS]
    elif 0 < node[NEED] <= node[REST]:
        if hands[0] & (hands[0] - 1) == 0:
            if _last_winner(hands, node[MOVER], node[TRUMPS]) & 1:
                node[HIGH] = 0
            else:
                node[LOW] = node[REST]
        else:
            recall(hands, node, codes, memory)


def _last_winner(hands: Hands, leader: int, trumps: int) -> int:
    """Return the seat that wins the last trick, to which every seat has one card."""
    winner = leader
    better = beating(lowest(hands[leader]), trumps)
    for k in range(1, SEATS):
        seat = (leader + k) & 3
        if hands[seat] & better:
            winner = seat
            better = beating(lowest(hands[seat]), trumps)
    return winner


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


def _put(hands: Hands, node: Row, card: int, trumps: int, last_trick: int, below: Row) -> None:
    """Write into `below` the position after a card, which has already left the hand."""
    seat, on_table = node[MOVER], node[ON_TABLE]
    better, best_seat = node[BEATING], node[BEST_SEAT]
    if on_table == 0 or (better >> card) & 1:
        better, best_seat = beating(card, node[TRUMPS]), seat
    points = node[TABLE_POINTS] + worth(card)
    if on_table < SEATS - 1:
        below[MOVER] = (seat + 1) & 3
        below[ON_TABLE] = on_table + 1
        below[BEATING], below[BEST_SEAT] = better, best_seat
        below[TABLE] = node[TABLE] | 1 << card
        below[TABLE_POINTS] = points
        below[LED] = SUIT << (8 * suit_of(card)) if on_table == 0 else node[LED]
        below[TRUMPS] = node[TRUMPS]
        below[NEED], below[REST], below[TAKEN] = node[NEED], node[REST], 0
        return
    if hands[0] | hands[1] | hands[2] | hands[3] == 0:
        points += last_trick
    below[MOVER] = best_seat
    below[ON_TABLE] = 0
    below[TABLE] = 0
    below[TABLE_POINTS] = 0
    below[TRUMPS] = trumps
    below[TAKEN] = points if best_seat & 1 == 0 else 0
    below[NEED], below[REST] = node[NEED] - below[TAKEN], node[REST] - points


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
    trumps = cards_of(power)
    row[MOVER], row[ON_TABLE] = mover, count(table)
    row[BEATING], row[BEST_SEAT] = beating(best, trumps) if table else 0, best_seat
    row[TABLE], row[TABLE_POINTS] = table, points_in(table)
    row[LED], row[TRUMPS] = cards_of(led), trumps
    row[REST] = points_in(left | table) + last_trick


ALL = 99  # questions: more than the search ever needs


def cards_of(suit: int) -> int:
    """Return the cards of a suit as a bit mask, none for -1."""
    return SUIT << (8 * suit) if suit >= 0 else 0


def likely_points(hands: Hands, trump: int, rest: int) -> int:
    """Return a guess of what side 0 takes of the points left, by jacks, trumps and nines."""
    own, other = hands[0] | hands[2], hands[1] | hands[3]
    ahead = 5 * (count(own & JACKS) - count(other & JACKS))
    ahead += count(own & NINES) - count(other & NINES)
    ahead += 3 * (count(own & cards_of(trump)) - count(other & cards_of(trump)))
    return (rest + ahead) // 2


def exact_points(
    hands: Hands,
    stack: Stack,
    trump: int,
    last_trick: int,
    codes: Codes,
    memory: Memory,
    guess: int,
    questions: int,
) -> int:
    """Return the points that side 0 takes from row 0 of the stack on.

    The search asks for `guess` points first, then for what the last bound leaves open. It asks at
    most so many `questions`; after them it returns how many points are certain. After one that is
    `guess` or more only if side 0 can take so many. `trump` is the suit that is trump from the next
    trick on, or -1. The other arguments are those of `bound`.
    """
    row = borrow(stack)[0]
    low, high = 0, row[REST]
    need = guess
    while low < high and questions > 0 and borrow(stack)[CLOCK, STOPPED] == 0:
        questions -= 1
        need = max(low + 1, min(high, need))
        row[NEED] = need
        value = bound(hands, stack, cards_of(trump), last_trick, codes, memory)
        if value >= need:
            low, need = value, value + 1
        else:
            high, need = value, value
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
    guess: int,
    questions: int,
) -> int:
    """Return the points that side 0 takes from the position `root` on, if `card` is played there.

    The other arguments are those of `exact_points`; row 0 of the stack is overwritten.
    """
    hands[root[MOVER]] ^= 1 << card
    first = borrow(stack)[0]
    _put(hands, root, card, cards_of(trump), last_trick, first)
    guess -= first[TAKEN]
    later = exact_points(hands, stack, trump, last_trick, codes, memory, guess, questions)
    hands[root[MOVER]] |= 1 << card
    return first[TAKEN] + later
