"""The first version of the environment shows what it always did, and says it is out of date."""

import hashlib

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bidarena.envs import games, make_game
from bidarena.envs.multi import aec_env, parallel_env
from bidarena.envs.sb3 import SB3Env
from bidarena.envs.twentynine.rules.layout import OBSERVATION

OLD, NEW = "bidarena/TwentyNine-v0", "bidarena/TwentyNine-v1"
SEEDS = range(29, 35)
RULES = {
    "usual": {},
    "bidder leads": {"auction": "round_robin", "first_lead": "bidder"},
    "match": {"match_to": 2, "max_deals": 3},
    "single hand": {"doubling": True, "single_hand": True, "last_trick": 1},
}
# Recorded before there was a second version: the leader at each decision as the seat to move sees
# it (- for nobody), game by game, after a digest of all observations.
RECORDED = {
    "usual": (
        "6803480fc7fb499cfea3272d4cdaa7c7",
        "---310231023310202310",
        "---0023131331023131310",
        "---023102022310202021",
        "----02023131020202022",
        "----313131020231023311",
        "----3310231310202231313",
    ),
    "bidder leads": (
        "41c9f3746aeb633105982c05366de349",
        "--3022023131310231313",
        "----331023102023102310",
        "---310231022023131313",
        "---002023102020202313",
        "---102313102020202022",
        "---1020231020231331310",
    ),
    "match": (
        "e1b9442946b5004e6be21845bbfde87b",
        "---31023102331020231---0231310231023131---31313131310202021",
        "---002313133102313131---3131313131310231----02310202313131313",
        "---02310202231020202--03131023131313131---020231310223131311",
        "----0202313102020202---313131310202023113",
        "----31313102023102331---020202313102311312",
        "----331023131020223131-----02313102022023102---331310202310231021",
    ),
    "single hand": (
        "c668ca18121b2e6c233f8dd000470406",
        "---313312",
        "---020003",
        "---200203",
        "----22003",
        "----1312",
        "----3310",
    ),
}


def walk(env, seed):
    """Play a game, choosing among the legal actions in turn; return all observations."""
    observation, info = env.reset(seed=seed)
    views, done = [observation], False
    while not done:
        legal = np.flatnonzero(info["action_mask"])
        action = int(legal[7 * len(views) % len(legal)])
        observation, _, over, cut, info = env.step(action)
        views.append(observation)
        done = over or cut
    return np.stack(views)


def leaders(views):
    parts = views[:, OBSERVATION["leader"]]
    return "".join(str(part.argmax()) if part.any() else "-" for part in parts)


def record(env):
    """Return a digest of the observations in the games of all seeds, and the leaders seen."""
    walks = [walk(env, seed) for seed in SEEDS]
    digest = hashlib.sha256(np.concatenate(walks).astype("<f4").tobytes()).hexdigest()
    return digest[:32], *(leaders(views) for views in walks)


def make(env_id, rules):
    return gym.make(env_id, partner="self", opponent="random", **rules)


@pytest.mark.filterwarnings("ignore:.*TwentyNine-v0 is out of date")
@pytest.mark.parametrize("rules", RULES)
def test_v0__shows_exactly_what_it_always_did(rules):
    assert record(make(OLD, RULES[rules])) == RECORDED[rules]


@pytest.mark.parametrize("rules", RULES)
def test_v1__shows_the_same_with_the_usual_rules_only(rules):
    """A policy that learned the usual rules on v0, such as `learned`, sees no difference."""
    assert (record(make(NEW, RULES[rules])) == RECORDED[rules]) == (rules == "usual")


@pytest.mark.filterwarnings("ignore:.*TwentyNine-v0 is out of date")
def test_v0__batched_rows_are_the_single_games():
    rules = RULES["bidder leads"]
    batch = gym.make_vec(OLD, num_envs=3, partner="self", opponent="random", **rules)
    singles = [make(OLD, rules) for _ in range(3)]
    views, infos = batch.reset(seed=29)
    own = [env.reset(seed=29 + i)[0] for i, env in enumerate(singles)]
    for _ in range(12):
        assert np.array_equal(views, np.stack(own))
        actions = infos["action_mask"].argmax(axis=1)
        views, _, _, _, infos = batch.step(actions)
        own = [env.step(int(a))[0] for env, a in zip(singles, actions, strict=True)]


def test_v0__is_told_to_be_out_of_date():
    with pytest.warns(DeprecationWarning, match="TwentyNine-v0 is out of date.*`v1`"):
        env = gym.make(OLD)
    with pytest.warns(DeprecationWarning, match="TwentyNine-v0 is out of date.*`v1`"):
        gym.make_vec(OLD, num_envs=2)
    for interface in (make_game, aec_env, parallel_env, lambda game: SB3Env(game, 2)):
        with pytest.warns(DeprecationWarning, match="TwentyNine-v0 is out of date.*`v1`"):
            interface(OLD)
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.filterwarnings("ignore:.*TwentyNine-v0 is out of date")
def test_v0__several_players_see_what_they_always_did():
    seen = []
    for game in (OLD, "twentynine"):
        env = aec_env(game, first_lead="bidder")
        env.reset(seed=0)
        for action in (32, 33, 32, 32):  # seat 1 takes 16
            env.step(action)
        seen.append(leaders(env.observe("player_1")["observation"][None]))
    assert seen == ["3", "0"]  # as seat 1 counts: seat 0, and itself
    assert aec_env(OLD).metadata["name"] == "twentynine_v0"


@pytest.mark.filterwarnings("ignore:.*TwentyNine-v0 is out of date")
def test_v0__refuses_an_unknown_rule_as_v1_does():
    told = []
    for env_id in (OLD, NEW):
        with pytest.raises(TypeError) as refused:
            gym.make(env_id, colour="red")
        told.append(str(refused.value))
    with pytest.raises(TypeError, match="colour"):
        aec_env(OLD, colour="red")
    assert OLD not in games()
    assert told[0] == told[1].replace("-v1", "-v0")
