"""The classical bots of Raj."""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.bits import count, nth
from bidarena.envs.compile import compiled
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State
from bidarena.envs.raj.rules import (
    BANK,
    CARRY,
    MARGIN,
    OUTCOME,
    SPLIT,
    C,
    S,
    banks_at,
    without_item,
)
from bidarena.envs.registry import Bot
from bidarena.envs.rng import below


def random(game: Game) -> Bot:
    """Bid every card in the hand with equal probability."""
    return Bot("random", _random_act, distribution=_random_distribution)


def _random_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    hand = state[S.hands + player]
    return nth(hand, below(rng, count(hand)))


def _random_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    hand = state[S.hands + player]
    for card in range(len(out)):
        out[card] = ((hand >> card) & 1) / count(hand)


def value(game: Game) -> Bot:
    """Bid the card closest to the value of the pot, the lower one of two."""
    return Bot("value", _closest_act, np.array([0.0]), deterministic=True)


def valueplus(game: Game) -> Bot:
    """Bid the card closest to the value of the pot plus 1, the lower one of two."""
    return Bot("valueplus", _closest_act, np.array([1.0]), deterministic=True)


def _closest_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    hand = state[S.hands + player]
    target = state[S.pot] + int(params[0])
    closest = -1
    nearest = 0
    for card in range(cfg[C.size]):
        if (hand >> card) & 1:
            distance = abs(cfg[C.cards + card] - target)
            if closest < 0 or distance < nearest:
                closest = card
                nearest = distance
    return closest


# --- greedy --------------------------------------------------------------------------------------

# in the table of `greedy`, 8 bytes each; the default game has 1.3 million
MOST_POSITIONS = 8_000_000

# The table: first five numbers for every set of items left (bit mask), then for every hand its rank
# among hands of equal size, then the worth of every position.
_BASE, _HANDS, _LOW_POT, _POTS, _REACH = 0, 1, 2, 3, 4
_COLUMNS = 5


def greedy(game: Game) -> Bot:
    """Play the best response to an opponent who bids every card with equal probability.

    The response is exact for the reward of the game: a table, computed when the bot is made, looks
    to the end of the game and averages over the opponent's cards and the items to come. Of equally
    good cards the bot bids the lowest. It plays games of two players that are small enough for the
    table: 6 cards with the reward "outcome", 7 with "margin" and "bank", where the banks do not
    matter.
    """
    if game.players != 2:
        raise ValueError(f"greedy plays against one opponent, not in a game of {game.players}")
    return Bot("greedy", _greedy_act, _greedy_table(game.cfg.tobytes()), deterministic=True)


@lru_cache(maxsize=4)
def _greedy_table(cfg_bytes: bytes) -> Params:
    """Return the table of `greedy`; raise ValueError if it would be too large."""
    cfg = np.frombuffer(cfg_bytes, np.int64).copy()
    size = int(cfg[C.size])
    sets = 1 << size
    ranks = np.zeros(sets)
    met = [0] * (size + 1)  # how many hands of each size have a rank
    for hand in range(sets):
        ranks[hand] = met[hand.bit_count()]
        met[hand.bit_count()] += 1

    columns = np.zeros((sets, _COLUMNS))
    base = sets * (_COLUMNS + 1)
    for left in range(sets - 1):
        if not _comes_up(cfg, left):
            continue
        shown = [int(cfg[C.items + i]) for i in range(size) if not (left >> i) & 1]
        low, high = min(shown), max(shown)
        if cfg[C.tie] == CARRY:
            low = min(low, sum(item for item in shown if item < 0))
            high = max(high, sum(item for item in shown if item > 0))
        pots = high - low + 1
        reach = sum(map(abs, shown)) if cfg[C.reward] == OUTCOME else 0
        hands = comb(size, left.bit_count() + 1)
        columns[left] = base, hands, low, pots, reach
        base += hands * hands * pots * (2 * reach + 1)
        if base > MOST_POSITIONS:
            instead = ", or reward='margin'" if cfg[C.reward] == OUTCOME else ""
            raise ValueError(
                f"greedy would need a table of more than {MOST_POSITIONS:,} positions for this "
                f"game; play fewer cards, or items of smaller values{instead}"
            )
    table = np.zeros(base)
    table[: sets * _COLUMNS] = columns.ravel()
    table[sets * _COLUMNS : sets * (_COLUMNS + 1)] = ranks
    compiled(_fill, {}, "raj")(cfg, table)
    return table


def _comes_up(cfg: Cfg, left: int) -> bool:
    """Return whether exactly these items can be left; of equal items the lower ones go first."""
    for item in range(cfg[C.size]):
        if (left >> item) & 1 and (cfg[C.same + item] >> item) & ~(left >> item):
            return False
    return True


def _fill(cfg: Cfg, table: Params) -> None:
    """Work out the worth of every position, from the last round back to the first."""
    size = cfg[C.size]
    for held in range(1, size + 1):
        for left in range(1 << size):
            if count(left) != held - 1 or not _comes_up(cfg, left):
                continue
            row = left * _COLUMNS
            low, pots = int(table[row + _LOW_POT]), int(table[row + _POTS])
            reach = int(table[row + _REACH])
            for mine in range(1 << size):
                if count(mine) != held:
                    continue
                for other in range(1 << size):
                    if count(other) != held:
                        continue
                    for pot in range(low, low + pots):
                        # The value of the pot is not in a bank yet.
                        most = max(0, reach - abs(pot))
                        for ahead in range(-most, most + 1):
                            best = -np.inf
                            for card in range(size):
                                if (mine >> card) & 1:
                                    worth = _expect(cfg, table, mine, other, left, pot, ahead, card)
                                    best = max(best, worth)
                            table[_index(cfg, table, mine, other, left, pot, ahead)] = best


def _index(cfg: Cfg, table: Params, mine: int, other: int, left: int, pot: int, ahead: int) -> int:
    """Return where in the table the worth of a position is."""
    row = left * _COLUMNS
    ranks = _COLUMNS << cfg[C.size]
    hands = table[ranks + mine] * table[row + _HANDS] + table[ranks + other]
    place = hands * table[row + _POTS] + pot - table[row + _LOW_POT]
    reach = table[row + _REACH]
    if reach > 0:
        place = place * (2 * reach + 1) + ahead + reach
    return int(table[row + _BASE] + place)


def _expect(
    cfg: Cfg, table: Params, mine: int, other: int, left: int, pot: int, ahead: int, card: int
) -> float:
    """Return what bidding `card` brings on average, if all later bids are the best ones."""
    reward, tie = cfg[C.reward], cfg[C.tie]
    mine_after = mine ^ (1 << card)
    total = 0.0
    for reply in range(cfg[C.size]):
        if not (other >> reply) & 1:
            continue
        ahead_after = ahead
        carried = 0
        if reply == card:
            if tie == CARRY:
                carried = pot
            elif tie == SPLIT and reward == BANK:
                total += pot / 2
        elif (card > reply) == (pot >= 0):
            ahead_after += pot
            if reward != OUTCOME:
                total += pot
        else:
            ahead_after -= pot
            if reward == MARGIN:
                total -= pot

        if left == 0:
            if reward == OUTCOME:
                total += float(np.sign(ahead_after))
            continue
        other_after = other ^ (1 << reply)
        later = 0.0
        for item in range(cfg[C.size]):
            if (left >> item) & 1:
                after = without_item(cfg, left, item)
                next_pot = carried + cfg[C.items + item]
                later += table[
                    _index(cfg, table, mine_after, other_after, after, next_pot, ahead_after)
                ]
        total += later / count(left)
    return total / count(other)


def _greedy_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    banks = banks_at(cfg)
    mine, other = state[S.hands + player], state[S.hands + 1 - player]
    ahead = (state[banks + player] - state[banks + 1 - player]) // cfg[C.unit]
    best = -np.inf
    best_card = -1
    for card in range(cfg[C.size]):
        if (mine >> card) & 1:
            worth = _expect(cfg, params, mine, other, state[S.items], state[S.pot], ahead, card)
            if worth > best + 1e-12:
                best = worth
                best_card = card
    return best_card
