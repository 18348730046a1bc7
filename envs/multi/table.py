"""A game with all its players, and what both PettingZoo interfaces share."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

try:
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError as missing:
    raise ImportError('this interface needs PettingZoo: pip install "bidarena[multi]"') from missing

from bidarena.envs.arguments import choice, flag, whole
from bidarena.envs.batch import Batch, as_action
from bidarena.envs.drawing.window import Window
from bidarena.envs.game import Game
from bidarena.envs.registry import env_id, make_game
from bidarena.envs.solo import render_state, spaces_of

__all__ = ["Interface", "OrderEnforcingWrapper", "Table", "View"]

RENDER_MODES = ("human", "ansi", "rgb_array")
MASKS = ("observations", "infos")
FRAMES_PER_SECOND = 2

View = Any  # a dict with "observation" and "action_mask", or an array


class Table:
    """One game with all its players.

    Args:
        game: a name, an id or a `Game`.
        masks: "observations" or "infos".
        perfect_information: whether all players see what any of them sees.
        **rules: the options of the game's rules.
    """

    def __init__(
        self, game: str | Game, masks: str, perfect_information: bool, **rules: Any
    ) -> None:
        self.game = make_game(game, **rules)
        choice("masks", masks, MASKS)
        self.perfect = flag("perfect_information", perfect_information)
        self.flat = masks == "infos"
        self.names = [f"player_{i}" for i in range(self.game.players)]
        self.seat_of = {name: seat for seat, name in enumerate(self.names)}
        self.batch: Batch | None = None

    def view_space(self) -> Any:
        """Return the space of what an agent observes."""
        low, high = self.game.observation_range
        size = self.game.observation_size * (self.game.players if self.perfect else 1)
        view = Box(low, high, (size,), np.float32)
        if self.flat:
            return view
        mask = Box(0, 1, (self.game.actions,), np.int8)
        return Dict({"observation": view, "action_mask": mask})

    def state_space(self) -> Box:
        """Return the space of `overview`."""
        low, high = self.game.observation_range
        players, size = self.game.players, self.game.observation_size
        lows = np.concatenate([np.full(players * size, low), np.zeros(players)])
        highs = np.concatenate([np.full(players * size, high), np.ones(players)])
        return Box(lows.astype(np.float32), highs.astype(np.float32))

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
    def illegal(self) -> bool:
        """Return whether the last move was illegal."""
        assert self.batch is not None
        return bool(self.batch.illegal[0])

    @property
    def state(self) -> NDArray[np.int64]:
        """Return the state of the game, with all that is hidden."""
        if self.batch is None:
            raise ResetNeeded("call reset() first")
        return self.batch.states[0]

    def seen_by(self, seats: list[int]) -> NDArray[np.float32]:
        """Return the observations of some players, one after another."""
        out = np.zeros((len(seats), self.game.observation_size), np.float32)
        for seat, row in zip(seats, out, strict=True):
            self.game.call("observe")(self.game.cfg, self.state, seat, row)
        return out.ravel()

    def view(self, seat: int, mask: NDArray[np.int8]) -> View:
        """Return what the agent in `seat` observes, with the given mask unless views are flat."""
        players = self.game.players
        seats = [(seat + k) % players for k in range(players if self.perfect else 1)]
        seen = self.seen_by(seats)
        return seen if self.flat else {"observation": seen, "action_mask": mask}

    def overview(self, deciding: list[int]) -> NDArray[np.float32]:
        """Return the observations of all players, and 1 for each that decides now, else 0."""
        decides = np.zeros(self.game.players, np.float32)
        decides[deciding] = 1
        return np.concatenate([self.seen_by(list(range(self.game.players))), decides])

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


class Interface:
    """What both interfaces share: arguments, spaces, the state, drawing.

    Args:
        game: a name that `bidarena list` shows, a Gymnasium id, or a `Game`.
        render_mode: "human" (a window, drawn anew by every reset and step), "ansi" or "rgb_array".
            None: nothing is drawn.
        max_cycles: the game is truncated after so many cycles: in the Parallel interface so many
            steps, in AEC when an agent is to move that has moved so often. None: no limit.
        masks: "observations" (dicts with "observation" and "action_mask") or "infos" (flat arrays,
            the masks are only in the infos).
        perfect_information: True: observations are the agent's own and those of all others.
        **rules: the options of the game's rules.
    """

    def __init__(
        self,
        game: str | Game,
        render_mode: str | None = None,
        *,
        max_cycles: int | None = None,
        masks: str = "observations",
        perfect_information: bool = False,
        **rules: Any,
    ) -> None:
        super().__init__()
        self._table = Table(game, masks, perfect_information, **rules)
        self.game = self._table.game
        if render_mode is not None:
            choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        if max_cycles is not None:
            self.max_cycles = whole("max_cycles", max_cycles, 1, 2**62)
        names = self._table.names
        self.possible_agents = list(names)
        self.observation_spaces = {name: self._table.view_space() for name in names}
        actions = int(spaces_of(self.game)[1].n)
        self.action_spaces = {name: Discrete(actions) for name in names}
        self.state_space = self._table.state_space()
        label = env_id(game).partition("/")[2] if isinstance(game, str) else self.game.name
        self.metadata: dict[str, Any] = {
            "name": label.lower().replace("-", "_"),
            "render_modes": list(RENDER_MODES),
            "render_fps": FRAMES_PER_SECOND,
            "is_parallelizable": False,
        }
        self._window = Window(self.metadata["name"])

    def observation_space(self, agent: str) -> gym.Space[Any]:
        """Return the space of what an agent observes; the same object in every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gym.Space[Any]:
        """Return the space of all actions of the game, legal or not."""
        return self.action_spaces[agent]

    def state(self) -> NDArray[np.float32]:
        """Return the observations of all players and who decides now, for centralised critics."""
        return self._table.overview(self._seats_deciding())

    def render(self) -> Any:
        """Draw the game as one player sees it; return None for a window or without a render mode.

        AEC: as the selected agent sees it. Parallel: as player 0 sees it.
        """
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode")
            return None
        mode = "rgb_array" if self.render_mode == "human" else self.render_mode
        drawn = render_state(self.game, mode, self._table.state, self._seat_drawn())
        if self.render_mode != "human":
            return drawn
        self._window.show(drawn, self.metadata["render_fps"])
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()

    def _info(self, mask: NDArray[np.int8], decides: bool, illegal: bool) -> dict[str, Any]:
        return {"action_mask": mask, "decides": decides, "illegal_action": illegal}

    def _seats_deciding(self) -> list[int]:
        """Return the seats that decide now."""
        raise NotImplementedError

    def _seat_drawn(self) -> int:
        """Return the seat from which the game is drawn."""
        raise NotImplementedError
