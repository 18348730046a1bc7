"""Regularised self-play that comes to rest at an equilibrium: magnetic mirror descent.

Plain policy gradients against oneself run in circles in games such as matching pennies. Here every
step is also drawn to a magnet, the uniform policy, with a strength that falls while learning goes
on, so that the policy settles, and what it settles at comes closer and closer to an equilibrium
(Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and
two-player zero-sum games", 2023). What is played in the end is a running average of the policy.

The step itself is PPO's, over all actions instead of the chosen one only: a critic gives the value
of each action, and the chosen action is corrected by what really came of it. That leaves out most
of the noise of the other side's hidden moves, which near an equilibrium is all there is.

    learner = MMD(make_game("raj", reward="margin"), {}, seed=0, total=10_000_000)
    while learner.steps < 10_000_000:
        print(learner.learn())
    bot = network_bot(game, learner.network(), "mmd")
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bidarena.baselines.learned.network import Network
from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot, make_bot
from bidarena.train.selfplay.games import Decisions, Floats, oracle_size, play
from bidarena.train.selfplay.layers import Tensor, layers, outputs, playable
from bidarena.train.selfplay.learner import NetworkLearner, SelfPlaySettings, within
from bidarena.train.task import Task

LEAST_CHANCE = 0.02  # corrections are divided by probabilities, but by no smaller one
MOST_GRADIENT = 1.0  # the longest gradient of the policy in one step
FORBIDDEN = -1e9  # logit of an illegal action


@dataclass(frozen=True)
class MMDSettings(SelfPlaySettings):
    """What can be chosen about magnetic mirror descent.

    `hidden` is of the policy and of the critic. `explore` is the probability that a game starts,
    and goes on, with one side playing at random; it must be 0 where anything is hidden but moves
    made at the same time.
    """

    epochs: int = 2
    """how often each decision is learned from"""

    decay: float = 0.5
    """lambda of the targets: 1 looks at results only, 0 at the next decision only"""

    magnet: float = 0.05
    """how strongly the policy is pulled toward the uniform policy at first"""

    magnet_end: float = 0.004
    """how strongly in the end; in between the strength falls exponentially"""

    clip: float = 0.2
    """how far the probability of an action may move in one iteration, as a ratio"""

    teacher: str | None = None
    """a bot whose play is imitated at first, so that learning does not begin at random moves"""

    teacher_share: float = 0.2
    """the share of all decisions in which the teacher is imitated, if there is one"""

    oracle: Sequence[str] = ()
    """parts of the observation that the critic sees of all players, such as their hands; the critic
    is used while learning only, so the policy knows nothing of them"""

    average: float = 8.0
    """the policy to play with is averaged over about the last 1 / (1 + average) of the past"""

    def __post_init__(self) -> None:
        within("explore", self.explore, 0.0, 0.999)
        super().__post_init__()
        whole("epochs", self.epochs, 1, 10**7)
        for name in ("magnet", "magnet_end", "clip"):
            within(name, getattr(self, name), 1e-12, 1e3)
        within("decay", self.decay, 0.0, 1.0)
        within("teacher_share", self.teacher_share, 0.0, 1.0)
        within("average", self.average, 0.0, 1e6)


def learner(task: Task) -> MMD:
    """Return a learner that learns a task by magnetic mirror descent."""
    return MMD.for_task(task)


class MMD(NetworkLearner):
    """Learns to play any zero-sum game of two sides; one network plays all seats."""

    settings_type = MMDSettings
    settings: MMDSettings

    def __init__(self, game: Game, settings: Mapping[str, Any], *, seed: int, total: int) -> None:
        """Begin with a policy that is nearly uniform; see the base class."""
        if not game.zero_sum or len(set(game.teams)) != 2:
            raise ValueError(f"game={game!r}: expected a zero-sum game of two sides")
        super().__init__(game, settings, seed=seed, total=total)
        if self.settings.explore > 0 and game.hidden:
            raise ValueError(
                f"explore={self.settings.explore}: random moves would tell lies about what is "
                f"hidden in {game.name}; expected 0"
            )
        self._teacher = _teacher_of(game, self.settings.teacher)
        seen_by_critic = game.observation_size + oracle_size(game, self.settings.oracle)
        self._policy, self._critic = (
            layers([inputs, *self.settings.hidden, game.actions], self._luck, device=self.device)
            for inputs in (game.observation_size, seen_by_critic)
        )
        self._average = [part.detach().clone() for part in self._policy]
        self._adam = torch.optim.Adam([*self._policy, *self._critic], fused=True)

    def learn(self) -> dict[str, float]:
        """Play one batch of games, learn from it, and return the metrics.

        Times are CPU seconds of this process. `entropy` (in nats), `kl` (how far the policy moved)
        and `value_loss` are means over decisions. `imitates` is 1 while there is a teacher.
        """
        began = time.process_time()
        settings = self.settings
        progress = self._progress
        imitating = self._teacher is not None and progress < settings.teacher_share
        with torch.no_grad():
            games = play(
                *(self._batch, self._judge, self._luck),
                decay=1.0 if imitating else settings.decay,  # a teacher is not met again later
                explore=0.0 if imitating else settings.explore,
                teacher=self._teacher if imitating else None,
                oracle=settings.oracle,
            )
        rate = self._set_rate()
        magnet = settings.magnet * (settings.magnet_end / settings.magnet) ** progress
        measured = self._update(games, magnet, imitating)
        self.steps += len(games.actions)
        return {
            **measured,
            "learning_rate": rate,
            "magnet": magnet,
            "imitates": float(imitating),
            "games": float(games.games),
            "decisions": float(len(games.actions)),
            "env_seconds": games.env_seconds,
            "seconds": time.process_time() - began,
        }

    def _judge(
        self, observations: Floats, known: Floats, legal: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        logits = outputs(self._policy, self._tensor(observations))
        logs = _log_chances(logits, self._tensor(legal))
        values = outputs(self._critic, self._tensor(known))
        return logs.cpu().numpy(), values.cpu().numpy()

    def _update(self, games: Decisions, magnet: float, imitating: bool) -> dict[str, float]:
        """Learn from the decisions in some passes, and return mean metrics."""
        views, legal = self._tensor(games.observations), self._tensor(games.legal)
        known = self._tensor(games.seen_by_critic)
        actions = self._tensor(games.actions)[:, None]
        before = self._tensor(games.log_chances).masked_fill(~legal, 0.0)
        chances = self._tensor(np.exp(games.log_chances))
        targets = self._tensor(games.targets)[:, None]
        advantages = _advantages(self._tensor(games.values), chances, actions, targets)
        settings = self.settings
        sums, steps = torch.zeros(3, device=self.device), 0
        for _ in range(settings.epochs):
            for part in self._minibatches(len(actions)):
                seen, allowed, old = views[part], legal[part], chances[part]
                logs = _log_chances(outputs(self._policy, seen), allowed)
                now = logs.exp()
                logs = logs.masked_fill(~allowed, 0.0)
                # the distance to the uniform policy, but for a constant, is minus the entropy
                entropy = -(now * logs).sum(1).mean()
                if imitating:
                    gain = logs.gather(1, actions[part]).mean()
                else:
                    ratio = now / old.clamp(min=1e-8)
                    kept = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
                    worth = advantages[part]
                    gain = (old * torch.minimum(ratio * worth, kept * worth)).sum(1).mean()
                    gain = gain + magnet * entropy
                value = outputs(self._critic, known[part]).gather(1, actions[part])
                value_loss = (value - targets[part]).square().mean()
                self._backward(value_loss - gain)
                torch.nn.utils.clip_grad_norm_(self._policy, MOST_GRADIENT)
                self._step()
                steps += 1
                self._average_in(self._average, self._policy, settings.average)
                with torch.no_grad():
                    moved = (now * (logs - before[part])).sum(1).mean()
                    sums += torch.stack([entropy, moved, value_loss])
        means = (sums / steps).tolist()
        return dict(zip(("entropy", "kl", "value_loss"), means, strict=True))

    def network(self) -> Network:
        """Return the average of the policy, which is what plays."""
        return playable(self._average)

    def _networks(self) -> dict[str, list[Tensor]]:
        return {"policy": self._policy, "critic": self._critic, "average": self._average}


def _teacher_of(game: Game, name: str | None) -> Bot | None:
    if name is None:
        return None
    bot = make_bot(game, name)
    if not isinstance(bot, Bot):
        raise ValueError(f"teacher={name!r}: expected a compiled bot")
    return bot


def _log_chances(logits: Tensor, legal: Tensor) -> Tensor:
    return torch.log_softmax(logits.masked_fill(~legal, FORBIDDEN), 1)


def _advantages(values: Tensor, chances: Tensor, actions: Tensor, targets: Tensor) -> Tensor:
    """Return what each action is worth above the mean of the policy.

    The chosen action is corrected by what came of it. Averaged over the choice, this correction
    makes up for the errors of the critic.
    """
    mean = (chances * values).sum(1, keepdim=True)
    chance = chances.gather(1, actions).clamp(min=LEAST_CHANCE)
    correction = (targets - values.gather(1, actions)) / chance
    return (values - mean).scatter_add(1, actions, correction)
