"""Compute with strategies over the slots of a tree: their worth, best responses, and the gap.

A strategy gives a probability to each slot, those of an information set add up to 1. A strategy of
all players is one array, because every slot belongs to one player.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.tree.tables import Tables
from bidarena.envs.compile import compiled

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TreeResponse:
    """A best response of one player to a strategy of all others."""

    player: int
    value: float  # what the player wins on average
    choices: Floats  # 1 for the chosen slot of each of the player's information sets


def uniform(tables: Tables) -> Floats:
    """Return the strategy in which all legal actions are equally likely."""
    sizes = np.diff(tables.first)
    return np.repeat(1.0 / sizes, sizes)


def slot_players(tables: Tables) -> NDArray[np.int8]:
    """Return the player to whom each slot belongs."""
    return np.repeat(tables.players, np.diff(tables.first))


def merged(tables: Tables) -> Tables:
    """Return a tree in which ends with equal slots are one, in the order of their slots."""
    columns = range(tables.last.shape[1])
    order = np.lexsort([tables.last[:, player] for player in reversed(columns)])
    last = tables.last[order]
    fresh = np.ones(len(last), np.bool_)
    fresh[1:] = (last[1:] != last[:-1]).any(axis=1)
    starts = np.flatnonzero(fresh)
    gains = np.add.reduceat(tables.gains[order], starts, axis=0) if len(starts) else tables.gains
    return tables._replace(last=last[fresh], gains=gains)


def expected(tables: Tables, strategy: Floats) -> Floats:
    """Return what each player wins on average; only player 0's result where results add to 0."""
    reach = realized(tables, strategy)
    out = np.zeros(tables.gains.shape[1] - 1)
    compiled(add_ends, {}, "exact solver")(tables.last, tables.gains, reach, out)
    return out


def realized(tables: Tables, strategy: Floats) -> Floats:
    """Return for each slot the probability that its player plays up to it, if others let them."""
    out = np.empty(len(strategy))
    compiled(realize, {}, "exact solver")(tables.first, tables.parents, strategy, out)
    return out


def respond(tables: Tables, strategy: Floats, player: int) -> TreeResponse:
    """Return the best response of a player to the strategy of all others."""
    worths, base = weigh(tables, strategy, player)
    choices = np.zeros(len(strategy))
    take = compiled(choose_best, {}, "exact solver")
    value = take(tables.first, tables.parents, tables.players, player, worths, choices)
    return TreeResponse(player, float(base + value), choices)


def weigh(tables: Tables, strategy: Floats, player: int) -> tuple[Floats, float]:
    """Return what ends right after each slot of a player are worth, and those after no slot.

    Worth is weighted by the probability of chance and of the other players' choices.
    """
    reach = realized(tables, strategy)
    worths = np.zeros(len(strategy))
    opposed = tables.gains.shape[1] == 2
    gains = np.ascontiguousarray(tables.gains[:, 0 if opposed else player])
    sign = -1.0 if opposed and player == 1 else 1.0
    gather = compiled(gather_ends, {}, "exact solver")
    base = gather(tables.last, gains, sign, player, reach, worths)
    return worths, float(base)


def action_values(tables: Tables, strategy: Floats, player: int) -> Floats:
    """Return what a player wins on average after each own slot, if all play by the strategy.

    It is NaN in information sets that the other players never let this player reach.
    """
    worths, _ = weigh(tables, strategy, player)
    masses = np.zeros(len(strategy))
    weights = np.ascontiguousarray(tables.gains[:, -1])
    gather = compiled(gather_ends, {}, "exact solver")
    gather(tables.last, weights, 1.0, player, realized(tables, strategy), masses)
    back = compiled(back_up, {}, "exact solver")
    back(tables.first, tables.parents, tables.players, player, strategy, worths, masses)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(masses > 0.0, worths / masses, np.nan)


def nash_gap(tables: Tables, strategy: Floats) -> tuple[float, float, Floats]:
    """Return bounds of the value to player 0, and the choices of both best responses.

    With two players whose results add to 0: player 1's best response holds player 0 down to the
    lower bound, player 0's own best response wins the upper one.
    """
    mine, theirs = (respond(tables, strategy, player) for player in range(2))
    return -theirs.value, mine.value, mine.choices + theirs.choices


# --- compiled ------------------------------------------------------------------------------------


def realize(
    first: NDArray[np.int32], parents: NDArray[np.int32], strategy: Floats, out: Floats
) -> None:
    """Write for each slot the product of a player's own probabilities up to it."""
    for number in range(len(parents)):
        before = out[parents[number]] if parents[number] >= 0 else 1.0
        for slot in range(first[number], first[number + 1]):
            out[slot] = before * strategy[slot]


def add_ends(last: NDArray[np.int32], gains: Floats, reach: Floats, out: Floats) -> None:
    """Add up all ends, each with the probability that all players play up to it."""
    for end in range(len(last)):
        chance = 1.0
        for player in range(last.shape[1]):
            if last[end, player] >= 0:
                chance *= reach[last[end, player]]
        for column in range(len(out)):
            out[column] += chance * gains[end, column]


def gather_ends(
    last: NDArray[np.int32], gains: Floats, sign: float, player: int, reach: Floats, worths: Floats
) -> float:
    """Add each end to the slot of the player's last action; return the sum of those without one."""
    base = 0.0
    for end in range(len(last)):
        gain = sign * gains[end]
        for other in range(last.shape[1]):
            if other != player and last[end, other] >= 0:
                gain *= reach[last[end, other]]
        slot = last[end, player]
        if slot >= 0:
            worths[slot] += gain
        else:
            base += gain
    return base


def back_up(
    first: NDArray[np.int32],
    parents: NDArray[np.int32],
    players: NDArray[np.int8],
    player: int,
    strategy: Floats,
    worths: Floats,
    masses: Floats,
) -> None:
    """Add to the worth and mass of each slot those of all information sets that follow it."""
    for number in range(len(parents) - 1, -1, -1):
        if players[number] == player and parents[number] >= 0:
            for slot in range(first[number], first[number + 1]):
                worths[parents[number]] += strategy[slot] * worths[slot]
                masses[parents[number]] += strategy[slot] * masses[slot]


def choose_best(
    first: NDArray[np.int32],
    parents: NDArray[np.int32],
    players: NDArray[np.int8],
    player: int,
    worths: Floats,
    choices: Floats,
) -> float:
    """Choose the best slot of each information set, the last ones first; return the sum at the top.

    `worths` becomes what each slot is worth with best play afterwards.
    """
    total = 0.0
    for number in range(len(parents) - 1, -1, -1):
        if players[number] != player:
            continue
        best = first[number]
        for slot in range(first[number] + 1, first[number + 1]):
            if worths[slot] > worths[best]:
                best = slot
        choices[best] = 1.0
        if parents[number] >= 0:
            worths[parents[number]] += worths[best]
        else:
            total += worths[best]
    return total
