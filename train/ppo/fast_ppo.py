"""Our own masked PPO: a lean loop for bots, for one's own past, and for play against oneself.

The algorithm is that of Schulman et al., "Proximal policy optimization algorithms" (2017): clipped
ratios, advantages by lambda-returns, an entropy bonus. Illegal actions have no probability. Against
bots or snapshots it learns a good answer to them. With `--opponent self` one policy has all seats
and every decision of a game is learned from.

Against oneself the entropy bonus decides what is learned where the best play is mixed. If it is
small, the policy runs in circles around the equilibrium; if it is large, it comes to rest, but far
from it. Here it falls geometrically from `ent_coef` to `ent_coef_end`. With that plain policy
gradients are about as good as methods made for such games (Rudolph et al., "Reevaluating policy
gradient methods for imperfect-information games", arXiv 2502.08938).

    learner = FastPPO(make_game("raj", reward="margin"), {}, seed=0, total=10_000_000)
    while learner.steps < 10_000_000:
        print(learner.learn())
    bot = network_bot(game, learner.network(), "ppo")
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from bidarena.baselines.learned.network import Network
from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.envs.learner import SELF
from bidarena.envs.solo import opponents_of
from bidarena.train.pool import Pool
from bidarena.train.ppo.rollouts import OpponentRows, Rollout, all_seats
from bidarena.train.selfplay.games import Floats
from bidarena.train.selfplay.layers import Tensor, layers, outputs, playable
from bidarena.train.selfplay.learner import NetworkLearner, SelfPlaySettings, within
from bidarena.train.task import Task

FORBIDDEN = -1e9  # logit of an illegal action


@dataclass(frozen=True)
class FastPPOSettings(SelfPlaySettings):
    """What can be chosen about our PPO.

    `hidden` is of the policy and of the critic. `explore` is for play against oneself: the
    probability that a game starts, and goes on, with one side playing at random; it must be 0 where
    anything is hidden but moves made at the same time.
    """

    rows: int = 512
    hidden: Sequence[int] = (64, 64)
    learning_rate: float = 3e-3

    n_steps: int = 32
    """decisions in each row between two updates; against oneself whole games are played instead"""

    epochs: int = 4
    """how often each decision is learned from"""

    gae_lambda: float = 0.95
    """lambda of the returns: 1 looks at results only, 0 at the next decision only"""

    clip_range: float = 0.2
    """how far the probability of an action may move in one update, as a ratio"""

    ent_coef: float = 0.003
    """weight of the entropy beside advantages of variance 1, at first"""

    ent_coef_end: float = 0.003
    """its weight in the end; in between it falls geometrically"""

    max_grad_norm: float = 0.5
    """the longest gradient of the policy in one step"""

    average: float | None = None
    """null: the last policy plays; a number: a policy with weights averaged over about the last
    1 / (1 + average) of the past plays"""

    pool_size: int = 0
    """opponent self: 0 plays all seats with the present policy; more: against so many snapshots"""

    pool_rule: str = "latest"
    """how a snapshot is drawn: uniform, recent or latest"""

    pool_bots: Sequence[str] = ()
    """bots to play against as well as against snapshots"""

    pool_bot_share: float = 0.0
    """the share of the games against these bots"""

    pool_every: float = 1e5
    """decisions between two snapshots"""

    def __post_init__(self) -> None:
        within("explore", self.explore, 0.0, 0.999)
        super().__post_init__()
        for name in ("n_steps", "epochs"):
            whole(name, getattr(self, name), 1, 10**7)
        whole("pool_size", self.pool_size, 0, 1000)
        within("gae_lambda", self.gae_lambda, 0.0, 1.0)
        for name in ("clip_range", "ent_coef", "ent_coef_end", "max_grad_norm"):
            within(name, getattr(self, name), 1e-12, 1e3)
        if self.average is not None:
            within("average", self.average, 0.0, 1e6)
        within("pool_every", self.pool_every, 1, 1e12)


def learner(task: Task) -> FastPPO:
    """Return a learner that learns a task by our PPO."""
    return FastPPO.for_task(task)


class FastPPO(NetworkLearner):
    """Learns to play any game, against others or against itself; one network plays all seats."""

    settings_type = FastPPOSettings
    settings: FastPPOSettings

    def __init__(
        self,
        game: Game,
        settings: Mapping[str, Any],
        *,
        seed: int,
        total: int,
        players: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin with a policy that is nearly uniform.

        Args:
            game: what to learn.
            settings: fields of `FastPPOSettings` that differ from its defaults.
            seed: seeds the weights and the games.
            total: how many decisions it will learn from; the learning rate ends there at 0.
            players: opponent, partner and seat, as in a `Task`; by default itself in all seats.
        """
        super().__init__(game, settings, seed=seed, total=total)
        chosen = self.settings
        self._policy = layers(
            [game.observation_size, *chosen.hidden, game.actions], self._luck, device=self.device
        )
        self._critic = layers(
            [game.observation_size, *chosen.hidden, 1], self._luck, device=self.device
        )
        self._average = [part.detach().clone() for part in self._policy]
        self._adam = torch.optim.Adam([*self._policy, *self._critic], fused=True)
        self._players = {"opponent": SELF, **(players or {})}
        self._pool: Pool | None = None
        self._next_snapshot = 0
        self._others: OpponentRows | None = None  # None: it has all seats itself
        if self._players["opponent"] == SELF and chosen.pool_size == 0:
            self._check_all_seats()
            return
        if chosen.explore > 0:
            raise ValueError(f"explore={chosen.explore}: against opponents expected 0")
        if self._players["opponent"] == SELF:
            self._pool = Pool(
                game, chosen.pool_size, chosen.pool_rule, chosen.pool_bots, chosen.pool_bot_share
            )
            self._pool.add(playable(self._policy))
            self._next_snapshot = int(chosen.pool_every)
        self._others = OpponentRows(
            *(game, chosen.rows, self._opponents()),
            seat=self._players.get("seat", "random"),
            seed=seed,
            threads=chosen.threads,
        )

    @classmethod
    def for_task(cls, task: Task) -> Self:
        """Return a learner of a task."""
        game = task.make_game()
        return cls(game, task.settings, seed=task.seed, total=task.steps, players=task.players)

    def _check_all_seats(self) -> None:
        partner, chosen = self._players.get("partner"), self.settings
        if partner not in (None, SELF):
            raise ValueError(
                f"partner={partner!r}: with opponent self one policy has all seats; leave "
                "--partner out, or play against snapshots (pool_size=8)"
            )
        if chosen.explore > 0 and self.game.hidden:
            raise ValueError(
                f"explore={chosen.explore}: random moves would tell lies about what is hidden in "
                f"{self.game.name}; expected 0"
            )
        if chosen.explore > 0 and len(set(self.game.teams)) != 2:
            raise ValueError(f"explore={chosen.explore}: expected 0 unless there are two sides")

    def _opponents(self) -> list[Any]:
        """Return who plays each seat after the learner's."""
        named = self._players["opponent"] if self._pool is None else self._pool.wheel()
        return opponents_of(self.game, named, None, self._players.get("partner"))

    def learn(self) -> dict[str, float]:
        """Play for a round, learn from it, and return the metrics.

        Times are CPU seconds of this process. `entropy` (in nats), `kl` (how far the policy moved),
        `clipped` (share of the ratios) and `value_loss` are means over decisions and epochs.
        """
        began = time.process_time()
        settings, progress = self.settings, self._progress
        with torch.no_grad():
            rollout = self._play()
        rate = self._set_rate()
        ent_coef = settings.ent_coef * (settings.ent_coef_end / settings.ent_coef) ** progress
        measured = self._update(rollout, ent_coef)
        self.steps += len(rollout.actions)
        if self._pool is not None and self.steps >= self._next_snapshot:
            self._pool.add(playable(self._policy))
            self._next_snapshot = self.steps + int(settings.pool_every)
            self._seat_pool()
        told = {} if np.isnan(rollout.mean_return) else {"return": rollout.mean_return}
        return {
            **measured,
            **told,
            "learning_rate": rate,
            "ent_coef": ent_coef,
            "games": float(rollout.games),
            "decisions": float(len(rollout.actions)),
            "env_seconds": rollout.env_seconds,
            "seconds": time.process_time() - began,
        }

    def _play(self) -> Rollout:
        """Play for a round: whole games in all seats, or some decisions against opponents."""
        settings, luck = self.settings, self._luck
        decay = settings.gae_lambda
        if self._others is None:
            return all_seats(self._batch, self._judge, luck, decay=decay, explore=settings.explore)
        return self._others.play(self._judge, luck, steps=settings.n_steps, decay=decay)

    def _judge(self, observations: Floats, legal: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return the log-probabilities of actions and the expected results, for some rows."""
        views = self._tensor(observations)
        logs = _log_chances(outputs(self._policy, views), self._tensor(legal))
        return logs.cpu().numpy(), outputs(self._critic, views)[:, 0].cpu().numpy()

    def _update(self, rollout: Rollout, ent_coef: float) -> dict[str, float]:
        """Learn from the decisions in some passes, and return mean metrics."""
        settings = self.settings
        views, legal = self._tensor(rollout.observations), self._tensor(rollout.legal)
        actions = self._tensor(rollout.actions)[:, None]
        before, targets = self._tensor(rollout.log_chances), self._tensor(rollout.targets)
        gains = rollout.targets - rollout.values
        advantages = self._tensor((gains - gains.mean()) / (gains.std() + 1e-8))
        low, high = 1.0 - settings.clip_range, 1.0 + settings.clip_range
        sums, steps = torch.zeros(4, device=self.device), 0
        for _ in range(settings.epochs):
            for part in self._minibatches(len(actions)):
                seen, worth = views[part], advantages[part]
                logs = _log_chances(outputs(self._policy, seen), legal[part])
                moved = logs.gather(1, actions[part])[:, 0] - before[part]
                ratio = moved.exp()
                gain = torch.minimum(ratio * worth, ratio.clamp(low, high) * worth).mean()
                entropy = -(logs.exp() * logs.clamp(min=-1e3)).sum(1).mean()
                value_loss = (outputs(self._critic, seen)[:, 0] - targets[part]).square().mean()
                self._backward(value_loss - gain - ent_coef * entropy)
                torch.nn.utils.clip_grad_norm_(self._policy, settings.max_grad_norm)
                self._step()
                steps += 1
                if settings.average is not None:
                    self._average_in(self._average, self._policy, settings.average)
                with torch.no_grad():
                    kl = (ratio - 1.0 - moved).mean()
                    clipped = ((ratio < low) | (ratio > high)).float().mean()
                    sums += torch.stack([entropy, kl, clipped, value_loss])
        means = (sums / steps).tolist()
        return dict(zip(("entropy", "kl", "clipped", "value_loss"), means, strict=True))

    def network(self) -> Network:
        """Return the policy that plays: the last one, or the averaged one if there is one."""
        return playable(self._policy if self.settings.average is None else self._average)

    # --- checkpoints ---------------------------------------------------------------------------

    def _networks(self) -> dict[str, list[Tensor]]:
        return {"policy": self._policy, "critic": self._critic, "average": self._average}

    def _seat_pool(self) -> None:
        assert self._others is not None
        self._others.change_opponents(self._opponents())

    def state(self) -> dict[str, Any]:
        """Return a copy of all that is needed to go on exactly: tensors, arrays and numbers."""
        state = super().state()
        if self._pool is not None:
            state["next_snapshot"] = self._next_snapshot
            state["snapshots"] = [
                [
                    array.copy()
                    for pair in zip(one.weights, one.biases, strict=True)
                    for array in pair
                ]
                for one in self._pool.snapshots
            ]
        if self._others is not None:
            state["others"] = self._others.state()
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned, for a learner of the same game and settings."""
        super().restore(state)
        if self._pool is not None:
            self._pool.empty()
            for parts in state["snapshots"]:
                arrays = [np.asarray(part) for part in parts]
                self._pool.add(Network(tuple(arrays[0::2]), tuple(arrays[1::2])))
            self._next_snapshot = int(state["next_snapshot"])
            self._seat_pool()
        if self._others is not None:
            self._others.restore(state["others"])


def _log_chances(logits: Tensor, legal: Tensor) -> Tensor:
    return torch.log_softmax(logits.masked_fill(~legal, FORBIDDEN), 1)
