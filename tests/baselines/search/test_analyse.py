"""Analysing states from outside: sizes and types are checked before compiled code reads them."""

import numpy as np
import pytest

from bidarena.baselines.search.analyse import analyse
from bidarena.envs import make_game
from bidarena.envs.rng import seeded
from bidarena.evaluate.hint import hint

GAME = make_game("raj")


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros(0, np.int64),
        np.zeros(GAME.state_size - 1, np.int64),
        np.zeros(GAME.state_size + 1, np.int64),
        np.zeros((1, GAME.state_size), np.int64),
        np.zeros(GAME.state_size),
        ["x"] * GAME.state_size,
        None,
    ],
)
def test_analyse_and_hint__refuse_a_state_of_another_size_or_type(wrong):
    with pytest.raises(ValueError, match=f"state: expected {GAME.state_size} whole numbers"):
        analyse(GAME, wrong, 0, "ismcts:iterations=10")
    with pytest.raises(ValueError, match=f"state: expected {GAME.state_size} whole numbers"):
        hint(GAME, wrong, "ismcts:iterations=10")


def test_analyse__takes_a_list_and_other_whole_types():
    state = GAME.new_state(seeded(np.random.default_rng(0), 2))
    wanted = analyse(GAME, state, 0, "ismcts:iterations=50").visits
    for same in (state.tolist(), state.astype(np.int32), np.repeat(state, 2)[::2]):
        assert np.array_equal(analyse(GAME, same, 0, "ismcts:iterations=50").visits, wanted)
