"""Twenty-nine before the first card: deal, auction, doubling, trump, single hand."""

from __future__ import annotations

from bidarena.envs.bits import count, nth, subset
from bidarena.envs.compile import apart
from bidarena.envs.game import Cfg, Rng, State
from bidarena.envs.rng import below
from bidarena.envs.twentynine.rules.layout import (
    ALL_CARDS,
    BIDDER_LEADS,
    BIDDING,
    DEAL_ANEW,
    DOUBLES,
    DUEL,
    JACKS,
    MOST_REDEALS,
    NINES,
    NOBODY,
    ONES,
    PLAYING,
    SEATS,
    SINGLES,
    TRUMPING,
    A,
    C,
    S,
    bid_action,
    bid_of,
    suit_of,
)

CALLS_PER_NUMBER = 9  # in the log of the auction, seven bits each


@apart
def deal(cfg: Cfg, state: State, rng: Rng) -> None:
    """Deal four cards to each seat and put four more aside; seat `first` begins the auction."""
    redeals = state[S.redeals]
    for place in range(S.hands, S.score):  # everything that belongs to one deal
        state[place] = 0
    state[S.redeals] = redeals
    deck = ALL_CARDS
    for part in (S.hands, S.rest):
        for seat in range(SEATS):
            cards = subset(rng, deck, 4)
            state[part + seat] = cards
            deck ^= cards
    state[S.phase] = BIDDING
    state[S.stake] = 1
    for role in (S.bidder, S.revealer, S.single, S.married, S.challenger, S.defender):
        state[role] = NOBODY
    state[S.trump] = NOBODY
    state[S.seventh] = NOBODY
    first = state[S.first]
    state[S.mover] = first
    if cfg[C.auction] == DUEL:
        state[S.defender] = first
        state[S.challenger] = (first + 1) % SEATS


# --- the auction ---------------------------------------------------------------------------------


@apart
def auction_options(cfg: Cfg, state: State) -> int:
    """Return the legal actions of the auction as a bit mask."""
    seat = state[S.mover]
    top = cfg[C.max_bid]
    held = _highest_bid(state)
    alone = _others_have_passed(state, seat)
    may_redeal = state[S.redeals] < MOST_REDEALS
    if alone and held == 0:
        # Everybody else has passed without a bid.
        options = 1 << bid_action(cfg[C.min_bid])
        if cfg[C.all_pass] == DEAL_ANEW and may_redeal:
            options = (1 << A.pass_) | bids_between(cfg[C.min_bid], top)
    else:
        # A defender may match a bid; all others must bid more.
        least = held if cfg[C.auction] == DUEL and seat == state[S.defender] else held + 1
        options = (1 << A.pass_) | bids_between(max(least, cfg[C.min_bid]), top)
    first_turn = (state[S.spoken] >> seat) & 1 == 0
    if cfg[C.redeal] and first_turn and may_redeal and points_in(state[S.hands + seat]) == 0:
        options |= 1 << A.ask_redeal
    return options


def bids_between(low: int, high: int) -> int:
    """Return the actions that bid `low` to `high` as a bit mask; 0 if `low` is above `high`."""
    options = 0
    for bid in range(low, high + 1):
        options |= 1 << bid_action(bid)
    return options


def _highest_bid(state: State) -> int:
    return max(state[S.bids], state[S.bids + 1], state[S.bids + 2], state[S.bids + 3])


def _others_have_passed(state: State, seat: int) -> bool:
    return state[S.passed] | (1 << seat) == (1 << SEATS) - 1


def points_in(cards: int) -> int:
    """Return the points of a set of cards."""
    return count(cards & ONES) + 2 * count(cards & NINES) + 3 * count(cards & JACKS)


def log_call(state: State, seat: int, bid: int) -> None:
    """Log a bid, or 0 for a pass, in seven bits: two for the seat and five for the bid."""
    calls = state[S.calls]
    shift = 7 * (calls % CALLS_PER_NUMBER)
    state[S.auction + calls // CALLS_PER_NUMBER] |= (bid << 2 | seat) << shift
    state[S.calls] = calls + 1


@apart
def call(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Carry out a bid, a pass, or a request for a redeal."""
    seat = state[S.mover]
    state[S.spoken] |= 1 << seat
    lone_pass = action == A.pass_ and _others_have_passed(state, seat)
    if action == A.ask_redeal or lone_pass:
        state[S.redeals] += 1
        deal(cfg, state, rng)
        return
    bid = 0 if action == A.pass_ else bid_of(action)
    log_call(state, seat, bid)
    if action == A.pass_:
        state[S.passed] |= 1 << seat
    else:
        state[S.bids + seat] = bid
    if cfg[C.auction] == DUEL:
        _next_in_duel(cfg, state, seat, bid)
    else:
        _next_in_round(cfg, state, seat, bid)


def _next_in_duel(cfg: Cfg, state: State, seat: int, bid: int) -> None:
    """Go on in a duel: two seats bid in turn until one passes; then the next seat challenges."""
    defender, challenger = state[S.defender], state[S.challenger]
    if challenger == NOBODY:  # all others passed, and the last seat took the contract
        _settle(cfg, state, seat)
        return
    if bid > 0:
        state[S.mover] = challenger if seat == defender else defender
        return
    if seat == defender:
        defender = challenger
    taken_part = (challenger - state[S.first]) % SEATS
    state[S.defender] = defender
    if taken_part == SEATS - 1:
        state[S.challenger] = NOBODY
        if state[S.bids + defender] > 0:
            _settle(cfg, state, defender)
        else:
            state[S.mover] = defender
        return
    challenger = (state[S.first] + taken_part + 1) % SEATS
    state[S.challenger] = challenger
    state[S.mover] = challenger if state[S.bids + defender] > 0 else defender


def _next_in_round(cfg: Cfg, state: State, seat: int, bid: int) -> None:
    """Go on in a round robin: the seats that have not passed bid in turn."""
    if bid > 0:
        state[S.defender] = seat
    holder = state[S.defender]
    if holder != NOBODY and _others_have_passed(state, holder):
        _settle(cfg, state, holder)
        return
    seat = (seat + 1) % SEATS
    while (state[S.passed] >> seat) & 1:
        seat = (seat + 1) % SEATS
    state[S.mover] = seat


def _settle(cfg: Cfg, state: State, bidder: int) -> None:
    """End the auction: `bidder` has the contract."""
    state[S.bidder] = bidder
    state[S.contract] = state[S.bids + bidder]
    state[S.target] = state[S.bids + bidder]
    if cfg[C.doubling]:
        state[S.phase] = DOUBLES
        state[S.mover] = (bidder + 1) % SEATS
    else:
        state[S.phase] = TRUMPING
        state[S.mover] = bidder


# --- doubling ------------------------------------------------------------------------------------


def doubling_options(state: State) -> int:
    """Return the legal actions as a bit mask: pass, and double or (once doubled) redouble."""
    return (1 << A.pass_) | (1 << (A.double if state[S.stake] == 1 else A.redouble))


@apart
def double(state: State, action: int) -> None:
    """Take an answer. The opponents may double; then the bidder or the partner may redouble."""
    seat, bidder = state[S.mover], state[S.bidder]
    if action == A.double:
        state[S.stake] = 2
        state[S.mover] = bidder
    elif action == A.redouble:
        state[S.stake] = 4
        state[S.phase] = TRUMPING
        state[S.mover] = bidder
    elif seat in ((bidder + 1) % SEATS, bidder):  # the partner of this seat is asked next
        state[S.mover] = (seat + 2) % SEATS
    else:
        state[S.phase] = TRUMPING
        state[S.mover] = bidder


# --- the trump and the second four cards ---------------------------------------------------------


def trump_options(cfg: Cfg) -> int:
    """Return the legal actions as a bit mask: any suit, held or not, or the seventh card."""
    return (0b1111 << A.choose) | (cfg[C.seventh_card] << A.seventh_card)


@apart
def choose_trump(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Set the trump, still hidden, and give each seat its second four cards."""
    bidder = state[S.bidder]
    if action == A.seventh_card:
        state[S.seventh] = nth(state[S.rest + bidder], below(rng, 4))
        state[S.trump] = suit_of(state[S.seventh])
    else:
        state[S.trump] = action - A.choose
    for seat in range(SEATS):
        state[S.hands + seat] |= state[S.rest + seat]
        state[S.rest + seat] = 0
    state[S.mover] = state[S.first]
    if cfg[C.single_hand]:
        state[S.phase] = SINGLES
    else:
        begin_play(cfg, state)


def begin_play(cfg: Cfg, state: State) -> None:
    """Begin the play: set the seat that leads to the first trick."""
    leader = state[S.single] if state[S.single] != NOBODY else usual_leader(cfg, state)
    state[S.phase] = PLAYING
    state[S.leader] = leader
    state[S.mover] = leader


def usual_leader(cfg: Cfg, state: State) -> int:
    """Return the seat that leads to the first trick if nobody declares a single hand."""
    return state[S.bidder] if cfg[C.first_lead] == BIDDER_LEADS else state[S.first]


def single_options() -> int:
    """Return the legal actions as a bit mask: pass, or declare a single hand."""
    return (1 << A.pass_) | (1 << A.single_hand)


@apart
def declare_single(cfg: Cfg, state: State, action: int) -> None:
    """Take an answer. The seats are asked in turn until one declares a single hand."""
    seat = state[S.mover]
    following = (seat + 1) % SEATS
    if action == A.single_hand:
        state[S.single] = seat
        begin_play(cfg, state)
    elif following == state[S.first]:
        begin_play(cfg, state)
    else:
        state[S.mover] = following
