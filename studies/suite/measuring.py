"""What a player reaches in a cell: the value of the cell's measure, and the figure from 0 to 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import Network
from bidarena.baselines.solvers.generic.solve import Limits
from bidarena.envs.game import Game
from bidarena.envs.registry import make_bot
from bidarena.evaluate.appraisal.strength import against, asked, truth_of
from bidarena.evaluate.exploit import exploit
from bidarena.studies.suite.cells import EXPLOITABILITY, MATCH, Cell

LIMITS = Limits(memory=1 << 31, seconds=3600.0)
DEALS = 0  # seed of all matches: every policy plays the same deals


@dataclass(frozen=True)
class Measured:
    """A measured player.

    Attributes:
        value: the value of the cell's measure.
        figure: the same on the scale of the cell; below 0 if the player is worse than random.
        half_width: of the 95 % interval of `value` by deals, for matches; None: no chance in it.
        exact: whether the value is exact.
        how: how it was found, in words.
    """

    value: float
    figure: float
    half_width: float | None
    exact: bool
    how: str


def measure_network(cell: Cell, game: Game, network: Network, name: str) -> Measured:
    """Return what a learned policy reaches in a cell."""
    bot = network_bot(game, network, name)
    return measure(cell, game, bot if cell.measure == MATCH else asked(network, bot))


def measure(cell: Cell, game: Game, player: Any) -> Measured:
    """Return what a player reaches in a cell.

    Args:
        cell: the cell.
        game: its game.
        player: a bot or its name, or another player that `exploit` accepts.
    """
    made = make_bot(game, player) if isinstance(player, str) else player
    value, half_width, exact, how = _value(cell, game, made)
    return Measured(value, cell.figure(value), half_width, exact, how)


def _value(cell: Cell, game: Game, player: Any) -> tuple[float, float | None, bool, str]:
    """Return the value, its half width if it has one, whether it is exact, and how it was found."""
    if cell.measure == MATCH:
        scores = against(game, player, cell.references, cell.games, seed=DEALS).values()
        value = sum(score.mean for score in scores) / len(scores)
        half = math.sqrt(sum(score.half_width**2 for score in scores)) / len(scores)
        return (
            value,
            half,
            False,
            f"{cell.games} games against each of {', '.join(cell.references)}",
        )
    if cell.measure == EXPLOITABILITY:
        found = exploit(game, player, limits=LIMITS)
        return found.nash_conv / len(found.seat_values), None, found.exact, found.method
    truth = truth_of(game, player)
    known = {} if truth is None else truth.measures
    if truth is None or cell.measure not in known:
        names = ", ".join((EXPLOITABILITY, MATCH, *known))
        raise ValueError(f"cell {cell.name!r}: measure={cell.measure!r}: expected one of {names}")
    return known[cell.measure], None, truth.exact, str(truth.details.get("method", truth.name))
