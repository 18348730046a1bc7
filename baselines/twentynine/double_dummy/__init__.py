"""Twenty-nine with all hands open and the trump revealed: what perfect card play takes, exactly.

`double_dummy` returns the points of side 0, `card_points` those after each legal card, `best_cards`
the cards that keep the value. Positions may lie in the middle of a trick. The rules are those of
the play after the reveal: a seat that cannot follow suit may play any card.

    double_dummy(["JS 9H", "1S 7H", "TS JH", "7S 8H"], leader=0, trump="S")  # -> 10

solve.py       the three functions
position.py    their arguments, checked
search.py      the search
moves.py       which cards it tries, and in which order
memory.py      what it remembers of positions between two tricks
layout.py      its stack of positions
bench.py       its speed, for `bidarena bench`
"""

from bidarena.baselines.twentynine.double_dummy.solve import best_cards, card_points, double_dummy

__all__ = ["best_cards", "card_points", "double_dummy"]
