"""Bots that play every game."""

from __future__ import annotations

from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State, legal
from bidarena.envs.registry import Bot
from bidarena.envs.rng import pick


def random(game: Game) -> Bot:
    """Every legal action equally likely."""
    return Bot("random", _random_act)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    legal(cfg, state, scratch)
    return pick(rng, scratch)
