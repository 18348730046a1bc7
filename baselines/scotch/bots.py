"""The classical bots of Scotch: random bids, the report's dynamic program, Richman's theory."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.scotch.dp import bank_table, richman_table
from bidarena.baselines.solvers.poorman import poorman_line
from bidarena.envs.arguments import whole
from bidarena.envs.bidding import guessed_bid
from bidarena.envs.compile import compiled
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.registry import Bot
from bidarena.envs.rng import below
from bidarena.envs.scotch.rules import OPPONENT, C, S

MOST_WORK = 3_000_000_000  # about five seconds; `dp` refuses games that need more


def random(game: Game) -> Bot:
    """Make every legal bid with equal probability."""
    return Bot("random", _random_act, distribution=_random_distribution)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    return guessed_bid(state[S.money + player], rng)


def _random_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    money = state[S.money + player]
    out[:] = 0.0
    out[min(money, 1) : money + 1] = 1.0 / max(money, 1)


def uniform(game: Game, high: int = 20) -> Bot:
    """Bid at random from 1 to `high`, or to all its money: the report's "brute force"."""
    most = np.array([whole("high", high, 1, 10_000)], np.float64)
    return Bot("uniform", _uniform_act, most, distribution=_uniform_distribution)


def _uniform_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    money = state[S.money + player]
    return min(1 + below(rng, int(params[0])), money) if money > 0 else 0


def _uniform_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    money, high = state[S.money + player], int(params[0])
    out[:] = 0.0
    for bid in range(1, high + 1):
        out[min(bid, money)] += 1.0 / high


def dp(game: Game) -> Bot:
    """Make the bid that is best if both bid at random in all later rounds: the report's bot.

    It takes every bid of both players as equally likely, computes the probability of winning from
    every state under the rules in force (a draw is no win), and bids the lowest amount that makes
    this probability largest, never 1 if it can bid more. The printed pseudo-code contradicts this
    text: it takes a maximum where the text says probability, and its loop over bids never uses the
    bid. This bot follows the text. Where the opponent's money is hidden, it assumes the most that
    the opponent can have.
    """
    length, largest = int(game.cfg[C.length]), int(game.cfg[C.largest])
    if game.cfg[C.payment] == OPPONENT:  # every round anew, though it settles long before the last
        work = 2 * length * largest**2 * min(int(game.cfg[C.max_rounds]), 200)
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
    """Return the bid in every state: (own money, other's money, distance, advantage), flat."""
    cfg = np.frombuffer(cfg_bytes, np.int64)
    richman = cfg[C.payment] == OPPONENT
    table = compiled(richman_table if richman else bank_table, {}, "scotch")
    _, bids = table(cfg, int(cfg[C.max_rounds])) if richman else table(cfg)
    return bids.ravel().astype(np.float64)


def win_probability(game: Game) -> NDArray[np.float64]:
    """Return the chance to win when all bids are random, on which `dp` relies.

    It is indexed by (own money, the other's money, distance to the own end, 1 if the own side has
    the advantage); with the Richman payment by (own money, distance, advantage).
    """
    if game.cfg[C.payment] == OPPONENT:
        return compiled(richman_table, {}, "scotch")(game.cfg, int(game.cfg[C.max_rounds]))[0]
    return compiled(bank_table, {}, "scotch")(game.cfg)[0]


def _dp_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    own = state[S.money + player]
    other = (
        state[S.money + 1 - player] if cfg[C.know_opponent_money] else state[S.high + 1 - player]
    )
    distance = state[S.position] if player == 0 else cfg[C.length] - state[S.position]
    index = own if cfg[C.payment] == OPPONENT else own * (cfg[C.largest] + 1) + other
    index = index * (cfg[C.length] + 1) + distance
    index = index * 2 + (1 if state[S.advantage] == player else 0)
    return int(params[index])


def richman(game: Game) -> Bot:
    """Make the critical bid of the continuous theory for the payment in force.

    With the Richman payment that is total money / length in every position. With payment to the
    bank it is total x (P+ - P-) / (1 + P+ - P-), P+ and P- being the poorman thresholds one step
    away from and toward the own end. The bid is rounded to the nearest whole number. Where the
    opponent's money is hidden, it bids the part 1 - P-/P+ of its own money, for which it need not
    know the opponent's.
    """
    length = int(game.cfg[C.length])
    if game.cfg[C.payment] == OPPONENT:
        thresholds = np.arange(length + 1) / length
    else:
        thresholds = np.array(poorman_line(length))
    return Bot("richman", _richman_act, thresholds, deterministic=True)


def _richman_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    own = state[S.money + player]
    if own == 0:
        return 0
    distance = state[S.position] if player == 0 else cfg[C.length] - state[S.position]
    better = params[distance - 1]
    worse = params[distance + 1]
    if cfg[C.payment] == OPPONENT:
        bid = (worse - better) / 2.0 * (cfg[C.money] + cfg[C.money + 1])
    elif cfg[C.know_opponent_money]:
        total = own + state[S.money + 1 - player]
        bid = total * (worse - better) / (1.0 + worse - better)
    else:
        bid = own * (1.0 - better / worse)
    return max(1, min(own, int(bid + 0.5)))
