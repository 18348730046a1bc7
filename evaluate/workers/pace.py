"""The size of the pieces into which work is cut while it is done."""

from __future__ import annotations

PIECE = 2.0  # seconds that a piece should take
GROWTH = 8  # how many times larger the next piece may be


class Pace:
    """Finds the size of a piece that takes about `PIECE` seconds."""

    def __init__(self, first: int = 1) -> None:
        self._size, self._each = first, 0.0

    @property
    def size(self) -> int:
        """The size of the next piece."""
        if not self._each:
            return self._size
        return max(1, min(int(PIECE / self._each), GROWTH * self._size))

    def took(self, size: int, seconds: float) -> None:
        """Note the size of a piece that was done, and the seconds it took."""
        self._size, self._each = size, max(seconds, 1e-6) / size
