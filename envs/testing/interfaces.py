"""The part of the conformance kit about interfaces: ours, and the checkers of other libraries."""

from __future__ import annotations

import contextlib
import io
import pickle
import warnings
from typing import Any

import numpy as np

from bidarena.envs.batch import Batch
from bidarena.envs.game import OVER, Game
from bidarena.envs.learner import LearnerBatch
from bidarena.envs.solo import SoloEnv
from bidarena.envs.vector import BatchedEnv


def check_determinism(game: Game, *, seed: int = 0, steps: int = 200) -> None:
    """Check that equal seeds give equal episodes, in a new environment and after a reset."""
    first, second = SoloEnv(game), SoloEnv(game)
    trace = _trace(first, seed, steps)
    assert trace == _trace(second, seed, steps), f"{game}: two environments differ"
    assert trace == _trace(first, seed, steps), f"{game}: reset(seed) does not start anew"


def _trace(env: SoloEnv, seed: int, steps: int) -> list[Any]:
    """Return all that a seeded environment shows in some random steps."""
    view, info = env.reset(seed=seed)
    return [view.tolist(), *_play_on(env, info, seed, steps)]


def _play_on(env: SoloEnv, info: dict[str, Any], seed: int, steps: int) -> list[Any]:
    """Play some random steps and return all that the environment shows."""
    choice = np.random.default_rng(seed)
    trace: list[Any] = []
    for _ in range(steps):
        action = int(choice.choice(np.flatnonzero(info["action_mask"])))
        view, reward, terminated, truncated, info = env.step(action)
        trace.append((view.tolist(), reward, terminated, truncated))
        if terminated or truncated:
            assert info["action_mask"].all(), "the mask at the end of a game must be all ones"
            view, info = env.reset()
            trace.append(view.tolist())
    return trace


def check_rows(game: Game, *, seed: int = 0, rows: int = 5, steps: int = 150) -> None:
    """Check that row i of a batch with seed s plays as the single environment with seed s + i."""
    for threads in (1, 2):
        batch = BatchedEnv(game, rows, threads=threads)
        views, infos = batch.reset(seed=seed)
        singles = [SoloEnv(game) for _ in range(rows)]
        own = [env.reset(seed=seed + i) for i, env in enumerate(singles)]
        ended = [False] * rows
        choice = np.random.default_rng(seed)
        rewards, done = np.zeros(rows), np.zeros(rows, bool)
        for _ in range(steps):
            for i in range(rows):
                same = np.array_equal(views[i], own[i][0])
                same &= np.array_equal(infos["action_mask"][i], own[i][1]["action_mask"])
                assert same, f"{game}: row {i} differs from the single environment"
            actions = [int(choice.choice(np.flatnonzero(m))) for m in infos["action_mask"]]
            views, rewards, terminated, truncated, infos = batch.step(actions)
            done = terminated | truncated
            for i, env in enumerate(singles):
                if ended[i]:
                    own[i], ended[i] = env.reset(), False
                    assert not done[i] and rewards[i] == 0.0
                    continue
                view, reward, over, cut, info = env.step(actions[i])
                own[i], ended[i] = (view, info), over or cut
                assert (reward, over or cut) == (rewards[i], done[i]), f"{game}: row {i} differs"


def check_illegal_actions(game: Game, *, seed: int = 0) -> None:
    """Check that an illegal action loses the game at once, and leaves other rows alone."""
    rows = 4
    for wrong in (-1, game.actions, 10**6):
        batch, untouched = Batch(game, rows, seed=seed), Batch(game, rows, seed=seed)
        actions = np.array([int(np.flatnonzero(mask)[0]) for mask in batch.masks])
        untouched.step(actions)
        loser = int(batch.movers[1])
        actions[1] = wrong
        batch.step(actions)
        assert batch.illegal.tolist() == [False, True, False, False]
        assert batch.movers[1] == OVER and batch.returns[1, loser] <= -1.0
        others = [0, 2, 3]
        same = np.array_equal(batch.states[others], untouched.states[others])
        assert same, f"{game}: an illegal action in one row changed another"
    batch = Batch(game, 1, seed=seed)
    forbidden = np.flatnonzero(batch.masks[0] == 0)
    if len(forbidden):
        batch.step([forbidden[0]])
        assert batch.illegal[0], f"{game}: action {forbidden[0]} is masked but was accepted"
    env = SoloEnv(game)
    env.reset(seed=seed)
    _, reward, terminated, _, info = env.step(game.actions)
    assert terminated and reward <= -1.0 and info["illegal_action"] is True


def check_pickling(game: Game, *, seed: int = 0) -> None:
    """Check that a game, an environment and a batch go on unchanged after pickling."""
    copy = pickle.loads(pickle.dumps(game))
    assert copy.options == game.options and np.array_equal(copy.cfg, game.cfg)
    env = SoloEnv(game)
    _, info = env.reset(seed=seed)
    twin = pickle.loads(pickle.dumps(env))
    expected = _play_on(env, info, seed, 50)
    assert _play_on(twin, info, seed, 50) == expected, f"{game}: a pickled environment goes astray"
    assert _trace(env, seed, 50) == _trace(twin, seed, 50)
    batch = LearnerBatch(game, 3, opponents=["random"] * (game.players - 1), threads=2)
    batch.seed(seed, np.random.default_rng(0))
    batch.reset()
    other = pickle.loads(pickle.dumps(batch))
    for _ in range(20):
        actions = batch.masks.argmax(axis=1)
        batch.step(actions)
        other.step(actions)
        assert np.array_equal(batch.states, other.states)


def check_gymnasium(game: Game) -> None:
    """Run Gymnasium's checker; warnings are errors. Drawings are not checked."""
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not have a spec.*")
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")
        warnings.filterwarnings("ignore", message=".*render modes.*")
        check_env(SoloEnv(game), skip_render_check=True)


def check_sb3(game: Game) -> None:
    """Run SB3's checker on the single environment, and play some games in the batched one."""
    try:
        from stable_baselines3.common.env_checker import check_env
    except ImportError:
        return
    from bidarena.envs.sb3 import SB3Env

    check_env(SoloEnv(game))
    rows = 3
    env = SB3Env(game, rows)
    env.seed(0)
    views = env.reset()
    assert views.shape == (rows, game.observation_size) and views.dtype == np.float32
    assert env.has_attr("action_masks")
    finished = 0
    for _ in range(3 * game.longest + 3):
        masks = np.stack(env.env_method("action_masks"))
        assert masks.shape == (rows, game.actions) and masks.any(axis=1).all()
        _, rewards, dones, infos = env.step(masks.argmax(axis=1))
        assert len(infos) == rows and rewards.dtype == np.float32
        for done, info in zip(dones, infos, strict=True):
            assert done == ("terminal_observation" in info)
            finished += int(done)
        if finished >= rows:
            return
    raise AssertionError(f"{game}: no game came to an end within {game.longest} decisions")


def check_pettingzoo(game: Game) -> None:
    """Run PettingZoo's tests of the api, seeds and the state; warnings are errors.

    Drawings are not checked, and neither is `max_cycles`, for which a game has to last long enough.
    """
    try:
        from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
        from pettingzoo.test.state_test import state_test
    except ImportError:
        return
    from bidarena.envs.multi import aec_env, parallel_env

    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        # Observations are dicts with a mask, as in PettingZoo's own classic games.
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably")
        warnings.filterwarnings("ignore", message="Observation numpy array is all zeros")
        api_test(aec_env(game), num_cycles=300)
        parallel_api_test(parallel_env(game), num_cycles=300)
        seed_test(lambda: aec_env(game), num_cycles=50)
        parallel_seed_test(lambda: parallel_env(game), num_cycles=50)
        state_test(aec_env(game), parallel_env(game))
