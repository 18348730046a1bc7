"""Best responses against brute force and matches; policies, and answers that are refused."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import Tree, law_of

from bidarena.baselines.solvers.best_response import best_response, index_positions
from bidarena.baselines.solvers.probabilities import Asker, checked, sb3_policy, with_probabilities
from bidarena.envs import Bot, batched, make_bot, make_game
from bidarena.evaluate.exploit import exploit
from bidarena.evaluate.match import play_match

SCOTCH = {"length": 4, "money": (3, 2)}
RAJ = {"cards": (1, 2, 4), "items": (-1, 2, 3)}
CASES = [
    ("scotch", SCOTCH, "random"),
    ("scotch", SCOTCH, "uniform:high=2"),
    ("scotch", {**SCOTCH, "tie": "coin"}, "dp"),
    ("scotch", {**SCOTCH, "payment": "opponent", "max_rounds": 4}, "richman"),
    ("raj", {**RAJ, "reward": "margin"}, "random"),
    ("raj", {**RAJ, "reward": "margin"}, "value"),
    ("raj", {**RAJ, "reward": "outcome"}, "minimax"),
    ("raj", {**RAJ, "reward": "outcome", "tie": "discard"}, "greedy"),
    ("raj", {**RAJ, "reward": "margin", "tie": "split"}, "published"),
]
FORGET = {
    "scotch": ("last_bids", "last_winner", "low", "high"),
    "raj": ("last_pot", "last_taker", "last_bids"),
}


@pytest.mark.parametrize(("name", "rules", "bot"), CASES, ids=str)
def test_best_response__agrees_with_brute_force_over_the_rules(name, rules, bot):
    game = make_game(name, **rules)
    rival = make_bot(game, bot)
    asker = Asker(index_positions(game), rival)
    assert asker.exact
    for seat in range(2):
        tree = Tree(game, FORGET[name])
        law = law_of(game, rival)
        laws = (None, law) if seat == 0 else (law, None)
        expected = np.mean([tree.value(state, *laws) for state in tree.starts()])
        found = best_response(asker, seat)
        assert found.value == pytest.approx(expected if seat == 0 else -expected, abs=1e-9)


def test_exploit__known_values_of_the_default_raj():
    """Another, independent program gave these numbers."""
    values = {
        bot: exploit("raj", bot, reward="margin").best_response_value for bot in ("random", "value")
    }
    assert values["random"] == pytest.approx(4.06, abs=0.005)
    assert values["value"] == pytest.approx(8.87, abs=0.005)


@pytest.mark.parametrize(
    ("name", "rules", "bot"),
    [("raj", {"reward": "margin"}, "random"), ("scotch", {"money": 8}, "uniform:high=4")],
)
def test_best_response__wins_in_a_match_what_it_promises(name, rules, bot):
    game = make_game(name, **rules)
    promised = exploit(game, bot).best_response_value
    score = play_match(game, [f"best_response:of={bot}", bot], 6000, seed=5).scores[0]
    assert abs(score.mean - promised) < 2.5 * score.half_width + 1e-9


def test_best_response__takes_the_name_with_the_game_and_wants_a_name():
    game = make_game("raj", **RAJ)
    assert make_bot(game, "best_response:of=raj/value").name == "best_response:of=raj/value"
    with pytest.raises(ValueError, match="of="):
        make_bot(game, "best_response")
    with pytest.raises(ValueError, match="no exact best responses in 'richman'"):
        index_positions(make_game("richman"))
    assert exploit("richman", "random", money=3, max_rounds=20).exact  # by the generic one


# --- policies ------------------------------------------------------------------------------------


def even(observations, masks):
    return masks / masks.sum(axis=1, keepdims=True)


def test_exploit__a_policy_with_probabilities_is_measured_like_the_bot_it_equals():
    for name, rules in (("scotch", {"money": 10}), ("raj", {**RAJ, "reward": "margin"})):
        ours = exploit(name, with_probabilities(even), **rules)
        bot = exploit(name, "random", **rules)
        assert ours.exact and ours.player == "even"
        assert ours.seat_values == pytest.approx(bot.seat_values, abs=1e-12)


def test_exploit__a_callable_without_probabilities_is_estimated_with_an_interval():
    luck = np.random.default_rng(0)

    @batched
    def draws(observations, masks):
        return (masks * luck.random(masks.shape)).argmax(axis=1)

    found = exploit("raj", draws, **RAJ, reward="margin", samples=200, games=4000)
    truth = exploit("raj", "random", **RAJ, reward="margin").best_response_value
    assert not found.exact and (found.samples, found.games) == (200, 4000)
    low, high = found.interval
    assert low < found.best_response_value < high
    assert low < truth + 1e-9 and abs(found.best_response_value - truth) < 0.3
    assert found.believed_value > found.best_response_value - (high - low)


def test_exploit__a_callable_that_declares_itself_deterministic_is_exact():
    def lowest(observation, mask):
        return int(np.flatnonzero(mask)[0])

    lowest.deterministic = True
    found = exploit("raj", lowest, **RAJ, reward="margin")
    assert found.exact and found.samples is None


def nan(observations, masks):
    return np.full(masks.shape, np.nan)


def illegal(observations, masks):
    return np.full(masks.shape, 1 / masks.shape[1])


def flat(observations, masks):
    return np.ones(len(masks))


def halves(observations, masks):
    return even(observations, masks) / 2


def negative(observations, masks):
    weights = even(observations, masks) * 3
    return weights - 2 * even(observations, masks) - np.eye(*masks.shape)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (nan, "not finite"),
        (illegal, "on illegal actions"),
        (flat, "shape"),
        (halves, "add up to 1"),
        (negative, "negative"),
    ],
)
def test_exploit__nonsense_gets_an_error_and_no_number(policy, message):
    with pytest.raises(ValueError, match=message):
        exploit("raj", with_probabilities(policy), **RAJ)


def test_exploit__bots_that_play_illegal_actions_are_refused():
    def forbidden(cfg, params, state, player, rng, scratch):
        return 0

    with pytest.raises(ValueError, match="illegal"):
        exploit("raj", Bot("forbidden", forbidden, deterministic=True), **RAJ)


def test_checked__forgives_rounding():
    masks = np.array([[1, 1, 0]], np.int8)
    chances = checked(np.array([[0.5, 0.4999999, 1e-8]], np.float32), masks, "net")
    assert chances.sum() == pytest.approx(1.0, abs=1e-15) and chances[0, 2] == 0.0


def test_exploit__sb3_models_in_memory_and_from_their_zip(tmp_path):
    sb3 = pytest.importorskip("sb3_contrib")
    from bidarena.envs.sb3 import SB3Env

    game = make_game("raj", **RAJ)
    model = sb3.MaskablePPO("MlpPolicy", SB3Env(game, 4), n_steps=8, batch_size=32, seed=0)
    model.save(tmp_path / "net.zip")
    inside = exploit(game, sb3_policy(model))
    outside = exploit(game, str(tmp_path / "net.zip"))
    assert inside.exact and outside.exact and outside.player.endswith("net.zip")
    assert outside.seat_values == pytest.approx(inside.seat_values, abs=1e-5)
    likeliest = exploit(game, sb3_policy(model, deterministic=True))
    assert likeliest.best_response_value >= -1e-9
    again = exploit(game, f"{tmp_path / 'net.zip'}:deterministic=true")
    assert again.seat_values == pytest.approx(likeliest.seat_values, abs=1e-9)


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"payment": "opponent", "max_rounds": 12},
        {"tie": "coin"},
        {"tie": "holder", "both_broke": "play_on"},
        {"broke": "lose", "max_rounds": 5},
    ],
    ids=str,
)
@pytest.mark.parametrize("bot", ["richman", "uniform"])
def test_best_response__asking_only_where_play_can_lead_changes_nothing(rules, bot):
    game = make_game("scotch", length=4, money=(5, 6), **rules)
    index = index_positions(game)
    assert index.spread is not None
    everywhere = replace(index, spread=None)
    for seat in range(2):
        here = best_response(Asker(index, make_bot(game, bot)), seat)
        there = best_response(Asker(everywhere, make_bot(game, bot)), seat)
        assert here.value == pytest.approx(there.value, abs=1e-12)
        assert here.reached < there.reached
