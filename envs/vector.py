"""The batched environment, for every game, as a `gymnasium.vector.VectorEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from bidarena.envs.arguments import choice, flag, whole
from bidarena.envs.game import Game
from bidarena.envs.learner import LearnerBatch
from bidarena.envs.loop import (
    DECIDER,
    FOR_LEARNER,
    FOR_RESET,
    ILLEGAL,
    OPPONENT_ILLEGAL,
    SEAT,
    TERMINATED,
    TRUNCATED,
    WAITING,
)
from bidarena.envs.registry import make_game
from bidarena.envs.solo import (
    RENDER_MODES,
    Opponents,
    limited_spec,
    opponents_of,
    render_state,
    spaces_of,
)

Array = NDArray[Any]


class BatchedEnv(gym.vector.VectorEnv[Array, Array, Array]):
    """Many games side by side, one learner in each, played by compiled code.

    With seed s, row i plays exactly the games of the single environment with seed s + i.

    Args:
        game: a name that `bidarena list` shows, or a `Game`.
        num_envs: the number of games.
        autoreset_mode: `AutoresetMode.NEXT_STEP` (default), `SAME_STEP` or `DISABLED`, also as
            the words "NextStep", "SameStep", "Disabled". With SAME_STEP the last observation of a
            finished game is in `info["final_obs"]`; with DISABLED finished rows must be reset by
            `reset(options={"reset_mask": ...})`.
        threads: in how many threads to work on the rows; the results do not depend on it.
        copy: False returns read-only views of buffers that the next step overwrites.
        max_episode_steps: after this many steps an episode is truncated, as by Gymnasium's
            `TimeLimit`. None or -1: no game is cut short.

    The arguments `opponent`, `opponents`, `partner`, `seat`, `illegal_action`, `render_mode` and
    the rules of the game are those of `SoloEnv`.
    """

    _spec: EnvSpec | None = None

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponent: Opponents | None = None,
        opponents: Sequence[Opponents] | None = None,
        partner: Opponents | None = None,
        seat: int | str = "random",
        illegal_action: str = "lose",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        copy: bool = True,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        self.game = make_game(game, **rules)
        if render_mode is not None:
            choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        modes = [mode.value for mode in AutoresetMode]
        if not isinstance(autoreset_mode, AutoresetMode):
            choice("autoreset_mode", autoreset_mode, modes)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "autoreset_mode": self.autoreset_mode,
        }
        self._batch = LearnerBatch(
            self.game,
            num_envs,
            opponents=opponents_of(self.game, opponent, opponents, partner),
            seat=seat,
            illegal_action=illegal_action,
            autoreset=self.autoreset_mode == AutoresetMode.SAME_STEP,
            threads=threads,
        )
        self.num_envs = self._batch.rows
        self.single_observation_space, self.single_action_space = spaces_of(self.game)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._copy = flag("copy", copy)
        self._seeded = False
        self._all = np.ones(self.num_envs, np.bool_)
        self._limit = None
        if max_episode_steps not in (None, -1):
            self._limit = whole("max_episode_steps", max_episode_steps, 1, 2**62)
        self._lengths = np.zeros(self.num_envs, np.int64)  # steps in each row, kept if limited

    @property
    def spec(self) -> EnvSpec | None:
        """Return how Gymnasium made this environment; `max_episode_steps` as for `SoloEnv`."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = limited_spec(spec, self._limit or self.game.longest)

    @property
    def seats(self) -> NDArray[np.int64]:
        """Return the learner's seat in each row."""
        return self._batch.meta[:, SEAT].copy()

    @property
    def deciding(self) -> NDArray[np.int64]:
        """Return the seat to move in each row; a partner's only with partner="self"."""
        return self._batch.meta[:, DECIDER].copy()

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory of all rows together."""
        return self._batch.nbytes

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal new games in all rows, or in those where `options["reset_mask"]` is True.

        Returns:
            the observations and an info as of `step`, both of all rows, dealt anew or not.
        """
        batch = self._batch
        where = None if options is None else options.get("reset_mask")
        if where is not None:
            where = np.asarray(where)
            if where.dtype != np.bool_ or where.shape != (self.num_envs,) or not where.any():
                raise ValueError(
                    f"options['reset_mask']: expected {self.num_envs} bools, at least one True"
                )
        if seed is not None or not self._seeded:
            if where is not None and not self._seeded:
                raise ResetNeeded("the first reset must be one of all rows")
            if isinstance(seed, int | np.integer):
                self._np_random, self._np_random_seed = gym.utils.seeding.np_random(int(seed))
            batch.seed(seed, self.np_random, where)
            self._seeded = True
        if where is not None:
            batch.show()
        batch.reset(where)
        self._lengths[slice(None) if where is None else where] = 0
        return self._out(batch.observations), self._info(self._out(batch.masks), batch.flags.copy())

    def step(self, actions: ArrayLike) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Play one action per row, then the other players up to the learner's next decisions.

        Returns:
            observations, rewards, terminated, truncated and an info, as Gymnasium defines them. The
            info has the `action_mask`, `illegal_action` and `opponent_illegal_action` of all rows.
        """
        batch = self._batch
        if not self._seeded:
            raise ResetNeeded("call reset() before the first step()")
        if self.autoreset_mode == AutoresetMode.DISABLED:
            over = batch.meta[:, WAITING] != FOR_LEARNER
            if over.any():
                raise ResetNeeded(f"row {int(np.argmax(over))} is over: reset it with reset_mask")
        dealing = None if self._limit is None else batch.meta[:, WAITING] == FOR_RESET
        copies = batch.new_copies() if self._copy else None
        batch.step(actions, copies)
        if copies is None:
            observations, masks = self._out(batch.observations), self._out(batch.masks)
            rewards, flags = batch.rewards.copy(), batch.flags.copy()
        else:
            observations, masks, rewards, flags = copies
        terminated, truncated = flags[TERMINATED], flags[TRUNCATED]
        cut = None  # rows in which the rules have not ended the game
        if self._limit is not None and dealing is not None:
            self._lengths = np.where(dealing, 0, self._lengths + 1)
            late = self._lengths >= self._limit
            cut = late & ~(terminated | truncated)
            truncated |= late
        info = self._info(masks, flags)
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            self._deal_next(terminated | truncated, cut, observations, info)
        elif cut is not None:
            batch.meta[cut, WAITING] = FOR_RESET
        return observations, rewards, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of all rows as bools, (num_envs, actions)."""
        return self._batch.masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """Return one drawing per row; None without a render mode."""
        if self.render_mode is None:
            return None
        if not self._seeded:
            raise ResetNeeded("nothing to render before the first reset()")
        states, seats = self._batch.states, self.deciding
        rows = range(self.num_envs)
        return tuple(
            render_state(self.game, self.render_mode, states[i], int(seats[i])) for i in rows
        )

    def _out(self, array: Array) -> Array:
        """Return a copy, or a read-only view with `copy=False`."""
        if self._copy:
            return array.copy()
        view = array.view()
        view.flags.writeable = False
        return view

    def _info(self, masks: Array, flags: Array) -> dict[str, Any]:
        """Return the info of all rows, in which every key is given for every row."""
        return {
            "action_mask": masks,
            "_action_mask": self._all.copy(),
            "illegal_action": flags[ILLEGAL],
            "_illegal_action": self._all.copy(),
            "opponent_illegal_action": flags[OPPONENT_ILLEGAL],
            "_opponent_illegal_action": self._all.copy(),
        }

    def _deal_next(
        self,
        done: NDArray[np.bool_],
        cut: NDArray[np.bool_] | None,
        observations: Array,
        info: dict[str, Any],
    ) -> None:
        """Add to the info of SAME_STEP what Gymnasium expects of the games that have ended.

        Args:
            done: the rows in which a game has ended.
            cut: those of them in which the next game is not dealt yet; it is dealt. None: none.
            observations: of all rows; where a game is dealt, they are replaced.
            info: of all rows; likewise.
        """
        batch = self._batch
        if not done.any():
            return
        cut = np.zeros_like(done) if cut is None else cut
        final_info = {
            "action_mask": np.where(
                cut[:, None], batch.masks, np.where(done[:, None], np.int8(1), np.int8(0))
            ),
            "illegal_action": batch.flags[ILLEGAL] & done,
            "opponent_illegal_action": batch.flags[OPPONENT_ILLEGAL] & done,
        }
        final_info.update({"_" + key: done.copy() for key in final_info})
        for key in ("illegal_action", "opponent_illegal_action"):
            info[key][done] = False  # they belong to the game that has ended
        if cut.any():
            batch.final_observations[cut] = observations[cut]
            batch.reset(cut)
            info["opponent_illegal_action"][cut] = batch.flags[OPPONENT_ILLEGAL, cut]
            if self._copy:
                observations[cut] = batch.observations[cut]
                info["action_mask"][cut] = batch.masks[cut]
        self._lengths[done] = 0
        final = np.full(self.num_envs, None, dtype=object)
        rows = np.flatnonzero(done)
        for row, view in zip(rows.tolist(), batch.final_observations[rows], strict=True):
            final[row] = view
        info["final_obs"], info["_final_obs"] = final, done.copy()
        info["final_info"], info["_final_info"] = final_info, done.copy()
