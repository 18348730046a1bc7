"""DQN of SB3. It knows no masks: its network gets them with the observation (masked.py).

bidarena train raj --algo dqn --opponent value
"""

from __future__ import annotations

from typing import Any

from bidarena.train.masked import MaskedDQN, cutting
from bidarena.train.sb3_learner import Paced, SB3Learner, TimedEnv
from bidarena.train.task import Task


class _PacedDQN(Paced, MaskedDQN):
    pass


def learner(task: Task) -> SB3Learner:
    """DQN on a task."""

    def make(
        env: TimedEnv, settings: dict[str, Any], *, policy_kwargs: Any, **more: Any
    ) -> MaskedDQN:
        policy_kwargs = cutting(policy_kwargs, env.game.observation_size)
        return _PacedDQN("MaskedPolicy", env, policy_kwargs=policy_kwargs, **settings, **more)

    return SB3Learner(task, make, masks_last=True)
