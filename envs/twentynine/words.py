"""A state of Twenty-nine in words as one seat may say them: contract, trump, what is awaited."""

from __future__ import annotations

import numpy as np

from bidarena.envs.game import CUT_SHORT, Game, State
from bidarena.envs.twentynine.layout import (
    ASK_REDEAL,
    ASKED,
    BIDDER,
    BIDDING,
    DECLARE,
    DOUBLES,
    FINISHED,
    GAME_SCORE,
    HANDS,
    IN_TRICK,
    MARRIED,
    MARRIED_IN,
    MATCH_TO,
    MOVER,
    NOBODY,
    PASS,
    PHASE,
    PLAYING,
    POINTS,
    REDEALS,
    REVEAL,
    REVEALED,
    REVEALER,
    SEATS,
    SEVENTH_IS,
    SINGLE_IS,
    SINGLES,
    STAKE,
    SUIT,
    TARGET,
    TRICK,
    TRUMP,
    TRUMPING,
    bid_action,
)
from bidarena.envs.twentynine.play import led_suit
from bidarena.envs.twentynine.rules import declarer, game_points

NAMES = ("you", "left", "partner", "right")  # in the order of play
RANK_NAMES = ("7", "8", "Q", "K", "10", "A", "9", "J")  # ascending
STAKES = {1: "", 2: "doubled", 4: "redoubled"}
SUIT_NAMES = ("spades", "diamonds", "hearts", "clubs")


def name_of(who: int, seat: int) -> str:
    """What the viewer in `seat` calls the seat `who`."""
    return NAMES[(int(who) - seat) % SEATS]


def allowed_actions(game: Game, state: State) -> int:
    """The legal actions of the seat to act, a bit each."""
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    return sum(1 << int(action) for action in np.flatnonzero(mask))


def contract_notes(state: State, seat: int) -> tuple[str, ...]:
    """What has changed the contract."""
    if state[SINGLE_IS] != NOBODY:
        return ("must win all eight tricks", "alone and without trump")
    if state[MARRIED] == NOBODY:
        return ()
    who = name_of(state[MARRIED], seat)
    return (f"marriage: {who}, trick {state[MARRIED_IN]}", f"needs {state[TARGET]}")


def trump_notes(state: State, seat: int) -> tuple[str, str]:
    """The condition of the trump in a word or two, and more about it."""
    if state[SINGLE_IS] != NOBODY:
        return "no trump", "in a single hand"
    if state[TRUMP] == NOBODY:
        return "not chosen", ""
    seventh = state[SEVENTH_IS] != NOBODY
    if state[REVEALED]:
        who = name_of(state[REVEALER], seat)
        kind = "the seventh card: " if seventh else ""
        return "revealed", f"{kind}in trick {state[REVEALED]} by {who}"
    if seat == state[BIDDER]:
        return "hidden", "the seventh card, known to you" if seventh else "known to you only"
    owner = name_of(state[BIDDER], seat)
    return "hidden", f"the seventh card of {owner}" if seventh else f"known to {owner} only"


def stage(state: State) -> str:
    """Where in the deal."""
    phase = state[PHASE]
    if phase == PLAYING:
        return f"trick {state[TRICK] + 1} of 8"
    if phase == FINISHED:
        return "1 trick played" if state[TRICK] == 1 else f"{state[TRICK]} tricks played"
    words = {BIDDING: "auction", DOUBLES: "doubling", TRUMPING: "choice of the trump"}
    redeals = f", redeal {state[REDEALS]}" if state[REDEALS] and phase == BIDDING else ""
    return words.get(int(phase), "single hand?") + redeals


def match_score(game: Game, state: State, seat: int) -> str:
    """The own side's game points first; empty if it is not a match."""
    if game.cfg[MATCH_TO] == 0:
        return ""
    own = int(state[GAME_SCORE + (seat & 1)])
    other = int(state[GAME_SCORE + 1 - (seat & 1)])
    return f"match {own} : {other}, to {game.cfg[MATCH_TO]}"


def house_rules(game: Game) -> tuple[str, ...]:
    """The options that are not as in the competition, in words."""
    chosen = game.options
    lowest, highest = chosen["min_bid"], chosen["max_bid"]
    words = {
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
    return tuple(word for word, on in words.items() if on)


# --- what is awaited, or how it ended ------------------------------------------------------------


def status(game: Game, state: State, seat: int) -> tuple[int | None, str, str]:
    """The side that has won, a headline and its reason."""
    phase = int(state[PHASE])
    if phase == FINISHED:
        return _ending(game, state, seat)
    if state[MOVER] != seat:
        doing = {
            BIDDING: "bids",
            DOUBLES: "may redouble" if state[STAKE] > 1 else "may double",
            TRUMPING: "chooses the trump",
            SINGLES: "may play a single hand",
            PLAYING: "asked for the trump" if state[ASKED] else "plays a card",
        }[phase]
        return None, "waiting", f"{name_of(state[MOVER], seat)} {doing}"
    allowed = allowed_actions(game, state)
    if phase == BIDDING:
        return None, "your bid", _bids(allowed)
    if phase == DOUBLES:
        return None, "your answer", "redouble or pass" if state[STAKE] > 1 else "double or pass"
    if phase == TRUMPING:
        seventh = ", or the seventh card" if game.options["seventh_card"] else ""
        return None, "your trump", f"choose a suit{seventh}"
    if phase == SINGLES:
        return None, "your answer", "play a single hand or pass"
    return None, "your card", _duty(state, seat, allowed)


def _bids(allowed: int) -> str:
    bids = [bid for bid in range(16, 30) if allowed >> bid_action(bid) & 1]
    ways = ["pass"] if allowed >> PASS & 1 else []
    if bids:
        ways.append(f"{bids[0]} to {bids[-1]}" if len(bids) > 1 else f"{bids[0]}")
    if allowed >> ASK_REDEAL & 1:
        ways.append("a redeal")
    return f"you must take {ways[0]}" if len(ways) == 1 and bids else " or ".join(ways)


def _duty(state: State, seat: int, allowed: int) -> str:
    hand = int(state[HANDS + seat])
    more = ", or declare the marriage" if allowed >> DECLARE & 1 else ""
    if state[IN_TRICK] == 0:
        return f"lead to the trick{more}"
    if hand >> (8 * int(led_suit(state))) & SUIT:
        return f"follow {SUIT_NAMES[int(led_suit(state))]}{more}"
    if state[ASKED]:
        if hand >> (8 * int(state[TRUMP])) & SUIT == 0:
            return "you asked, and have no trump"
        return f"you asked: {SUIT_NAMES[int(state[TRUMP])]}, the trump"
    if allowed >> REVEAL & 1:
        return "any card, or ask for the trump"
    return f"any card{more}"


def _ending(game: Game, state: State, seat: int) -> tuple[int | None, str, str]:
    cfg, player = game.cfg, int(declarer(state))
    side = (player ^ seat) & 1  # of the declarer, seen from the viewer
    gained = int(game_points(cfg, state))
    if state[SINGLE_IS] != NOBODY:
        reason = f"single hand {'made' if gained > 0 else 'lost'}"
    elif gained == 0:
        reason = "nobody asked for the trump"
    else:
        points = int(state[POINTS + (player & 1)])
        reason = f"{'made' if gained > 0 else 'failed'}: {points} points for {state[TARGET]}"
    if state[MOVER] == CUT_SHORT:
        return None, "match cut short", reason
    match = " the match" if cfg[MATCH_TO] else ""
    if gained == 0:
        return None, "void", reason
    champion = side if gained > 0 else 1 - side
    return champion, f"{('you win', 'you lose')[champion]}{match}", reason
