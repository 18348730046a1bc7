"""A2C of SB3. It knows no masks: its network gets them with the observation (masked.py).

bidarena train raj --algo a2c --opponent minimax
"""

from __future__ import annotations

from typing import Any

from stable_baselines3 import A2C

from bidarena.train.masked import MaskedActorCritic, cutting
from bidarena.train.sb3_learner import Paced, SB3Learner, TimedEnv
from bidarena.train.task import Task


class _PacedA2C(Paced, A2C):
    pass


def learner(task: Task) -> SB3Learner:
    """A2C on a task."""

    def make(env: TimedEnv, settings: dict[str, Any], *, policy_kwargs: Any, **more: Any) -> A2C:
        policy_kwargs = cutting(policy_kwargs, env.game.observation_size)
        return _PacedA2C(MaskedActorCritic, env, policy_kwargs=policy_kwargs, **settings, **more)

    return SB3Learner(task, make, masks_last=True)
