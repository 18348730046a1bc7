"""How likely any bot or policy takes each action, in any position: what a best response needs.

Three kinds of answers are exact: a compiled bot's `distribution`, the one choice of whatever
declares itself deterministic, and the probabilities that a policy gives by itself. From everything
else samples are drawn, and the result is an estimate.

A policy that gives probabilities is an object with a method `probabilities(observations, masks)`
for (rows, size) observations and (rows, actions) masks that returns (rows, actions) probabilities.
`with_probabilities` makes one of a function, `sb3_policy` of a Stable-Baselines3 model in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.adapters.asked import elsewhere
from bidarena.baselines.solvers.positions import Book, Numbers, distribution, put_position
from bidarena.envs.batch import ask_policy
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Params, act, legal, observe, step
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS

Probabilities = NDArray[np.float64]

ILLEGAL_WEIGHT = 1e-6  # what rounding may leave on actions that are not legal
SUM_ERROR = 1e-3  # what rounding may make of the sum of 1
ROWS = 32_768  # positions per call of a network
PIECE = 64  # positions that a bot is asked about in one go, with a generator of their own

Positions = NDArray[np.int64]
# Answers to pieces of positions in a seat, asked for somewhere else; in the order of the pieces
Ask = Callable[[list[Positions], int], list[Probabilities]]


@runtime_checkable
class Stochastic(Protocol):
    """A policy whose probabilities are known."""

    def probabilities(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[Any]:
        """(rows, actions), each row adding up to 1."""
        ...


class with_probabilities:  # noqa: N801 - used as a decorator
    """Make a policy of a function that gives probabilities; it can then play and be measured.

    As an opponent it draws its actions, from a generator of its own.
    """

    batched = True

    def __init__(self, function: Callable[[Any, Any], Any], *, seed: int = 0) -> None:
        self.function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))
        self._luck = np.random.default_rng(seed)

    def probabilities(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[Any]:
        """(rows, actions), each row adding up to 1."""
        return np.asarray(self.function(observations, masks))

    def __call__(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """One action per row, drawn."""
        chances = checked(self.probabilities(observations, masks), masks, self.name)
        passed = np.cumsum(chances, axis=1) < self._luck.random((len(masks), 1))
        last = chances.shape[1] - 1 - (chances[:, ::-1] > 0).argmax(axis=1)
        return np.minimum(passed.sum(axis=1), last)


def sb3_policy(model: Any, *, deterministic: bool = False) -> with_probabilities:
    """A Stable-Baselines3 model, with or without masks, as a policy that gives probabilities.

    Args:
        model: an algorithm with a policy over `Discrete` actions, such as MaskablePPO, PPO or DQN.
        deterministic: always the likeliest action instead of drawing one.
    """
    import torch

    masked = "action_masks" in getattr(model.policy.forward, "__code__", _NO_CODE).co_varnames
    likelihood = hasattr(model.policy, "get_distribution")

    def learned(observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        if deterministic or not likelihood:
            extra = {"action_masks": masks} if masked else {}
            chosen = model.predict(observations, deterministic=True, **extra)[0]
            return np.eye(masks.shape[1])[np.asarray(chosen)]
        with torch.no_grad():
            tensor, _ = model.policy.obs_to_tensor(observations)
            if masked:
                law = model.policy.get_distribution(tensor, action_masks=masks)
            else:
                law = model.policy.get_distribution(tensor)
            probabilities: NDArray[np.float64] = law.distribution.probs.double().cpu().numpy()
            return probabilities

    learned.__name__ = type(model).__name__.lower()
    return with_probabilities(learned)


_NO_CODE = (lambda: None).__code__


def checked(answer: Any, masks: NDArray[np.int8], name: str) -> Probabilities:
    """Probabilities as they must be, rounding removed; a ValueError that says what is wrong."""
    given = np.asarray(answer)
    if given.shape != masks.shape:
        raise ValueError(
            f"{name}: expected probabilities of shape {masks.shape}, one per row and action, "
            f"got {given.shape}"
        )
    if given.dtype.kind not in "fiub":
        raise ValueError(f"{name}: expected probabilities as numbers, got dtype {given.dtype}")
    chances = given.astype(np.float64)

    def refuse(wrong: Any, what: str) -> None:
        rows = np.asarray(wrong)
        if rows.any():
            row = int(np.argmax(rows))
            raise ValueError(f"{name}: {what} (in {rows.sum()} of {len(rows)} rows, first {row})")

    refuse(~np.isfinite(chances).all(axis=1), "probabilities that are not finite numbers")
    refuse((chances < -ILLEGAL_WEIGHT).any(axis=1), "negative probabilities")
    weight = np.where(masks == 0, chances, 0.0).sum(axis=1)
    worst = weight.max(initial=0.0)
    refuse(weight > ILLEGAL_WEIGHT, f"weight up to {worst:.3g} on illegal actions")
    total = chances.sum(axis=1)
    refuse(np.abs(total - 1.0) > SUM_ERROR, "probabilities that do not add up to 1")
    chances = np.where(masks == 0, 0.0, np.maximum(chances, 0.0))
    return chances / chances.sum(axis=1, keepdims=True)


class Asker:
    """Asks one bot or policy in the positions of a book.

    The samples of a piece of positions depend on the seed and on where it begins, so that it makes
    no difference who asks, where and in what order.

    Attributes:
        exact: are its answers probabilities, or frequencies in `samples` samples?
        method: how they are found, in words.
        asked: in how many positions it was asked so far.
    """

    def __init__(
        self,
        book: Book,
        player: Any,
        *,
        samples: int = 100,
        seed: int = 0,
        ask: Ask | None = None,
    ) -> None:
        """`ask` is who asks compiled bots that do not tell their distribution; None: we do."""
        self.book, self.player, self.samples = book, player, samples
        self.seed, self.ask = seed, ask
        self.name = str(getattr(player, "name", None) or getattr(player, "__name__", "policy"))
        self.exact, self.asked = True, 0
        if isinstance(player, Bot):
            player.check_fits(book.game)
            if player.act is elsewhere:
                raise ValueError(
                    f"{player.name} is asked in another process, where it cannot be measured "
                    "position by position; play a match against it instead"
                )
        if isinstance(player, Bot) and player.distribution is not None:
            self.method = "the bot's own distribution"
        elif isinstance(player, Stochastic):
            self.method = "the policy's probabilities"
        elif getattr(player, "deterministic", False):
            self.method = "the one choice of a deterministic player"
        else:
            self.exact = False
            self.method = f"frequencies in {samples} samples per position"

    def __call__(self, positions: NDArray[np.int64], seat: int) -> Probabilities:
        """(positions, actions) probabilities of the player in `seat`."""
        self.asked += len(positions)
        game = self.book.game
        if len(positions) == 0:
            return np.zeros((0, game.actions))
        masks = np.zeros((len(positions), game.actions), np.int8)
        views = np.zeros((len(positions), game.observation_size), np.float32)
        look = self.book.compiled(look_at)
        look(game.cfg, self.book.numbers, positions, seat, game.state_size, views, masks)
        if isinstance(self.player, Bot):
            return checked(self._bot(self.player, positions, seat), masks, self.name)
        if isinstance(self.player, Stochastic):
            parts = [
                checked(
                    self.player.probabilities(views[i : i + ROWS], masks[i : i + ROWS]),
                    masks[i : i + ROWS],
                    self.name,
                )
                for i in range(0, len(positions), ROWS)
            ]
            return np.concatenate(parts)
        times = 1 if self.exact else self.samples
        counts = np.zeros(masks.shape)
        rows = np.arange(len(positions))
        for _ in range(times):
            actions = ask_policy(self.player, views, masks)
            if (actions < 0).any() or (actions >= game.actions).any():
                raise ValueError(f"{self.name}: an action outside 0..{game.actions - 1}")
            counts[rows, actions] += 1.0
        return checked(counts / times, masks, self.name)

    def _bot(self, bot: Bot, positions: NDArray[np.int64], seat: int) -> Probabilities:
        game = self.book.game
        out = np.zeros((len(positions), game.actions))
        args = (game.cfg, bot.params, self.book.numbers, positions, seat, game.state_size)
        if bot.distribution is not None:
            ask = self.book.compiled(ask_distribution, distribution=bot.distribution, **bot.more)
            ask(*args, out)
            return out
        if self.ask is None and bot.deterministic:
            self._choices(bot, positions, seat, np.ones(WORDS, np.uint64), out)
            return out
        pieces = [positions[i : i + PIECE] for i in range(0, len(positions), PIECE)]
        if self.ask is not None:
            return np.concatenate(self.ask(pieces, seat))
        return np.concatenate([self.piece(piece, seat) for piece in pieces])

    def piece(self, positions: Positions, seat: int) -> Probabilities:
        """How often a compiled bot takes each action, in a piece of positions."""
        out = np.zeros((len(positions), self.book.game.actions))
        luck = np.random.default_rng([self.seed, seat, int(positions[0])])
        words = luck.integers(1, 2**64, WORDS, dtype=np.uint64)
        self._choices(self.player, positions, seat, words, out)
        return out

    def _choices(
        self, bot: Bot, positions: Positions, seat: int, words: Any, out: Probabilities
    ) -> None:
        game, times = self.book.game, 1 if bot.deterministic else self.samples
        args = (game.cfg, bot.params, self.book.numbers, positions, seat, game.state_size)
        self.book.compiled(ask_often, **bot.stubs)(*args, times, words, out)


# --- compiled for each game ----------------------------------------------------------------------


def _put_before(
    cfg: Cfg,
    book: Numbers,
    position: int,
    seat: int,
    state: NDArray[np.int64],
    mask: NDArray[np.int8],
    words: NDArray[np.uint64],
) -> None:
    """The state in which `seat` is to move; before player 1 does, player 0 commits something."""
    put_position(cfg, book, position, state)
    if seat == 1:
        legal(cfg, state, mask)
        for action in range(len(mask)):
            if mask[action]:
                step(cfg, state, action, words)
                break


def look_at(
    cfg: Cfg,
    book: Numbers,
    positions: NDArray[np.int64],
    seat: int,
    state_size: int,
    views: NDArray[np.float32],
    masks: NDArray[np.int8],
) -> None:
    """What the player in `seat` sees in each position, and what he may do."""
    cfg, book, views, masks = borrow(cfg), borrow(book), borrow(views), borrow(masks)
    states, luck = np.zeros(state_size, np.int64), np.ones(WORDS, np.uint64)
    state, words = borrow(states), borrow(luck)
    for k in range(len(positions)):
        _put_before(cfg, book, positions[k], seat, state, masks[k], words)
        observe(cfg, state, seat, views[k])
        legal(cfg, state, masks[k])
    keep(states)
    keep(luck)


def ask_distribution(
    cfg: Cfg,
    params: Params,
    book: Numbers,
    positions: NDArray[np.int64],
    seat: int,
    state_size: int,
    out: Probabilities,
) -> None:
    """The distribution of a compiled bot in each position."""
    cfg, params, book, out = borrow(cfg), borrow(params), borrow(book), borrow(out)
    states, masks = np.zeros(state_size, np.int64), np.zeros(out.shape[1], np.int8)
    luck = np.ones(WORDS, np.uint64)
    state, mask, words = borrow(states), borrow(masks), borrow(luck)
    for k in range(len(positions)):
        _put_before(cfg, book, positions[k], seat, state, mask, words)
        distribution(cfg, params, state, seat, mask, out[k])
    keep(states)
    keep(masks)
    keep(luck)


def ask_often(
    cfg: Cfg,
    params: Params,
    book: Numbers,
    positions: NDArray[np.int64],
    seat: int,
    state_size: int,
    times: int,
    words: NDArray[np.uint64],
    out: Probabilities,
) -> None:
    """How often a compiled bot takes each action if it is asked so many times."""
    cfg, params, book, out = borrow(cfg), borrow(params), borrow(book), borrow(out)
    states, masks = np.zeros(state_size, np.int64), np.zeros(out.shape[1], np.int8)
    state, mask, words = borrow(states), borrow(masks), borrow(words)
    for k in range(len(positions)):
        _put_before(cfg, book, positions[k], seat, state, mask, words)
        for _ in range(times):
            action = act(cfg, params, state, seat, words, mask)
            if 0 <= action < out.shape[1]:
                out[k, action] += 1.0 / times
    keep(states)
    keep(masks)
