"""What bots think: probabilities that add up to 1, visits of searches, nothing from others."""

import numpy as np
import pytest

from bidarena.envs import make_bot, make_game
from bidarena.evaluate.thoughts import think


@pytest.fixture
def dealt():
    game = make_game("raj")
    return game, game.new_state(np.array([3, 5], np.uint64))


def test_thoughts__a_search_tells_visits_and_the_move_it_chose(dealt):
    game, state = dealt
    found = think(game, make_bot(game, "ismcts:iterations=200"), state, 1)
    assert found.iterations == 200 and found.visits.sum() == 200
    told = found.as_dict(game, state)
    assert sum(move["share"] for move in told["moves"]) == pytest.approx(1)
    assert found.action in [move["action"] for move in told["moves"]]
    shares = [move["share"] for move in told["moves"]]
    assert shares == sorted(shares, reverse=True)


def test_thoughts__a_bot_with_known_probabilities_tells_them(dealt):
    game, state = dealt
    found = think(game, make_bot(game, "exact"), state, 1)
    assert found.source == "probabilities" and found.share.sum() == pytest.approx(1)
    assert found.action is None


def test_thoughts__other_players_and_forced_moves_say_nothing(dealt):
    game, state = dealt
    assert think(game, lambda observation, mask: 0, state, 1) is None
    small = make_game("coins", board="*")
    forced = small.new_state(np.array([3, 5], np.uint64))
    assert think(small, make_bot(small, "mcts"), forced, 1) is None
