"""The solver of matrix games against scipy's HiGHS, and against what is known about such games."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bidarena.baselines.solvers.matrix import solve_into, solve_matrix

pytest.importorskip("scipy")
from brute_force import equilibrium


def auction(rng, m, n):
    """Return the matrix of a bidding game: the higher bid wins an amount that depends on it."""
    won, lost, tied = rng.random(m), -rng.random(n), rng.normal(size=max(m, n))
    i, j = np.indices((m, n))
    return np.where(i > j, won[i], np.where(i < j, lost[j], tied[np.minimum(i, j)]))


KINDS = {
    "normal": lambda rng, m, n: rng.normal(size=(m, n)),
    "signs": lambda rng, m, n: rng.integers(-1, 2, (m, n)),
    "small whole numbers": lambda rng, m, n: rng.integers(-3, 4, (m, n)),
    "zeros and ones": lambda rng, m, n: rng.integers(0, 2, (m, n)),
    "constant": lambda rng, m, n: np.full((m, n), rng.normal()),
    "rank one": lambda rng, m, n: rng.normal(size=(m, 1)) @ rng.normal(size=(1, n)),
    "repeated rows": lambda rng, m, n: rng.normal(size=(2, n))[rng.integers(0, 2, m)],
    "dominated": lambda rng, m, n: np.cumsum(rng.random((m, n)), axis=0) * rng.integers(0, 2, n),
    "auction": auction,
    "far from zero": lambda rng, m, n: 1e6 + rng.normal(size=(m, n)),
    "all negative": lambda rng, m, n: -5.0 - rng.random((m, n)),
    "tiny": lambda rng, m, n: 1e-6 * rng.integers(-2, 3, (m, n)),
    "mixed sizes": lambda rng, m, n: rng.normal(size=(m, n)) * 10.0 ** rng.integers(-3, 4, (m, n)),
}


def check(matrix, solution):
    """Check that both strategies are distributions that together prove the value."""
    spread = max(np.ptp(matrix), np.abs(matrix).max() * 1e-5)
    for strategy in (solution.row, solution.column):
        assert (strategy >= 0).all() and abs(strategy.sum() - 1) < 1e-12
    guaranteed = (solution.row @ matrix).min()
    conceded = (matrix @ solution.column).max()
    rounding = 1e-15 * np.abs(matrix).max() + 1e-12 * spread
    assert guaranteed - rounding <= solution.value <= conceded + rounding
    assert conceded - guaranteed <= 1e-10 * spread
    assert solution.gap <= 1e-10 * spread
    return spread


@pytest.mark.parametrize("kind", KINDS)
def test_matrix__value_agrees_with_highs(kind):
    rng = np.random.default_rng(sum(map(ord, kind)))
    for _ in range(160):
        m, n = rng.integers(1, 11, 2)
        matrix = KINDS[kind](rng, m, n).astype(float)
        solution = solve_matrix(matrix)
        spread = check(matrix, solution)
        # HiGHS allows errors of 1e-7 in its constraints; `check` has proven our value
        assert abs(solution.value - equilibrium(matrix)[1]) <= 1e-6 * max(spread, 1e-3)


@pytest.mark.parametrize("kind", ["normal", "auction", "signs", "zeros and ones"])
def test_matrix__large_games(kind):
    rng = np.random.default_rng(1)
    for m, n in ((100, 100), (3, 100), (100, 1), (60, 40)):
        matrix = KINDS[kind](rng, m, n).astype(float)
        check(matrix, solve_matrix(matrix))


@pytest.mark.parametrize(
    ("matrix", "value"),
    [
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], 0.0),  # rock, paper, scissors
        ([[3, -1], [-1, 1]], 1 / 3),
        ([[5]], 5.0),
        ([[1, 2, 3]], 1.0),
        ([[1], [4], [3]], 4.0),
        ([[2, 3], [1, 9]], 2.0),  # a saddle point
        ([[1, 0, 0], [0, 1 / 2, 0], [0, 0, 1 / 3]], 1 / 6),
    ],
)
def test_matrix__known_values(matrix, value):
    solution = solve_matrix(matrix)
    assert solution.value == pytest.approx(value, abs=1e-13)


def test_matrix__saddle_points_are_exact_and_pure():
    solution = solve_matrix([[0.1, 0.7], [0.3, 0.5]])
    assert (solution.value, solution.gap) == (0.3, 0.0)
    assert solution.row.tolist() == [0, 1] and solution.column.tolist() == [1, 0]


whole_matrices = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(-4, 4).map(float))
)


@settings(max_examples=150, deadline=None)
@given(whole_matrices)
def test_matrix__swapping_the_players_negates_the_value(matrix):
    solution, swapped = solve_matrix(matrix), solve_matrix(-matrix.T)
    check(matrix, solution)
    assert solution.value == pytest.approx(-swapped.value, abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(whole_matrices)
def test_matrix__plain_python_finds_the_same(matrix):
    row, column = np.zeros(matrix.shape[0]), np.zeros(matrix.shape[1])
    value, _ = solve_into(matrix, row, column)
    assert value == pytest.approx(solve_matrix(matrix).value, abs=1e-12)


@pytest.mark.parametrize("matrix", [[], [1.0, 2.0], [[1.0, np.nan]], [[np.inf]], np.zeros((2, 0))])
def test_matrix__nonsense_is_refused(matrix):
    with pytest.raises(ValueError, match="matrix"):
        solve_matrix(matrix)
