"""Masks for algorithms of SB3 that know none: PPO, A2C and DQN.

They cannot break the rules, so they need not learn them. The mask of legal actions stands at the
end of each observation. The network cuts it off before its first layer and applies it after its
last one: an illegal action has no probability (PPO, A2C), or a value so low that it is never the
best (DQN, also in the targets it learns from). Exploration draws legal actions only. Penalties for
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

from bidarena.train.sb3.learner import SB3Learner, TimedEnv
from bidarena.train.task import Task

NEVER = -1e8  # the logit or value of an illegal action


def masked_learner(task: Task, algorithm: type[Any], policy: Any) -> SB3Learner:
    """Return a learner of a task whose network gets the masks with the observations.

    Args:
        task: what to learn.
        algorithm: a class of SB3 with `Paced` mixed in.
        policy: the class of its policy, or the name that the algorithm has for it.
    """

    def make(env: TimedEnv, settings: dict[str, Any], *, policy_kwargs: Any, **more: Any) -> Any:
        cutting = {
            "features_extractor_class": CutMask,
            "features_extractor_kwargs": {"size": env.game.observation_size},
        }
        return algorithm(
            policy, env, policy_kwargs={**policy_kwargs, **cutting}, **settings, **more
        )

    return SB3Learner(task, make, masks_last=True)


class CutMask(BaseFeaturesExtractor):
    """Cuts the mask off the observation, and keeps it for the last layer."""

    def __init__(self, observation_space: gym.Space[Any], size: int) -> None:
        super().__init__(observation_space, size)
        self.size = size
        self.illegal = torch.zeros(
            0, dtype=torch.bool
        )  # (rows, actions), from the last observations

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the observations without their masks: (rows, size + actions) -> (rows, size)."""
        self.illegal = observations[:, self.size :] == 0
        return observations[:, : self.size]


class MaskedActorCritic(ActorCriticPolicy):
    """The policy of PPO and A2C; it gives illegal actions no probability."""

    def _get_action_dist_from_latent(self, latent_pi: torch.Tensor) -> Distribution:
        extractor: Any = self.features_extractor
        logits = self.action_net(latent_pi).masked_fill(extractor.illegal, NEVER)
        law: Any = self.action_dist
        return law.proba_distribution(action_logits=logits)


class _MaskedQNetwork(QNetwork):
    def forward(self, obs: Any) -> torch.Tensor:
        """Return values, (rows, actions); those of illegal actions are too low to be chosen."""
        values = super().forward(obs)
        extractor: Any = self.features_extractor
        return values.masked_fill(extractor.illegal, NEVER)


class _MaskedDQNPolicy(DQNPolicy):
    def make_q_net(self) -> QNetwork:
        """Return a network that applies the masks."""
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
        # The highest of the random numbers is at each of the legal actions equally often.
        drawn = (np.random.random(masks.shape) * masks).argmax(axis=1)  # noqa: NPY002 - as SB3 does
        rate = 1.0 if self.num_timesteps < learning_starts else self.exploration_rate
        explores = np.random.random(n_envs) < rate  # noqa: NPY002
        actions = np.where(explores, drawn, best)
        return actions, actions
