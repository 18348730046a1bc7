"""Arrays that are handed out anew once nobody holds them any more.

A large array that is made for each step costs more than the step: the system gives it page by page,
each filled with zeros, and takes it back afterwards.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

KEPT = 2  # arrays of each kind that are kept: while one is in use, another is written


def _holders(arrays: list[NDArray[Any]], index: int) -> int:
    """Return how many hold an array of a list, some of Python's own included."""
    return sys.getrefcount(arrays[index])


_ONLY_THE_LIST = _holders([np.empty(0)], 0)  # depends on the version of Python


class Spares:
    """Gives arrays of one shape and type, in which anything may stand.

    An array is given again only if all that was given of it is gone: itself, its views, and
    whatever else keeps it alive.
    """

    def __init__(self, like: NDArray[Any]) -> None:
        self._shape, self._dtype = like.shape, like.dtype
        self._kept: list[NDArray[Any]] = []

    def take(self) -> NDArray[Any]:
        """Return an array that nobody else holds."""
        for index in range(len(self._kept)):
            if _holders(self._kept, index) == _ONLY_THE_LIST and self._is_as_made(index):
                return self._kept[index]
        array = np.empty(self._shape, self._dtype)
        self._kept = [*self._kept[1 - KEPT :], array]
        return array

    def _is_as_made(self, index: int) -> bool:
        """Return whether the last holder of an array has left its shape and flags as they were."""
        array = self._kept[index]
        same = array.shape == self._shape and array.dtype == self._dtype
        return same and array.flags.carray
