"""What bots fill into a search: stubs for its parts, and what stands for a part that is missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import rule
from bidarena.envs.game import Cfg, Mask, Params, Rng, State


@rule
def playout(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return the action of the bot that plays beyond the tree (its `act`)."""
    raise NotImplementedError


@rule
def plausible(cfg: Cfg, params: Params, state: State, player: int) -> float:
    """Return the probability, above 0 and up to 1, with which `player` accepts a guess."""
    raise NotImplementedError


@rule
def book(cfg: Cfg, state: State, player: int) -> int:
    """Return the action of the opening book, or -1 if the position must be searched."""
    raise NotImplementedError


@rule
def priors(
    cfg: Cfg, params: Params, state: State, player: int, mask: Mask, out: NDArray[np.float64]
) -> None:
    """Write how likely a policy takes each of the legal actions, which are in `mask`."""
    raise NotImplementedError


@rule
def judge(cfg: Cfg, params: Params, state: State, player: int) -> float:
    """Return what `player`, who is to move, expects of a position, in units of the result."""
    raise NotImplementedError


def no_priors(
    cfg: Cfg, params: Params, state: State, player: int, mask: Mask, out: NDArray[np.float64]
) -> None:
    """Write equal numbers: takes the place of `priors` without a policy that has them."""
    for i in range(len(out)):
        out[i] = 1.0


def no_judge(cfg: Cfg, params: Params, state: State, player: int) -> float:
    """Return 0: takes the place of `judge` in a search that plays games out."""
    return 0.0


def no_book(cfg: Cfg, state: State, player: int) -> int:
    """Return -1: takes the place of `book` in a search without one."""
    return -1


def withdraw_nothing(cfg: Cfg, state: State) -> None:
    """Do nothing: takes the place of `withdraw` in games without it.

    Moves that are already committed are then guessed like everything else that is hidden.
    """


def always_plausible(cfg: Cfg, params: Params, state: State, player: int) -> float:
    """Return 1: takes the place of `plausible` in a search without a belief."""
    return 1.0
