"""What to bid in games on graphs: single bids, and whole strategies played out."""

import itertools
import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from richman_graphs import CIRCLE_AT_HOME, Game, extremes, few, games, leads, start_ahead

from bidarena.baselines.solvers.poorman import (
    poorman_bounds,
    poorman_thresholds,
)
from bidarena.baselines.solvers.richman import (
    Graph,
    Payment,
    line,
    richman_costs,
)
from bidarena.baselines.solvers.richman_bids import (
    best_successors,
    blind_move,
    critical_bid,
    forced_move,
    horizon_costs,
    safety_bid,
    safety_ratio,
)

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
    """Player 1, who knows player 0's bid in advance, may win ties, and bids and moves at random."""

    def __init__(self, graph: Graph, costs: list[Fraction], rng: random.Random) -> None:
        self.graph, self.costs, self.rng = graph, costs, rng

    def answer(self, bid: Fraction, money: Fraction) -> Fraction | None:
        """Return the bid of player 1 that wins the round, or None to lose it."""
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
        if costs[v] == 0:  # player 1 cannot win any more, and player 0 may have no money left
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
    """Return where the token is on a line of 4 after 300 rounds, or 0 if it got there before.

    Player 1 loses at 2 and overbids at 1; each overbid is half as much as the one before.
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
    assert first.bid == Fraction(3, 5)  # all the money of player 0: vertex 2 costs nothing
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
