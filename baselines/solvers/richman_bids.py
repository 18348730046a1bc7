"""How to bid and move in a Richman or poorman game, given the thresholds of its graph.

All functions take the side of player 0; for player 1 swap the targets (thresholds become 1 - f).
The thresholds come from `richman.py` and `poorman.py`, whose docstrings explain the notation.
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
    """A move of player 0 in one round."""

    bid: Fraction
    successor: int  # where to move the token if the bid wins
    rounds: int | None  # player 0 wins within so many rounds; None: not certain


def _extremes(graph: Graph, costs: Sequence[Number], v: int) -> tuple[Number, Number]:
    """Return the smallest and the largest cost among the successors of v."""
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
    """Return for each vertex where player 0 and where player 1 should move the token.

    Of all successors within `tolerance` of the best one (1e-9, say, for float costs) this is the
    one nearest to the player's own target along such moves, because equally good moves may run in
    a circle. From a vertex with R < 1 moves to the lowest cost do lead to targets[0]: where no
    successor is lower, all successors have equal costs, and theirs too, and so on. That cannot end
    on targets[1].
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
    """Return the bid of a player with exactly the threshold: both outcomes are fair at it.

    opponent: total * (R - R-), by which the needed money falls after a win.
    bank: total * (P+ - P-) / (1 + P+ - P-), see `poorman.py`.

    Args:
        graph: the successor lists.
        costs: the thresholds under this payment.
        v: the vertex of the token.
        total: the money of both players.
        payment: who is paid by the winner of a bid, "opponent" or "bank".
    """
    _check_payment(payment)
    low, high = _extremes(graph, costs, v)
    if payment == "opponent":
        return (costs[v] - low) * total
    return (high - low) / (1 + high - low) * total


def safety_ratio(costs: Sequence[Number], v: int, money: Number, total: Number) -> Number:
    """Return the share of money held / share needed; above 1 player 0 wins. Needs costs[v] > 0."""
    return money / total / costs[v]


def safety_bid(
    graph: Graph, costs: Sequence[Number], v: int, money: Number, payment: Payment = "opponent"
) -> Number:
    """Return player 0's bid without knowing the other's money; move to a cheapest successor.

    The bid assumes that player 0 has just enough: it is the critical bid for a total of
    money / f(v), the largest total with which player 0 wins. Write m for the money of player 0.
    opponent: m (R - R-) / R. After a win player 0 has m R- / R, and the safety ratio m / (total R)
    is unchanged at the new vertex. After a loss (also of a tie) they have at least
    m (2R - R-) / R = m R+ / R, and the ratio is no smaller wherever the token went.
    bank: (m / P) (P+ - P-) / (1 + P+ - P-) = m (1 - P- / P+). After a win player 0 has m P- / P+
    against the other's money y, after a loss m against at most y - bid; if m / y > P / (1 - P) =
    P+ / (1 - P-), these ratios are above P- / (1 - P-) and P+ / (1 - P+).
    Both only need f >= F(f-, f+), so upper bounds of either solver serve as well as exact costs.

    So a lead is never lost, but it is not turned into a win either: ties leave the ratio as it is,
    and ever smaller overbids can delay the end for ever. `forced_move` wins if the total is known,
    `blind_move` if it is not. Where f- = 0, player 0 bids everything. Under payment "bank" they may
    then have no money left at a vertex where they can no longer lose, but the other player can
    move in circles for ever.
    """
    _check_payment(payment)
    low, high = _extremes(graph, costs, v)
    if high == 0:
        return money * 0
    if payment == "opponent":
        return money * (costs[v] - low) / costs[v]
    return money * (1 - low / high)


def horizon_costs(graph: Graph, targets: Targets, rounds: int) -> list[list[Fraction]]:
    """Return the table of R(v; t), one list for each t from 0 to `rounds`, one number for each v.

    With a share of the money above R(v; t) player 0 wins from v within t rounds.

    R(v; 0) is 1 except on targets[0]. R(v; t) is the average of the smallest and the largest
    R(.; t - 1) among the successors of v. It falls to R(v) with t, so any share above R(v) is above
    some R(v; t).
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
    """Return player 0's move that wins in bounded time against any bids and tie breaks.

    For payment "opponent" only; `horizon` comes from `horizon_costs`. Take the least t with
    money > total * R(v; t), bid total * (R+(t-1) - R-(t-1)) / 2, move to the smallest R(.; t-1).
    If that bid wins, the excess over total * R(.; t-1) is as large as the one before. If it loses
    (also by a tie), player 0 gets at least the bid, and the excess is no smaller. So t falls by one
    each round, and at t = 0 the token is on targets[0]: elsewhere no share is above R(.; 0) = 1.
    """
    rounds = next((t for t, row in enumerate(horizon) if money > total * row[v]), 0)
    if rounds == 0:
        raise ValueError(
            f"money={money} must be above {horizon[-1][v] * total} at v={v} to win within "
            f"{len(horizon) - 1} rounds; use a longer horizon if it is above total * R(v)"
        )
    last = horizon[rounds - 1]
    low, high = _extremes(graph, last, v)  # gives the critical bid at money = total * R(v; t)
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
    """Return player 0's winning move without knowing the total money (payment "opponent").

    Player 0 plays as if the total were `ceiling`: money / R(v) at the start of the game, kept until
    its end (any bound on the total if R(v) = 0). If player 0 can win at all, the total is smaller.
    At first player 0 then has just what is needed, and makes the safety bid. If the other overbids
    by any amount, or does not move to a dearest successor, player 0 is left with an excess that
    they can see, and `forced_move` wins from it if the horizon is long enough; if not, the excess
    stays. Otherwise the other wins rounds by ties only. So player 0 wins with probability 1 if a
    coin breaks ties, because n wins in a row lead to the target, and always on an acyclic graph.

    Args:
        graph: the successor lists.
        targets: the targets of player 0 and of player 1.
        costs: from `richman_costs`.
        horizon: from `horizon_costs`.
        v: the vertex of the token.
        money: what player 0 has now.
        ceiling: the assumed total, see above.
    """
    if min(money, ceiling) > horizon[-1][v] * ceiling:
        return forced_move(graph, horizon, v, min(money, ceiling), ceiling)
    successor = best_successors(graph, targets, costs)[v][0]
    return Move(critical_bid(graph, costs, v, ceiling), successor, None)


def series_bets(wins_needed: int, stake: Fraction | int) -> dict[tuple[int, int], Fraction]:
    """Return, by score i:j, the even-money bet on the next game that a bet on the series needs.

    Together these bets act like one even-money bet of `stake` on the whole series. At own:other
    wins i:j one holds 2 * stake * (1 - R): `stake` at the start, twice that or nothing at the end,
    and each game adds or takes the amount of the bet (Elkies' reading of R).
    """
    graph, targets = world_series(wins_needed)
    costs = richman_costs(graph, targets)
    scores = ((i, j) for i in range(wins_needed) for j in range(wins_needed))
    return {
        score: critical_bid(graph, costs, v, Fraction(2 * stake)) for v, score in enumerate(scores)
    }
