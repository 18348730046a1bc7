"""Twenty-nine up to the first card: the deal, the auction, doubling, the trump, the single hand."""

from __future__ import annotations

from bidarena.envs.bits import count, nth, subset
from bidarena.envs.compile import apart
from bidarena.envs.game import Cfg, Rng, State
from bidarena.envs.rng import below
from bidarena.envs.twentynine.layout import (
    ALL_CARDS,
    ALL_PASS,
    ASK_REDEAL,
    AUCTION,
    BIDDER,
    BIDDER_LEADS,
    BIDDING,
    BIDS,
    CALLS,
    CHALLENGER,
    CHOOSE,
    CONTRACT,
    DEAL_ANEW,
    DEFENDER,
    DOUBLE,
    DOUBLES,
    DOUBLING,
    DUEL,
    FIRST,
    FIRST_LEAD,
    HANDS,
    JACKS,
    LEADER,
    LOG,
    MARRIED,
    MAX_BID,
    MIN_BID,
    MOST_REDEALS,
    MOVER,
    NINES,
    NOBODY,
    ONES,
    PASS,
    PASSED,
    PHASE,
    PLAYING,
    REDEAL,
    REDEALS,
    REDOUBLE,
    REST,
    REVEALER,
    SEATS,
    SEVENTH,
    SEVENTH_CARD,
    SEVENTH_IS,
    SINGLE,
    SINGLE_HAND,
    SINGLE_IS,
    SINGLES,
    SPOKEN,
    STAKE,
    STATE,
    TARGET,
    TRUMP,
    TRUMPING,
    bid_action,
    bid_of,
    suit_of,
)

CALLS_PER_WORD = 9  # in the log of the auction, seven bits each
DEAL_START = STATE["hands"].start  # from here on the state is of one deal ...
DEAL_END = STATE["score"].start  # ... up to here


@apart
def deal(cfg: Cfg, state: State, rng: Rng) -> None:
    """Four cards for everybody, four more put aside; `first` begins the auction."""
    redeals = state[REDEALS]
    for k in range(DEAL_START, DEAL_END):
        state[k] = 0
    state[REDEALS] = redeals
    deck = ALL_CARDS
    for part in (HANDS, REST):
        for seat in range(SEATS):
            cards = subset(rng, deck, 4)
            state[part + seat] = cards
            deck ^= cards
    state[PHASE] = BIDDING
    state[STAKE] = 1
    for name in (BIDDER, TRUMP, SEVENTH_IS, REVEALER, SINGLE_IS, MARRIED, CHALLENGER, DEFENDER):
        state[name] = NOBODY
    first = state[FIRST]
    state[MOVER] = first
    if cfg[AUCTION] == DUEL:
        state[DEFENDER] = first
        state[CHALLENGER] = (first + 1) % SEATS


# --- the auction ---------------------------------------------------------------------------------


@apart
def auction_options(cfg: Cfg, state: State) -> int:
    """The legal actions of the auction, a bit each."""
    seat = state[MOVER]
    top = cfg[MAX_BID]
    held = _highest_bid(state)
    alone = _others_have_passed(state, seat)
    may_redeal = state[REDEALS] < MOST_REDEALS
    if alone and held == 0:
        # Everybody else has passed without a bid.
        options = 1 << bid_action(cfg[MIN_BID])
        if cfg[ALL_PASS] == DEAL_ANEW and may_redeal:
            options = (1 << PASS) | bids_between(cfg[MIN_BID], top)
    else:
        # A defender may match a bid, everybody else has to bid more.
        least = held if cfg[AUCTION] == DUEL and seat == state[DEFENDER] else held + 1
        options = (1 << PASS) | bids_between(max(least, cfg[MIN_BID]), top)
    first_turn = (state[SPOKEN] >> seat) & 1 == 0
    if cfg[REDEAL] and first_turn and may_redeal and points_in(state[HANDS + seat]) == 0:
        options |= 1 << ASK_REDEAL
    return options


def bids_between(low: int, high: int) -> int:
    """The actions that bid `low` to `high`, a bit each; none if `low` is above `high`."""
    options = 0
    for bid in range(low, high + 1):
        options |= 1 << bid_action(bid)
    return options


def _highest_bid(state: State) -> int:
    return max(state[BIDS], state[BIDS + 1], state[BIDS + 2], state[BIDS + 3])


def _others_have_passed(state: State, seat: int) -> bool:
    return state[PASSED] | (1 << seat) == (1 << SEATS) - 1


def points_in(cards: int) -> int:
    """The points of a set of cards."""
    return count(cards & ONES) + 2 * count(cards & NINES) + 3 * count(cards & JACKS)


def log_call(state: State, seat: int, bid: int) -> None:
    """Note a bid, or 0 for a pass: seven bits each, two for the seat and five for the bid."""
    calls = state[CALLS]
    place = 7 * (calls % CALLS_PER_WORD)
    state[LOG + calls // CALLS_PER_WORD] |= (bid << 2 | seat) << place
    state[CALLS] = calls + 1


@apart
def call(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """A bid, a pass, or a redeal asked for."""
    seat = state[MOVER]
    state[SPOKEN] |= 1 << seat
    lone_pass = action == PASS and _others_have_passed(state, seat)
    if action == ASK_REDEAL or lone_pass:
        state[REDEALS] += 1
        deal(cfg, state, rng)
        return
    bid = 0 if action == PASS else bid_of(action)
    log_call(state, seat, bid)
    if action == PASS:
        state[PASSED] |= 1 << seat
    else:
        state[BIDS + seat] = bid
    if cfg[AUCTION] == DUEL:
        _next_in_duel(cfg, state, seat, bid)
    else:
        _next_in_round(cfg, state, seat, bid)


def _next_in_duel(cfg: Cfg, state: State, seat: int, bid: int) -> None:
    """Two seats bid against each other until one passes; then the next seat challenges."""
    defender, challenger = state[DEFENDER], state[CHALLENGER]
    if challenger == NOBODY:  # the last seat, who has taken the contract that nobody wanted
        _settle(cfg, state, seat)
        return
    if bid > 0:
        state[MOVER] = challenger if seat == defender else defender
        return
    if seat == defender:
        defender = challenger
    taken_part = (challenger - state[FIRST]) % SEATS
    state[DEFENDER] = defender
    if taken_part == SEATS - 1:
        state[CHALLENGER] = NOBODY
        if state[BIDS + defender] > 0:
            _settle(cfg, state, defender)
        else:
            state[MOVER] = defender
        return
    challenger = (state[FIRST] + taken_part + 1) % SEATS
    state[CHALLENGER] = challenger
    state[MOVER] = challenger if state[BIDS + defender] > 0 else defender


def _next_in_round(cfg: Cfg, state: State, seat: int, bid: int) -> None:
    """Everybody who has not passed bids in turn."""
    if bid > 0:
        state[DEFENDER] = seat
    holder = state[DEFENDER]
    if holder != NOBODY and _others_have_passed(state, holder):
        _settle(cfg, state, holder)
        return
    seat = (seat + 1) % SEATS
    while (state[PASSED] >> seat) & 1:
        seat = (seat + 1) % SEATS
    state[MOVER] = seat


def _settle(cfg: Cfg, state: State, bidder: int) -> None:
    """The auction is over."""
    state[BIDDER] = bidder
    state[CONTRACT] = state[BIDS + bidder]
    state[TARGET] = state[BIDS + bidder]
    if cfg[DOUBLING]:
        state[PHASE] = DOUBLES
        state[MOVER] = (bidder + 1) % SEATS
    else:
        state[PHASE] = TRUMPING
        state[MOVER] = bidder


# --- doubling ------------------------------------------------------------------------------------


def doubling_options(state: State) -> int:
    """Double or pass; for the bidding side, redouble or pass."""
    return (1 << PASS) | (1 << (DOUBLE if state[STAKE] == 1 else REDOUBLE))


@apart
def double(state: State, action: int) -> None:
    """First the opponents are asked; if one doubles, the bidder and his partner."""
    seat, bidder = state[MOVER], state[BIDDER]
    if action == DOUBLE:
        state[STAKE] = 2
        state[MOVER] = bidder
    elif action == REDOUBLE:
        state[STAKE] = 4
        state[PHASE] = TRUMPING
        state[MOVER] = bidder
    elif seat in ((bidder + 1) % SEATS, bidder):  # his partner is asked next
        state[MOVER] = (seat + 2) % SEATS
    else:
        state[PHASE] = TRUMPING
        state[MOVER] = bidder


# --- the trump and the second four cards ---------------------------------------------------------


def trump_options(cfg: Cfg) -> int:
    """Any suit, held or not; or the seventh card."""
    return (0b1111 << CHOOSE) | (cfg[SEVENTH] << SEVENTH_CARD)


@apart
def choose_trump(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """The trump is put down hidden, and everybody gets four more cards."""
    bidder = state[BIDDER]
    if action == SEVENTH_CARD:
        state[SEVENTH_IS] = nth(state[REST + bidder], below(rng, 4))
        state[TRUMP] = suit_of(state[SEVENTH_IS])
    else:
        state[TRUMP] = action - CHOOSE
    for seat in range(SEATS):
        state[HANDS + seat] |= state[REST + seat]
        state[REST + seat] = 0
    state[MOVER] = state[FIRST]
    if cfg[SINGLE]:
        state[PHASE] = SINGLES
    else:
        begin_play(cfg, state)


def begin_play(cfg: Cfg, state: State) -> None:
    """The first lead."""
    leader = state[FIRST]
    if state[SINGLE_IS] != NOBODY:
        leader = state[SINGLE_IS]
    elif cfg[FIRST_LEAD] == BIDDER_LEADS:
        leader = state[BIDDER]
    state[PHASE] = PLAYING
    state[LEADER] = leader
    state[MOVER] = leader


def single_options() -> int:
    """Declare a single hand or pass."""
    return (1 << PASS) | (1 << SINGLE_HAND)


@apart
def declare_single(cfg: Cfg, state: State, action: int) -> None:
    """Everybody is asked in turn until one declares."""
    seat = state[MOVER]
    following = (seat + 1) % SEATS
    if action == SINGLE_HAND:
        state[SINGLE_IS] = seat
        begin_play(cfg, state)
    elif following == state[FIRST]:
        begin_play(cfg, state)
    else:
        state[MOVER] = following
