"""Every game as an environment of RLlib: with one learner among opponents, or with all seats.

RLlib makes an environment from one dict, and its modules look for the mask of legal actions in the
observation, {"observations", "action_mask"}:

    config.environment(MaskedBatch, env_config={"game": "raj", "opponent": "minimax"})
    config.env_runners(gym_env_vectorize_mode="vector_entry_point", num_envs_per_env_runner=64)

`MaskedBatch` and `MaskedSolo` need no Ray. `self_play` needs it: it puts RLlib's wrapper around the
PettingZoo environment of a game, whose observations are {"observation", "action_mask"}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from bidarena.envs.game import Game
from bidarena.envs.solo import SoloEnv, spaces_of
from bidarena.envs.vector import BatchedEnv

OBSERVATIONS, MASK = "observations", "action_mask"

View = dict[str, NDArray[Any]]


def masked_space(game: Game) -> Dict:
    """Return the space of the dict {"observations", "action_mask"} of a player."""
    view, _ = spaces_of(game)
    return Dict({OBSERVATIONS: view, MASK: Box(0, 1, (game.actions,), np.int8)})


class MaskedSolo(SoloEnv):
    """A `SoloEnv` whose observations are the dict {"observations", "action_mask"}.

    Args:
        config: the keywords of `SoloEnv` as a dict, with at least `game`.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__(**config)
        self.observation_space: Any = masked_space(self.game)

    def reset(  # type: ignore[override]
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[View, dict[str, Any]]:
        """Deal a new game as `SoloEnv.reset` does."""
        view, info = super().reset(seed=seed, options=options)
        return {OBSERVATIONS: view, MASK: info.pop(MASK)}, info

    def step(self, action: Any) -> tuple[View, float, bool, bool, dict[str, Any]]:  # type: ignore[override]
        """Play `action` as `SoloEnv.step` does."""
        view, reward, terminated, truncated, info = super().step(action)
        return {OBSERVATIONS: view, MASK: info.pop(MASK)}, reward, terminated, truncated, info


class MaskedBatch(BatchedEnv):
    """A `BatchedEnv` whose observations are the dict {"observations", "action_mask"}.

    Args:
        config: the keywords of `BatchedEnv` as a dict, with at least `game`.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__(**config)
        self.single_observation_space = masked_space(self.game)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(  # type: ignore[override]
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[View, dict[str, Any]]:
        """Deal new games as `BatchedEnv.reset` does."""
        views, info = super().reset(seed=seed, options=options)
        return self._masked(views, info), info

    def step(self, actions: ArrayLike) -> tuple[View, Any, Any, Any, dict[str, Any]]:  # type: ignore[override]
        """Play one action per row as `BatchedEnv.step` does."""
        views, rewards, terminated, truncated, info = super().step(actions)
        return self._masked(views, info), rewards, terminated, truncated, info

    @staticmethod
    def _masked(views: NDArray[Any], info: dict[str, Any]) -> View:
        del info["_" + MASK]
        return {OBSERVATIONS: views, MASK: info.pop(MASK)}


def self_play(config: Mapping[str, Any]) -> Any:
    """Return a game as a multi-agent environment of RLlib: each seat is an agent.

    Each step is one decision. Players who move at the same time are asked one after another, and
    their moves stay hidden until all have moved.

    Args:
        config: the keywords of `bidarena.envs.multi.aec_env` as a dict, with at least `game`.
    """
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

    from bidarena.envs.multi import aec_env

    return PettingZooEnv(aec_env(**config))
