"""Rules shared by games in which two players bid secretly for the right to move.

The options `payment` and `tie` are given as the words in PAYMENTS and TIES. Rules see the index of
the word, which has a constant below.
"""

from __future__ import annotations

from bidarena.envs.game import Returns, Rng
from bidarena.envs.rng import below

PAYMENTS = ("bank", "opponent")  # who receives the winner's bid
BANK, OPPONENT = 0, 1

# Who wins a tie: the holder of the draw advantage, which then passes to the other player; a coin
# decides; or the holder of the advantage, which never passes.
TIES = ("alternate", "coin", "holder")
ALTERNATE, COIN, HOLDER = 0, 1, 2


def round_winner(tie: int, holder: int, bid0: int, bid1: int, rng: Rng) -> int:
    """Return the player who wins a round: the higher bid, or the player to whom the tie goes.

    Args:
        tie: index of the rule in TIES.
        holder: the player who holds the draw advantage.
        bid0: the bid of player 0.
        bid1: the bid of player 1.
        rng: decides ties by a coin.
    """
    if bid0 != bid1:
        return 0 if bid0 > bid1 else 1
    return below(rng, 2) if tie == COIN else holder


def next_holder(tie: int, holder: int, bid0: int, bid1: int) -> int:
    """Return the player who holds the draw advantage after a round; arguments: `round_winner`."""
    return 1 - holder if tie == ALTERNATE and bid0 == bid1 else holder


def outcome_returns(outcome: int, out: Returns) -> None:
    """Write +1 for the winner and -1 for the loser into `out`, or 0 for both.

    Args:
        outcome: the number of the player who has won; any other number: nobody has.
        out: (2,) the results.
    """
    out[0] = 1.0 if outcome == 0 else (-1.0 if outcome == 1 else 0.0)
    out[1] = -out[0]


def guessed_bid(money: int, rng: Rng) -> int:
    """Return a random legal bid of a player who has `money`, each bid equally likely."""
    return 1 + below(rng, money) if money > 0 else 0
