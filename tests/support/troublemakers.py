"""Bots of every kind that do what no bot should, for the toy games."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import numpy as np
import toy_nim  # noqa: F401

from bidarena.envs import Bot, Game, batched, register_bot
from bidarena.envs.game import Cfg, Mask, Params, Rng, State
from bidarena.envs.rng import word


def lowest(observation: Any, mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[0])


def angry(observation: Any, mask: np.ndarray) -> int:
    raise KeyError("out of ideas")


def quitter(observation: Any, mask: np.ndarray) -> int:
    raise SystemExit(3)


def wordy(observation: Any, mask: np.ndarray) -> Any:
    return "the highest card"


def silent(observation: Any, mask: np.ndarray) -> Any:
    return None


def sleepy(observation: Any, mask: np.ndarray) -> int:
    """Would sleep for a minute, unless somebody wakes it."""
    time.sleep(60)
    return lowest(observation, mask)


def stubborn(observation: Any, mask: np.ndarray) -> int:
    """Catches all that it can and goes on, and so is too late."""
    with suppress(BaseException):
        time.sleep(0.3)
    return lowest(observation, mask)


@batched
def moody(observations: np.ndarray, masks: np.ndarray) -> Any:
    """Fails wherever it sees a heap of an even number of stones, of 10 at most."""
    if (np.round(observations[:, 0] * 10).astype(int) % 2 == 0).any():
        raise ArithmeticError("I do not like even numbers")
    return masks.argmax(axis=1)


@batched
def shapeless(observations: np.ndarray, masks: np.ndarray) -> Any:
    return masks


@batched
def slow_when_full(observations: np.ndarray, masks: np.ndarray) -> Any:
    """Sleeps through large batches; a single row is no trouble."""
    if len(masks) > 1:
        time.sleep(60)
    return masks.argmax(axis=1)


def raising_bot(game: Game) -> Bot:
    return Bot("raising", _raising_act)


def _raising_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    if state[0] == 3:
        raise ValueError("three is too many")
    return 1


def late_bot(game: Game) -> Bot:
    """Thinks long at three stones, without a look at any clock."""
    return Bot("late", _late_act)


def _late_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    if state[0] == 3:
        for _ in range(100_000_000):
            word(rng)
    return 1


class Outsider:
    """A bot asked outside of compiled code, which fails in one position."""

    def __call__(self, state: State, player: int, rng: Rng) -> int:
        if state[0] == 3:
            raise RuntimeError("lost my notes")
        return 1

    def forget(self) -> None:
        pass


def outside_bot(game: Game) -> Bot:
    return Bot("outside", _late_act, outside=Outsider())


def angry_bot(game: Game) -> Any:
    return angry


def sleepy_bot(game: Game) -> Any:
    return sleepy


def silent_bot(game: Game) -> Any:
    return silent


for _name in ("angry", "sleepy", "silent", "raising", "late", "outside"):
    register_bot(f"toy_nim/{_name}", f"troublemakers:{_name}_bot", tournament_options=None)
