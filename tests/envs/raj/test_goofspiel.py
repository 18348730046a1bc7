"""Goofspiel (GOPS) as a setting of Raj, move by move against OpenSpiel's `goofspiel`."""

import re

import numpy as np
import pytest

from bidarena.envs import make_game
from bidarena.envs.batch import Batch

pyspiel = pytest.importorskip("pyspiel")

# OpenSpiel: prizes come in random order and are seen by all; bids are seen after each round
RULES = "imp_info=False,points_order=random"
RETURNS = {"outcome": "win_loss", "margin": "point_difference", "bank": "total_points"}


def theirs(size, returns_type):
    return pyspiel.load_game(f"goofspiel({RULES},num_cards={size},returns_type={returns_type})")


def points(state):
    """Return what each player has won, read from the text of a state: Python has no accessor."""
    return [int(word) for word in re.search(r"Points: (.*)", str(state)).group(1).split()]


@pytest.mark.parametrize("reward", ["outcome", "margin", "bank"])
@pytest.mark.parametrize(("size", "rows"), [(2, 300), (4, 500), (8, 300), (13, 200)])
def test_goofspiel__every_move_agrees_with_open_spiel(size, rows, reward):
    values = list(range(1, size + 1))
    game = make_game("raj", cards=values, items=values, tie="discard", reward=reward)
    batch = Batch(game, rows, seed=size)
    source = np.random.default_rng(size)
    reference = theirs(size, RETURNS[reward])
    tables = [reference.new_initial_state() for _ in range(rows)]
    pots, banks = game.state["pot"].start, game.state["banks"]
    for round_ in range(size):
        # OpenSpiel plays the last round by itself: everybody has one card, and one prize is left.
        last = round_ == size - 1
        masks, bids = [], []
        items = batch.states[:, pots].copy()
        for _ in range(2):
            masks.append(batch.masks.copy())
            bids.append((batch.masks * source.random(batch.masks.shape)).argmax(axis=1))
            batch.step(bids[-1])
        for row, table in enumerate(tables):
            if last:
                assert table.is_terminal()
                assert masks[0][row].sum() == masks[1][row].sum() == 1
            else:
                assert table.is_chance_node()
                assert items[row] - 1 in table.legal_actions()
                table.apply_action(int(items[row]) - 1)
                for player in range(2):
                    legal = np.flatnonzero(masks[player][row]).tolist()
                    assert legal == table.legal_actions(player)
                table.apply_actions([int(bids[0][row]), int(bids[1][row])])
            if round_ < size - 2 or last:
                assert points(table) == batch.states[row, banks].tolist()
    # OpenSpiel's result is the difference to the mean of all players, ours to that of the others.
    share = 0.5 if reward == "margin" else 1.0
    for row, table in enumerate(tables):
        assert table.returns() == (share * batch.returns[row]).tolist()
    assert (batch.movers < 0).all()


def test_goofspiel__three_players_differ_from_open_spiel():
    """In OpenSpiel a tie for the highest bid loses the prize, as our documentation says."""
    state = pyspiel.load_game(f"goofspiel({RULES},num_cards=3,players=3)").new_initial_state()
    state.apply_action(2)
    state.apply_actions([2, 2, 0])
    assert points(state) == [0, 0, 0]

    game = make_game("raj", players=3, cards=(1, 2, 3), items=(1, 2, 3), tie="discard")
    batch = Batch(game, 64, seed=0)
    row = int(np.argmax(batch.states[:, game.state["pot"].start] == 3))
    for bid in (2, 2, 0):
        batch.step(np.full(64, bid))
    assert batch.states[row, game.state["banks"]].tolist() == [0, 0, 3]
