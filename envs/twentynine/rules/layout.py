"""The layout of actions, options, states and observations of Twenty-nine, by name.

The cards come first, then four tables of names. Each name stands for a first index:

    A    actions                     action == A.reveal, A.choose + suit
    C    options, in cfg             cfg[C.min_bid]
    S    one game, in the state      state[S.trump], state[S.hands + seat]
    V    what a seat sees            out[V.trump + suit]

A part of several numbers (`hands=4`) begins at its first index: `S.hands + seat`. Names in capitals
are values, not indexes: sets of cards, values of options, phases. The functions at the end turn
bids and cards into actions and text.

A card is 8 * suit + strength, a set of cards is a bit mask. Seats are 0 to 3 in the order of play,
and the side of a seat is seat % 2.
"""

from __future__ import annotations

from bidarena.envs.game import Cfg, layout, starts

SEATS = 4
SUITS = "SDHC"  # as in the competition's card codes
RANKS = "78QKT19J"  # ascending; the ace is 1, the ten is T

ALL_CARDS = (1 << 32) - 1
SUIT = 0xFF  # the cards of suit 0; shift by 8 * suit
JACKS = 0x80808080
NINES = 0x40404040
ONES = 0x30303030  # aces and tens
KING_QUEEN = 0b1100  # of suit 0

# actions; those of a house rule are never legal while the rule is off
ACTIONS = layout(
    card=32,  # play this card
    pass_=1,  # `pass` is a keyword of Python
    bid_16=13,  # 16 to 28
    choose=4,  # make one of the four suits the trump
    reveal=1,
    bid_29=1,
    double=1,
    redouble=1,
    seventh_card=1,
    single_hand=1,
    declare=1,  # the marriage
    ask_redeal=1,
)
A = starts(ACTIONS)

# cfg: one number per option
C = starts(
    layout(
        auction=1,
        min_bid=1,
        max_bid=1,
        all_pass=1,
        first_lead=1,
        unrevealed=1,
        last_trick=1,
        marriage=1,
        doubling=1,
        single_hand=1,
        seventh_card=1,
        redeal=1,
        match_to=1,
        max_deals=1,
        reward=1,
        most_stake=1,  # the most game points that a deal can bring
    )
)

# values of options, in the order of their names in env.py
DUEL, ROUND_ROBIN = 0, 1  # auction
LAST_TAKES, DEAL_ANEW = 0, 1  # all_pass
FIRST_BIDDER, BIDDER_LEADS = 0, 1  # first_lead
VOID, SCORE_IT = 0, 1  # unrevealed
OUTCOME, MARGIN = 0, 1  # reward

MOST_REDEALS = 3  # in one deal
SINGLE_STAKE = 3  # game points won or lost with a single hand
NOBODY = -1

STATE = layout(
    mover=1,  # the seat to act, or OVER, CUT_SHORT
    phase=1,
    first=1,  # the seat that speaks first
    hands=4,  # bit masks: the cards a seat holds and knows
    rest=4,  # bit masks: the second four cards, seen by nobody before the trump is chosen
    barred=4,  # bit masks: cards that a seat has shown not to hold
    bids=4,  # the last bid of each seat, 0 for none
    passed=1,  # bit mask of the seats that are out of the auction
    spoken=1,  # bit mask of the seats that have had a turn in the auction
    defender=1,
    challenger=1,
    auction=4,  # the calls so far, nine in a number: see `log_call` in auction.py
    calls=1,  # number of calls so far
    redeals=1,
    bidder=1,
    contract=1,
    target=1,  # the contract, changed by a marriage
    stake=1,
    trump=1,  # a suit, NOBODY before it is chosen
    seventh=1,  # the card that decides the trump, if it was left to the seventh card
    revealed=1,  # the trick of the reveal, from 1; 0 while hidden
    revealer=1,
    asked=1,  # 1 if the seat to act has just revealed the trump
    single=1,  # the seat that plays a single hand, or NOBODY
    married=1,  # the seat that declared the marriage, or NOBODY ...
    married_in=1,  # ... and the trick in which it did, from 1
    trick=1,  # number of finished tricks
    leader=1,
    in_trick=1,  # number of cards on the table
    best_card=1,  # the card on the table that is winning ...
    best_seat=1,  # ... and the seat that played it
    table_points=1,
    tricks=8,  # packed: six bits a seat (card + 1), then two bits for the leader
    points=2,  # by side
    won=2,  # tricks by side
    won_since=1,  # bit mask of the sides that won a trick since the reveal
    score=2,  # game points by side, in a match
    deals=1,  # number of finished deals, in a match
)

S = starts(STATE)

# phases, in the order of a deal
BIDDING, DOUBLES, TRUMPING, SINGLES, PLAYING, FINISHED = 0, 1, 2, 3, 4, 5

OBSERVATION = layout(
    hand=32,
    played=4 * 32,
    trick=4 * 32,
    voids=4 * 4,
    bids=4,
    passed=4,
    defender=4,
    challenger=4,
    first=4,
    bidder=4,
    contract=1,
    target=1,
    trump=4,
    revealed=1,
    revealed_in=1,
    revealer=4,
    asked=1,
    phase=5,
    mover=4,
    trick_number=1,
    leader=4,
    points=2,
    tricks=2,
    stake=1,
    seventh=1,
    single=4,
    married=4,
    redeals=1,
    score=2,
    deals=1,
)
V = starts(OBSERVATION)


def actions(cfg: Cfg) -> int:
    """Return how many actions there are: one more than the largest that can be legal."""
    last = A.reveal
    for possible, action in (
        (cfg[C.max_bid] == 29, A.bid_29),
        (cfg[C.doubling], A.redouble),
        (cfg[C.seventh_card], A.seventh_card),
        (cfg[C.single_hand], A.single_hand),
        (cfg[C.marriage], A.declare),
        (cfg[C.redeal], A.ask_redeal),
    ):
        if possible:
            last = action
    return last + 1


def suit_of(card: int) -> int:
    """Return the suit of a card, 0 to 3."""
    return card >> 3


def worth(card: int) -> int:
    """Return the points of one card: jack 3, nine 2, ace and ten 1, any other 0."""
    return (0x32110000 >> (4 * (card & 7))) & 15


def bid_action(bid: int) -> int:
    """Return the action that makes a bid of 16 to 29."""
    return A.bid_29 if bid == 29 else A.bid_16 + bid - 16


def bid_of(action: int) -> int:
    """Return the bid, 16 to 29, that an action makes."""
    return 29 if action == A.bid_29 else action - A.bid_16 + 16


def card_code(card: int) -> str:
    """Return the code of a card as in the competition, such as "JS" or "1H"."""
    return RANKS[card & 7] + SUITS[card >> 3]


def card_of(code: str) -> int:
    """Return the card with this code; raise ValueError if there is none."""
    if isinstance(code, str) and len(code) == 2 and code[0] in RANKS and code[1] in SUITS:
        return 8 * SUITS.index(code[1]) + RANKS.index(code[0])
    raise ValueError(
        f"card={code!r}: expected a rank of J 9 1 T K Q 8 7 and a suit of S D H C, such as 'JS'"
    )


def by_suit(cards: int) -> list[int]:
    """Return the cards of a bit mask as a list: suit by suit, the highest card first."""
    order = [8 * suit + strength for suit in range(4) for strength in range(7, -1, -1)]
    return [card for card in order if cards >> card & 1]
