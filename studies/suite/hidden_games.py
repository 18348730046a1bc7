"""Small games with hidden information, registered for the benchmark suite.

Their truth is known, and other programs have them too. Importing this module registers them, so
that a list of cells names them as "bidarena.studies.suite.hidden_games:NAME".
"""

from __future__ import annotations

from dataclasses import replace

from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.envs.registry import register_game
from bidarena.studies.bench import goofspiel, leduc, liars_dice

LEDUC, DICE, GOOFSPIEL = "suite_leduc", "suite_dice", "suite_goofspiel"


def make_leduc() -> Game:
    """Return Leduc poker: six cards, two rounds, raises of 2 and 4."""
    return replace(leduc.leduc(), name=LEDUC)


def make_dice(faces: int = 5) -> Game:
    """Return liar's dice with one die of 2 to 10 faces each."""
    whole("faces", faces, 2, liars_dice.MOST)
    return replace(liars_dice.liars_dice(faces), name=DICE)


def make_goofspiel(cards: int = 4) -> Game:
    """Return Goofspiel with 2 to 8 cards each; after a round players see only who won it."""
    whole("cards", cards, 2, goofspiel.MOST)
    return replace(goofspiel.goofspiel(cards), name=GOOFSPIEL)


register_game(LEDUC, f"{__name__}:make_leduc", "suite/Leduc-v0")
register_game(DICE, f"{__name__}:make_dice", "suite/LiarsDice-v0")
register_game(GOOFSPIEL, f"{__name__}:make_goofspiel", "suite/HiddenGoofspiel-v0")
