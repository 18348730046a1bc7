"""The table behind Scotch's `dp` bot: the chance to win when every bid is equally likely.

All functions see the game from one player's side: the player's money, the other's, the bottle's
distance to the player's end, and whether the player holds the draw advantage. Both players have the
same rules, so one table serves both. The caller compiles these functions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.game import Cfg
from bidarena.envs.scotch.rules import ALTERNATE, COIN, DRAW, HOLDER, LOSE, C

Table = NDArray[np.float64]

MARGIN = 1e-12  # a higher bid must be better by more than rounding
SETTLED = 1e-9  # chances that change by less from round to round are final


def bank_table(cfg: Cfg) -> tuple[Table, NDArray[np.int32]]:
    """Return the chance to win and the best bid where the winner of a round pays the bank.

    Both are indexed by (own money, other's, distance, advantage). Every round leaves less money, so
    the table is filled from little money to much.
    """
    most = cfg[C.largest]
    length = cfg[C.length]
    win = np.zeros((most + 1, most + 1, length + 1, 2))
    bids = np.zeros((most + 1, most + 1, length + 1, 2), np.int32)
    after_loss = np.zeros(most + 2)  # [x]: summed chances when the other outbids with x or more
    win[:, :, 0, :] = 1.0
    for own in range(most + 1):
        for other in range(most + 1):
            for distance in range(1, length):
                for holds in range(2):
                    if own == 0 or other == 0:
                        chance = _without_money(cfg, win, own, other, distance, holds)
                        # nothing can be lost against a player without money, so bid the least
                        bids[own, other, distance, holds] = min(own, 1)
                        win[own, other, distance, holds] = chance
                        continue
                    after_loss[other + 1] = 0.0
                    for rival in range(other, 0, -1):
                        lost = win[own, other - rival, distance + 1, holds]
                        after_loss[rival] = after_loss[rival + 1] + lost
                    total = 0.0
                    best = -1.0
                    for bid in range(1, own + 1):
                        won = win[own - bid, other, distance - 1, holds]
                        chance = won * min(bid - 1, other)
                        if bid <= other:
                            chance += _tied(cfg, win, own, other, distance, holds, bid)
                            chance += after_loss[bid + 1]
                        total += chance
                        if (bid > 1 or own == 1) and chance > best + MARGIN:
                            best = chance
                            bids[own, other, distance, holds] = bid
                    win[own, other, distance, holds] = total / (own * other)
    return win, bids


def _tied(cfg: Cfg, win: Table, own: int, other: int, distance: int, holds: int, bid: int) -> float:
    """Return the chance to win after both bid `bid`."""
    passed = holds if cfg[C.tie] == HOLDER else 1 - holds
    if cfg[C.tie] == COIN:
        won = win[own - bid, other, distance - 1, holds]
        return 0.5 * (won + win[own, other - bid, distance + 1, holds])
    if holds == 1:
        return win[own - bid, other, distance - 1, passed]
    return win[own, other - bid, distance + 1, passed]


def _without_money(cfg: Cfg, win: Table, own: int, other: int, distance: int, holds: int) -> float:
    """Return the chance to win when at least one player has no money."""
    length = cfg[C.length]
    if cfg[C.broke] == LOSE and own != other:
        return 1.0 if own > 0 else 0.0
    if own > 0:
        total = 0.0
        for bid in range(1, own + 1):
            total += win[own - bid, 0, distance - 1, holds]
        return total / own
    if other > 0:
        total = 0.0
        for bid in range(1, other + 1):
            total += win[0, other - bid, distance + 1, holds]
        return total / other
    if cfg[C.both_broke] == DRAW:
        return 0.0
    if cfg[C.tie] == ALTERNATE:
        return 1.0 if holds == 1 and distance == 1 else 0.0
    if cfg[C.tie] == HOLDER:
        return float(holds)
    return (length - distance) / length  # a fair coin walks the bottle to one of the ends


def richman_table(cfg: Cfg, rounds: int) -> tuple[Table, NDArray[np.int32]]:
    """Return the chance to win within `rounds` and the best bid where the winner pays the loser.

    Both are indexed by (own money, distance, advantage). The total of the money stays, so the game
    may go on for ever: the chance to win within t rounds is computed from the chance within t - 1,
    until it no longer changes.
    """
    total = cfg[C.money] + cfg[C.money + 1]
    length = cfg[C.length]
    win = np.zeros((total + 1, length + 1, 2))
    new = np.zeros((total + 1, length + 1, 2))
    bids = np.zeros((total + 1, length + 1, 2), np.int32)
    after_loss = np.zeros(total + 2)
    win[:, 0, :] = 1.0
    new[:, 0, :] = 1.0
    for _ in range(rounds):
        change = 0.0
        for own in range(total + 1):
            other = total - own
            for distance in range(1, length):
                for holds in range(2):
                    chance = _richman_state(cfg, win, bids, after_loss, own, other, distance, holds)
                    change = max(change, abs(chance - win[own, distance, holds]))
                    new[own, distance, holds] = chance
        win[:] = new
        if change < SETTLED:
            break
    return win, bids


def _richman_state(
    cfg: Cfg,
    win: Table,
    bids: NDArray[np.int32],
    after_loss: NDArray[np.float64],
    own: int,
    other: int,
    distance: int,
    holds: int,
) -> float:
    """Write the best bid of one state of `richman_table` into `bids`; return its chance to win."""
    if cfg[C.broke] == LOSE and (own == 0 or other == 0):
        bids[own, distance, holds] = min(own, 1)
        return 1.0 if own > 0 else 0.0
    if own == 0:
        lost = 0.0
        for rival in range(1, other + 1):
            lost += win[rival, distance + 1, holds]
        return lost / other
    after_loss[other + 1] = 0.0
    for rival in range(other, 0, -1):
        after_loss[rival] = after_loss[rival + 1] + win[own + rival, distance + 1, holds]
    sum_of_all = 0.0
    best = -1.0
    for bid in range(1, own + 1):
        won = win[own - bid, distance - 1, holds]
        if other == 0:
            chance = won
        else:
            chance = won * min(bid - 1, other)
            if bid <= other:
                chance += _richman_tied(cfg, win, own, distance, holds, bid)
                chance += after_loss[bid + 1]
        sum_of_all += chance
        if (bid > 1 or own == 1 or other == 0) and chance > best + MARGIN:
            best = chance
            bids[own, distance, holds] = bid
    return sum_of_all / (own * max(other, 1))


def _richman_tied(cfg: Cfg, win: Table, own: int, distance: int, holds: int, bid: int) -> float:
    """Return the chance to win after both bid `bid` and the winner paid it to the loser."""
    if cfg[C.tie] == COIN:
        won = win[own - bid, distance - 1, holds]
        return 0.5 * (won + win[own + bid, distance + 1, holds])
    passed = holds if cfg[C.tie] == HOLDER else 1 - holds
    if holds == 1:
        return win[own - bid, distance - 1, passed]
    return win[own + bid, distance + 1, passed]
