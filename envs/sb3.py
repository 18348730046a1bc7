"""The batched environment, for every game, as a Stable-Baselines3 `VecEnv`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.envs.registration import spec as gym_spec
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
except ImportError as missing:
    raise ImportError('this interface needs SB3: pip install "bidarena[train]"') from missing

from bidarena.envs.arguments import choice
from bidarena.envs.batch import as_actions
from bidarena.envs.game import Game
from bidarena.envs.learner import LearnerBatch
from bidarena.envs.loop import DECIDER, ILLEGAL, TERMINATED, TRUNCATED
from bidarena.envs.registry import env_id, make_game
from bidarena.envs.solo import Opponents, limited_spec, opponents_of, render_state, spaces_of
from bidarena.envs.wrappers import nearest_legal

Indices = None | int | Iterable[int]


class SB3Env(VecEnv):
    """Many games side by side for SB3's algorithms, one learner in each.

    In the step in which a game ends, the next one is dealt. The info of that row then has
    `terminal_observation`, `TimeLimit.truncated` and the monitor's `episode` (return, length,
    seconds), so that no VecMonitor is needed, and `env_is_wrapped(Monitor)` is True. MaskablePPO
    finds the masks through `env_method("action_masks")`. Every info has the `action_mask` for the
    next action, and `illegal_action` and `opponent_illegal_action`: whether one of these ended the
    game in this step.

    Args:
        game: a name, as `bidarena list` shows them, a Gymnasium id, or a `Game`.
        num_envs: how many games.
        threads: in how many threads to work on the rows; the results do not depend on it.

    The arguments `opponent`, `opponents`, `partner`, `seat`, `illegal_action`, `render_mode` and
    the rules of the game are those of `SoloEnv`.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        opponent: Opponents | None = None,
        opponents: Sequence[Opponents] | None = None,
        partner: Opponents | None = None,
        seat: int | str = "random",
        illegal_action: str = "lose",
        threads: int = 1,
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        self.game = make_game(game, **rules)
        if render_mode is not None:
            choice("render_mode", render_mode, ("rgb_array",))  # the only mode of SB3
        self.render_mode = render_mode
        self._batch = LearnerBatch(
            self.game,
            num_envs,
            opponents=opponents_of(self.game, opponent, opponents, partner),
            seat=seat,
            illegal_action=illegal_action,
            autoreset=True,
            threads=threads,
        )
        self._seeded = False
        self._actions: NDArray[Any] = np.zeros(num_envs, np.int64)
        self._lengths = np.zeros(num_envs, np.int64)
        self._began = time.time()
        self.spec: EnvSpec | None = None  # as `gym.make` would give it to a row
        if isinstance(game, str):
            chosen: dict[str, Any] = {
                "opponent": opponent,
                "opponents": opponents,
                "partner": partner,
                "render_mode": render_mode,
            }
            kwargs = {name: value for name, value in chosen.items() if value is not None}
            kwargs |= {"seat": seat, "illegal_action": illegal_action, **rules}
            spec = copy(gym_spec(env_id(game)))
            spec.kwargs = {**spec.kwargs, **kwargs}
            self.spec = limited_spec(spec, self.game.longest)
        super().__init__(num_envs, *spaces_of(self.game))

    def reset(self) -> NDArray[np.float32]:
        """Deal new games in all rows, seeded if `seed` was called before; return observations."""
        seeds = [None if s is None else int(s) for s in self._seeds]
        if any(s is not None for s in seeds) or not self._seeded:
            self._batch.seed(seeds, np.random.default_rng())
            self._seeded = True
        self._reset_seeds()
        self._reset_options()
        self._batch.reset()
        self._lengths[:] = 0
        self.reset_infos = self._infos()
        return self._batch.observations.copy()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the kept actions, then the other players up to the learner's next decisions.

        Returns:
            observations, rewards, dones and one info per row, as SB3 defines them.
        """
        if not self._seeded:
            raise ResetNeeded("call reset() before the first step()")
        batch = self._batch
        batch.step(self._actions)
        self._lengths += 1
        dones = batch.flags[TERMINATED] | batch.flags[TRUNCATED]
        infos = self._infos()
        seconds = round(time.time() - self._began, 6)
        for row in np.flatnonzero(dones):
            info = infos[row]
            info["terminal_observation"] = batch.final_observations[row].copy()
            info["TimeLimit.truncated"] = bool(batch.flags[TRUNCATED, row])
            info["episode"] = {
                "r": float(batch.rewards[row]),
                "l": int(self._lengths[row]),
                "t": seconds,
            }
        self._lengths[dones] = 0
        return batch.observations.copy(), batch.rewards.astype(np.float32), dones, infos

    def _infos(self) -> list[dict[str, Any]]:
        """Return what every info has, one dict per row."""
        masks = self._batch.masks.copy()
        rows = zip(masks, *self._batch.flags[ILLEGAL:].tolist(), strict=True)
        return [
            {"action_mask": mask, "illegal_action": own, "opponent_illegal_action": other}
            for mask, own, other in rows
        ]

    def set_opponents(
        self,
        *,
        opponent: Opponents | None = None,
        opponents: Sequence[Opponents] | None = None,
        partner: Opponents | None = None,
    ) -> None:
        """Replace the opponents from the next step on, also in games that have begun.

        `opponent`, `opponents` and `partner` mean the same as for `SoloEnv`.
        """
        self._batch.change_opponents(opponents_of(self.game, opponent, opponents, partner))

    def rows(self) -> dict[str, NDArray[Any]]:
        """Return copies of all arrays that make up the games, for `go_on`."""
        kept = {name: array.copy() for name, array in self._batch.arrays().items()}
        return {**kept, "lengths": self._lengths.copy()}

    def go_on(self, rows: Mapping[str, NDArray[Any]]) -> None:
        """Continue exactly where `rows()` of a like environment was called; needs no reset."""
        self._batch.restore(rows)
        self._lengths[:] = rows["lengths"]
        self._reset_seeds()
        self._seeded = True

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of all rows as bools, (num_envs, actions)."""
        return self._batch.masks.astype(np.bool_)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the action mask of each row. No other method can be called per row."""
        if method_name != "action_masks":
            raise AttributeError(f"{method_name!r}: rows of a batch have only 'action_masks'")
        masks = self.action_masks()
        return [masks[row] for row in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of this environment, repeated for each row."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of this environment, which all rows share.

        Raises:
            AttributeError: `indices` are given.
        """
        if indices is not None:
            raise AttributeError(f"{attr_name!r}: rows of a batch share their attributes")
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Indices = None) -> list[bool]:
        """Return for each row whether it does what the wrapper does: True for `Monitor` only."""
        counted = issubclass(wrapper_class, Monitor)
        return [counted for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return one picture per row; None for each without render_mode="rgb_array"."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        seats = self._batch.meta[:, DECIDER].tolist()
        states = self._batch.states
        return [render_state(self.game, "rgb_array", states[i], s) for i, s in enumerate(seats)]


class NearestLegalVecEnv(VecEnvWrapper):
    """Illegal actions are replaced by the legal ones whose numbers are nearest.

    For SB3's algorithms without masks, such as PPO and DQN; see `NearestLegalAction` in
    `bidarena.envs.wrappers`, which also says why masks are better. The infos have
    `replaced_action` and `played_action`.

    Args:
        venv: an environment whose rows have `action_masks()`, such as `SB3Env`.
    """

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv)
        self._wanted = self._played = np.zeros(venv.num_envs, np.int64)

    def reset(self) -> Any:
        """Reset all rows; return observations."""
        return self.venv.reset()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions, or the nearest legal ones, for `step_wait`."""
        self._wanted = as_actions(actions, self.num_envs)
        masks = np.stack(self.venv.env_method("action_masks"))
        self._played = nearest_legal(self._wanted, masks)
        self.venv.step_async(self._played)

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the kept actions; return observations, rewards, dones and infos."""
        views, rewards, dones, infos = self.venv.step_wait()
        for info, wanted, played in zip(infos, self._wanted, self._played, strict=True):
            info["replaced_action"], info["played_action"] = bool(wanted != played), int(played)
        return views, rewards, dones, infos
