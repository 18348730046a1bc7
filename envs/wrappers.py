"""Wrappers around our environments that other people's training code asks for.

    env = MaskInObservation(gym.make("bidarena/Raj-v0"))        {"observation", "action_mask"}
    env = MaskInObservation(env, keys=("obs", "mask"))          Tianshou
    env = MaskInObservation(env, keys=("observations", "action_mask"))          RLlib
    env = NearestLegalAction(gym.make("bidarena/Raj-v0"))       for algorithms without masks
    envs = VectorMaskInObservation(gym.make_vec("bidarena/Raj-v0", 64))
    envs = VectorNearestLegalAction(gym.make_vec("bidarena/Raj-v0", 64))

No wrapper is needed for masks in infos beside a flat observation: all our environments give that,
`info["action_mask"]`. The like of `NearestLegalAction` is `NearestLegalVecEnv` in
`bidarena.envs.sb3`, and `NearestLegalAEC` and `NearestLegalParallel` in `bidarena.envs.multi`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from bidarena.envs.batch import as_action, as_actions

if TYPE_CHECKING:
    _VectorWrapper = gym.vector.VectorWrapper[Any, Any, Any, Any, Any]
else:
    _VectorWrapper = gym.vector.VectorWrapper  # has no parameters before Gymnasium 1.4

MASK = "action_mask"  # the key of the mask in infos

Keys = tuple[str, str]
View = dict[str, NDArray[Any]]


def nearest_legal(actions: NDArray[np.int64], masks: NDArray[Any]) -> NDArray[np.int64]:
    """Return the actions, each illegal one replaced by the legal one with the nearest number.

    Of two that are as near, the lower one is taken. Where nothing is legal, actions stay.

    Args:
        actions: (rows,) any whole numbers.
        masks: (rows, actions) which are legal.
    """
    size = masks.shape[1]
    inside = np.clip(actions, 0, size - 1)
    distances = np.abs(np.arange(size) - inside[:, None])
    nearest = np.where(masks != 0, distances, size).argmin(axis=1)
    return np.where((masks != 0).any(axis=1), nearest, actions)


def _masked_space(env: Any, view: Any, action: Any, keys: Keys) -> Dict:
    """Return the space of a dict with an observation and a mask; raise ValueError if it cannot be.

    Args:
        env: the wrapped environment, for the message.
        view: the space of an observation.
        action: the space of an action.
        keys: the two keys of the dict.
    """
    given = isinstance(keys, list | tuple) and [key for key in keys if isinstance(key, str)]
    if not given or len(given) != 2 or len(keys) != 2 or given[0] == given[1]:
        raise ValueError(f"keys={keys!r}: expected two different words")
    if not isinstance(action, gym.spaces.Discrete):
        raise ValueError(f"env={env}: expected an environment with Discrete actions")
    return Dict({keys[0]: view, keys[1]: Box(0, 1, (int(action.n),), np.int8)})


class MaskInObservation(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Observations become a dict with the observation and the mask, which leaves the info.

    Args:
        env: an environment whose info has "action_mask".
        keys: the keys of the observation and of the mask.
    """

    def __init__(self, env: gym.Env[Any, Any], keys: Keys = ("observation", "action_mask")) -> None:
        RecordConstructorArgs.__init__(self, keys=keys)
        super().__init__(env)
        self.observation_space = _masked_space(env, env.observation_space, env.action_space, keys)
        self._keys = tuple(keys)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[View, dict[str, Any]]:
        """Reset the environment; return the dict and the info without the mask."""
        view, info = self.env.reset(seed=seed, options=options)
        return self._masked(view, info)

    def step(self, action: Any) -> tuple[View, Any, bool, bool, dict[str, Any]]:
        """Play `action`; return the dict in the place of the observation."""
        view, reward, terminated, truncated, info = self.env.step(action)
        masked, info = self._masked(view, info)
        return masked, reward, terminated, truncated, info

    def _masked(self, view: Any, info: dict[str, Any]) -> tuple[View, dict[str, Any]]:
        info = dict(info)
        return dict(zip(self._keys, (view, info.pop(MASK)), strict=True)), info


class _VectorMasks(_VectorWrapper):
    """A vector environment that knows the masks of all rows.

    An info has not always all of them: Gymnasium's `SyncVectorEnv` leaves out the rows that are not
    among those that a reset was asked for.
    """

    def __init__(self, env: gym.vector.VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        actions = env.single_action_space
        if not isinstance(actions, gym.spaces.Discrete):
            raise ValueError(f"env={env}: expected an environment with Discrete actions")
        self._masks = np.zeros((self.num_envs, int(actions.n)), np.int8)

    @property
    def autoreset_mode(self) -> gym.vector.AutoresetMode:
        """Return when finished rows are reset; TorchRL asks for it here."""
        return self.metadata["autoreset_mode"]

    def _keep(self, info: dict[str, Any]) -> None:
        """Keep the masks of those rows for which the info has one."""
        where = info["_" + MASK]
        self._masks[where] = info[MASK][where]


class VectorMaskInObservation(_VectorMasks):
    """`MaskInObservation` for a vector environment; the last observations are dicts too.

    Args:
        env: a vector environment whose info has "action_mask".
        keys: the keys of the observations and of the masks.
    """

    def __init__(
        self,
        env: gym.vector.VectorEnv[Any, Any, Any],
        keys: Keys = ("observation", "action_mask"),
    ) -> None:
        super().__init__(env)
        single, action = env.single_observation_space, env.single_action_space
        self.single_observation_space = _masked_space(env, single, action, keys)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._keys = tuple(keys)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[View, dict[str, Any]]:
        """Reset the environments; return the dict and the info without the masks."""
        views, info = self.env.reset(seed=seed, options=options)
        return self._masked(views, info)

    def step(self, actions: Any) -> tuple[View, Any, Any, Any, dict[str, Any]]:
        """Play one action per row; return the dict in the place of the observations."""
        views, rewards, terminated, truncated, info = self.env.step(actions)
        masked, info = self._masked(views, info)
        return masked, rewards, terminated, truncated, info

    def _masked(self, views: Any, info: dict[str, Any]) -> tuple[View, dict[str, Any]]:
        self._keep(info)
        info = {key: value for key, value in info.items() if key not in (MASK, "_" + MASK)}
        if "final_obs" in info:
            ended = dict(info["final_info"])
            last = ended.pop(MASK)
            ended.pop("_" + MASK)
            final = np.full(self.num_envs, None, dtype=object)
            for row in np.flatnonzero(info["_final_obs"]).tolist():
                pair = (info["final_obs"][row], last[row])
                final[row] = dict(zip(self._keys, pair, strict=True))
            info["final_obs"], info["final_info"] = final, ended
        return dict(zip(self._keys, (views, self._masks.copy()), strict=True)), info


class NearestLegalAction(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Illegal actions are replaced by the legal action whose number is nearest.

    For algorithms that know no masks: without it nearly all their first games end by an illegal
    action. What is learned is then another game, in which several actions do the same, so prefer an
    algorithm with masks. `info["replaced_action"]` tells whether the last action was replaced, and
    `info["played_action"]` which one was played (-1 after a reset).

    Args:
        env: an environment that has `action_masks()`.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset the environment."""
        view, info = self.env.reset(seed=seed, options=options)
        return view, {**info, "replaced_action": False, "played_action": -1}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play `action`, or the nearest one that is legal."""
        wanted = as_action(action)
        masks = self.env.get_wrapper_attr("action_masks")()
        played = int(nearest_legal(np.array([wanted]), masks[None])[0])
        view, reward, terminated, truncated, info = self.env.step(played)
        info = {**info, "replaced_action": played != wanted, "played_action": played}
        return view, reward, terminated, truncated, info


class VectorNearestLegalAction(_VectorMasks):
    """`NearestLegalAction` for a vector environment: each row plays as one in that wrapper.

    Args:
        env: a vector environment whose info has "action_mask".
    """

    def __init__(self, env: gym.vector.VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self._over = np.zeros(
            self.num_envs, np.bool_
        )  # rows that are dealt a game by the next step

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset the environments."""
        views, info = self.env.reset(seed=seed, options=options)
        self._keep(info)
        self._over[:] = False
        nothing = np.zeros(self.num_envs, np.bool_)
        return views, {**info, **self._told(nothing, np.full(self.num_envs, -1))}

    def step(self, actions: ArrayLike) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play in each row its action, or the nearest one that is legal."""
        wanted = as_actions(actions, self.num_envs)
        played = np.where(self._over, wanted, nearest_legal(wanted, self._masks))
        views, rewards, terminated, truncated, info = self.env.step(played)
        self._keep(info)
        info = dict(info)
        replaced = (played != wanted) & ~self._over
        dealt = self._over
        if "final_info" in info:
            dealt = info["_final_info"]
            ended = {"replaced_action": replaced & dealt, "played_action": played * dealt}
            ended |= {"_" + key: dealt.copy() for key in ended}
            info["final_info"] = {**info["final_info"], **ended}
        info.update(self._told(replaced & ~dealt, np.where(dealt, -1, played)))
        if self.autoreset_mode == gym.vector.AutoresetMode.NEXT_STEP:
            self._over = terminated | truncated
        return views, rewards, terminated, truncated, info

    def _told(self, replaced: NDArray[np.bool_], played: NDArray[np.int64]) -> dict[str, Any]:
        """Return what the info has of the actions of all rows."""
        told: dict[str, Any] = {"replaced_action": replaced, "played_action": played}
        return told | {"_" + key: np.ones(self.num_envs, np.bool_) for key in told}
