"""A game turn by turn, as PettingZoo's AEC interface."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import CUT_SHORT
from bidarena.envs.multi.table import Interface, View

try:
    from pettingzoo import AECEnv
except ImportError as missing:
    raise ImportError('this interface needs PettingZoo: pip install "bidarena[multi]"') from missing


class RawAEC(Interface, AECEnv):  # type: ignore[misc]
    """A game turn by turn. It does not check the order of calls: use `aec_env`, which does.

    The arguments are those of `Interface`.
    """

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; a seed determines it and those that follow until the next seed."""
        self._table.deal(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._moves = dict.fromkeys(self.agents, 0)
        self._over = False
        self.agent_selection = self.possible_agents[max(self._table.mover, 0)]
        self._tell()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> View:
        """Return what `agent` may know; its mask is all zeros while another agent is to move."""
        seat = self._table.seat_of[agent]
        return self._table.view(seat, self._mask(seat))

    def step(self, action: Any) -> None:
        """Play the action of the selected agent; give None for an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        table = self._table
        self._cumulative_rewards[agent] = 0.0
        table.move(action)
        self._moves[agent] += 1
        mover = table.mover
        spent = mover >= 0 and self._moves[self.possible_agents[mover]] == self.max_cycles
        self._over = mover < 0 or spent
        if self._over:
            self.rewards = dict.fromkeys(self.agents, 0.0) if spent else table.results()
            cut = spent or mover == CUT_SHORT
            self.terminations = dict.fromkeys(self.agents, not cut)
            self.truncations = dict.fromkeys(self.agents, cut)
            self.agent_selection = self.agents[0]
        else:
            self._clear_rewards()
            self.agent_selection = self.possible_agents[mover]
        self._tell(agent if table.illegal else None)
        self._accumulate_rewards()
        self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def _tell(self, offender: str | None = None) -> None:
        """Write the infos of all agents."""
        deciding = self._seats_deciding()
        self.infos = {
            agent: self._info(self._mask(seat), seat in deciding, agent == offender)
            for agent, seat in self._table.seat_of.items()
        }

    def _mask(self, seat: int) -> NDArray[np.int8]:
        """Return the mask of the player in `seat`."""
        if self._over:
            return self._table.ones()
        assert self._table.batch is not None
        mine = seat == self._table.mover
        masks: NDArray[np.int8] = self._table.batch.masks[0]
        return masks.copy() if mine else np.zeros_like(masks)

    def _seats_deciding(self) -> list[int]:
        return [] if self._over else [self._table.mover]

    def _seat_drawn(self) -> int:
        return self._table.seat_of[self.agent_selection]
