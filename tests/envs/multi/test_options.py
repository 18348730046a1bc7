"""Options of the PettingZoo interfaces: windows, max_cycles, masks in infos, what players see."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pytest
import toy_sealed  # noqa: F401  registers the game
from our_games import OUR_GAMES

from bidarena.envs.multi import NearestLegalAEC, NearestLegalParallel, aec_env, parallel_env
from bidarena.envs.registry import env_id, make_game

A, B = "player_0", "player_1"
SMALL = {"length": 4, "money": (3, 3)}


def legal(mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


# --- infos ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OUR_GAMES)
def test_aec__infos_have_the_masks_and_tell_who_decides(name):
    env = aec_env(name)
    env.reset(seed=0)
    while env.agents:
        _, _, terminated, truncated, info = env.last()
        over = terminated or truncated
        for agent in env.agents:
            told = env.infos[agent]
            assert np.array_equal(told["action_mask"], env.observe(agent)["action_mask"])
            assert told["decides"] is (agent == env.agent_selection and not over)
            assert told["illegal_action"] is False
        env.step(None if over else legal(info["action_mask"]))


@pytest.mark.parametrize("name", OUR_GAMES)
def test_parallel__infos_have_the_masks_and_tell_who_decides(name):
    env, turns = parallel_env(name), aec_env(name)
    views, infos = env.reset(seed=0)
    turns.reset(seed=0)
    while env.agents:
        deciders = [agent for agent, info in infos.items() if info["decides"]]
        actions = {}
        for agent, info in infos.items():
            assert np.array_equal(info["action_mask"], views[agent]["action_mask"])
            assert info["decides"] or info["action_mask"].all()
            actions[agent] = legal(info["action_mask"]) if info["decides"] else 0
        for agent in deciders:  # exactly those whose turns follow
            assert turns.agent_selection == agent
            turns.step(actions[agent])
        views, *_, infos = env.step(actions)
    assert all(turns.terminations.values()) or all(turns.truncations.values())
    assert not any(info["decides"] for info in infos.values())


def test_parallel__masks_in_infos_are_copies():
    env = parallel_env("scotch", **SMALL)
    views, infos = env.reset(seed=0)
    infos[A]["action_mask"][:] = 0
    assert views[A]["action_mask"].tolist() == [0, 1, 1, 1]
    env.step({A: 1, B: 1})
    assert env.agents


@pytest.mark.parametrize("name", OUR_GAMES)
@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_masks__in_infos_leave_flat_observations(name, make):
    flat, usual = make(name, masks="infos"), make(name)
    results = [env.reset(seed=1) for env in (flat, usual)]
    space = flat.observation_space(A)
    assert space == usual.observation_space(A)["observation"]
    if make is aec_env:
        views = [flat.observe(A), usual.observe(A)]
        infos = flat.infos
    else:
        views = [result[0][A] for result in results]
        infos = results[0][1]
    assert views[0] in space and np.array_equal(views[0], views[1]["observation"])
    assert infos[A]["action_mask"].shape == (make_game(name).actions,)


# --- SuperSuit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [aec_env, parallel_env])
@pytest.mark.parametrize(
    ("wrapper", "options"),
    [
        ("pad_observations_v0", ()),
        ("pad_action_space_v0", ()),
        ("frame_stack_v2", (3,)),
        ("normalize_obs_v0", ()),
        ("dtype_v0", (np.float64,)),
        ("flatten_v0", ()),
        ("agent_indicator_v0", ()),
        ("clip_reward_v0", ()),
        ("delay_observations_v0", (1,)),
    ],
)
def test_masks__in_infos_let_supersuit_wrap_the_environment(make, wrapper, options):
    supersuit = pytest.importorskip("supersuit")
    env = getattr(supersuit, wrapper)(make("raj", masks="infos"), *options)
    if make is aec_env:
        env.reset(seed=0)
        for agent in env.agent_iter():
            view, _, over, _, info = env.last()
            assert view in env.observation_space(agent)
            env.step(None if over else legal(info["action_mask"]))
        return
    views, infos = env.reset(seed=0)
    while env.agents:
        assert all(views[agent] in env.observation_space(agent) for agent in env.agents)
        views, *_, infos = env.step({a: legal(infos[a]["action_mask"]) for a in env.agents})


# --- windows -------------------------------------------------------------------------------------


@pytest.fixture
def pictures(monkeypatch):
    """All pictures that windows have shown, on a screen that nobody sees."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    shown: list[np.ndarray] = []

    def flip() -> None:
        screen = pygame.display.get_surface()
        shown.append(np.transpose(pygame.surfarray.array3d(screen), (1, 0, 2)))

    monkeypatch.setattr(pygame.display, "flip", flip)
    return shown


@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_human__shows_the_picture_after_every_reset_and_step(make, pictures):
    env, drawn = (make("scotch", **SMALL, render_mode=mode) for mode in ("human", "rgb_array"))
    env.metadata["render_fps"] = 1000
    expected = []
    for each in (env, drawn):
        each.reset(seed=0)
    expected.append(drawn.render())
    for _ in range(2):
        for each in (env, drawn):
            each.step(1 if make is aec_env else {A: 1, B: 2})
        expected.append(drawn.render())
    assert len(pictures) == 3
    assert all(np.array_equal(a, b) for a, b in zip(pictures, expected, strict=True))
    assert env.render() is None
    env.close()
    env.close()
    env.reset(seed=0)  # opens a new window
    assert np.array_equal(pictures[-1], expected[0])
    env.close()


def test_human__an_environment_with_an_open_window_can_be_pickled(pictures):
    env = parallel_env("scotch", **SMALL, render_mode="human")
    env.metadata["render_fps"] = 1000
    env.reset(seed=0)
    twin = pickle.loads(pickle.dumps(env))
    twin.step({A: 1, B: 1})
    env.step({A: 1, B: 1})
    assert np.array_equal(pictures[-1], pictures[-2])
    env.close()


def test_human__without_pygame_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"bidarena\[render\]"):
        parallel_env("scotch", render_mode="human").reset(seed=0)


# --- max_cycles ----------------------------------------------------------------------------------


def test_parallel__is_truncated_after_max_cycles_steps():
    for cycles in (1, 2, 3):
        env = parallel_env("raj", max_cycles=cycles)
        _, infos = env.reset(seed=0)
        for step in range(1, cycles + 1):
            actions = {agent: legal(info["action_mask"]) for agent, info in infos.items()}
            views, rewards, terminations, truncations, infos = env.step(actions)
            assert list(truncations.values()) == [step == cycles] * 2
            assert not any(terminations.values()) and not any(rewards.values())
        assert env.agents == [] and views[A]["action_mask"].all()
        assert env.reset()[0].keys() == {A, B}
        assert not any(env.step({A: 0, B: 0})[3].values()) or cycles == 1


def test_aec__is_truncated_when_an_agent_has_moved_max_cycles_times():
    for cycles in (1, 2, 3):
        env = aec_env("raj", max_cycles=cycles)
        env.reset(seed=0)
        moves = {A: 0, B: 0}
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            assert not terminated and reward == 0.0
            moves[agent] += not truncated
            env.step(None if truncated else legal(info["action_mask"]))
        assert moves == {A: cycles, B: cycles}


@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_max_cycles__a_game_that_ends_in_its_last_cycle_is_terminated(make):
    env = make("scotch", length=2, money=(3, 3), max_cycles=1)
    env.reset(seed=0)
    if make is aec_env:
        env.step(1)
        env.step(3)
        ended, cut, rewards = env.terminations, env.truncations, env.rewards
    else:
        _, rewards, ended, cut, _ = env.step({A: 1, B: 3})
    assert ended == {A: True, B: True} and cut == {A: False, B: False}
    assert rewards == {A: -1.0, B: 1.0}


# --- what players and critics see ----------------------------------------------------------------


@pytest.mark.parametrize("name", OUR_GAMES)
@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_state__is_what_all_players_see_and_who_decides(name, make):
    env, plain = make(name), aec_env(name)
    _, infos = env.reset(seed=3) or (None, env.infos if make is aec_env else None)
    plain.reset(seed=3)
    seen = [plain.observe(agent)["observation"] for agent in plain.possible_agents]
    decides = [float(infos[agent]["decides"]) for agent in env.possible_agents]
    assert np.array_equal(env.state(), np.concatenate([*seen, decides]))
    assert env.state() in env.state_space and env.state().dtype == np.float32


@pytest.mark.parametrize("name", OUR_GAMES)
def test_perfect_information__own_things_come_first_then_all_others_see(name):
    env, plain = aec_env(name, perfect_information=True), aec_env(name)
    for each in (env, plain):
        each.reset(seed=3)
    while env.agents and not any(env.truncations.values() or env.terminations.values()):
        agents = env.possible_agents
        for seat, agent in enumerate(agents):
            view = env.observe(agent)
            assert view in env.observation_space(agent)
            others = [*agents[seat:], *agents[:seat]]
            seen = [plain.observe(other)["observation"] for other in others]
            assert np.array_equal(view["observation"], np.concatenate(seen))
        action = legal(env.infos[env.agent_selection]["action_mask"])
        env.step(action)
        plain.step(action)
        if any(env.terminations.values()) or any(env.truncations.values()):
            break


@pytest.mark.parametrize("name", [*OUR_GAMES, "toy_sealed"])
def test_perfect_information__moves_of_the_same_moment_stay_hidden(name):
    game = make_game(name)
    if game.simultaneous is None:
        return
    views, states = [], []
    for choice in (0, -1):
        env = aec_env(name, perfect_information=True)
        env.reset(seed=0)
        mask = env.infos[env.agent_selection]["action_mask"]
        env.step(int(np.flatnonzero(mask)[choice]))
        views.append(env.observe(env.agent_selection)["observation"])
        states.append(env.state())
    assert np.array_equal(*views) and np.array_equal(*states)


# --- the nearest legal action --------------------------------------------------------------------


@pytest.mark.parametrize("name", OUR_GAMES)
def test_nearest_legal__no_game_is_lost_by_any_action(name):
    choice = np.random.default_rng(0)
    actions = make_game(name).actions
    env: Any = NearestLegalParallel(parallel_env(env_id(name)))
    for seed in range(3):
        env.reset(seed=seed)
        while env.agents:
            wild = {agent: int(choice.integers(-3, actions + 3)) for agent in env.agents}
            *_, infos = env.step(wild)
            assert not any(info["illegal_action"] for info in infos.values())
    env = NearestLegalAEC(aec_env(name, masks="infos"))
    for seed in range(3):
        env.reset(seed=seed)
        for _ in env.agent_iter():
            *_, terminated, truncated, info = env.last()
            assert not info["illegal_action"]
            env.step(None if terminated or truncated else int(choice.integers(-3, actions + 3)))


def test_nearest_legal__plays_the_nearest_and_keeps_what_is_legal():
    env, plain = (
        NearestLegalParallel(parallel_env("scotch", **SMALL)),
        parallel_env("scotch", **SMALL),
    )
    for wild, tame in (({A: 0, B: 99}, {A: 1, B: 3}), ({A: 2, B: 1}, {A: 2, B: 1})):
        env.reset(seed=0)
        plain.reset(seed=0)
        env.step(wild)
        plain.step(tame)
        assert np.array_equal(env.state(), plain.state())


def test_nearest_legal__is_never_the_default():
    env = parallel_env("scotch", **SMALL)
    env.reset(seed=0)
    assert env.step({A: 0, B: 1})[4][A]["illegal_action"] is True
