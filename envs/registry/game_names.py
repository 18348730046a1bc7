"""Register games by name, and make them.

Registering a game keeps the string "module:function" and imports nothing; `make_game` imports it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from bidarena.envs.arguments import unknown
from bidarena.envs.game import Game
from bidarena.envs.registry.pettingzoo_ids import register_with_pettingzoo
from bidarena.envs.registry.trust import check_module


@dataclass(frozen=True)
class _Entry:
    factory: str  # "module:function"
    env_id: str


_games: dict[str, _Entry] = {}


def register_game(
    name: str,
    factory: str,
    env_id: str,
    *,
    entry_point: str | None = None,
    vector_entry_point: str | None = None,
) -> None:
    """Register a game under a short name, and its environments under a Gymnasium id.

    PettingZoo 1.27 and later knows its multi-player environments under the same id.

    Args:
        name: the short name, as in `bidarena match NAME`.
        factory: "module:function" of the function that takes the options of the rules as keywords
            and returns a `Game`.
        env_id: the id for `gym.make` and `gym.make_vec`, for example "mine/MyGame-v0".
        entry_point: "module:class" of an environment of your own; None: `SoloEnv`.
        vector_entry_point: "module:class" of a batched environment of your own; None: `BatchedEnv`.

    `gym.make` returns the environment itself: it checks actions and the order of calls on its own,
    and without Gymnasium's wrappers `env.action_masks()` can be called.
    """
    _games[name] = _Entry(factory, env_id)
    generic = {} if entry_point else {"game": name}
    gym.register(
        env_id,
        entry_point=entry_point or "bidarena.envs.solo:SoloEnv",
        vector_entry_point=vector_entry_point or "bidarena.envs.vector:BatchedEnv",
        kwargs=generic,
        order_enforce=False,
        disable_env_checker=True,
    )
    register_with_pettingzoo(name, env_id)


def games() -> list[str]:
    """Return the names of all registered games."""
    return list(_games)


def env_id(game: str) -> str:
    """Return the Gymnasium id of a game."""
    return _entry(game).env_id


def factory(game: str) -> Callable[..., Game]:
    """Return the function that makes a `Game` from the options of the rules as keywords."""
    return load(_entry(game).factory)


def make_game(game: str | Game, **rules: Any) -> Game:
    """Make a game by its name; a ready `Game` is returned as it is.

    Args:
        game: a registered name or Gymnasium id, or "module:name": the module, which registers the
            game, is imported first, as Gymnasium does with ids. Or a `Game`.
        **rules: the options of the rules; not beside a ready `Game`.

    Raises:
        ValueError: there is no such game, or an option has a value that is not allowed.
        TypeError: the game has no such option.
    """
    if isinstance(game, Game):
        if rules:
            raise ValueError(f"{', '.join(rules)}: rules cannot be given beside a ready Game")
        return game
    make = factory(game)
    strange = [name for name in rules if name not in inspect.signature(make).parameters]
    if strange:
        known = inspect.signature(make).parameters
        # In Python's own words: other libraries recognise the refusal of a keyword by them.
        raise TypeError(
            f"{game} got an unexpected keyword argument {strange[0]!r}; "
            f"its rules are {', '.join(known) or 'fixed'}"
        )
    return make(**rules)


def load(path: str) -> Any:
    """Import the module in "module:name" and return the object of that name."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def _entry(game: str) -> _Entry:
    """Return what was registered for a game's name or id; "module:name" imports the module."""
    module, _, name = game.rpartition(":")
    if module:
        check_module("game", game)
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as missing:
            if missing.name != module:
                raise
            raise ValueError(f"game={game!r}: there is no module {module!r}") from None
        game = name
    by_id = [entry for entry in _games.values() if entry.env_id == game]
    if game not in _games and not by_id:
        raise unknown("game", game, _games)
    return _games[game] if game in _games else by_id[0]
