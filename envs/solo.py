"""The single Gymnasium environment, for every game: one learner among opponents."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from bidarena.envs.arguments import choice
from bidarena.envs.batch import as_action
from bidarena.envs.game import Game
from bidarena.envs.learner import LearnerBatch, Opponent, partner_places
from bidarena.envs.loop import DECIDER, FOR_LEARNER, OPPONENT_ILLEGAL, SEAT, WAITING
from bidarena.envs.registry import load, make_game

RENDER_MODES = ("ansi", "rgb_array")

Opponents = Opponent | Sequence[Opponent]


def spaces_of(game: Game) -> tuple[Any, Any]:
    """Return the observation space and the action space of a player."""
    low, high = game.observation_range
    return Box(low, high, (game.observation_size,), np.float32), Discrete(game.actions)


def opponents_of(
    game: Game,
    opponent: Opponents | None,
    opponents: Sequence[Opponents] | None,
    partner: Opponents | None = None,
) -> list[Any]:
    """Return who plays each seat after the learner's, from the keywords of `SoloEnv`.

    Raises:
        ValueError: the keywords contradict each other or the game.
    """
    places = partner_places(game)
    if partner is not None and (opponents is not None or not places):
        why = "give a partner or opponents" if places else f"{game.name} has no partners"
        raise ValueError(f"partner={partner!r}: {why}")
    if opponents is not None:
        if opponent is not None:
            raise ValueError("opponent, opponents: give one of the two")
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            raise ValueError(f"opponents={opponents!r}: expected a list, one for each other seat")
        return list(opponents)
    everybody: list[Any] = ["random" if opponent is None else opponent] * (game.players - 1)
    for place in places if partner is not None else ():
        everybody[place - 1] = partner
    return everybody


def render_state(game: Game, mode: str, state: NDArray[np.int64], seat: int) -> Any:
    """Draw a state as `seat` sees it; return text ("ansi") or pixels ("rgb_array").

    Raises:
        NotImplementedError: the game has no drawing of that kind.
    """
    path = game.ansi if mode == "ansi" else game.picture
    if not path:
        raise NotImplementedError(f"{game.name} has no {mode} rendering")
    return load(path)(game, state, seat)


def limited_spec(spec: EnvSpec | None, steps: int) -> EnvSpec | None:
    """Return a copy of `spec` that tells how long an episode can be, if `spec` does not tell."""
    if spec is None or spec.max_episode_steps is not None:
        return spec
    spec = copy(spec)
    spec.max_episode_steps = steps
    return spec


class SoloEnv(gym.Env[NDArray[np.float32], np.int64]):
    """One learner in a game whose other seats are played by bots.

    Args:
        game: a name that `bidarena list` shows, or a `Game`.
        opponent: the player of all other seats: a bot's name with options ("uniform:high=30"), a
            `Bot`, a callable `(observation, mask) -> action`, or a list of these of which one is
            drawn per episode. None: "random".
        opponents: one of these for each seat after the learner's, in order, instead of `opponent`.
        partner: the player of the partner's seat in games of two sides. None: `opponent`. "self":
            the learner plays both seats, and sees each time what the seat to move may know.
        seat: the learner's seat: a number, "random" or "alternate".
        illegal_action: "lose" (the game is over; reward -1, or the worst result of the game if that
            is worse) or "raise" (a ValueError, for debugging).
        render_mode: "ansi" or "rgb_array". None: nothing is drawn.
        **rules: the options of the game's rules.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012
    _spec: EnvSpec | None = None

    def __init__(
        self,
        game: str | Game,
        *,
        opponent: Opponents | None = None,
        opponents: Sequence[Opponents] | None = None,
        partner: Opponents | None = None,
        seat: int | str = "random",
        illegal_action: str = "lose",
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        self.game = make_game(game, **rules)
        if render_mode is not None:
            choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self.observation_space, self.action_space = spaces_of(self.game)
        lineup = opponents_of(self.game, opponent, opponents, partner)
        self._batch = LearnerBatch(
            self.game, 1, opponents=lineup, seat=seat, illegal_action=illegal_action
        )
        self._seeded = False
        self._bind()

    def _bind(self) -> None:
        """Keep views of the batch's only row, which make a step faster."""
        self._observation = self._batch.observations[0]
        self._mask = self._batch.masks[0]
        self._flags = self._batch.flags[:, 0]

    def __getstate__(self) -> dict[str, Any]:
        views = ("_observation", "_mask", "_flags")  # a pickled view would become a copy
        return {k: v for k, v in self.__dict__.items() if k not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    @property
    def spec(self) -> EnvSpec | None:
        """Return how Gymnasium made this environment.

        Its `max_episode_steps` is the number of decisions in the longest game under these rules
        (`Game.longest`), unless a smaller one was asked for. No game is cut short by it.
        """
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = limited_spec(spec, self.game.longest)

    @property
    def seat(self) -> int:
        """Return the learner's seat in the present game."""
        return int(self._batch.meta[0, SEAT])

    @property
    def deciding(self) -> int:
        """Return the seat to move: the learner's, or the partner's if the learner plays both."""
        return int(self._batch.meta[0, DECIDER])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Deal a new game; return the observation and `info` as `step` does.

        A seed determines this game and those that follow until the next seed.
        """
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self._batch.seed([seed], self.np_random)
            self._seeded = True
        self._batch.reset()
        info = {
            "action_mask": self._mask.copy(),
            "illegal_action": False,
            # in its first move; the game was dealt again
            "opponent_illegal_action": bool(self._flags[OPPONENT_ILLEGAL]),
        }
        return self._observation.copy(), info

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play `action`, then the other players up to the learner's next decision.

        Returns:
            observation, reward, terminated, truncated and info, as Gymnasium defines them. The info
            has `action_mask`, and `illegal_action` and `opponent_illegal_action`: whether one of
            these ended the game.
        """
        batch = self._batch
        if batch.meta[0, WAITING] != FOR_LEARNER:
            raise ResetNeeded("the game is over (or was never dealt): call reset() first")
        if type(action) is not int:
            action = as_action(action)
        batch.step_one(action)
        terminated, truncated, illegal, opponent_illegal = self._flags.tolist()
        info = {
            "action_mask": self._mask.copy(),
            "illegal_action": illegal,
            "opponent_illegal_action": opponent_illegal,
        }
        reward = batch.rewards.item()
        return self._observation.copy(), reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as bools, as MaskablePPO expects them."""
        return self._mask.astype(np.bool_)

    def render(self) -> Any:
        """Draw the game as the learner sees it; return None without a render mode."""
        if self.render_mode is None:
            gym.logger.warn(
                f"render() needs a mode: gym.make(..., render_mode={RENDER_MODES[0]!r})"
            )
            return None
        if not self._seeded:
            raise ResetNeeded("nothing to render before the first reset()")
        return render_state(self.game, self.render_mode, self._batch.states[0], self.deciding)
