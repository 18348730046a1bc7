"""Every registered game and bot, through the conformance kit and Gymnasium's checker."""

import json
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from our_games import OUR_GAMES, VARIANTS
from stable_baselines3.common.env_checker import check_env as check_env_of_sb3

import bidarena.envs
from bidarena.envs.registry import env_id, make_bot, make_game
from bidarena.envs.testing import check_bot, check_game

CASES = [(name, rules) for name, variants in VARIANTS.items() for rules in variants]
SEARCHES = ("mcts", "dmcts", "ismcts", "mom", "pom", "bandit")
BOTS = [
    (name, bot, rules)
    for name, variants in VARIANTS.items()
    for bot in bidarena.envs.bots(name)
    # Searches are slow to ask, and generic: the first and the last rules of each game will do.
    for rules in ([variants[0], variants[-1]] if bot in SEARCHES else variants)
]
# Bots that think until a clock stops them are not repeatable; these count instead.
LIMITED = {("coins", bot): f"{bot}:nodes=100" for bot in ("counting", "patterns", "surewin")}
LIMITED |= {("coins", bot): f"{bot}:nodes=100" for bot in ("bounded", "greedy", "memo")}
LIMITED |= {(name, bot): f"{bot}:iterations=40" for name in OUR_GAMES for bot in SEARCHES}
LIMITED |= {(name, "best_response"): "best_response:of=random" for name in OUR_GAMES}
LIMITED |= {("richman", "exact"): "exact:seconds=3", ("twentynine", "exact"): "exact:seconds=3"}
# Solutions of these rules are asked for; those of all others take long, or are refused.
SOLVED = {("richman", 2), ("coins", 2), ("coins", 3), ("twentynine", 0)}
LIMITED |= {("twentynine", bot): f"{bot}:samples=1" for bot in ("pimc", "local_response")}


def label(case):
    return ",".join(f"{k}={v}" for k, v in case.items()) if isinstance(case, dict) else case


def test_registered__all_games_are_covered_here():
    assert set(VARIANTS) == set(OUR_GAMES), "VARIANTS: give every game the rules to test"
    assert all(variants[0] == {} for variants in VARIANTS.values())
    registered = {spec for spec in gym.registry if spec.startswith("bidarena/")}
    assert registered == {env_id(name) for name in OUR_GAMES}


@pytest.mark.parametrize(("name", "rules"), CASES, ids=label)
def test_registered__game_passes_the_conformance_kit(name, rules):
    check_game(name, games=6, **rules)


@pytest.mark.parametrize(("name", "bot", "rules"), BOTS, ids=label)
def test_registered__bot_is_legal_repeatable_and_never_peeks(name, bot, rules):
    if (name, bot) == ("raj", "greedy") and rules.get("players", 2) > 2:
        pytest.skip("greedy plays two-player games")
    if (name, bot) == ("coins", "exact") and (not rules or "colours" in rules):
        pytest.skip("exact plays boards that can be solved")
    if name in ("scotch", "raj") and bot in ("exact", "best_response"):
        hidden = rules.get("know_opponent_money") is False
        if hidden or rules.get("players", 2) > 2 or rules.get("reward") == "bank":
            with pytest.raises(ValueError, match=r"solved|zero-sum"):
                check_bot(name, LIMITED.get((name, bot), bot), games=1, **rules)
            return
    elif (bot == "best_response" or (bot == "exact" and name != "coins")) and (
        name,
        VARIANTS[name].index(rules),
    ) not in SOLVED:
        pytest.skip("takes minutes, or is refused as too large")
    if name == "twentynine" and bot in ("exact", "best_response"):
        with pytest.raises(ValueError, match=r"cannot be solved|memory=.*too little"):
            check_bot(name, LIMITED[name, bot], games=1, **rules)
        return
    if bot == "mcts" and make_game(name, **rules).hidden:
        with pytest.raises(ValueError, match="mcts needs a game that hides nothing"):
            check_bot(name, "mcts", games=1, **rules)
        return
    if bot == "local_response" and "match_to" in rules:
        with pytest.raises(ValueError, match="match_to"):
            check_bot(name, bot, games=1, **rules)
        return
    if bot in ("learned", "ppo"):  # policies are for the rules that they learned
        try:
            make_bot(make_game(name, **rules), bot)
        except ValueError as refused:
            assert "this package" in str(refused)
            assert rules
            return
    if bot == "cheater":  # and the kit finds it out
        with pytest.raises(AssertionError, match="peeks"):
            check_bot(name, "cheater:iterations=40", games=2, **rules)
        return
    # Every answer of a search takes a while, and it has little to look at in a known position.
    games = 2 if bot in (*SEARCHES, "pimc") else 6
    check_bot(name, LIMITED.get((name, bot), bot), games=games, **rules)


@pytest.mark.parametrize("name", OUR_GAMES)
def test_registered__env_passes_gymnasium_checker_with_rendering(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(env_id(name), render_mode="rgb_array").unwrapped)
        check_env(gym.make(env_id(name), render_mode="ansi").unwrapped)


@pytest.mark.parametrize("name", OUR_GAMES)
def test_registered__made_env_passes_the_checkers_of_gymnasium_and_sb3_without_a_warning(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(env_id(name)))
        check_env_of_sb3(gym.make(env_id(name)))
        check_env_of_sb3(gym.make(env_id(name), render_mode="rgb_array"), skip_render_check=False)


@pytest.mark.parametrize("name", OUR_GAMES)
def test_registered__make_vec_gives_the_batched_env(name):
    env = gym.make_vec(env_id(name), num_envs=3)
    assert isinstance(env.unwrapped, bidarena.envs.vector.BatchedEnv)
    observations, info = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    assert info["action_mask"].shape == (3, int(env.single_action_space.n))


@pytest.mark.parametrize("name", OUR_GAMES)
def test_registered__options_survive_json(name):
    game = make_game(name)
    again = make_game(name, **json.loads(json.dumps(game.options)))
    assert np.array_equal(game.cfg, again.cfg)


@pytest.mark.parametrize("name", OUR_GAMES)
def test_registered__state_stays_small(name):
    game = make_game(name)
    assert 8 * game.state_size < 512
    env = gym.make_vec(env_id(name), num_envs=1)
    observations = 2 * 4 * game.observation_size  # the present ones and those to hand out
    assert env.unwrapped.nbytes - observations < 1024
