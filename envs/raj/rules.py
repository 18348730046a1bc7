"""The rules of Raj, in the order the game is played.

Items come up one by one in random order and go into the pot. For each pot every player bids one of
his cards, all at the same time; a bid made by exactly one player counts, others cancel out.

Cards and items are known by their index in ascending order, sets of them are bit masks. The order
of the items does not exist before it is needed: the next item is drawn when a round ends.
"""

from __future__ import annotations

from bidarena.envs.bits import count, nth
from bidarena.envs.game import OVER, Cfg, Mask, Observation, Returns, Rng, State, layout
from bidarena.envs.rng import below

MOST = 16  # cards, and items
MOST_PLAYERS = 6

# cfg: one number per option, then the values
PLAYERS, SIZE, TIE, REWARD = 0, 1, 2, 3
UNIT = 4  # banks are counted in 1/UNIT points, so that shares of a pot stay whole
SCALE = 5  # of pots and banks in the observation: the sum of all items, signs dropped
CARDS = 6  # (MOST,) values
ITEMS = CARDS + MOST  # (MOST,) values
SAME = ITEMS + MOST  # (MOST,) bit masks: the items of the same value
CFG_SIZE = SAME + MOST

# values of options, in the order of the words in env.py
CARRY, DISCARD, SPLIT = 0, 1, 2  # tie
OUTCOME, MARGIN, BANK = 0, 1, 2  # reward

NOBODY = -1  # took the last pot: no bid was unique


def state_parts(players: int) -> dict[str, slice]:
    """The named parts of the state."""
    return layout(
        pot=1,
        items=1,  # bit mask of those still to come
        round=1,
        committed=1,  # how many players have bid in this round, in the order of the seats
        last_pot=1,  # of the round before, for drawing ...
        last_taker=1,  # ... and who took it
        hands=players,  # bit masks; a committed card leaves the hand when the round is played
        bids=players,  # card indexes, hidden until all are in; old beyond the committed ones
        banks=players,  # in 1/UNIT points
        last_bids=players,  # of the round before, for drawing; -1 before the first
    )


_HEAD = state_parts(2)  # up to the hands the layout is the same for any number of players
POT = _HEAD["pot"].start
LEFT = _HEAD["items"].start
ROUND = _HEAD["round"].start
COMMITTED = _HEAD["committed"].start
LAST_POT = _HEAD["last_pot"].start
LAST_TAKER = _HEAD["last_taker"].start
HANDS = _HEAD["hands"].start


def bids_at(cfg: Cfg) -> int:
    """Where the bids begin in the state."""
    return HANDS + cfg[PLAYERS]


def banks_at(cfg: Cfg) -> int:
    """Where the banks begin in the state."""
    return HANDS + 2 * cfg[PLAYERS]


def last_bids_at(cfg: Cfg) -> int:
    """Where the bids of the round before begin in the state."""
    return HANDS + 3 * cfg[PLAYERS]


def observation_parts(players: int, size: int) -> dict[str, slice]:
    """The named parts of the observation."""
    others = players - 1
    return layout(
        pot=1,
        round=1,
        bank=1,
        other_banks=others,
        items=size,
        hand=size,
        other_hands=others * size,
    )


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Everybody gets all cards; the first item comes up."""
    bids, banks, last = bids_at(cfg), banks_at(cfg), last_bids_at(cfg)
    everything = (1 << cfg[SIZE]) - 1
    state[LEFT] = everything
    state[ROUND] = 0
    state[COMMITTED] = 0
    state[LAST_POT] = 0
    state[LAST_TAKER] = NOBODY
    for player in range(cfg[PLAYERS]):
        state[HANDS + player] = everything
        state[bids + player] = 0
        state[banks + player] = 0
        state[last + player] = -1
    state[POT] = 0
    _turn_up(cfg, state, rng)


def _turn_up(cfg: Cfg, state: State, rng: Rng) -> None:
    """Add one of the items still to come to the pot, each equally likely."""
    left = state[LEFT]
    item = nth(left, below(rng, count(left)))
    state[POT] += cfg[ITEMS + item]
    state[LEFT] = without_item(cfg, left, item)


def without_item(cfg: Cfg, left: int, item: int) -> int:
    """The items left when one of the value of `item` has gone; of equal items the lowest goes."""
    equals = left & cfg[SAME + item]
    return left ^ (equals & -equals)


def to_move(cfg: Cfg, state: State) -> int:
    """Bids are committed in the order of the seats, without seeing each other."""
    return OVER if state[ROUND] == cfg[SIZE] else state[COMMITTED]


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Any card in the hand."""
    hand = state[HANDS + state[COMMITTED]]
    for card in range(len(mask)):
        mask[card] = (hand >> card) & 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Commit a bid; when all are in, play the round."""
    seat = state[COMMITTED]
    state[bids_at(cfg) + seat] = action
    if seat + 1 < cfg[PLAYERS]:
        state[COMMITTED] = seat + 1
    else:
        _play_round(cfg, state, rng)


def _play_round(cfg: Cfg, state: State, rng: Rng) -> None:
    players = cfg[PLAYERS]
    bids, banks, last = bids_at(cfg), banks_at(cfg), last_bids_at(cfg)
    pot = state[POT]
    taker = _taker(cfg, state, pot)
    state[LAST_POT] = pot
    state[LAST_TAKER] = taker
    if taker != NOBODY:
        state[banks + taker] += pot * cfg[UNIT]
    elif cfg[TIE] == SPLIT:
        _split(cfg, state, pot)

    for player in range(players):
        bid = state[bids + player]
        state[HANDS + player] ^= 1 << bid
        state[last + player] = bid
    state[COMMITTED] = 0
    state[ROUND] += 1
    if taker != NOBODY or cfg[TIE] != CARRY or state[ROUND] == cfg[SIZE]:
        state[POT] = 0  # taken, shared or lost
    if state[ROUND] < cfg[SIZE]:
        _turn_up(cfg, state, rng)


def _taker(cfg: Cfg, state: State, pot: int) -> int:
    """Who takes the pot: the highest unique bid, or the lowest if nobody wants the pot."""
    bids = bids_at(cfg)
    once = 0
    twice = 0
    for player in range(cfg[PLAYERS]):
        card = 1 << state[bids + player]
        twice |= once & card
        once |= card
    unique = once & ~twice
    taker = NOBODY
    for player in range(cfg[PLAYERS]):
        bid = state[bids + player]
        if (unique >> bid) & 1 and (taker == NOBODY or (bid > state[bids + taker]) == (pot >= 0)):
            taker = player
    return taker


def _split(cfg: Cfg, state: State, pot: int) -> None:
    """Share the pot equally among those who made the highest bid; a negative one, the lowest."""
    bids, banks = bids_at(cfg), banks_at(cfg)
    best = state[bids]
    sharers = 0
    for player in range(cfg[PLAYERS]):
        bid = state[bids + player]
        if bid == best:
            sharers += 1
        elif (bid > best) == (pot >= 0):
            best = bid
            sharers = 1
    share = pot * (cfg[UNIT] // sharers)
    for player in range(cfg[PLAYERS]):
        if state[bids + player] == best:
            state[banks + player] += share


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """The result by the reward in force; `RajEnv` explains the three."""
    players = cfg[PLAYERS]
    banks = banks_at(cfg)
    best = state[banks]
    total = 0
    for player in range(players):
        best = max(best, state[banks + player])
        total += state[banks + player]
    winners = 0
    for player in range(players):
        winners += state[banks + player] == best
    for player in range(players):
        bank = state[banks + player]
        if cfg[REWARD] == BANK:
            out[player] = bank / cfg[UNIT]
        elif cfg[REWARD] == MARGIN:
            out[player] = (bank - (total - bank) / (players - 1)) / cfg[UNIT]
        elif winners == players:
            out[player] = 0.0
        elif bank == best:
            out[player] = 1.0 / winners
        else:
            out[player] = -1.0 / (players - winners)


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Pot, round, banks, items still to come and hands; own things first, then by seat."""
    players, size = cfg[PLAYERS], cfg[SIZE]
    banks = banks_at(cfg)
    scale = 1.0 / cfg[SCALE]
    out[0] = state[POT] * scale
    out[1] = state[ROUND] / size
    scale /= cfg[UNIT]
    first_hand = 2 + players + size
    _unpack(state[LEFT], out[2 + players : first_hand])
    seat = player
    for k in range(players):
        out[2 + k] = state[banks + seat] * scale
        hand = first_hand + k * size
        _unpack(state[HANDS + seat], out[hand : hand + size])
        seat = seat + 1 if seat + 1 < players else 0


def _unpack(mask: int, out: Observation) -> None:
    for i in range(len(out)):
        out[i] = (mask >> i) & 1


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Guess the others' committed bids; nothing else is hidden."""
    bids = bids_at(cfg)
    for other in range(state[COMMITTED]):
        if other != player:
            hand = state[HANDS + other]
            state[bids + other] = nth(hand, below(rng, count(hand)))


def withdraw(cfg: Cfg, state: State) -> None:
    """Take back all bids of this round; what lay in their places before is of no use either."""
    bids = bids_at(cfg)
    state[COMMITTED] = 0
    for player in range(cfg[PLAYERS]):
        state[bids + player] = 0
