"""PPO of SB3. It knows no masks: its network gets them with the observation (masked.py).

bidarena train raj --algo ppo --opponent minimax
"""

from __future__ import annotations

from typing import Any

from stable_baselines3 import PPO

from bidarena.train.masked import MaskedActorCritic, cutting
from bidarena.train.sb3_learner import Paced, SB3Learner, TimedEnv
from bidarena.train.task import Task


class _PacedPPO(Paced, PPO):
    pass


def learner(task: Task) -> SB3Learner:
    """PPO on a task."""

    def make(env: TimedEnv, settings: dict[str, Any], *, policy_kwargs: Any, **more: Any) -> PPO:
        policy_kwargs = cutting(policy_kwargs, env.game.observation_size)
        return _PacedPPO(MaskedActorCritic, env, policy_kwargs=policy_kwargs, **settings, **more)

    return SB3Learner(task, make, masks_last=True)
