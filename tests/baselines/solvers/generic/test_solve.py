"""The generic solver on games whose values are known, and against OpenSpiel in the same test."""

import numpy as np
import pytest
from toy_goofspiel import goofspiel
from toy_kuhn import kuhn
from toy_leduc import leduc
from toy_matrix import matrix
from toy_tictactoe import tictactoe

from bidarena.baselines.solvers.generic.respond import index_of, responses_to
from bidarena.baselines.solvers.generic.solve import Limits, solve_anew
from bidarena.baselines.solvers.probabilities import Asker, with_probabilities
from bidarena.envs import make_bot, make_game

ROCK_PAPER_SCISSORS = ((0, -100, 100), (100, 0, -100), (-100, 100, 0))


def solved(game, **limits):
    return solve_anew(game, Limits(**limits))


def nash_conv(game, player):
    """Return what best responses to a player gain, all seats together."""
    return responses_to(Asker(index_of(game), player)).nash_conv


def test_solve__kuhn_poker():
    answer = solved(kuhn())
    assert answer.value == pytest.approx(-1 / 18 / 2, abs=1e-12)  # the toy halves the chips
    assert answer.gap < 1e-12 and answer.playable
    assert answer.figures["information_sets"] == 12


def test_solve__tic_tac_toe_is_a_draw():
    answer = solved(tictactoe())
    assert (answer.value, answer.gap, answer.figures["positions"]) == (0.0, 0.0, 5478)


@pytest.mark.parametrize(
    ("cells", "value", "chances"),
    [
        (((100, -100), (-100, 100)), 0.0, (0.5, 0.5)),
        (ROCK_PAPER_SCISSORS, 0.0, (1 / 3, 1 / 3, 1 / 3)),
        (((80, -40), (-40, 20)), 0.0, (1 / 3, 2 / 3)),
        (((100, 300), (200, 150)), 1.8, (0.2, 0.8)),
    ],
)
def test_solve__one_matrix(cells, value, chances):
    answer = solved(matrix(first=cells))
    assert answer.value == pytest.approx(value, abs=1e-12) and answer.gap < 1e-12
    assert answer.plan.chances[: len(chances)] == pytest.approx(chances)  # the line of the rows


def test_solve__rounds_add_up():
    assert solved(matrix(first=((100, 300), (200, 150)), rounds=3)).value == pytest.approx(5.4)


def test_solve__leduc_poker_and_what_uniform_play_loses_as_open_spiel_has_it():
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    answer = solved(leduc())
    assert answer.value == pytest.approx(-0.0856064240780, abs=1e-9)
    assert answer.gap < 1e-9 and answer.figures["information_sets"] == 936

    ours = nash_conv(leduc(), make_bot(leduc(), "random"))
    assert ours == pytest.approx(4.747222, abs=1e-6)
    theirs = pyspiel.load_game("leduc_poker")
    uniform = policy.UniformRandomPolicy(theirs)
    assert ours == pytest.approx(exploitability.nash_conv(theirs, uniform), abs=1e-9)


def test_solve__leduc_poker_by_regret_reaches_the_gap(monkeypatch):
    monkeypatch.setattr("bidarena.baselines.solvers.generic.solve.is_small", lambda tree: False)
    answer = solved(leduc(), gap=2e-3)
    assert answer.gap <= 2e-3 and answer.method.startswith("predictive CFR+")
    assert answer.value == pytest.approx(-0.0856064240780, abs=1e-3)


def first_legal(views, masks):
    """Always take the legal action with the lowest number."""
    chances = np.zeros(masks.shape)
    chances[np.arange(len(masks)), masks.argmax(axis=1)] = 1.0
    return chances


@pytest.mark.parametrize(
    ("cards", "order", "returns"),
    [(3, "descending", "win_loss"), (3, "random", "win_loss"), (4, "descending", "win_loss")],
)
def test_goofspiel__with_hidden_bids_agrees_with_open_spiel(cards, order, returns):
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    game = goofspiel(cards=cards, shuffled=order == "random")
    theirs = pyspiel.load_game_as_turn_based(
        f"goofspiel(imp_info=True,egocentric=True,num_cards={cards},points_order={order},"
        f"returns_type={returns})"
    )
    lowest = policy.FirstActionPolicy(theirs)
    uniform = policy.UniformRandomPolicy(theirs)
    for ours, other in (
        (make_bot(game, "random"), uniform),
        (with_probabilities(first_legal), lowest),
    ):
        expected = exploitability.nash_conv(theirs, other)
        assert nash_conv(game, ours) == pytest.approx(expected, abs=1e-9)
    answer = solved(game)
    assert answer.value == pytest.approx(0.0, abs=1e-9) and answer.gap < 1e-9


@pytest.mark.parametrize(("cards", "reward"), [(3, "outcome"), (4, "margin")])
def test_goofspiel__with_bids_shown_agrees_with_open_spiel(cards, reward):
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    kind = {"outcome": "win_loss", "margin": "point_difference"}[reward]
    values = list(range(1, cards + 1))
    game = make_game("raj", cards=values, items=values, tie="discard", reward=reward)
    theirs = pyspiel.load_game_as_turn_based(
        f"goofspiel(imp_info=False,num_cards={cards},points_order=random,returns_type={kind})"
    )
    # OpenSpiel's points are differences to the mean of both players
    share = 0.5 if reward == "margin" else 1.0
    lowest, uniform = policy.FirstActionPolicy(theirs), policy.UniformRandomPolicy(theirs)
    for ours, other in (
        (make_bot(game, "random"), uniform),
        (with_probabilities(first_legal), lowest),
    ):
        expected = exploitability.nash_conv(theirs, other)
        assert share * nash_conv(game, ours) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
def test_goofspiel__with_five_cards_shown_agrees_with_open_spiel():
    """OpenSpiel takes two minutes, in C++."""
    pyspiel = pytest.importorskip("pyspiel")
    values = [1, 2, 3, 4, 5]
    game = make_game("raj", cards=values, items=values, tie="discard")
    theirs = pyspiel.load_game_as_turn_based(
        "goofspiel(imp_info=False,num_cards=5,points_order=random,returns_type=win_loss)"
    )
    expected = pyspiel.nash_conv(theirs, pyspiel.UniformRandomPolicy(theirs))
    assert nash_conv(game, make_bot(game, "random")) == pytest.approx(expected, abs=1e-9)
