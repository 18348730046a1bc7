"""What is to be learned (`Task`), and what every algorithm must offer (`Learner`).

A task can be written as JSON: it is kept in the run folder, and the run goes on from it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from bidarena.baselines.learned.network import Network
from bidarena.envs.game import Game
from bidarena.envs.registry import make_game


@dataclass(frozen=True)
class Task:
    """One run of learning.

    Attributes:
        game: the name of a registered game; "module:name" imports a module first.
        rules: the rules of the game, as keywords.
        algorithm: the name of a registered algorithm; "module:name" imports a module first.
        steps: how many decisions to learn from.
        seed: seeds the network, the games and everything else that is drawn.
        players: keywords of the environment that say who plays where: opponent, partner, seat.
            The opponent "self" is the learner's own past (pool.py).
        settings: all hyperparameters.
    """

    game: str
    rules: dict[str, Any]
    algorithm: str
    steps: int
    seed: int = 0
    players: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    def make_game(self) -> Game:
        """Return the game to learn."""
        return make_game(self.game, **self.rules)

    def as_dict(self) -> dict[str, Any]:
        """Return the task as plain values for JSON."""
        return asdict(self)


class Learner(Protocol):
    """What a run needs from an algorithm.

    Attributes:
        steps: how many decisions it has learned from so far.
    """

    steps: int

    def learn(self) -> dict[str, float]:
        """Play for a while, learn from it, and return the metrics of this round by name.

        They include "seconds", the time of the round, "env_seconds", the part of it that the
        environment took, and "other_cpu_seconds" if other processes than this one have worked.
        """

    def network(self) -> Network:
        """Return the present policy."""

    def state(self) -> dict[str, Any]:
        """Return all that is needed to go on exactly here: tensors, arrays, numbers, strings."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
