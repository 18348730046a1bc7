"""The conformance kit on facts for searches: good games pass, wrong facts and rules are caught."""

from __future__ import annotations

from dataclasses import replace

import pytest
import toy_kuhn
import toy_pennies
import toy_sealed
from toy_kuhn import CARDS, MOVES, last_move
from toy_sealed import PLAYED, SCORE, SEATS

from bidarena.envs.registry import make_game
from bidarena.envs.rng import below
from bidarena.envs.testing import check_determinize, check_game, random_states
from bidarena.envs.testing.facts import (
    check_clock,
    check_hidden,
    check_idle,
    check_signature,
    check_withdraw,
)

SEALED = toy_sealed.sealed(players=2, sides=(0, 1))
KUHN = toy_kuhn.kuhn(signed=True)


def broken(game, **rules):
    return replace(game, rules={**game.rules, **rules})


def states(game):
    return random_states(game, 10, 0)


@pytest.mark.parametrize("game", [KUHN, toy_kuhn.kuhn(), toy_pennies.pennies()])
def test_kit__passes_good_games(game):
    check_game(game, games=5)


def test_hidden__a_wrong_declaration_is_caught():
    with pytest.raises(AssertionError, match="declares hidden=False"):
        check_hidden(replace(KUHN, hidden=False), states(KUHN))
    unseen = replace(make_game("scotch", know_opponent_money=False, money=9), hidden=False)
    with pytest.raises(AssertionError, match="declares hidden=False"):
        check_hidden(unseen, states(unseen))


def _tells_the_others_card(cfg, state, player):
    return 10 * last_move(cfg, state, player) + state[CARDS + 1 - player]


def _tells_only_how_many_moves(cfg, state, player):
    return state[MOVES]


def test_signature__that_tells_too_much_is_caught():
    game = broken(KUHN, signature=_tells_the_others_card)
    with pytest.raises(AssertionError, match="what is hidden"):
        check_signature(game, states(game))


def test_signature__that_tells_too_little_is_caught():
    game = broken(KUHN, signature=_tells_only_how_many_moves)
    with pytest.raises(AssertionError, match="the same number for both"):
        check_signature(game, states(game))


def _withdraws_only_the_first(cfg, state):
    state[PLAYED] = -1


def _leaves_a_trace(cfg, state):
    state[SCORE + SEATS - 1] = state[PLAYED]
    for seat in range(SEATS):
        state[PLAYED + seat] = -1


def _does_nothing(cfg, state):
    pass


@pytest.mark.parametrize("wrong", [_withdraws_only_the_first, _leaves_a_trace, _does_nothing])
def test_withdraw__that_leaves_something_is_caught(wrong):
    game = broken(toy_sealed.sealed(players=3, sides=(0, 1, 2)), withdraw=wrong)
    with pytest.raises(AssertionError, match="withdraw"):
        check_withdraw(game, states(game))


def test_withdraw__needs_moves_made_at_the_same_time():
    game = broken(KUHN, withdraw=_does_nothing)
    with pytest.raises(AssertionError, match="withdraw"):
        check_withdraw(game, states(game))


def _guesses_from_the_truth(cfg, state, player, rng):
    """Draw a guess with the right distribution, but by numbers that depend on the hidden card."""
    other = (state[CARDS + 1 - player] - state[CARDS + player]) % 3 - 1
    state[CARDS + 1 - player] = (state[CARDS + player] + 1 + (other + below(rng, 2)) % 2) % 3


def test_determinize__that_starts_from_the_truth_is_caught():
    with pytest.raises(AssertionError, match="depends on"):
        check_determinize(broken(KUHN, determinize=_guesses_from_the_truth))


# --- parts that solvers leave out ----------------------------------------------------------------

RULES = {"length": 4, "money": 4, "payment": "opponent", "max_rounds": 5}


@pytest.mark.parametrize("check", [check_clock, check_idle])
@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("scotch", RULES),
        ("scotch", {**RULES, "max_rounds": 1}),
        ("scotch", {"know_opponent_money": False, "money": 5}),
        ("richman", {"money": 5, "max_rounds": 6}),
        ("raj", {}),
        ("coins", {"board": "square3"}),
    ],
    ids=str,
)
def test_clock_and_idle__are_declared_truly_in_our_games(check, name, rules):
    game = make_game(name, **rules)
    check(game, states(game))


@pytest.mark.parametrize("part", ["position", "money", "round", "advantage"])
def test_idle__parts_that_matter_are_caught(part):
    game = replace(make_game("scotch", **RULES), idle=(part,))
    with pytest.raises(AssertionError, match=r"idle parts .* matter"):
        check_idle(game, states(game))


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"limit": 7}, "matter for action"),
        ({"limit": 3}, "not cut short"),
        ({"limit": 0}, "limit=0"),
        ({"clock": "money"}, "not one number"),
        ({"clock": "position", "limit": 5}, "starts at 2"),
    ],
)
def test_clock__that_lies_is_caught(facts, message):
    game = replace(make_game("scotch", **RULES), **facts)
    with pytest.raises(AssertionError, match=message):
        check_clock(game, states(game))


def test_clock__that_matters_before_its_limit_is_caught():
    game = replace(toy_kuhn.kuhn(), clock="moves", limit=4)
    with pytest.raises(AssertionError, match="the clock 'moves' matter"):
        check_clock(game, states(game))
