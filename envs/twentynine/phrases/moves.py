"""The phrasebook of Twenty-nine: how moves are typed, why one is refused, what was seen."""

from __future__ import annotations

import re

from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Names, Phrasebook, Viewer, legal_actions
from bidarena.envs.twentynine.phrases.state import (
    RANK_NAMES,
    SUIT_NAMES,
    SYMBOLS,
    card_name,
    hand_text,
)
from bidarena.envs.twentynine.record import history
from bidarena.envs.twentynine.rules.layout import (
    BIDDING,
    DOUBLES,
    NOBODY,
    PLAYING,
    SINGLES,
    SUIT,
    TRUMPING,
    A,
    C,
    S,
    bid_action,
    bid_of,
    by_suit,
    suit_of,
)
from bidarena.envs.twentynine.rules.play import led_suit, play_card

SPOKEN_RANKS = {  # as typed -> strength
    **{rank.lower(): strength for strength, rank in enumerate(RANK_NAMES)},
    **{"t": 4, "1": 5, "ten": 4, "ace": 5, "jack": 7, "queen": 2, "king": 3},
    **{"seven": 0, "eight": 1, "nine": 6},
}
SPOKEN_SUITS = {  # as typed -> suit
    name: suit
    for suit, long in enumerate(SUIT_NAMES)
    for name in (long, long[:-1], long[0], SYMBOLS[suit])
}
SAID = {  # action -> its name, and other ways to type it
    A.pass_: ("pass", "p", "no", "0"),
    A.reveal: ("reveal", "ask", "trump", "reveal trump", "reveal the trump", "ask for the trump"),
    A.double: ("double",),
    A.redouble: ("redouble",),
    A.seventh_card: ("seventh card", "seventh"),
    A.single_hand: ("single hand", "single"),
    A.declare: ("marriage", "declare", "declare the marriage"),
    A.ask_redeal: ("redeal", "ask for a redeal"),
}


def name(game: Game, state: State, action: int) -> str:
    """Return the name of an action, such as "10♥", "bid 17", "hearts" or "pass"."""
    if action < A.pass_:
        return card_name(action)
    if action == A.bid_29 or A.bid_16 <= action < A.choose:
        return f"bid {bid_of(action)}"
    if A.choose <= action < A.reveal:
        return SUIT_NAMES[action - A.choose]
    return SAID[action][0]


def read(game: Game, state: State, text: str) -> int:
    """Return the action that was typed: "9H", "jack of spades", "17", "pass", "hearts", "reveal".

    Raises:
        ValueError: if it is no move; the message says what to type.
    """
    typed = " ".join(text.strip().lower().split())
    phase = int(state[S.phase])
    for action, ways in SAID.items():
        if typed in ways:
            return action
    bid = re.fullmatch(r"(?:bid )?(\d{1,9})", typed)
    if bid and (phase == BIDDING or typed.startswith("bid")):
        number = int(bid[1])
        if not 16 <= number <= 29:
            raise ValueError(f"a bid of {number} is out of range: {_bids(game, state)}")
        return bid_action(number)
    if typed in SPOKEN_SUITS and phase == TRUMPING:
        return A.choose + SPOKEN_SUITS[typed]
    card = _card(typed.removeprefix("play ").removeprefix("the "))
    if card is not None:
        return card
    return _short(game, state, text, typed)


def _card(typed: str) -> int | None:
    """Return the card in "9h", "9♥", "9 h", "9 of hearts" or "nine of hearts", else None."""
    ranks, suits = (
        "|".join(sorted(known, key=len, reverse=True)) for known in (SPOKEN_RANKS, SPOKEN_SUITS)
    )
    found = re.fullmatch(rf"({ranks})(?: of |\s*)({suits})", typed)
    return None if found is None else 8 * SPOKEN_SUITS[found[2]] + SPOKEN_RANKS[found[1]]


def _short(game: Game, state: State, text: str, typed: str) -> int:
    """Return the only legal card of a rank or suit; raise ValueError if there is not just one."""
    if state[S.phase] == PLAYING and not typed.isdigit():
        cards = [card for card in legal_actions(game, state) if card < A.pass_]
        meant = [
            card
            for card in cards
            if SPOKEN_RANKS.get(typed) == card & 7 or SPOKEN_SUITS.get(typed) == suit_of(card)
        ]
        if len(meant) == 1:
            return meant[0]
        if meant:
            listed = " or ".join(card_name(card) for card in meant)
            raise ValueError(f"{text!r} could be {listed}: type rank and suit, such as 9H")
    wanted = {
        BIDDING: "type a bid, such as 17, or pass",
        DOUBLES: "type double, redouble or pass",
        TRUMPING: "type a suit: spades, diamonds, hearts or clubs",
        SINGLES: "type single or pass",
    }.get(int(state[S.phase]), "type a card, such as 9H or J of spades, or reveal")
    raise ValueError(f"{text!r} is no move: {wanted}")


# --- why not -------------------------------------------------------------------------------------


def _bids(game: Game, state: State) -> str:
    """Return a sentence on the bids that the seat to act may make."""
    legal = [
        bid_of(a) for a in legal_actions(game, state) if a == A.bid_29 or A.bid_16 <= a < A.choose
    ]
    if not legal:
        return "nobody can bid more"
    if len(legal) == 1 and A.pass_ not in legal_actions(game, state):
        return f"everybody has passed, so you must take {legal[0]}"
    upper = f" to {max(legal)}" if len(legal) > 1 else ""
    return f"you may bid {min(legal)}{upper}"


def offer(game: Game, state: State, actions: list[int]) -> str | None:
    """Return the possible bids in one line; None outside the auction, where moves are listed."""
    if state[S.phase] != BIDDING:
        return None
    passing = ", or pass" if A.pass_ in actions else ""
    redeal = ", or ask for a redeal" if A.ask_redeal in actions else ""
    return _bids(game, state) + passing + redeal


def refuse(game: Game, state: State, action: int) -> str:
    """Return why the seat to act may not take this action."""
    phase, seat = int(state[S.phase]), int(state[S.mover])
    stage = {
        BIDDING: "this is the auction: bid or pass",
        DOUBLES: "you are asked to double: double, redouble or pass",
        TRUMPING: "you are choosing the trump: name a suit",
        SINGLES: "you are asked for a single hand: single or pass",
    }
    called = name(game, state, action)
    if phase != PLAYING:
        if phase == BIDDING and (action in (A.pass_, A.bid_29) or A.bid_16 <= action < A.choose):
            return f"{called}: {_bids(game, state)}"
        return f"{called} is not possible now: {stage[phase]}"
    if action == A.reveal:
        return f"you may not ask for the trump: {_no_reveal(state, seat)}"
    if action >= A.pass_:
        return f"{called} is not possible now: play a card"
    hand = int(state[S.hands + seat])
    if not hand >> action & 1:
        return f"the {called} is not in your hand"
    cards = " ".join(card_name(card) for card in legal_actions(game, state) if card < A.pass_)
    led = int(led_suit(state))
    if hand >> (8 * led) & SUIT:
        return f"{SUIT_NAMES[led]} were led and you have some: play {cards}"
    beat = ""
    if suit_of(action) == state[S.trump]:
        beat = " that beats the opponent's"
    return f"you asked for the trump, so you must play a trump{beat}: {cards}"


def _no_reveal(state: State, seat: int) -> str:
    """Return why the seat may not ask for the trump."""
    if state[S.revealed]:
        return "it is revealed already"
    if state[S.in_trick] == 0:
        return "you lead to this trick"
    led = int(led_suit(state))
    if int(state[S.hands + seat]) >> (8 * led) & SUIT:
        return f"you can follow {SUIT_NAMES[led]}"
    return "a single hand has no trump"


# --- what happened -------------------------------------------------------------------------------


def tell(game: Game, before: State, action: int, after: State, seat: Viewer, names: Names) -> str:
    """Return what `seat` saw of an action; only bidder and spectators learn the chosen trump."""
    mover = int(before[S.mover])
    who, phase = names[mover], int(before[S.phase])
    if phase == PLAYING and action < A.pass_:
        return _tell_card(game, before, action, after, names)
    if phase == TRUMPING:
        knows = seat is None or seat == mover
        return f"{who} chose {_chosen(after, action) if knows else 'the trump, hidden'}."
    if action == A.reveal:
        return f"{who} asked for the trump: it is {SUIT_NAMES[int(after[S.trump])]}"
    said = {
        A.pass_: "passed",
        A.double: "doubled",
        A.redouble: "redoubled",
        A.single_hand: "plays a single hand" if who != "you" else "play a single hand",
        A.declare: "declared the marriage",
        A.ask_redeal: "asked for a redeal",
    }.get(action) or f"bid {bid_of(action)}"
    story = f"{who} {said}"
    if phase == BIDDING and after[S.redeals] > before[S.redeals]:
        return f"{story}, and the cards were dealt again."
    if phase == BIDDING and after[S.bidder] != NOBODY and before[S.bidder] == NOBODY:
        bidder = int(after[S.bidder])
        return f"{story}; {names[bidder]} took the contract."
    return story


def _chosen(after: State, action: int) -> str:
    if action != A.seventh_card:
        return f"{SUIT_NAMES[action - A.choose]} as the trump"
    return f"the seventh card, {card_name(int(after[S.seventh]))}"


def _tell_card(game: Game, before: State, card: int, after: State, names: Names) -> str:
    mover = int(before[S.mover])
    verb = "played" if before[S.in_trick] else "led"
    story = f"{names[mover]} {verb} {card_name(card)}"
    table = before.copy()  # the next deal of a match may have erased the trick in `after`
    last = play_card(game.cfg, table, card)
    if table[S.in_trick]:
        return story
    winner = int(table[S.mover])
    won = int(table[S.points + (winner & 1)] - before[S.points + (winner & 1)])
    bonus = " and the last trick" if last and game.cfg[C.last_trick] else ""
    story += f"; {names[winner]} took trick {table[S.trick]} ({won} point{'s' * (won != 1)}{bonus})"
    if game.cfg[C.match_to] and after[S.deals] > before[S.deals]:
        score = [int(after[S.score + side]) for side in (0, 1)]
        sides = (f"{names[0]} and {names[2]}", f"{names[1]} and {names[3]}")
        story += f". The deal is over: {sides[0]} {score[0]}, {sides[1]} {score[1]} game points"
    return f"{story}."


def opened(game: Game, state: State, names: Names) -> list[str]:
    """Return lines that tell all hands as they were dealt, and the trump."""
    lines = []
    for seat, cards in enumerate(history.dealt(state)):
        lines.append(f"{names[seat]} had  {hand_text(by_suit(cards))}")
    if state[S.trump] != NOBODY:
        hidden = "" if state[S.revealed] else ", never revealed"
        lines.append(f"the trump was {SUIT_NAMES[int(state[S.trump])]}{hidden}")
    return lines


def aim(game: Game, seat: int) -> str:
    """Return the aim of the game in a few sentences."""
    return (
        "Cards rank J 9 A 10 K Q 8 7; J counts 3 points, 9 two, A and 10 one. The highest bidder "
        "chooses a hidden trump, and the bidder's side must take the points of the bid. Follow "
        "suit if you can; if not, you may ask for the trump (`reveal`), and must then play one "
        "if you have one."
    )


PHRASES = Phrasebook(
    name=name,
    read=read,
    refuse=refuse,
    tell=tell,
    offer=offer,
    opened=opened,
    typed="a card (9H, J of spades), a bid (17), pass, a suit (hearts), reveal",
    aim=aim,
)
