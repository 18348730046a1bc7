"""Comparisons within deals: known effects are found, verdicts follow from intervals."""

from __future__ import annotations

import numpy as np
import pytest
from tournaments import BOTS, small

from bidarena.evaluate.match import Z95
from bidarena.evaluate.tournament import run_tournament
from bidarena.evaluate.tournament.paired import (
    Claim,
    Estimate,
    between,
    duels_of,
    estimate,
    scores_of,
)


def claim(relation: str, mean: float, half_width: float) -> str:
    return Claim("a", relation, "b", Estimate(mean, half_width, 100)).verdict


@pytest.mark.parametrize(
    ("relation", "mean", "half_width", "verdict"),
    [
        (">", 0.10, 0.09, "holds"),
        (">", 0.10, 0.11, "undecided"),
        (">", -0.10, 0.11, "undecided"),
        (">", -0.10, 0.09, "does not hold"),
        (">>", 0.10, 0.04, "holds"),
        (">>", 0.10, 0.06, "undecided"),  # more, but perhaps not much more
        (">>", 0.01, 0.03, "does not hold"),
        (">>", -0.30, 0.03, "does not hold"),
        ("~", 0.01, 0.03, "holds"),
        ("~", -0.01, 0.03, "holds"),
        ("~", 0.03, 0.03, "undecided"),
        ("~", 0.00, 0.20, "undecided"),
        ("~", 0.10, 0.04, "does not hold"),
        ("~", -0.10, 0.04, "does not hold"),
        (">", 0.50, float("inf"), "undecided"),  # of a single deal
    ],
)
def test_claim__is_judged_by_its_whole_interval(relation, mean, half_width, verdict):
    assert claim(relation, mean, half_width) == verdict


def test_estimate__interval_covers_the_truth_in_95_of_100_cases():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        found = estimate(rng.normal(0.3, 1.0, 60))
        covered += found.low <= 0.3 <= found.high
    assert 0.93 < covered / 2000 < 0.965


def test_estimate__of_four_deals_by_hand():
    found = estimate(np.array([1.0, 0.0, 0.0, -0.5]))
    assert found.mean == pytest.approx(0.125)
    assert found.half_width == pytest.approx(Z95 * np.sqrt(1.1875 / 3) / 2)
    assert estimate(np.ones(1)).as_dict() == {"mean": 1.0, "interval": None, "deals": 1}


def test_scores__are_means_over_all_opponents_seen_from_each_side():
    duels = {
        ("a", "b"): np.array([1.0, 0.5]),
        ("a", "c"): np.array([0.0, 0.5]),
        ("b", "c"): np.array([-1.0, 0.0]),
    }
    scores = scores_of(duels)
    assert scores["a"].tolist() == [0.5, 0.5]
    assert scores["b"].tolist() == [-1.0, -0.25]
    assert scores["c"].tolist() == [0.5, -0.25]
    assert between(duels, ["c"], ["a", "b"]).tolist() == scores["c"].tolist()
    assert between(duels, ["a", "b"], ["c"]).tolist() == (-scores["c"]).tolist()


def test_scores__what_a_deal_does_to_everybody_does_not_widen_a_difference():
    rng = np.random.default_rng(1)
    luck = rng.normal(0, 1, 200)  # good for whoever meets c in this deal
    duels = {
        ("a", "b"): np.full(200, 0.2),
        ("a", "c"): 0.3 + luck,
        ("b", "c"): 0.1 + luck,
    }
    scores = scores_of(duels)
    found = estimate(scores["a"] - scores["b"])
    assert found.mean == pytest.approx(0.3) and found.half_width < 1e-12
    assert estimate(scores["a"]).half_width > 0.05


def test_duels__are_the_meetings_seen_from_the_first_bot(tmp_path):
    pairs = ((BOTS[1], BOTS[0]), (BOTS[1], BOTS[2]))  # none of them in alphabetical order
    meetings = run_tournament(small(only=pairs), tmp_path)
    duels = duels_of(meetings, pairs)
    assert list(duels) == list(pairs)
    for pair, met in zip(pairs, meetings, strict=True):
        assert met.bots == pair[::-1]
        duel = duels[pair]
        assert duel.results.tolist() == met.returns[:, :, 1].mean(axis=1).tolist()
        assert duel.moves == sum(met.asked) == met.lengths.sum()
        assert duel.decisions == tuple(met.decisions[::-1])
        assert duel.thinking == tuple(met.thinking[::-1])
    turned = duels_of(meetings, [pair[::-1] for pair in pairs])
    for pair in pairs:
        assert turned[pair[::-1]].results == pytest.approx(-duels[pair].results)
