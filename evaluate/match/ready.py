"""Bots that are ready before their moves are timed: compiled, or loaded in their processes."""

from __future__ import annotations

from typing import Any

from bidarena.baselines.adapters.faults import Fault
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


def check_loads(name: str, player: Any) -> None:
    """Load a bot that runs in another process; raise ValueError if it cannot be loaded.

    Such a bot would lose every game, which is a mistake of whoever wrote its name and no result.
    """
    get_ready = getattr(getattr(player, "outside", None), "get_ready", None)
    if get_ready is None:
        return
    try:
        get_ready()
    except Fault as fault:
        raise ValueError(f"bot={name!r}: {fault}") from None
