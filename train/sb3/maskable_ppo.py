"""MaskablePPO of sb3-contrib, which is told the legal actions of every decision.

bidarena train raj --algo maskable_ppo --opponent greedy
"""

from __future__ import annotations

from typing import Any

from sb3_contrib import MaskablePPO

from bidarena.train.sb3.learner import Paced, SB3Learner, TimedEnv
from bidarena.train.task import Task


class _PacedPPO(Paced, MaskablePPO):
    pass


def learner(task: Task) -> SB3Learner:
    """Return a learner that learns a task by MaskablePPO."""

    def make(env: TimedEnv, settings: dict[str, Any], **more: Any) -> MaskablePPO:
        return _PacedPPO("MlpPolicy", env, **settings, **more)

    return SB3Learner(task, make)
