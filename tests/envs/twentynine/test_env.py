"""Twenty-nine through the interfaces: partners, teams, what a seat sees, bad input."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from hypothesis import given, settings
from hypothesis import strategies as st
from our_games import VARIANTS

import bidarena.envs
from bidarena.envs import Batch, make_game
from bidarena.envs.multi import aec_env
from bidarena.envs.rng import WORDS
from bidarena.envs.sb3 import SB3Env
from bidarena.envs.twentynine.rules.layout import BIDDING, OBSERVATION, PLAYING, S

ID = "bidarena/TwentyNine-v1"
RULES = {
    "last_trick": 1,
    "marriage": True,
    "doubling": True,
    "single_hand": True,
    "seventh_card": True,
    "redeal": "no_points",
    "all_pass": "redeal",
    "match_to": 2,
    "max_deals": 4,
}


def test_spaces__are_51_actions_and_373_numbers():
    env = gym.make(ID)
    assert env.action_space.n == 51
    assert env.observation_space.shape == (373,)
    assert make_game("twentynine").state_size * 8 < 512
    assert make_game("twentynine", **RULES).actions == 58


def test_docstring__index_table_is_that_of_the_layout():
    """Every part of the observation starts where the docstring says a row starts."""
    from bidarena.envs.twentynine.env import TwentyNineEnv

    table = TwentyNineEnv.__doc__.split("## Observation Space")[1].split("## Starting")[0]
    named = set()
    for line in table.splitlines():
        cell = line.strip().strip("|").split("|")[0].strip()
        if cell[:1].isdigit():
            ends = [int(number) for number in cell.replace("-", ", ").split(", ")]
            named |= set(ends) if "," in cell else set(range(ends[0], ends[-1] + 1))
    assert named == set(range(373))
    for part in ("played", "trick", "voids", "bids", "trump", "phase", "points", "score"):
        assert f"| {OBSERVATION[part].start}" in table


# --- partners and teams --------------------------------------------------------------------------


def test_partner__sits_opposite_and_opponents_beside():
    asked = {"partner": set(), "opponent": set()}

    def player(name):
        def choose(observation, mask):
            # The mover sees seat 0, which speaks first, relative to its own seat.
            first = int(np.argmax(observation[OBSERVATION["first"]]))
            asked[name].add((4 - first) % 4)
            return int(np.argmax(mask))

        return choose

    env = gym.make(ID, partner=player("partner"), opponent=player("opponent"), seat=1)
    _, info = env.reset(seed=3)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(np.argmax(info["action_mask"])))
    assert asked == {"partner": {3}, "opponent": {0, 2}}


@pytest.mark.parametrize(
    ("keywords", "complaint"),
    [
        ({"partner": "nobody"}, "opponent='nobody'"),
        ({"partner": "rules", "opponents": ["rules"] * 3}, "partner='rules': give a partner or"),
        ({"opponents": ["self", "rules", "rules"]}, "'self' is for a partner's seat"),
        ({"opponents": ["rules"]}, "expected 3 opponents"),
        ({"seat": 4}, "seat=4"),
        ({"min_bid": 12}, "min_bid=12"),
        ({"max_bid": 29}, "max_bid=29"),
        ({"marriage": 1}, "marriage=1"),
        ({"redeal": "often"}, "redeal='often'"),
        ({"auction": "dutch"}, "auction='dutch'"),
        ({"match_to": 6, "reward": "margin"}, "reward='margin'"),
        ({"max_deals": 0}, "max_deals=0"),
    ],
)
def test_bad_input__is_refused_by_name(keywords, complaint):
    with pytest.raises(ValueError, match=complaint):
        gym.make(ID, **keywords)


def test_partner__is_refused_where_there_are_none():
    with pytest.raises(ValueError, match="partner='random': raj has no partners"):
        gym.make("bidarena/Raj-v0", partner="random")


def play_team(env, seed):
    """Play a deal of a learner with both seats; return (seat, own hand, mask) of each step."""
    observation, info = env.reset(seed=seed)
    steps, over, reward = [], False, 0.0
    chance = np.random.default_rng(seed)
    while not over:
        hand = np.flatnonzero(observation[OBSERVATION["hand"]])
        steps.append((env.unwrapped.deciding, hand.tolist(), info["action_mask"]))
        action = int(chance.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, over, _, info = env.step(action)
    return steps, reward


@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_team__learner_decides_for_both_partners_with_their_own_cards(seat):
    env = gym.make(ID, partner="self", opponent="random", seat=seat)
    rewards = set()
    for seed in range(20):
        steps, reward = play_team(env, seed)
        rewards.add(reward)
        home = env.unwrapped.seat
        assert {who for who, _, _ in steps} == {home, (home + 2) % 4}
        hands = {who: set() for who, _, _ in steps}
        for who, hand, mask in steps:
            hands[who] |= set(hand)
            cards = np.flatnonzero(mask[:32])
            assert set(cards) <= set(hand)  # the playable cards are in the hand that is seen
        one, two = hands.values()
        assert not one & two and len(one) == len(two) == 8  # and never the partner's
    assert {-1.0, 1.0} <= rewards


def test_team__batched_rows_are_the_single_games():
    rows = 3
    batch = gym.make_vec(ID, num_envs=rows, partner="self", opponent="rules")
    views, infos = batch.reset(seed=5)
    singles = [gym.make(ID, partner="self", opponent="rules") for _ in range(rows)]
    own = [env.reset(seed=5 + i) for i, env in enumerate(singles)]
    for _ in range(17):  # no deal is over by then: sixteen cards and more
        actions = infos["action_mask"].argmax(axis=1)
        for i, env in enumerate(singles):
            assert np.array_equal(views[i], own[i][0])
            assert batch.unwrapped.deciding[i] == env.unwrapped.deciding
            view, _, over, _, info = env.step(int(actions[i]))
            assert not over
            own[i] = view, info
        views, _, _, _, infos = batch.step(actions)


def test_team__sb3_env_plays_both_seats():
    env = SB3Env("twentynine", 2, partner="self", opponent="random", seat=0)
    env.seed(0)
    env.reset()
    lengths = []
    while len(lengths) < 6:
        masks = np.stack(env.env_method("action_masks"))
        _, _, _, infos = env.step(masks.argmax(axis=1))
        lengths += [info["episode"]["l"] for info in infos if "episode" in info]
    assert min(lengths) >= 16  # eight cards from each hand


# --- what a seat sees ----------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**31), steps=st.integers(0, 60), house=st.booleans())
def test_observe__shows_nothing_hidden(seed, steps, house):
    game = make_game("twentynine", **(RULES if house else {}))
    batch = Batch(game, 1, seed=seed)
    chance = np.random.default_rng(seed)
    for _ in range(steps):
        if batch.movers[0] >= 0:
            batch.step([int(chance.choice(np.flatnonzero(batch.masks[0])))])
    state = batch.states[0]
    rng = chance.integers(1, 2**64, WORDS, dtype=np.uint64)
    for player in range(4):
        views = []
        changed = False
        for _ in range(4):
            guess = state.copy()
            game.call("determinize")(game.cfg, guess, player, rng)
            view = np.zeros(game.observation_size, np.float32)
            game.call("observe")(game.cfg, guess, player, view)
            views.append(view)
            changed |= not np.array_equal(guess, state)
        assert all(np.array_equal(view, views[0]) for view in views)
        in_auction = batch.movers[0] >= 0 and state[S.phase] == BIDDING
        assert changed or not in_auction  # there is much to guess at first


def test_observe__trump_is_known_to_the_bidder_alone_until_revealed():
    game = make_game("twentynine")
    batch = Batch(game, 1, seed=0)
    for action in (33, 32, 32, 32, 48):  # seat 0 takes 16 and chooses hearts
        batch.step([action])
    trump = OBSERVATION["trump"]
    for seat in range(4):
        view = np.zeros(game.observation_size, np.float32)
        game.call("observe")(game.cfg, batch.states[0], seat, view)
        assert view[trump].tolist() == ([0, 0, 1, 0] if seat == 0 else [0, 0, 0, 0])


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**31), variant=st.sampled_from(VARIANTS["twentynine"]))
def test_observe__leader_before_the_first_trick_is_the_one_who_leads(seed, variant):
    """Nobody is shown in the auction, and no leader who will not lead; in a match in each deal."""
    game = make_game("twentynine", **variant)
    batch = Batch(game, 1, seed=seed)
    chance = np.random.default_rng(seed)
    shown, checked = set(), 0
    while batch.movers[0] >= 0:
        state, mover = batch.states[0], int(batch.movers[0])
        phase = state[S.phase]
        told = set()
        for player in range(4):
            view = np.zeros(game.observation_size, np.float32)
            game.call("observe")(game.cfg, state, player, view)
            part = np.flatnonzero(view[OBSERVATION["leader"]])
            told |= {(player + int(place)) % 4 for place in part} or {None}
        assert len(told) == 1  # all seats are told of the same
        if phase == BIDDING:
            assert told == {None}
            shown = set()
        elif phase < PLAYING:
            shown |= told
        elif state[S.trick] == 0 and state[S.in_trick] == 0 and not state[S.revealed]:
            assert told == {mover}
            assert shown == ({None} if variant.get("single_hand") else {mover})
            checked += 1
        batch.step([int(chance.choice(np.flatnonzero(batch.masks[0])))])
    assert checked > 0


# --- order of play -------------------------------------------------------------------------------


def test_step__a_finished_deal_cannot_be_stepped():
    env = gym.make(ID).unwrapped
    _, info = env.reset(seed=0)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(np.argmax(info["action_mask"])))
    with pytest.raises(ResetNeeded):
        env.step(0)
    batch = Batch(make_game("twentynine"), 1, seed=0)
    while batch.movers[0] >= 0:
        batch.step([int(np.argmax(batch.masks[0]))])
    before = batch.states.copy()
    batch.step([0])
    assert np.array_equal(batch.states, before)


def test_step__a_card_of_another_seat_is_illegal():
    """No seat acts out of turn: the legal cards are the mover's own."""
    env = aec_env("twentynine")
    env.reset(seed=0)
    for action in (33, 32, 32, 32, 48):
        env.step(action)
    state = env.unwrapped._table.state
    assert env.agent_selection == "player_0"
    foreign = next(c for c in range(32) if int(state[S.hands + 1]) >> c & 1)
    env.step(foreign)
    assert env.infos["player_0"]["illegal_action"] is True
    assert env.rewards == {"player_0": -1, "player_1": 1, "player_2": -1, "player_3": 1}


def test_package__lists_the_game():
    assert "twentynine" in bidarena.envs.games()
    assert {"random", "rules"} <= set(bidarena.envs.bots("twentynine"))
