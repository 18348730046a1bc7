"""Raj's minimax bots: depth-limited searches that treat a simultaneous round as two moves.

`minimax` is the algorithm as its author describes it, `published` is what the author's program
really does. Both walk the tree with a stack of their own, a row for each round searched, because
Numba cannot cache functions that call themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.arguments import whole
from bidarena.envs.bits import count, nth
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.raj.rules import CARRY, MOST, C, S, banks_at, without_item
from bidarena.envs.registry import Bot
from bidarena.envs.rng import below

_HUGE = 1 << 62

# Columns of the stack. A position before a round: both hands, items left, pot, both banks ...
_MINE, _OTHERS, _LEFT, _POT, _OWN, _THEIRS = 0, 1, 2, 3, 4, 5
# ... the bids that are being tried and what they lead to ...
_CARD, _REPLY, _CARRIED, _OWN_AFTER, _THEIRS_AFTER, _LEFT_AFTER = 6, 7, 8, 9, 10, 11
# ... what is still to be tried (bit masks) ...
_CARDS_DUE, _REPLIES_DUE, _ITEMS_DUE = 12, 13, 14
# ... and what is known so far: the best card's guarantee, the worst reply to the card that is being
# tried, and the sum (or in `published` the maximum) over the items after the last reply.
_BEST, _WORST, _VALUE = 15, 16, 17
_COLUMNS = 18


def minimax(game: Game, depth: int = 2) -> Bot:
    """Make the bid with the best guarantee within `depth` rounds, drawn from equally good ones.

    A round is searched as the own bid and then the opponent's reply to it. This makes the opponent
    stronger than in the game, where they cannot see the bid. Between rounds the next item is any
    of those left with equal probability. After `depth` complete rounds a position is worth

        card advantage + (own bank - opponent's bank) x items left,

    where the card advantage compares both hands in order, highest with highest and so on: one for
    every own card that is higher than its counterpart, minus one for every lower one. At the end of
    the game it is worth the difference of the banks: from `depth` rounds before the end on, the
    search is exact for the game in which the opponent does see the bid.

    Among more than two players it treats the others as one opponent, who holds every card that any
    of them holds, bids one card per round, and owns the richest of their banks.

    The time of a move grows by a factor of cards^2 x items for each round of depth: in the default
    game depth 2 takes some 50 microseconds; depth 6, the whole game, takes seconds.
    """
    rounds = np.array([whole("depth", depth, 1, MOST)], np.float64)
    return Bot("minimax", _minimax_act, rounds, distribution=_minimax_distribution)


def _minimax_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    best_cards = _best_cards(cfg, params, state, player)
    return nth(best_cards, below(rng, count(best_cards)))


def _minimax_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    best_cards = _best_cards(cfg, params, state, player)
    for card in range(len(out)):
        out[card] = ((best_cards >> card) & 1) / count(best_cards)


def _best_cards(cfg: Cfg, params: Params, state: State, player: int) -> int:
    """Return the cards with the best guarantee, as a bit mask."""
    banks = banks_at(cfg)
    others = 0
    richest = -_HUGE
    for other in range(cfg[C.players]):
        if other != player:
            others |= state[S.hands + other]
            richest = max(richest, state[banks + other])
    mine, own = state[S.hands + player], state[banks + player]
    depth = min(int(params[0]), count(mine))
    best_cards, _ = search(cfg, mine, others, state[S.items], state[S.pot], own, richest, depth)
    return best_cards


def search(
    cfg: Cfg, mine: int, others: int, left: int, pot: int, own: int, theirs: int, depth: int
) -> tuple[int, int]:
    """Return the best cards to bid (a bit mask) and what they guarantee.

    Averages over the next items are kept as sums, which are exact whole numbers: all positions
    that are compared with each other have equally many items left. So the guarantee is in 1/unit
    points, times the number of items left after each round except the last of the search.

    Args:
        cfg: the rules.
        mine, others: both hands, bit masks.
        left: the items still to come, a bit mask.
        pot: the value of the pot.
        own, theirs: both banks, in 1/unit points.
        depth: rounds to search, at most as many as are left.
    """
    stack = np.empty((depth, _COLUMNS), np.int64)
    rows = borrow(stack)
    _enter(rows[0], mine, others, left, pot, own, theirs)
    best_cards = 0
    level = 0
    while True:
        row = rows[level]
        if row[_ITEMS_DUE]:
            item = _next(row, _ITEMS_DUE)
            pot = row[_CARRIED] + cfg[C.items + item]
            left = without_item(cfg, row[_LEFT], item)
            level += 1
            _descend(row, rows[level], left, pot)
            continue

        if row[_REPLY] >= 0:  # everything after this reply has been searched
            row[_WORST] = min(row[_WORST], row[_VALUE])
            # At the top, bids that are as good as the best so far must be found too.
            if row[_WORST] < row[_BEST] or (row[_WORST] == row[_BEST] and level > 0):
                row[_REPLIES_DUE] = 0
        if row[_REPLIES_DUE]:
            _answer(cfg, row)
            if level + 1 < depth:
                row[_ITEMS_DUE] = row[_LEFT]
                row[_VALUE] = 0
            else:
                row[_VALUE] = _worth(cfg, row)
            continue

        if row[_CARD] >= 0:  # all replies to this card have been searched
            if row[_WORST] > row[_BEST]:
                row[_BEST] = row[_WORST]
                if level == 0:
                    best_cards = 0
            if level == 0 and row[_WORST] == row[_BEST]:
                best_cards |= 1 << row[_CARD]
        if row[_CARDS_DUE]:
            _bid(row)
            continue

        if level == 0:
            guarantee = row[_BEST]
            keep(stack)
            return best_cards, guarantee
        level -= 1
        rows[level, _VALUE] += row[_BEST]


def _answer(cfg: Cfg, row: NDArray[np.int64]) -> None:
    """Let the opponent answer with the next card to try, and settle the round."""
    reply = _next(row, _REPLIES_DUE)
    card, pot = row[_CARD], row[_POT]
    row[_REPLY] = reply
    row[_CARRIED] = pot if reply == card and cfg[C.tie] == CARRY else 0
    row[_OWN_AFTER] = row[_OWN]
    row[_THEIRS_AFTER] = row[_THEIRS]
    if reply != card:
        if (card > reply) == (pot >= 0):
            row[_OWN_AFTER] += pot * cfg[C.unit]
        else:
            row[_THEIRS_AFTER] += pot * cfg[C.unit]


def _worth(cfg: Cfg, row: NDArray[np.int64]) -> int:
    """Return the worth of the position after a round, where the search stops."""
    ahead = row[_OWN_AFTER] - row[_THEIRS_AFTER]
    items = count(row[_LEFT])
    if items == 0:
        return ahead
    mine = row[_MINE] ^ (1 << row[_CARD])
    others = row[_OTHERS] ^ (1 << row[_REPLY])
    return cfg[C.unit] * card_advantage(mine, others) + ahead * items


def card_advantage(mine: int, others: int) -> int:
    """Return how many own cards are higher than their counterparts, minus how many are lower.

    If the other hand has more cards, only its highest ones count.
    """
    for _ in range(count(others) - count(mine)):
        others &= others - 1
    advantage = 0
    while mine:
        own = mine & -mine
        other = others & -others
        if own > other:
            advantage += 1
        elif own < other:
            advantage -= 1
        mine ^= own
        others ^= other
    return advantage


# --- the stack -----------------------------------------------------------------------------------


def _enter(
    row: NDArray[np.int64], mine: int, others: int, left: int, pot: int, own: int, theirs: int
) -> None:
    """Write a position into a row of the stack, before any card has been tried."""
    row[_MINE] = mine
    row[_OTHERS] = others
    row[_LEFT] = left
    row[_POT] = pot
    row[_OWN] = own
    row[_THEIRS] = theirs
    row[_CARDS_DUE] = mine
    row[_CARD] = -1
    row[_BEST] = -_HUGE
    row[_REPLIES_DUE] = 0
    row[_REPLY] = -1
    row[_ITEMS_DUE] = 0


def _bid(row: NDArray[np.int64]) -> None:
    """Try the next card."""
    row[_CARD] = _next(row, _CARDS_DUE)
    row[_REPLIES_DUE] = row[_OTHERS]
    row[_REPLY] = -1
    row[_WORST] = _HUGE


def _descend(row: NDArray[np.int64], child: NDArray[np.int64], left: int, pot: int) -> None:
    """Write the position that follows the bids of `row` into `child`."""
    mine = row[_MINE] ^ (1 << row[_CARD])
    others = row[_OTHERS] ^ (1 << row[_REPLY])
    _enter(child, mine, others, left, pot, row[_OWN_AFTER], row[_THEIRS_AFTER])


def _next(row: NDArray[np.int64], due: int) -> int:
    """Remove the lowest element from the set in column `due`, and return it."""
    bit = row[due] & -row[due]
    row[due] ^= bit
    return count(bit - 1)


# --- the program behind the published numbers ----------------------------------------------------

_PUBLISHED_ROUNDS = 3  # the program calls this depth 2, because it counts 2, 1, 0


def published(game: Game) -> Bot:
    """The program whose author reports 79, 68 and 60 % wins against random, value and valueplus.

    It differs from `minimax`, which follows the author's description, in ways that explain those
    numbers:
    - what the opponent would win is added up from reply to reply instead of being forgotten before
      the next one is tried. This slip is what makes it strong: the guarantee becomes something like
      a sum over all replies, and most opponents do not answer best;
    - "depth 2" searches three rounds;
    - the next item is the best one for the searcher, not the average one;
    - the opponent's bank counts as 0 before each move;
    - at the end of the game it counts only who won;
    - the item that leaves the set is one whose value equals the whole pot, so often none leaves;
    - of equally good cards it plays the lowest.

    It was written for two players; among more it treats the others as one, as `minimax` does.
    """
    return Bot("published", _published_act, deterministic=True)


def _published_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    stack = np.empty((_PUBLISHED_ROUNDS, _COLUMNS), np.int64)
    rows = borrow(stack)
    own = state[banks_at(cfg) + player] // cfg[C.unit]
    others = 0
    for other in range(cfg[C.players]):
        if other != player:
            others |= state[S.hands + other]
    _enter(rows[0], state[S.hands + player], others, state[S.items], state[S.pot], own, 0)
    best_card = -1
    level = 0
    while True:
        row = rows[level]
        if row[_ITEMS_DUE]:
            pot = row[_CARRIED] + cfg[C.items + _next(row, _ITEMS_DUE)]
            level += 1
            _descend(row, rows[level], row[_LEFT_AFTER], pot)
            continue

        if row[_REPLY] >= 0:
            row[_WORST] = min(row[_WORST], row[_VALUE])
        if row[_REPLIES_DUE]:
            _published_answer(cfg, row)
            if level + 1 < _PUBLISHED_ROUNDS and row[_MINE] != 1 << row[_CARD]:
                row[_ITEMS_DUE] = row[_LEFT_AFTER]
                row[_VALUE] = -10_000  # stays if the program finds no item left
            else:
                row[_VALUE] = _published_worth(row)
            continue

        if row[_CARD] >= 0 and row[_WORST] > row[_BEST]:
            row[_BEST] = row[_WORST]
            if level == 0:
                best_card = row[_CARD]
        if row[_CARDS_DUE]:
            _bid(row)
            row[_THEIRS_AFTER] = row[_THEIRS]
            continue

        if level == 0:
            keep(stack)
            return best_card
        level -= 1
        rows[level, _VALUE] = max(rows[level, _VALUE], row[_BEST])


def _published_answer(cfg: Cfg, row: NDArray[np.int64]) -> None:
    """Settle a round as the published program does; compare `_answer`."""
    reply = _next(row, _REPLIES_DUE)
    card, pot = row[_CARD], row[_POT]
    row[_REPLY] = reply
    row[_CARRIED] = pot if reply == card else 0
    row[_OWN_AFTER] = row[_OWN]
    if reply != card:
        if (card > reply) == (pot >= 0):
            row[_OWN_AFTER] += pot
        else:
            row[_THEIRS_AFTER] += pot  # added to what the opponent won by earlier replies
    row[_LEFT_AFTER] = row[_LEFT]
    for item in range(cfg[C.size]):
        if (row[_LEFT] >> item) & 1 and cfg[C.items + item] == pot:
            row[_LEFT_AFTER] = without_item(cfg, row[_LEFT], item)


def _published_worth(row: NDArray[np.int64]) -> int:
    """Return the worth of a position as the published program does; compare `_worth`."""
    ahead = row[_OWN_AFTER] - row[_THEIRS_AFTER]
    mine = row[_MINE] ^ (1 << row[_CARD])
    if mine == 0:
        return 999 * int(np.sign(ahead))
    others = row[_OTHERS] ^ (1 << row[_REPLY])
    return card_advantage(mine, others) + ahead * count(row[_LEFT_AFTER])
