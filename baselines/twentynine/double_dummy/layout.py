"""The layout of the double-dummy search: a stack of positions, one in each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Hands = NDArray[np.int64]  # (4,) bit masks
Row = NDArray[np.int64]  # (COLUMNS,) a position
Stack = NDArray[np.int64]  # (PLIES, COLUMNS)
Codes = NDArray[np.int64]  # (4, 256) see `begin_deal` in memory.py
Memory = NDArray[np.int64]  # (1 + a power of two, 2) see `remember` there

PLIES = 34  # 32 cards, the end, and the clock
CLOCK = 33  # the row of the clock, with these columns:
END = 0  # when to stop, in nanoseconds of the clock that `seconds` reads; 0: never
STOPPED = 1  # 1: the search was stopped, and its results mean nothing
NODES = 2  # positions searched since the clock was read
LOOK = 512  # positions between two readings of the clock

# columns of row 0 of the memory; its entries are in the rows from 1 on
ROOM = 0  # how many places are used now, a power of two
STORED = 1  # positions stored so far
FIRST_ROOM = 1 << 12

# columns of the stack; cards and suits are bit masks, points are those of side 0
MOVER = 0
ON_TABLE = 1  # number of cards on the table
BEATING = 2  # the cards that beat the winning card on the table
BEST_SEAT = 3  # the seat that played the winning card
TABLE = 4  # the cards on the table
TABLE_POINTS = 5
LED = 6  # the suit led
TRUMPS = 7  # the trumps in this trick, 0 for none; a hidden trump may count from the next
NEED = 8  # points that side 0 wants to take from here on, with those on the table
REST = 9  # points that are left for both sides
TAKEN = 10  # points that side 0 took with the card that led here
LOW, HIGH = 11, 12  # bounds on the points from here on, if nothing is on the table
VALUE = 13  # the best bound that a card tried so far has proved
UNTRIED = 14  # the cards still to try
WINNING = 15  # the cards with which the mover's side seems to win the trick
CARD = 16  # the card that is tried now
HINT = 17  # the best card when this position was last searched; 0 if none is known
KEY, PLACE = 18, 19  # where the memory keeps this position
COLUMNS = 20
