"""Self-play that judges positions part by part, and plays by looking one move ahead.

For games that hide nothing, in which players move in turn, and whose positions fall into parts that
do not affect each other (envs/registry/parts.py). It learns as `td` does: what the network should
have said of a position is what it says now of the best position that a move leads to, or the result
where a move ends the game. The ends of games are right from the beginning, and from there what is
right spreads to larger and larger positions.

What differs is the network (baselines/learned/parts.py): its first layers see each part by itself,
and what they say is multiplied over all parts. So it learns what a part counts for once, wherever
and beside whatever it stands, where plain layers have to find the parity of everything at once. And
positions that are sums of the same parts are one position: each is judged once a round and kept
once in memory.

A game begins with random moves: while a position has more than `widest` legal moves, which takes
long to look at and tells little, then 0 to `opening` more, so that positions far from good openings
are learned as well. From then on every position met is learned from: its successors are judged
once, and tell both the move and the target.

    learner = TDParts(make_game("coins", board="triangle5"), {}, seed=0, total=500_000)
    while learner.steps < 500_000:
        print(learner.learn())
    bot = network_bot(game, learner.network(), "td_parts")
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bidarena.baselines.learned.network import PARTS, Network, check_open
from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.envs.rng import WORDS, seeded
from bidarena.train.selfplay.layers import RELU_GAIN, Tensor, follow, layers, outputs
from bidarena.train.selfplay.learner import NetworkLearner, SelfPlaySettings, within
from bidarena.train.selfplay.lookahead import Floats, States, show_states
from bidarena.train.selfplay.splitting import Splitter, Sums
from bidarena.train.settings import layer_sizes
from bidarena.train.task import Task

AT_ONCE = 1024  # positions whose moves are tried together


@dataclass(frozen=True)
class TDPartsSettings(SelfPlaySettings):
    """What can be chosen about learning part by part; `rows` games are played in each round."""

    rows: int = 256
    hidden: Sequence[int] = (256, 256, 64)
    """units of the layers that see a part; the last are the factors that are multiplied"""

    top: Sequence[int] = (64, 64)
    """units of the hidden layers that take the products"""

    learning_rate: float = 2e-3
    minibatch: int = 512
    explore: float = 0.2

    widest: int = 100
    """positions with more legal moves than this are passed by random moves, and not learned from"""

    opening: int = 3
    """how many random moves follow at most"""

    memory: int = 2**18
    """places for positions that were met"""

    positions: int = 3072
    """how many earlier positions are learned from in each round, beside those of its games"""

    epochs: int = 4
    """how often each position is learned from in a round"""

    follow: float = 0.05
    """how far the network that judges positions moves toward the learning one in each step"""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("memory", "positions", "epochs"):
            whole(name, getattr(self, name), 1, 10**7)
        whole("opening", self.opening, 0, 10**6)
        whole("widest", self.widest, 1, 10**6)
        layer_sizes("top", self.top)
        if not self.hidden:
            raise ValueError(f"hidden={self.hidden!r}: expected at least one layer, such as [64]")
        within("follow", self.follow, 1e-6, 1.0)


def learner(task: Task) -> TDParts:
    """Return a learner that learns a task part by part."""
    return TDParts.for_task(task)


class TDParts(NetworkLearner):
    """Learns to play any zero-sum game of two sides that hides nothing and falls into parts.

    Its `steps` count positions.
    """

    settings_type = TDPartsSettings
    settings: TDPartsSettings

    def __init__(self, game: Game, settings: Mapping[str, Any], *, seed: int, total: int) -> None:
        """Begin with a network that calls nearly all positions even; see the base class."""
        check_open(game)
        super().__init__(game, settings, seed=seed, total=total)
        self._splitter = Splitter(game)
        self._memory = np.zeros((self.settings.memory, game.state_size), np.int64)
        self._used = np.zeros(self.settings.memory, np.bool_)
        body, top = list(self.settings.hidden), list(self.settings.top)
        seen = self._layers([self._splitter.parts.size, *body])
        with torch.no_grad():
            seen[-2].mul_(10.0)  # no last layer here: factors should begin as different as they can
        self._learning = seen + self._layers([body[-1], *top, 1])
        self._judge = [part.detach().clone() for part in self._learning]
        self._adam = torch.optim.Adam(self._learning, fused=True)

    def _layers(self, sizes: Sequence[int]) -> list[Tensor]:
        return layers(sizes, self._luck, gain=RELU_GAIN, device=self.device)

    def learn(self) -> dict[str, float]:
        """Play some games, learn from their and from earlier positions, return the metrics.

        Times are CPU seconds of this process. `value_loss` is the mean cross-entropy above the
        least that these targets allow (in nats), `certainty` the mean size of the targets, `met`
        the number of positions in memory.
        """
        began = time.process_time()
        with torch.no_grad():
            env_seconds, states, targets = self._play()
            filled = np.flatnonzero(self._used)
            if len(filled) > self.settings.positions:
                count = self.settings.positions
                filled = self._luck.choice(filled, count, replace=False, shuffle=False)
            earlier = self._memory[filled]
            states = np.concatenate([states, earlier])
            targets = np.concatenate([targets, self._worths(earlier).max(axis=1)])
            sums, keys, kinds = self._splitter.positions(states)
            self._keep(states, keys[kinds])
        rate = self._set_rate()
        loss = self._update(sums, kinds, targets)
        self.steps += len(targets)
        return {
            "value_loss": loss,
            "certainty": float(np.abs(targets).mean()),
            "met": float(self._used.sum()),
            "learning_rate": rate,
            "games": float(self.settings.rows),
            "decisions": float(len(targets)),
            "env_seconds": env_seconds,
            "seconds": time.process_time() - began,
        }

    # --- playing ----------------------------------------------------------------------------------

    def _play(self) -> tuple[float, States, Floats]:
        """Play one game in each row.

        Return the seconds of the environment, the positions after the openings, and their targets.
        """
        batch, luck = self._batch, self._luck
        began = time.process_time()
        batch.reset()
        spent = time.process_time() - began
        opening = luck.integers(0, self.settings.opening + 1, batch.rows)  # moves left of it
        met, targets = [], []
        while len(running := np.flatnonzero(batch.movers >= 0)) > 0:
            legal = batch.masks[running]
            chosen = ((1 - luck.random(legal.shape, np.float32)) * legal).argmax(axis=1)
            narrow = legal.sum(axis=1) <= self.settings.widest
            begun = narrow & (opening[running] == 0)
            opening[running] -= narrow & ~begun
            if begun.any():
                met.append(batch.states[running[begun]])
                worths = self._worths(met[-1])
                targets.append(worths.max(axis=1))
                straight = luck.random(len(worths)) >= self.settings.explore
                chosen[begun] = np.where(straight, worths.argmax(axis=1), chosen[begun])
            actions = np.zeros(batch.rows, np.int64)
            actions[running] = chosen
            began = time.process_time()
            batch.step(actions)
            spent += time.process_time() - began
        if not met:  # all games were shorter than their openings
            empty = np.zeros((0, self.game.state_size), np.int64)
            return spent, empty, np.zeros(0, np.float32)
        return spent, np.concatenate(met), np.concatenate(targets)

    def _worths(self, states: States) -> Floats:
        """Return what each action is worth to the mover (rows, actions); -inf if not legal."""
        game = self.game
        chance = seeded(self._luck, WORDS)
        worths = []
        for first in range(0, len(states), AT_ONCE):
            some = states[first : first + AT_ONCE]
            movers = np.empty(len(some), np.int64)
            masks = np.empty((len(some), game.actions), np.int8)
            views = np.empty((len(some), game.observation_size), np.float32)
            game.compiled(show_states)(game.cfg, some, movers, masks, views)
            moves = self._splitter.moves(some, movers, masks, chance)
            on = moves.kinds >= 0
            if on.any():
                values = torch.tanh(self._logits(self._judge, moves.sums) / 2).cpu().numpy()
                moves.worth[on] = values[moves.kinds[on]] * moves.signs[on]
            worths.append(moves.worth)
        return np.concatenate(worths) if worths else np.zeros((0, game.actions), np.float32)

    def _keep(self, states: States, keys: NDArray[np.uint64]) -> None:
        """Keep positions, each once: a key has one place, and the latest comer stays there."""
        places = (keys % np.uint64(len(self._used))).astype(np.int64)
        self._memory[places] = states
        self._used[places] = True

    # --- the network ------------------------------------------------------------------------------

    def _logits(self, network: Sequence[Tensor], sums: Sums) -> Tensor:
        """Return one number for each position: who is to move expects tanh of its half."""
        seen = 2 * len(self.settings.hidden)
        factors = torch.tanh(outputs(network[:seen], self._tensor(sums.views) * 2 - 1))
        factors = torch.cat([torch.ones_like(factors[:1]), factors[1:]])  # number 0: no part
        numbers = self._tensor(sums.parts).long()
        product = factors[numbers[:, 0]]
        for k in range(1, numbers.shape[1]):
            product = product * factors[numbers[:, k]]
        return outputs(network[seen:], product)[:, 0]

    def _update(self, sums: Sums, kinds: NDArray[np.int64], targets: Floats) -> float:
        """Learn from positions in some passes, and return the mean loss."""
        wanted = self._tensor((1 + targets) / 2).clamp(0.0, 1.0)
        least = torch.nn.functional.binary_cross_entropy(wanted, wanted).item()
        total, steps = torch.zeros((), device=self.device), 0
        for _ in range(self.settings.epochs):
            for part in self._minibatches(len(wanted)):
                some = sums.parts[kinds[part.cpu().numpy()]]
                few, again = np.unique(np.append(some, 0), return_inverse=True)
                numbers = again[:-1].reshape(some.shape).astype(np.int32)
                logits = self._logits(self._learning, Sums(sums.views[few], numbers))
                loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted[part])
                self._backward(loss)
                self._step()
                steps += 1
                follow(self._judge, self._learning, self.settings.follow)
                total += loss.detach()
        return total.item() / steps - least

    def network(self) -> Network:
        """Return the network that judges, with a first layer that takes parts as they are seen."""
        weight, bias, *rest = (part.detach().cpu().numpy().copy() for part in self._judge)
        parts = [2 * weight, bias - weight.sum(0), *rest]  # they are learned from -1 to 1
        count = len(self.settings.hidden)
        return Network(tuple(parts[0::2]), tuple(parts[1::2]), head=PARTS, part_layers=count)

    # --- going on ---------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return a copy of all that is needed to go on exactly: tensors, arrays and numbers."""
        return super().state() | {
            "places": len(self._used),
            "met": np.flatnonzero(self._used),
            "positions": self._memory[self._used],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned, for a learner of the same game and settings."""
        if state["places"] != len(self._used):
            raise ValueError(
                f"state: places={state['places']} does not fit memory={len(self._used)}; "
                "expected the state of a learner made alike"
            )
        super().restore(state)
        self._used[:] = False
        self._used[state["met"]] = True
        self._memory[state["met"]] = state["positions"]

    def _networks(self) -> dict[str, list[Tensor]]:
        return {"learning": self._learning, "judge": self._judge}
