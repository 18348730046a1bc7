"""`bidarena/TwentyNine-v0`: environments whose observation shows seat 0 as the leader too early.

They are kept for one version, so that code and policies that were made for them go on. Between the
auction and the first trick their observation says that seat 0 leads (index 351-354), although
another seat may. Everything else is as in `TwentyNineEnv`.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import gymnasium as gym

from bidarena.envs.compile import apart, fill_in
from bidarena.envs.game import Cfg, Game, State
from bidarena.envs.registry import make_game
from bidarena.envs.solo import SoloEnv
from bidarena.envs.twentynine.env import twentynine
from bidarena.envs.twentynine.rules import view
from bidarena.envs.twentynine.rules.layout import NOBODY, S
from bidarena.envs.vector import BatchedEnv


def known_leader_v0(cfg: Cfg, state: State) -> int:
    """Return the leader in the state, seat 0 before the first trick; NOBODY in the auction."""
    return state[S.leader] if state[S.contract] > 0 else NOBODY


observe_v0 = apart(fill_in(view.observe, __name__, "observe_v0", known_leader=known_leader_v0))


def twentynine_v0(**rules: Any) -> Game:
    """Return the game of Twenty-nine with the observation of v0, as its id names it.

    It warns as `gym.make` does, for the interfaces that take a game.
    """
    gym.logger.deprecation(
        "The environment bidarena/TwentyNine-v0 is out of date. You should consider upgrading to "
        "version `v1`."
    )
    return _game(**rules)


twentynine_v0.__signature__ = inspect.signature(twentynine)  # type: ignore[attr-defined]


def _game(**rules: Any) -> Game:
    game = make_game("twentynine", **rules)
    return replace(game, rules={**game.rules, "observe": observe_v0})


class TwentyNineV0Env(SoloEnv):
    """The first version of Twenty-nine; use `bidarena/TwentyNine-v1`.

    Between the auction and the first trick its observation shows seat 0 as the leader, whoever will
    lead. `TwentyNineEnv` describes everything else.
    """

    def __init__(self, **kwargs: Any) -> None:
        rules, kwargs = _split(SoloEnv, kwargs)
        super().__init__(_game(**rules), **kwargs)


class TwentyNineV0VectorEnv(BatchedEnv):
    """The first version of Twenty-nine in a batch; use `bidarena/TwentyNine-v1`."""

    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        rules, kwargs = _split(BatchedEnv, kwargs)
        super().__init__(_game(**rules), num_envs, **kwargs)


def _split(kind: type, keywords: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the keywords that are rules of the game, and those of the class `kind` itself."""
    own = inspect.signature(kind).parameters
    rules = {name: value for name, value in keywords.items() if name not in own}
    return rules, {name: value for name, value in keywords.items() if name in own}
