"""DQN of SB3. It knows no masks: its network gets them with the observation (masked.py).

bidarena train raj --algo dqn --opponent value
"""

from __future__ import annotations

from bidarena.train.sb3.learner import Paced, SB3Learner
from bidarena.train.sb3.masked import MaskedDQN, masked_learner
from bidarena.train.task import Task


class _PacedDQN(Paced, MaskedDQN):
    pass


def learner(task: Task) -> SB3Learner:
    """Return a learner that learns a task by DQN."""
    return masked_learner(task, _PacedDQN, "MaskedPolicy")
