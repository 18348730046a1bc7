"""What players know, as OpenSpiel's tensors and texts.

An observation is that of the game, by its named parts. An information state is all that a player
has seen and done since the deal: a row for every view, with the action that was taken on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from bidarena.envs.game import Game


class Observer:
    """Writes what one player knows of a state, as `pyspiel` wants it of games in Python.

    Args:
        game: the game.
        perfect_recall: whether to write the information state; False: the observation.

    Attributes:
        tensor: all that was written last, float32.
        dict: the named parts of the tensor. Of an observation, those of the game. Of an information
            state `player` (one-hot), and by rows `seen` (1 if the row is used), `observations` and
            `actions` (one-hot; all 0 in the last row).
    """

    def __init__(self, game: Game, *, perfect_recall: bool) -> None:
        self._recall = perfect_recall
        if perfect_recall:
            rows = game.longest + 1
            shapes: dict[str, tuple[int, ...]] = {
                "player": (game.players,),
                "seen": (rows,),
                "observations": (rows, game.observation_size),
                "actions": (rows, game.actions),
            }
        else:
            shapes = {
                name: (part.stop - part.start,)
                for name, part in sorted(game.observation.items(), key=lambda item: item[1].start)
            }
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor: NDArray[np.float32] = np.zeros(sum(sizes), np.float32)
        pieces = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {
            name: piece.reshape(shape)
            for (name, shape), piece in zip(shapes.items(), pieces, strict=True)
        }

    def set_from(self, state: Any, player: int) -> None:
        """Write what a player knows of a state into `tensor`; nothing before the deal."""
        self.tensor.fill(0.0)
        line = state.line
        if not self._recall:
            if line.last is not None:
                self.tensor[:] = line.last.view(player)
            return
        self.dict["player"][player] = 1.0
        for row, (step, action) in enumerate(line.known(player)):
            self.dict["seen"][row] = 1.0
            self.dict["observations"][row] = step.view(player)
            if action >= 0:
                self.dict["actions"][row, action] = 1.0

    def string_from(self, state: Any, player: int) -> str:
        """Return what a player knows of a state as text; different knowledge differs in it."""
        line = state.line
        if not self._recall:
            return f"player {player}: " + ("" if line.last is None else line.last.text(player))
        rows = (
            step.text(player) + (f" | action {action}" if action >= 0 else "")
            for step, action in line.known(player)
        )
        return f"player {player}: " + "\n".join(rows)


def observer(game: Game, wanted: Any = None, params: Any = None) -> Observer:
    """Return the observer of a type.

    Args:
        game: the game.
        wanted: a `pyspiel.IIGObservationType`; None: the observation.
        params: must be empty.

    Raises:
        ValueError: the type is not what one player knows. Our games do not say what is public.
    """
    if params:
        raise ValueError(f"params={params!r}: observers of these games have no parameters")
    if not wanted:
        return Observer(game, perfect_recall=False)
    whole = wanted.public_info and wanted.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
    if not whole:
        raise ValueError(
            f"iig_obs_type={wanted}: expected public_info=True and "
            "private_info=SINGLE_PLAYER, all that one player knows"
        )
    return Observer(game, perfect_recall=wanted.perfect_recall)
