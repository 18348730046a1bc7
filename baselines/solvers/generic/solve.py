"""Solve any game of two sides whose results add to 0, and keep what was found.

Without hidden cards a game is solved on its graph of positions. With hidden cards, and two players,
it is solved over its information sets, by linear programs if it is small, otherwise by regret. The
size of a game is estimated first, and a game that is too large is refused before it takes memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.generic.plan import Plan, keys_of
from bidarena.baselines.solvers.generic.size import (
    NODE_SECONDS,
    STEP_SECONDS,
    SWEEP_SECONDS,
    TICKS,
    Size,
    size_of,
)
from bidarena.baselines.solvers.graph.expand import explore_positions
from bidarena.baselines.solvers.graph.explore import explore_game
from bidarena.baselines.solvers.graph.facts import F, facts_of, idle_of, optional
from bidarena.baselines.solvers.graph.order import order_positions
from bidarena.baselines.solvers.graph.solve import Graph, Valued, value_graph
from bidarena.baselines.solvers.graph.sweep import rate_choices
from bidarena.baselines.solvers.store import load, save
from bidarena.baselines.solvers.tree.build import build_tree, walk_histories
from bidarena.baselines.solvers.tree.linear import is_small, solve_linear
from bidarena.baselines.solvers.tree.regret import solve_by_regret
from bidarena.baselines.solvers.tree.sequences import action_values, merged, nash_gap
from bidarena.baselines.solvers.tree.tables import Tables
from bidarena.envs.compile import compiled, digest
from bidarena.envs.game import Cfg, Game, State, legal, step
from bidarena.envs.outcomes import SCRIPTED
from bidarena.envs.rng import WORDS

GRAPH, TREE, SEATS = "graph", "tree", "seats"  # how a game can be looked at

FORMAT = 1  # version of what is kept on disk
MOST = 8  # answers and graphs that a process keeps in memory
DOUBT = 4.0  # a game is refused before it is tried if its estimated size is so many times too large

Floats = NDArray[np.float64]
Begin = Callable[[int, str], Callable[[int], None]]


@dataclass(frozen=True)
class Limits:
    """What solving a game may take."""

    memory: int = 1 << 30  # bytes
    seconds: float = np.inf
    gap: float = 1e-4  # the most by which the value may be wrong, where it is not exact


@dataclass(frozen=True, eq=False)
class Answer:
    """A solved game.

    Attributes:
        value: what side 0 wins on average if both sides play perfectly.
        gap: what best responses to the plan could win more, both sides together.
        method: how it was solved, in words.
        figures: what was counted on the way.
        playable: whether a player's situation can be told from a state, so that bots can play.
        plan: how to play.
        seconds: how long it took.
    """

    value: float
    gap: float
    method: str
    figures: dict[str, int]
    playable: bool
    plan: Plan
    seconds: float


def way_of(game: Game) -> str:
    """Return how a game is looked at: by its graph, its tree, or seat by seat.

    Seat by seat, best responses can be computed, but no solution.
    """
    sides = len(set(game.teams))
    if game.zero_sum and sides == 2:
        if not game.hidden and (game.players == 2 or game.simultaneous is None):
            return GRAPH
        if game.players == 2:
            return TREE
    return SEATS


@dataclass(frozen=True)
class Cost:
    """What solving a game will take, about."""

    size: Size
    memory: float  # bytes
    seconds: float
    what: str  # the size in words

    def __str__(self) -> str:
        return f"about {self.what}; {self.memory / 2**30:.2g} GiB, {self.seconds:.2g} s"


def cost_of(game: Game, way: str = "") -> Cost:
    """Return what solving a game, or responding best in it, will take.

    Args:
        game: the game.
        way: how it is looked at; empty: as `way_of` says.
    """
    size = size_of(game)
    row = 8 * game.state_size + 40
    if (way or way_of(game)) == GRAPH:
        cells = size.situations * size.width
        what = f"{size.situations:.2g} positions with {size.width:.2g} choices each"
        sweeps = 1 if reading_of(game, GRAPH).clock < 0 else min(game.limit, TICKS)
        seconds = cells * (STEP_SECONDS + sweeps * SWEEP_SECONDS)
        return Cost(size, size.situations * row + 4 * cells, seconds, what)
    needed = size.situations * row + 20.0 * size.histories
    what = f"{size.histories:.2g} histories, at least {size.situations:.2g} information sets"
    return Cost(size, needed, size.histories * NODE_SECONDS, what)


def check_size(game: Game, limits: Limits, way: str = "") -> Cost:
    """Return the estimated cost of a game; raise ValueError if it is far beyond the limits."""
    cost = cost_of(game, way)
    needed, seconds = cost.memory, cost.seconds
    told = f"{game.name} has about {cost.what}, which would take about {needed / 2**30:.2g} GiB"
    if needed > DOUBT * limits.memory:
        raise ValueError(
            f"memory={limits.memory / 2**30:.3g} GiB: too little; {told}. Give more memory, or "
            "smaller rules"
        )
    if seconds > DOUBT * limits.seconds:
        raise ValueError(
            f"seconds={limits.seconds:.3g}: too few; {told} and {seconds:.2g} s. Give more time, "
            "or smaller rules"
        )
    return cost


def refuse_seats(game: Game) -> None:
    """Raise ValueError for a game that has no solution to compute."""
    if not game.zero_sum:
        why = "the results of its players do not add to 0"
    elif len(set(game.teams)) > 2:
        why = f"it has {len(set(game.teams))} sides"
    else:
        why = "partners who do not see each other's cards are not one player"
    raise ValueError(
        f"{game.name} cannot be solved: {why}. What a best response wins against given players "
        "can be computed: bidarena exploit"
    )


# --- solving -------------------------------------------------------------------------------------

_answers: dict[tuple[bytes, float], Answer] = {}
_graphs: dict[bytes, Graph] = {}
_trees: dict[tuple[bytes, bool], Tables] = {}


def solve_game(game: Game, limits: Limits | None = None, begin: Begin | None = None) -> Answer:
    """Return the solution of a game: from memory, from disk, or computed now.

    Args:
        game: a game of two sides whose results add to 0; with hidden cards, of two players.
        limits: what it may take.
        begin: `begin(total, what)` starts a progress bar and returns the function that advances
            it by a number.

    Raises:
        ValueError: the game cannot be solved, or not within the limits.
    """
    limits = limits or Limits()
    if way_of(game) == SEATS:
        refuse_seats(game)
    for (key, _), known in _answers.items():
        if key == game.key and known.gap <= limits.gap:
            return known
    found = load(game, "any", _label(game, limits))
    if found is not None:
        answer = _restored(found)
    else:
        answer = solve_anew(game, limits, begin)
        keep_answer(game, limits, answer)
    _remember(_answers, (game.key, limits.gap), answer)
    return answer


def solve_anew(game: Game, limits: Limits, begin: Begin | None = None) -> Answer:
    """Solve a game, even if its solution is known."""
    if way_of(game) == SEATS:
        refuse_seats(game)
    if way_of(game) == GRAPH:
        return _solve_graph(game, limits, begin)
    return _solve_tree(game, limits, begin)


def keep_answer(game: Game, limits: Limits, answer: Answer) -> None:
    """Write a solution to the disk if it is as good as the limits ask for."""
    if answer.gap <= limits.gap:
        save(game, "any", _label(game, limits), _arrays(answer))


def _label(game: Game, limits: Limits) -> str:
    return f"{FORMAT} {limits.gap:g} {_version(game)}"


def _remember(known: dict[Any, Any], key: Any, value: Any) -> None:
    while len(known) >= MOST:
        del known[next(iter(known))]
    known[key] = value


def _version(game: Game) -> str:
    """Return a text that changes with a game's rules and facts, and with the code that explores."""
    facts = (game.simultaneous, game.hidden, game.clock, game.limit, game.idle, game.teams)
    if way_of(game) == GRAPH:
        rules = digest(explore_positions, {**game.rules, **SCRIPTED, **optional(game)})
    else:
        rules = digest(walk_histories, {**game.rules, **SCRIPTED})
    return f"{rules} {facts}"


def graph_of(game: Game, limits: Limits, begin: Begin | None = None) -> Graph:
    """Return the graph of a game, found now or before."""
    if game.key not in _graphs:
        size = check_size(game, limits).size
        advance = begin(int(size.situations), "positions") if begin is not None else None
        done = 0

        def progress(positions: int, expanded: int) -> None:
            nonlocal done
            if advance is not None:
                advance(expanded - done)
            done = expanded

        tables = explore_game(game, limits.memory, progress, limits.seconds)
        graph = Graph(game, tables, order_positions(game, tables))
        _remember(_graphs, game.key, graph)
    return _graphs[game.key]


def tree_of(game: Game, limits: Limits, begin: Begin | None = None) -> Tables:
    """Return the information sets of a game and its merged ends, found now or before."""
    opposed = way_of(game) == TREE
    if (game.key, opposed) not in _trees:
        size = check_size(game, limits, TREE).size
        advance = begin(int(min(size.histories, 1e15)), "histories") if begin is not None else None
        done = 0

        def progress(nodes: int) -> None:
            nonlocal done
            if advance is not None:
                advance(nodes - done)
            done = nodes

        tables = build_tree(
            game, limits.memory, opposed=opposed, seconds=limits.seconds, progress=progress
        )
        _remember(_trees, (game.key, opposed), merged(tables))
    return _trees[game.key, opposed]


def _solve_graph(game: Game, limits: Limits, begin: Begin | None) -> Answer:
    began = time.perf_counter()
    graph = graph_of(game, limits, begin)
    advance = None
    if begin is not None and graph.order.endless:
        advance = begin(game.limit, "ticks of the clock")
    left = limits.seconds - (time.perf_counter() - began)
    found = value_graph(
        graph,
        gap=min(limits.gap, 1e-9),
        seconds=left,
        progress=None if advance is None else lambda ticks: advance(1),
    )
    method = "backward induction over all positions"
    if graph.order.endless:
        method = "value iteration over all positions, up to the clock"
    figures = {"positions": len(graph.tables.rows), "choices": len(graph.tables.cells)}
    if found.ticks:
        figures["ticks"] = found.ticks
    plan = plan_of_graph(graph, found)
    spent = time.perf_counter() - began
    gap = found.gap if not graph.order.endless else 2.0 * found.gap  # of both sides together
    gap = min(gap, game.return_range[1] - game.return_range[0])
    return Answer(found.value + 0.0, gap, method, figures, True, plan, spent)


def _solve_tree(game: Game, limits: Limits, begin: Begin | None) -> Answer:
    began = time.perf_counter()
    tree = tree_of(game, limits, begin)
    iterations = 0
    if is_small(tree):
        strategy, method = solve_linear(tree), "linear programs over sequences"
        low, high, _ = nash_gap(tree, strategy)
    else:
        if begin is not None:
            begin(0, "regret")
        left = limits.seconds - (time.perf_counter() - began)
        settled = solve_by_regret(tree, limits.gap, left)
        strategy, low, high = settled.strategy, settled.low, settled.high
        method, iterations = "predictive CFR+ over sequences", settled.iterations
    worths = np.zeros(len(strategy))
    owners = np.repeat(tree.players, np.diff(tree.first))
    for player in range(2):
        mine = owners == player
        worths[mine] = action_values(tree, strategy, player)[mine]
    plan = plan_of_tree(game, tree, strategy, worths)
    playable = len(np.unique(plan.keys, axis=0)) == len(plan.keys)
    figures = {"information_sets": len(tree.players), "sequences": len(strategy)}
    if iterations:
        figures["iterations"] = iterations
    spent = time.perf_counter() - began
    return Answer(0.5 * (low + high), high - low, method, figures, playable, plan, spent)


# --- plans ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """How the lines of a plan are found from a state."""

    idle: NDArray[np.int8]  # 1 for each number of the state that does not matter
    clock: int  # where the clock is in the state; -1: lines hold at any time


def reading_of(game: Game, way: str = "") -> Reading:
    """Return how plans of a game are read.

    In a graph, positions at different times are one, and lines tell for which times they hold.
    Information sets at different times are different.
    """
    if (way or way_of(game)) == GRAPH:
        return Reading(idle_of(game), int(facts_of(game)[F.clock]))
    return Reading(idle_of(game, timeless=False), -1)


def plan_of_graph(graph: Graph, found: Valued, *, rated: bool = True) -> Plan:
    """Return the free choices that were found as a plan.

    Args:
        graph: the positions.
        found: what was found there.
        rated: whether the plan tells what each action is worth.
    """
    game, tables, first = graph.game, graph.tables, graph.plan_first
    layers = sorted(found.layers, key=lambda layer: (layer.position, layer.part, layer.since))
    places = np.array([layer.position for layer in layers], np.int64)
    parts = np.array([layer.part for layer in layers], np.int64)
    sizes = np.array([len(layer.chances) for layer in layers], np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    chances = np.concatenate([layer.chances for layer in layers]) if layers else np.zeros(0)
    worths = worsts = np.zeros(0)
    if rated:
        all_worths, all_worsts = np.zeros(first[-1]), np.zeros(first[-1])
        rate = compiled(rate_choices, {}, "exact solver")
        args = (tables, graph.order.positions, graph.sides, found.values, found.values)
        rate(*args, first, found.plan, all_worths, all_worsts)
        begins = first[places] + np.where(parts == 1, tables.rows[places], 0)
        where = np.repeat(begins - starts[:-1], sizes) + np.arange(starts[-1])
        worths, worsts = all_worths[where], all_worsts[where]
    keys = np.zeros((len(layers), 2))
    for part in range(2):
        which = np.flatnonzero(parts == part)
        states = tables.states[places[which]]
        if part == 1:
            states = after_first_move(game, states)
        movers = tables.movers[places[which], part].astype(np.int64)
        keys[which] = keys_of(game, states, movers, idle_of(game))
    since = np.array([layer.since for layer in layers], np.float64)
    return Plan(keys, since, starts.astype(np.float64), chances, worths, worsts)


def plan_of_tree(game: Game, tree: Tables, strategy: Floats, worths: Floats) -> Plan:
    """Return a strategy over information sets as a plan."""
    idle = reading_of(game, TREE).idle
    keys = keys_of(game, tree.states, tree.players.astype(np.int64), idle)
    first = tree.first.astype(np.float64)
    return Plan(keys, np.zeros(len(keys)), first, strategy, worths, np.zeros(0))


def after_first_move(game: Game, states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the states in which the player to move has taken the first legal action."""
    out = states.copy()
    game.compiled(move_first)(game.cfg, out, game.actions)
    return out


def move_first(cfg: Cfg, states: NDArray[np.int64], actions: int) -> None:
    """Take the first legal action in every state."""
    mask, rng = np.zeros(actions, np.int8), np.ones(WORDS, np.uint64)
    for k in range(len(states)):
        legal(cfg, states[k], mask)
        for action in range(actions):
            if mask[action]:
                step(cfg, states[k], action, rng)
                break


# --- on disk -------------------------------------------------------------------------------------

_METHODS = (
    "backward induction over all positions",
    "value iteration over all positions, up to the clock",
    "linear programs over sequences",
    "predictive CFR+ over sequences",
)
_FIGURES = ("positions", "choices", "ticks", "information_sets", "sequences", "iterations")


def _arrays(answer: Answer) -> dict[str, Floats]:
    summary = [answer.value, answer.gap, _METHODS.index(answer.method), answer.playable]
    figures = [answer.figures.get(name, -1) for name in _FIGURES]
    told = np.array([*summary, answer.seconds, *figures], np.float64)
    return {"summary": told, **answer.plan.arrays()}


def _restored(found: dict[str, Floats]) -> Answer:
    value, gap, method, playable, seconds, *counts = found.pop("summary").tolist()
    figures = {name: int(n) for name, n in zip(_FIGURES, counts, strict=True) if n >= 0}
    plan = Plan(**found)
    return Answer(value, gap, _METHODS[int(method)], figures, bool(playable), plan, seconds)


def start_states(game: Game, most: int = 1) -> list[State]:
    """Return the states after the deal, if there are at most so many; else none."""
    from bidarena.envs.outcomes import outcomes

    try:
        return [state for _, state in outcomes(game, most=most)]
    except ValueError:
        return []
