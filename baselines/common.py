"""Bots that play every game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State, legal
from bidarena.envs.registry import Bot
from bidarena.envs.rng import pick


def random(game: Game) -> Bot:
    """Every legal action equally likely."""
    return Bot("random", _random_act, distribution=_random_distribution)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    legal(cfg, state, scratch)
    return pick(rng, scratch)


def _random_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    legal(cfg, state, scratch)
    allowed = scratch.sum()
    for action in range(len(scratch)):
        out[action] = scratch[action] / allowed
