"""The best response to any player of a game with simultaneous moves, by backward induction.

It works on the `PositionIndex` of any game. If the index has `spread`, the positions that can occur
against the player are marked first, move after move from the start, and the player is asked only
there. Then values and best actions are computed backwards from the end. In positions that cannot
occur, the response is to uniformly random play, so that it can play against anybody.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.generic.bots import best_response as any_best_response
from bidarena.baselines.solvers.positions import (
    Numbers,
    PositionIndex,
    Values,
    find_position,
    index_in,
    pack,
    spread,
    values_of,
    worths,
)
from bidarena.baselines.solvers.probabilities import Asker, Probabilities
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot, find_tool, games_with, make_bot

PART = 16_384  # positions per question, where all are asked


@dataclass(frozen=True, eq=False)
class Response:
    """A best response of the player in `seat`."""

    seat: int
    value: float  # what the responder wins on average from the start
    values: Values  # what player 0 wins on average from each position
    actions: NDArray[np.int16]  # the responder's action in each position
    reached: int  # positions in which the other player was asked


def index_positions(game: Game) -> PositionIndex:
    """Return the position index that a game registered as its tool `positions`, or ValueError."""
    make = find_tool(game.name, "positions")
    if make is None:
        raise ValueError(
            f"no exact best responses in {game.name!r}; there are some in "
            f"{', '.join(games_with('positions'))}"
        )
    index: PositionIndex = make(game)
    return index


def best_response(asker: Asker, seat: int) -> Response:
    """Return the best response of `seat` to the player that `asker` asks, in the other seat."""
    index = asker.index
    assert isinstance(index, PositionIndex)
    if asker.program is not None:
        asker.plan(positions_asked(index))
    cfg, numbers, positions = index.game.cfg, index.numbers, index.positions
    values = np.zeros(positions)
    actions = np.zeros(positions, np.int16)
    known = _asked_in_play(asker, seat) if index.spread is not None else None
    respond = index.compiled(respond_range)
    asked = 0
    for begin in range(0, positions, PART):
        end = min(begin + PART, positions)
        if known is None:
            here = np.arange(begin, end)
            policy = asker(here, 1 - seat)
        else:
            part = slice(*np.searchsorted(known[0], [begin, end]))
            here, policy = known[0][part], known[1][part]
        asked += len(here)
        respond(cfg, numbers, values, actions, here, policy, seat, begin, end)
    value = sum(chance * values[start] for start, chance in index.starts)
    own = float(value if seat == 0 else -value) + 0.0  # no negative zero
    return Response(seat, own, values, actions, asked)


def _asked_in_play(asker: Asker, seat: int) -> tuple[NDArray[np.int64], Probabilities]:
    """Return the positions that can occur if `seat` plays anything, and how the other plays there.

    The positions are in order.
    """
    index = asker.index
    assert isinstance(index, PositionIndex)
    reached = np.zeros(index.positions, np.int8)
    fresh = np.unique([start for start, _ in index.starts])
    found, policies = [], []
    while len(fresh) > 0:
        reached[fresh] = 1
        found.append(fresh)
        policies.append(asker(fresh, 1 - seat))
        marked = np.zeros(index.positions, np.int8)
        mark = index.compiled(mark_next)
        mark(index.game.cfg, index.numbers, fresh, seat, policies[-1], marked)
        fresh = np.flatnonzero(marked > reached)
    positions = np.concatenate(found)
    order = np.argsort(positions)
    return positions[order], np.concatenate(policies)[order]


def positions_asked(index: PositionIndex) -> int:
    """Return in how many positions a player is asked for best responses from both seats, about.

    Where the index has `spread` that depends on the player; it is counted for one who always takes
    the first legal action.
    """
    if index.spread is None:
        return 2 * index.positions
    first = Asker(index, _FirstLegal())
    return sum(len(_asked_in_play(first, seat)[0]) for seat in range(2))


class _FirstLegal:
    """A policy that always takes the first legal action."""

    batched = deterministic = True

    def __call__(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Return the action of each row."""
        return masks.argmax(axis=1)


def mark_next(
    cfg: Cfg,
    index: Numbers,
    positions: NDArray[np.int64],
    seat: int,
    policy: Probabilities,
    reached: Mask,
) -> None:
    """Mark all positions that can follow if `seat` plays anything and the other by `policy`."""
    cfg, index, policy, reached = borrow(cfg), borrow(index), borrow(policy), borrow(reached)
    for k in range(len(positions)):
        spread(cfg, index, positions[k], seat, policy[k], reached)


def respond_range(
    cfg: Cfg,
    index: Numbers,
    values: Values,
    actions: NDArray[np.int16],
    positions: NDArray[np.int64],
    policy: Probabilities,
    seat: int,
    first: int,
    last: int,
) -> None:
    """Write the best actions of `seat` and the values of positions `first` to `last` - 1.

    Row k of `policy` is how the other player plays in `positions[k]`; in all other positions they
    draw any legal action.
    """
    cfg, index, values, policy = borrow(cfg), borrow(index), borrow(values), borrow(policy)
    width = policy.shape[1]
    made, none, even = np.empty(width), np.zeros(width), np.zeros(width)
    worth, nothing, evenly = borrow(made), borrow(none), borrow(even)
    k = 0
    for position in range(first, last):
        if k < len(positions) and positions[k] == position:
            worths(cfg, index, values, position, seat, policy[k], worth)
            k += 1
        else:  # cannot occur: the other draws any legal action, whose worth is not NaN
            worths(cfg, index, values, position, 1 - seat, nothing, worth)
            legal_ones = 0
            for action in range(width):
                legal_ones += not np.isnan(worth[action])
            for action in range(width):
                evenly[action] = 0.0 if np.isnan(worth[action]) else 1.0 / legal_ones
            worths(cfg, index, values, position, seat, evenly, worth)
        best = -1
        for action in range(width):
            if np.isnan(worth[action]):
                continue
            better = best < 0
            if not better:
                gain = worth[action] - worth[best]
                better = gain > 1e-12 if seat == 0 else gain < -1e-12
            if better:
                best = action
        values[position] = worth[best]
        actions[position] = best
    keep(made)
    keep(none)
    keep(even)


def policy_value(index: PositionIndex, first: Asker, second: Asker) -> float:
    """Return what player 0 wins on average if `first` plays in seat 0 and `second` in seat 1."""
    values = np.zeros(index.positions)
    evaluate = index.compiled(evaluate_range)
    for begin in range(0, index.positions, PART):
        here = np.arange(begin, min(begin + PART, index.positions))
        args = (index.game.cfg, index.numbers, values, first(here, 0), second(here, 1))
        evaluate(*args, begin, here[-1] + 1)
    return float(sum(chance * values[start] for start, chance in index.starts))


def evaluate_range(
    cfg: Cfg,
    index: Numbers,
    values: Values,
    policy0: Probabilities,
    policy1: Probabilities,
    first: int,
    last: int,
) -> None:
    """Write the values of positions `first` to `last` - 1 if both play by their policies."""
    cfg, index, values = borrow(cfg), borrow(index), borrow(values)
    policy0, policy1 = borrow(policy0), borrow(policy1)
    made = np.empty(policy0.shape[1])
    worth = borrow(made)
    for position in range(first, last):
        worths(cfg, index, values, position, 0, policy1[position - first], worth)
        total = 0.0
        for action in range(len(worth)):
            if policy0[position - first, action] > 0.0:
                total += policy0[position - first, action] * worth[action]
        values[position] = total
    keep(made)


# --- as a bot ------------------------------------------------------------------------------------


def response_bot(index: PositionIndex, responses: tuple[Response, Response], name: str) -> Bot:
    """Return the bot that plays `responses[0]` in seat 0 and `responses[1]` in seat 1."""
    table = np.concatenate([responses[0].actions, responses[1].actions]).astype(np.float64)
    return Bot(
        name,
        response_act,
        pack(index.numbers, table),
        index.game.key,
        more={"find_position": index.find},
        deterministic=True,
    )


def response_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    """Return the action from a table: first the actions of all positions in seat 0, then in 1."""
    table = values_of(params)
    return int(table[player * (len(table) // 2) + find_position(cfg, index_in(params), state)])


def bot(game: Game, of: str = "", samples: int = 100, seed: int = 0) -> Bot:
    """The best response to another bot; exact if that bot's distribution is known.

    Args:
        game: a game that has registered a position index; rules that it does not serve, such as
            more than two players, are left to the generic best response.
        of: the name of the other bot, such as "value".
        samples: samples per position, for a bot that draws its actions and has no distribution.
        seed: seed of these samples.
    """
    if not of:
        raise ValueError(
            f"of={of!r}: expected the bot to respond to, as in best_response:of=random"
        )
    try:
        index = index_positions(game)
    except ValueError as refusal:
        try:
            return any_best_response(game, of, samples, seed)
        except ValueError:
            raise refusal from None
    rival = make_bot(game, str(of))
    asker = Asker(index, rival, samples=samples, seed=seed)
    both = best_response(asker, 0), best_response(asker, 1)
    return response_bot(index, both, f"best_response:of={of}")
