"""Self-play that learns what positions are worth where players may move at the same time.

For zero-sum games of two players that hide nothing but such moves. One network judges what a player
sees; a position is worth the difference of what it says of both, so the network cannot favour a
seat by mistake (positions.py). What it should have said of a position is the value of the matrix
game of all pairs of moves, whose entries it judges now: value iteration with a network (Shapley,
"Stochastic games", 1953; Littman, "Markov games as a framework for multi-agent reinforcement
learning", 1994), with chance reckoned over all its outcomes. That holds for any moves that led to
the position, so games may wander off at random. Every position met is kept once; some are drawn
from there to learn from, rare ones as often as others and those oftener of which the network is
still wrong (`urgent`), beside those of the latest games.

The network that judges and plays is an average of the latest ones: the learning one swings around
what is right, its average stands still.

    learner = MinimaxTD(make_game("scotch", length=6, money=20), {}, seed=0, total=200_000)
    while learner.steps < 200_000:
        print(learner.learn())
    bot = network_bot(game, learner.network(), "minimax_td")
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bidarena.baselines.learned.matrices import Floats, Matrices
from bidarena.baselines.learned.network import GAINS, POSITIONS, check_duel, check_points
from bidarena.envs.arguments import unknown, whole
from bidarena.envs.batch import Batch
from bidarena.envs.game import Game
from bidarena.train.selfplay.games import draw
from bidarena.train.selfplay.layers import Tensor, outputs
from bidarena.train.selfplay.learner import SelfPlaySettings, within
from bidarena.train.selfplay.positions import PositionLearner
from bidarena.train.task import Task


@dataclass(frozen=True)
class MinimaxTDSettings(SelfPlaySettings):
    """What can be chosen about learning from positions; `rows` games are played in each round."""

    rows: int = 64
    hidden: Sequence[int] = (128, 128, 128)
    learning_rate: float = 1e-3
    minibatch: int = 512
    explore: float = 0.3

    memory: int = 2**18
    """places for positions that were met"""

    positions: int = 2048
    """how many positions that were met are drawn in each round, beside those of its games"""

    urgent: float = 0.0
    """the share of them that is drawn by how far the network was off when it last looked at them
    (Schaul et al., "Prioritized experience replay", 2015); the rest are all equally likely"""

    epochs: int = 8
    """how often each position is learned from"""

    longest: int = 100
    """a game is left after so many moves of each player, for games that may go on for ever"""

    one_strays: bool = False
    """only one player of each game makes random moves, and the other plays as well as they can; so
    what is met most are positions that an opponent can force"""

    near: float = 0.0
    """the share of random moves that lie near the chosen one, as likely at a distance of 1 as at 2
    and 3 together, or at 4 to 7. For games whose actions have an order, such as bids"""

    follow: float = 0.02
    """how far the network that judges moves toward the learning one in each step"""

    slack: float = 0.0
    """by how much of the largest result choices may seem worse than the best and still count as
    good; then the middle one is taken. For games of bids with good bids beside each other"""

    pure: bool = False
    """never mix choices, see `settle`. For games in which some pure choice is always best: large
    matrices are then not solved"""

    sharp: float = 1.0
    """what the inputs of the network are multiplied with, so that neighbouring positions can have
    very different worths from the start (Tancik et al., "Fourier features let networks learn high
    frequency functions in low dimensional domains", 2020). For games of bids with much money"""

    spread: bool = False
    """let the units of the first layer bend all over the range of the inputs from the start, not
    only near its middle (`spread_kinks` in layers.py). For games of bids with much money"""

    gains: bool = False
    """learn what is still to be won beside the points so far. For games whose result is the
    difference of the points"""

    blind: Sequence[str] = ()
    """parts of the observation that the network does not see, because worths do not depend on
    them; positions that look the same without them are one"""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("memory", "positions", "epochs", "longest"):
            whole(name, getattr(self, name), 1, 10**7)
        within("urgent", self.urgent, 0.0, 1.0)
        within("near", self.near, 0.0, 1.0)
        within("follow", self.follow, 1e-6, 1.0)
        within("slack", self.slack, 0.0, 1.0)
        within("sharp", self.sharp, 1e-3, 1e3)


def learner(task: Task) -> MinimaxTD:
    """Return a learner that learns a task from positions."""
    return MinimaxTD.for_task(task)


class MinimaxTD(PositionLearner):
    """Learns any zero-sum game of two players that hides nothing but moves at the same time.

    Its `steps` count positions.
    """

    settings_type = MinimaxTDSettings
    settings: MinimaxTDSettings

    def __init__(self, game: Game, settings: Mapping[str, Any], *, seed: int, total: int) -> None:
        """Begin with a network that calls nearly all positions even; see the base class."""
        check_duel(game)
        super().__init__(game, settings, seed=seed, total=total)
        chosen = self.settings
        self.head = GAINS if chosen.gains else POSITIONS  # type: ignore[misc]
        if chosen.gains:
            _check_result_is_points(game)
            self._unit = float(np.abs(game.return_range).max())
        self._style = {"slack": chosen.slack * self._unit, "pure": chosen.pure}
        seen = np.ones(game.observation_size, np.float32)
        for part in chosen.blind:
            if part not in game.observation:
                raise unknown("blind", part, game.observation)
            seen[game.observation[part]] = 0.0
        self._look = Matrices(game, chosen.slack, pure=chosen.pure, head=self.head, seen=seen)
        self._factor = self._tensor(seen * np.float32(chosen.sharp))
        self._begin(game, spread=chosen.spread)

    def learn(self) -> dict[str, float]:
        """Play some games, learn from positions of these and earlier games, return the metrics.

        Times are CPU seconds of this process. `value_loss` is the mean cross-entropy above the
        least that these targets allow (in nats), or with `gains` the mean square error;
        `certainty` is the mean size of the targets, `met` the number of positions in memory, `off`
        how far the network that judges was from the targets of those drawn from there, on average.
        """
        began, chosen = time.process_time(), self.settings
        with torch.no_grad():
            env_seconds, views, targets = self._play()
            drawn = self._memory.choose(chosen.positions, self._luck, chosen.urgent)
            known = self._look(self._memory.states[drawn], self._told)
            wanted = known.worths - known.points
            off = np.abs(wanted - self._expected(known.views))
            self._memory.urgency[drawn] = off
        views = np.concatenate([views, known.views])
        targets = np.concatenate([targets, wanted])
        rate = self._set_rate()
        loss = self._update(self._centred(views), self._tensor(targets.astype(np.float32)))
        self.steps += len(targets)
        return {
            "value_loss": loss,
            "certainty": float(np.abs(targets).mean()),
            "met": float(self._memory.used.sum()),
            "off": float(off.mean()),
            "learning_rate": rate,
            "games": float(self.settings.rows),
            "decisions": float(len(targets)),
            "env_seconds": env_seconds,
            "seconds": time.process_time() - began,
        }

    def _logits(self, network: Sequence[Tensor], views: Tensor) -> Tensor:
        """Return for each position what the network says of player 0, less what of player 1."""
        both = outputs(network, views.reshape(-1, views.shape[2])).reshape(-1, 2)
        return both[:, 0] - both[:, 1]

    def _told(self, views: Floats) -> Floats:
        """Return what the network that judges says of each view."""
        return np.asarray(outputs(self._judge, self._centred(views))[:, 0].cpu().numpy())

    def _expected(self, views: Floats) -> NDArray[np.float64]:
        """Return what the network that judges lets player 0 expect in each position."""
        ahead = (self._logits(self._judge, self._centred(views)) / 2).double().cpu().numpy()
        return np.asarray(ahead if self.settings.gains else np.tanh(ahead), np.float64)

    def _losses(self, numbers: Tensor, wanted: Tensor) -> Tensor:
        """Return the mean square error, or the mean cross-entropy where no points count."""
        if self.settings.gains:
            return (numbers / 2 - wanted).square().mean()
        return super()._losses(numbers, wanted)

    def _play(self) -> tuple[float, Floats, NDArray[np.float64]]:
        """Play one game in each row and add the positions to the memory.

        Return the seconds of the environment, what was seen in all positions, and their worths.
        """
        batch = self._batch
        began = time.process_time()
        batch.reset()
        spent = time.process_time() - began
        views, worths = [], []
        waiting = np.full(batch.rows, -1, np.int64)  # moves at the same time as the last one
        strayer = self._luck.integers(2, size=batch.rows) if self.settings.one_strays else None
        for _ in range(2 * self.settings.longest):
            running = np.flatnonzero(batch.movers >= 0)
            if len(running) == 0:
                break
            actions = np.zeros(batch.rows, np.int64)
            replies = running[waiting[running] >= 0]
            actions[replies] = waiting[replies]
            waiting[replies] = -1
            fresh = np.setdiff1d(running, replies, assume_unique=True)
            if len(fresh) > 0:
                states = batch.states[fresh]
                known = self._look(states, self._told)
                self._memory.add(states, known.views[:, 0].copy())
                views.append(known.views)
                worths.append(known.worths - known.points)
                both = known.movers[:, 1] >= 0
                may = np.ones((len(fresh), 2), np.bool_)  # whether each mover may stray
                if strayer is not None:
                    may = known.movers == strayer[fresh, None]
                actions[fresh] = self._chosen(known.chances[:, 0], may[:, 0])
                waiting[fresh[both]] = self._chosen(known.chances[both, 1], may[both, 1])
            began = time.process_time()
            batch.step(actions)
            spent += time.process_time() - began
        return spent, np.concatenate(views), np.concatenate(worths)

    def _chosen(self, chances: NDArray[np.float64], may: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return an action for each row: drawn by its chances, or sometimes another legal one.

        `may` says in which rows it may be another.
        """
        legal = chances >= 0
        strays = (self._luck.random(len(chances)) < self.settings.explore) & may
        wanted = np.where(strays[:, None], legal, np.maximum(chances, 0.0)).astype(np.float32)
        if self.settings.near == 0.0:
            return draw(wanted, self._luck)
        near = strays & (self._luck.random(len(chances)) < self.settings.near)
        wanted[near] = np.maximum(chances[near], 0.0)
        actions = draw(wanted, self._luck)
        actions[near] = _beside(legal[near], actions[near], self._luck)
        return actions


def _beside(
    legal: NDArray[np.bool_], actions: NDArray[np.int64], luck: np.random.Generator
) -> NDArray[np.int64]:
    """Return for each row a legal action near the given one, on either side.

    How many legal actions away is a power of 2 with an exponent drawn evenly and rounded down, so
    that small distances are likely; those beyond the first or last action end there.
    """
    ranks = legal.cumsum(axis=1)  # of each legal action, from 1
    most = ranks[:, -1]
    distance = np.floor(most ** luck.random(len(legal))).astype(np.int64)
    side = np.where(luck.random(len(legal)) < 0.5, -1, 1)
    rank = ranks[np.arange(len(legal)), actions] + side * distance
    return np.asarray((ranks >= np.clip(rank, 1, most)[:, None]).argmax(axis=1), np.int64)


def _check_result_is_points(game: Game) -> None:
    """Raise ValueError unless the result of a game is the difference of the points at its end."""
    luck = np.random.default_rng(0)
    check_points(game)
    trial = Batch(game, 64, seed=0)
    while (trial.movers >= 0).any():
        trial.step((trial.masks * luck.random(trial.masks.shape)).argmax(axis=1))
    points = trial.states[:, game.state[str(game.score)]] * game.score_unit
    if not np.allclose(trial.returns[:, 0], points[:, 0] - points[:, 1]):
        raise ValueError(
            f"gains=True: expected a game whose result is the difference of the points, not "
            f"{game!r}; choose such a reward, or gains=False"
        )
