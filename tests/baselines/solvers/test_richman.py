"""The theory of bidding games on graphs: closed forms and second methods."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from richman_graphs import GOLDEN, TANGLE, Game, extremes, few, games
from scipy.optimize import linprog  # type: ignore[import-untyped, unused-ignore]

from bidarena.baselines.solvers import poorman, richman
from bidarena.baselines.solvers.poorman import (
    poorman_bounds,
    poorman_line,
    poorman_thresholds,
)
from bidarena.baselines.solvers.richman import (
    Bounds,
    Graph,
    Targets,
    check_graph,
    coin_flip_value,
    distances,
    line,
    random_walk_value,
    richman_bounds,
    richman_costs,
    world_series,
)
from bidarena.baselines.solvers.richman_bids import (
    best_successors,
    horizon_costs,
    series_bets,
)

# --- graphs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("graph", "targets", "message"),
    [
        ([[], [0, 2], []], (0, 0), r"targets=\(0, 0\) must be two different"),
        ([[], [0, 2], []], (0, 3), r"targets=\(0, 3\) .* 0\.\.2"),
        ([[], [0, 7], []], (0, 2), r"graph\[1\] names 7; vertices are 0\.\.2"),
        ([[], [0, -1], []], (0, 2), r"graph\[1\] names -1"),
        ([[], [0, 0], []], (0, 2), r"graph\[1\]=\[0, 0\] must name each successor once"),
        ([[], [], []], (0, 2), r"graph\[1\]=\[\] needs a successor"),
        ([[], [1], []], (0, 2), r"graph\[1\]=\[1\] reaches neither target"),
        ([[], [2], [1], [0], []], (0, 4), r"graph\[1\]=\[2\] reaches neither target"),
    ],
)
def test_check_graph__names_the_fault(graph: Graph, targets: Targets, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_graph(graph, targets)


def test_check_graph__ignores_ways_out_of_targets() -> None:
    assert check_graph([[1], [0, 2], [0]], (0, 2)) == ((), (0, 2), ())


@pytest.mark.parametrize("build", [line, poorman_line, world_series])
def test_constructors__reject_empty_games(build: Callable[[int], object]) -> None:
    with pytest.raises(ValueError, match=r"=0 must be at least"):
        build(0)


# --- Richman costs --------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [2, 3, 10, 37])
def test_richman_costs__on_a_line_are_the_position(length: int) -> None:
    assert richman_costs(*line(length)) == [Fraction(k, length) for k in range(length + 1)]


@pytest.mark.parametrize("wins", [1, 2, 4, 7])
def test_richman_costs__of_a_series_are_binomial(wins: int) -> None:
    costs = richman_costs(*world_series(wins))
    for i, j in itertools.product(range(wins), repeat=2):
        games_left = 2 * wins - 1 - i - j
        lost = sum(math.comb(games_left, g) for g in range(wins - j, games_left + 1))
        assert costs[i * wins + j] == Fraction(lost, 2**games_left)


def test_richman_costs__by_hand() -> None:
    # 3 has extremes R2 and 1, 2 has R1 and R3, 1 has 0 and 1.
    assert richman_costs(*TANGLE) == [0, Fraction(1, 2), Fraction(2, 3), Fraction(5, 6), 1]


@given(games())
@few
def test_richman_costs__are_averages_of_extremes(game: Game) -> None:
    graph, targets = game
    costs = richman_costs(graph, targets)
    assert costs[:2] == [0, 1]
    for v in range(2, len(graph)):
        values = [costs[u] for u in graph[v]]
        assert 2 * costs[v] == min(values) + max(values)
    assert {v for v, r in enumerate(costs) if r > 0} == set(distances(graph, [1]))


@given(games())
@few
def test_richman_costs__swap_with_the_targets(game: Game) -> None:
    graph, targets = game
    assert richman_costs(graph, (1, 0)) == [1 - r for r in richman_costs(graph, targets)]


@given(games(), st.data())
@few
def test_richman_costs__ignore_self_loops(game: Game, data: st.DataObject) -> None:
    graph, targets = game
    loops = data.draw(st.sets(st.integers(2, len(graph) - 1)))
    looped = [sorted({*ways, v}) if v in loops else ways for v, ways in enumerate(graph)]
    assert richman_costs(looped, targets) == richman_costs(graph, targets)


@given(games(), st.integers(0, 2**32))
@few
def test_richman_costs__do_not_depend_on_the_first_guess(game: Game, seed: int) -> None:
    guess = np.random.default_rng(seed).random(len(game[0]))
    with mock.patch.object(richman, "richman_bounds", return_value=Bounds(guess, guess)):
        costs = richman_costs(*game)
    assert costs == richman_costs(*game)


def absorbed(choices: list[list[int]]) -> NDArray[np.float64]:
    """Return the probability of being on vertex 1 after 2**24 random moves, for every start."""
    flow = np.eye(len(choices))
    for v, ways in enumerate(choices):
        if ways:
            flow[v] = np.bincount(ways, minlength=len(choices)) / len(ways)
    return np.asarray(np.linalg.matrix_power(flow, 2**24)[:, 1])


@given(games(most=3, degree=3))
@settings(max_examples=25, deadline=None)
def test_richman_costs__are_the_minimax_over_all_strategies(game: Game) -> None:
    graph, targets = game
    plans = list(itertools.product(*(ways or [v] for v, ways in enumerate(graph))))
    table = np.array(
        [[absorbed([list(p) for p in zip(a, b, strict=True)]) for b in plans] for a in plans]
    )
    exact = [float(r) for r in richman_costs(graph, targets)]
    assert table.max(axis=1).min(axis=0) == pytest.approx(exact, abs=1e-9)
    assert table.min(axis=0).max(axis=0) == pytest.approx(exact, abs=1e-9)


@given(games(), st.integers(0, 40))
@few
def test_richman_bounds__close_in_on_the_costs(game: Game, steps: int) -> None:
    costs = richman_costs(*game)
    bounds = richman_bounds(*game, tolerance=0, max_steps=steps)
    further = richman_bounds(*game, tolerance=0, max_steps=steps + 1)
    horizon = horizon_costs(*game, rounds=steps)[-1]
    for v, r in enumerate(costs):
        assert Fraction(bounds.lower[v]) <= r <= Fraction(bounds.upper[v])
        assert bounds.lower[v] <= further.lower[v] <= further.upper[v] <= bounds.upper[v]
        assert bounds.upper[v] == pytest.approx(float(horizon[v]), abs=1e-14)


def test_richman_bounds__stop_at_the_tolerance_or_say_so() -> None:
    bounds = richman_bounds(*line(30), tolerance=1e-6)
    assert bounds.width <= 1e-6
    assert bounds.middle == pytest.approx(np.arange(31) / 30, abs=5e-7)
    assert richman_bounds(*line(30), max_steps=3).width == 1.0


# --- readings -------------------------------------------------------------------------------------


@given(games())
@few
def test_coin_flip__equals_the_costs(game: Game) -> None:
    exact = [float(r) for r in richman_costs(*game)]
    assert coin_flip_value(*game) == pytest.approx(exact, abs=1e-9)


@given(games())
@few
def test_coin_flip__best_replies_to_best_play_gain_nothing(game: Game) -> None:
    graph, targets = game
    value = coin_flip_value(graph, targets)
    plan = best_successors(graph, targets, value, tolerance=1e-9)
    for player, own in ((0, value), (1, [1 - p for p in value])):
        # The other's best reply is the least p with p(v) >= (p(plan) + p(u)) / 2 for every u.
        rows = []
        for v, u in ((v, u) for v, ways in enumerate(graph) for u in ways):
            row = np.zeros(len(graph))
            for vertex, weight in ((v, -1.0), (plan[v][player], 0.5), (u, 0.5)):
                row[vertex] += weight
            rows.append(row)
        goal = targets[1 - player]
        limits = [(float(v == goal), float(v != targets[player])) for v in range(len(graph))]
        reply = linprog(np.ones(len(graph)), np.array(rows), np.zeros(len(rows)), bounds=limits)
        assert reply.x == pytest.approx(own, abs=1e-7)


@given(games())
@few
def test_random_walk__agrees_with_the_walk_taken_long(game: Game) -> None:
    exact = [float(p) for p in random_walk_value(*game)]
    assert absorbed([list(ways) for ways in game[0]]) == pytest.approx(exact, abs=1e-9)


@given(games(degree=2))
@few
def test_random_walk__is_the_cost_where_there_are_two_ways(game: Game) -> None:
    assume(max(map(len, game[0])) <= 2)
    assert random_walk_value(*game) == richman_costs(*game)


def test_random_walk__differs_from_the_cost_with_three_ways() -> None:
    game = ([[], [0, 2, 3], [0, 3], []], (0, 3))
    assert richman_costs(*game)[1] == Fraction(1, 2)
    assert random_walk_value(*game)[1] == Fraction(1, 2)
    game = ([[], [0, 2, 3], [3], []], (0, 3))
    assert richman_costs(*game)[1] == Fraction(1, 2)
    assert random_walk_value(*game)[1] == Fraction(2, 3)


@pytest.mark.parametrize("wins", [1, 2, 3, 4])
def test_series_bets__double_the_stake_or_lose_it(wins: int) -> None:
    bets = series_bets(wins, 1000)
    for outcomes in itertools.product((True, False), repeat=2 * wins - 1):
        own = other = 0
        fortune = Fraction(1000)
        for won in outcomes:
            if wins in (own, other):
                break
            bet = bets[own, other]
            assert 0 <= bet <= fortune
            fortune += bet if won else -bet
            own, other = own + won, other + (not won)
        assert fortune == (2000 if own == wins else 0)


def test_series_bets__open_the_best_of_seven_with_312_50() -> None:
    assert series_bets(4, 1000)[0, 0] == Fraction(625, 2)


# --- poorman thresholds ---------------------------------------------------------------------------


def test_poorman__by_hand() -> None:
    assert poorman_thresholds(*line(2)) == pytest.approx([0, 0.5, 1], abs=1e-12)
    assert poorman_thresholds(*line(3)) == pytest.approx([0, 1 - GOLDEN, GOLDEN, 1], abs=1e-12)


@pytest.mark.parametrize("length", [2, 5, 10, 50, 77])
def test_poorman__line_agrees_with_the_closed_form(length: int) -> None:
    bounds = poorman_bounds(*line(length))
    assert bounds.width <= 1e-12
    assert bounds.middle == pytest.approx(poorman_line(length), abs=1e-13)
    assert bounds.middle + bounds.middle[::-1] == pytest.approx(np.ones(length + 1), abs=1e-12)


@given(games())
@few
def test_poorman__solves_its_equation(game: Game) -> None:
    graph, targets = game
    bounds = poorman_bounds(graph, targets)
    assert np.all(bounds.lower <= bounds.upper)
    assert bounds.width <= 1e-12
    p = poorman_thresholds(graph, targets)
    assert (p[0], p[1]) == (0, 1)
    for v in range(2, len(graph)):
        low, high = extremes(graph, p, v)
        assert p[v] == pytest.approx(high / (1 + high - low), abs=1e-12)
        assert p[v] == pytest.approx(p[v] * low + (1 - p[v]) * high, abs=1e-12)


@given(games(most=4))
@few
def test_poorman__lies_between_iterates_from_above_and_below(game: Game) -> None:
    graph, targets = game
    p = poorman_thresholds(graph, targets)
    for first, side in ((1.0, 1), (0.0, -1)):
        values = [0.0, 1.0, *[first] * (len(graph) - 2)]
        for _ in range(300):
            pairs = [extremes(graph, values, v) for v in range(2, len(graph))]
            values[2:] = [high / (1 + high - low) for low, high in pairs]
            assert all(side * (x - q) >= -1e-12 for x, q in zip(values, p, strict=True))


@given(games())
@few
def test_poorman__swaps_with_the_targets(game: Game) -> None:
    graph, targets = game
    swapped = poorman_thresholds(graph, (1, 0))
    assert [1 - q for q in swapped] == pytest.approx(poorman_thresholds(graph, targets), abs=1e-12)


@pytest.mark.parametrize("length", [30, 100])
def test_poorman__bounds_certify_themselves(length: int) -> None:
    """In exact numbers, one step of the equation raises no upper and lowers no lower bound."""
    graph, targets = line(length)
    bounds = poorman_bounds(graph, targets, tolerance=1e-10)
    upper, lower = ([Fraction(x) for x in side.tolist()] for side in (bounds.upper, bounds.lower))
    for k in range(1, length):
        assert upper[k] * (1 + upper[k + 1] - upper[k - 1]) >= upper[k + 1]
        assert lower[k] * (1 + lower[k + 1] - lower[k - 1]) <= lower[k + 1]


def test_poorman__returns_nothing_uncertified() -> None:
    stuck = mock.patch.object(poorman, "_shifted", lambda ways, free, start, shift: start)
    with stuck, pytest.raises(ArithmeticError, match=r"tolerance=0.5 .* certified is inf"):
        poorman_bounds(*line(10), tolerance=0.5)


def test_poorman__copes_with_a_long_chain_of_resets() -> None:
    # Player 0 must win 60 rounds in a row; plain iteration would need about 2**60 steps.
    n = 60
    graph = [[1, n + 1], *([k + 1, 0] for k in range(1, n)), [], []]
    assert poorman_bounds(graph, (n, n + 1)).width <= 1e-12


def test_poorman__says_when_floats_do_not_reach_the_tolerance() -> None:
    with pytest.raises(ArithmeticError, match=r"tolerance=1e-17 is too small; the best certified"):
        poorman_bounds(*line(3), tolerance=1e-17)
