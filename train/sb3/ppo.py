"""PPO of SB3. It knows no masks: its network gets them with the observation (masked.py).

bidarena train raj --algo ppo --opponent minimax
"""

from __future__ import annotations

from stable_baselines3 import PPO

from bidarena.train.sb3.learner import Paced, SB3Learner
from bidarena.train.sb3.masked import MaskedActorCritic, masked_learner
from bidarena.train.task import Task


class _PacedPPO(Paced, PPO):
    pass


def learner(task: Task) -> SB3Learner:
    """Return a learner that learns a task by PPO."""
    return masked_learner(task, _PacedPPO, MaskedActorCritic)
