"""Illegal actions replaced by the nearest legal one, in both PettingZoo interfaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper
except ImportError as missing:
    raise ImportError('this interface needs PettingZoo: pip install "bidarena[multi]"') from missing

from bidarena.envs.batch import as_action
from bidarena.envs.wrappers import nearest_legal


class NearestLegalAEC(BaseWrapper):  # type: ignore[misc]
    """Illegal actions are replaced by the legal action whose number is nearest.

    For algorithms that know no masks; see `NearestLegalAction` in `bidarena.envs.wrappers`.
    """

    def step(self, action: Any) -> None:
        """Play the selected agent's action, or the nearest one that is legal."""
        info = self.env.infos[self.env.agent_selection]
        self.env.step(_nearest(action, info["action_mask"]) if info["decides"] else action)


class NearestLegalParallel(BaseParallelWrapper):  # type: ignore[misc]
    """Illegal actions are replaced by the legal actions whose numbers are nearest.

    For algorithms that know no masks; see `NearestLegalAction` in `bidarena.envs.wrappers`.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._infos: dict[str, dict[str, Any]] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Deal a new game; return each agent's observation and info."""
        views, self._infos = self.env.reset(seed=seed, options=options)
        return views, self._infos

    def step(self, actions: dict[str, Any]) -> Any:
        """Play the agents' actions, or the nearest ones that are legal."""
        played = {
            agent: _nearest(action, self._infos[agent]["action_mask"])
            for agent, action in actions.items()
            if self._infos[agent]["decides"]
        }
        *results, infos = self.env.step({**actions, **played})
        self._infos = infos or self._infos
        return (*results, infos)


def _nearest(action: Any, mask: NDArray[np.int8]) -> int:
    """Return the legal action nearest to `action`; None counts as action 0."""
    wanted = 0 if action is None else as_action(action)
    return int(nearest_legal(np.array([wanted]), mask[None])[0])
