"""Masks for algorithms of SB3 that know none: PPO, A2C and DQN.

How they learn not to break the rules: they cannot. The mask of legal actions comes with each
observation, at its end. The network cuts it off before its first layer, and uses it after its last
one: an illegal action has no probability (PPO, A2C), or a value so low that it is never the best
(DQN, also in the targets it learns from), and exploration draws legal actions only. Penalties for
illegal actions, the other usual way, teach the rules slowly and the game hardly.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.distributions import Distribution
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork

NEVER = -1e8  # of an illegal action: logit or value


def cutting(policy_kwargs: dict[str, Any], size: int) -> dict[str, Any]:
    """Keywords of a policy with those that cut the mask off behind `size` numbers."""
    return {
        **policy_kwargs,
        "features_extractor_class": CutMask,
        "features_extractor_kwargs": {"size": size},
    }


class CutMask(BaseFeaturesExtractor):
    """What the player sees without the mask behind it, which is kept for whoever needs it."""

    def __init__(self, observation_space: gym.Space[Any], size: int) -> None:
        super().__init__(observation_space, size)
        self.size = size
        self.illegal = torch.zeros(0, dtype=torch.bool)  # of the last observations

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(rows, size + actions) -> (rows, size)."""
        self.illegal = observations[:, self.size :] == 0
        return observations[:, : self.size]


class MaskedActorCritic(ActorCriticPolicy):
    """For PPO and A2C: illegal actions have no probability."""

    def _get_action_dist_from_latent(self, latent_pi: torch.Tensor) -> Distribution:
        extractor: Any = self.features_extractor
        logits = self.action_net(latent_pi).masked_fill(extractor.illegal, NEVER)
        law: Any = self.action_dist
        return law.proba_distribution(action_logits=logits)


class _MaskedQNetwork(QNetwork):
    def forward(self, obs: Any) -> torch.Tensor:
        """(rows, actions) values; those of illegal actions are out of reach."""
        values = super().forward(obs)
        extractor: Any = self.features_extractor
        return values.masked_fill(extractor.illegal, NEVER)


class _MaskedDQNPolicy(DQNPolicy):
    def make_q_net(self) -> QNetwork:
        """The network with masks in the place of the one without."""
        args = self._update_features_extractor(self.net_args, features_extractor=None)
        return _MaskedQNetwork(**args).to(self.device)


class MaskedDQN(DQN):
    """DQN whose greedy and random actions are legal; each row explores for itself."""

    policy_aliases = {**DQN.policy_aliases, "MaskedPolicy": _MaskedDQNPolicy}  # noqa: RUF012

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        observations: Any = self._last_obs
        extractor: Any = self.q_net.features_extractor
        masks = observations[:, extractor.size :]
        best, _ = self.policy.predict(observations, deterministic=True)
        # The highest of as many random numbers as there are legal actions is at any of them.
        drawn = (np.random.random(masks.shape) * masks).argmax(axis=1)  # noqa: NPY002 - as SB3 does
        rate = 1.0 if self.num_timesteps < learning_starts else self.exploration_rate
        explores = np.random.random(n_envs) < rate  # noqa: NPY002
        actions = np.where(explores, drawn, best)
        return actions, actions
