"""The speed of the double-dummy solver, for `bidarena bench`."""

from __future__ import annotations

import time

import numpy as np

from bidarena.baselines.twentynine.double_dummy import double_dummy


def figures(seconds: float) -> dict[str, float]:
    """Return the figures for the benchmark, from about 50 deals for each second."""
    return {"double_dummy_ms": double_dummy_time(int(50 * seconds) + 1)}


def double_dummy_time(deals: int) -> float:
    """Return the mean milliseconds to solve a deal of Twenty-nine with all hands open."""
    source = np.random.default_rng(0)
    spent = 0.0
    for deal in range(-1, deals):  # deal -1 compiles and is not timed
        cards = source.permutation(32)
        hands = [sum(1 << int(card) for card in cards[seat::4]) for seat in range(4)]
        began = time.perf_counter()
        double_dummy(hands, leader=0, trump="SDHC"[deal % 4])
        spent += time.perf_counter() - began if deal >= 0 else 0.0
    return 1000 * spent / deals
