"""The memory of the double-dummy search: bounds for positions between two tricks.

Two positions are alike if they differ only in cards already played: in every suit, the cards left
have equal holders and equal points in equal order. Positions that are alike share one entry. For a
position without an entry there are bounds that need no search.

The memory begins small, so that it fits into the cache of the processor and is emptied quickly, and
doubles with the positions of a deal.
"""

from __future__ import annotations

from bidarena.baselines.twentynine.double_dummy.layout import (
    FIRST_ROOM,
    HIGH,
    HINT,
    KEY,
    LOW,
    MOVER,
    PLACE,
    REST,
    ROOM,
    STORED,
    TRUMPS,
    Codes,
    Hands,
    Memory,
    Row,
)
from bidarena.baselines.twentynine.double_dummy.moves import up_to_highest
from bidarena.envs.bits import count, lowest
from bidarena.envs.compile import apart
from bidarena.envs.twentynine.rules.auction import points_in
from bidarena.envs.twentynine.rules.layout import SEATS, SUIT

_FOLD = 0x2545F4914F6CDD1D  # odd, spreads keys over the table


@apart
def begin_deal(hands: Hands, codes: Codes, memory: Memory) -> None:
    """Empty the memory and number the cards of a deal, before its positions are searched."""
    memory[0, ROOM], memory[0, STORED] = FIRST_ROOM, 0
    for at in range(1, FIRST_ROOM + 1):
        memory[at, 0], memory[at, 1] = 0, 0
    _number_cards(hands, codes)


def _number_cards(hands: Hands, codes: Codes) -> None:
    """Write a code for each set of cards that can be left of a suit; sets that are alike share one.

    `codes[suit, cards]` has sixteen bits: the holders of the cards without points, in their order;
    the holders of ten and ace; whether nine and jack are left (their holders never change).
    """
    for suit in range(4):
        codes[suit, 0] = 0
        for card in range(8):
            holder = 0
            for seat in range(SEATS):
                holder += seat * ((hands[seat] >> (8 * suit + card)) & 1)
            for lower in range(1 << card):  # a set of cards below this one
                code = codes[suit, lower]
                if card < 4:
                    code = 4 * code + holder + 1
                elif card < 6:
                    code = code & 511 | (4 * (code >> 9) + holder + 1) << 9
                else:
                    code |= 1 << (8 + card)
                codes[suit, lower | 1 << card] = code


def _place(key: int, leader: int, room: int) -> int:
    """Return the first of the two places of a position, an even number below `room`."""
    mixed = (key ^ (key >> 31)) * _FOLD + leader * 0x1E3779B97F4A7C15
    return ((mixed ^ (mixed >> 23)) >> 20) & (room - 2)


def recall(hands: Hands, node: Row, codes: Codes, memory: Memory) -> None:
    """Write into the node where the memory keeps it, the bounds known for it, and the best card."""
    left = hands[0] | hands[1] | hands[2] | hands[3]
    key = codes[0, left & SUIT] | codes[1, (left >> 8) & SUIT] << 16
    key |= codes[2, (left >> 16) & SUIT] << 32 | codes[3, (left >> 24) & SUIT] << 48
    place = _place(key, node[MOVER], memory[0, ROOM])
    node[KEY], node[PLACE] = key, place
    for at in range(place + 1, place + 3):
        packed = memory[at, 1]
        if memory[at, 0] == key and packed >> 18 == node[MOVER]:
            node[LOW], node[HIGH] = (packed >> 6) & 63, packed & 63
            node[HINT] = 1 << ((packed >> 12) & 63)
            return
    leading, opposing = _secure(hands, node[MOVER], node[TRUMPS], node[REST])
    if node[MOVER] & 1:
        leading, opposing = opposing, leading
    node[LOW], node[HIGH] = leading, node[REST] - opposing
    node[HINT] = 0


def remember(node: Row, memory: Memory) -> None:
    """Store the bounds and the best card of a node.

    An entry is the key and a packed number: leader, best card, lower and upper bound. There are two
    places for each key; the older entry of another position makes room.
    """
    first = node[PLACE] + 1
    at = first
    if memory[at, 0] != node[KEY] or memory[at, 1] >> 18 != node[MOVER]:
        at += 1
        if memory[at, 0] != node[KEY] or memory[at, 1] >> 18 != node[MOVER]:
            memory[at, 0], memory[at, 1] = memory[first, 0], memory[first, 1]
            at = first
            memory[0, STORED] += 1
            if memory[0, STORED] >= memory[0, ROOM] and 2 * memory[0, ROOM] < len(memory):
                _grow(memory)
    memory[at, 0] = node[KEY]
    memory[at, 1] = node[MOVER] << 18 | lowest(node[HINT]) << 12 | node[LOW] << 6 | node[HIGH]


@apart
def _grow(memory: Memory) -> None:
    """Double the places in use; about half of the entries move to the new ones."""
    room = memory[0, ROOM]
    memory[0, ROOM] = 2 * room
    for at in range(1, room + 1):
        key, packed = memory[at, 0], memory[at, 1]
        memory[at + room, 0], memory[at + room, 1] = 0, 0
        if _place(key, packed >> 18, 2 * room) >= room:
            memory[at + room, 0], memory[at + room, 1] = key, packed
            memory[at, 0], memory[at, 1] = 0, 0


def _secure(hands: Hands, leader: int, trumps: int, rest: int) -> tuple[int, int]:
    """Return the points that the leader's side, and the other side, take at least from here on.

    The highest trumps, if one hand has them, win a trick each. So do the leader's highest cards of
    another suit until a seat with trumps runs out of that suit: an opponent would then play a
    trump, and the partner might have to and would then lead. If all these tricks are played first,
    every seat with trumps follows to each of them, so their points add up. A leader who can draw
    all trumps does that first. A leader with nothing but such cards takes all that is left.
    """
    hand = hands[leader]
    sure, tricks, opposing = 0, 0, 0
    with_trumps = 0  # bit mask of the other seats that have trumps
    if trumps:
        for seat in range(SEATS):
            own = hands[seat] & trumps
            if own == 0:
                continue
            if seat != leader:
                with_trumps |= 1 << seat
            top = own & ~up_to_highest(_others(hands, seat) & trumps)
            if (seat ^ leader) & 1:
                opposing += points_in(top)
            else:
                sure |= top
        own = hand & trumps
        top = own & sure
        if count(top) >= _longest(hands, leader, trumps):
            top, with_trumps = own, 0
        sure |= top
        tricks = count(top)
    for suit in range(4):
        cards = SUIT << (8 * suit)
        own = hand & cards
        if own == 0 or cards == trumps:
            continue
        top = own & ~up_to_highest(_others(hands, leader) & cards)
        if top == 0:
            continue
        if count(top) >= _longest(hands, leader, cards):
            top = own
        for k in range(1, SEATS):
            seat = (leader + k) & 3
            if (with_trumps >> seat) & 1:
                rounds = count(hands[seat] & cards)
                while count(top) > rounds:
                    top &= top - 1
        sure |= top
        tricks += count(top)
    return rest if tricks == count(hand) else points_in(sure), opposing


def _others(hands: Hands, seat: int) -> int:
    """Return the cards of the other three seats."""
    return hands[(seat + 1) & 3] | hands[(seat + 2) & 3] | hands[(seat + 3) & 3]


def _longest(hands: Hands, seat: int, cards: int) -> int:
    """Return the most cards of a suit that another seat has."""
    first, second = count(hands[(seat + 1) & 3] & cards), count(hands[(seat + 2) & 3] & cards)
    return max(first, second, count(hands[(seat + 3) & 3] & cards))
