"""Every game as a PettingZoo environment: turn by turn (AEC) and all at once (Parallel).

    env = aec_env("scotch", money=(50, 50))
    env = parallel_env("scotch")

Agents are named player_0, player_1, ... An observation is a dict with "observation" and
"action_mask". In the AEC interface players who move at the same time are asked one after another;
their moves stay hidden until all have moved. In the Parallel interface they give their actions
together. An agent that has nothing to decide gets a mask of ones, and its action is ignored. If
several actions of one step are illegal, the player with the lowest number loses the game.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

try:
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError as missing:
    raise ImportError('this interface needs PettingZoo: pip install "bidarena[multi]"') from missing

from bidarena.envs.arguments import choice
from bidarena.envs.batch import Batch, as_action
from bidarena.envs.game import CUT_SHORT, Game
from bidarena.envs.registry import env_id, make_game
from bidarena.envs.solo import RENDER_MODES, render_state, spaces_of

View = dict[str, NDArray[Any]]


def aec_env(game: str | Game, **options: Any) -> Any:
    """Return a game as an AEC environment, which raises if it is called in the wrong order.

    Args:
        game: a name that `bidarena list` shows, or a `Game`.
        **options: as for `RawAEC`.
    """
    return OrderEnforcingWrapper(RawAEC(game, **options))


def parallel_env(game: str | Game, **options: Any) -> Any:
    """Return a game as a Parallel environment.

    Args:
        game: a name that `bidarena list` shows, or a `Game`.
        **options: as for `RawParallel`.
    """
    return RawParallel(game, **options)


class _Table:
    """One game with all its players: what both interfaces share."""

    def __init__(self, game: str | Game, render_mode: str | None, **rules: Any) -> None:
        self.game = make_game(game, **rules)
        if render_mode is not None:
            choice("render_mode", render_mode, RENDER_MODES)
        self.names = [f"player_{i}" for i in range(self.game.players)]
        self.seat_of = {name: seat for seat, name in enumerate(self.names)}
        view, action = spaces_of(self.game)
        mask = Box(0, 1, (self.game.actions,), np.int8)
        self.observation_spaces = {
            name: Dict({"observation": Box(view.low, view.high), "action_mask": mask})
            for name in self.names
        }
        self.action_spaces = {name: Discrete(int(action.n)) for name in self.names}
        known = isinstance(game, str)
        label = env_id(game).partition("/")[2] if known else self.game.name  # type: ignore[arg-type]
        self.metadata = {
            "name": label.lower().replace("-", "_"),
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.batch: Batch | None = None

    def deal(self, seed: int | None) -> None:
        """Deal a new game."""
        if self.batch is None:
            self.batch = Batch(self.game, 1, seed=seed)
        else:
            self.batch.reset(seed=seed)

    @property
    def mover(self) -> int:
        """Return the player to move, OVER or CUT_SHORT."""
        assert self.batch is not None
        return int(self.batch.movers[0])

    @property
    def state(self) -> NDArray[np.int64]:
        """Return the state of the game, with all that is hidden."""
        if self.batch is None:
            raise ResetNeeded("call reset() first")
        return self.batch.states[0]

    def view(self, seat: int, mask: NDArray[np.int8]) -> View:
        """Return the dict that the agent in `seat` observes, with the given mask."""
        out = np.zeros(self.game.observation_size, np.float32)
        self.game.call("observe")(self.game.cfg, self.state, seat, out)
        return {"observation": out, "action_mask": mask}

    def move(self, action: Any) -> None:
        """Play the action of the player to move; None is an illegal action."""
        assert self.batch is not None
        self.batch.step([-1 if action is None else as_action(action)])

    def results(self) -> dict[str, float]:
        """Return each agent's result."""
        assert self.batch is not None
        return dict(zip(self.names, self.batch.returns[0].tolist(), strict=True))

    def ones(self) -> NDArray[np.int8]:
        """Return a mask that allows every action."""
        return np.ones(self.game.actions, np.int8)


class RawAEC(AECEnv):  # type: ignore[misc]
    """A game turn by turn. It does not check the order of calls: use `aec_env`, which does.

    Args:
        game: a name that `bidarena list` shows, or a `Game`.
        render_mode: "ansi" or "rgb_array". None: nothing is drawn.
        **rules: the options of the game's rules.
    """

    def __init__(self, game: str | Game, render_mode: str | None = None, **rules: Any) -> None:
        super().__init__()
        self._table = _Table(game, render_mode, **rules)
        self.game = self._table.game
        self.metadata = self._table.metadata
        self.render_mode = render_mode
        self.possible_agents = list(self._table.names)
        self.observation_spaces = self._table.observation_spaces
        self.action_spaces = self._table.action_spaces

    def observation_space(self, agent: str) -> gym.Space[Any]:
        """Return the space of the dict {"observation", "action_mask"}."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gym.Space[Any]:
        """Return the space of all actions of the game, legal or not."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; a seed determines it and those that follow until the next seed."""
        self._table.deal(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[max(self._table.mover, 0)]

    def observe(self, agent: str) -> View:
        """Return what `agent` may know; its mask is all zeros while another agent is to move."""
        table = self._table
        seat = table.seat_of[agent]
        if table.mover < 0:
            return table.view(seat, table.ones())
        assert table.batch is not None
        mine = seat == table.mover
        mask = table.batch.masks[0].copy() if mine else np.zeros(self.game.actions, np.int8)
        return table.view(seat, mask)

    def step(self, action: Any) -> None:
        """Play the action of the selected agent; give None for an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        table = self._table
        self._cumulative_rewards[agent] = 0.0
        table.move(action)
        assert table.batch is not None
        if table.batch.illegal[0]:
            self.infos[agent]["illegal_action"] = True
        if table.mover < 0:
            self.rewards = table.results()
            cut = table.mover == CUT_SHORT
            self.terminations = dict.fromkeys(self.agents, not cut)
            self.truncations = dict.fromkeys(self.agents, cut)
            self.agent_selection = self.agents[0]
        else:
            self._clear_rewards()
            self.agent_selection = self.possible_agents[table.mover]
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> Any:
        """Draw the game as the selected agent sees it; return None without a render mode."""
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode")
            return None
        seat = self._table.seat_of[self.agent_selection]
        return render_state(self.game, self.render_mode, self._table.state, seat)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


class RawParallel(ParallelEnv):  # type: ignore[misc]
    """A game in which players who decide at the same time act in one step.

    Args:
        game: a name that `bidarena list` shows, or a `Game`.
        render_mode: "ansi" or "rgb_array". None: nothing is drawn.
        **rules: the options of the game's rules.
    """

    def __init__(self, game: str | Game, render_mode: str | None = None, **rules: Any) -> None:
        self._table = _Table(game, render_mode, **rules)
        self.game = self._table.game
        self.metadata = {**self._table.metadata, "is_parallelizable": True}
        self.render_mode = render_mode
        self.possible_agents = list(self._table.names)
        self.agents: list[str] = []
        self._deciding: dict[int, NDArray[np.int8]] = {}
        self.observation_spaces = self._table.observation_spaces
        self.action_spaces = self._table.action_spaces

    def observation_space(self, agent: str) -> gym.Space[Any]:
        """Return the space of the dict {"observation", "action_mask"}."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gym.Space[Any]:
        """Return the space of all actions of the game, legal or not."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, View], dict[str, dict[str, Any]]]:
        """Deal a new game; return each agent's observation and an empty info.

        A seed determines this game and those that follow until the next seed.
        """
        self._table.deal(seed)
        self.agents = list(self.possible_agents)
        return self._views(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, View], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Play the actions of the agents that decide now; ignore those of the others.

        Returns:
            observations, rewards, terminations, truncations and infos, each by agent.
        """
        table = self._table
        if not self.agents:
            return {}, {}, {}, {}, {}
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        deciders = [self.possible_agents[seat] for seat in self._deciding]
        missing = [agent for agent in deciders if agent not in actions]
        if missing:
            raise ValueError(f"actions: {missing[0]} is to decide, but only {list(actions)} act")
        for agent in deciders:
            table.move(actions[agent])
            assert table.batch is not None
            if table.batch.illegal[0]:
                infos[agent]["illegal_action"] = True
                break
        over = table.mover < 0
        cut = table.mover == CUT_SHORT
        rewards = table.results() if over else dict.fromkeys(self.agents, 0.0)
        terminations = dict.fromkeys(self.agents, over and not cut)
        truncations = dict.fromkeys(self.agents, cut)
        views = self._views()
        if over:
            self.agents = []
        return views, rewards, terminations, truncations, infos

    def render(self) -> Any:
        """Draw the game as player 0 sees it; return None without a render mode."""
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode")
            return None
        return render_state(self.game, self.render_mode, self._table.state, 0)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _views(self) -> dict[str, View]:
        """Find out who decides now, and return what each agent observes."""
        table = self._table
        self._deciding = {} if table.mover < 0 else self._deciders()
        masks = {seat: mask.copy() for seat, mask in self._deciding.items()}
        return {
            agent: table.view(seat, masks.get(seat, table.ones()))
            for seat, agent in enumerate(self.possible_agents)
        }

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
