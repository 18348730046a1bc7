"""Raj as the program for which RajAgents are written plays it: percepts, games, orders of items.

A second implementation of the rules, in plain Python, beside `bidarena.envs.raj`: agents train on
it in their own process, and a `settings.py` is played on it, because there the order of the items
comes from NumPy's old generator, agents play one game after another, and the seats do not rotate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Percepts = tuple[Any, ...]
Bidder = Callable[[Percepts], int]  # what a player bids, seeing these percepts


def percepts_of(
    pot: Any, items_left: Sequence[Any], hands: Sequence[Sequence[int]], seat: int, bank: Any
) -> Percepts:
    """What a player is told: the pot, items left, own cards, own bank, then the others' cards.

    Cards and items in ascending order; the others in the order of their seats, from the first.
    """
    others = (tuple(sorted(hand)) for k, hand in enumerate(hands) if k != seat)
    return (pot, tuple(sorted(items_left)), tuple(sorted(hands[seat])), bank, *others)


def play_game(
    bidders: Sequence[Bidder], asks_last: Sequence[bool], cards: Sequence[int], items: Any
) -> Any:
    """The banks at the end of a game in which the items come up in this order.

    Args:
        bidders: one for each seat.
        asks_last: for each seat, whether its last card is asked for or simply played.
        cards: that everybody starts with.
        items: an array. Pots and items have its type, as they do in the original.
    """
    banks = np.zeros(len(bidders))
    hands = [sorted(cards) for _ in bidders]
    pot = 0
    for at, item in enumerate(items):
        pot = pot + item
        left = items[at + 1 :].tolist()
        bids = []
        for seat, bidder in enumerate(bidders):
            if len(hands[seat]) == 1 and not asks_last[seat]:
                bids.append(hands[seat][0])
                continue
            bid = bidder(percepts_of(pot, left, hands, seat, banks[seat]))
            if bid not in hands[seat]:
                raise ValueError(f"bid {bid!r}, which is not among the cards {hands[seat]}")
            bids.append(hands[seat][hands[seat].index(bid)])
        unique = sorted(bid for bid in bids if bids.count(bid) == 1)
        if unique:
            banks[bids.index(unique[-1] if pot >= 0 else unique[0])] += pot
            pot = 0
        for hand, bid in zip(hands, bids, strict=True):
            hand.remove(bid)
    return banks


def item_order(generator: np.random.RandomState, items: Sequence[int]) -> Any:
    """The next order in which items come up, drawn as the original draws it."""
    return generator.choice(items, size=len(items), replace=False)
