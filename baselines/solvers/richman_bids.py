"""How to bid and move in a Richman or poorman game, given the thresholds of its graph.

All is told from player 0's side; for player 1 swap the targets (thresholds become 1 - f). The
thresholds come from `richman.py` and `poorman.py`, whose docstrings explain the notation.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from bidarena.baselines.solvers.richman import (
    Graph,
    Number,
    Payment,
    Targets,
    check_graph,
    distances,
    richman_costs,
    world_series,
)


class Move(NamedTuple):
    """What to do in one round; `rounds` is the number within which the win is certain, if it is."""

    bid: Fraction
    successor: int
    rounds: int | None


def _extremes(graph: Graph, costs: Sequence[Number], v: int) -> tuple[Number, Number]:
    if not graph[v]:
        raise ValueError(f"v={v} has no successors: there is nothing to bid for on a target")
    values = [costs[u] for u in graph[v]]
    return min(values), max(values)


def _check_payment(payment: str) -> None:
    if payment not in ("opponent", "bank"):
        raise ValueError(f'payment={payment!r} must be "opponent" or "bank"')


def best_successors(
    graph: Graph, targets: Targets, costs: Sequence[Number], tolerance: float = 0
) -> list[tuple[int, int]]:
    """For each vertex, where player 0 and where player 1 should move the token.

    Among successors within `tolerance` of the best (1e-9, say, for float costs) the one nearest to
    the own target along such moves, because equally good moves may run in a circle. From a vertex
    with R < 1 steepest descent does lead to targets[0]: where it finds nothing lower all successors
    cost the same, those of the successors too, and so on, which cannot end on targets[1].
    """
    successors = check_graph(graph, targets)
    # Differences are compared, so that exact costs stay exact whatever type the tolerance has.
    lows = [min([costs[u] for u in ways], default=0) for ways in successors]
    highs = [max([costs[u] for u in ways], default=0) for ways in successors]
    descent = [
        [u for u in ways if costs[u] - lows[v] <= tolerance] for v, ways in enumerate(successors)
    ]
    ascent = [
        [u for u in ways if highs[v] - costs[u] <= tolerance] for v, ways in enumerate(successors)
    ]
    down, up = distances(descent, targets[:1]), distances(ascent, targets[1:])
    far = len(graph)
    return [
        (
            min(descent[v], key=lambda u: down.get(u, far), default=v),
            min(ascent[v], key=lambda u: up.get(u, far), default=v),
        )
        for v in range(len(graph))
    ]


def critical_bid(
    graph: Graph,
    costs: Sequence[Number],
    v: int,
    total: Number | int,
    payment: Payment = "opponent",
) -> Number:
    """The bid at which both outcomes are fair: what a player with exactly the threshold must bid.

    opponent: winning costs total * (R - R-), the fall in money needed. bank: total * (P+ - P-) /
    (1 + P+ - P-), see `poorman.py`. `costs` are the thresholds under the same payment.
    """
    _check_payment(payment)
    low, high = _extremes(graph, costs, v)
    if payment == "opponent":
        return (costs[v] - low) * total
    return (high - low) / (1 + high - low) * total


def safety_ratio(costs: Sequence[Number], v: int, money: Number, total: Number) -> Number:
    """Share of the money held over share needed; above 1 player 0 wins. Needs costs[v] > 0."""
    return money / total / costs[v]


def safety_bid(
    graph: Graph, costs: Sequence[Number], v: int, money: Number, payment: Payment = "opponent"
) -> Number:
    """Player 0's bid when he does not know the other's money; move to a cheapest successor.

    He bids as if he had just enough, i.e. the critical bid for the total money / f(v), the largest
    one with which he wins. opponent: m (R - R-) / R. After a win he has m R- / R, and the safety
    ratio m / (total R) is the same at the new vertex. After a loss (a tie lost counts) he has at
    least m (2R - R-) / R = m R+ / R, and the ratio is no smaller wherever the token went.
    bank: (m / P) (P+ - P-) / (1 + P+ - P-) = m (1 - P- / P+). After a win he has m P- / P+ against
    the same money y, after a loss m against at most y - bid; if m / y > P / (1 - P) = P+ / (1 - P-)
    these are above P- / (1 - P-) and P+ / (1 - P+). Both only need f >= F(f-, f+), so the upper
    bounds of either solver serve as well as exact costs.

    A lead is thus never lost, but not turned into a win either: the ratio stands still at ties, and
    ever smaller overbids can delay the end for ever. `forced_move` wins if the total is known,
    `blind_move` if it is not. Where f- = 0 everything is bid, so under payment "bank" player 0 may
    end penniless where he can no longer lose, but the other can circle for ever.
    """
    _check_payment(payment)
    low, high = _extremes(graph, costs, v)
    if high == 0:
        return money * 0
    if payment == "opponent":
        return money * (costs[v] - low) / costs[v]
    return money * (1 - low / high)


def horizon_costs(graph: Graph, targets: Targets, rounds: int) -> list[list[Fraction]]:
    """Table [t][v] for t = 0..rounds of R(v; t): with a larger share player 0 wins in t rounds.

    R(v; 0) = 1 off targets[0], then R(v; t) is the average of the extremes of R(.; t - 1). It falls
    to R(v), so that any share above R(v) is above some R(v; t).
    """
    successors = check_graph(graph, targets)
    table = [[Fraction(int(v != targets[0])) for v in range(len(graph))]]
    for _ in range(rounds):
        last, row = table[-1], list(table[0])
        for v, ways in enumerate(successors):
            if ways:
                row[v] = sum(_extremes(successors, last, v)) * Fraction(1, 2)
        table.append(row)
    return table


def forced_move(
    graph: Graph, horizon: Sequence[Sequence[Fraction]], v: int, money: Fraction, total: Fraction
) -> Move:
    """Player 0's move that wins in bounded time against any bids and tie breaks.

    `horizon` comes from `horizon_costs`. Take the least t with money > total * R(v; t), bid
    total * (R+(t-1) - R-(t-1)) / 2 and move to where R(.; t-1) is smallest. Winning that bid leaves
    the excess over total * R(.; t-1) what it was, losing it (a tie included) brings in at least the
    bid and leaves no less. So t falls by one each round, and nobody has a share above R(.; 0) = 1
    away from targets[0]. For payment "opponent" only.
    """
    rounds = next((t for t, row in enumerate(horizon) if money > total * row[v]), 0)
    if rounds == 0:
        raise ValueError(
            f"money={money} must be above {horizon[-1][v] * total} at v={v} to win within "
            f"{len(horizon) - 1} rounds; use a longer horizon if it is above total * R(v)"
        )
    last = horizon[rounds - 1]
    low, high = _extremes(graph, last, v)  # at money = total * R(v; t) the critical bid
    return Move(total * (high - low) / 2, min(graph[v], key=last.__getitem__), rounds)


def blind_move(
    graph: Graph,
    targets: Targets,
    costs: Sequence[Fraction],
    horizon: Sequence[Sequence[Fraction]],
    *,
    v: int,
    money: Fraction,
    ceiling: Fraction,
) -> Move:
    """Player 0's winning move when he does not know the total (payment "opponent").

    `ceiling` is money / R(v) at the start of the game (any bound on the total if R(v) = 0) and is
    kept: the total is less than that if he can win at all, so he plays as if it were that. At first
    this leaves him with just what he needs, and he makes the safety bid. If the other overbids by
    whatever amount, or does not move to a dearest successor, an excess is left which he can see,
    and `forced_move` wins from it (if the horizon is long enough; otherwise the excess stays). If
    not, the other wins rounds by ties alone. So player 0 wins with probability 1 if a coin breaks
    ties, since n wins in a row lead home, and for certain on an acyclic graph.
    """
    if min(money, ceiling) > horizon[-1][v] * ceiling:
        return forced_move(graph, horizon, v, min(money, ceiling), ceiling)
    successor = best_successors(graph, targets, costs)[v][0]
    return Move(critical_bid(graph, costs, v, ceiling), successor, None)


def series_bets(wins_needed: int, stake: Fraction | int) -> dict[tuple[int, int], Fraction]:
    """Even-money bets on single games that add up to one of `stake` on the series, by score.

    At own:other wins i:j hold 2 * stake * (1 - R): that starts at `stake`, ends at twice that or
    nothing, and goes up or down by the same amount each game (Elkies' reading of R).
    """
    graph, targets = world_series(wins_needed)
    costs = richman_costs(graph, targets)
    scores = ((i, j) for i in range(wins_needed) for j in range(wins_needed))
    return {
        score: critical_bid(graph, costs, v, Fraction(2 * stake)) for v, score in enumerate(scores)
    }
