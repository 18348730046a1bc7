"""Raj solved: against brute force over the rules, OpenSpiel's Goofspiel, and in matches."""

import numpy as np
import pytest
from brute_force import Tree, matrix_value

from bidarena.baselines.raj.exact import openings, solutions
from bidarena.baselines.raj.solver import find, index_positions, put
from bidarena.baselines.solvers.best_response import best_response, policy_value
from bidarena.baselines.solvers.probabilities import Asker
from bidarena.envs import make_bot, make_game
from bidarena.envs.testing import random_states
from bidarena.evaluate.match import play_match

SMALL = [
    {"reward": reward, "tie": tie}
    for reward in ("margin", "outcome")
    for tie in ("carry", "discard", "split")
]


def small(**rules):
    return make_game("raj", **{"cards": (1, 2, 5), "items": (-2, 1, 3), **rules})


def to_come(game, state, value):
    """Return the part of a value that is still to come; for the margin without the banks."""
    banks = state[game.state["banks"]]
    won = (banks[0] - banks[1]) * game.score_unit
    return value - won if game.options["reward"] == "margin" else value


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_raj__every_position_agrees_with_brute_force_over_the_rules(rules):
    game = small(**rules)
    solution = solutions.find(game)
    tree = Tree(game, ("last_pot", "last_taker", "last_bids"))
    look = solution.index.compiled(find)
    compared = 0
    for state, mover, _ in random_states(game, 6, 1):
        if mover == 0:
            expected = to_come(game, state, tree.value(state))
            position = look(game.cfg, solution.index.numbers, state)
            assert solution.values[position] == pytest.approx(expected, abs=1e-9)
            compared += 1
    assert compared == 18


@pytest.mark.parametrize("rules", [{"reward": "margin"}, {"reward": "outcome"}], ids=str)
def test_raj__nobody_gains_against_exact_in_the_default_game(rules):
    game = make_game("raj", **rules)
    asker = Asker(index_positions(game), make_bot(game, "exact"))
    assert asker.exact and solutions.find(game).value == 0.0
    for seat in range(2):
        assert best_response(asker, seat).value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_raj__exact_against_itself_scores_the_value(rules):
    game = small(**rules)
    index = index_positions(game)
    asker = Asker(index, make_bot(game, "exact"))
    assert policy_value(index, asker, asker) == pytest.approx(0.0, abs=1e-9)


def test_raj__openings_are_mixed_strategies_over_the_cards():
    game = make_game("raj", reward="margin")
    found = openings(solutions.find(game))
    assert list(found) == ["-2", "-1", "1", "2", "3", "4"]
    for law in found.values():
        assert sum(law.values()) == pytest.approx(1.0)
        assert set(law) <= set("123456")
    assert found["4"]["6"] > 0.9  # for the best item mostly the best card


def test_raj__equal_items_count_as_often_as_they_lie_there():
    game = make_game("raj", cards=(1, 2, 3), items=(2, 2, 5), reward="margin")
    index = index_positions(game)
    assert sorted(chance for _, chance in index.starts) == pytest.approx([1 / 3, 2 / 3])
    asker = Asker(index, make_bot(game, "exact"))
    assert best_response(asker, 0).value == pytest.approx(0.0, abs=1e-12)


def test_raj__exact_wins_the_margin_of_its_best_response_or_less():
    """Bots lose less to equilibrium play in a match than their exploitability."""
    game = make_game("raj", reward="margin")
    for rival, most in (("random", 4.06), ("value", 8.87)):
        score = play_match(game, ["exact", rival], 4000, seed=3).scores[0]
        assert 0 < score.mean < most


@pytest.mark.parametrize("tie", ["carry", "discard", "split"])
def test_raj__positions_and_states_belong_together(tie):
    game = make_game("raj", cards=(1, 2, 3), items=(-1, 2, 2), tie=tie)
    index = index_positions(game)
    state = np.zeros(game.state_size, np.int64)
    for position in range(index.positions):
        index.compiled(put)(game.cfg, index.numbers, position, state)
        assert index.compiled(find)(game.cfg, index.numbers, state) == position


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"players": 3}, "players=3"),
        ({"reward": "bank"}, "zero-sum"),
        ({"cards": range(12), "items": range(12)}, "at most 10"),
    ],
)
def test_raj__what_cannot_be_solved_is_named(rules, message):
    with pytest.raises(ValueError, match=message):
        solutions.find(make_game("raj", **rules))


# --- OpenSpiel -----------------------------------------------------------------------------------


def spiel_value(state, known):
    """Return the value of an OpenSpiel state for player 0, by HiGHS on every matrix of bids."""
    if state.is_terminal():
        return state.returns()[0]
    key = str(state)
    if key not in known:
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            known[key] = sum(p * spiel_value(state.child(a), known) for a, p in outcomes)
        else:
            rows = []
            for a in state.legal_actions(0):
                row = []
                for b in state.legal_actions(1):
                    child = state.clone()
                    child.apply_actions([a, b])
                    row.append(spiel_value(child, known))
                rows.append(row)
            known[key] = matrix_value(np.array(rows))
    return known[key]


@pytest.mark.parametrize("reward", ["margin", "outcome"])
def test_raj__gops_agrees_with_open_spiel(reward):
    pyspiel = pytest.importorskip("pyspiel")
    kind = {"margin": "point_difference", "outcome": "win_loss"}[reward]
    rules = f"imp_info=False,points_order=random,num_cards=3,returns_type={kind}"
    reference = pyspiel.load_game(f"goofspiel({rules})")
    game = make_game("raj", cards=range(1, 4), items=range(1, 4), tie="discard", reward=reward)
    solution = solutions.find(game)
    known = {}
    for prize in range(3):
        for bids in ((0, 1), (2, 0), (1, 1), (1, 2)):
            theirs = reference.new_initial_state()
            theirs.apply_action(prize)
            theirs.apply_actions(list(bids))
            for following in theirs.legal_actions():
                state = np.zeros(game.state_size, np.int64)
                state[game.state["hands"]] = [7 ^ (1 << bid) for bid in bids]
                state[game.state["items"]] = 7 ^ (1 << prize) ^ (1 << following)
                state[game.state["pot"]] = following + 1
                won = (prize + 1) * np.sign(bids[0] - bids[1])
                state[game.state["banks"]] = [max(won, 0), max(-won, 0)]
                position = solution.index.compiled(find)(game.cfg, solution.index.numbers, state)
                ours = solution.values[position] + (won if reward == "margin" else 0)
                # OpenSpiel's result is the difference to the mean of both, half of ours
                share = 0.5 if reward == "margin" else 1.0
                expected = spiel_value(theirs.child(following), known)
                assert share * ours == pytest.approx(expected, abs=1e-9)
