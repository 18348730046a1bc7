"""Every game as a game of OpenSpiel, so that its algorithms run on it.

    from bidarena.envs import openspiel

    game = openspiel.load("raj", cards=[1, 2, 3], items=[1, 2, 3])
    state = game.new_initial_state()

The game is a `pyspiel.Game`. A draw of chance is a chance node; a shuffled deck is dealt card by
card. Players who move at the same time do so in one simultaneous node; for algorithms that need
turns, `pyspiel.convert_to_turn_based(game)`. An information state is all that a player has seen and
done since the deal. Rules, states and observations are those of the game in this package, and so
are the numbers of actions.

chance.py      runs deals and moves with told outcomes of chance
nodes.py       the nodes of the tree: who chooses among what, and who knows what
observer.py    tensors and texts of observations and information states
game.py        the classes of `pyspiel`
"""

from __future__ import annotations

from typing import Any

try:
    import pyspiel  # noqa: F401
except ImportError as missing:
    raise ImportError(
        'this interface needs OpenSpiel: pip install "bidarena[openspiel]"'
    ) from missing

from bidarena.envs.game import Game
from bidarena.envs.openspiel.game import SHORT_NAME, SpielGame, SpielState, register
from bidarena.envs.registry import make_game

__all__ = ["SHORT_NAME", "SpielGame", "SpielState", "load"]

register()


def load(game: str | Game, **rules: Any) -> SpielGame:
    """Return a game as a `pyspiel.Game`.

    `str()` of it is a text from which `pyspiel.load_game` makes the same game again, in any process
    that has imported this module.

    Args:
        game: a registered name, "module:name", or a ready `Game`.
        **rules: the rules of the game.

    Raises:
        ValueError: the game draws real numbers, or an option has a value that is not allowed.
    """
    return SpielGame(make_game(game, **rules), game if isinstance(game, str) else None)
