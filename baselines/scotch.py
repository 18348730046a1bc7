"""The classical bots of Scotch."""

from __future__ import annotations

import numpy as np

from bidarena.envs.check import whole
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot
from bidarena.envs.rng import below
from bidarena.envs.scotch.rules import MONEY


def random(game: Game) -> Bot:
    """Every legal bid equally likely."""
    return Bot("random", _random_act, np.zeros(1))


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    money = state[MONEY + player]
    return 1 + below(rng, money) if money > 0 else 0


def uniform(game: Game, high: int = 20) -> Bot:
    """The report's "brute force": a random bid from 1 to `high`, as far as the money goes."""
    return Bot("uniform", _uniform_act, np.array([whole("high", high, 1, 10_000)], np.float64))


def _uniform_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    money = state[MONEY + player]
    return min(1 + below(rng, int(params[0])), money) if money > 0 else 0
