"""Find the probability of each action of any bot or policy, in any position of an index.

Best responses need this. Three kinds of answers are exact: the `distribution` of a compiled bot,
the single choice of a deterministic bot or policy, and the probabilities that a policy gives
itself. All others are asked many times, and the frequencies of their actions are an estimate.

A policy gives its probabilities by a method `probabilities(observations, masks)`. It takes
observations (rows, size) and masks (rows, actions), and returns probabilities (rows, actions).
`with_probabilities` makes such a policy from a function, `sb3_policy` from a Stable-Baselines3
model in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.common import distribution
from bidarena.baselines.solvers.by_position import TRIED, ByPosition
from bidarena.envs.batch import ask_policy
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, Params, Rng, act, legal, observe
from bidarena.envs.registry import PROGRAM, Bot
from bidarena.envs.rng import WORDS

Probabilities = NDArray[np.float64]

ILLEGAL_WEIGHT = 1e-6  # the most that rounding may leave on illegal actions
SUM_ERROR = 1e-3  # the most by which rounding may move the sum away from 1
ROWS = 32_768  # positions per call of a policy
SEVERAL = 32  # positions from which on a bot is asked in all at once, if it can be
PIECE = 64  # positions for which a bot is asked with one random generator

Positions = NDArray[np.int64]
States = NDArray[np.int64]  # (positions, state size)
# (pieces, seat) -> the probabilities of each piece, in order; asks somewhere else
Ask = Callable[[list[Positions], int], list[Probabilities]]


class Index(Protocol):
    """Numbers the positions of a game, or what its players can know."""

    @property
    def game(self) -> Game:
        """The game."""
        ...

    def states(self, positions: Positions, seat: int) -> States:
        """Return a state for each position in which `seat` is to move."""
        ...

    def deciding(self, seat: int) -> Positions:
        """Return all positions in which `seat` has to move."""
        ...


@runtime_checkable
class Stochastic(Protocol):
    """A policy that gives the probabilities of its actions."""

    def probabilities(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[Any]:
        """Return probabilities (rows, actions); each row adds up to 1."""
        ...


class with_probabilities:  # noqa: N801 - used as a decorator
    """Make a policy from a function that returns probabilities; it can then play and be measured.

    As an opponent it draws its actions with a random generator of its own.

    Args:
        function: takes observations (rows, size) and masks (rows, actions), and returns
            probabilities (rows, actions).
        seed: seed of that generator.
    """

    batched = True

    def __init__(self, function: Callable[[Any, Any], Any], *, seed: int = 0) -> None:
        self.function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))
        self._luck = np.random.default_rng(seed)

    def probabilities(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[Any]:
        """Return probabilities (rows, actions); each row adds up to 1."""
        return np.asarray(self.function(observations, masks))

    def __call__(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Draw and return one action per row."""
        chances = checked(self.probabilities(observations, masks), masks, self.name)
        passed = np.cumsum(chances, axis=1) < self._luck.random((len(masks), 1))
        last = chances.shape[1] - 1 - (chances[:, ::-1] > 0).argmax(axis=1)
        return np.minimum(passed.sum(axis=1), last)


def sb3_policy(model: Any, *, deterministic: bool = False) -> with_probabilities:
    """Return a policy that gives the probabilities of a Stable-Baselines3 model.

    Args:
        model: an algorithm with a policy over `Discrete` actions, such as MaskablePPO, PPO or DQN.
        deterministic: always take the most probable action instead of drawing one.
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
    """Return `answer` as probabilities without rounding errors; ValueError if it is wrong.

    `name` is the name of the policy in the error message.
    """
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


def player_name(player: Any) -> str:
    """Return the name of a player that was given as an object."""
    return str(getattr(player, "name", None) or getattr(player, "__name__", "policy"))


class Asker:
    """Asks one bot or policy for its probabilities in the positions of an index.

    The samples of a piece of positions depend only on the seed, the seat and the first position of
    the piece. So the order of the questions and the process that asks make no difference.

    Args:
        index: the positions of the game, or its information sets.
        player: a bot or a policy.
        samples: how often it is asked in each position if its answers are not exact.
        seed: seed of these samples.
        ask: asks a compiled bot without a distribution somewhere else; None: ask it here.

    Attributes:
        exact: True if answers are probabilities, False if they are frequencies of samples.
        method: how the answers are found, in words.
        asked: the number of positions asked so far.
        program: asks a bot in another process; None: the player is no such bot.
    """

    def __init__(
        self,
        index: Index,
        player: Any,
        *,
        samples: int = 100,
        seed: int = 0,
        ask: Ask | None = None,
    ) -> None:
        self.index, self.player, self.samples = index, player, samples
        self.seed, self.ask = seed, ask
        self.name = player_name(player)
        self.exact, self.asked = True, 0
        self.program: ByPosition | None = None
        if isinstance(player, Bot):
            player.check_fits(index.game)
            if player.kind == PROGRAM:
                self.program = ByPosition(index.game, player, samples, seed)
        if isinstance(player, Bot) and player.distribution is not None:
            self.method = "the bot's own distribution"
        elif isinstance(player, Stochastic):
            self.method = "the policy's probabilities"
        elif getattr(player, "deterministic", False):
            self.method = "the one choice of a deterministic player"
        else:
            self.exact = False
            self.method = f"frequencies in {samples} samples per position"

    def plan(self, positions: int) -> None:
        """Try a bot in another process before it is asked in so many positions, about.

        Sets `exact` and `method` by what was found. Raises ValueError if it would take too long.
        Other players need no plan.
        """
        if self.program is None or self.program.planned:
            return
        luck = np.random.default_rng(self.seed)
        found, seats = [], []
        for seat in range(self.index.game.players):
            asked = self.index.deciding(seat)
            tried = luck.choice(asked, min(TRIED // 2, len(asked)), replace=False)
            found.append(self.index.states(tried, seat))
            seats += [seat] * len(tried)
        self.program.plan(np.concatenate(found), np.array(seats), positions)
        self.exact, self.method = self.program.stateless, self.program.method

    def __call__(self, positions: NDArray[np.int64], seat: int) -> Probabilities:
        """Return probabilities (positions, actions) of the player in `seat`."""
        self.asked += len(positions)
        game = self.index.game
        if len(positions) == 0:
            return np.zeros((0, game.actions))
        masks = np.zeros((len(positions), game.actions), np.int8)
        views = np.zeros((len(positions), game.observation_size), np.float32)
        states = self.index.states(positions, seat)
        game.compiled(look_at)(game.cfg, states, seat, views, masks)
        if isinstance(self.player, Bot):
            return checked(self._bot(self.player, positions, states, seat), masks, self.name)
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

    def _bot(self, bot: Bot, positions: Positions, states: States, seat: int) -> Probabilities:
        """Return the probabilities or frequencies of a compiled bot."""
        if self.program is not None:
            return self.program.frequencies(states, seat, positions)
        game = self.index.game
        if bot.distributions is not None and len(states) >= SEVERAL:
            return np.asarray(bot.distributions(game, states, seat))
        out = np.zeros((len(positions), game.actions))
        if bot.distribution is not None:
            ask = game.compiled(ask_distribution, distribution=bot.distribution, **bot.more)
            ask(game.cfg, bot.params, states, seat, out)
            return out
        if self.ask is None and bot.deterministic:
            self._choices(bot, states, seat, np.ones(WORDS, np.uint64), out)
            return out
        pieces = [positions[i : i + PIECE] for i in range(0, len(positions), PIECE)]
        if self.ask is not None:
            return np.concatenate(self.ask(pieces, seat))
        return np.concatenate([self.piece(piece, seat) for piece in pieces])

    def piece(self, positions: Positions, seat: int) -> Probabilities:
        """Return the frequencies of each action of a compiled bot, in a piece of positions."""
        out = np.zeros((len(positions), self.index.game.actions))
        luck = np.random.default_rng([self.seed, seat, int(positions[0])])
        rng = luck.integers(1, 2**64, WORDS, dtype=np.uint64)
        self._choices(self.player, self.index.states(positions, seat), seat, rng, out)
        return out

    def _choices(self, bot: Bot, states: States, seat: int, rng: Rng, out: Probabilities) -> None:
        """Ask a compiled bot for actions, and write their frequencies into `out`."""
        game, times = self.index.game, 1 if bot.deterministic else self.samples
        ask = game.compiled(ask_often, **bot.stubs)
        ask(game.cfg, bot.params, states, seat, times, rng, out)


# --- compiled for each game ----------------------------------------------------------------------


def look_at(
    cfg: Cfg,
    states: NDArray[np.int64],
    seat: int,
    views: NDArray[np.float32],
    masks: NDArray[np.int8],
) -> None:
    """Write what the player in `seat` sees in each state, and which actions are legal."""
    cfg, states, views, masks = borrow(cfg), borrow(states), borrow(views), borrow(masks)
    for k in range(len(states)):
        observe(cfg, states[k], seat, views[k])
        legal(cfg, states[k], masks[k])


def ask_distribution(
    cfg: Cfg, params: Params, states: NDArray[np.int64], seat: int, out: Probabilities
) -> None:
    """Write the distribution of a compiled bot in each state."""
    cfg, params, states, out = borrow(cfg), borrow(params), borrow(states), borrow(out)
    masks = np.zeros(out.shape[1], np.int8)
    mask = borrow(masks)
    for k in range(len(states)):
        distribution(cfg, params, states[k], seat, mask, out[k])
    keep(masks)


def ask_often(
    cfg: Cfg,
    params: Params,
    states: NDArray[np.int64],
    seat: int,
    times: int,
    rng: Rng,
    out: Probabilities,
) -> None:
    """Write how often a compiled bot takes each action, of `times` questions per state."""
    cfg, params, states, out = borrow(cfg), borrow(params), borrow(states), borrow(out)
    masks = np.zeros(out.shape[1], np.int8)
    mask, rng = borrow(masks), borrow(rng)
    for k in range(len(states)):
        for _ in range(times):
            action = act(cfg, params, states[k], seat, rng, mask)
            if 0 <= action < out.shape[1]:
                out[k, action] += 1.0 / times
    keep(masks)
