"""A compiled bot that judges every position that can follow, and solves the matrix of them.

The network takes what a player sees and gives one number. With x for player 0 and y for player 1
player 0 expects the result tanh((x - y) / 2), where the largest result of the game counts 1, and
player 1 the opposite. So a position that looks the same to both is even, whatever the network has
learned. With the head "gains" players count points, and player 0 expects to be ahead at the end by
what they are ahead now and (x - y) / 2 points more: the network says only what is still to be won,
and the bot plays for points whatever the reward of the game.

Where both move at the same time, the bot plays an equilibrium of what it expects of all pairs of
moves; where one moves alone it takes the best move. Chance is reckoned over all outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.learned.matrices import distributions
from bidarena.baselines.learned.network import (
    GAINS,
    GREEDY,
    SIZES,
    Network,
    as_params,
    choose_act,
    forward_all,
)
from bidarena.baselines.learned.successors import (
    SHAPE,
    Floats,
    M,
    N,
    Successors,
    expand,
    fill_matrix,
    points_at,
    settle,
    undo_moves,
)
from bidarena.baselines.solvers.graph.facts import F, facts_of, idle_of, optional
from bidarena.envs.compile import apart, borrow, fill_in, keep
from bidarena.envs.game import Cfg, Game, Mask, Params, State, legal, observe
from bidarena.envs.outcomes import SCRIPT
from bidarena.envs.registry import Bot

# params: GREEDY, the factor for results or points, the slack, whether it never mixes, where the
# points are in the state or -1, facts and idle parts of the game, the network
SCALE, SLACK, PURE, POINTS, HEAD = 1, 2, 3, 4, 5
IDLE = HEAD + F.sides + 2
ROOM = 512  # positions that may follow, at first


def positions_bot(game: Game, network: Network, name: str, *, deterministic: bool = False) -> Bot:
    """Return the bot of a network that `check_sizes` has accepted.

    Args:
        game: the game whose observations the network is for.
        network: a network with the head "positions" or "gains".
        name: the name of the bot.
        deterministic: always take the most probable action instead of drawing one.
    """
    scale, points = 1.0 / np.abs(game.return_range).max(), -1
    if network.head == GAINS:
        scale, points = game.score_unit, points_at(game)
    style = [network.slack, network.pure, points]
    head = [deterministic, scale, *style, *facts_of(game), *idle_of(game)]
    params = np.concatenate([np.array(head, np.float32), as_params(network, deterministic)])
    return Bot(
        *(name, positions_act, params, game.key),
        deterministic=deterministic,
        more=optional(game),
        distribution=_distribution,
        distributions=Distributions(network, deterministic),
        foresight=1,  # what follows a moment may be cut short by the clock, but looks alike before
    )


@dataclass(frozen=True, eq=False)
class Distributions:
    """Asks a network in many positions at once; see `Bot`."""

    network: Network
    deterministic: bool

    def __call__(self, game: Game, states: NDArray[np.int64], seat: int) -> Floats:
        """Return the probability of each action (rows, actions)."""
        return distributions(game, self.network, states, seat, greedy=self.deterministic)


# --- compiled for each game ----------------------------------------------------------------------


def _distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write the probability of each action."""
    legal(cfg, state, scratch)
    for action in range(len(out)):
        out[action] = 0.0
    room = ROOM
    while not _fill(cfg, params, state, player, scratch, out, room):
        room *= 2
    if params[GREEDY]:
        best = int(np.argmax(out))
        for action in range(len(out)):
            out[action] = 0.0
        out[best] = 1.0


@apart
def _fill(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: Floats, room: int
) -> bool:
    """Write the probabilities of the legal actions; return False if there is too little room."""
    size, actions = len(state), len(scratch)
    cells = actions * actions * room // ROOM + room  # more branches where chance has outcomes
    slots = 4 * room  # a power of 2
    facts = params[HEAD:IDLE].astype(np.int64)
    idle = params[IDLE : IDLE + size].astype(np.int8)
    shape, work = np.zeros(SHAPE, np.int64), np.zeros((3, size), np.int64)
    arrays = (
        np.zeros(4, np.int64),
        np.empty((room, size), np.int64),
        np.empty(room, np.float64),
        np.zeros(slots, np.int64),
        np.zeros(actions * actions + 2, np.int64),
        np.empty(cells, np.int64),
        np.empty(cells, np.float64),
    )
    masks, results, script = (
        np.zeros((2, actions), np.int8),
        np.zeros(2, np.float64),
        np.zeros(SCRIPT, np.uint64),
    )
    found = Successors(
        borrow(arrays[0]),
        borrow(arrays[1]),
        borrow(arrays[2]),
        borrow(arrays[3]),
        borrow(arrays[4]),
        borrow(arrays[5]),
        borrow(arrays[6]),
        borrow(facts),
        borrow(idle),
        borrow(work),
        borrow(masks),
        borrow(results),
        borrow(script),
    )
    moment = found.work[2]
    undo_moves(cfg, state, moment)
    enough = expand(cfg, moment, found, shape)
    if enough:
        worths = _judged(cfg, params, found, params[IDLE + size :])
        matrix = np.empty((shape[M.rows], shape[M.columns]))
        fill_matrix(found, worths, shape, matrix)
        row, column = np.empty(shape[M.rows]), np.empty(shape[M.columns])
        settle(matrix, np.float64(params[SLACK]), params[PURE] > 0, row, column)
        chosen = row if shape[M.mover] == player else column
        at = 0
        for action in range(actions):
            if scratch[action]:
                out[action] = chosen[at]
                at += 1
    keep(arrays)
    keep((facts, idle, work, masks, results, script))
    return enough


@apart
def _judged(cfg: Cfg, params: Params, found: Successors, network: Params) -> Floats:
    """Return what player 0 expects in each position: points, or parts of the largest result."""
    count = found.counts[N.positions]
    worths = np.empty(count)
    going_on = np.flatnonzero(np.isnan(found.ends[:count]))
    views = np.zeros(((len(going_on) + 1) // 2 * 4, int(network[SIZES])), np.float32)
    for at in range(len(going_on)):
        for player in range(2):
            observe(cfg, found.states[going_on[at]], player, views[2 * at + player])
    told = forward_all(network, views)
    points = int(params[POINTS])
    for position in range(count):
        if points < 0:
            worths[position] = found.ends[position] * np.float64(params[SCALE])
        else:
            ahead = found.states[position, points] - found.states[position, points + 1]
            worths[position] = ahead * np.float64(params[SCALE])
    for at in range(len(going_on)):
        ahead = 0.5 * np.float64(told[2 * at, 0] - told[2 * at + 1, 0])
        if points < 0:
            worths[going_on[at]] = np.tanh(ahead)
        else:
            worths[going_on[at]] += ahead
    return worths


positions_act = fill_in(choose_act, __name__, "positions_act", distribution=_distribution)
