"""One game of two players that a test plays move by move, through the compiled rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs import make_game


class GameTable:
    """A game in progress; its generator begins with the words 3 and 5."""

    def __init__(self, name: str, **options: Any) -> None:
        self.game = make_game(name, **options)
        self.rng = np.array([3, 5], np.uint64)
        self.state = self.game.new_state(self.rng)

    def play(self, action: int) -> None:
        """Take a legal action."""
        assert self.legal[action], f"action {action} is illegal"
        self.game.call("step")(self.game.cfg, self.state, action, self.rng)

    @property
    def legal(self) -> NDArray[np.int8]:
        """Return the mask of legal actions."""
        mask = np.zeros(self.game.actions, np.int8)
        self.game.call("legal")(self.game.cfg, self.state, mask)
        return mask

    @property
    def status(self) -> int:
        """Return the player to move, or OVER or CUT_SHORT."""
        return int(self.game.call("to_move")(self.game.cfg, self.state))

    @property
    def returns(self) -> list[float]:
        """Return both players' results."""
        out = np.zeros(2)
        self.game.call("returns")(self.game.cfg, self.state, out)
        return out.tolist()

    def view(self, player: int) -> NDArray[np.float32]:
        """Return what a player observes."""
        out = np.zeros(self.game.observation_size, np.float32)
        self.game.call("observe")(self.game.cfg, self.state, player, out)
        return out
