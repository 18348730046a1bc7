"""The rules of Raj, in the order the game is played.

Items come up one by one in random order and go into the pot. For each pot every player bids one of
their cards, all at the same time; a bid made by exactly one player counts, others cancel out.

Cards and items are known by their index in ascending order, sets of them are bit masks. The order
of the items does not exist before it is needed: the next item is drawn when a round ends.
"""

from __future__ import annotations

from bidarena.envs.bits import count, nth
from bidarena.envs.game import OVER, Cfg, Mask, Observation, Returns, Rng, State, layout, starts
from bidarena.envs.rng import below

MOST = 16  # the most cards of a player, and the most items
MOST_PLAYERS = 6

# cfg: one number per option, then the values
CFG = layout(
    players=1,
    size=1,  # how many cards each player has, and how many items there are
    tie=1,
    reward=1,
    unit=1,  # banks are counted in 1/unit points, so that shares of a pot stay whole
    scale=1,  # divides pots and banks in the observation: the sum of all items without their signs
    cards=MOST,  # the value of each card
    items=MOST,  # the value of each item
    same=MOST,  # for each item a bit mask of all items with its value
)
C = starts(CFG)

# values of options, in the order of their names in env.py
CARRY, DISCARD, SPLIT = 0, 1, 2  # tie
OUTCOME, MARGIN, BANK = 0, 1, 2  # reward

NOBODY = -1  # the taker of a pot for which no bid was unique


_HEAD = {  # the state begins with these for any number of players
    "pot": 1,
    "items": 1,  # bit mask of the items still to come
    "round": 1,
    "committed": 1,  # how many players have bid in this round, in the order of the seats
    "last_pot": 1,  # the pot of the last round, for drawing ...
    "last_taker": 1,  # ... and who took it, or NOBODY
}
S = starts(layout(**_HEAD, hands=1))


def state_parts(players: int) -> dict[str, slice]:
    """Return the named parts of the state."""
    return layout(
        **_HEAD,
        hands=players,  # bit masks; a committed card leaves the hand when the round is played
        bids=players,  # card indexes, hidden until all are in; old bids after the committed ones
        banks=players,  # in 1/unit points
        last_bids=players,  # card indexes of the last round, for drawing; -1 before the first
    )


def bids_at(cfg: Cfg) -> int:
    """Return where the bids begin in the state."""
    return S.hands + cfg[C.players]


def banks_at(cfg: Cfg) -> int:
    """Return where the banks begin in the state."""
    return S.hands + 2 * cfg[C.players]


def last_bids_at(cfg: Cfg) -> int:
    """Return where the bids of the last round begin in the state."""
    return S.hands + 3 * cfg[C.players]


_SEEN = {"pot": 1, "round": 1, "bank": 1}  # the head of the observation
V = starts(layout(**_SEEN))


def observation_parts(players: int, size: int) -> dict[str, slice]:
    """Return the named parts of the observation."""
    others = players - 1
    return layout(
        **_SEEN,
        other_banks=others,
        items=size,
        hand=size,
        other_hands=others * size,
    )


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Give every player all cards and turn up the first item."""
    bids, banks, last = bids_at(cfg), banks_at(cfg), last_bids_at(cfg)
    everything = (1 << cfg[C.size]) - 1
    state[S.items] = everything
    state[S.round] = 0
    state[S.committed] = 0
    state[S.last_pot] = 0
    state[S.last_taker] = NOBODY
    for player in range(cfg[C.players]):
        state[S.hands + player] = everything
        state[bids + player] = 0
        state[banks + player] = 0
        state[last + player] = -1
    state[S.pot] = 0
    _turn_up(cfg, state, rng)


def _turn_up(cfg: Cfg, state: State, rng: Rng) -> None:
    """Add one of the items still to come to the pot, each equally likely."""
    left = state[S.items]
    item = nth(left, below(rng, count(left)))
    state[S.pot] += cfg[C.items + item]
    state[S.items] = without_item(cfg, left, item)


def without_item(cfg: Cfg, left: int, item: int) -> int:
    """Return the items left when one with the value of `item` is gone: the lowest of equal ones."""
    equals = left & cfg[C.same + item]
    return left ^ (equals & -equals)


def to_move(cfg: Cfg, state: State) -> int:
    """Return the player to move: players commit bids by seat and do not see the others' bids."""
    return OVER if state[S.round] == cfg[C.size] else state[S.committed]


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Allow every card in the mover's hand."""
    hand = state[S.hands + state[S.committed]]
    for card in range(len(mask)):
        mask[card] = (hand >> card) & 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Commit a bid; when all are in, play the round."""
    seat = state[S.committed]
    state[bids_at(cfg) + seat] = action
    if seat + 1 < cfg[C.players]:
        state[S.committed] = seat + 1
    else:
        _play_round(cfg, state, rng)


def _play_round(cfg: Cfg, state: State, rng: Rng) -> None:
    """Give the pot to its taker, remove the cards that were bid, turn up the next item."""
    players = cfg[C.players]
    bids, banks, last = bids_at(cfg), banks_at(cfg), last_bids_at(cfg)
    pot = state[S.pot]
    taker = _taker(cfg, state, pot)
    state[S.last_pot] = pot
    state[S.last_taker] = taker
    if taker != NOBODY:
        state[banks + taker] += pot * cfg[C.unit]
    elif cfg[C.tie] == SPLIT:
        _split(cfg, state, pot)

    for player in range(players):
        bid = state[bids + player]
        state[S.hands + player] ^= 1 << bid
        state[last + player] = bid
    state[S.committed] = 0
    state[S.round] += 1
    if taker != NOBODY or cfg[C.tie] != CARRY or state[S.round] == cfg[C.size]:
        state[S.pot] = 0  # taken, shared or lost
    if state[S.round] < cfg[C.size]:
        _turn_up(cfg, state, rng)


def _taker(cfg: Cfg, state: State, pot: int) -> int:
    """Return who takes the pot: the highest unique bid, or the lowest if the pot is negative."""
    bids = bids_at(cfg)
    once = 0
    twice = 0
    for player in range(cfg[C.players]):
        card = 1 << state[bids + player]
        twice |= once & card
        once |= card
    unique = once & ~twice
    taker = NOBODY
    for player in range(cfg[C.players]):
        bid = state[bids + player]
        if (unique >> bid) & 1 and (taker == NOBODY or (bid > state[bids + taker]) == (pot >= 0)):
            taker = player
    return taker


def _split(cfg: Cfg, state: State, pot: int) -> None:
    """Share the pot equally among the highest bidders; a negative pot among the lowest."""
    bids, banks = bids_at(cfg), banks_at(cfg)
    best = state[bids]
    sharers = 0
    for player in range(cfg[C.players]):
        bid = state[bids + player]
        if bid == best:
            sharers += 1
        elif (bid > best) == (pot >= 0):
            best = bid
            sharers = 1
    share = pot * (cfg[C.unit] // sharers)
    for player in range(cfg[C.players]):
        if state[bids + player] == best:
            state[banks + player] += share


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write the results by the reward in force; `RajEnv` explains the three rewards."""
    players = cfg[C.players]
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
        if cfg[C.reward] == BANK:
            out[player] = bank / cfg[C.unit]
        elif cfg[C.reward] == MARGIN:
            out[player] = (bank - (total - bank) / (players - 1)) / cfg[C.unit]
        elif winners == players:
            out[player] = 0.0
        elif bank == best:
            out[player] = 1.0 / winners
        else:
            out[player] = -1.0 / (players - winners)


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Write pot, round, banks, items still to come and hands.

    The player's own bank and hand come first, then the others' in the order of the seats.
    """
    players, size = cfg[C.players], cfg[C.size]
    banks = banks_at(cfg)
    scale = 1.0 / cfg[C.scale]
    out[V.pot] = state[S.pot] * scale
    out[V.round] = state[S.round] / size
    scale /= cfg[C.unit]
    first_item = V.bank + players
    first_hand = first_item + size
    _unpack(state[S.items], out[first_item:first_hand])
    seat = player
    for k in range(players):
        out[V.bank + k] = state[banks + seat] * scale
        hand = first_hand + k * size
        _unpack(state[S.hands + seat], out[hand : hand + size])
        seat = seat + 1 if seat + 1 < players else 0


def _unpack(mask: int, out: Observation) -> None:
    """Write bit i of the mask into `out[i]`."""
    for i in range(len(out)):
        out[i] = (mask >> i) & 1


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Guess the others' committed bids; nothing else is hidden."""
    bids = bids_at(cfg)
    for other in range(state[S.committed]):
        if other != player:
            hand = state[S.hands + other]
            state[bids + other] = nth(hand, below(rng, count(hand)))


def withdraw(cfg: Cfg, state: State) -> None:
    """Take back all bids of this round, and clear old bids, which nobody needs."""
    bids = bids_at(cfg)
    state[S.committed] = 0
    for player in range(cfg[C.players]):
        state[bids + player] = 0


def signature(cfg: Cfg, state: State, player: int) -> int:
    """Return the pot and the bids of the last round: everything that a round shows to all."""
    seen = state[S.pot]
    for seat in range(cfg[C.players]):
        seen = seen << 5 | state[last_bids_at(cfg) + seat] + 1
    return seen
