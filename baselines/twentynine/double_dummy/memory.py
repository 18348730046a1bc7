"""The memory of the double-dummy search: bounds for positions between two tricks.

Two positions are alike if they differ only in cards already played: in every suit, the cards left
have equal holders and equal points in equal order. Positions that are alike share one entry. For a
position without an entry there are bounds that need no search.
"""

from __future__ import annotations

from bidarena.baselines.twentynine.double_dummy.layout import (
    HIGH,
    HINT,
    LOW,
    MOVER,
    MOVES,
    NEED,
    NEXT,
    POWER,
    REST,
    UNKNOWN,
    Codes,
    Hands,
    Memory,
    Row,
)
from bidarena.envs.bits import count, highest
from bidarena.envs.compile import apart
from bidarena.envs.twentynine.rules.layout import SEATS, SUIT, worth

_FOLD = 0x2545F4914F6CDD1D  # odd, spreads keys over the table


@apart
def number_cards(hands: Hands, codes: Codes) -> None:
    """Write a code for each set of cards that can be left of a suit; sets that are alike share one.

    `codes[suit, cards]` has sixteen bits: the holders of the cards without points, in their order;
    the holders of ten and ace; whether nine and jack are left (their holders never change).
    """
    for suit in range(4):
        for cards in range(256):
            code = 0
            for group in range(2):
                number = 0
                for card in range(0 if group == 0 else 4, 4 if group == 0 else 6):
                    if (cards >> card) & 1:
                        holder = 0
                        for seat in range(SEATS):
                            holder += seat * ((hands[seat] >> (8 * suit + card)) & 1)
                        number = 4 * number + holder + 1
                code |= number << (9 * group)
            codes[suit, cards] = code | (cards >> 6) << 14


def _key(hands: Hands, codes: Codes) -> int:
    """Return the codes of the four suits in one number."""
    left = hands[0] | hands[1] | hands[2] | hands[3]
    key = codes[0, left & SUIT] | codes[1, (left >> 8) & SUIT] << 16
    return key | codes[2, (left >> 16) & SUIT] << 32 | codes[3, (left >> 24) & SUIT] << 48


def _place(key: int, leader: int, memory: Memory) -> int:
    """Return the index of a position's entry."""
    mixed = (key ^ (key >> 31)) * _FOLD + leader * 0x1E3779B97F4A7C15
    return ((mixed ^ (mixed >> 23)) >> 20) & (len(memory) - 1)


def recall(hands: Hands, node: Row, codes: Codes, memory: Memory, deal: int) -> int:
    """Write the known bounds into the node; return 1 or 0 if they decide it, else UNKNOWN."""
    key = _key(hands, codes)
    at = _place(key, node[MOVER], memory)
    low, high = 0, node[REST]
    packed = memory[at, 1]
    if memory[at, 0] == key and packed >> 18 == deal << 2 | node[MOVER]:
        low, high = (packed >> 6) & 63, packed & 63
        node[HINT] = ((packed >> 12) & 63) - 1
    else:
        leading, opposing = _secure(hands, node[MOVER], node[POWER])
        if node[MOVER] & 1:
            leading, opposing = opposing, leading
        low, high = leading, high - opposing
    node[LOW], node[HIGH] = low, high
    if low >= node[NEED]:
        return 1
    return 0 if high < node[NEED] else UNKNOWN


def remember(hands: Hands, node: Row, result: int, codes: Codes, memory: Memory, deal: int) -> None:
    """Store a result, over any other entry at its place.

    An entry is the key and a packed number: deal, leader, best card, lower and upper bound.
    """
    key = _key(hands, codes)
    at = _place(key, node[MOVER], memory)
    low, high, hint = node[LOW], node[HIGH], node[HINT]
    if result == 1:
        low = max(low, node[NEED])
    else:
        high = min(high, node[NEED] - 1)
    if result == 1 - (node[MOVER] & 1):
        hint = node[MOVES + node[NEXT] - 1]
    memory[at, 0] = key
    memory[at, 1] = (deal << 2 | node[MOVER]) << 18 | (hint + 1) << 12 | low << 6 | high


def _secure(hands: Hands, leader: int, power: int) -> tuple[int, int]:
    """Return the points that the leader's side, and the other side, take at least from here on.

    The highest trumps, if one hand has them, win a trick each. So do the leader's highest cards of
    another suit until a seat with trumps runs out of that suit: an opponent would then play a
    trump, and the partner might have to and would then lead. If all these tricks are played first,
    every seat with trumps follows to each of them, so their points add up.
    """
    left = hands[0] | hands[1] | hands[2] | hands[3]
    leading, opposing = 0, 0
    with_trumps = 0
    if power >= 0:
        trumps = left & (SUIT << (8 * power))
        if trumps:
            top = highest(trumps)
            holder = leader
            for seat in range(SEATS):
                if hands[seat] & trumps:
                    with_trumps |= 1 << seat
                if (hands[seat] >> top) & 1:
                    holder = seat
            sure = 0
            while trumps and (hands[holder] >> top) & 1 and worth(top) > 0:
                sure += worth(top)
                trumps ^= 1 << top
                top = highest(trumps)
            if (holder ^ leader) & 1:
                opposing = sure
            else:
                leading = sure
    hand = hands[leader]
    for suit in range(4):
        if suit == power or hand & (0xF0 << (8 * suit)) == 0:
            continue
        cards = left & (SUIT << (8 * suit))
        rounds = 8
        for k in range(1, SEATS):
            seat = (leader + k) & 3
            if (with_trumps >> seat) & 1:
                rounds = min(rounds, count(hands[seat] & cards))
        while rounds > 0 and cards:
            top = highest(cards)
            if (hand >> top) & 1 == 0 or worth(top) == 0:
                break
            leading += worth(top)
            cards ^= 1 << top
            rounds -= 1
    return leading, opposing
