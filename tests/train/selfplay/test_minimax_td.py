"""Self-play with a matrix game at every position: it finds perfect play, and goes on exactly."""

import numpy as np
import pytest

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import POSITIONS
from bidarena.envs import make_game
from bidarena.evaluate.exploit import exploit
from bidarena.train.selfplay.lookahead import Memory
from bidarena.train.selfplay.minimax_td import MinimaxTD

BIDS = {"slack": 0.1, "pure": True, "sharp": 2.0}
SMALL = {"rows": 16, "positions": 256, "memory": 4096, "hidden": [32, 32], "minibatch": 128}


def trained(game, total, **settings):
    learner = MinimaxTD(game, {**SMALL, **settings}, seed=1, total=total)
    while learner.steps < total:
        learner.learn()
    return network_bot(game, learner.network(), "minimax_td")


def conceded(game, bot):
    """Return what best responses win from both seats together."""
    return exploit(game, bot).nash_conv


@pytest.mark.parametrize(
    ("name", "rules", "total", "settings", "most"),
    [
        ("scotch", {"length": 4, "money": (8, 8)}, 30_000, {"slack": 0.1}, 0.01),
        ("scotch", {"length": 4, "money": (8, 8)}, 30_000, BIDS, 0.01),
        ("richman", {"money": 3, "max_rounds": 60}, 30_000, BIDS, 0.01),
        (
            "raj",
            {"cards": [1, 2, 3, 4], "items": [-1, 1, 2, 3], "reward": "margin"},
            140_000,
            {"gains": True, "blind": ["bank", "other_banks"]},
            0.1,
        ),
    ],
)
def test_minimax_td__learns_to_play_almost_perfectly(name, rules, total, settings, most):
    game = make_game(name, **rules)
    untrained = network_bot(game, MinimaxTD(game, SMALL, seed=1, total=1).network(), "untrained")
    assert conceded(game, untrained) > 5 * most
    assert conceded(game, trained(game, total, **settings)) <= most


@pytest.mark.parametrize("settings", [{}, {"urgent": 0.5, "near": 0.5}])
def test_minimax_td__goes_on_exactly_from_a_saved_state(settings):
    game = make_game("raj", cards=[1, 2, 3], items=[1, 2, 3])
    small = {**SMALL, "positions": 32, **settings}
    one = MinimaxTD(game, small, seed=3, total=5000)
    for _ in range(2):
        one.learn()
    saved = one.state()
    other = MinimaxTD(game, small, seed=99, total=5000)
    other.learn()  # whatever it was before is forgotten
    other.restore(saved)
    for _ in range(3):
        first, second = one.learn(), other.learn()
        for name in ("value_loss", "certainty", "met", "off", "learning_rate", "decisions"):
            assert first[name] == second[name]
    for name, part in one.state().items():
        assert np.array_equal(np.asarray(part), np.asarray(other.state()[name])), name
    assert one.network().head == POSITIONS


@pytest.mark.parametrize(
    ("name", "rules", "message"),
    [
        ("raj", {"players": 3}, "two players"),
        ("scotch", {"know_opponent_money": False}, "hides nothing"),
        ("twentynine", {}, "two players"),
    ],
)
def test_minimax_td__other_games_are_refused(name, rules, message):
    with pytest.raises(ValueError, match=message):
        MinimaxTD(make_game(name, **rules), {}, seed=0, total=1)


def test_minimax_td__gains_need_a_result_that_is_the_difference_of_the_points():
    with pytest.raises(ValueError, match="difference of the points"):
        MinimaxTD(make_game("raj"), {"gains": True}, seed=0, total=1)
    with pytest.raises(ValueError, match="counts points"):
        MinimaxTD(make_game("scotch", money=3), {"gains": True}, seed=0, total=1)


def test_minimax_td__what_is_blinded_out_does_not_count():
    game = make_game("raj", cards=[1, 2, 3], items=[1, 2, 3], reward="margin")
    learner = MinimaxTD(game, {**SMALL, "blind": ["bank", "other_banks"]}, seed=1, total=10_000)
    learner.learn()
    network, seen = learner.network(), np.zeros((2, game.observation_size), np.float32)
    seen[1, game.observation["bank"]] = 0.7
    assert network(seen)[0] == network(seen)[1]
    seen[1, game.observation["pot"]] = 0.7
    assert network(seen)[0] != network(seen)[1]


@pytest.mark.parametrize(
    "settings",
    [
        {"slack": 2.0},
        {"follow": 0.0},
        {"longest": 0},
        {"sharp": 0.0},
        {"blind": ["purse"]},
        {"urgent": 1.1},
        {"near": -0.1},
    ],
)
def test_minimax_td__wrong_settings_are_named(settings):
    (name,) = settings
    with pytest.raises(ValueError, match=name):
        MinimaxTD(make_game("raj"), settings, seed=0, total=1)


def test_minimax_td__only_one_player_strays_if_told_so(monkeypatch):
    game = make_game("scotch", length=4, money=(5, 5))
    told = []
    chosen = MinimaxTD._chosen

    def watched(self, chances, may):
        told.append(may.copy())
        return chosen(self, chances, may)

    monkeypatch.setattr(MinimaxTD, "_chosen", watched)
    small = {"rows": 32, "hidden": [8], "positions": 16}
    MinimaxTD(game, {**small, "one_strays": True}, seed=1, total=100).learn()
    first, second = told[0], told[1]  # the bids of both players in the first round of all games
    assert (first != second).all() and 0 < first.sum() < 32
    told.clear()
    MinimaxTD(game, small, seed=1, total=100).learn()
    assert all(may.all() for may in told)


def test_minimax_td__who_does_not_stray_plays_by_the_chances():
    game = make_game("scotch", length=4, money=(5, 5))
    learner = MinimaxTD(game, {"rows": 8, "hidden": [8], "explore": 1.0}, seed=1, total=100)
    chances = np.tile([-1.0, 0.0, 1.0, 0.0, 0.0, 0.0], (2000, 1))
    may = np.arange(2000) % 2 == 0
    actions = learner._chosen(chances, may)
    assert (actions[~may] == 2).all()
    assert set(actions[may]) == {1, 2, 3, 4, 5}


def test_minimax_td__strays_are_near_the_chosen_action_if_told_so():
    game = make_game("scotch", length=4, money=(40, 40))
    settings = {"rows": 8, "hidden": [8], "explore": 1.0, "near": 1.0}
    learner = MinimaxTD(game, settings, seed=1, total=100)
    chances = np.zeros((20_000, 41))
    chances[:, 20] = 1.0
    chances[:, 21:23] = chances[:, :3] = -1.0  # not legal, so 23 is beside 20
    actions = learner._chosen(chances, np.ones(len(chances), np.bool_))
    found, counts = np.unique(actions, return_counts=True)
    assert not {0, 1, 2, 20, 21, 22} & set(found) and {3, 19, 23, 40} <= set(found)
    shares = dict(zip(found.tolist(), counts / len(chances), strict=True))
    beside = np.log(2) / np.log(36) / 2  # 36 actions are legal; the same on either side
    assert shares[19] == pytest.approx(beside, abs=0.01)
    assert shares[23] == pytest.approx(beside, abs=0.01)
    assert shares[18] + shares[17] == pytest.approx(beside, abs=0.01)
    may = np.arange(len(chances)) % 2 == 0
    assert (learner._chosen(chances, may)[~may] == 20).all()


def test_minimax_td__notes_how_far_it_was_off_where_it_looked(monkeypatch):
    game = make_game("scotch", length=4, money=(8, 8))
    learner = MinimaxTD(game, {**SMALL, "positions": 16, "urgent": 0.4}, seed=1, total=30_000)
    choose, asked = Memory.choose, []

    def watched(self, count, luck, urgent=0.0):
        asked.append((count, urgent, choose(self, count, luck, urgent)))
        return asked[-1][2]

    monkeypatch.setattr(Memory, "choose", watched)
    for _ in range(3):
        told = learner.learn()
    count, urgent, places = asked[-1]
    assert (count, urgent) == (16, 0.4)
    off = learner._memory.urgency[places]
    assert off.mean() == pytest.approx(told["off"], rel=1e-4) and (off < 2.0).all()
    assert (learner._memory.urgency[learner._memory.used] == 2.0).any()  # never looked at


def test_minimax_td__first_units_bend_all_over_the_range_if_told_so():
    game = make_game("scotch")
    bends = {}
    for spread in (False, True):
        learner = MinimaxTD(game, {"spread": spread, "sharp": 4.0}, seed=0, total=1000)
        weight, bias = (part.detach().numpy() for part in learner._learning[:2])
        # the nearest point to the middle at which a unit bends, in parts of the range
        bends[spread] = np.abs(bias) / np.linalg.norm(weight, axis=0) / 4.0
    assert np.median(bends[False]) < 0.1
    assert np.median(bends[True]) > 0.3
    assert bends[True].max() < 5**0.5
