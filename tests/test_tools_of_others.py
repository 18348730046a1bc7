"""A game in somebody's own file brings tools, and every one of them is used by generic code."""

import json
import sys
from unittest import mock

import numpy as np
import pytest
import toy_nim  # noqa: F401 - registers the game
import toy_tools

from bidarena.baselines.adapters.seats import Seats
from bidarena.baselines.learned.bots import network_bot
from bidarena.cli.main import commands, main
from bidarena.envs import make_bot, make_game
from bidarena.envs.registry import register_tools, tools
from bidarena.evaluate.appraisal.strength import truth_of
from bidarena.evaluate.hint import hint
from bidarena.evaluate.match import play_match
from bidarena.studies.bench.environments import solve_time
from bidarena.train.selfplay.mmd import MMD
from bidarena.train.selfplay.td_parts import TDParts

GAME = "toy_pennies"
VALUE = (0.8 * 0.2 - 0.4 * 0.4) / (0.8 + 0.2 + 2 * 0.4)  # of a 2x2 game without a saddle point


@pytest.fixture
def more_tools():
    with mock.patch.dict(tools._tools):
        yield lambda **given: register_tools(GAME, **given)


def run_json(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_tools_of_others__solve(capsys):
    found = run_json(capsys, "solve", f"toy_tools:{GAME}", "--memory", "0.5")
    assert found["value"] == pytest.approx(VALUE)
    assert found["memory"] == 2**29


def test_tools_of_others__hints_are_exact():
    game = make_game(GAME)
    state = game.new_state(np.ones(2, np.uint64))
    found = hint(game, state)
    assert found.source == "the toy's solution"
    assert [advice.value for advice in found.moves] == pytest.approx([VALUE, VALUE])


def test_tools_of_others__a_position_index_brings_exploit_best_responses_and_the_measure(capsys):
    found = run_json(capsys, "exploit", GAME, "heads")
    # who always shows heads loses 0.4 as player 0, and pays 0.8 as player 1
    assert found["seat_values"] == pytest.approx([0.8, 0.4]) and found["exact"]
    game = make_game(GAME)
    truth = truth_of(game, make_bot(game, "heads"))
    assert (truth.name, truth.value) == ("exploitability", pytest.approx(0.6))
    score = run_json(capsys, "match", GAME, "best_response:of=heads", "heads", "--games", "20")
    assert score["scores"][0]["mean_return"] == pytest.approx(0.6)


def test_tools_of_others__an_own_exploit_and_measure_come_before_the_position_index(
    more_tools, capsys
):
    more_tools(exploit="toy_tools:exploit", measure="toy_tools:measure", exploit_note="A toy note.")
    found = run_json(capsys, "exploit", GAME, "heads", "--seed", "3")
    assert (found["games"], found["seed"]) == (7, 3)
    with pytest.raises(SystemExit):
        main(["exploit", GAME, "--help"])
    assert "A toy note." in capsys.readouterr().out
    game = make_game(GAME)
    truth = truth_of(game, make_bot(game, "heads"), seed=4)
    assert (truth.name, truth.details) == ("toyness", {"seed": 4})


def test_tools_of_others__serve_with_options_of_its_own(capsys):
    assert main(["serve", f"toy_tools:{GAME}", "--bot", "heads", "--greeting", "good day"]) == 0
    assert capsys.readouterr().out == "good day from heads of toy_pennies 0\n"
    with pytest.raises(SystemExit):
        main(["serve", GAME, "--help"])
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "the word to say first" in said and "(default: hello)" in said


def test_tools_of_others__programs_and_files():
    game = make_game(GAME)
    assert make_bot(game, f"cmd:{sys.executable} -V").name == f"program {sys.executable} -V"
    assert make_bot(game, "file:some.py:seconds=3").name == "file some.py 3"


def test_tools_of_others__progress_tells_games_apart():
    game = make_game(GAME)
    seats = Seats(game)
    rng, state = np.ones(2, np.uint64), game.new_state(np.ones(2, np.uint64))
    first, ended = seats.find(state, 0, rng)
    assert ended is None
    # asked again at the same point: the progress is strict, so this is another game
    second, ended = seats.find(state, 0, rng)
    assert ended is first and second is not first


def test_tools_of_others__bench_and_usual_opponent():
    assert solve_time(GAME) == {"solve_seconds": 0.25, "solved_rules": {"stakes": [1, -1, -1, 1]}}
    assert tools.tools_of(f"toy_tools:{GAME}").opponent == "heads"


def test_tools_of_others__list_names_the_strongest_bots(capsys):
    (row,) = (row for row in run_json(capsys, "list")["games"] if row["game"] == GAME)
    assert row["strongest"] == {
        "without_search": "heads",
        "with_search": "best_response:of=heads",
    }


def test_tools_of_others__commands(capsys):
    assert commands()["toy"] == ("toy_tools", "the command of a toy")
    assert main(["toy", "with", "words"]) == 0
    assert capsys.readouterr().out == "toy command with words\n"


def learned(kind, game, total, **settings):
    learner = kind(game, settings, seed=1, total=total)
    while learner.steps < total:
        learner.learn()
    return learner.network()


def heads(network):
    """Return how likely a learned player 0 of the toy is to show heads."""
    logits = network(np.zeros((1, 2), np.float32))[0].astype(float)
    return float(np.exp(logits[0]) / np.exp(logits).sum())


def test_tools_of_others__parts_are_learned_from(more_tools):
    register_tools("toy_nim", parts="toy_tools:parts")
    game = make_game("toy_nim", heap=8, most=3, random_heap=True)
    small = {"rows": 16, "memory": 64, "positions": 64, "hidden": [32, 16], "top": [16]}
    network = learned(TDParts, game, 10_000, **small, minibatch=32, explore=0.5)
    bot = network_bot(game, network, "td_parts")
    score = play_match(game, [bot, make_bot(game, "perfect")], games=400, seed=1).scores[0]
    assert score.mean == pytest.approx(0, abs=0.1)  # with both seats, perfect play is even


def test_tools_of_others__exchangeable_actions_are_treated_alike(more_tools):
    more_tools(exchange="toy_tools:exchange")
    network = learned(MMD, make_game(GAME), 2000, tied=True, rows=64, hidden=[8], minibatch=64)
    assert heads(network) == pytest.approx(0.5, abs=1e-6)  # right would be one third


def test_tools_of_others__open_values_are_believed(more_tools):
    more_tools(open_values="toy_tools:open_values")
    game = make_game(GAME)
    assert heads(learned(MMD, game, 4000, open_share=1.0, rows=64, minibatch=64)) < 0.1


def test_tools_of_others__every_tool_is_registered_by_the_toy():
    given = {*toy_tools.TOOLS, "exploit", "exploit_note", "measure", "view", "board"}
    given |= {"parts", "exchange", "open_values"}
    assert given == {entry.name for entry in tools.fields(tools.Tools)}
