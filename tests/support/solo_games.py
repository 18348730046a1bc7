"""Small games in the single environment, and ways to play them through."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidarena.envs import batched
from bidarena.envs.solo import SoloEnv

SMALL = {"length": 4, "money": (3, 3)}


def scotch(**kwargs: Any) -> SoloEnv:
    return SoloEnv("scotch", **{**SMALL, **kwargs})


def first(observation: Any, mask: np.ndarray) -> int:
    """The lowest legal action."""
    return int(np.flatnonzero(mask)[0])


def last(observation: Any, mask: np.ndarray) -> int:
    """The highest legal action."""
    return int(np.flatnonzero(mask)[-1])


def episode(env: SoloEnv, choose: Any, seed: int | None = None) -> list[tuple[Any, ...]]:
    """All steps of one episode."""
    view, info = env.reset(seed=seed)
    steps = []
    while True:
        action = choose(view, info["action_mask"])
        view, reward, terminated, truncated, info = env.step(action)
        steps.append((view, reward, terminated, truncated, info))
        if terminated or truncated:
            return steps


def trace(env: SoloEnv, count: int, info: dict[str, Any], seed: int = 0) -> list[Any]:
    """Random legal steps from where the environment stands."""
    choice = np.random.default_rng(seed)
    out: list[Any] = []
    for _ in range(count):
        action = int(choice.choice(np.flatnonzero(info["action_mask"])))
        view, reward, terminated, truncated, info = env.step(action)
        out.append((view.tolist(), reward, terminated, truncated, info["action_mask"].tolist()))
        if terminated or truncated:
            view, info = env.reset()
            out.append((view.tolist(), env.seat))
    return out


@batched
def batched_last(observations, masks):
    return [last(None, mask) for mask in masks]
