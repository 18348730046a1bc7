"""Parts that can be exchanged: games go on as before under other names."""

import numpy as np
import pytest

from bidarena.envs import make_game
from bidarena.envs.batch import Batch
from bidarena.envs.registry import find_tool, games_with
from bidarena.envs.structure.exchange import Exchange
from bidarena.envs.twentynine.rules.layout import S

HOUSE = {
    "last_trick": 1,
    "marriage": True,
    "doubling": True,
    "single_hand": True,
    "max_bid": 29,
}


def renamed(indexes, order, count):
    """Return where each number below `count` goes when part k becomes part order[k]."""
    goes = np.arange(count)
    used = indexes[:, (indexes < count).all(axis=0)]
    for part, other in enumerate(order):
        goes[used[part]] = used[other]
    return goes


def with_other_suits(cards, order):
    return sum(1 << 8 * order[card >> 3] + card % 8 for card in range(32) if cards >> card & 1)


@pytest.mark.parametrize("rules", [{}, HOUSE], ids=["default", "house rules"])
def test_twentynine__exchanged_suits_change_nothing_but_their_names(rules):
    game = make_game("twentynine", **rules)
    exchange = find_tool("twentynine", "exchange")(game)
    order = [2, 0, 3, 1]
    seen = renamed(exchange.inputs, order, game.observation_size)
    acts = renamed(exchange.actions, order, game.actions)
    plain, other = (Batch(game, 64, seed=3) for _ in range(2))
    for row in range(64):
        for part in range(S.hands, S.rest + 4):
            other.states[row, part] = with_other_suits(int(plain.states[row, part]), order)
    luck = np.random.default_rng(0)
    moves = 0
    while (plain.movers >= 0).any():
        np.testing.assert_array_equal(plain.movers, other.movers)
        if moves:  # what `other` shows of its first decision was made before the suits changed
            going_on = plain.movers >= 0
            for here, there, goes in (
                (plain.observations, other.observations, seen),
                (plain.masks, other.masks, acts),
            ):
                np.testing.assert_array_equal(here[going_on], there[going_on][:, goes])
        chosen = (luck.random(plain.masks.shape) * plain.masks).argmax(axis=1)
        plain.step(chosen)
        other.step(acts[chosen])
        moves += 1
    np.testing.assert_array_equal(plain.returns, other.returns)
    assert moves > 32


@pytest.mark.parametrize("name", games_with("exchange"))
def test_exchange__indexes_are_in_range(name):
    game = make_game(name)
    exchange = find_tool(name, "exchange")(game)
    assert exchange.inputs.max() < game.observation_size
    assert exchange.actions[:, 0].max() < game.actions


def test_exchange__refuses_parts_that_do_not_match():
    with pytest.raises(ValueError, match="inputs: expected rows of different indexes"):
        Exchange(np.array([[0, 1], [1, 2]]), np.array([[0], [1]]))
    with pytest.raises(ValueError, match="expected rows for the same parts"):
        Exchange(np.array([[0, 1], [2, 3]]), np.array([[0], [1], [2]]))
