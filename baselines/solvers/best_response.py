"""The best response to any player of a game with simultaneous moves, by backward induction.

Written once against the `Book` of a game. First, where the book can tell, the positions are marked
that can come up against this player, layer by layer from the start; he is asked only there. Then
the values are worked out from the end. Elsewhere the response is to uniformly random play, so that
it is a whole strategy and can play against anybody.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.solvers.policies import Asker, Probabilities
from bidarena.baselines.solvers.positions import (
    Book,
    Numbers,
    Values,
    packed,
    spread,
    worths,
)
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, Mask
from bidarena.envs.registry import Bot, load, make_bot

PART = 16_384  # positions that are asked about at once

# game -> "module:function" that makes the book in which every position looks different to bots
BOOKS = {
    "scotch": "bidarena.baselines.solvers.scotch:book_for",
    "raj": "bidarena.baselines.solvers.raj:book_for",
}


@dataclass(frozen=True, eq=False)
class Response:
    """A best response of the player in `seat`, or what two players get against each other."""

    seat: int
    value: float  # to the responder, from the start
    values: Values  # to player 0, of every position
    actions: NDArray[np.int16]  # in every position
    reached: int  # positions in which the other was asked


def book_for(game: Game) -> Book:
    """The book of a game for best responses."""
    if game.name not in BOOKS:
        raise ValueError(
            f"no exact best responses in {game.name!r}; there are some in {', '.join(BOOKS)}"
        )
    book: Book = load(BOOKS[game.name])(game)
    return book


def best_response(asker: Asker, seat: int) -> Response:
    """The best response of the player in `seat` to the player behind `asker` in the other one."""
    book = asker.book
    cfg, numbers, positions = book.game.cfg, book.numbers, book.positions
    values = np.zeros(positions)
    actions = np.zeros(positions, np.int16)
    policies: dict[int, Probabilities] = {}  # by layer, where it had to be asked beforehand
    reached = np.ones(positions, np.int8)
    if book.spread is not None:
        reached[:] = 0
        for start, _ in book.starts:
            reached[start] = 1
        for layer in range(len(book.layers) - 2, -1, -1):
            here = _reached(book, reached, layer)
            policies[layer] = asker(here, 1 - seat)
            book.compiled(mark_next)(cfg, numbers, here, seat, policies[layer], reached)
    respond = book.compiled(respond_range)
    asked = 0
    for layer in range(len(book.layers) - 1):
        first, last = book.layers[layer], book.layers[layer + 1]
        size = last - first if book.spread is not None else PART
        for begin in range(first, last, size):
            end = min(begin + size, last)
            here = begin + np.flatnonzero(reached[begin:end])
            policy = policies.pop(layer) if layer in policies else asker(here, 1 - seat)
            asked += len(here)
            respond(cfg, numbers, values, actions, here, policy, seat, begin, end)
    value = sum(chance * values[start] for start, chance in book.starts)
    own = float(value if seat == 0 else -value) + 0.0  # no negative zero
    return Response(seat, own, values, actions, asked)


def _reached(book: Book, reached: Mask, layer: int) -> NDArray[np.int64]:
    first, last = book.layers[layer], book.layers[layer + 1]
    return first + np.flatnonzero(reached[first:last])


def mark_next(
    cfg: Cfg,
    book: Numbers,
    positions: NDArray[np.int64],
    seat: int,
    policy: Probabilities,
    reached: Mask,
) -> None:
    """Mark what can follow if `seat` does anything and the other plays by `policy`."""
    cfg, book, policy, reached = borrow(cfg), borrow(book), borrow(policy), borrow(reached)
    for k in range(len(positions)):
        spread(cfg, book, positions[k], seat, policy[k], reached)


def respond_range(
    cfg: Cfg,
    book: Numbers,
    values: Values,
    actions: NDArray[np.int16],
    positions: NDArray[np.int64],
    policy: Probabilities,
    seat: int,
    first: int,
    last: int,
) -> None:
    """Best actions and values from `first` to `last` - 1, against `policy` in `positions`."""
    cfg, book, values, policy = borrow(cfg), borrow(book), borrow(values), borrow(policy)
    width = policy.shape[1]
    made, none, even = np.empty(width), np.zeros(width), np.zeros(width)
    worth, nothing, evenly = borrow(made), borrow(none), borrow(even)
    k = 0
    for position in range(first, last):
        if k < len(positions) and positions[k] == position:
            worths(cfg, book, values, position, seat, policy[k], worth)
            k += 1
        else:  # never met: as if the other drew any of his legal actions, which are no NaN
            worths(cfg, book, values, position, 1 - seat, nothing, worth)
            legal_ones = 0
            for action in range(width):
                legal_ones += not np.isnan(worth[action])
            for action in range(width):
                evenly[action] = 0.0 if np.isnan(worth[action]) else 1.0 / legal_ones
            worths(cfg, book, values, position, seat, evenly, worth)
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


def policy_value(book: Book, first: Asker, second: Asker) -> float:
    """What player 0 wins on average if `first` and `second` play in seats 0 and 1."""
    values = np.zeros(book.positions)
    evaluate = book.compiled(evaluate_range)
    for begin in range(0, book.positions, PART):
        here = np.arange(begin, min(begin + PART, book.positions))
        args = (book.game.cfg, book.numbers, values, first(here, 0), second(here, 1))
        evaluate(*args, begin, here[-1] + 1)
    return float(sum(chance * values[start] for start, chance in book.starts))


def evaluate_range(
    cfg: Cfg,
    book: Numbers,
    values: Values,
    policy0: Probabilities,
    policy1: Probabilities,
    first: int,
    last: int,
) -> None:
    """The values from `first` to `last` - 1 if both play by their policies."""
    cfg, book, values = borrow(cfg), borrow(book), borrow(values)
    policy0, policy1 = borrow(policy0), borrow(policy1)
    made = np.empty(policy0.shape[1])
    worth = borrow(made)
    for position in range(first, last):
        worths(cfg, book, values, position, 0, policy1[position - first], worth)
        total = 0.0
        for action in range(len(worth)):
            if policy0[position - first, action] > 0.0:
                total += policy0[position - first, action] * worth[action]
        values[position] = total
    keep(made)


# --- as a bot ------------------------------------------------------------------------------------


def response_bot(book: Book, responses: tuple[Response, Response], name: str) -> Bot:
    """The bot that plays a response in each seat."""
    table = np.concatenate([responses[0].actions, responses[1].actions]).astype(np.float64)
    act = load(f"{BOOKS[book.game.name].partition(':')[0]}:response_act")
    return Bot(name, act, packed(book.numbers, table), book.game.key, deterministic=True)


def bot(game: Game, of: str = "", samples: int = 100, seed: int = 0) -> Bot:
    """The best response to another bot, exact wherever that bot's distribution is known.

    Args:
        game: Scotch or Raj.
        of: the bot, a name as in the registry, such as "value" or "raj/value".
        samples: per position, for bots that draw actions and do not say how.
        seed: of these samples.
    """
    if not of:
        raise ValueError(
            f"of={of!r}: expected the bot to respond to, as in best_response:of=random"
        )
    book = book_for(game)
    rival = make_bot(game, str(of))
    asker = Asker(book, rival, samples=samples, seed=seed)
    both = best_response(asker, 0), best_response(asker, 1)
    return response_bot(book, both, f"best_response:of={of}")
