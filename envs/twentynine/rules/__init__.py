"""The rules of Twenty-nine, in the order the game is played; `TwentyNineEnv` describes them.

A deal goes through phases: auction, doubling, trump, single hand (auction.py), then the tricks
(play.py) and the result (result.py). turns.py goes from phase to phase and from deal to deal.
view.py holds what a seat sees, guess.py what it can only guess. All cards are dealt at once; the
second four of each seat lie aside, and nobody sees them until the trump is chosen.
"""

from bidarena.envs.twentynine.rules.guess import determinize
from bidarena.envs.twentynine.rules.result import returns
from bidarena.envs.twentynine.rules.turns import legal, reset, step, to_move
from bidarena.envs.twentynine.rules.view import observe, signature

__all__ = ["determinize", "legal", "observe", "reset", "returns", "signature", "step", "to_move"]
