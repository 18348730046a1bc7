"""A referee for Twenty-nine in plain Python, written from the rules alone.

It shares no code and no representation with the compiled game: cards are codes such as "JS" in
lists, and the stages of a deal follow each other as on the rules page. Tests replay the game's own
deals here and compare every decision. `Referee` runs deals and matches; `Referee.replay_with` and
`consistent` return whether other hands could have led to the recorded actions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

RANKS = "78QKT19J"  # weakest to strongest; 1 is the ace, T the ten
SUITS = "SDHC"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]  # the card at its action number
CARD_ACTION = {card: action for action, card in enumerate(CARDS)}
CARD_POINTS = {card: {"J": 3, "9": 2, "1": 1, "T": 1}.get(card[0], 0) for card in CARDS}

PASS, FIRST_TRUMP, REVEAL = 32, 46, 50
DOUBLE, REDOUBLE, SEVENTH, SINGLE, MARRIAGE, REDEAL = 52, 53, 54, 55, 56, 57
BID_ACTION = {bid: 33 + bid - 16 for bid in range(16, 29)} | {29: 51}
ACTION_BID = {action: bid for bid, action in BID_ACTION.items()}

MOST_REDEALS = 3
SINGLE_HAND_STAKE = 3

Hands = Sequence[Sequence[str]]


class Trick(NamedTuple):
    """A finished trick: the leader, (seat, card) as played, the winner and the points."""

    leader: int
    cards: tuple[tuple[int, str], ...]
    winner: int
    points: int  # with the extra point of the eighth trick


@dataclass(frozen=True)
class Options:
    """The house rules, with the keywords and defaults of the game."""

    auction: str = "duel"
    min_bid: int = 16
    max_bid: int | None = None
    all_pass: str = "last_takes"
    first_lead: str = "first_bidder"
    unrevealed: str = "void"
    last_trick: int = 0
    marriage: bool = False
    doubling: bool = False
    single_hand: bool = False
    seventh_card: bool = False
    redeal: str | None = None
    match_to: int | None = None
    max_deals: int = 100
    reward: str = "outcome"

    def __post_init__(self) -> None:
        most = 28 + (self.last_trick == 1)
        self._check("auction", ("duel", "round_robin"))
        self._check("last_trick", (0, 1))
        self._check("min_bid", range(16, 29))
        self._check("max_bid", (None, *range(self.min_bid, most + 1)))
        self._check("all_pass", ("last_takes", "redeal"))
        self._check("first_lead", ("first_bidder", "bidder"))
        self._check("unrevealed", ("void", "score"))
        for name in ("marriage", "doubling", "single_hand", "seventh_card"):
            self._check(name, (False, True))
        self._check("redeal", (None, "no_points"))
        self._check("match_to", (None, *range(1, 101)))
        if self.max_deals < 1:
            raise ValueError(f"max_deals={self.max_deals!r}: at least 1 is needed")
        self._check("reward", ("outcome", "margin") if self.match_to is None else ("outcome",))

    def _check(self, name: str, allowed: Sequence[object]) -> None:
        if getattr(self, name) not in allowed:
            raise ValueError(f"{name}={getattr(self, name)!r}: allowed are {list(allowed)}")

    @property
    def most_points(self) -> int:
        """Return all the points of a deal, which is the highest target there can be."""
        return 28 + self.last_trick

    @property
    def highest_bid(self) -> int:
        return self.most_points if self.max_bid is None else self.max_bid

    @property
    def num_actions(self) -> int:
        """Return one more than the largest action that can ever be legal."""
        largest = REVEAL
        if self.highest_bid == 29:
            largest = BID_ACTION[29]
        for used, action in (
            (self.doubling, REDOUBLE),
            (self.seventh_card, SEVENTH),
            (self.single_hand, SINGLE),
            (self.marriage, MARRIAGE),
            (self.redeal is not None, REDEAL),
        ):
            if used:
                largest = action
        return largest + 1


class Referee:
    """Runs one deal, or a match of deals; the caller deals the cards whenever `needs_deal`."""

    def __init__(self, **options: Any) -> None:
        self._keywords = options
        self.options = Options(**options)
        self.first = 0  # the seat that speaks first
        self.redeals = 0  # in the present deal
        self.deals_done = 0
        self.scores = [0, 0]  # game points of the sides in a match
        self.deal_points: list[int] = []  # game points side 0 won (+) or lost (-), deal by deal
        self.history: list[tuple[int, int]] = []  # every (seat, action) so far
        self.stage = "deal"  # deal auction double redouble trump single play over
        self.turn: int | None = None
        self.cut_short = False
        self._result = [0.0] * 4
        self._legal: list[int] = []
        self._dealt_at = 0  # length of the history when the cards were dealt
        self._start = (0, 0, 0, (0, 0))  # first, redeals, deals_done and scores at that moment
        self._clear()

    def _clear(self) -> None:
        """Forget the last deal; it stays readable until the next cards are dealt."""
        self.first_four: list[list[str]] = [[] for _ in range(4)]
        self.second_four: list[list[str]] = [[] for _ in range(4)]
        self.hands: list[list[str]] = [[] for _ in range(4)]  # what each seat holds now
        self.seventh: int | str | None = None
        self.auction: list[tuple[int, int]] = []  # (seat, bid), 0 for a pass
        self.bids = [0] * 4  # the last bid of each seat, 0 for none
        self.passed: list[int] = []
        self.defender = self.first
        self.challenger: int | None = (self.first + 1) % 4
        self.bidder: int | None = None
        self.contract = 0
        self.target = 0
        self.stake = 1
        self.trump: str | None = None
        self.by_seventh = False
        self.single: int | None = None  # who plays a single hand
        self.revealed = False
        self.revealed_by: int | None = None
        self.revealed_in: int | None = None  # index of the trick, from 0
        self.married: int | None = None  # who declared the marriage
        self.points = [0, 0]
        self.tricks: list[Trick] = []
        self.leader: int | None = None
        self.trick: list[tuple[int, str]] = []  # the present trick
        self._asked: list[int] = []  # seats still to be asked in double, redouble and single
        self._just_revealed = False  # the seat to act asked for the trump with its last action

    @property
    def needs_deal(self) -> bool:
        return self.stage == "deal"

    @property
    def over(self) -> bool:
        return self.stage == "over"

    def deal(self, first_four: Hands, second_four: Hands, seventh: int | str | None = None) -> None:
        """Deal the cards of the next deal.

        Args:
            first_four: four codes for every seat, known during the auction.
            second_four: the four codes that every seat gets afterwards.
            seventh: the card that decides if the bidder asks for it: an index into the
                bidder's second four, or its code. It may also be set as `referee.seventh` later,
                before the bidder asks.
        """
        if not self.needs_deal:
            raise ValueError(f"deal() in stage {self.stage!r}: only when needs_deal is true")
        for name, fours in (("first_four", first_four), ("second_four", second_four)):
            if [len(four) for four in fours] != [4] * 4:
                raise ValueError(f"{name}={fours!r}: four lists of four codes are needed")
        _check_deck([[*a, *b] for a, b in zip(first_four, second_four, strict=True)])
        self._clear()
        self._dealt_at = len(self.history)
        self._start = (self.first, self.redeals, self.deals_done, (self.scores[0], self.scores[1]))
        self.first_four = [list(four) for four in first_four]
        self.second_four = [list(four) for four in second_four]
        self.hands = [list(four) for four in first_four]
        self.seventh = seventh
        self._enter("auction", self.first)

    def legal(self) -> list[int]:
        """Return the legal actions in order; none before a deal or at the end."""
        return list(self._legal)

    def play(self, action: int) -> None:
        """Carry out an action of the seat to move."""
        if action not in self._legal or self.turn is None:
            raise ValueError(
                f"action={action!r} of seat {self.turn} in stage {self.stage!r}: "
                f"allowed are {self._legal}"
            )
        if self.stage == "trump":
            self._choose_trump(action)  # may refuse, so before anything is recorded
            return
        self.history.append((self.turn, action))
        if self.stage == "auction":
            self._speak(self.turn, action)
        elif self.stage in {"double", "redouble"}:
            self._answer_stakes(action)
        elif self.stage == "single":
            self._answer_single(self.turn, action)
        else:
            self._act_in_trick(self.turn, action)

    def result(self) -> list[float]:
        """Return the reward of each seat at the end."""
        if not self.over:
            raise ValueError(f"result() in stage {self.stage!r}: only when over is true")
        return list(self._result)

    # -- the stages ------------------------------------------------------------------------------

    def _enter(self, stage: str, turn: int | None) -> None:
        self.stage, self.turn = stage, turn
        if turn is None:
            self._legal = []
        elif stage == "auction":
            self._legal = sorted(self._legal_auction(turn))
        elif stage == "double":
            self._legal = [PASS, DOUBLE]
        elif stage == "redouble":
            self._legal = [PASS, REDOUBLE]
        elif stage == "trump":
            seventh = [SEVENTH] if self.options.seventh_card else []
            self._legal = [*range(FIRST_TRUMP, FIRST_TRUMP + 4), *seventh]
        elif stage == "single":
            self._legal = [PASS, SINGLE]
        else:
            self._legal = sorted(self._legal_in_trick(turn))

    # -- step 2: the auction ---------------------------------------------------------------------

    def _legal_auction(self, seat: int) -> list[int]:
        rules = self.options
        if len(self.passed) == 3:  # nobody has bid, or the auction would be over
            forced = rules.all_pass == "last_takes" or self.redeals == MOST_REDEALS
            lowest, highest = rules.min_bid, rules.min_bid if forced else rules.highest_bid
            legal = [] if forced else [PASS]
        else:
            if rules.auction == "duel" and seat == self.defender:
                assert self.challenger is not None
                to_match = self.bids[self.challenger]
                lowest = max(rules.min_bid, to_match)
            else:
                lowest = max(rules.min_bid, max(self.bids) + 1)
            highest = rules.highest_bid
            legal = [PASS]
        legal += [BID_ACTION[bid] for bid in range(lowest, highest + 1)]
        first_turn = all(speaker != seat for speaker, _ in self.auction)
        worthless = sum(CARD_POINTS[card] for card in self.first_four[seat]) == 0
        if rules.redeal == "no_points" and first_turn and worthless and self.redeals < MOST_REDEALS:
            legal.append(REDEAL)
        return legal

    def _speak(self, seat: int, action: int) -> None:
        if action == REDEAL:
            self._deal_again()
            return
        if action == PASS:
            self.passed.append(seat)
            self.auction.append((seat, 0))
            if len(self.passed) == 4:
                self._deal_again()
                return
            self._next_duel(seat)
        else:
            self.bids[seat] = ACTION_BID[action]
            self.auction.append((seat, self.bids[seat]))
        if len(self.passed) == 3:
            (last,) = {0, 1, 2, 3} - set(self.passed)
            if self.bids[last]:
                self._auction_won(last)
            else:
                self._enter("auction", last)
        elif self.options.auction == "duel":
            assert self.challenger is not None
            bid, challenge = self.bids[self.defender], self.bids[self.challenger]
            defends = bid == 0 or challenge > bid
            self._enter("auction", self.defender if defends else self.challenger)
        else:
            after = ((seat + step) % 4 for step in (1, 2, 3))
            self._enter("auction", next(other for other in after if other not in self.passed))

    def _next_duel(self, loser: int) -> None:
        """Let the winner of a duel defend against the next seat, if there is one."""
        if self.options.auction == "duel" and self.challenger is not None:
            if loser == self.defender:
                self.defender = self.challenger
            # After n passes, n + 1 seats have taken part, in order.
            taken_part = len(self.passed) + 1
            self.challenger = (self.first + taken_part) % 4 if taken_part < 4 else None

    def _deal_again(self) -> None:
        self.redeals += 1
        self._enter("deal", None)

    def _auction_won(self, bidder: int) -> None:
        self.bidder = bidder
        self.contract = self.target = self.bids[bidder]
        if self.options.doubling:
            self._ask("double", [(bidder + 1) % 4, (bidder + 3) % 4])
        else:
            self._enter("trump", bidder)

    # -- steps 3 to 6: stakes, trump, the other four cards, single hand ----------------------------

    def _ask(self, stage: str, seats: list[int]) -> None:
        self._asked = seats[1:]
        self._enter(stage, seats[0])

    def _answer_stakes(self, action: int) -> None:
        assert self.bidder is not None
        if action == DOUBLE:
            self.stake = 2
            self._ask("redouble", [self.bidder, (self.bidder + 2) % 4])
        elif action == PASS and self._asked:
            self._ask(self.stage, self._asked)
        else:
            if action == REDOUBLE:
                self.stake = 4
            self._enter("trump", self.bidder)

    def _choose_trump(self, action: int) -> None:
        bidder = self.bidder
        assert bidder is not None
        if action == SEVENTH:
            card, choice = self.seventh, self.second_four[bidder]
            if isinstance(card, int) and 0 <= card < 4:
                card = choice[card]
            if not isinstance(card, str) or card not in choice:
                raise ValueError(f"seventh={card!r}: allowed are an index 0..3 or one of {choice}")
            self.seventh, self.trump, self.by_seventh = card, card[1], True
        else:
            self.trump = SUITS[action - FIRST_TRUMP]
        self.history.append((bidder, action))
        for hand, four in zip(self.hands, self.second_four, strict=True):
            hand.extend(four)
        if self.options.single_hand:
            self._ask("single", [(self.first + step) % 4 for step in range(4)])
        else:
            self._start_play()

    def _answer_single(self, seat: int, action: int) -> None:
        if action == SINGLE:
            self.single = seat
            self._start_play()
        elif self._asked:
            self._ask("single", self._asked)
        else:
            self._start_play()

    def _start_play(self) -> None:
        if self.single is not None:
            self.leader = self.single
        elif self.options.first_lead == "bidder":
            self.leader = self.bidder
        else:
            self.leader = self.first
        self._enter("play", self.leader)

    # -- step 7: the tricks ------------------------------------------------------------------------

    def _legal_in_trick(self, seat: int) -> list[int]:
        hand = self.hands[seat]
        led = self.trick[0][1][1] if self.trick else None
        cards = [card for card in hand if card[1] == led]
        legal = []
        if not cards:  # the leader, or a seat that cannot follow
            cards = self._after_reveal(seat) if self._just_revealed else hand
            if led is not None and not self.revealed and self.single is None:
                legal.append(REVEAL)
        if self._may_marry(seat):
            legal.append(MARRIAGE)
        return legal + [CARD_ACTION[card] for card in cards]

    def _after_reveal(self, seat: int) -> list[str]:
        """Return the legal cards of a seat that has just asked for the trump."""
        trumps = [card for card in self.hands[seat] if card[1] == self.trump]
        winner, best = self._winning()
        if best[1] == self.trump and winner % 2 != seat % 2:
            beating = [card for card in trumps if RANKS.index(card[0]) > RANKS.index(best[0])]
            if beating:
                return beating
        return trumps or self.hands[seat]

    def _winning(self) -> tuple[int, str]:
        """Return the seat that is winning the present trick, and its card."""
        suit = self.trick[0][1][1]
        if self.revealed and any(card[1] == self.trump for _, card in self.trick):
            assert self.trump is not None
            suit = self.trump
        contenders = [play for play in self.trick if play[1][1] == suit]
        return max(contenders, key=lambda play: RANKS.index(play[1][0]))

    def _may_marry(self, seat: int) -> bool:
        if not self.options.marriage or self.revealed_in is None or self.married is not None:
            return False
        if f"K{self.trump}" not in self.hands[seat] or f"Q{self.trump}" not in self.hands[seat]:
            return False
        return any(trick.winner % 2 == seat % 2 for trick in self.tricks[self.revealed_in :])

    def _act_in_trick(self, seat: int, action: int) -> None:
        if action == REVEAL:
            self.revealed, self.revealed_by, self.revealed_in = True, seat, len(self.tricks)
            self._just_revealed = True
            self._enter("play", seat)
        elif action == MARRIAGE:
            self._marry(seat)
            self._enter("play", seat)
        else:
            self._just_revealed = False
            self.hands[seat].remove(CARDS[action])
            self.trick.append((seat, CARDS[action]))
            if len(self.trick) == (4 if self.single is None else 3):
                self._finish_trick()
            else:
                after = (seat + 1) % 4
                if self.single is not None and after == (self.single + 2) % 4:
                    after = (after + 1) % 4
                self._enter("play", after)

    def _marry(self, seat: int) -> None:
        assert self.bidder is not None
        self.married = seat
        if seat % 2 == self.bidder % 2:
            self.target = max(self.target - 4, self.options.min_bid)
        else:
            self.target = min(self.target + 4, self.options.most_points)

    def _finish_trick(self) -> None:
        assert self.leader is not None
        winner, _ = self._winning()
        points = sum(CARD_POINTS[card] for _, card in self.trick)
        if len(self.tricks) == 7:
            points += self.options.last_trick
        self.tricks.append(Trick(self.leader, tuple(self.trick), winner, points))
        self.points[winner % 2] += points
        self.trick = []
        self.leader = winner
        lost_single = self.single is not None and winner != self.single
        if lost_single or len(self.tricks) == 8:
            self._finish_deal()
        else:
            self._enter("play", winner)

    # -- steps 8 and 9: the result -----------------------------------------------------------------

    def _finish_deal(self) -> None:
        rules = self.options
        assert self.bidder is not None
        if self.single is not None:
            side = self.single % 2
            made = all(trick.winner == self.single for trick in self.tricks)
            stake, margin = SINGLE_HAND_STAKE, 28 if made else -28
        else:
            side = self.bidder % 2
            margin = self.points[side] - self.target
            made, stake = margin >= 0, self.stake
            if not self.revealed and rules.unrevealed == "void":
                margin = stake = 0
        won = stake if made else -stake
        self.deal_points.append(won if side == 0 else -won)
        self.deals_done += 1
        if rules.match_to is not None:
            self.scores[side] += won
            self._finish_or_go_on(side, rules.match_to)
            return
        largest = 4 if rules.doubling else SINGLE_HAND_STAKE if rules.single_hand else 1
        self._end(side, margin if rules.reward == "margin" else won / largest)

    def _finish_or_go_on(self, side: int, match_to: int) -> None:
        """End the match if the side whose score has changed has won or lost; else go on."""
        if self.scores[side] >= match_to:
            self._end(side, 1.0)
        elif self.scores[side] <= -match_to:
            self._end(side, -1.0)
        elif self.deals_done == self.options.max_deals:
            self.cut_short = True
            self._end(side, 0.0)
        else:
            self.first = (self.first + 1) % 4
            self.redeals = 0
            self._enter("deal", None)

    def _end(self, side: int, gain: float) -> None:
        self._result = [float(gain if seat % 2 == side else -gain) for seat in range(4)]
        self._enter("over", None)

    # -- other hands -------------------------------------------------------------------------------

    def replay_with(self, hands: Hands, first_four: Hands | None = None) -> bool:
        """Return whether all actions since the last deal were legal with these hands too.

        The trump stays as it was. Without `first_four`, it is enough that one split of the hands
        fits. The split matters to a redeal that was asked for, and to a trump that a seventh card
        decided and a reveal has shown (before that, each card of the bidder may be the seventh).

        Args:
            hands: the eight cards every seat got in the whole deal.
            first_four: the four of them that every seat got first; None tries a split that fits.
        """
        _check_deck(hands)
        seventh_suit = self.trump if self.by_seventh and self.revealed else None
        if first_four is None:
            firsts = [sorted(hand, key=CARD_POINTS.__getitem__)[:4] for hand in hands]
            if seventh_suit is not None and self.bidder is not None:
                hand = sorted(hands[self.bidder], key=lambda card: card[1] == seventh_suit)
                firsts[self.bidder] = hand[:4]
        else:
            firsts = [list(four) for four in first_four]
            for seat, four in enumerate(firsts):
                if len(four) != 4 or not set(four) <= set(hands[seat]):
                    raise ValueError(f"first_four[{seat}]={four!r}: four of {hands[seat]} needed")
        seconds = [
            [card for card in hand if card not in four]
            for hand, four in zip(hands, firsts, strict=True)
        ]
        seventh: int | str | None = 0
        if seventh_suit is not None and self.bidder is not None:
            suited = [card for card in seconds[self.bidder] if card[1] == seventh_suit]
            if not suited:
                return False
            seventh = suited[0]
        other = Referee(**self._keywords)
        other.first, other.redeals, other.deals_done, (score, score_of_others) = self._start
        other.scores = [score, score_of_others]
        other.deal(firsts, seconds, seventh)
        for seat, action in self.history[self._dealt_at :]:
            if other.turn != seat or action not in other.legal():
                return False
            other.play(action)
        return True


def consistent(referee: Referee, seat: int, hands: Hands) -> bool:
    """Return whether `hands` are possible for `seat`, by what it has seen of this deal.

    It has seen all actions but a hidden choice of trump, and its own cards: four of them until the
    trump is chosen, then all eight. A trump not yet shown has no influence on what is legal.
    """
    own = set(referee.first_four[seat])
    if referee.trump is not None:
        own |= set(referee.second_four[seat])
    return own <= set(hands[seat]) and referee.replay_with(hands)


def _check_deck(hands: Hands) -> None:
    if [len(hand) for hand in hands] != [8] * 4:
        raise ValueError(f"hands={hands!r}: four hands of eight codes are needed")
    if {card for hand in hands for card in hand} != set(CARDS):
        raise ValueError(f"hands={hands!r}: every one of the 32 cards must be there once")


ACTION_CALLED = (
    CARD_ACTION
    | {str(bid): action for bid, action in BID_ACTION.items()}
    | {f"trump-{suit}": FIRST_TRUMP + place for place, suit in enumerate(SUITS)}
    | {"pass": PASS, "reveal": REVEAL, "double": DOUBLE, "redouble": REDOUBLE}
    | {"seventh": SEVENTH, "single": SINGLE, "marriage": MARRIAGE, "redeal": REDEAL}
)
NAME_OF_ACTION = {action: name for name, action in ACTION_CALLED.items()}


def say(referee: Referee, script: str) -> None:
    """Play a script such as "16 pass pass pass trump-H JS reveal 9H"."""
    for name in script.split():
        referee.play(ACTION_CALLED[name])


def allowed(referee: Referee) -> list[str]:
    """Return the names of the legal actions, in the order of their numbers."""
    return [NAME_OF_ACTION[action] for action in referee.legal()]
