"""The theory of bidding games on graphs: closed forms, second methods, strategies played out."""

import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
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
    Payment,
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
    blind_move,
    critical_bid,
    forced_move,
    horizon_costs,
    safety_bid,
    safety_ratio,
    series_bets,
)

Game = tuple[Graph, Targets]
few = settings(max_examples=50, deadline=None)  # machines that run tests may be busy
GOLDEN = (math.sqrt(5) - 1) / 2
# Three ways on from vertex 1, a circle 1-2, a self loop at 3.
TANGLE: Game = ([[], [0, 2, 4], [1, 3], [3, 2, 4], []], (0, 4))
# From 1 both targets are in sight; 2 and 3 only lead home, after any number of circles.
CIRCLE_AT_HOME: Game = ([[], [2, 4], [3, 2], [2, 0], []], (0, 4))


@st.composite
def games(draw: st.DrawFn, most: int = 6, degree: int = 4, acyclic: bool = False) -> Game:
    """Graphs on targets 0 and 1 and at least one further vertex, mostly with cycles."""
    n = draw(st.integers(3, most + 2))
    graph: list[list[int]] = [[], []]
    for v in range(2, n):
        vertices = st.integers(0, (v if acyclic else n) - 1)
        graph.append(draw(st.lists(vertices, min_size=1, max_size=degree, unique=True)))
    for v in range(2, n):  # a way out for those who have none
        if v not in distances(graph, (0, 1)):
            graph[v].append(draw(st.integers(0, 1)))
    return graph, (0, 1)


def start_ahead(
    costs: list[Fraction], lead: Fraction, rng: random.Random
) -> tuple[int, Fraction] | None:
    """A vertex and a share that is enough for player 0 there, if there is such a vertex."""
    winnable = [v for v in range(2, len(costs)) if 0 < costs[v] < 1]
    if not winnable:
        return None
    v = rng.choice(winnable)
    return v, costs[v] + (1 - costs[v]) * lead


leads = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50)


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
    """Chance to be on vertex 1 after 2**24 moves, each of those listed equally likely."""
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


def extremes(graph: Graph, values: list[float], v: int) -> tuple[float, float]:
    return min(values[u] for u in graph[v]), max(values[u] for u in graph[v])


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
    """The upper bound does not rise, the lower does not fall, under the exact equation."""
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


# --- bids -----------------------------------------------------------------------------------------


def test_critical_bid__by_hand() -> None:
    graph, targets = line(10)
    assert critical_bid(graph, richman_costs(graph, targets), 5, 200) == 20
    graph, targets = line(2)
    assert critical_bid(graph, poorman_thresholds(graph, targets), 1, 200, "bank") == pytest.approx(
        100
    )


@given(games())
@few
def test_critical_bid__leaves_just_enough_won_or_lost(game: Game) -> None:
    graph, targets = game
    costs, thresholds = richman_costs(graph, targets), poorman_thresholds(graph, targets)
    for v in range(2, len(graph)):
        bid = critical_bid(graph, costs, v, 1)
        assert costs[v] - bid == min(costs[u] for u in graph[v])
        assert costs[v] + bid == max(costs[u] for u in graph[v])
        share, loss = thresholds[v], critical_bid(graph, thresholds, v, 1.0, "bank")
        low, high = extremes(graph, thresholds, v)
        if high > 0 and low < 1:
            assert share - loss == pytest.approx(low * (1 - loss), abs=1e-11)
            assert share == pytest.approx(high * (1 - loss), abs=1e-11)


def test_bids__reject_unknown_payments_and_targets() -> None:
    graph, targets = line(4)
    costs = richman_costs(graph, targets)
    with pytest.raises(ValueError, match=r"payment='bonk' must be \"opponent\" or \"bank\""):
        critical_bid(graph, costs, 2, 1, "bonk")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"v=4 has no successors"):
        safety_bid(graph, costs, 4, Fraction(1))


def test_best_successors__on_a_line_pull_home() -> None:
    graph, targets = line(4)
    expected = [(0, 0), (0, 2), (1, 3), (2, 4), (4, 4)]
    assert best_successors(graph, targets, richman_costs(graph, targets)) == expected
    thresholds = poorman_thresholds(graph, targets)
    assert best_successors(graph, targets, thresholds, tolerance=1e-9) == expected


@given(games())
@few
def test_best_successors__are_extreme_and_lead_home(game: Game) -> None:
    graph, targets = game
    costs = richman_costs(graph, targets)
    moves = best_successors(graph, targets, costs)
    for v in range(2, len(graph)):
        values = [costs[u] for u in graph[v]]
        assert (costs[moves[v][0]], costs[moves[v][1]]) == (min(values), max(values))
        for player, hopeless in ((0, 1), (1, 0)):
            token = v
            for _ in graph:
                token = moves[token][player]
            assert token == targets[player] or costs[v] == hopeless


# --- strategies played out ------------------------------------------------------------------------


class Rival:
    """Player 1, who knows player 0's bid in advance, wins ties when he likes, and tries much."""

    def __init__(self, graph: Graph, costs: list[Fraction], rng: random.Random) -> None:
        self.graph, self.costs, self.rng = graph, costs, rng

    def answer(self, bid: Fraction, money: Fraction) -> Fraction | None:
        """What he bids to win the round, or None to lose it."""
        if money < bid or self.rng.random() < 0.3:
            return None
        spare = money - bid
        percent = Fraction(self.rng.randrange(101), 100)
        parts = [Fraction(0), Fraction(1, 10**9), percent, Fraction(1)]
        return bid + spare * self.rng.choice(parts)

    def move(self, v: int) -> int:
        dearest = max(self.graph[v], key=self.costs.__getitem__)
        return dearest if self.rng.random() < 0.7 else self.rng.choice(list(self.graph[v]))


def check_lead_is_kept(
    game: Game, costs: list[Fraction], lead: Fraction, seed: int, payment: Payment
) -> None:
    graph, targets = game
    rng = random.Random(seed)
    rival = Rival(graph, costs, rng)
    start = start_ahead(costs, lead, rng)
    if start is None:
        return
    v, money = start
    other = 1 - money
    for _ in range(30):
        if v in targets:
            break
        bid = safety_bid(graph, costs, v, money, payment)
        assert 0 <= bid <= money
        answer = rival.answer(bid, other)
        before = costs[v], money, other
        if answer is None:
            money, other = money - bid, other + (bid if payment == "opponent" else 0)
            v = min(graph[v], key=costs.__getitem__)
        else:
            money, other = money + (answer if payment == "opponent" else 0), other - answer
            v = rival.move(v)
        if costs[v] == 0:  # player 1 cannot win any more, and player 0 may have spent all
            break
        assert money > costs[v] * (money + other)
        if payment == "opponent":
            assert safety_ratio(costs, v, money, Fraction(1)) >= before[1] / before[0]
    assert v != targets[1]


@given(games(), leads, st.integers(0, 2**32))
@few
def test_safety_bid__keeps_the_lead(game: Game, lead: Fraction, seed: int) -> None:
    check_lead_is_kept(game, richman_costs(*game), lead, seed, "opponent")


@given(games(), leads, st.integers(0, 2**32))
@few
def test_safety_bid__keeps_the_lead_against_the_bank(game: Game, lead: Fraction, seed: int) -> None:
    # Thresholds are irrational, so play by the certified upper bounds, which the proof allows.
    upper = [Fraction(float(p)) for p in poorman_bounds(*game).upper]
    check_lead_is_kept(game, upper, lead, seed, "bank")


@pytest.mark.parametrize("length", [2, 5, 10])
@pytest.mark.parametrize("payment", ["opponent", "bank"])
def test_safety_bid__keeps_a_narrow_lead_on_a_line(length: int, payment: Payment) -> None:
    game = line(length)
    costs = richman_costs(*game)
    if payment == "bank":
        costs = [Fraction(float(p)) for p in poorman_bounds(*game).upper]
    renamed = {0: 0, length: 1} | {k: k + 1 for k in range(1, length)}
    graph: list[list[int]] = [[] for _ in renamed]
    shuffled = [Fraction(0) for _ in renamed]
    for v, ways in enumerate(game[0]):
        graph[renamed[v]], shuffled[renamed[v]] = [renamed[u] for u in ways], costs[v]
    for seed in range(30):
        check_lead_is_kept((graph, (0, 1)), shuffled, Fraction(1, 10**6), seed, payment)


def play_shrinking_overbids(bid_at: Callable[[int, Fraction], Fraction]) -> int:
    """Where the token is on a line of 4 after 300 rounds, unless home before.

    Player 1 loses at 2 and overbids at 1, each time by half as much more as the time before.
    """
    v, money = 2, Fraction(51, 100)
    for step in range(300):
        bid = bid_at(v, money)
        overbid = bid + Fraction(1, 10**4 * 2**step)
        if v == 1 and overbid <= 1 - money:
            v, money = 2, money + overbid
        else:
            v, money = v - 1, money - bid
        if v == 0:
            break
    return v


def test_safety_bid__can_be_stalled() -> None:
    graph, targets = line(4)
    costs = richman_costs(graph, targets)
    assert play_shrinking_overbids(lambda v, money: safety_bid(graph, costs, v, money)) > 0


def test_blind_move__is_not_stalled() -> None:
    graph, targets = line(4)
    costs, horizon = richman_costs(graph, targets), horizon_costs(graph, targets, 100)
    ceiling = Fraction(51, 100) / costs[2]

    def bid_at(v: int, money: Fraction) -> Fraction:
        return blind_move(graph, targets, costs, horizon, v=v, money=money, ceiling=ceiling).bid

    assert play_shrinking_overbids(bid_at) == 0


@given(games(), leads, st.integers(0, 2**32))
@few
def test_forced_move__wins_in_the_promised_time(game: Game, lead: Fraction, seed: int) -> None:
    graph, targets = game
    costs, horizon = richman_costs(graph, targets), horizon_costs(graph, targets, 200)
    rng = random.Random(seed)
    rival = Rival(graph, costs, rng)
    start = start_ahead(costs, lead, rng)
    assume(start is not None and start[1] > horizon[-1][start[0]])
    assert start is not None
    v, money = start
    promises: list[int] = []
    while v not in targets:
        move = forced_move(graph, horizon, v, money, Fraction(1))
        assert 0 <= move.bid <= money
        assert move.rounds is not None
        promises.append(move.rounds)
        answer = rival.answer(move.bid, 1 - money)
        if answer is None:
            v, money = move.successor, money - move.bid
        else:
            v, money = rival.move(v), money + answer
    assert v == targets[0]
    assert len(promises) <= promises[0]
    assert all(later < earlier for earlier, later in itertools.pairwise(promises))


def test_forced_move__asks_for_money_or_time() -> None:
    graph, targets = line(4)
    horizon = horizon_costs(graph, targets, 10)
    with pytest.raises(ValueError, match=r"money=1/2 must be above .* at v=2 .* 10 rounds"):
        forced_move(graph, horizon, 2, Fraction(1, 2), Fraction(1))


@given(games(acyclic=True), leads, st.integers(0, 2**32))
@few
def test_blind_move__wins_for_certain_without_cycles(game: Game, lead: Fraction, seed: int) -> None:
    costs = richman_costs(*game)
    check_blind_win(game, costs, lead, seed, lose_ties=True)


@given(games(), leads, st.integers(0, 2**32))
@few
def test_blind_move__wins_if_a_coin_breaks_ties(game: Game, lead: Fraction, seed: int) -> None:
    costs = richman_costs(*game)
    check_blind_win(game, costs, lead, seed, lose_ties=False)


def check_blind_win(
    game: Game, costs: list[Fraction], lead: Fraction, seed: int, lose_ties: bool
) -> None:
    graph, targets = game
    rng = random.Random(seed)
    rival = Rival(graph, costs, rng)
    horizon = horizon_costs(graph, targets, 150)
    start = start_ahead(costs, lead, rng)
    if start is None:
        return
    v, money = start
    ceiling = money / costs[v]
    for _ in range(5000):
        if v in targets:
            break
        move = blind_move(graph, targets, costs, horizon, v=v, money=money, ceiling=ceiling)
        assert 0 <= move.bid <= money
        answer = rival.answer(move.bid, 1 - money)
        if answer is None or (answer == move.bid and not lose_ties and rng.random() < 0.5):
            v, money = move.successor, money - move.bid
        else:
            v, money = rival.move(v), money + answer
        assert money >= costs[v] * ceiling
    assert v == targets[0]


def test_blind_move__gets_home_from_where_it_cannot_lose() -> None:
    graph, targets = CIRCLE_AT_HOME
    costs = richman_costs(graph, targets)
    assert costs == [0, Fraction(1, 2), 0, 0, 1]
    horizon = horizon_costs(graph, targets, 60)
    ceiling = Fraction(3, 5) / costs[1]
    first = blind_move(graph, targets, costs, horizon, v=1, money=Fraction(3, 5), ceiling=ceiling)
    assert first.bid == Fraction(3, 5)  # all he has, since 2 costs nothing
    v, money = first.successor, Fraction(0)
    for _ in range(200):
        move = blind_move(graph, targets, costs, horizon, v=v, money=money, ceiling=ceiling)
        overbid = move.bid + Fraction(1, 1000)
        if overbid <= 1 - money:
            v, money = 2, money + overbid
        else:
            v, money = move.successor, money - move.bid
        if v in targets:
            break
    assert v == targets[0]


def test_best_successors__exact_costs_take_a_tolerance_of_any_type() -> None:
    graph, targets = line(3)
    costs = richman_costs(graph, targets)
    for tolerance in (0, 0.0, Fraction(0)):
        assert best_successors(graph, targets, costs, tolerance)[1:3] == [(0, 2), (1, 3)]
