"""Opponents from a learner's past, in the shares that were asked for."""

from collections import Counter

import numpy as np
import pytest

from bidarena.baselines.learned.network import Network
from bidarena.envs import make_game
from bidarena.train.pool import PLACES, Pool


def constant(game, number):
    """A network that differs from others by one number."""
    weight = np.zeros((game.observation_size, game.actions), np.float32)
    return Network((weight,), (np.full(game.actions, number, np.float32),))


def filled(rule, count, *, size=4, bots=(), share=0.0):
    game = make_game("raj")
    pool = Pool(game, size, rule, bots, share)
    for number in range(count):
        pool.add(constant(game, number))
    return pool


def places(pool):
    """How many places of the wheel each player has, by what it is."""
    return Counter(
        int(player.params[-1]) if player.name == "snapshot" else player.name
        for player in pool.wheel()
    )


def test_pool__keeps_the_newest_snapshots():
    assert places(filled("uniform", 6)) == {2: 15, 3: 15, 4: 15, 5: 15}


def test_pool__latest_plays_half_of_the_games():
    assert places(filled("latest", 4)) == {0: 10, 1: 10, 2: 10, 3: 30}


def test_pool__recent_ones_are_likelier():
    shares = filled("recent", 3).shares()
    assert shares == pytest.approx([0.64 / 2.44, 0.8 / 2.44, 1 / 2.44])


def test_pool__bots_have_their_share():
    pool = filled("uniform", 2, bots=("random", "value"), share=0.5)
    assert places(pool) == {0: 15, 1: 15, "random": 15, "value": 15}


def test_pool__wheel_is_full_whatever_the_shares():
    for count in range(1, 9):
        pool = filled("recent", count, size=8, bots=("random",), share=1 / 7)
        assert sum(places(pool).values()) == PLACES


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rule": "newest"}, "pool_rule='newest'"),
        ({"size": 0}, "pool_size=0"),
        ({"share": 1.5, "bots": ("random",)}, "pool_bot_share=1.5"),
        ({"share": 0.5}, "pool_bots"),
        ({"share": 0.5, "bots": ("nobody",)}, "nobody"),
    ],
)
def test_pool__refuses_what_makes_no_sense(change, message):
    given = {"rule": "uniform", "size": 4, "bots": (), "share": 0.0, **change}
    with pytest.raises(ValueError, match=message):
        Pool(make_game("raj"), given["size"], given["rule"], given["bots"], given["share"])
