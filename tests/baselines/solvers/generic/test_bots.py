"""`exact`, `best_response` and hints of the generic solver: as good as printed, and fair."""

from dataclasses import replace

import numpy as np
import pytest
from toy_goofspiel import goofspiel
from toy_kuhn import kuhn
from toy_leduc import leduc
from toy_matrix import matrix
from toy_tictactoe import tictactoe

from bidarena.baselines.solvers.generic.bots import exact, exact_hint, report
from bidarena.baselines.solvers.generic.plan import plan_bot
from bidarena.baselines.solvers.generic.respond import index_of, responses_to
from bidarena.baselines.solvers.generic.solve import Limits, solve_game
from bidarena.baselines.solvers.graph.facts import idle_of
from bidarena.baselines.solvers.probabilities import Asker
from bidarena.envs import make_bot, make_game
from bidarena.envs.testing import check_bot
from bidarena.evaluate.exploit import exploit
from bidarena.evaluate.hint import hint
from bidarena.evaluate.match import play_match

GAMES = [
    kuhn(),
    leduc(),
    goofspiel(cards=3),
    matrix(first=((100, 300), (200, 150)), rounds=2),
    tictactoe(),
    make_game("richman", money=3, max_rounds=40, payment="opponent"),
    make_game("scotch", length=4, money=4, payment="opponent", max_rounds=30),
]


def named(game):
    return game.name


@pytest.mark.parametrize("game", GAMES, ids=named)
def test_exact__gives_best_responses_no_more_than_the_gap(game):
    answer = solve_game(game)
    found = responses_to(Asker(index_of(game), exact(game)))
    assert sum(found.values) <= answer.gap + 1e-9
    assert found.values[0] >= answer.value - 1e-9
    assert -found.values[1] <= answer.value + 1e-9


@pytest.mark.parametrize("game", GAMES, ids=named)
def test_exact_and_best_response__see_nothing_hidden(game):
    check_bot(game, exact(game), games=5)
    check_bot(game, "best_response:of=random" if game.name != "scotch" else "random", games=5)


@pytest.mark.parametrize("game", [kuhn(), goofspiel(cards=3), tictactoe()], ids=named)
def test_best_response__wins_in_matches_what_was_computed(game):
    found = exploit(game, "random")
    score = play_match(game, ["best_response:of=random", "random"], 4000, seed=1).scores[0]
    assert score.mean == pytest.approx(found.best_response_value, abs=2 * score.half_width)


def test_exact__by_regret_loses_no_more_than_its_gap(monkeypatch):
    monkeypatch.setattr("bidarena.baselines.solvers.generic.solve.is_small", lambda tree: False)
    game = goofspiel(cards=4)
    bot = exact(game, gap=0.005)
    assert sum(responses_to(Asker(index_of(game), bot)).values) <= 0.005


def test_exact__that_does_not_reach_its_gap_in_time_is_refused(monkeypatch):
    monkeypatch.setattr("bidarena.baselines.solvers.generic.solve.is_small", lambda tree: False)
    with pytest.raises(ValueError, match="larger gap"):
        exact(goofspiel(cards=4), gap=1e-13, seconds=0.2)


def test_exact__follows_the_clock():
    """Near the end other bids are right than far from it; who bids as far from it loses."""
    game = make_game("scotch", length=6, money=(7, 8), payment="opponent", max_rounds=15)
    plan = solve_game(game).plan
    assert plan.since.max() > 1
    index = index_of(game)
    assert sum(responses_to(Asker(index, exact(game))).values) < 1e-8
    always = replace(plan, since=np.zeros(len(plan.since)))
    timeless = plan_bot(game, always, idle_of(game), -1, "timeless")
    assert responses_to(Asker(index, timeless)).values == pytest.approx([1.0, 1.0])


def test_best_response__asks_for_the_bot_to_respond_to():
    with pytest.raises(ValueError, match="of="):
        make_bot(kuhn(), "best_response")


def test_hint__is_exact_in_any_small_game():
    game = tictactoe()
    state = game.new_state(np.ones(2, np.uint64))
    for action in (4, 1):  # the centre, then an edge, which loses
        game.call("step")(game.cfg, state, action, np.ones(2, np.uint64))
    found = hint(game, state)
    assert found.source == "the exact solution"
    assert {move.action: move.value for move in found.moves}[0] == 1.0
    assert min(move.value for move in found.moves) == 0.0


def test_hint__of_kuhn_poker_knows_what_a_jack_and_a_king_are_worth():
    game = kuhn()
    for card, worth in ((2, 7 / 6), (0, -1.0)):
        state = game.new_state(np.ones(2, np.uint64))
        state[:2] = card, (card + 1) % 3
        moves = exact_hint(game, state, True).moves
        best = max(move.value for move in moves)
        assert 2 * best == pytest.approx(worth, abs=1e-9)
        assert sum(move.share for move in moves) == pytest.approx(1.0)


def test_report__tells_value_gap_method_and_size():
    said = []
    told = report(kuhn(), Limits(), lambda total, what: lambda n: None, said.append)
    assert told["value"] == pytest.approx(-1 / 36) and told["exact"] and told["gap"] < 1e-9
    assert told["information_sets"] == 12
    assert len(said) == 1 and "histories" in said[0] and "GiB" in said[0]
