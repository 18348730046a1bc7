"""What cards are worth with all hands open, against plain minimax through the rules of the game."""

import math

import numpy as np
import pytest

from bidarena.baselines.twentynine.open_values import DOUBT, MOST_CARDS, open_values
from bidarena.envs import make_bot, make_game
from bidarena.envs.batch import Batch
from bidarena.envs.twentynine.rules.layout import PLAYING, A, S


def met(game, cards, count=60):
    """Return positions that `rules` meets with a free choice of a player who has so many cards."""
    batch = Batch(game, 4 * count, seed=5)
    rules, actions = make_bot(game, "rules"), np.zeros(4 * count, np.int64)
    found = []
    while (batch.movers >= 0).any():
        for row in np.flatnonzero((batch.movers >= 0) & (batch.masks.sum(axis=1) > 1)):
            state, mover = batch.states[row], batch.movers[row]
            if state[S.phase] == PLAYING and int(state[S.hands + mover]).bit_count() == cards:
                found.append((state.copy(), mover))
        batch.ask(rules, batch.movers >= 0, actions)
        batch.step(actions)
    return found[:count]


def judged(game, positions):
    states = np.stack([state for state, _ in positions])
    movers = np.array([mover for _, mover in positions])
    values = np.full((len(states), game.actions), np.nan, np.float32)
    known = np.zeros(len(states), np.bool_)
    before = states.copy()
    game.compiled(open_values)(game.cfg, states, np.arange(len(states)), movers, values, known)
    assert np.array_equal(states, before)
    return values, known


def margin(game, state):
    """Return the points of the bidding side above its target, if all play perfectly from here."""
    mover = int(game.call("to_move")(game.cfg, state))
    bidding = state[S.bidder] & 1
    if mover < 0:
        return int(state[S.points + bidding] - state[S.target])
    choices = [margin(game, after) for _, after in following(game, state)]
    return max(choices) if mover & 1 == bidding else min(choices)


def following(game, state):
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    for action in np.flatnonzero(mask):
        after = state.copy()
        game.call("step")(game.cfg, after, action, np.ones(2, np.uint64))
        yield action, after


@pytest.mark.parametrize("rules", [{}, {"last_trick": 1, "reward": "margin"}])
def test_open_values__are_those_of_minimax_once_the_trump_is_revealed(rules):
    game = make_game("twentynine", **rules)
    positions = [(state, mover) for state, mover in met(game, 2, 120) if state[S.revealed]]
    values, known = judged(game, positions)
    assert known.all()
    assert len(positions) > 30
    for (state, mover), found in zip(positions, values, strict=True):
        sign = 1 if mover & 1 == state[S.bidder] & 1 else -1
        legal = dict(following(game, state))
        assert set(np.flatnonzero(~np.isnan(found))) == set(legal)
        for action, after in legal.items():
            above = margin(game, after)
            wanted = above / 28 if rules else math.tanh((above + 0.5) / DOUBT)
            assert found[action] == pytest.approx(sign * wanted, abs=1e-6)


def test_open_values__asking_is_worth_as_much_as_the_best_card_after_it():
    game = make_game("twentynine")
    seen = 0
    for state, mover in met(game, 4, 400):
        values, _ = judged(game, [(state, mover)])
        if np.isnan(values[0, A.reveal]):
            continue
        after = dict(following(game, state))[A.reveal]
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, after, mask)
        if mask.sum() > 1:
            later, _ = judged(game, [(after, mover)])
            assert values[0, A.reveal] == np.nanmax(later[0])
            seen += 1
    assert seen > 3


def test_open_values__leave_early_tricks_and_the_auction_alone():
    game = make_game("twentynine")
    values, known = judged(game, met(game, MOST_CARDS + 1))
    assert not known.any()
    assert np.isnan(values).all()
    batch = Batch(game, 8, seed=0)
    values, known = judged(game, [(state, 0) for state in batch.states])
    assert not known.any()
