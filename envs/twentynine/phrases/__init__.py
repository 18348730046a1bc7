"""How people speak of Twenty-nine.

moves.py    the phrasebook: how moves are called and typed, why one is refused, what was seen
seen.py     all that one seat knows, for the drawings
state.py    names, and sentences about contract, trump and result
"""

from bidarena.envs.twentynine.phrases.moves import PHRASES

__all__ = ["PHRASES"]
