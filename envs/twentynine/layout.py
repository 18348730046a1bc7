"""Where everything stands: cards, actions, options, the state and the observation of Twenty-nine.

A card is 8 * suit + strength, a set of cards is a bit mask. Seats are 0 to 3 in the order of play,
and the side of a seat is seat % 2.
"""

from __future__ import annotations

from bidarena.envs.game import Cfg, layout

SEATS = 4
SUITS = "SDHC"  # as in the competition's card codes
RANKS = "78QKT19J"  # ascending; the ace is 1, the ten is T

ALL_CARDS = (1 << 32) - 1
SUIT = 0xFF  # the cards of suit 0; shift by 8 * suit
JACKS = 0x80808080
NINES = 0x40404040
ONES = 0x30303030  # aces and tens
KING_QUEEN = 0b1100  # of suit 0

# actions; a house rule that is off never makes its action legal
PASS = 32
BID_16 = 33  # 16 to 28
CHOOSE = 46  # a trump: one of four suits
REVEAL = 50
BID_29 = 51
DOUBLE, REDOUBLE = 52, 53
SEVENTH_CARD = 54
SINGLE_HAND = 55
DECLARE = 56  # the marriage
ASK_REDEAL = 57

# cfg, one number per option
AUCTION, MIN_BID, MAX_BID, ALL_PASS, FIRST_LEAD, UNREVEALED = 0, 1, 2, 3, 4, 5
LAST_TRICK, MARRIAGE, DOUBLING, SINGLE, SEVENTH, REDEAL = 6, 7, 8, 9, 10, 11
MATCH_TO, MAX_DEALS, REWARD = 12, 13, 14
MOST_STAKE = 15  # game points that a deal can bring at most
CFG_SIZE = 16

# values of options, in the order of the words in env.py
DUEL, ROUND_ROBIN = 0, 1  # auction
LAST_TAKES, DEAL_ANEW = 0, 1  # all_pass
FIRST_BIDDER, BIDDER_LEADS = 0, 1  # first_lead
VOID, SCORE_IT = 0, 1  # unrevealed
OUTCOME, MARGIN = 0, 1  # reward

MOST_REDEALS = 3  # in one deal
SINGLE_STAKE = 3  # game points of a single hand
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
    auction=4,  # the calls so far, nine to a word: see `log_call` in auction.py
    calls=1,  # how many
    redeals=1,
    bidder=1,
    contract=1,
    target=1,  # the contract, changed by a marriage
    stake=1,
    trump=1,  # a suit, NOBODY before it is chosen
    seventh=1,  # the card that decides the trump, if it was left to the seventh card
    revealed=1,  # in which trick, from 1; 0 while hidden
    revealer=1,
    asked=1,  # has the seat to act just revealed the trump?
    single=1,  # who plays a single hand
    married=1,  # who declared the marriage ...
    married_in=1,  # ... and in which trick, from 1
    trick=1,  # how many are finished
    leader=1,
    in_trick=1,  # cards on the table
    best_card=1,  # the winning one of these ...
    best_seat=1,  # ... and whose it is
    table_points=1,
    tricks=8,  # six bits a seat: the card + 1; then two bits for the leader
    points=2,  # by side
    won=2,  # tricks by side
    won_since=1,  # bit mask of the sides that won a trick since the reveal
    score=2,  # game points by side, in a match
    deals=1,  # finished, in a match
)

MOVER = STATE["mover"].start
PHASE = STATE["phase"].start
FIRST = STATE["first"].start
HANDS = STATE["hands"].start
REST = STATE["rest"].start
BARRED = STATE["barred"].start
BIDS = STATE["bids"].start
PASSED = STATE["passed"].start
SPOKEN = STATE["spoken"].start
DEFENDER = STATE["defender"].start
CHALLENGER = STATE["challenger"].start
LOG = STATE["auction"].start
CALLS = STATE["calls"].start
REDEALS = STATE["redeals"].start
BIDDER = STATE["bidder"].start
CONTRACT = STATE["contract"].start
TARGET = STATE["target"].start
STAKE = STATE["stake"].start
TRUMP = STATE["trump"].start
SEVENTH_IS = STATE["seventh"].start
REVEALED = STATE["revealed"].start
REVEALER = STATE["revealer"].start
ASKED = STATE["asked"].start
SINGLE_IS = STATE["single"].start
MARRIED = STATE["married"].start
MARRIED_IN = STATE["married_in"].start
TRICK = STATE["trick"].start
LEADER = STATE["leader"].start
IN_TRICK = STATE["in_trick"].start
BEST_CARD = STATE["best_card"].start
BEST_SEAT = STATE["best_seat"].start
TABLE_POINTS = STATE["table_points"].start
TRICKS = STATE["tricks"].start
POINTS = STATE["points"].start
WON = STATE["won"].start
WON_SINCE = STATE["won_since"].start
GAME_SCORE = STATE["score"].start
DEALS = STATE["deals"].start

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


def actions(cfg: Cfg) -> int:
    """One more than the largest action that the rules in force can make legal."""
    last = REVEAL
    for possible, action in (
        (cfg[MAX_BID] == 29, BID_29),
        (cfg[DOUBLING], REDOUBLE),
        (cfg[SEVENTH], SEVENTH_CARD),
        (cfg[SINGLE], SINGLE_HAND),
        (cfg[MARRIAGE], DECLARE),
        (cfg[REDEAL], ASK_REDEAL),
    ):
        if possible:
            last = action
    return last + 1


def suit_of(card: int) -> int:
    """0 to 3."""
    return card >> 3


def worth(card: int) -> int:
    """The points of one card: jack 3, nine 2, ace and ten 1."""
    return (0x32110000 >> (4 * (card & 7))) & 15


def bid_action(bid: int) -> int:
    """The action that bids 16 to 29."""
    return BID_29 if bid == 29 else BID_16 + bid - 16


def bid_of(action: int) -> int:
    """The bid of an action."""
    return 29 if action == BID_29 else action - BID_16 + 16


def card_code(card: int) -> str:
    """A card as the competition writes it, such as JS or 1H."""
    return RANKS[card & 7] + SUITS[card >> 3]


def card_of(code: str) -> int:
    """The card with this code."""
    if isinstance(code, str) and len(code) == 2 and code[0] in RANKS and code[1] in SUITS:
        return 8 * SUITS.index(code[1]) + RANKS.index(code[0])
    raise ValueError(
        f"card={code!r}: expected a rank of J 9 1 T K Q 8 7 and a suit of S D H C, such as 'JS'"
    )
