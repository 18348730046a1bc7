"""The raw batch: many games of one kind in NumPy arrays, one row per game, played by compiled code.

Here is no learner and no opponent: the caller gives the actions of all players. The interfaces for
Gymnasium, PettingZoo and SB3 are built on this file and on `learner.py`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidarena.envs.arguments import whole
from bidarena.envs.compile import borrow
from bidarena.envs.game import (
    OVER,
    Cfg,
    Game,
    Params,
    act,
    legal,
    observe,
    reset,
    returns,
    step,
    to_move,
)
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS
from bidarena.envs.rows.seeding import seed_rows
from bidarena.envs.rows.threads import Threads

# Each row has two generators, side by side in one array, so that the cards a game is dealt do not
# depend on how often a bot draws.
CHANCE = slice(0, WORDS)  # for the rules: deals and other draws
LUCK = slice(WORDS, 2 * WORDS)  # for everything else: bots, the learner's seat, line-ups


class Batch:
    """Many games side by side, one per row.

    Args:
        game: the game to play.
        rows: the number of games.
        seed: row i is seeded with seed + i; None: with random numbers of the operating system.
        threads: how many threads share the rows; the results do not depend on it.

    Attributes (read them, do not write them; movers, masks, returns and illegal are read-only):
        movers: (rows,) the player to move; -1 where the game is over, -2 where it was cut short.
        observations: (rows, observation_size) float32, as seen by the mover; by player 0 where the
            game is over.
        masks: (rows, actions) int8, the mover's legal actions; all ones where the game is over.
        returns: (rows, players) the result where the game is over, else 0.
        illegal: (rows,) bool, whether the last move of the row was illegal and lost the game.
        states: (rows, state_size) the games themselves, with all that is hidden.
        rngs: (rows, 4) the two generators of each row, `CHANCE` and `LUCK`.
    """

    def __init__(self, game: Game, rows: int, *, seed: int | None = None, threads: int = 1) -> None:
        self.game = game
        self.rows = whole("rows", rows, 1, 2**31 - 1)
        self.threads = Threads(whole("threads", threads, 1, 256))
        self.states = np.zeros((rows, game.state_size), np.int64)
        self.rngs = np.zeros((rows, 2 * WORDS), np.uint64)
        self.movers = np.full(rows, OVER, np.int64)
        self.observations = np.zeros((rows, game.observation_size), np.float32)
        self.masks = np.ones((rows, game.actions), np.int8)
        self.returns = np.zeros((rows, game.players), np.float64)
        self.illegal = np.zeros(rows, np.bool_)
        self._written: tuple[Any, ...] = (self.movers, self.masks, self.returns, self.illegal)
        self._protect()
        self._forfeits = forfeits(game)
        self._bind()
        self.reset(seed=seed)

    def _protect(self) -> None:
        """Show read-only views: compiled code trusts what it wrote there, as who is to move."""
        shown = [array.view() for array in self._written]
        for view in shown:
            view.flags.writeable = False
        self.movers, self.masks, self.returns, self.illegal = shown

    def _buffers(self) -> tuple[NDArray[Any], ...]:
        """Return the arrays that compiled code fills from the states, to write to."""
        movers, *others = self._written
        return (movers, self.observations, *others)

    def _bind(self) -> None:
        """Get the compiled functions, which cannot be pickled with the rest."""
        self._deal = self.game.compiled(deal_rows)
        self._move = self.game.compiled(move_rows)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_deal", "_move")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._protect()
        self._bind()

    def reset(
        self,
        where: NDArray[np.bool_] | None = None,
        *,
        seed: int | Iterable[int | None] | None = None,
    ) -> None:
        """Deal new games in all rows, or in some.

        Args:
            where: (rows,) bools, True in the rows to deal; None: in all rows.
            seed: a number: row i is seeded with seed + i, as a single environment with that seed
                would be. Several: one per row. None: the generators of the rows go on.
        """
        chosen = np.ones(self.rows, np.bool_) if where is None else _row_mask(where, self.rows)
        seed_rows(self.rngs, seed, np.random.default_rng(), chosen)
        args = (self.game.cfg, self.states, self.rngs, chosen, *self._buffers())
        self.threads.over(self.rows, self._deal, *args)

    def step(self, actions: ArrayLike) -> None:
        """Apply one action per row for the player to move; rows that are over stay as they are.

        An illegal action loses the game for the mover's side: see `forfeits`. Numbers out of range
        and NaN are illegal actions.
        """
        chosen = as_actions(actions, self.rows)
        args = (self.game.cfg, self.states, self.rngs, chosen, self._forfeits, *self._buffers())
        self.threads.over(self.rows, self._move, *args)

    def ask(self, bot: Bot, where: NDArray[np.bool_], actions: NDArray[np.int64]) -> None:
        """Write a bot's choices into `actions` for the chosen rows that are not over.

        Args:
            bot: the bot, made for this game.
            where: (rows,) bools, True in the chosen rows.
            actions: (rows,) int64; other rows keep what they hold.
        """
        bot.check_fits(self.game)
        fits = actions.shape == (self.rows,) and actions.dtype == np.int64 and actions.flags.carray
        if not fits:
            raise ValueError(
                f"actions: expected {self.rows} int64 numbers in one piece to write to"
            )
        rows = np.flatnonzero(_row_mask(where, self.rows) & (self.movers >= 0))
        ask_bot(
            *(self.game, bot, self.states, self.rngs, rows, self.movers[rows], actions),
            threads=self.threads,
        )


def ask_bot(
    game: Game,
    bot: Bot,
    states: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    rows: NDArray[np.int64],
    movers: NDArray[np.int64],
    actions: NDArray[np.int64],
    *,
    threads: Threads,
) -> None:
    """Ask a bot for its action in some rows, and write the answers into `actions`.

    A bot with `outside` is asked for one row after another, because it may have threads or a memory
    of its own.

    Args:
        game: the game that is played.
        bot: the bot to ask.
        states: (all rows, state_size) the games.
        rngs: (all rows, 4) their generators; the bot draws from `LUCK`.
        rows: (k,) the indexes of the rows to ask for.
        movers: (k,) the player to move in each of them.
        actions: (all rows,) where the answers are written.
        threads: the threads that share the rows.
    """
    if bot.outside is not None:
        for row, mover in zip(rows, movers, strict=True):
            actions[row] = bot.outside(states[row].copy(), int(mover), rngs[row, LUCK])
        return
    choose = game.compiled(choose_rows, **bot.stubs)
    args = (game.cfg, bot.params, states, rngs, rows, movers, actions, game.actions)
    threads.over(len(rows), choose, *args)


def check_generators(rngs: NDArray[Any]) -> None:
    """Raise ValueError unless arrays of generators from outside can be drawn from, row by row."""
    pairs = np.ascontiguousarray(rngs).reshape(-1, WORDS)
    if rngs.dtype != np.uint64 or not pairs.any(axis=1).all():
        raise ValueError(
            f"rngs: expected uint64 words, not all 0 in any generator, got {rngs.dtype}"
        )


def forfeits(game: Game) -> NDArray[np.float64]:
    """Return (players, players) results: row i holds every player's when i acts illegally.

    The side of player i gets -1, or the worst result of the game if that is worse, so that an
    illegal action never pays. In a zero-sum game the others share what that side loses.
    """
    side = np.equal.outer(game.teams, game.teams)  # (loser, player) whether they are on one side
    worst = min(-1.0, game.return_range[0])
    losers = side.sum(axis=1, keepdims=True)
    share = -worst * losers / (game.players - losers) if game.zero_sum else 0.0
    return np.where(side, worst, share)


def as_action(action: Any) -> int:
    """Return an action as an int, or -1, which is illegal, if it is not whole or is huge.

    Raises:
        TypeError: it is not a number.
    """
    try:
        number = operator.index(action)
    except TypeError:
        if isinstance(action, str | bytes | complex | np.complexfloating):
            raise TypeError(f"action={action!r}: expected a whole number") from None
        try:
            exact = float(action)
        except (TypeError, ValueError):
            raise TypeError(f"action={action!r}: expected a whole number") from None
        number = int(exact) if exact.is_integer() else -1
    return number if abs(number) < 2**62 else -1


def as_actions(actions: ArrayLike, rows: int) -> NDArray[np.int64]:
    """Return one int64 action per row; a number that is not whole becomes -1, which is illegal.

    The result is contiguous and writeable, because Numba compiles anew for other kinds of arrays.
    """
    array = np.asarray(actions)
    if array.shape != (rows,):
        raise ValueError(f"actions: expected shape ({rows},), one per row, got {array.shape}")
    if array.dtype == np.int64:
        return array if array.flags.carray else array.copy()
    if array.dtype.kind in "ib":
        return array.astype(np.int64)
    if array.dtype.kind == "u":
        return np.where(array > 2**62, 0, array).astype(np.int64) - (array > 2**62)
    if array.dtype.kind == "f":
        numbers = array.astype(np.float64)
        whole_ones = (np.abs(numbers) < 2**53) & (numbers == np.floor(numbers))
        return np.where(whole_ones, numbers, -1).astype(np.int64)
    if array.dtype.kind == "O":
        return np.array([-1 if one is None else as_action(one) for one in array], np.int64)
    raise TypeError(f"actions: expected whole numbers, got dtype {array.dtype}")


def ask_policy(
    policy: Callable[[Any, Any], Any], observations: NDArray[np.float32], masks: NDArray[np.int8]
) -> NDArray[np.int64]:
    """Return the actions of a callable for some rows; it is asked once if marked `batched`.

    Args:
        policy: `(observation, mask) -> action`, or `batched` (see `learner.py`).
        observations: (rows, observation_size).
        masks: (rows, actions).
    """
    if getattr(policy, "batched", False):
        answers = policy(observations, masks)
    else:
        answers = [policy(view, mask) for view, mask in zip(observations, masks, strict=True)]
    return as_actions(answers, len(masks))


def _row_mask(where: NDArray[np.bool_], rows: int) -> NDArray[np.bool_]:
    """Return `where` as an array; raise ValueError unless it holds one bool per row."""
    mask = np.asarray(where)
    if mask.dtype != np.bool_ or mask.shape != (rows,):
        raise ValueError(f"where: expected {rows} bools, got {mask.dtype} of shape {mask.shape}")
    return mask


# --- compiled for each game: loops over the rows from `first` to `last` - 1 -----------------------


def deal_rows(
    cfg: Cfg,
    states: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    chosen: NDArray[np.bool_],
    movers: NDArray[np.int64],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    results: NDArray[np.float64],
    illegal: NDArray[np.bool_],
    first: int,
    last: int,
) -> None:
    """Deal new games in the chosen rows and fill the arrays that `Batch` shows."""
    cfg, states, rngs = borrow(cfg), borrow(states), borrow(rngs)
    observations, masks, results = borrow(observations), borrow(masks), borrow(results)
    for i in range(first, last):
        if chosen[i]:
            reset(cfg, states[i], rngs[i, :WORDS])
            illegal[i] = False
            _show(cfg, states[i], i, movers, observations, masks, results)


def move_rows(
    cfg: Cfg,
    states: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    actions: NDArray[np.int64],
    forfeits: NDArray[np.float64],
    movers: NDArray[np.int64],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    results: NDArray[np.float64],
    illegal: NDArray[np.bool_],
    first: int,
    last: int,
) -> None:
    """Apply the mover's action in every row that is not over; refill what `Batch` shows."""
    cfg, states, rngs = borrow(cfg), borrow(states), borrow(rngs)
    observations, masks, results = borrow(observations), borrow(masks), borrow(results)
    for i in range(first, last):
        mover = movers[i]
        if mover < 0:
            continue
        action = actions[i]
        if action < 0 or action >= masks.shape[1] or masks[i, action] == 0:
            illegal[i] = True
            movers[i] = OVER
            results[i, :] = forfeits[mover]
            masks[i, :] = 1
        else:
            step(cfg, states[i], action, rngs[i, :WORDS])
            _show(cfg, states[i], i, movers, observations, masks, results)


def choose_rows(
    cfg: Cfg,
    params: Params,
    states: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    rows: NDArray[np.int64],
    movers: NDArray[np.int64],
    actions: NDArray[np.int64],
    width: int,
    first: int,
    last: int,
) -> None:
    """Write the action of one compiled bot in each of `rows`, as the player in `movers`.

    `width` is the number of actions of the game.
    """
    cfg, params, states, rngs = borrow(cfg), borrow(params), borrow(states), borrow(rngs)
    scratch = np.empty(width, np.int8)
    for k in range(first, last):
        i = rows[k]
        actions[i] = act(cfg, params, states[i], movers[k], rngs[i, WORDS:], scratch)


def _show(
    cfg: Cfg,
    state: NDArray[np.int64],
    row: int,
    movers: NDArray[np.int64],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    results: NDArray[np.float64],
) -> None:
    """Fill a row of the arrays that `Batch` shows from its state."""
    mover = to_move(cfg, state)
    movers[row] = mover
    if mover >= 0:
        observe(cfg, state, mover, observations[row])
        legal(cfg, state, masks[row])
        results[row, :] = 0.0
    else:
        observe(cfg, state, 0, observations[row])
        masks[row, :] = 1
        returns(cfg, state, results[row])
