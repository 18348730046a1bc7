"""Every game as an environment of RLlib: one learner among opponents, and all seats in one game.

RLlib makes its environments from one dict. It wants the mask of legal actions inside the
observation, {"observations", "action_mask"}, where its modules find it:

    config.environment(MaskedBatch, env_config={"game": "raj", "opponent": "minimax"})
    config.env_runners(gym_env_vectorize_mode="vector_entry_point", num_envs_per_env_runner=64)

`MaskedBatch` and `MaskedSolo` need no Ray. `self_play` does: it is RLlib's own wrapper around the
PettingZoo environment of a game, whose dicts say {"observation", "action_mask"}.
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
    """What the learner gets: the observation and the mask of legal actions."""
    view, _ = spaces_of(game)
    return Dict({OBSERVATIONS: view, MASK: Box(0, 1, (game.actions,), np.int8)})


class MaskedSolo(SoloEnv):
    """One learner in a game whose other seats are played by bots, masks inside the observation.

    Args:
        config: the keywords of `SoloEnv` as a dict, with at least `game`.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__(**config)
        self.observation_space: Any = masked_space(self.game)

    def reset(  # type: ignore[override]
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[View, dict[str, Any]]:
        """Deal a new game; with a seed, the games from here on are determined by it."""
        view, info = super().reset(seed=seed, options=options)
        return {OBSERVATIONS: view, MASK: info.pop(MASK)}, info

    def step(self, action: Any) -> tuple[View, float, bool, bool, dict[str, Any]]:  # type: ignore[override]
        """Play `action`, then everybody else up to the learner's next decision."""
        view, reward, terminated, truncated, info = super().step(action)
        return {OBSERVATIONS: view, MASK: info.pop(MASK)}, reward, terminated, truncated, info


class MaskedBatch(BatchedEnv):
    """Many games side by side, masks inside the observation; each row plays as `MaskedSolo` does.

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
        """Deal new games in all rows, or in those of `options["reset_mask"]`."""
        views, info = super().reset(seed=seed, options=options)
        return self._masked(views, info), info

    def step(self, actions: ArrayLike) -> tuple[View, Any, Any, Any, dict[str, Any]]:  # type: ignore[override]
        """Play one action per row, then everybody else up to the learner's next decision."""
        views, rewards, terminated, truncated, info = super().step(actions)
        return self._masked(views, info), rewards, terminated, truncated, info

    @staticmethod
    def _masked(views: NDArray[Any], info: dict[str, Any]) -> View:
        del info["_" + MASK]
        return {OBSERVATIONS: views, MASK: info.pop(MASK)}


def self_play(config: Mapping[str, Any]) -> Any:
    """All seats of a game as agents of RLlib, who decide one after another.

    Simultaneous moves are committed unseen, so every game can be learned this way, and each step
    is one decision.

    Args:
        config: the keywords of `bidarena.envs.multi.aec_env` as a dict, with at least `game`.
    """
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

    from bidarena.envs.multi import aec_env

    return PettingZooEnv(aec_env(**config))
