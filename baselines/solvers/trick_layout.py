"""Where everything stands in the double-dummy search: a stack of positions, one to a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Hands = NDArray[np.int64]  # (4,) bit masks
Row = NDArray[np.int64]  # (COLUMNS,) a position
Stack = NDArray[np.int64]  # (PLIES, COLUMNS)
Codes = NDArray[np.int64]  # (4, 256) see `number_cards` in trick_memory.py
Memory = NDArray[np.int64]  # (a power of two, 2) see `remember` there

PLIES = 33  # 32 cards, and the end

# columns of the stack
MOVER = 0
ON_TABLE = 1  # how many cards
BEST = 2  # the winning one of these ...
BEST_SEAT = 3  # ... and whose it is
TABLE = 4  # bit mask of the cards on the table
TABLE_POINTS = 5
LED = 6  # the suit led
POWER = 7  # the suit that is trump in this trick, or -1; it may get its power after the first trick
NEED = 8  # points that side 0 wants to take from here on, those on the table included
REST = 9  # points that are left for both sides
LOW, HIGH = 10, 11  # what the table knows of the points of side 0 from here on
HINT = 12  # the card that was right when this position was last looked at, or -1
COUNT = 13  # how many cards are to be tried ...
NEXT = 14  # ... which one comes next ...
MOVES = 15  # ... and from here on, which they are
COLUMNS = MOVES + 8

UNKNOWN = -1
