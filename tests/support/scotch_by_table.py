"""Best responses to a network that plays Scotch, by plain tables: a second way to measure it.

It shares nothing with the solvers and with the bots of networks but the network itself. All worths
are asked once, for every amount of money, place and holder; a bid guarantees the least worth over
all bids of the other player, and the bot takes the middle of the bids that guarantee about as much
as the best one, of two middles the better. Where the other player has no choice it takes the best.
Money goes to the bank, so best responses are worked out from little money to much.
"""

import numpy as np
from numba import njit

MONEY, LENGTH = 100, 10
SHAPE = (MONEY + 1, MONEY + 1, LENGTH + 1, 2)  # money of both, place of the bottle, holder


def told_worths(network):
    """Return what player 0 expects everywhere; 1 and -1 at the ends, 0 without any money."""
    own, other, distance, holds = np.meshgrid(
        *(np.arange(MONEY + 1),) * 2, np.arange(LENGTH + 1), np.arange(2), indexing="ij"
    )
    shares = [own / MONEY, other / MONEY, other / MONEY, distance / LENGTH, holds]
    views = np.stack([share.ravel() for share in shares], axis=1).astype(np.float32)
    told = network(views)[:, 0].reshape(SHAPE).astype(np.float64)
    first = told[:, :, :, ::-1]  # player 0 holds the advantage if the holder is 0
    second = told[:, :, ::-1, :].transpose(1, 0, 2, 3)  # seen from the other end
    worths = np.tanh((first - second) / 2)
    worths[0, 0] = 0.0
    worths[:, :, 0], worths[:, :, LENGTH] = 1.0, -1.0
    return worths


@njit
def after(worths, mine, other, place, holder, bid, reply):
    """Return the worth after two bids."""
    if bid > reply:
        return worths[mine - bid, other, place - 1, holder]
    if bid < reply:
        return worths[mine, other - reply, place + 1, holder]
    if holder == 0:
        return worths[mine - bid, other, place - 1, 1]
    return worths[mine, other - reply, place + 1, 0]


@njit
def middle_bids(worths, slack, seat):
    """Return the bid of the bot in `seat` everywhere."""
    bids = np.zeros(worths.shape, np.int16)
    sign = 1.0 if seat == 0 else -1.0
    least = np.empty(worths.shape[0])
    for mine, other, place, holder in np.ndindex(worths.shape):
        if place == 0 or place == worths.shape[2] - 1 or mine + other == 0:
            continue
        money, against = (mine, other) if seat == 0 else (other, mine)
        low, best = min(money, 1), min(money, 1)
        for bid in range(low, money + 1):
            least[bid] = np.inf
            for reply in range(min(against, 1), against + 1):
                one, two = (bid, reply) if seat == 0 else (reply, bid)
                worth = sign * after(worths, mine, other, place, holder, one, two)
                least[bid] = min(least[bid], worth)
            if least[bid] > least[best]:
                best = bid
        first, last = best, best
        slack_here = -1.0 if against <= 1 else slack  # the other player has no choice: the best
        while first > low and least[first - 1] >= least[best] - slack_here:
            first -= 1
        while last < money and least[last + 1] >= least[best] - slack_here:
            last += 1
        middle, above = (first + last) // 2, (first + last + 1) // 2
        bids[mine, other, place, holder] = above if least[above] > least[middle] else middle
    return bids


@njit
def response_value(bids, seat):
    """Return what the best response wins against the bids of the player in `seat`."""
    values = np.zeros(bids.shape)
    values[:, :, 0], values[:, :, -1] = 1.0, -1.0
    most = bids.shape[0] - 1
    for total in range(1, 2 * most + 1):
        for mine in range(max(0, total - most), min(most, total) + 1):
            other = total - mine
            for place in range(1, bids.shape[2] - 1):
                for holder in range(2):
                    bid = bids[mine, other, place, holder]
                    money = other if seat == 0 else mine
                    best = -np.inf
                    for reply in range(min(money, 1), money + 1):
                        one, two = (bid, reply) if seat == 0 else (reply, bid)
                        value = after(values, mine, other, place, holder, one, two)
                        best = max(best, -value if seat == 0 else value)
                    values[mine, other, place, holder] = -best if seat == 0 else best
    start = values[most, most, (bids.shape[2] - 1) // 2, 0]
    return -start if seat == 0 else start
