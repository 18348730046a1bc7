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
from bidarena.baselines.learned.policy_file import check_fits, shipped_file
from bidarena.baselines.learned.policy_format import SUFFIX, load_policy
from bidarena.envs.arguments import flag, whole
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot, find_tool, make_bot
from bidarena.train.selfplay.games import (
    Decisions,
    Floats,
    OpenValues,
    oracle_places,
    oracle_size,
    play,
)
from bidarena.train.selfplay.layers import Tensor, playable
from bidarena.train.selfplay.learner import NetworkLearner, SelfPlaySettings, within
from bidarena.train.selfplay.tied import Dense, Shape, Tied, with_others
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
    """the share of all decisions in which the teacher is imitated, if there is one; with `begin`
    the share in which the policy stands still while the critic learns what its moves are worth"""

    begin: str | None = None
    """a policy to begin with: the path of a file, or the name of one that comes with the package;
    its layers must have the sizes of `hidden`"""

    oracle: Sequence[str] = ()
    """parts of the observation that the critic sees of all players, such as their hands; the critic
    is used while learning only, so the policy knows nothing of them"""

    open_share: float = 0.0
    """the share of all decisions, after those of the teacher, in which the game itself says what
    actions are worth with nothing hidden, where it can (its tool `open_values`); only learning
    looks at that"""

    softness: float = 0.05
    """how the policy follows what the game says with nothing hidden: an action that is worth this
    much less is e times less likely"""

    rivals: Sequence[str] = ()
    """bots that play one side in some of the games, so that the policy also learns to meet others
    than itself; nothing is learned from their own moves"""

    rival_share: float = 0.5
    """the share of games against rivals, if there are any"""

    tied: bool = False
    """whether parts that can be exchanged, such as suits, are treated alike (tied.py)"""

    sharpen: float = 1.0
    """the policy to play with has its logits multiplied by this: above 1 it plays its best moves
    more often, for games in which the right moves are mostly pure"""

    average: float = 8.0
    """the policy to play with is averaged over about the last 1 / (1 + average) of the past"""

    def __post_init__(self) -> None:
        within("explore", self.explore, 0.0, 0.999)
        super().__post_init__()
        whole("epochs", self.epochs, 1, 10**7)
        for name in ("magnet", "magnet_end", "clip", "softness", "sharpen"):
            within(name, getattr(self, name), 1e-12, 1e3)
        within("decay", self.decay, 0.0, 1.0)
        flag("tied", self.tied)
        for name in ("teacher_share", "rival_share", "open_share"):
            within(name, getattr(self, name), 0.0, 1.0)
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
        teacher = self.settings.teacher
        self._teacher = None if teacher is None else _compiled("teacher", game, teacher)
        self._rivals = [_compiled("rivals", game, name) for name in self.settings.rivals]
        self._open_values = _open_values(game) if self.settings.open_share > 0 else None
        self._player, self._judge_of = _shapes(game, self.settings, self.device)
        self._policy, self._critic = (
            shape.draw(self._luck) for shape in (self._player, self._judge_of)
        )
        if self.settings.begin is not None:
            self._policy = _first_policy(game, self.settings, self._player)
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
        prepared = self._teacher is not None or settings.begin is not None
        taught = settings.teacher_share if prepared else 0.0
        imitating = progress < taught and self._teacher is not None
        still = progress < taught and self._teacher is None
        opened = taught <= progress < taught + settings.open_share
        with torch.no_grad():
            games = play(
                *(self._batch, self._judge, self._luck),
                decay=1.0 if imitating else settings.decay,  # a teacher is not met again later
                explore=0.0 if imitating else settings.explore,
                teacher=self._teacher if imitating else None,
                oracle=settings.oracle,
                rivals=() if imitating else self._rivals,
                rival_share=settings.rival_share,
                open_values=self._open_values if opened else None,
            )
        rate = self._set_rate()
        magnet = settings.magnet * (settings.magnet_end / settings.magnet) ** progress
        measured = self._update(games, magnet, imitating, opened, still)
        self.steps += len(games.actions)
        return {
            **measured,
            "learning_rate": rate,
            "magnet": magnet,
            "imitates": float(imitating),
            "opened": float(opened),
            "games": float(games.games),
            "decisions": float(len(games.actions)),
            "env_seconds": games.env_seconds,
            "seconds": time.process_time() - began,
        }

    def _judge(
        self, observations: Floats, known: Floats, legal: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        seen = self._tensor(self._player.arrange(observations))
        logs = _log_chances(self._player.outputs(self._policy, seen), self._tensor(legal))
        seen = self._tensor(self._judge_of.arrange(known))
        values = self._judge_of.outputs(self._critic, seen)
        return logs.cpu().numpy(), values.cpu().numpy()

    def _update(
        self, games: Decisions, magnet: float, imitating: bool, opened: bool, still: bool
    ) -> dict[str, float]:
        """Learn from the decisions in some passes, and return mean metrics.

        Args:
            games: the decisions.
            magnet: the pull toward the uniform policy.
            imitating: whether the decisions are a teacher's, to be imitated.
            opened: whether the game itself said what actions are worth.
            still: whether only the critic learns.
        """
        views = self._tensor(self._player.arrange(games.observations))
        known = self._tensor(self._judge_of.arrange(games.seen_by_critic))
        legal, solved = self._tensor(games.legal), self._tensor(games.solved)
        actions = self._tensor(games.actions)[:, None]
        before = self._tensor(games.log_chances).masked_fill(~legal, 0.0)
        chances = self._tensor(np.exp(games.log_chances))
        targets = self._tensor(games.targets)[:, None]
        advantages = _advantages(self._tensor(games.values), chances, actions, targets)
        settings = self.settings
        sums, steps = torch.zeros(3, device=self.device), 0
        for _ in range(settings.epochs):
            for part in self._minibatches(len(actions)):
                # index_select takes rows several times as fast as an index in brackets
                seen, allowed, old, taken, worth, goal, seen_by_critic, earlier, told = (
                    every.index_select(0, part)
                    for every in (
                        *(views, legal, chances, actions, advantages),
                        *(targets, known, before, solved),
                    )
                )
                logits = self._player.outputs(self._policy, seen)
                logs = _log_chances(logits, allowed)
                now = logs.exp()
                logs = logs.masked_fill(~allowed, 0.0)
                # the distance to the uniform policy, but for a constant, is minus the entropy
                entropy = -(now * logs).sum(1).mean()
                if imitating:
                    gain = logs.gather(1, taken).mean()
                else:
                    ratio = now / old.clamp(min=1e-8)
                    kept = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
                    gains = (old * torch.minimum(ratio * worth, kept * worth)).sum(1)
                    gain = gains.masked_fill(told, 0.0).mean() + magnet * entropy
                    if opened:
                        losses = _soft_losses(logits, worth, allowed, settings.softness)
                        gain = gain - losses.masked_fill(~told, 0.0).mean()
                value = self._judge_of.outputs(self._critic, seen_by_critic).gather(1, taken)
                value_loss = (value - goal).square().mean()
                self._backward(value_loss - (0.0 if still else 1.0) * gain)
                torch.nn.utils.clip_grad_norm_(self._policy, MOST_GRADIENT)
                self._step()
                steps += 1
                self._average_in(self._average, self._policy, settings.average)
                with torch.no_grad():
                    moved = (now * (logs - earlier)).sum(1).mean()
                    sums += torch.stack([entropy, moved, value_loss])
        means = (sums / steps).tolist()
        return dict(zip(("entropy", "kl", "value_loss"), means, strict=True))

    def network(self) -> Network:
        """Return the average of the policy, sharpened: this is what plays."""
        *parts, weight, bias = self._player.dense(self._average)
        return playable([*parts, weight * self.settings.sharpen, bias * self.settings.sharpen])

    def _networks(self) -> dict[str, list[Tensor]]:
        return {"policy": self._policy, "critic": self._critic, "average": self._average}


def _shapes(game: Game, settings: MMDSettings, device: torch.device) -> tuple[Shape, Shape]:
    """Return the layers of the policy and of the critic."""
    size, hidden = game.observation_size, settings.hidden
    known = size + oracle_size(game, settings.oracle)
    rest = (hidden, game.actions, device)
    if not settings.tied:
        return Dense(size, *rest), Dense(known, *rest)
    find = find_tool(game.name, "exchange")
    if find is None:
        raise ValueError(f"tied=True: {game.name} tells of no parts that can be exchanged")
    own = find(game)
    places = oracle_places(game, settings.oracle)
    whole_view = with_others(own, size, places, game.players - 1)
    return Tied(own, size, *rest), Tied(whole_view, known, *rest)


def _first_policy(game: Game, settings: MMDSettings, shape: Shape) -> list[Tensor]:
    """Return the weights and biases of the policy to begin with."""
    begin = str(settings.begin)
    is_file = begin.endswith(SUFFIX)
    file = load_policy(begin) if is_file else shipped_file(game, begin)
    check_fits(file, game)
    network = file.network
    if network.head != "logits":
        raise ValueError(f"begin={begin!r}: its network gives {network.head}, expected logits")
    parts = [
        torch.from_numpy(np.asarray(part, np.float32))
        for pair in zip(network.weights, network.biases, strict=True)
        for part in pair
    ]
    parts[-2:] = [part / settings.sharpen for part in parts[-2:]]
    try:
        return shape.fold(parts)
    except ValueError as error:
        raise ValueError(f"begin={begin!r}, hidden={settings.hidden!r}: {error}") from None


def _open_values(game: Game) -> OpenValues:
    tool = find_tool(game.name, "open_values")
    if tool is None:
        raise ValueError(f"open_share: {game.name} does not say what actions are worth; expected 0")
    return game.compiled(tool)


def _compiled(setting: str, game: Game, name: str) -> Bot:
    bot = make_bot(game, name)
    if not isinstance(bot, Bot):
        raise ValueError(f"{setting}: {name!r} is none; expected a compiled bot")
    return bot


def _log_chances(logits: Tensor, legal: Tensor) -> Tensor:
    return torch.log_softmax(logits.masked_fill(~legal, FORBIDDEN), 1)


def _soft_losses(logits: Tensor, worth: Tensor, legal: Tensor, softness: float) -> Tensor:
    """Return how far each decision's logits are from what its actions are worth, over `softness`.

    The policy with the logits worth / softness is the best one if entropy counts `softness`. Its
    gradient does not vanish for actions that are hardly ever played, as that of a policy's gain
    does (Hennes et al., "Neural replicator dynamics", 2020).
    """
    count = legal.sum(1, keepdim=True)
    zero = logits.new_zeros(())
    own = softness * torch.where(legal, logits, zero)
    wanted = torch.where(legal, worth, zero)
    apart = (own - wanted) - ((own - wanted).sum(1, keepdim=True) / count)
    return torch.where(legal, apart, zero).square().sum(1) / (2 * softness)


def _advantages(values: Tensor, chances: Tensor, actions: Tensor, targets: Tensor) -> Tensor:
    """Return what each action is worth above the mean of the policy.

    The chosen action is corrected by what came of it. Averaged over the choice, this correction
    makes up for the errors of the critic.
    """
    mean = (chances * values).sum(1, keepdim=True)
    chance = chances.gather(1, actions).clamp(min=LEAST_CHANCE)
    correction = (targets - values.gather(1, actions)) / chance
    return (values - mean).scatter_add(1, actions, correction)
