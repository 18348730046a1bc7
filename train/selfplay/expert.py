"""Search in the loop: a network guides a tree search, and learns from what the search finds.

Self-play as in AlphaZero (Silver et al., "A general reinforcement learning algorithm that masters
chess, shogi and Go through self-play", 2018) and expert iteration (Anthony, Tian and Barber,
"Thinking fast and slow with deep learning and tree search", 2017), on the searches of this package.
One network gives the probabilities of moves and the value of the position. In every decision of a
game `mcts`, or `ismcts` where anything is hidden, searches for some iterations: the probabilities
are priors (PUCT), and the value takes the place of playouts. The search is stronger than the
network. So its visits are what the probabilities should have been; the value should have been a
mixture of what the search expected and what came of the game.

Use it where moves can be searched and nothing better is known about values: where positions can be
judged by looking one move ahead, `td` and `td_parts` learn from far more of them in the same time.
Where something is hidden, a player's plan depends on what others know of it; this search does not
care, so it comes to good play, but not to an equilibrium.

    learner = Expert(make_game("coins", board="triangle4"), {}, seed=0, total=100_000)
    while learner.steps < 100_000:
        print(learner.learn())
    bot = network_bot(game, learner.network(), "expert")         # without search
    bot = mcts(game, policy=guide_by(game, learner.network()))   # with search
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bidarena.baselines.learned.guide import guide_by
from bidarena.baselines.learned.network import POLICY_VALUE, Network
from bidarena.baselines.search.bots import ismcts, mcts
from bidarena.baselines.search.rows import search_batch
from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.train.selfplay.games import draw
from bidarena.train.selfplay.layers import RELU_GAIN, Tensor, follow, layers, outputs, playable
from bidarena.train.selfplay.learner import NetworkLearner, SelfPlaySettings, within
from bidarena.train.task import Task

FORBIDDEN = -1e9  # logit of an illegal action
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class ExpertSettings(SelfPlaySettings):
    """What can be chosen about search in the loop; `rows` games are played in each round."""

    rows: int = 64
    hidden: Sequence[int] = (128, 128)
    learning_rate: float = 1e-3
    minibatch: int = 256

    explore: float = 0.5
    """the share of moves that are drawn in proportion to their visits; else the most visited"""

    iterations: int = 64
    """iterations of the search in each decision"""

    c: float = 1.0
    """how strongly the search follows the priors"""

    noise: float = 0.25
    """share of the priors at the root of each search that is drawn at random"""

    searched: float = 0.5
    """share of the value's target that the search expected; the rest is what came of the game"""

    memory: int = 40_000
    """how many of the latest decisions are learned from"""

    epochs: int = 2
    """how often the network learns from as many decisions as were played, drawn from memory"""

    follow: float = 0.02
    """how far the network that plays moves toward the learning one in each step"""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("iterations", "memory", "epochs"):
            whole(name, getattr(self, name), 1, 10**7)
        within("c", self.c, 0.0, 1000.0)
        for name in ("noise", "searched"):
            within(name, getattr(self, name), 0.0, 1.0)
        within("follow", self.follow, 1e-6, 1.0)


def learner(task: Task) -> Expert:
    """Return a learner that learns a task with search in the loop."""
    return Expert.for_task(task)


class Expert(NetworkLearner):
    """Learns to play any zero-sum game of two sides.

    Its `steps` count decisions.
    """

    settings_type = ExpertSettings
    settings: ExpertSettings

    def __init__(self, game: Game, settings: Mapping[str, Any], *, seed: int, total: int) -> None:
        """Begin with a network that finds all moves and positions alike; see the base class."""
        if not game.zero_sum or len(set(game.teams)) != 2:
            raise ValueError(f"game={game!r}: expected a zero-sum game of two sides")
        super().__init__(game, settings, seed=seed, total=total)
        sizes = [game.observation_size, *self.settings.hidden, game.actions + 1]
        self._learning = layers(sizes, self._luck, gain=RELU_GAIN, device=self.device)
        self._player = [part.detach().clone() for part in self._learning]
        self._adam = torch.optim.Adam(self._learning, fused=True)
        places = self.settings.memory
        self._views = np.zeros((places, game.observation_size), np.float32)
        self._plans = np.full((places, game.actions), -1.0, np.float32)  # -1: not legal
        self._worths = np.zeros(places, np.float32)
        self._met = 0  # decisions that were ever kept

    def learn(self) -> dict[str, float]:
        """Play some games with the search, learn from them and earlier ones, return the metrics.

        Times are CPU seconds of this process. `policy_loss` is the mean cross-entropy from the
        plans of the search above the least possible (in nats), `value_loss` the squared error of
        the value, `search_seconds` the part of the time that searching took.
        """
        began = time.process_time()
        env_seconds, search_seconds, decisions = self._play()
        rate = self._set_rate()
        policy_loss, value_loss = self._update(decisions)
        self.steps += decisions
        return {
            "policy_loss": policy_loss,
            "value_loss": value_loss,
            "met": float(min(self._met, len(self._worths))),
            "learning_rate": rate,
            "games": float(self.settings.rows),
            "decisions": float(decisions),
            "env_seconds": env_seconds,
            "search_seconds": search_seconds,
            "seconds": time.process_time() - began,
        }

    def _play(self) -> tuple[float, float, int]:
        """Play one game in each row, and keep all decisions in memory.

        Return the seconds of the environment and of the search, and the number of decisions.
        """
        game, batch, luck, settings = self.game, self._batch, self._luck, self.settings
        technique = ismcts if game.hidden or game.simultaneous is not None else mcts
        guide = guide_by(game, self.network())
        options = {"iterations": settings.iterations, "c": settings.c, "noise": settings.noise}
        search = technique(game, policy=guide, **options)
        largest = float(np.abs(game.return_range).max())
        spent, searching = -time.process_time(), 0.0
        batch.reset()
        spent += time.process_time()
        moments = []
        while len(running := np.flatnonzero(batch.movers >= 0)) > 0:
            actions = np.zeros(batch.rows, np.int64)
            actions[running] = batch.masks[running].argmax(axis=1)
            free = running[batch.masks[running].sum(axis=1) > 1]
            if len(free):
                legal, views = batch.masks[free], batch.observations[free]
                searching -= time.process_time()
                plans, expected = search_batch(batch, search, free)
                searching += time.process_time()
                drawn = draw(plans.astype(np.float32), luck)
                wander = luck.random(len(free)) < settings.explore
                actions[free] = np.where(wander, drawn, plans.argmax(axis=1))
                kept = np.where(legal == 1, plans, -1.0).astype(np.float32)
                moments.append((free, batch.movers[free], views, kept, expected / largest))
            spent -= time.process_time()
            batch.step(actions)
            spent += time.process_time()
        for rows, movers, views, kept, hoped in moments:
            came = batch.returns[rows, movers] / largest
            worths = settings.searched * hoped + (1.0 - settings.searched) * came
            places = (self._met + np.arange(len(rows))) % len(self._worths)
            self._views[places], self._plans[places] = views, kept
            self._worths[places] = worths
            self._met += len(rows)
        return spent, searching, sum(len(moment[0]) for moment in moments)

    def _update(self, decisions: int) -> tuple[float, float]:
        """Learn from decisions in memory; return the mean losses of probabilities and of values."""
        filled = min(self._met, len(self._worths))
        losses, steps = torch.zeros(2, device=self.device), 0
        for _ in range(self.settings.epochs):
            chosen = self._luck.integers(0, filled, decisions)
            for part in self._minibatches(decisions):
                at = chosen[part.cpu().numpy()]
                plans, worths = self._tensor(self._plans[at]), self._tensor(self._worths[at])
                told = outputs(self._learning, self._centred(self._views[at]))
                logits = told[:, :-1].masked_fill(plans < 0, FORBIDDEN)
                plans = plans.clamp(min=0.0)
                logs = torch.log_softmax(logits, 1)
                least = torch.special.entr(plans).sum(1).mean()
                policy_loss = -(plans * logs).sum(1).mean() - least
                value_loss = (torch.tanh(told[:, -1] / 2) - worths).square().mean()
                self._backward(policy_loss + value_loss)
                self._step()
                steps += 1
                follow(self._player, self._learning, self.settings.follow)
                losses += torch.stack([policy_loss.detach(), value_loss.detach()])
        policy, value = (losses / max(steps, 1)).tolist()
        return policy, value

    def _centred(self, observations: Floats) -> Tensor:
        """Return observations scaled to numbers from -1 to 1, the input of the network."""
        low, high = self.game.observation_range
        return (self._tensor(observations) - (low + high) / 2) * (2 / (high - low))

    def network(self) -> Network:
        """Return the network that plays, with a first layer that takes plain observations."""
        low, high = self.game.observation_range
        weight, bias, *rest = self._player
        bias = bias - weight.sum(0) * ((low + high) / (high - low))
        return playable([weight * (2 / (high - low)), bias, *rest], POLICY_VALUE)

    def state(self) -> dict[str, Any]:
        """Return a copy of all that is needed to go on exactly: tensors, arrays and numbers."""
        filled = min(self._met, len(self._worths))
        return super().state() | {
            "places": len(self._worths),
            "met": self._met,
            "views": self._views[:filled].copy(),
            "plans": self._plans[:filled].copy(),
            "worths": self._worths[:filled].copy(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned, for a learner of the same game and settings."""
        if state["places"] != len(self._worths):
            raise ValueError(
                f"state: places={state['places']} does not fit memory={len(self._worths)}; "
                "expected the state of a learner made alike"
            )
        super().restore(state)
        filled = len(state["worths"])
        self._met = int(state["met"])
        self._views[:filled] = state["views"]
        self._plans[:filled], self._worths[:filled] = state["plans"], state["worths"]

    def _networks(self) -> dict[str, list[Tensor]]:
        return {"learning": self._learning, "player": self._player}
