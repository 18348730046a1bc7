"""Speeds of the environments, each beside a reference measured in the same run.

Only `step` (and `reset`, for single environments) is timed. Actions are chosen at random among the
legal ones, while the clock stands. Only steps in which a learner decides are counted: the step that
deals a finished row again is not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from bidarena.envs import Batch, Bot, bots, games, make_bot, make_game
from bidarena.envs.compile import borrow, compiled
from bidarena.envs.game import Cfg, Mask, Params, Rng, State, act, reset, step, to_move
from bidarena.envs.registry import env_id, load, tools_of
from bidarena.envs.rng import pick
from bidarena.studies.bench.exact import exact_costs, large_costs
from bidarena.studies.bench.scaling import scaling
from bidarena.studies.bench.search import openspiel_searches, search_ratios, search_speeds
from bidarena.studies.bench.starting import start_costs

EXACT, LARGE, SCALING, TRAINING = "exact", "large", "scaling", "training"
BATCHES = (1024, 8192)
THREADED = (8192, 65_536)  # rows of the batches that two threads share
TURNS = 4  # how often one thread and two take turns, so that both meet the same machine
GAMES_AT_ONCE = 2000  # random games between two readings of the clock
REFERENCE_ENVS = 64  # rows of the SyncVectorEnv of our single environment


def bench(
    names: list[str] | None = None,
    *,
    seconds: float = 0.4,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Measure all speeds; return a JSON-able dict whose keys do not change.

    Args:
        names: games to measure, "exact" for the generic solver beside OpenSpiel's, "large" for it
            on millions of information sets, "scaling" for tournaments on a Ray, "training" for the
            time of every learner; None: everything.
        seconds: about how long each figure is measured.
        progress: called with what is measured next.
    """
    say = progress or (lambda what: None)
    parts: dict[str, Callable[[float, Callable[[str], None]], Any]]
    parts = {EXACT: exact_costs, LARGE: large_costs, SCALING: scaling, TRAINING: _learners}
    if names and set(names) <= set(parts):
        return {name: parts[name](seconds, say) for name in names}
    say("CartPole-v1")
    reference = {
        "cartpole_single_steps_per_s": single_speed(gym.make("CartPole-v1"), seconds),
        "cartpole_vector_steps_per_s": {
            str(n): vector_speed(gym.make_vec("CartPole-v1", n), seconds) for n in BATCHES
        },
    }
    say("the searches of OpenSpiel")
    spiel = openspiel_searches(seconds)
    reference["openspiel_search"] = spiel
    result: dict[str, Any] = {"reference": reference, "games": {}}
    chosen = names or [*games(), *parts]
    say("starting")
    starts = start_costs([name for name in chosen if name not in parts])
    for name in chosen:
        if name in parts:
            result[name] = parts[name](seconds, say)
            continue
        say(name)
        row = _bench_game(name, seconds, reference) | starts[name]
        row["search"] = search_speeds(name, seconds)
        row["ismcts_iterations_per_s"] = row["search"].get("ismcts_iterations_per_s")
        row.update(solve_time(name))
        row.update(_training(name, seconds, row))
        figures = tools_of(name).bench.figures
        if figures:
            row.update(load(figures)(seconds))
        row["ratios"]["search_to_openspiel"] = search_ratios(row["search"], spiel)
        result["games"][name] = row
    return result


def solve_time(name: str) -> dict[str, Any]:
    """Return the seconds to solve a game, compiled before and with nothing read from the disk.

    The game has registered the rules to solve; they are returned with the time.
    """
    bench = tools_of(name).bench
    if not bench.solve:
        return {"solve_seconds": None}
    solve, rules = load(bench.solve), dict(bench.solve_rules)
    solve(make_game(name, **rules))  # compiles
    spent = min(solve(make_game(name, **rules)).seconds for _ in range(3))
    return {"solve_seconds": spent, "solved_rules": rules}


def _learners(seconds: float, say: Callable[[str], None]) -> dict[str, Any] | None:
    """Return where the time of every learner goes; None unless the libraries are installed."""
    try:
        from bidarena.studies.bench.training import learner_costs
    except ImportError:
        return None
    return learner_costs(seconds, say)


def _training(name: str, seconds: float, row: dict[str, Any]) -> dict[str, Any]:
    """Return the speed of training; None for each figure unless the libraries are installed."""
    try:
        from bidarena.studies.bench.training import sb3_default_speed, train_speed
    except ImportError:
        return {"train_steps_per_s": None, "train_env_share": None}
    ours = train_speed(name, seconds)
    theirs = sb3_default_speed(name, seconds)
    row["reference"]["sb3_defaults_train_steps_per_s"] = theirs
    row["ratios"]["train_to_sb3_defaults"] = ours["train_steps_per_s"] / theirs
    return {
        "train_steps_per_s": ours["train_steps_per_s"],
        "train_env_share": ours["env_share"],
    }


def _bench_game(name: str, seconds: float, reference: dict[str, Any]) -> dict[str, Any]:
    """Return the speeds of the environments and bots of a game, with their ratios."""
    key = env_id(name)
    single = single_speed(gym.make(key), seconds)
    vector = {str(n): vector_speed(gym.make_vec(key, n), seconds) for n in BATCHES}
    threads = {str(n): thread_speeds(key, n, seconds) for n in THREADED}
    sync = vector_speed(gym.make_vec(key, REFERENCE_ENVS, vectorization_mode="sync"), seconds)
    memory = gym.make_vec(key, 1).unwrapped.nbytes  # type: ignore[attr-defined]
    cartpole = reference["cartpole_vector_steps_per_s"]
    large = vector[str(BATCHES[-1])]
    beside: dict[str, Any] = {"sync_vector_steps_per_s": sync}
    nearest = tools_of(name).bench.openspiel
    if nearest:
        beside["openspiel"] = openspiel_speed(nearest, seconds)
    return {
        "vector_steps_per_s": vector,
        "vector_2_threads_steps_per_s": {n: two for n, (_, two) in threads.items()},
        "single_steps_per_s": single,
        "random_games_per_s": games_speed(name, seconds),
        "bytes_per_env": memory,
        "bot_microseconds_per_move": {bot: bot_time(name, bot, seconds / 4) for bot in bots(name)},
        "reference": beside,
        "ratios": {
            "single_to_cartpole": single / reference["cartpole_single_steps_per_s"],
            "vector_to_cartpole": {n: vector[n] / cartpole[n] for n in vector},
            "vector_to_sync": large / sync,
            "two_threads_to_one": {n: two / one for n, (one, two) in threads.items()},
        },
    }


def single_speed(env: gym.Env[Any, Any], seconds: float) -> float:
    """Return the steps per second of one environment, resets included."""
    space = env.action_space
    masked = "action_mask" in env.reset(seed=0)[1]
    if masked:
        return _masked_single_speed(env, seconds)
    actions = [space.sample() for _ in range(1000)]
    return _timed_single(env, lambda info, count: actions[count % 1000], seconds)


def _masked_single_speed(env: gym.Env[Any, Any], seconds: float) -> float:
    """Return the steps per second of an environment with random legal actions."""
    source = np.random.default_rng(0)

    def choose(info: dict[str, Any], count: int) -> Any:
        options = np.flatnonzero(info["action_mask"])
        return int(options[int(source.integers(len(options)))])

    return _timed_single(env, choose, seconds)


def _timed_single(
    env: gym.Env[Any, Any], choose: Callable[[dict[str, Any], int], Any], seconds: float
) -> float:
    """Return the steps per second of an environment with the actions of `choose`, untimed."""
    _, info = env.reset(seed=0)
    clock = time.perf_counter
    spent = 0.0
    steps = 0
    while spent < seconds:
        action = choose(info, steps)
        began = clock()
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()
        spent += clock() - began
        steps += 1
    env.close()
    return steps / spent


def vector_speed(env: gym.vector.VectorEnv[Any, Any, Any], seconds: float) -> float:
    """Return the learner's steps per second of a vector environment with NEXT_STEP autoreset."""
    play = _VectorPlay(env)
    play.run(seconds / 10)
    steps, spent = play.run(seconds)
    env.close()
    return steps / spent


def thread_speeds(key: str, rows: int, seconds: float) -> tuple[float, float]:
    """Return the steps per second of a batch with one thread and with two, which take turns."""
    plays = [_VectorPlay(gym.make_vec(key, rows, threads=n)) for n in (1, 2)]
    for play in plays:
        play.run(seconds / 10)
    turns = [[play.run(seconds / TURNS) for play in plays] for _ in range(TURNS)]
    one, two = (np.sum(taken, axis=0) for taken in zip(*turns, strict=True))
    return float(one[0] / one[1]), float(two[0] / two[1])


class _VectorPlay:
    """A vector environment with NEXT_STEP autoreset in which random legal actions are played."""

    def __init__(self, env: gym.vector.VectorEnv[Any, Any, Any]) -> None:
        self._env = env
        _, info = env.reset(seed=0)
        source = np.random.default_rng(0)
        self._rngs = source.integers(1, 2**64, (env.num_envs, 2), dtype=np.uint64)
        self._actions: NDArray[np.int64] = np.zeros(env.num_envs, np.int64)
        self._choose = compiled(_pick_rows, {}, "bench")
        self._masks = info.get("action_mask")
        if self._masks is None:
            n = int(env.single_action_space.n)  # type: ignore[attr-defined]
            self._masks = np.ones((env.num_envs, n), np.int8)
        self._over = np.zeros(env.num_envs, bool)

    def run(self, seconds: float) -> tuple[int, float]:
        """Play on for about so long; return the steps of learners, and the seconds of `step`."""
        spent, steps = 0.0, 0
        while spent < seconds:
            self._choose(self._masks, self._rngs, self._actions)
            began = time.perf_counter()
            _, _, terminated, truncated, info = self._env.step(self._actions)
            spent += time.perf_counter() - began
            steps += self._env.num_envs - int(self._over.sum())
            self._over = terminated | truncated
            self._masks = info.get("action_mask", self._masks)
        return steps, spent


def games_speed(name: str, seconds: float) -> float:
    """Return the whole games per second of random bots on one core, without observations."""
    game = make_game(name)
    bot = make_bot(game, "random")
    play = game.compiled(play_games, **bot.stubs)
    rng = np.array([1, 2], np.uint64)
    state, scratch = np.zeros(game.state_size, np.int64), np.zeros(game.actions, np.int8)
    args = (game.cfg, bot.params, state, rng, scratch)
    play(*args, 1)  # compiles
    games, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        play(*args, GAMES_AT_ONCE)
        games += GAMES_AT_ONCE
    return games / (time.perf_counter() - began)


def play_games(cfg: Cfg, params: Params, state: State, rng: Rng, scratch: Mask, games: int) -> None:
    """Play one game after another with one bot in all seats; compiled for each game."""
    cfg, state, rng, params = borrow(cfg), borrow(state), borrow(rng), borrow(params)
    for _ in range(games):
        reset(cfg, state, rng)
        mover = to_move(cfg, state)
        while mover >= 0:
            step(cfg, state, act(cfg, params, state, mover, rng, scratch), rng)
            mover = to_move(cfg, state)


def bot_time(name: str, spec: str, seconds: float) -> float | None:
    """Return the microseconds that a compiled bot takes for its first move.

    None for bots written in Python, and for bots that do not play the default rules.
    """
    game = make_game(name)
    try:
        bot = make_bot(game, spec)
    except ValueError:
        return None
    if not isinstance(bot, Bot):
        return None
    batch = Batch(game, 64, seed=0)
    actions = np.zeros(64, np.int64)
    where = np.arange(64) == 0
    batch.ask(bot, where, actions)  # compiles
    began = time.perf_counter()
    batch.ask(bot, where, actions)
    if time.perf_counter() - began < 1e-3:
        where[:] = True  # fast bots are asked in all rows, so that the call itself costs little
    spent, moves = 0.0, 0
    while spent < seconds:
        began = time.perf_counter()
        batch.ask(bot, where, actions)
        spent += time.perf_counter() - began
        moves += int(where.sum())
    return 1e6 * spent / moves


def openspiel_speed(game: str, seconds: float) -> dict[str, Any] | None:
    """Return the random games and steps per second of OpenSpiel, stepped from Python.

    Where all players move at the same time, a step is one move of each. None without OpenSpiel.
    """
    try:
        import pyspiel
    except ImportError:
        return None
    made = pyspiel.load_game(game)
    source = np.random.default_rng(0)
    speeds = {}
    games, games_per_s = 0, 0.0
    for observing in (False, True):
        steps, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            state = made.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(state.chance_outcomes()[0][0])
                    continue
                together = state.is_simultaneous_node()
                movers = range(made.num_players()) if together else [state.current_player()]
                legal = [state.legal_actions(player) for player in movers]
                if observing and made.get_type().provides_observation_tensor:
                    state.observation_tensor(0)
                elif observing:
                    state.information_state_tensor(0 if together else movers[0])
                chosen = [own[int(source.random() * len(own))] for own in legal]
                if together:
                    state.apply_actions(chosen)
                else:
                    state.apply_action(chosen[0])
                steps += 1
            games += not observing
        speeds[observing] = steps / (time.perf_counter() - began)
        if not observing:
            games_per_s = games / (time.perf_counter() - began)
    return {
        "game": game,
        "random_games_per_s": games_per_s,
        "steps_per_s": speeds[False],
        "with_observation_steps_per_s": speeds[True],
    }


def _pick_rows(
    masks: NDArray[np.int8], rngs: NDArray[np.uint64], actions: NDArray[np.int64]
) -> None:
    """Write a random legal action for each row."""
    for i in range(len(masks)):
        actions[i] = pick(rngs[i], masks[i])
