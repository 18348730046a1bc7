"""Matches of compiled bots: the same games as step by step, and the means that theory gives."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import toy_nim  # noqa: F401
import toy_sealed  # noqa: F401

from bidarena.envs import Batch, make_bot, make_game
from bidarena.envs.batch import CHANCE, LUCK
from bidarena.evaluate.match import play as module
from bidarena.evaluate.match import play_match


def step_by_step(game, bots, games, seed):
    """(deals, rotations, bots) returns, by the raw batch: one move of each game at a time."""
    rotations = len(bots)
    deals = -(-games // rotations)
    rows = deals * rotations
    chance = np.random.default_rng([seed, 0, 0]).integers(1, 2**64, (deals, 2), np.uint64)
    luck = np.random.default_rng([seed, 1, 0]).integers(1, 2**64, (rows, 2), np.uint64)
    batch = Batch(game, rows)
    batch.rngs[:, CHANCE] = np.repeat(chance, rotations, axis=0)
    batch.rngs[:, LUCK] = luck
    batch.reset()
    turn = np.tile(np.arange(rotations), deals)
    moves = 0
    while (batch.movers >= 0).any():
        actions = np.zeros(rows, np.int64)
        owner = (batch.movers - turn) % game.players % rotations
        for k, bot in enumerate(bots):
            batch.ask(bot, (batch.movers >= 0) & (owner == k), actions)
        moves += int((batch.movers >= 0).sum())
        batch.step(actions)
    found = np.zeros((rows, rotations))
    for k in range(rotations):
        found[:, k] = batch.returns[np.arange(rows), (k + turn) % game.players]
    return found.reshape(deals, rotations, rotations), moves


@pytest.mark.parametrize(
    ("name", "rules", "specs"),
    [
        ("raj", {}, ["value", "random"]),
        ("raj", {"players": 3}, ["value", "random", "valueplus"]),
        ("scotch", {"length": 4, "money": (6, 6), "tie": "coin"}, ["random", "uniform:high=3"]),
        ("toy_sealed", {}, ["highest", "random"]),
        ("toy_sealed", {}, ["highest", "random", "random", "highest"]),
        ("toy_nim", {"random_heap": True}, ["perfect", "random"]),
        ("twentynine", {}, ["rules", "random"]),
    ],
)
def test_match__compiled_bots_play_the_games_they_play_step_by_step(name, rules, specs):
    game = make_game(name, **rules)
    bots = [make_bot(game, spec) for spec in specs]
    match = play_match(game, specs, 120, seed=5)
    expected, moves = step_by_step(game, bots, 120, 5)
    assert np.array_equal(match.results, expected)
    assert match.moves == sum(match.asked) == moves


# --- Raj over all orders of the items ------------------------------------------------------------


def closest(hand, target):
    return min(sorted(hand), key=lambda card: abs(card - target))


def raj_game(items, more):
    """Points of two bots that bid the card closest to the pot plus `more`, by hand."""
    hands = [set(range(1, 7)), set(range(1, 7))]
    banks, pot = [0, 0], 0
    for item in items:
        pot += item
        bids = [closest(hand, pot + extra) for hand, extra in zip(hands, more, strict=True)]
        for hand, bid in zip(hands, bids, strict=True):
            hand.remove(bid)
        if bids[0] != bids[1]:
            best = max(bids) if pot >= 0 else min(bids)
            banks[bids.index(best)] += pot
            pot = 0
    return banks


def test_match__raj_value_against_valueplus_is_what_all_orders_of_the_items_give():
    results, points = Fraction(0), [Fraction(0), Fraction(0)]
    orders = list(permutations([-2, -1, 1, 2, 3, 4]))
    for items in orders:
        banks = raj_game(items, (0, 1))
        results += Fraction((banks[0] > banks[1]) - (banks[0] < banks[1]), len(orders))
        for k in range(2):
            points[k] += Fraction(banks[k], len(orders))
    match = play_match("raj", ["value", "valueplus"], 200_000, seed=2)
    value, valueplus = match.scores
    assert value.half_width < 0.003
    assert abs(value.mean - float(results)) < value.half_width
    assert value.mean == -valueplus.mean
    for score, exact in zip(match.scores, points, strict=True):
        assert score.points_half_width < 0.02
        assert abs(score.points - float(exact)) < score.points_half_width


# --- processes -----------------------------------------------------------------------------------


def without_times(match):
    scores = [score.as_dict() for score in match.scores]
    return scores, match.games, match.moves, match.decisions, match.asked, match.results.tolist()


def test_match__one_result_whatever_the_number_of_processes(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "ROWS", 64)
    told = []
    match = {
        count: play_match(
            *("toy_nim", ["random", "one_by_one"], 300),
            seed=9,
            random_heap=True,
            processes=count,
            progress=told.append,
            record=tmp_path / f"{count}.jsonl",
        )
        for count in (1, 2)
    }
    assert without_times(match[1]) == without_times(match[2])
    assert sum(told) == 600
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def test_match__what_cannot_go_to_another_process_is_named(monkeypatch):
    monkeypatch.setattr(module, "ROWS", 64)
    with pytest.raises(ValueError, match=r"processes=2: these bots cannot be sent"):
        play_match("toy_nim", [lambda view, mask: 1, "random"], 300, processes=2)
