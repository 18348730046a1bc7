"""The layout of the double-dummy search: a stack of positions, one in each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Hands = NDArray[np.int64]  # (4,) bit masks
Row = NDArray[np.int64]  # (COLUMNS,) a position
Stack = NDArray[np.int64]  # (PLIES, COLUMNS)
Codes = NDArray[np.int64]  # (4, 256) see `number_cards` in memory.py
Memory = NDArray[np.int64]  # (a power of two, 2) see `remember` there

PLIES = 34  # 32 cards, the end, and the clock
CLOCK = 33  # the row of the clock, with these columns:
END = 0  # when to stop, in nanoseconds of the clock that `seconds` reads; 0: never
STOPPED = 1  # 1: the search was stopped, and its results mean nothing
NODES = 2  # positions searched since the clock was read
LOOK = 512  # positions between two readings of the clock

# columns of the stack
MOVER = 0
ON_TABLE = 1  # number of cards on the table
BEST = 2  # the card on the table that is winning ...
BEST_SEAT = 3  # ... and the seat that played it
TABLE = 4  # bit mask of the cards on the table
TABLE_POINTS = 5
LED = 6  # the suit led
POWER = 7  # the suit that is trump in this trick, or -1; a hidden trump may count from the next
NEED = 8  # points that side 0 wants to take from here on, with those on the table
REST = 9  # points that are left for both sides
LOW, HIGH = 10, 11  # bounds that the memory has on the points of side 0 from here on
HINT = 12  # the best card when this position was last searched, or -1
COUNT = 13  # number of cards to try
NEXT = 14  # index of the next one
MOVES = 15  # the cards to try, from here on
COLUMNS = MOVES + 8

UNKNOWN = -1
