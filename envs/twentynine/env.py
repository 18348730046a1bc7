"""Twenty-nine as a `Game` and as Gymnasium environments."""

from __future__ import annotations

from typing import Any

import numpy as np

from bidarena.envs.arguments import choice, flag, whole
from bidarena.envs.game import Game, rules_of
from bidarena.envs.solo import SoloEnv
from bidarena.envs.twentynine import rules
from bidarena.envs.twentynine.rules import layout
from bidarena.envs.twentynine.rules.layout import C
from bidarena.envs.vector import BatchedEnv

AUCTIONS = ("duel", "round_robin")
ALL_PASS = ("last_takes", "redeal")
FIRST_LEAD = ("first_bidder", "bidder")
UNREVEALED = ("void", "score")
REWARDS = ("outcome", "margin")

LONGEST_AUCTION = 36  # calls; every second one raises the bid
LONGEST_PLAY = 4 + 1 + 4 + 32 + 1 + 1  # doubling, trump, single hand, cards, reveal, marriage


def twentynine(
    *,
    auction: str = "duel",
    min_bid: int = 16,
    max_bid: int | None = None,
    all_pass: str = "last_takes",
    first_lead: str = "first_bidder",
    unrevealed: str = "void",
    last_trick: int = 0,
    marriage: bool = False,
    doubling: bool = False,
    single_hand: bool = False,
    seventh_card: bool = False,
    redeal: str | None = None,
    match_to: int | None = None,
    max_deals: int = 100,
    reward: str = "outcome",
) -> Game:
    """Return the game of Twenty-nine with these options; `TwentyNineEnv` explains them."""
    cfg = np.zeros(len(C), np.int64)
    cfg[C.auction] = choice("auction", auction, AUCTIONS)
    cfg[C.last_trick] = whole("last_trick", last_trick, 0, 1)
    cfg[C.min_bid] = whole("min_bid", min_bid, 16, 28)
    most = 28 + int(last_trick)
    cfg[C.max_bid] = most if max_bid is None else whole("max_bid", max_bid, min_bid, most)
    cfg[C.all_pass] = choice("all_pass", all_pass, ALL_PASS)
    cfg[C.first_lead] = choice("first_lead", first_lead, FIRST_LEAD)
    cfg[C.unrevealed] = choice("unrevealed", unrevealed, UNREVEALED)
    cfg[C.marriage] = flag("marriage", marriage)
    cfg[C.doubling] = flag("doubling", doubling)
    cfg[C.single_hand] = flag("single_hand", single_hand)
    cfg[C.seventh_card] = flag("seventh_card", seventh_card)
    if redeal is not None:
        choice("redeal", redeal, ("no_points",))
    cfg[C.redeal] = redeal is not None
    cfg[C.match_to] = 0 if match_to is None else whole("match_to", match_to, 1, 100)
    cfg[C.max_deals] = whole("max_deals", max_deals, 1, 10_000)
    cfg[C.reward] = choice("reward", reward, REWARDS)
    if match_to is not None and reward != "outcome":
        raise ValueError(f"reward={reward!r}: a match has the reward 'outcome' only")
    cfg[C.most_stake] = 4 if doubling else layout.SINGLE_STAKE if single_hand else 1

    auctions = 1 + (layout.MOST_REDEALS if redeal or all_pass == "redeal" else 0)
    deals = 1 if match_to is None else max_deals
    widest = 28.0 + last_trick if reward == "margin" else 1.0
    return Game(
        name="twentynine",
        options={
            "auction": auction,
            "min_bid": min_bid,
            "max_bid": max_bid,
            "all_pass": all_pass,
            "first_lead": first_lead,
            "unrevealed": unrevealed,
            "last_trick": last_trick,
            "marriage": marriage,
            "doubling": doubling,
            "single_hand": single_hand,
            "seventh_card": seventh_card,
            "redeal": redeal,
            "match_to": match_to,
            "max_deals": max_deals,
            "reward": reward,
        },
        rules=rules_of(rules),
        cfg=cfg,
        players=layout.SEATS,
        actions=layout.actions(cfg),
        longest=deals * (auctions * LONGEST_AUCTION + LONGEST_PLAY),
        state=layout.STATE,
        observation=layout.OBSERVATION,
        teams=(0, 1, 0, 1),
        return_range=(-widest, widest),
        ansi="bidarena.envs.twentynine.render:ansi",
        picture="bidarena.envs.twentynine.render:picture",
        phrases="bidarena.envs.twentynine.phrases:PHRASES",
    )


class TwentyNineEnv(SoloEnv):
    """Twenty-nine: four players in two sides, an auction, a hidden trump, eight tricks.

    ## Description
    Seats 0 and 2 play against 1 and 3, with 32 cards. In each suit they rank J 9 A 10 K Q 8 7; jacks count 3
    points, nines 2, aces and tens 1, together 28. Everybody gets four cards. Then the right to
    choose the trump is auctioned: the bidder promises a number of points that the own side will take.
    The bidder chooses a suit in secret, everybody gets four more cards, and eight tricks are played.

    **Auction.** Seat 0 defends, the next seat challenges. A defender without a bid speaks first. The
    challenger must bid more than the defender or pass. The defender must match that bid, or go higher,
    or pass, and so on. A pass is final; the player who stays defends against the next seat. Bids go from
    16 to 28, and jumps are allowed. If three seats pass without any bid, the last seat must take 16.

    **Play.** Seat 0 leads to the first trick, then the winner of each trick leads to the next. Players must
    follow suit if they can. A player who cannot follow, the bidder included, may play any card, or first ask
    for the trump to be revealed. A player who has asked must play a trump if possible, and must beat an
    opponent's trump that is winning if possible (if the partner's trump is winning, any trump will do).
    Other players who cannot follow need not trump. A hidden trump has no power at all; from the reveal on,
    all its cards in the present trick are trumps. The highest trump wins if the trump is revealed,
    otherwise the highest card of the suit led.

    **Result.** The bidding side wins the deal if it takes the points it bid. If nobody ever revealed the
    trump, the deal is void.

    ## Action Space
    `Discrete(51)`; house rules append their actions. A number means the same action under all rules.

    | action | meaning |
    |---|---|
    | 0-31 | play a card: 8 * suit + strength; suits S D H C, strengths 7 8 Q K 10 A 9 J from 0 to 7 |
    | 32 | pass |
    | 33-45 | bid 16 to 28 |
    | 46-49 | choose the trump: S D H C |
    | 50 | reveal the trump; the card that follows is the next decision of the same player |
    | 51 | bid 29, with `last_trick` |
    | 52, 53 | double, redouble, with `doubling` |
    | 54 | leave the trump to the seventh card, with `seventh_card` |
    | 55 | play a single hand, with `single_hand` |
    | 56 | declare the marriage, with `marriage` |
    | 57 | ask for a redeal, with `redeal` |

    ## Observation Space
    `Box(0, 1, (373,), float32)`. Seats are relative: the own seat, the next, the partner's, the last. Sides
    are: own, other. "One of four" is all zeros where it is no seat or suit.

    | index | what |
    |---|---|
    | 0-31 | own hand, a 1 for each card |
    | 32-159 | cards played by each seat, 4 x 32: the number of the trick (from 1) / 8 |
    | 160-287 | cards on the table by each seat, 4 x 32 |
    | 288-303 | the part of each suit that each seat has shown not to hold, 4 x 4: 1 for a void |
    | 304-307 | last bid of each seat / 29 |
    | 308-311 | has each seat passed? |
    | 312-315 | who defends, one of four (in a round robin: who holds the highest bid) |
    | 316-319 | who challenges, one of four |
    | 320-323 | who speaks first, one of four |
    | 324-327 | who is the bidder, one of four |
    | 328 | the contract / 29 |
    | 329 | the points the bidding side needs / 32 |
    | 330-333 | the trump if this seat knows it, one of four suits |
    | 334, 335 | is it revealed? In which trick / 8 |
    | 336-339 | who revealed it, one of four |
    | 340 | has this seat just asked for the trump, and must it play one? |
    | 341-345 | auction, doubling, choice of trump, single hand, play: one of five |
    | 346-349 | whose turn it is, one of four |
    | 350 | tricks finished / 8 |
    | 351-354 | who leads to this trick, or will lead to the first one, one of four; nobody in the auction, and with `single_hand` until all have been asked for one |
    | 355, 356 | points of the own side and the other / 29 |
    | 357, 358 | tricks likewise / 8 |
    | 359 | stake / 4 |
    | 360 | was the trump left to the seventh card? |
    | 361-364 | who plays a single hand, one of four |
    | 365-368 | who declared the marriage, one of four |
    | 369 | redeals / 3 |
    | 370, 371 | game points in a match, own side and other: 0 lost, 0.5 none, 1 won |
    | 372 | deals played in a match / `max_deals` |

    ## Starting State
    Each seat has four random cards; four more for each seat are dealt, but nobody has seen them. Seat 0 is to bid.

    ## Rewards
    0 before the end. At the end both players of a side get, by `reward`:

    - `"outcome"`: 1 for winning the deal, -1 for losing it, 0 if it is void. With `doubling` or `single_hand`
      the stakes differ, and the reward is the stake won or lost as a share of the highest possible stake. In
      a match: 1 for winning it, -1 for losing it.
    - `"margin"`: for the bidding side its points above (or below) what it needed, for the other side the
      negative of that; a single hand counts as 28.

    ## Episode End
    Terminated after eight tricks, or when the match is decided; a match is truncated after `max_deals`.
    An illegal action loses at once (`illegal_action="raise"` raises instead).

    ## Information
    `action_mask` (int8, one per action; all ones when the game is over) on every reset and step;
    `illegal_action` and `opponent_illegal_action`: whether that ended the game.

    ## Arguments
    | keyword | default | meaning |
    |---|---|---|
    | `auction` | `"duel"` | `"round_robin"`: everybody in turn bids more or passes for good |
    | `min_bid` | 16 | the lowest bid, 16 to 28, and the one that the last seat must take if nobody bids |
    | `max_bid` | None | the highest bid; None: 28, or 29 with `last_trick` |
    | `all_pass` | `"last_takes"` | `"redeal"`: the last seat may pass too, and all cards are dealt anew (at most three times a deal) |
    | `first_lead` | `"first_bidder"` | `"bidder"`: the bidder leads to the first trick |
    | `unrevealed` | `"void"` | `"score"`: a deal whose trump was never revealed counts like any other |
    | `last_trick` | 0 | 1: the last trick is worth one point more, and bids go to 29 |
    | `marriage` | False | a player with king and queen of the revealed trump may declare it on the own turn, once the own side has won a trick since the reveal: 4 points less for the bidding side to take (not below `min_bid`), or 4 more if the other side declares it (not above the points there are) |
    | `doubling` | False | after the auction the opponents may double the stake, then the bidding side redouble it |
    | `single_hand` | False | before the first lead every player may declare to win all tricks alone, without trump and without the partner, for a stake of 3 |
    | `seventh_card` | False | the bidder may leave the trump to the suit of one of the bidder's second four cards, drawn at random; all players see that it was left |
    | `redeal` | None | `"no_points"`: on the first turn in the auction a player without points may have all cards dealt anew |
    | `match_to` | None | a number of game points: the episode is a match; a contract made or failed adds the stake to the bidding side's score or takes it away, +N wins and -N loses; the next seat speaks first in each deal |
    | `max_deals` | 100 | after which an undecided match is cut short |
    | `reward` | `"outcome"` | `"margin"`, see Rewards |
    | `opponent` | `"random"` | who plays every other seat: a name with options, a list drawn from per episode, or a callable |
    | `partner` | None | who plays the partner's seat, if not `opponent`; `"self"`: the learner decides for both seats, each time seeing the cards of that seat only |
    | `opponents` | None | instead of these two: a list with one opponent for each seat after the learner's |
    | `seat` | `"random"` | the learner's: a number, `"random"` or `"alternate"` |
    | `illegal_action` | `"lose"` | `"raise"`: raise a ValueError instead |

    ## References
    The rules are those of a bot competition (Bhoos Smartbots 2023); the house rules are those of the game as it
    is played in South Asia. `bidarena.envs.twentynine.record` writes deals as JSON with the competition's card codes
    (`export`), plays them again (`replay`) and deals chosen cards (`deal_state`).

    ## Version History
    v1: between the auction and the first trick the observation shows the seat that will lead (351-354); v0
    showed seat 0 there, which was wrong in later deals of a match, with `first_lead="bidder"` and after a
    single hand. Nothing else differs, and with the default rules nothing at all.

    v0: first version; works until 0.3 of this package.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("twentynine", **kwargs)


class TwentyNineVectorEnv(BatchedEnv):
    """Twenty-nine in a batch; see `TwentyNineEnv` for the game and `BatchedEnv` for the interface."""

    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        super().__init__("twentynine", num_envs, **kwargs)
