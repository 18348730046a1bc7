"""A player who cannot see the moves of another cannot count them either.

In the game here the first player taps up to twice, unseen, and the second guesses how often.
"""

import sys

import numpy as np
import pytest

from bidarena.envs.game import OVER, Game, layout, rules_of
from bidarena.envs.rng import below
from bidarena.evaluate.exploit import exploit

pytest.importorskip("pyspiel")
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability

from bidarena.envs import openspiel

TAPS, STOPPED, GUESS = 0, 1, 2  # state
TAP, STOP = 0, 1  # actions of the first player; the second names 0, 1 or 2 taps


def reset(cfg, state, rng):
    state[TAPS] = 0
    state[STOPPED] = 0
    state[GUESS] = -1


def to_move(cfg, state):
    if state[GUESS] >= 0:
        return OVER
    return 1 if state[STOPPED] else 0


def legal(cfg, state, mask):
    mask[0] = 1
    mask[1] = 1
    mask[2] = 1 if state[STOPPED] else 0


def step(cfg, state, action, rng):
    if state[STOPPED]:
        state[GUESS] = action
    elif action == TAP:
        state[TAPS] += 1
        if state[TAPS] == 2:
            state[STOPPED] = 1
    else:
        state[STOPPED] = 1


def returns(cfg, state, out):
    out[1] = 1.0 if state[GUESS] == state[TAPS] else -1.0
    out[0] = -out[1]


def observe(cfg, state, player, out):
    out[0] = player
    out[1] = state[TAPS] if player == 0 else 0
    out[2] = 1.0 if state[GUESS] >= 0 else 0.0


def determinize(cfg, state, player, rng):
    if player == 1 and state[GUESS] < 0:
        state[TAPS] = below(rng, 3)


def tapping():
    return Game(
        name="tapping",
        options={},
        rules=rules_of(sys.modules[__name__]),
        cfg=np.zeros(1, np.int64),
        players=2,
        actions=3,
        longest=4,
        state=layout(taps=1, stopped=1, guess=1),
        observation=layout(player=1, taps=1, over=1),
        observation_range=(0.0, 2.0),
    )


def test_information_state__is_the_same_however_often_the_other_moved():
    game = openspiel.load(tapping())
    known, tensors = set(), set()
    for moves in ([STOP], [TAP, STOP], [TAP, TAP]):
        state = game.new_initial_state()
        for move in moves:
            state.apply_action(move)
        assert state.current_player() == 1
        known.add(state.information_state_string(1))
        tensors.add(tuple(state.information_state_tensor(1)))
        assert len(state.information_state_string(0).splitlines()) == len(moves) + 1
    assert len(known) == len(tensors) == 1


def test_exploitability__the_best_guess_knows_only_how_often_taps_are_likely():
    loaded = openspiel.load(tapping())
    uniform = policy.UniformRandomPolicy(loaded)
    found = exploitability.best_response(loaded, uniform, 1)
    assert found["best_response_value"] == pytest.approx(0.0)  # "no tap" is right half the time
    ours = exploit(tapping(), "random").best_response_value
    assert exploitability.exploitability(loaded, uniform) == pytest.approx(ours, abs=1e-9)
