"""Hints: exact ones against brute force, and none that sees what the player cannot know."""

from functools import cache

import numpy as np
import pytest

from bidarena.baselines.raj import exact as raj_exact
from bidarena.baselines.scotch import exact as scotch_exact
from bidarena.envs import make_game
from bidarena.envs.coins.env import takes_of
from bidarena.envs.phrases import legal_actions, mover_of
from bidarena.envs.rng import seeded
from bidarena.evaluate.hint import hint


def states(game, seed, count):
    """States of random games in which somebody has a choice."""
    chance, choose = seeded(np.random.default_rng(seed), 2), np.random.default_rng(seed)
    found = []
    while len(found) < count:
        state = game.new_state(chance)
        while mover_of(game, state) >= 0:
            legal = legal_actions(game, state)
            if len(legal) > 1:
                found.append(state.copy())
            game.call("step")(game.cfg, state, int(choose.choice(legal)), chance)
    return found[:count]


@pytest.mark.parametrize(
    ("name", "rules", "solved"),
    [
        ("scotch", {"money": 12, "length": 6}, scotch_exact),
        ("scotch", {"money": 8, "length": 4, "tie": "coin"}, scotch_exact),
        ("raj", {"cards": [1, 2, 3, 4], "items": [-1, 1, 2, 3]}, raj_exact),
        ("raj", {"cards": [1, 2, 3, 4], "items": [-1, 1, 2, 3], "reward": "margin"}, raj_exact),
    ],
)
def test_hint__exact_values_are_those_of_an_equilibrium(name, rules, solved):
    game = make_game(name, **rules)
    for state in states(game, 1, 40):
        found = hint(game, state)
        assert found.source == "the exact solution"
        assert sorted(advice.action for advice in found.moves) == legal_actions(game, state)
        share = np.array([advice.share for advice in found.moves])
        value = np.array([advice.value for advice in found.moves])
        worst = np.array([advice.worst for advice in found.moves])
        here = float(share @ value)
        assert share.sum() == pytest.approx(1)
        # no move does better against perfect play, none is better than its worst case promises
        assert value.max() == pytest.approx(here, abs=1e-9)
        assert (worst <= value + 1e-9).all() and worst.max() <= here + 1e-9
    if name == "scotch":
        start = game.new_state(np.ones(2, np.uint64))
        best = hint(game, start).moves[0]
        assert best.value == pytest.approx(solved.solutions.find(game).value)
    else:  # on average over the first items, and here by the symmetry of the game
        assert solved.solutions.find(game).value == pytest.approx(0, abs=1e-9)


def test_hint__scotch_values_follow_from_those_of_the_next_round():
    game = make_game("scotch", money=6, length=4)
    solution = scotch_exact.solutions.find(game)
    for state in states(game, 2, 30):
        if state[game.state["pending"]][0] >= 0:
            continue  # begin from the first of the two bids
        for advice in hint(game, state).moves:
            outcomes = []
            replier = state.copy()
            game.call("step")(game.cfg, replier, advice.action, np.ones(2, np.uint64))
            for reply in legal_actions(game, replier):
                after = replier.copy()
                game.call("step")(game.cfg, after, reply, np.ones(2, np.uint64))
                if mover_of(game, after) < 0:
                    out = np.zeros(2)
                    game.call("returns")(game.cfg, after, out)
                    outcomes.append(out[0])
                else:
                    at = solution.index.find(game.cfg, solution.index.numbers, after)
                    outcomes.append(solution.values[at])
            assert advice.worst == pytest.approx(min(outcomes))
            assert min(outcomes) - 1e-9 <= advice.value <= max(outcomes) + 1e-9


@pytest.mark.parametrize(
    "rules",
    [
        {"board": "triangle4"},
        {"board": "triangle4", "last_coin": "wins", "max_take": 2},
        {"board": "***/.**/***", "gaps": True, "diagonals": True},
        {"board": "*/**/****"},
        {"board": "rectangle3x3", "values": [1, -1, 2, 3, -2, 1, 1, 2, -1]},
        {"board": "rectangle3x3", "colours": "seeded", "last_bonus": 2, "reward": "margin"},
    ],
)
def test_hint__coins_are_valued_as_by_plain_search(rules):
    game = make_game("coins", **rules)
    takes, options = takes_of(game), game.options
    by_points = options["score"] == "points"

    def search(worth):
        @cache
        def ahead(board):
            """By how much the mover will be ahead; 1 or -1 where the last coin decides."""
            return max(after(board, take) for take in takes if take & ~board == 0)

        def after(board, take):
            left = board ^ take
            gain = sum(value for coin, value in enumerate(worth) if take >> coin & 1)
            if by_points:
                return gain + (options["last_bonus"] if left == 0 else -ahead(left))
            if left == 0:
                return 1 if options["last_coin"] == "wins" else -1
            return -ahead(left)

        return after

    for state in states(game, 3, 25):
        part = {name: state[where].tolist() for name, where in game.state.items()}
        after = search(part.get("values", []))
        found = hint(game, state)
        assert found.source == "the exact solution"
        lead, unit = 0, 1.0
        if by_points:
            mover = mover_of(game, state)
            lead = part["points"][mover] - part["points"][1 - mover]
            if options["reward"] == "margin":
                unit = float(game.cfg[8])
        for advice in found.moves:
            expected = lead + after(part["board"][0], takes[advice.action])
            assert advice.value == pytest.approx(expected / unit)
        values = [advice.value for advice in found.moves]
        assert values == sorted(values, reverse=True)


def test_hint__a_large_board_of_coins_is_solved_once_few_are_left():
    game = make_game("coins")
    full = game.new_state(np.ones(2, np.uint64))
    assert hint(game, full, "mcts:iterations=200").source.startswith("mcts")
    few = full.copy()
    few[0] = 0b110001_000000_011000_000000_000001_000011
    assert hint(game, few).source == "the exact solution"


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("scotch", {"money": 12, "length": 6}),
        ("scotch", {"money": 12, "length": 6, "know_opponent_money": False}),
        ("raj", {"cards": [1, 2, 3, 4], "items": [-1, 1, 2, 3]}),
        ("twentynine", {}),
    ],
)
def test_hint__is_the_same_whatever_the_player_cannot_know(name, rules):
    game = make_game(name, **rules)
    guess = seeded(np.random.default_rng(5), 2)
    spec = None if name in ("scotch", "raj") and game.hidden is False else "ismcts:iterations=300"
    for state in states(game, 4, 25):
        other = state.copy()
        game.call("determinize")(game.cfg, other, mover_of(game, state), guess)
        assert hint(game, state, spec).moves == hint(game, other, spec).moves


def test_hint__comes_from_whoever_is_asked():
    game = make_game("scotch", money=12, length=6)
    state = game.new_state(np.ones(2, np.uint64))
    uniform = hint(game, state, "random")
    assert [advice.share for advice in uniform.moves] == pytest.approx([1 / 12] * 12)
    assert uniform.moves[0].value is None
    searched = hint(game, state, "ismcts:iterations=100")
    assert sum(advice.share for advice in searched.moves) == pytest.approx(1)
    with pytest.raises(ValueError, match="twentynine cannot be solved"):
        deal = make_game("twentynine")
        hint(deal, deal.new_state(np.ones(2, np.uint64)), "exact")
    with pytest.raises(ValueError, match="says how likely"):
        coins = make_game("coins", board="triangle3")
        hint(coins, coins.new_state(np.ones(2, np.uint64)), "surewin")


def test_hint__says_so_when_there_is_nothing_to_choose():
    game = make_game("coins", board="*")
    found = hint(game, game.new_state(np.ones(2, np.uint64)))
    assert "only one move" in found.source and len(found.moves) == 1
