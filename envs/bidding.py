"""What games of secret bids for the next move share: who wins a round, and what the words mean."""

from __future__ import annotations

from bidarena.envs.game import Returns, Rng
from bidarena.envs.rng import below

PAYMENTS = ("bank", "opponent")
BANK, OPPONENT = 0, 1

TIES = ("alternate", "coin", "holder")
ALTERNATE, COIN, HOLDER = 0, 1, 2


def round_winner(tie: int, holder: int, bid0: int, bid1: int, rng: Rng) -> int:
    """The higher bid wins; of equal ones that of the holder of the advantage, or a coin decides."""
    if bid0 != bid1:
        return 0 if bid0 > bid1 else 1
    return below(rng, 2) if tie == COIN else holder


def next_holder(tie: int, holder: int, bid0: int, bid1: int) -> int:
    """Who holds the draw advantage after a round."""
    return 1 - holder if tie == ALTERNATE and bid0 == bid1 else holder


def outcome_returns(outcome: int, out: Returns) -> None:
    """+1 for the winner, whose number the outcome is, -1 for the other; else 0 for both."""
    out[0] = 1.0 if outcome == 0 else (-1.0 if outcome == 1 else 0.0)
    out[1] = -out[0]


def guessed_bid(money: int, rng: Rng) -> int:
    """A legal bid of somebody who has so much money, each equally likely."""
    return 1 + below(rng, money) if money > 0 else 0
