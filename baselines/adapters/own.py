"""Get one decision of one of our own bots: what servers for the protocols of others need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bidarena.envs.batch import as_action
from bidarena.envs.game import Game, Rng, State
from bidarena.envs.learner import player_of
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS, seeded

Chooser = Callable[[State, int, Rng], int]  # (state, player, generator) -> action


def chooser(game: Game, bot: str | Bot | Callable[[Any, Any], Any]) -> Chooser:
    """Return the function (state, player, generator) -> action by which a bot chooses.

    Args:
        game: the game.
        bot: a bot, its name with options, or a policy (observation, mask) -> action.
    """
    player = player_of(game, bot)
    if isinstance(player, Bot):
        if player.outside is not None:
            return player.outside
        act = game.compiled(player.act, **player.more)
        scratch = np.zeros(game.actions, np.int8)

        def choose(state: State, seat: int, rng: Rng) -> int:
            return int(act(game.cfg, player.params, state, seat, rng, scratch))

        return choose

    def ask(state: State, seat: int, rng: Rng) -> int:
        seen = np.zeros(game.observation_size, np.float32)
        mask = np.zeros(game.actions, np.int8)
        game.call("observe")(game.cfg, state, seat, seen)
        game.call("legal")(game.cfg, state, mask)
        if getattr(player, "batched", False):
            return as_action(np.asarray(player(seen[None], mask[None])).ravel()[0])
        return as_action(player(seen, mask))

    return ask


def words_from(*seeds: int) -> Rng:
    """Return the generator of one decision, made from these numbers."""
    return seeded(np.random.default_rng(seeds), WORDS)
