"""Parts of bots that serve every game: random play, and drawing from a distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import borrow, keep, rule
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State, legal
from bidarena.envs.registry import Bot
from bidarena.envs.rng import draw, pick


def random(game: Game) -> Bot:
    """Plays every legal action with equal probability."""
    return Bot("random", _random_act, distribution=random_distribution)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    legal(cfg, state, scratch)
    return pick(rng, scratch)


def random_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write into `out` the probability that `random` takes each action."""
    legal(cfg, state, scratch)
    allowed = scratch.sum()
    for action in range(len(scratch)):
        out[action] = scratch[action] / allowed


@rule
def distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write into `out` the probability that a compiled bot takes each action."""
    raise NotImplementedError


def draw_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Draw an action from `distribution`; `fill_in` makes this the `act` of a particular bot."""
    made = np.zeros(len(scratch))
    chances = borrow(made)
    distribution(cfg, params, state, player, scratch, chances)
    action = draw(rng, chances)
    keep(made)
    return action
