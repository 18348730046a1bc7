"""The classical bots of Scotch: random bids, the report's dynamic programme, Richman's theory."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.scotch_dp import bank_table, richman_table
from bidarena.baselines.solvers.poorman import poorman_line
from bidarena.envs.bidding import guessed_bid
from bidarena.envs.check import whole
from bidarena.envs.compile import compiled
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot
from bidarena.envs.rng import below
from bidarena.envs.scotch.rules import (
    ADVANTAGE,
    HIGH,
    KNOW,
    LARGEST,
    LENGTH,
    MAX_ROUNDS,
    MONEY,
    OPPONENT,
    PAYMENT,
    POSITION,
    PURSE,
)

MOST_WORK = 3_000_000_000  # about five seconds; `dp` refuses games that need more


def random(game: Game) -> Bot:
    """Every legal bid equally likely."""
    return Bot("random", _random_act, distribution=_random_distribution)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    return guessed_bid(state[MONEY + player], rng)


def _random_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    money = state[MONEY + player]
    out[:] = 0.0
    out[min(money, 1) : money + 1] = 1.0 / max(money, 1)


def uniform(game: Game, high: int = 20) -> Bot:
    """The report's "brute force": a random bid from 1 to `high`, as far as the money goes."""
    most = np.array([whole("high", high, 1, 10_000)], np.float64)
    return Bot("uniform", _uniform_act, most, distribution=_uniform_distribution)


def _uniform_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    money = state[MONEY + player]
    return min(1 + below(rng, int(params[0])), money) if money > 0 else 0


def _uniform_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    money, high = state[MONEY + player], int(params[0])
    out[:] = 0.0
    for bid in range(1, high + 1):
        out[min(bid, money)] += 1.0 / high


def dp(game: Game) -> Bot:
    """The report's bot: the best bid if everybody, itself included, bid at random from then on.

    It takes every bid of both players as equally likely, computes the probability of winning from
    every state under the rules in force (a draw is no win), and bids the lowest amount that makes
    this probability largest, never 1 if it can bid more. The printed pseudo-code contradicts this
    text: it takes a maximum where the text says probability, and its loop over bids never uses the
    bid. This is the text. Where the opponent's money is hidden it assumes the most he can have.
    """
    length, largest = int(game.cfg[LENGTH]), int(game.cfg[LARGEST])
    if game.cfg[PAYMENT] == OPPONENT:  # every round anew, though it settles long before the last
        work = 2 * length * largest**2 * min(int(game.cfg[MAX_ROUNDS]), 200)
    else:
        work = 2 * length * largest**3
    if work > MOST_WORK:
        raise ValueError(
            f"dp takes at most {MOST_WORK:.0e} steps to fill its table, this game {work:.0e}; "
            "choose less money or a shorter line"
        )
    return Bot("dp", _dp_act, _dp_bids(game.cfg.tobytes()), deterministic=True)


@lru_cache(maxsize=8)
def _dp_bids(cfg_bytes: bytes) -> NDArray[np.float64]:
    """The bid in every state: (own money, other's money, distance, advantage), flat."""
    cfg = np.frombuffer(cfg_bytes, np.int64)
    richman = cfg[PAYMENT] == OPPONENT
    table = compiled(richman_table if richman else bank_table, {}, "scotch")
    _, bids = table(cfg, int(cfg[MAX_ROUNDS])) if richman else table(cfg)
    return bids.ravel().astype(np.float64)


def win_probability(game: Game) -> NDArray[np.float64]:
    """What `dp` believes: the chance to win when all bids are random, from a player's own side.

    Indexed by (own money, the other's money, distance to the own end, 1 if the own side has the
    advantage); with the Richman payment by (own money, distance, advantage).
    """
    if game.cfg[PAYMENT] == OPPONENT:
        return compiled(richman_table, {}, "scotch")(game.cfg, int(game.cfg[MAX_ROUNDS]))[0]
    return compiled(bank_table, {}, "scotch")(game.cfg)[0]


def _dp_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    own = state[MONEY + player]
    other = state[MONEY + 1 - player] if cfg[KNOW] else state[HIGH + 1 - player]
    distance = state[POSITION] if player == 0 else cfg[LENGTH] - state[POSITION]
    index = own if cfg[PAYMENT] == OPPONENT else own * (cfg[LARGEST] + 1) + other
    index = index * (cfg[LENGTH] + 1) + distance
    index = index * 2 + (1 if state[ADVANTAGE] == player else 0)
    return int(params[index])


def richman(game: Game) -> Bot:
    """Bids the critical bid of the continuous theory for the payment in force.

    With the Richman payment that is total money / length in every position. With payment to the
    bank it is total x (P+ - P-) / (1 + P+ - P-), P+ and P- being the poorman thresholds one step
    away from and toward the own end. Rounded to the nearest whole bid. Where the opponent's money
    is hidden it bids the part 1 - P-/P+ of its own money, which needs no knowledge of his.
    """
    length = int(game.cfg[LENGTH])
    if game.cfg[PAYMENT] == OPPONENT:
        thresholds = np.arange(length + 1) / length
    else:
        thresholds = np.array(poorman_line(length))
    return Bot("richman", _richman_act, thresholds, deterministic=True)


def _richman_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    own = state[MONEY + player]
    if own == 0:
        return 0
    distance = state[POSITION] if player == 0 else cfg[LENGTH] - state[POSITION]
    better = params[distance - 1]
    worse = params[distance + 1]
    if cfg[PAYMENT] == OPPONENT:
        bid = (worse - better) / 2.0 * (cfg[PURSE] + cfg[PURSE + 1])
    elif cfg[KNOW]:
        total = own + state[MONEY + 1 - player]
        bid = total * (worse - better) / (1.0 + worse - better)
    else:
        bid = own * (1.0 - better / worse)
    return max(1, min(own, int(bid + 0.5)))
