"""A game in which players who decide at the same time act in one step: PettingZoo's Parallel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import CUT_SHORT, Game
from bidarena.envs.multi.table import Interface, View

try:
    from pettingzoo import ParallelEnv
except ImportError as missing:
    raise ImportError('this interface needs PettingZoo: pip install "bidarena[multi]"') from missing

Infos = dict[str, dict[str, Any]]


class RawParallel(Interface, ParallelEnv):  # type: ignore[misc]
    """A game in which players who decide at the same time act in one step.

    The arguments are those of `Interface`.
    """

    def __init__(self, game: str | Game, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(game, render_mode, **options)
        self.metadata["is_parallelizable"] = True
        self.agents: list[str] = []
        self._deciding: dict[int, NDArray[np.int8]] = {}
        self._steps = 0

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, View], Infos]:
        """Deal a new game; return each agent's observation and info.

        A seed determines this game and those that follow until the next seed.
        """
        self._table.deal(seed)
        self.agents = list(self.possible_agents)
        self._steps = 0
        self._deciding = {} if self._table.mover < 0 else self._deciders()
        return self._told(None)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, View], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Play the actions of the agents that decide now; ignore those of the others.

        Returns:
            observations, rewards, terminations, truncations and infos, each by agent.
        """
        table = self._table
        if not self.agents:
            return {}, {}, {}, {}, {}
        deciders = [self.possible_agents[seat] for seat in self._deciding]
        missing = [agent for agent in deciders if agent not in actions]
        if missing:
            raise ValueError(f"actions: {missing[0]} is to decide, but only {list(actions)} act")
        offender = None
        for agent in deciders:
            table.move(actions[agent])
            if table.illegal:
                offender = agent
                break
        self._steps += 1
        spent = table.mover >= 0 and self._steps == self.max_cycles
        cut = spent or table.mover == CUT_SHORT
        over = table.mover < 0 or spent
        rewards = dict.fromkeys(self.agents, 0.0) if table.mover >= 0 else table.results()
        terminations = dict.fromkeys(self.agents, over and not cut)
        truncations = dict.fromkeys(self.agents, cut)
        self._deciding = {} if over else self._deciders()
        views, infos = self._told(offender)
        if over:
            self.agents = []
        return views, rewards, terminations, truncations, infos

    def _told(self, offender: str | None) -> tuple[dict[str, View], Infos]:
        """Return what each agent observes, and its info; draw the window."""
        views, infos = {}, {}
        for seat, agent in enumerate(self.possible_agents):
            mask = self._deciding.get(seat, self._table.ones())
            views[agent] = self._table.view(seat, mask.copy())
            infos[agent] = self._info(mask.copy(), seat in self._deciding, agent == offender)
        if self.render_mode == "human":
            self.render()
        return views, infos

    def _deciders(self) -> dict[int, NDArray[np.int8]]:
        """Return the seats that decide at this moment, each with its mask.

        On a copy of the game each mover commits some legal action until the moment has passed. It
        does not matter which: a mask cannot depend on moves that are still hidden.
        """
        table, game = self._table, self.game
        assert table.batch is not None
        state, rng = table.state.copy(), table.batch.rngs[0].copy()
        moment = state[game.state[game.simultaneous]].copy() if game.simultaneous else None
        found: dict[int, NDArray[np.int8]] = {}
        mover = table.mover
        while mover >= 0 and mover not in found:
            mask = table.ones()
            game.call("legal")(game.cfg, state, mask)
            found[mover] = mask
            if game.simultaneous is None or moment is None:
                break
            game.call("step")(game.cfg, state, int(np.argmax(mask)), rng)
            mover = int(game.call("to_move")(game.cfg, state))
            if not np.array_equal(state[game.state[game.simultaneous]], moment):
                break
        return found

    def _seats_deciding(self) -> list[int]:
        return list(self._deciding)

    def _seat_drawn(self) -> int:
        return 0
