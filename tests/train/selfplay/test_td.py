"""Self-play that judges positions: it finds perfect play, and goes on exactly from where it was."""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch
import toy_nim
import yaml

from bidarena import train
from bidarena.baselines.coins.table import MICROSECONDS, NODES
from bidarena.baselines.learned.bots import network_bot
from bidarena.cli.main import main
from bidarena.envs import make_bot, make_game
from bidarena.envs.registry import env_id
from bidarena.evaluate.appraisal.strength import truth_of
from bidarena.evaluate.coins.exploit import exploit_coins
from bidarena.train.folder import CsvTable
from bidarena.train.selfplay.lookahead import LookAhead, Memory
from bidarena.train.selfplay.td import TD, TDSettings
from bidarena.train.settings import evaluation_settings

SMALL = {"rows": 32, "positions": 256, "memory": 4096, "hidden": [16], "minibatch": 64}


def trained(game, total, **settings):
    learner = TD(game, settings, seed=1, total=total)
    while learner.steps < total:
        learner.learn()
    return learner


def test_td__learns_a_small_board_to_perfection():
    game = make_game("coins", board="triangle3")
    untrained = TD(game, SMALL, seed=1, total=1).network()
    before = exploit_coins(game, network_bot(game, untrained, "untrained"))
    assert before.kept_where_it_matters < 0.9
    network = trained(game, 20_000, **{**SMALL, "hidden": [64, 64]}).network()
    after = exploit_coins(game, network_bot(game, network, "td"))
    assert after.kept_where_it_matters == 1
    assert after.best_response_value == 0  # who begins wins, and so does the other seat's response


def test_td__learns_the_heaps_of_nim_that_are_lost():
    game = make_game("toy_nim", heap=9, most=3, random_heap=True)
    network = trained(game, 30_000, **{**SMALL, "hidden": [64, 64], "epochs": 20}).network()
    bot = network_bot(game, network, "td")
    act = game.compiled(bot.act)
    mask, luck = np.zeros(game.actions, np.int8), np.ones(2, np.uint64)
    for stones in range(1, 10):
        if stones % 4:  # leave a multiple of 4
            state = np.zeros(game.state_size, np.int64)
            state[toy_nim.STONES] = stones
            action = act(game.cfg, bot.params, state, 0, luck, mask)
            game.call("step")(game.cfg, state, action, luck)
            assert state[toy_nim.STONES] % 4 == 0


def test_td__goes_on_exactly_from_a_saved_state():
    game = make_game("coins", board="triangle4")
    one = TD(game, SMALL, seed=3, total=3000)
    for _ in range(2):
        one.learn()
    saved = one.state()
    other = TD(game, SMALL, seed=99, total=3000)
    other.learn()  # whatever it was before is forgotten
    other.restore(saved)
    for _ in range(3):
        first, second = one.learn(), other.learn()
        for name in ("value_loss", "certainty", "met", "learning_rate", "decisions"):
            assert first[name] == second[name]
    mine, its = one.state(), other.state()
    assert mine.keys() == its.keys()
    for name, part in mine.items():
        assert np.array_equal(np.asarray(part), np.asarray(its[name])), name
    assert not np.array_equal(saved["learning.0"], mine["learning.0"])


@pytest.mark.parametrize("colours", [None, "seeded"])  # observations from 0 to 1, from -1 to 1
def test_td__the_network_judges_as_the_learner_does(colours):
    game = make_game("coins", board="triangle4", **({"colours": colours} if colours else {}))
    learner = TD(game, SMALL, seed=3, total=1000)
    learner.learn()
    low, high = game.observation_range
    shape = (50, game.observation_size)
    views = np.random.default_rng(0).uniform(low, high, shape).astype(np.float32)
    given = np.tanh(learner.network()(views)[:, 0] / 2)
    assert np.ptp(given) > 1e-3
    assert learner._values(views) == pytest.approx(given, abs=1e-5)


def test_td__a_state_holds_tensors_arrays_and_numbers_only():
    learner = TD(make_game("coins", board="triangle3"), SMALL, seed=0, total=1000)
    learner.learn()
    for name, part in learner.state().items():
        assert isinstance(name, str)
        assert isinstance(part, torch.Tensor | np.ndarray | int | float)


@pytest.mark.parametrize(
    ("change", "message"), [({"hidden": [17]}, r"learning\.0.* does not fit"), ({"memory": 9}, "9")]
)
def test_td__the_state_of_another_learner_is_refused(change, message):
    game = make_game("coins", board="triangle3")
    other = TD(game, {**SMALL, **change}, seed=0, total=1000).state()
    with pytest.raises(ValueError, match=message):
        TD(game, SMALL, seed=0, total=1000).restore(other)


def test_td__the_same_seed_learns_the_same():
    game = make_game("coins", board="triangle3")
    networks = []
    for seed in (5, 5, 6):
        learner = TD(game, SMALL, seed=seed, total=1000)
        learner.learn()
        networks.append(learner.network())
    assert np.array_equal(networks[0].weights[-1], networks[1].weights[-1])
    assert not np.array_equal(networks[0].weights[-1], networks[2].weights[-1])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gamma": 0.9}, "'gamma' is unknown; expected rows, .*memory"),
        ({"rows": 0}, "rows=0"),
        ({"explore": 1.5}, "explore=1.5"),
        ({"follow": 0.0}, "follow=0.0"),
    ],
)
def test_td__refuses_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        TD(make_game("coins", board="triangle3"), settings, seed=0, total=1000)


@pytest.mark.parametrize("name", ["raj", "scotch", "richman", "twentynine"])
def test_td__refuses_games_that_hide_something_or_move_at_the_same_time(name):
    with pytest.raises(ValueError, match=f"game=<{name}.*hides nothing"):
        TD(make_game(name), {}, seed=0, total=1000)


def test_td__a_run_is_measured_in_games_and_everywhere(tmp_path, capsys):
    args = ["train", "coins", "--board", "triangle3", "--algo", "td", "--steps", "1000"]
    args += ["--set", *(f"{name}={value}".replace(" ", "") for name, value in SMALL.items())]
    args += ["--rivals", "random", "--games", "20", "--evaluations", "2"]
    assert main([*args, "--folder", str(tmp_path)]) == 0
    assert "kept_everywhere" in capsys.readouterr().out
    (folder,) = tmp_path.iterdir()
    rows = CsvTable(folder / "evaluations.csv").rows()
    assert {row["measure"] for row in rows} == {"match random", "kept", "kept_everywhere"}
    assert main([*args, "--opponent", "greedy", "--folder", str(tmp_path)]) == 2
    assert "td plays all seats itself" in capsys.readouterr().err


def test_evaluation__rivals_of_coins_are_bounded_by_nodes_not_by_a_clock():
    game = make_game("coins")  # where 50 ms a move would make every evaluation last minutes
    _, *searching = evaluation_settings("coins")["rivals"]
    assert len(searching) == 3
    for rival in searching:
        plan = make_bot(game, rival).params
        assert plan[MICROSECONDS] < 0 < plan[NODES], rival
    assert make_bot(game, searching[0].partition(":")[0]).params[MICROSECONDS] > 0


def test_truth__of_coins_tells_both_shares():
    game = make_game("coins", board="triangle3")
    bot = network_bot(game, TD(game, SMALL, seed=0, total=1).network(), "td")
    truth, full = truth_of(game, bot), exploit_coins(game, bot)
    assert truth.measures == {
        "kept": full.kept_in_games_where_it_matters,
        "kept_everywhere": full.kept_where_it_matters,
    }
    assert truth.goodness == sum(truth.measures.values())


def test_look_ahead__judges_each_position_once_and_takes_results_as_they_are():
    game = make_game("toy_nim", heap=4, most=3)
    asked = []

    def values(views):
        asked.append(len(views))
        return np.full(len(views), 0.25, np.float32)

    states = np.array([[4, 0], [4, 1], [2, 0]])
    views, worth = LookAhead(game)(states, values, np.ones(2, np.uint64))
    assert views.shape == (3, game.observation_size)
    assert worth[0].tolist() == worth[1].tolist() == [-np.inf, -0.25, -0.25, -0.25]
    assert worth[2].tolist() == [-np.inf, -0.25, 1.0, -np.inf]
    assert asked == [3]  # 3, 2 or 1 stones, whoever is to move


def test_memory__keeps_each_position_once():
    game = make_game("toy_nim", heap=9, most=3)
    memory = Memory(game, 1000)
    states = np.array([[stones, 0] for stones in (5, 5, 7, 5)])
    views = np.array([[stones / 9] * game.observation_size for stones in (5, 5, 7, 5)], np.float32)
    memory.add(states, views)
    drawn = memory.draw(10, np.random.default_rng(0))
    assert sorted(drawn[:, 0]) == [5, 7]
    assert len(memory.draw(1, np.random.default_rng(0))) == 1


def test_memory__draws_what_is_urgent_oftener():
    game = make_game("toy_nim", heap=9, most=3)
    memory, luck = Memory(game, 1000), np.random.default_rng(0)
    memory.used[:100] = True
    memory.urgency[:100] = 0.0
    memory.urgency[10:20] = 0.5
    memory.urgency[20:30] = 1.5
    counts = np.zeros(1000)
    for _ in range(400):
        places = memory.choose(4, luck, urgent=0.5)
        assert len(np.unique(places)) == 4
        counts[places] += 1
    assert counts[100:].sum() == 0
    hasty = counts[10:30].sum() - 20 * 2 * 400 / 100  # less what is drawn evenly
    assert hasty == pytest.approx(800, rel=0.1)
    assert counts[20:30].sum() > 2 * counts[10:20].sum()
    assert counts[30:100].min() > 0
    kept = memory.state()
    other = Memory(game, 1000)
    other.restore(kept)
    assert np.array_equal(other.urgency[:100], memory.urgency[:100])


def test_hyperparameters__are_the_settings():
    text = (Path(train.__file__).parent / "hyperparameters" / "td.yml").read_text()
    chosen = yaml.safe_load(text)
    defaults = chosen.pop("default")
    assert defaults.pop("steps") > 0
    assert defaults == {**asdict(TDSettings()), "hidden": list(TDSettings().hidden)}
    assert set(chosen) <= {env_id("coins")}
    for settings in chosen.values():
        settings.pop("steps", None)
        TDSettings(**settings)
