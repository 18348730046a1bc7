"""The policy for Scotch that comes with the package loses nothing, measured a second way."""

import numpy as np
import pytest
from scotch_by_table import middle_bids, response_value, told_worths

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.policy_file import shipped_file
from bidarena.envs import make_game
from bidarena.envs.batch import Batch


@pytest.fixture(scope="module")
def network():
    return shipped_file(make_game("scotch"), "learned").network


@pytest.fixture(scope="module")
def tables(network):
    """Return the bids of the policy in each seat."""
    return [middle_bids(told_worths(network), network.slack, seat) for seat in range(2)]


def test_scotch__no_best_response_wins_from_the_policy_that_is_shipped(network, tables):
    worths = told_worths(network)
    for seat in range(2):
        assert response_value(tables[seat], seat) == 0.0
        nothing = np.where(np.abs(worths) == 1.0, worths, 0.0)  # who only knows the ends
        assert response_value(middle_bids(nothing, network.slack, seat), seat) == 1.0


def test_scotch__the_tables_bid_as_the_bot_does(network, tables):
    game = make_game("scotch")
    bot = network_bot(game, network, "learned")
    batch, luck = Batch(game, 100, seed=1), np.random.default_rng(1)
    batch.reset()
    parts = [game.state[name].start for name in ("money", "position", "advantage")]
    asked = 0
    while (batch.movers >= 0).any():
        drawn = (batch.masks * luck.random(batch.masks.shape)).argmax(axis=1)
        chosen = drawn.copy()
        batch.ask(bot, batch.movers >= 0, chosen)
        for row in np.flatnonzero(batch.movers >= 0):
            money, position, advantage = parts
            state = batch.states[row]
            at = (state[money], state[money + 1], state[position], state[advantage])
            assert chosen[row] == tables[batch.movers[row]][at], at
            asked += 1
        batch.step(np.where(luck.random(100) < 0.5, chosen, drawn))
    assert asked > 1000
