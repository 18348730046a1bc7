"""Self-play: opponents drawn from the learner's own past, with classical bots among them.

Snapshots are compiled bots like all others: they play in batches inside the vector environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import Network
from bidarena.envs.arguments import choice
from bidarena.envs.game import Game
from bidarena.envs.learner import player_of
from bidarena.envs.registry import Bot

RULES = ("uniform", "recent", "latest")
PLACES = 60  # on the wheel from which an opponent is drawn: shares are kept in 60ths
FADING = 0.8  # rule "recent": how much rarer each older snapshot is


class Pool:
    """The last snapshots of a learner, and some bots.

    Args:
        game: the game they play.
        size: how many snapshots are kept; the oldest one is dropped.
        rule: how one is drawn: "uniform"; "recent": each is 0.8 times as likely as the next newer;
            "latest": half the games against the newest, the others uniform.
        bots: names of classical bots, all equally likely.
        bot_share: the share of the games in which one of the bots plays, from 0 to 1.
    """

    def __init__(
        self, game: Game, size: int, rule: str, bots: Sequence[str], bot_share: float
    ) -> None:
        choice("pool_rule", rule, RULES)
        if size < 1:
            raise ValueError(f"pool_size={size}: expected at least 1")
        if not 0 <= bot_share <= 1:
            raise ValueError(f"pool_bot_share={bot_share}: expected a share from 0 to 1")
        if bot_share > 0 and not bots:
            raise ValueError(f"pool_bot_share={bot_share}: name the bots with pool_bots")
        self._game, self._size, self._rule = game, size, rule
        self._bots = [player_of(game, name) for name in bots]
        self._bot_share = bot_share if bots else 0.0
        self.snapshots: list[Network] = []
        self._players: list[Bot] = []

    def add(self, network: Network) -> None:
        """Add the newest snapshot."""
        self.snapshots = [*self.snapshots, network][-self._size :]
        self._players = [*self._players, network_bot(self._game, network, "snapshot")]
        self._players = self._players[-self._size :]

    def empty(self) -> None:
        """Drop all snapshots."""
        self.snapshots, self._players = [], []

    def shares(self) -> list[float]:
        """Return the probability of each snapshot, the oldest first, in games without a bot."""
        count = len(self.snapshots)
        if self._rule == "recent":
            weights = FADING ** np.arange(count - 1, -1, -1.0)
        else:
            weights = np.ones(count)
            if self._rule == "latest" and count > 1:
                weights[-1] = count - 1
        return list(weights / weights.sum())

    def wheel(self) -> list[Any]:
        """Return the opponents to draw from, each as often as its share says."""
        places = [(1 - self._bot_share) * PLACES * share for share in self.shares()]
        places += [self._bot_share * PLACES / len(self._bots) for _ in self._bots]
        players = [*self._players, *self._bots]
        if len(players) == 1:
            return players
        counts = _whole_numbers(places)
        return [one for one, count in zip(players, counts, strict=True) for _ in range(count)]


def _whole_numbers(parts: list[float]) -> list[int]:
    """Return whole numbers with the sum of `parts`; those with the largest rest are rounded up."""
    whole = np.floor(np.asarray(parts) + 1e-9).astype(int)
    missing = round(sum(parts)) - int(whole.sum())
    for index in np.argsort(whole - np.asarray(parts), kind="stable")[:missing]:
        whole[index] += 1
    return whole.tolist()
