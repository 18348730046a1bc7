"""Names and sentences for a state of Twenty-nine: contract, trump, what is expected, the result."""

from __future__ import annotations

from collections.abc import Iterable

from bidarena.envs.game import CUT_SHORT, Game, State
from bidarena.envs.phrases import legal_actions
from bidarena.envs.twentynine.rules.layout import (
    BIDDING,
    DOUBLES,
    FINISHED,
    NOBODY,
    PLAYING,
    SEATS,
    SINGLES,
    SUIT,
    TRUMPING,
    A,
    C,
    S,
    bid_action,
    suit_of,
)
from bidarena.envs.twentynine.rules.play import led_suit
from bidarena.envs.twentynine.rules.result import declarer, game_points

NAMES = ("you", "left", "partner", "right")  # in the order of play
RANK_NAMES = ("7", "8", "Q", "K", "10", "A", "9", "J")  # ascending
STAKES = {1: "", 2: "doubled", 4: "redoubled"}
SUIT_NAMES = ("spades", "diamonds", "hearts", "clubs")
SYMBOLS = "♠♦♥♣"


def card_name(card: int) -> str:
    """Return the name of a card, such as "10♥"."""
    return RANK_NAMES[card & 7] + SYMBOLS[suit_of(card)]


def hand_text(cards: Iterable[int]) -> str:
    """Return cards in their order, suit by suit, such as "♠ J 9   ♥ 10"."""
    suits: dict[int, list[str]] = {suit: [] for suit in range(4)}
    for card in cards:
        suits[suit_of(card)].append(RANK_NAMES[card & 7])
    return "   ".join(f"{SYMBOLS[suit]} {' '.join(held)}" for suit, held in suits.items() if held)


def name_of(who: int, seat: int) -> str:
    """Return what the viewer in `seat` calls the seat `who`."""
    return NAMES[(int(who) - seat) % SEATS]


def allowed_actions(game: Game, state: State) -> int:
    """Return the legal actions of the seat to act as a bit mask."""
    return sum(1 << action for action in legal_actions(game, state))


def contract_notes(state: State, seat: int) -> tuple[str, ...]:
    """Return notes on what has changed the contract: a single hand or a marriage."""
    if state[S.single] != NOBODY:
        return ("must win all eight tricks", "alone and without trump")
    if state[S.married] == NOBODY:
        return ()
    who = name_of(state[S.married], seat)
    return (f"marriage: {who}, trick {state[S.married_in]}", f"needs {state[S.target]}")


def trump_notes(state: State, seat: int) -> tuple[str, str]:
    """Return the condition of the trump, such as "hidden", and more about it."""
    if state[S.single] != NOBODY:
        return "no trump", "in a single hand"
    if state[S.trump] == NOBODY:
        return "not chosen", ""
    seventh = state[S.seventh] != NOBODY
    if state[S.revealed]:
        who = name_of(state[S.revealer], seat)
        kind = "the seventh card: " if seventh else ""
        return "revealed", f"{kind}in trick {state[S.revealed]} by {who}"
    if seat == state[S.bidder]:
        return "hidden", "the seventh card, known to you" if seventh else "known to you only"
    owner = name_of(state[S.bidder], seat)
    return "hidden", f"the seventh card of {owner}" if seventh else f"known to {owner} only"


def stage(state: State) -> str:
    """Return the stage of the deal, such as "auction" or "trick 3 of 8"."""
    phase = state[S.phase]
    if phase == PLAYING:
        return f"trick {state[S.trick] + 1} of 8"
    if phase == FINISHED:
        return "1 trick played" if state[S.trick] == 1 else f"{state[S.trick]} tricks played"
    stages = {BIDDING: "auction", DOUBLES: "doubling", TRUMPING: "choice of the trump"}
    redeals = f", redeal {state[S.redeals]}" if state[S.redeals] and phase == BIDDING else ""
    return stages.get(int(phase), "single hand?") + redeals


def match_score(game: Game, state: State, seat: int) -> str:
    """Return the score of a match, the viewer's side first; "" if it is not a match."""
    if game.cfg[C.match_to] == 0:
        return ""
    own = int(state[S.score + (seat & 1)])
    other = int(state[S.score + 1 - (seat & 1)])
    return f"match {own} : {other}, to {game.cfg[C.match_to]}"


def house_rules(game: Game) -> tuple[str, ...]:
    """Return a phrase for each option that differs from the competition's rules."""
    chosen = game.options
    lowest, highest = chosen["min_bid"], chosen["max_bid"]
    phrases = {
        "bids go round the table": chosen["auction"] == "round_robin",
        f"bids from {lowest}": lowest != 16,
        f"bids to {highest}": highest is not None,
        "redeal if all pass": chosen["all_pass"] == "redeal",
        "redeal without points": chosen["redeal"] is not None,
        "doubling": chosen["doubling"],
        "seventh card": chosen["seventh_card"],
        "single hand": chosen["single_hand"],
        "the bidder leads": chosen["first_lead"] == "bidder",
        "marriage": chosen["marriage"],
        "last trick +1": chosen["last_trick"] == 1,
        "counts without a reveal": chosen["unrevealed"] == "score",
    }
    return tuple(phrase for phrase, on in phrases.items() if on)


# --- what is expected, or how the game ended -----------------------------------------------------


def status(game: Game, state: State, seat: int) -> tuple[int | None, str, str]:
    """Return the side that has won (0 the viewer's, or None), a headline and its reason."""
    phase = int(state[S.phase])
    if phase == FINISHED:
        return _ending(game, state, seat)
    if state[S.mover] != seat:
        doing = {
            BIDDING: "bids",
            DOUBLES: "may redouble" if state[S.stake] > 1 else "may double",
            TRUMPING: "chooses the trump",
            SINGLES: "may play a single hand",
            PLAYING: "asked for the trump" if state[S.asked] else "plays a card",
        }[phase]
        return None, "waiting", f"{name_of(state[S.mover], seat)} {doing}"
    allowed = allowed_actions(game, state)
    if phase == BIDDING:
        return None, "your bid", _bids(allowed)
    if phase == DOUBLES:
        return None, "your answer", "redouble or pass" if state[S.stake] > 1 else "double or pass"
    if phase == TRUMPING:
        seventh = ", or the seventh card" if game.options["seventh_card"] else ""
        return None, "your trump", f"choose a suit{seventh}"
    if phase == SINGLES:
        return None, "your answer", "play a single hand or pass"
    return None, "your card", _duty(state, seat, allowed)


def _bids(allowed: int) -> str:
    """Return a sentence on the calls that the viewer may make."""
    bids = [bid for bid in range(16, 30) if allowed >> bid_action(bid) & 1]
    ways = ["pass"] if allowed >> A.pass_ & 1 else []
    if bids:
        ways.append(f"{bids[0]} to {bids[-1]}" if len(bids) > 1 else f"{bids[0]}")
    if allowed >> A.ask_redeal & 1:
        ways.append("a redeal")
    return f"you must take {ways[0]}" if len(ways) == 1 and bids else " or ".join(ways)


def _duty(state: State, seat: int, allowed: int) -> str:
    """Return a sentence on the cards that the viewer may play."""
    hand = int(state[S.hands + seat])
    more = ", or declare the marriage" if allowed >> A.declare & 1 else ""
    if state[S.in_trick] == 0:
        return f"lead to the trick{more}"
    if hand >> (8 * int(led_suit(state))) & SUIT:
        return f"follow {SUIT_NAMES[int(led_suit(state))]}{more}"
    if state[S.asked]:
        if hand >> (8 * int(state[S.trump])) & SUIT == 0:
            return "you asked, and have no trump"
        return f"you asked: {SUIT_NAMES[int(state[S.trump])]}, the trump"
    if allowed >> A.reveal & 1:
        return "any card, or ask for the trump"
    return f"any card{more}"


def _ending(game: Game, state: State, seat: int) -> tuple[int | None, str, str]:
    """Return the winning side, a headline and the reason, at the end of the game."""
    cfg, player = game.cfg, int(declarer(state))
    side = (player ^ seat) & 1  # of the declarer, seen from the viewer
    gained = int(game_points(cfg, state))
    if state[S.single] != NOBODY:
        reason = f"single hand {'made' if gained > 0 else 'lost'}"
    elif gained == 0:
        reason = "nobody asked for the trump"
    else:
        points = int(state[S.points + (player & 1)])
        reason = f"{'made' if gained > 0 else 'failed'}: {points} points for {state[S.target]}"
    if state[S.mover] == CUT_SHORT:
        return None, "match cut short", reason
    match = " the match" if cfg[C.match_to] else ""
    if gained == 0:
        return None, "void", reason
    champion = side if gained > 0 else 1 - side
    return champion, f"{('you win', 'you lose')[champion]}{match}", reason
