"""Raj as the original program plays it, for which RajAgents are written: percepts, games, items.

This is a second implementation of the rules, in plain Python, beside `bidarena.envs.raj`. Agents
train on it in their own process, and a `settings.py` is played on it. In the original program the
order of the items comes from NumPy's old generator, agents play one game after another, and seats
do not rotate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Percepts = tuple[Any, ...]
Bidder = Callable[[Percepts], int]  # returns what a player bids, who sees these percepts


def percepts_of(
    pot: Any, items_left: Sequence[Any], hands: Sequence[Sequence[int]], seat: int, bank: Any
) -> Percepts:
    """Return what a player is told: pot, items left, own cards, own bank, the others' cards.

    Cards and items are in ascending order, the others in the order of their seats from seat 0.
    """
    others = (tuple(sorted(hand)) for k, hand in enumerate(hands) if k != seat)
    return (pot, tuple(sorted(items_left)), tuple(sorted(hands[seat])), bank, *others)


def play_game(
    bidders: Sequence[Bidder], asks_last: Sequence[bool], cards: Sequence[int], items: Any
) -> Any:
    """Play a game in which the items come up in this order; return the banks at its end.

    Args:
        bidders: one for each seat.
        asks_last: for each seat, whether the bidder is asked for its last card too.
        cards: the cards that every player starts with.
        items: an array; pots and items have its type, as in the original program.
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
    """Return the next order in which items come up, drawn as the original program draws it."""
    return generator.choice(items, size=len(items), replace=False)
