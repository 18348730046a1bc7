"""Ratings: the likeliest strengths, whoever finds them; intervals that hold; nobody infinite."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from bidarena.evaluate.tournament.ratings import ELO, VIRTUAL, Comparisons, bradley_terry, openskill


def synthetic(strengths, deals, seed, draws=0.0):
    """Every pair twice in every deal; a share of the games is drawn."""
    luck = np.random.default_rng(seed)
    bots = len(strengths)
    pairs = [(i, j) for i in range(bots) for j in range(i + 1, bots)] * 2
    one, two = (np.tile([pair[k] for pair in pairs], deals) for k in range(2))
    chance = 1 / (1 + np.exp(strengths[two] - strengths[one]))
    # A drawn game counts half, so the expected score stays what the model says.
    score = (luck.random(len(one)) < chance).astype(float)
    certain = np.minimum(chance, 1 - chance) * 2 * draws
    drawn = luck.random(len(one)) < certain
    rest = (chance - certain / 2) / (1 - certain)
    score = np.where(drawn, 0.5, (luck.random(len(one)) < rest).astype(float))
    return Comparisons(one, two, score, np.repeat(np.arange(deals), len(pairs)))


def by_scipy(games, bots):
    """The same maximum, by a general method without derivatives of ours."""

    def unlikely(strength):
        difference = strength[games.one] - strength[games.two]
        likely = games.score * -np.logaddexp(0, -difference)
        likely += (1 - games.score) * -np.logaddexp(0, difference)
        virtual = 0.5 * (np.logaddexp(0, strength) + np.logaddexp(0, -strength))
        return -likely.sum() + VIRTUAL * virtual.sum()

    found = minimize(unlikely, np.zeros(bots), method="BFGS", options={"gtol": 1e-7})
    return ELO * (found.x - found.x.mean())


STRENGTHS = np.array([1.2, 0.4, 0.0, -0.3, -1.3])


@pytest.mark.parametrize("seed", range(3))
def test_bradley_terry__is_the_maximum_that_scipy_finds(seed):
    games = synthetic(STRENGTHS, 60, seed, draws=0.5)
    ratings, _ = bradley_terry(games, 5)
    assert ratings == pytest.approx(by_scipy(games, 5), abs=0.01)
    assert ratings.mean() == pytest.approx(0)


def test_bradley_terry__finds_known_strengths():
    ratings, widths = bradley_terry(synthetic(STRENGTHS, 20_000, 1, draws=0.3), 5)
    assert ratings == pytest.approx(ELO * (STRENGTHS - STRENGTHS.mean()), abs=4)
    assert (widths < 4).all()


def test_bradley_terry__intervals_hold_the_truth_about_95_times_in_100():
    truth = ELO * (STRENGTHS - STRENGTHS.mean())
    held = []
    for seed in range(300):
        ratings, widths = bradley_terry(synthetic(STRENGTHS, 40, seed), 5)
        held.append(np.abs(ratings - truth) <= widths)
    assert 0.92 <= np.mean(held) <= 0.975


def test_bradley_terry__games_of_one_deal_are_one_observation():
    games = synthetic(STRENGTHS, 200, 4)
    once, narrow = bradley_terry(games, 5)
    copied = [np.tile(part, 9) for part in (games.one, games.two, games.score, games.deal)]
    again, as_wide = bradley_terry(Comparisons(*copied), 5)
    apart = [*copied[:3], np.arange(len(copied[3]))]
    _, too_narrow = bradley_terry(Comparisons(*apart), 5)
    assert again == pytest.approx(once, abs=3)
    assert as_wide == pytest.approx(narrow, rel=0.05)
    assert (too_narrow < narrow / 2).all()


def test_bradley_terry__who_wins_all_is_far_ahead_but_not_infinitely():
    games = synthetic(np.array([0.5, 0.0, -0.5]), 100, 5)
    champion = np.array([3] * 300), np.array([0, 1, 2] * 100), np.ones(300)
    parts = zip((games.one, games.two, games.score), champion, strict=True)
    deals = np.concatenate([games.deal, np.repeat(np.arange(100), 3)])
    games = Comparisons(*(np.concatenate(part) for part in parts), deals)
    ratings, widths = bradley_terry(games, 4)
    assert np.isfinite(ratings).all() and ratings.argmax() == 3
    assert ratings[3] - ratings[0] > 500
    assert widths[3] > 150 > widths[:3].max()
    assert ratings == pytest.approx(by_scipy(games, 4), abs=0.1)


def test_bradley_terry__bots_that_never_won_anything_all_have_ratings():
    games = Comparisons(
        np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([1.0, 1.0, 1.0]), np.arange(3)
    )
    ratings, widths = bradley_terry(games, 3)
    assert ratings[0] > ratings[1] > ratings[2]
    assert ratings[1] == pytest.approx(0, abs=1e-6) and np.isfinite(widths).all()


def test_bradley_terry__one_deal_says_nothing_about_intervals():
    games = Comparisons(np.array([0]), np.array([1]), np.array([1.0]), np.array([0]))
    assert np.isinf(bradley_terry(games, 2)[1]).all()


def test_openskill__ranks_by_results_and_learns_from_every_game():
    games = [([0, 1], [1.0, -1.0]), ([1, 2], [1.0, -1.0]), ([0, 2], [0.0, 0.0])] * 40
    mu, sigma = openskill(games, 4)
    assert mu[0] > mu[1] > mu[2] and mu[3] == 25.0
    assert (sigma[:3] < sigma[3]).all()


def test_openskill__games_of_three_are_rated_as_such():
    mu, _ = openskill([([2, 0, 1], [1.0, -0.5, -0.5])] * 30, 3)
    assert mu[2] > mu[0] and mu[0] == pytest.approx(mu[1], rel=0.02)
