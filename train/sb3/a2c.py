"""A2C of SB3. It knows no masks: its network gets them with the observation (masked.py).

bidarena train raj --algo a2c --opponent minimax
"""

from __future__ import annotations

from stable_baselines3 import A2C

from bidarena.train.sb3.learner import Paced, SB3Learner
from bidarena.train.sb3.masked import MaskedActorCritic, masked_learner
from bidarena.train.task import Task


class _PacedA2C(Paced, A2C):
    pass


def learner(task: Task) -> SB3Learner:
    """Return a learner that learns a task by A2C."""
    return masked_learner(task, _PacedA2C, MaskedActorCritic)
