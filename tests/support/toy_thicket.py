"""Random small games: the tree is in cfg, drawn from a seed, with chance and hidden information.

A node belongs to a player, to both at the same time, to chance, or it is an end. In each node a
player has a view: a number for all that the player has seen and done so far. Nodes with the same
view look alike to this player, who has as many actions in each of them. `thicket` makes the game,
`normal_form` its matrix over pure strategies, `open_value` solves it where nothing is hidden.
"""

from __future__ import annotations

import itertools
import sys
from functools import cache

import numpy as np
from brute_force import matrix_value

from bidarena.envs import register_game
from bidarena.envs.game import (
    OVER,
    Cfg,
    Game,
    Mask,
    Observation,
    Returns,
    Rng,
    State,
    layout,
    rules_of,
    starts,
)
from bidarena.envs.rng import below, draw

FIRST, SECOND, BOTH, CHANCE, END = 0, 1, 2, 3, 4  # kinds of nodes
NODE = layout(kind=1, rows=1, columns=1, child=1, result=1, views=2, weight=1)
F = starts(NODE)
SIZE = len(NODE) + 1
MOST = 3  # actions
DEPTH = 5
STATE = layout(node=1, moves=1, pending=1)
S = starts(STATE)
NONE = -1


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    state[S.node] = state[S.moves] = 0
    state[S.pending] = NONE
    _pass_chance(cfg, state, rng)


def _pass_chance(cfg: Cfg, state: State, rng: Rng) -> None:
    while cfg[SIZE * state[S.node] + F.kind] == CHANCE:
        at = SIZE * state[S.node]
        child, width = cfg[at + F.child], cfg[at + F.rows]
        if state[S.node] % 2 == 0:  # all children alike
            state[S.node] = child + below(rng, width)
        else:  # by their weights
            chances = np.zeros(width)
            for branch in range(width):
                chances[branch] = cfg[SIZE * (child + branch) + F.weight]
            state[S.node] = child + draw(rng, chances / chances.sum())


def to_move(cfg: Cfg, state: State) -> int:
    kind = cfg[SIZE * state[S.node] + F.kind]
    if kind == END:
        return OVER
    if kind == BOTH:
        return 0 if state[S.pending] == NONE else 1
    return kind


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    at = SIZE * state[S.node]
    mask[:] = 0
    second = cfg[at + F.kind] == BOTH and state[S.pending] != NONE
    mask[: cfg[at + F.columns] if second else cfg[at + F.rows]] = 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    at = SIZE * state[S.node]
    if cfg[at + F.kind] == BOTH:
        if state[S.pending] == NONE:
            state[S.pending] = action
            return
        action += state[S.pending] * cfg[at + F.columns]
        state[S.pending] = NONE
    state[S.node] = cfg[at + F.child] + action
    state[S.moves] += 1
    _pass_chance(cfg, state, rng)


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    out[0] = cfg[SIZE * state[S.node] + F.result] / 10
    out[1] = -out[0]


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    out[0] = cfg[SIZE * state[S.node] + F.views + player]
    out[1] = player


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Choose one of the nodes that look alike to `player` and in which the same kind of move is."""
    at = SIZE * state[S.node]
    view, kind = cfg[at + F.views + player], cfg[at + F.kind]
    own = kind in (player, BOTH)
    count = 0
    for _ in range(2):
        wanted = below(rng, count) if count else -1
        count = 0
        for node in range(len(cfg) // SIZE):
            other = cfg[SIZE * node + F.kind]
            alike = other in (player, BOTH) if own else other == kind
            if alike and cfg[SIZE * node + F.views + player] == view:
                if count == wanted:
                    state[S.node] = node
                count += 1
    if player == 1 and state[S.pending] != NONE:
        state[S.pending] = 0


def withdraw(cfg: Cfg, state: State) -> None:
    state[S.pending] = NONE


def _grow(luck: np.random.Generator, hidden: bool, depth: int) -> np.ndarray:
    """Return the nodes of a random tree, a row each."""
    rows: list[list[int]] = [[0] * SIZE]
    views: dict[tuple[int, ...], int] = {(): 0}
    widths: dict[int, int] = {}

    def width_of(view: int, player: int) -> int:
        return widths.setdefault(2 * view + player, int(luck.integers(1, MOST + 1)))

    def put(node: int, seen: tuple[int, int], left: int) -> None:
        at = rows[node]
        at[F.views : F.views + 2] = seen
        at[F.weight] = int(luck.integers(1, 4))
        kinds = [0.24, 0.24, 0.24, 0.2, 0.08] if left else [0, 0, 0, 0, 1.0]
        kind = int(luck.choice(5, p=kinds)) if node else int(luck.choice([FIRST, CHANCE, BOTH]))
        at[F.kind] = kind
        if kind == END:
            at[F.result] = int(luck.integers(-10, 11))
            return
        at[F.rows], at[F.columns] = 2, 1
        if kind in (FIRST, SECOND):
            at[F.rows] = width_of(seen[kind], kind)
        elif kind == BOTH:
            at[F.rows], at[F.columns] = width_of(seen[0], 0), width_of(seen[1], 1)
        at[F.child] = len(rows)
        below_it = range(at[F.child], at[F.child] + at[F.rows] * at[F.columns])
        rows.extend([0] * SIZE for _ in below_it)
        for k, child in enumerate(below_it):
            own = [NONE, NONE]
            if kind in (FIRST, BOTH):
                own[0] = k // at[F.columns]
            if kind == SECOND:
                own[1] = k
            if kind == BOTH:
                own[1] = k % at[F.columns]
            later = []
            for player in range(2):
                signal = int(luck.integers(0, 3)) if hidden else 1 + child
                key = (player, seen[player], own[player], signal)
                if own[player] == NONE and signal == 0:
                    later.append(seen[player])  # nothing was noticed
                else:
                    later.append(views.setdefault(key, len(views)))
            put(child, (later[0], later[1]), left - 1)

    put(0, (0, 0), depth)
    return np.array(rows, np.int64)


def thicket(*, seed: int = 0, hidden: bool = True, depth: int = 3) -> Game:
    nodes = _grow(np.random.default_rng([seed, depth, hidden]), hidden, depth)
    return Game(
        name="toy_thicket",
        options={"seed": seed, "hidden": hidden, "depth": depth},
        rules=rules_of(sys.modules[__name__]),
        cfg=nodes.ravel(),
        players=2,
        actions=MOST,
        longest=2 * DEPTH,
        state=STATE,
        observation=layout(view=1, seat=1),
        simultaneous="moves",
        hidden=hidden,
        observation_range=(0.0, 1e6),
    )


register_game("toy_thicket", "toy_thicket:thicket", "toy/Thicket-v0")


# --- solved another way --------------------------------------------------------------------------


def branches(nodes: np.ndarray, node: int) -> np.ndarray:
    """Return the probabilities of the children of a chance node."""
    child, width = nodes[node, F.child], nodes[node, F.rows]
    if node % 2 == 0:
        return np.full(width, 1 / width)
    weights = nodes[child : child + width, F.weight]
    return weights / weights.sum()


def open_value(game: Game) -> float:
    """Return the value to player 0 if nothing but moves made at the same time is hidden."""
    nodes = game.cfg.reshape(-1, SIZE)

    @cache
    def value(node: int) -> float:
        kind, rows, columns, child, result = nodes[node, :5].tolist()
        if kind == END:
            return result / 10
        below_it = np.array([value(child + k) for k in range(rows * columns)])
        if kind == CHANCE:
            return float(branches(nodes, node) @ below_it)
        if kind == FIRST:
            return float(below_it.max())
        if kind == SECOND:
            return float(below_it.min())
        return float(matrix_value(below_it.reshape(rows, columns)))

    return value(0)


def normal_form(game: Game, most: int = 400) -> np.ndarray | None:
    """Return what player 0 wins with each pair of pure strategies; None if there are too many.

    A pure strategy of a player has an action for each view in which this player moves.
    """
    nodes = game.cfg.reshape(-1, SIZE)
    sizes: list[dict[int, int]] = [{}, {}]
    for node in nodes:
        if node[F.kind] in (FIRST, BOTH):
            sizes[0][int(node[F.views])] = int(node[F.rows])
        if node[F.kind] in (SECOND, BOTH):
            at = F.columns if node[F.kind] == BOTH else F.rows
            sizes[1][int(node[F.views + 1])] = int(node[at])
    counts = [int(np.prod(list(size.values()), dtype=float)) for size in sizes]
    if max(counts) > most:
        return None
    plans = [
        np.array(list(itertools.product(*(range(n) for n in size.values())))).reshape(count, -1)
        for size, count in zip(sizes, counts, strict=True)
    ]
    places = [{view: k for k, view in enumerate(size)} for size in sizes]
    total = np.zeros(counts)

    def follow(node: int, weight: float, first: np.ndarray, second: np.ndarray) -> None:
        kind, rows, columns, child, result = nodes[node, :5].tolist()
        if kind == END:
            total[np.ix_(first, second)] += weight * result / 10
        elif kind == CHANCE:
            for k, chance in enumerate(branches(nodes, node)):
                follow(child + k, weight * chance, first, second)
        else:
            for row, column in itertools.product(range(rows), range(columns)):
                one, two = first, second
                if kind in (FIRST, BOTH):
                    one = one & (plans[0][:, places[0][int(nodes[node, F.views])]] == row)
                if kind in (SECOND, BOTH):
                    own = column if kind == BOTH else row
                    two = two & (plans[1][:, places[1][int(nodes[node, F.views + 1])]] == own)
                if one.any() and two.any():
                    follow(child + row * columns + column, weight, one, two)

    follow(0, 1.0, np.ones(counts[0], bool), np.ones(counts[1], bool))
    return total
