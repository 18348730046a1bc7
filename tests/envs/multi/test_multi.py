"""PettingZoo, beyond its own api tests: who decides, what is hidden, how games end."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import toy_nim
import toy_sealed  # noqa: F401  registers the game

from bidarena.envs.multi import aec_env, parallel_env
from bidarena.envs.solo import SoloEnv

SMALL = {"length": 4, "money": (3, 3)}
A, B = "player_0", "player_1"


def scotch_aec(**kwargs: Any) -> Any:
    env = aec_env("scotch", **{**SMALL, **kwargs})
    env.reset(seed=0)
    return env


def scotch_parallel(**kwargs: Any) -> tuple[Any, Any]:
    env = parallel_env("scotch", **{**SMALL, **kwargs})
    return env, env.reset(seed=0)[0]


def assert_views_equal(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert a.keys() == b.keys()
    for agent in a:
        for key in ("observation", "action_mask"):
            assert np.array_equal(a[agent][key], b[agent][key]), (agent, key)


# --- AEC -----------------------------------------------------------------------------------------


def test_aec__agents_take_turns_in_the_order_of_the_game():
    env = aec_env("toy_sealed", players=3, sides=(0, 1, 2), rounds=2)
    env.reset(seed=0)
    order = []
    for agent in env.agent_iter():
        view, _, over, cut, _ = env.last()
        if not over:
            order.append(agent)
        env.step(None if over or cut else int(view["action_mask"].argmax()))
    assert order == ["player_0", "player_1", "player_2"] * 2


def test_aec__observation_and_mask_lie_in_their_spaces():
    env = scotch_aec()
    for agent in env.possible_agents:
        view = env.observe(agent)
        assert view in env.observation_space(agent)
        assert view["action_mask"].dtype == np.int8 and view["observation"].dtype == np.float32
        assert env.action_space(agent).n == 4


def test_aec__the_mask_is_the_movers_and_zeros_for_the_others():
    env = scotch_aec(money=(2, 3))
    assert env.observe(A)["action_mask"].tolist() == [0, 1, 1, 0]
    assert env.observe(B)["action_mask"].tolist() == [0, 0, 0, 0]
    env.step(1)
    assert env.observe(A)["action_mask"].tolist() == [0, 0, 0, 0]
    assert env.observe(B)["action_mask"].tolist() == [0, 1, 1, 1]


def test_aec__a_bid_is_hidden_from_the_one_who_bids_later():
    views = []
    for bid in (1, 2, 3):
        env = scotch_aec()
        env.step(bid)
        views.append({B: env.observe(B)})
    assert_views_equal(views[0], views[1])
    assert_views_equal(views[0], views[2])


def test_aec__a_card_is_hidden_until_all_have_played():
    for card in range(3):
        env = aec_env("toy_sealed", players=3, sides=(0, 1, 2))
        env.reset(seed=0)
        before = {agent: env.observe(agent)["observation"] for agent in env.agents}
        env.step(card)
        env.step(card)
        for agent in env.agents:
            assert np.array_equal(env.observe(agent)["observation"], before[agent])


def test_aec__observations_are_fresh_arrays():
    env = scotch_aec()
    one, two = env.observe(A), env.observe(A)
    one["observation"][:], one["action_mask"][:] = 0, 0
    assert not np.shares_memory(one["observation"], two["observation"])
    assert env.observe(A)["action_mask"].tolist() == [0, 1, 1, 1]
    env.step(1)
    env.step(2)
    assert env.terminations == {A: False, B: False}


def test_aec__rewards_come_at_the_end_only_and_add_to_zero():
    for seed in range(10):
        env = aec_env("toy_sealed")
        env.reset(seed=seed)
        total = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            view, reward, over, cut, _ = env.last()
            total[agent] += reward
            if not over:
                assert reward == 0.0 and sum(env.rewards.values()) == 0.0
            env.step(None if over or cut else int(view["action_mask"].argmax()))
        assert sum(total.values()) == 0.0 and total[A] == total["player_2"]


def test_aec__the_winner_gets_one():
    env = scotch_aec(length=2)
    env.step(1)
    env.step(3)
    assert env.rewards == {A: -1.0, B: 1.0}
    assert env.terminations == {A: True, B: True} and env.truncations == {A: False, B: False}
    assert env.last()[1] == -1.0


def test_aec__a_game_cut_short_is_truncated():
    env = scotch_aec(length=9, money=(9, 9), max_rounds=1)
    env.step(1)
    env.step(2)
    assert env.truncations == {A: True, B: True} and env.terminations == {A: False, B: False}
    assert env.rewards == {A: 0.0, B: 0.0}


def test_aec__finished_agents_leave_by_dead_steps():
    env = scotch_aec(length=2)
    env.step(1)
    env.step(3)
    left = []
    while env.agents:
        left.append(env.agent_selection)
        env.step(None)
    assert sorted(left) == [A, B] and env.agents == []


def test_aec__a_dead_step_takes_no_action():
    env = scotch_aec(length=2)
    env.step(1)
    env.step(3)
    with pytest.raises(ValueError, match="None"):
        env.step(1)


@pytest.mark.parametrize("wrong", [0, 4, -1, 99, float("nan"), 1.5, None])
def test_aec__an_illegal_action_loses_for_its_agent(wrong):
    env = scotch_aec()
    env.step(1)
    env.step(wrong)
    assert env.rewards == {A: 1.0, B: -1.0} and env.terminations == {A: True, B: True}
    assert [info["illegal_action"] for info in env.infos.values()] == [False, True]
    assert env.observe(B)["action_mask"].all()


def test_aec__an_illegal_action_loses_for_the_whole_side():
    env = aec_env("toy_sealed")
    env.reset(seed=0)
    env.step(1)
    env.step(7)
    assert list(env.rewards.values()) == [1.0, -1.0, 1.0, -1.0]
    assert [info["illegal_action"] for info in env.infos.values()] == [False, True, False, False]


@pytest.mark.parametrize("wrong", ["1", "one"])
def test_aec__text_is_no_action(wrong):
    env = scotch_aec()
    with pytest.raises((TypeError, ValueError)):
        env.step(wrong)
    assert env.agent_selection == A


def test_aec__a_number_beyond_all_floats_is_illegal():
    env = scotch_aec()
    env.step(10**400)
    assert env.infos[A]["illegal_action"] is True


def test_aec__reset_starts_anew():
    env = scotch_aec(length=2)
    env.step(1)
    env.step(99)
    env.reset(seed=1)
    assert env.agents == [A, B] and set(env.infos) == {A, B}
    assert not any(info["illegal_action"] for info in env.infos.values())
    assert env.rewards == {A: 0.0, B: 0.0} and env.agent_selection == A
    assert env.terminations == {A: False, B: False}


def test_aec__the_same_seed_deals_the_same_chance_as_the_single_environment():
    # Every bid ties, so a coin moves the bottle each round.
    env = aec_env("scotch", length=9, money=(9, 9), tie="coin")
    single = SoloEnv(
        "scotch", length=9, money=(9, 9), tie="coin", seat=0, opponent=lambda view, mask: 1
    )
    paths = []
    for seed in range(8):
        env.reset(seed=seed)
        single.reset(seed=seed)
        path = []
        for _ in range(4):
            env.step(1)
            env.step(1)
            view, *_ = single.step(1)
            path.append(float(view[3]))
            assert np.array_equal(env.observe(A)["observation"], view)
        paths.append(tuple(path))
    assert len(set(paths)) > 3


def test_aec__without_a_seed_the_chance_goes_on():
    env = aec_env("toy_nim", heap=1000, random_heap=True)
    heaps = []
    for _ in range(2):
        env.reset(seed=4)
        heaps.append([])
        for _ in range(4):
            heaps[-1].append(float(env.observe(A)["observation"][0]))
            env.reset()
    assert heaps[0] == heaps[1] and len(set(heaps[0])) > 1


@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_multi__metadata_has_a_name(make):
    assert make("scotch").metadata["name"] == "scotch_v0"
    assert make(toy_nim.nim()).metadata["name"] == "toy_nim"


@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_multi__wrong_arguments_are_named(make):
    for wrong in (
        {"render_mode": "rgb"},
        {"max_cycles": 0},
        {"max_cycles": "4"},
        {"masks": "everywhere"},
        {"perfect_information": 1},
    ):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))}="):
            make("scotch", **wrong)
    with pytest.raises(ValueError, match="game='chess' is not known"):
        make("chess")
    with pytest.raises(TypeError, match="scotch got an unexpected keyword argument 'monney'"):
        make("scotch", monney=3)


def test_aec__pickled_in_mid_game_goes_on():
    env = scotch_aec(tie="coin")
    env.step(1)
    twin = pickle.loads(pickle.dumps(env))
    for each in (env, twin):
        each.step(1)
    assert_views_equal({A: env.observe(A)}, {A: twin.observe(A)})


# --- Parallel ------------------------------------------------------------------------------------


def test_parallel__all_decide_together_in_a_simultaneous_game():
    env, views = scotch_parallel(money=(2, 3))
    assert views[A]["action_mask"].tolist() == [0, 1, 1, 0]
    assert views[B]["action_mask"].tolist() == [0, 1, 1, 1]
    views, *_ = env.step({A: 2, B: 1})
    assert views[A]["observation"][0] == 0.0  # paid
    assert views[A]["action_mask"].tolist() == [1, 0, 0, 0]


def test_parallel__only_the_mover_decides_in_a_turn_based_game():
    env = parallel_env("toy_nim", heap=7)
    views, _ = env.reset(seed=0)
    assert views[A]["action_mask"].tolist() == [0, 1, 1, 1]
    assert views[B]["action_mask"].tolist() == [1, 1, 1, 1]  # nothing to decide
    views, *_ = env.step({A: 3, B: 0})  # the other's action does not count
    assert views[A]["action_mask"].tolist() == [1, 1, 1, 1]
    assert views[B]["action_mask"].tolist() == [0, 1, 1, 1]
    views, *_ = env.step({B: 3})
    assert views[A]["action_mask"].tolist() == [0, 1, 0, 0]


def test_parallel__four_players_decide_together():
    env = parallel_env("toy_sealed", rounds=2)
    views, _ = env.reset(seed=0)
    assert all(view["action_mask"].tolist() == [1, 1, 1] for view in views.values())
    views, *_ = env.step(dict(zip(env.agents, (0, 1, 2, 0), strict=True)))
    masks = [view["action_mask"].tolist() for view in views.values()]
    assert masks == [[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 1, 1]]


def test_parallel__looking_who_decides_does_not_move_the_chance():
    game = {"length": 9, "money": (9, 9), "tie": "coin"}
    parallel, turns = parallel_env("scotch", **game), aec_env("scotch", **game)
    for seed in range(5):
        parallel.reset(seed=seed)
        turns.reset(seed=seed)
        for _ in range(3):
            views, *_ = parallel.step({A: 1, B: 1})
            turns.step(1)
            turns.step(1)
            assert np.array_equal(views[A]["observation"], turns.observe(A)["observation"])


@pytest.mark.parametrize("missing", [A, B])
def test_parallel__a_missing_action_is_an_error_that_names_the_agent(missing):
    env, _ = scotch_parallel()
    actions = {agent: 1 for agent in (A, B) if agent != missing}
    with pytest.raises(ValueError, match=f"actions: {missing}"):
        env.step(actions)


def test_parallel__a_missing_action_changes_nothing():
    env, _ = scotch_parallel()
    twin, _ = scotch_parallel()
    with pytest.raises(ValueError):
        env.step({A: 3})
    views, rewards, *_ = env.step({A: 1, B: 2})
    expected, twin_rewards, *_ = twin.step({A: 1, B: 2})
    assert_views_equal(views, expected)
    assert rewards == twin_rewards


def test_parallel__rewards_come_at_the_end_only_and_add_to_zero():
    for seed in range(10):
        env = parallel_env("toy_sealed", players=3, sides=(0, 1, 2))
        views, _ = env.reset(seed=seed)
        choice = np.random.default_rng(seed)
        while env.agents:
            actions = {
                agent: int(choice.choice(np.flatnonzero(view["action_mask"])))
                for agent, view in views.items()
            }
            views, rewards, terminations, _, _ = env.step(actions)
            assert sum(rewards.values()) == pytest.approx(0)
            if env.agents:
                assert set(rewards.values()) == {0.0} and not any(terminations.values())
        assert all(terminations.values())


def test_parallel__agents_are_gone_at_the_end():
    env, _ = scotch_parallel(length=2)
    views, rewards, terminations, truncations, infos = env.step({A: 1, B: 3})
    assert env.agents == []
    assert rewards == {A: -1.0, B: 1.0}
    assert terminations == {A: True, B: True} and truncations == {A: False, B: False}
    assert not any(info["illegal_action"] or info["decides"] for info in infos.values())
    assert all(view["action_mask"].all() for view in views.values())
    env.reset()
    assert env.agents == [A, B]


def test_parallel__a_game_cut_short_is_truncated():
    env, _ = scotch_parallel(length=9, money=(9, 9), max_rounds=1)
    _, rewards, terminations, truncations, _ = env.step({A: 1, B: 2})
    assert truncations == {A: True, B: True} and terminations == {A: False, B: False}
    assert rewards == {A: 0.0, B: 0.0}


@pytest.mark.parametrize("wrong", [0, 4, -1, float("nan"), None])
@pytest.mark.parametrize("loser", [A, B])
def test_parallel__an_illegal_action_loses_for_its_agent(wrong, loser):
    env, _ = scotch_parallel()
    _, rewards, terminations, _, infos = env.step({A: 1, B: 1, loser: wrong})
    assert rewards[loser] == -1.0 and sum(rewards.values()) == 0.0
    assert all(terminations.values())
    assert [agent for agent, info in infos.items() if info["illegal_action"]] == [loser]


def test_parallel__equals_aec_action_by_action():
    for seed in range(6):
        turns, parallel = aec_env("toy_sealed"), parallel_env("toy_sealed")
        turns.reset(seed=seed)
        views, _ = parallel.reset(seed=seed)
        choice = np.random.default_rng(seed)
        while parallel.agents:
            actions = {
                agent: int(choice.choice(np.flatnonzero(view["action_mask"])))
                for agent, view in views.items()
            }
            for agent in list(parallel.agents):
                assert np.array_equal(
                    turns.observe(agent)["action_mask"], views[agent]["action_mask"]
                )
                turns.step(actions[agent])
            views, rewards, *_ = parallel.step(actions)
            for agent in views:
                assert np.array_equal(
                    turns.observe(agent)["observation"], views[agent]["observation"]
                )
            assert turns.rewards == rewards


def test_parallel__is_determined_by_its_seed():
    runs = []
    for _ in range(2):
        env = parallel_env("toy_sealed")
        views, _ = env.reset(seed=9)
        runs.append([view["observation"].tolist() for view in views.values()])
        for card in range(2):
            views, *_ = env.step(dict.fromkeys(env.agents, card))
            runs[-1] += [view["observation"].tolist() for view in views.values()]
    assert runs[0] == runs[1]
