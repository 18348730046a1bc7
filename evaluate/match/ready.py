"""Bots by name that are compiled before their moves are timed."""

from __future__ import annotations

from bidarena.envs.game import Game
from bidarena.evaluate.match.blocks import Player, prepare
from bidarena.evaluate.workers.preparing import player, prepared, turn


def ready(game: Game, bot: str) -> Player:
    """Return a bot with its code compiled: by one process of a machine, loaded by the others."""
    key = (game.key, bot)
    if key not in prepared:
        with turn(f"{game.key.hex()} {bot}"):
            prepare(game, [player(game, bot)])
        prepared.add(key)
    return player(game, bot)
