"""What the double-dummy search remembers of positions between two tricks, and bounds at sight.

Positions are alike if in every suit the same seats hold cards of the same points in the same order;
only cards already played make the difference. They are found as one.
"""

from __future__ import annotations

from bidarena.baselines.solvers.trick_layout import (
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
from bidarena.envs.twentynine.layout import SEATS, SUIT, worth

_FOLD = 0x2545F4914F6CDD1D  # odd, spreads keys over the table


@apart
def number_cards(hands: Hands, codes: Codes) -> None:
    """Number what can be left of each suit, the same number for sets that are alike.

    `codes[suit, cards]` has sixteen bits: who holds the cards without points, in their order; who
    holds ten and ace; whether nine and jack are there (their holders never change).
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
    left = hands[0] | hands[1] | hands[2] | hands[3]
    key = codes[0, left & SUIT] | codes[1, (left >> 8) & SUIT] << 16
    return key | codes[2, (left >> 16) & SUIT] << 32 | codes[3, (left >> 24) & SUIT] << 48


def _place(key: int, leader: int, memory: Memory) -> int:
    mixed = (key ^ (key >> 31)) * _FOLD + leader * 0x1E3779B97F4A7C15
    return ((mixed ^ (mixed >> 23)) >> 20) & (len(memory) - 1)


def recall(hands: Hands, node: Row, codes: Codes, memory: Memory, deal: int) -> int:
    """The answer, if the bounds in the table give it; they are noted in the node anyway."""
    key = _key(hands, codes)
    at = _place(key, node[MOVER], memory)
    low, high = 0, node[REST]
    word = memory[at, 1]
    if memory[at, 0] == key and word >> 18 == deal << 2 | node[MOVER]:
        low, high = (word >> 6) & 63, word & 63
        node[HINT] = ((word >> 12) & 63) - 1
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
    """Key, and a word: deal, leader, best card, lower and upper bound; what stood there goes."""
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
    """Points that the leader's side takes at least from here on, and those of the other side.

    The highest trumps of all, if one hand has them, win a trick each. The leader's highest cards of
    another suit do so as long as nobody who has trumps runs out of the suit: neither an opponent,
    who would use them, nor the partner, who might have to and would then be on lead. If all these
    tricks are played first, everybody with trumps follows to each, so that they add up.
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
