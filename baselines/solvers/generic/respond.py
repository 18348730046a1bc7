"""The best response to any bot or policy, in any game whose positions or histories can be listed.

The player is asked for its probabilities in every situation in which it may have to choose. Then a
game for one player is left, which is solved exactly. The player is taken to choose by what it knows
in the present situation, not by what happened before.

In a game that its clock may cut short a bot may also choose by the time that is left. A bot that
declares its foresight is asked once for all times beyond it, and then at every time within it. Any
other bot is tried at some times, and asked at every time if it chooses otherwise at one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.generic.plan import Plan, plan_bot
from bidarena.baselines.solvers.generic.solve import (
    GRAPH,
    TREE,
    Begin,
    Limits,
    after_first_move,
    graph_of,
    plan_of_graph,
    plan_of_tree,
    reading_of,
    tree_of,
    way_of,
)
from bidarena.baselines.solvers.graph.solve import Graph, value_graph
from bidarena.baselines.solvers.probabilities import Asker
from bidarena.baselines.solvers.tree.sequences import expected, respond
from bidarena.baselines.solvers.tree.tables import Tables
from bidarena.envs.compile import borrow
from bidarena.envs.game import Cfg, Game, legal
from bidarena.envs.registry import Bot

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PART = 16_384  # situations per question
GAP = 1e-9  # where the clock of a game matters, responses are known this well


@dataclass(frozen=True)
class GraphIndex:
    """The positions of a graph, numbered as in its tables."""

    game: Game
    graph: Graph
    time: int = 0  # the clock in all states, where the game has one

    def states(self, positions: Integers, seat: int) -> Integers:
        """Return a state for each position in which `seat` is to move."""
        tables = self.graph.tables
        states = tables.states[positions]
        if (clock := reading_of(self.game, GRAPH).clock) >= 0:
            states[:, clock] = self.time
        second = tables.movers[positions, 0] != seat
        states[second] = after_first_move(self.game, states[second])
        return states

    def deciding(self, seat: int) -> Integers:
        """Return all positions in which `seat` has to move."""
        tables = self.graph.tables
        return np.flatnonzero((tables.movers == seat).any(axis=1) & (tables.rows > 0))


@dataclass(frozen=True)
class TreeIndex:
    """The information sets of a tree, numbered as in its tables."""

    game: Game
    tree: Tables

    def states(self, positions: Integers, seat: int) -> Integers:
        """Return a state for each information set."""
        return self.tree.states[positions]

    def deciding(self, seat: int) -> Integers:
        """Return all information sets of `seat`."""
        return np.flatnonzero(self.tree.players == seat)


AnyIndex = GraphIndex | TreeIndex


def index_of(game: Game, limits: Limits | None = None, begin: Begin | None = None) -> AnyIndex:
    """Return the positions or the information sets of a game; ValueError if it is too large."""
    limits = limits or Limits()
    if way_of(game) == GRAPH and game.players == 2:
        return GraphIndex(game, graph_of(game, limits, begin))
    return TreeIndex(game, tree_of(game, limits, begin))


@dataclass(frozen=True)
class Responses:
    """Best responses from every seat, all other seats being taken by one player.

    Attributes:
        values: what the responder wins on average in each seat.
        nash_conv: how much more that is than the player itself would win, all seats together.
        situations: in how many situations the game has the player choose.
        asked: in how many the player was asked, all seats together.
        plan: the choices of the responders.
        playable: whether a bot can play them, because states tell situations apart.
        way: GRAPH or TREE, how the situations were found.
    """

    values: list[float]
    nash_conv: float
    situations: int
    asked: int
    plan: Plan
    playable: bool
    way: str

    def bot(self, game: Game, name: str) -> Bot:
        """Return the bot that plays the response of whichever seat it has."""
        if not self.playable:
            refuse_to_play(game)
        reading = reading_of(game, self.way)
        return plan_bot(game, self.plan, reading.idle, reading.clock, name)


def refuse_to_play(game: Game) -> None:
    """Raise ValueError for a game whose states forget what a player has seen."""
    raise ValueError(
        f"{game.name}: what a player knows cannot be told from the state, because earlier "
        "observations are not kept in it; the value can be computed, but no bot can play it. Keep "
        "in the state what players have seen"
    )


def responses_to(asker: Asker, tell: Callable[[str], None] | None = None) -> Responses:
    """Return the best responses to the player that `asker` asks.

    Args:
        asker: asks the player.
        tell: called with how far it is, where a clock is reckoned tick by tick.
    """
    index = asker.index
    if asker.program is not None:
        seats = range(index.game.players)
        asker.plan(sum(len(index.deciding(seat)) for seat in seats))
    if isinstance(index, GraphIndex):
        return _on_graph(index, asker, tell)
    assert isinstance(index, TreeIndex)
    return _on_tree(index, asker)


def _on_graph(index: GraphIndex, asker: Asker, tell: Callable[[str], None] | None) -> Responses:
    graph, limit = index.graph, index.game.limit
    asked = [index.deciding(seat) for seat in range(2)]
    plans = [_asked_at(index, asker, seat, 0) for seat in range(2)]
    turns = _times_asked(index, asker, plans) if graph.order.endless else 0
    values, found = [], []
    for seat in range(2):
        other = 1 - seat
        where = _choices(graph, asked[other], other)

        def turn(ticks: int, plan: Floats, other: int = other, where: Integers = where) -> None:
            early = ticks > turns  # as at the beginning
            given = plans[other] if early else _asked_at(index, asker, other, limit - ticks)
            plan[where] = given[where]

        def progress(ticks: int, seat: int = seat) -> None:
            if tell is not None:
                tell(f"the best response in seat {seat}: tick {ticks} of at most {limit}")

        best = value_graph(
            graph,
            plan=plans[other],
            given=(other,),
            gap=GAP,
            turn=turn if turns else None,
            turns=turns + 1,
            progress=progress,
        )
        values.append((best.value if seat == 0 else -best.value) + 0.0)
        found.append(plan_of_graph(graph, best, rated=False))
    count = len(asked[0]) + len(asked[1])
    return Responses(values, sum(values), count, asker.asked, joined(found), True, GRAPH)


def _choices(graph: Graph, positions: Integers, seat: int) -> Integers:
    """Return where in a plan the choices of a seat are, position after position."""
    tables = graph.tables
    second = tables.movers[positions, 0] != seat
    starts = graph.plan_first[positions] + np.where(second, tables.rows[positions], 0)
    sizes = np.where(second, tables.columns[positions], tables.rows[positions])
    return spans(starts, sizes)


def _asked_at(index: GraphIndex, asker: Asker, seat: int, time: int) -> Floats:
    """Return a plan with the probabilities of the player in one seat, at a time of the clock."""
    graph = index.graph
    plan = np.zeros(graph.plan_first[-1])
    asked = index.deciding(seat)
    asker.index = replace(index, time=time)
    for begin in range(0, len(asked), PART):
        here = asked[begin : begin + PART]
        plan[_choices(graph, here, seat)] = _legal_ones(asker, here, seat)
    asker.index = index
    return plan


def _times_asked(index: GraphIndex, asker: Asker, plans: list[Floats]) -> int:
    """Return for how many of the last ticks the player is asked anew, at each of them.

    Before them it chooses as in `plans`, at the beginning. Only bots read states and with them the
    clock: observations do not show it. One that does not answer exactly is asked at the beginning.
    """
    player, limit = asker.player, index.game.limit
    if not isinstance(player, Bot) or not asker.exact or asker.program is not None:
        return 0
    if player.foresight is not None:
        return min(player.foresight, limit)
    return limit if _watches_clock(index, asker, plans) else 0


def _watches_clock(index: GraphIndex, asker: Asker, plans: list[Floats]) -> bool:
    """Return whether a bot chooses otherwise at other times than at the beginning."""
    limit = index.game.limit
    times = {1, limit // 4, limit // 2, *(limit - left for left in (1, 2, 3, 4, 8, 16, 64))}
    for time in sorted(time for time in times if 0 < time < limit):
        for seat in range(2):
            if not np.array_equal(_asked_at(index, asker, seat, time), plans[seat]):
                return True
    return False


def _on_tree(index: TreeIndex, asker: Asker) -> Responses:
    game, tree = index.game, index.tree
    strategy = np.zeros(int(tree.first[-1]))
    keys = plan_of_tree(game, tree, strategy, np.zeros(0)).keys
    playable = len(np.unique(keys, axis=0)) == len(keys)
    if not (playable or asker.exact):  # its response is measured in a match
        refuse_to_play(game)
    for seat in range(game.players):
        sets = index.deciding(seat)
        for begin in range(0, len(sets), PART):
            here = sets[begin : begin + PART]
            sizes = (tree.first[here + 1] - tree.first[here]).astype(np.int64)
            strategy[spans(tree.first[here].astype(np.int64), sizes)] = _legal_ones(
                asker, here, seat
            )
    own = expected(tree, strategy)
    together = 0.0 if len(own) == 1 else float(own.sum())  # one result: the other is its opposite
    best = [respond(tree, strategy, seat) for seat in range(game.players)]
    choices = sum((one.choices for one in best), np.zeros(len(strategy)))
    plan = plan_of_tree(game, tree, choices, np.zeros(0))
    values = [one.value + 0.0 for one in best]
    count = len(tree.players)
    return Responses(values, sum(values) - together, count, asker.asked, plan, playable, TREE)


def _legal_ones(asker: Asker, here: Integers, seat: int) -> Floats:
    """Return the probabilities of the legal actions only, situation after situation."""
    game = asker.index.game
    masks = np.zeros((len(here), game.actions), np.int8)
    states = asker.index.states(here, seat)
    game.compiled(write_masks)(game.cfg, states, masks)
    return asker(here, seat)[masks == 1]


def write_masks(cfg: Cfg, states: Integers, masks: NDArray[np.int8]) -> None:
    """Write which actions are legal in each state."""
    cfg, states, masks = borrow(cfg), borrow(states), borrow(masks)
    for k in range(len(states)):
        legal(cfg, states[k], masks[k])


def spans(starts: Integers, sizes: Integers) -> Integers:
    """Return all numbers of the spans that begin at `starts` and have these sizes, in order."""
    ends = np.cumsum(sizes)
    return np.repeat(starts - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)


def joined(plans: list[Plan]) -> Plan:
    """Return one plan with the lines of all plans, which concern different players."""
    offsets = np.cumsum([0, *(len(plan.chances) for plan in plans)])
    first = [plan.first[:-1] + offset for plan, offset in zip(plans, offsets, strict=False)]
    return Plan(
        np.concatenate([plan.keys for plan in plans]),
        np.concatenate([plan.since for plan in plans]),
        np.concatenate([*first, [offsets[-1]]]),
        np.concatenate([plan.chances for plan in plans]),
        np.zeros(0),
        np.zeros(0),
    )
