"""The moves of Twenty-nine in words: how they are typed, why one is refused, what was seen."""

from __future__ import annotations

import re

from bidarena.envs.game import Game, State
from bidarena.envs.twentynine import history
from bidarena.envs.twentynine.layout import (
    ASK_REDEAL,
    BID_16,
    BID_29,
    BIDDER,
    BIDDING,
    CHOOSE,
    DEALS,
    DECLARE,
    DOUBLE,
    DOUBLES,
    GAME_SCORE,
    HANDS,
    IN_TRICK,
    LAST_TRICK,
    MATCH_TO,
    MOVER,
    NOBODY,
    PASS,
    PHASE,
    PLAYING,
    POINTS,
    REDEALS,
    REDOUBLE,
    REVEAL,
    REVEALED,
    SEVENTH_CARD,
    SEVENTH_IS,
    SINGLE_HAND,
    SINGLES,
    SUIT,
    TRICK,
    TRUMP,
    TRUMPING,
    bid_action,
    bid_of,
    suit_of,
)
from bidarena.envs.twentynine.play import led_suit, play_card
from bidarena.envs.twentynine.words import RANK_NAMES, SUIT_NAMES
from bidarena.envs.words import Names, Viewer, Words, legal_actions

SYMBOLS = "♠♦♥♣"
RANK_WORDS = {
    **{rank.lower(): strength for strength, rank in enumerate(RANK_NAMES)},
    **{"t": 4, "1": 5, "ten": 4, "ace": 5, "jack": 7, "queen": 2, "king": 3},
    **{"seven": 0, "eight": 1, "nine": 6},
}
SUIT_WORDS = {
    word: suit
    for suit, long in enumerate(SUIT_NAMES)
    for word in (long, long[:-1], long[0], SYMBOLS[suit])
}
SAID = {  # action -> what it is called, and other ways to say it
    PASS: ("pass", "p", "no", "0"),
    REVEAL: ("reveal", "ask", "trump", "reveal trump", "reveal the trump", "ask for the trump"),
    DOUBLE: ("double",),
    REDOUBLE: ("redouble",),
    SEVENTH_CARD: ("seventh card", "seventh"),
    SINGLE_HAND: ("single hand", "single"),
    DECLARE: ("marriage", "declare", "declare the marriage"),
    ASK_REDEAL: ("redeal", "ask for a redeal"),
}


def card_name(card: int) -> str:
    """A card, such as 10♥."""
    return RANK_NAMES[card & 7] + SYMBOLS[suit_of(card)]


def name(game: Game, state: State, action: int) -> str:
    """A card, a bid, a suit, or the word for anything else."""
    if action < PASS:
        return card_name(action)
    if action == BID_29 or BID_16 <= action < CHOOSE:
        return f"bid {bid_of(action)}"
    if CHOOSE <= action < REVEAL:
        return SUIT_NAMES[action - CHOOSE]
    return SAID[action][0]


def read(game: Game, state: State, text: str) -> int:
    """A move as typed: "9H", "jack of spades", "17", "pass", "hearts", "reveal"."""
    words = " ".join(text.strip().lower().split())
    phase = int(state[PHASE])
    for action, ways in SAID.items():
        if words in ways:
            return action
    bid = re.fullmatch(r"(?:bid )?(\d{1,9})", words)
    if bid and (phase == BIDDING or words.startswith("bid")):
        number = int(bid[1])
        if not 16 <= number <= 29:
            raise ValueError(f"a bid of {number} is out of range: {_bids(game, state)}")
        return bid_action(number)
    if words in SUIT_WORDS and phase == TRUMPING:
        return CHOOSE + SUIT_WORDS[words]
    card = _card(words.removeprefix("play ").removeprefix("the "))
    if card is not None:
        return card
    return _short(game, state, text, words)


def _card(words: str) -> int | None:
    """The card in "9h", "9♥", "9 h", "9 of hearts" or "nine of hearts"."""
    ranks, suits = (
        "|".join(sorted(known, key=len, reverse=True)) for known in (RANK_WORDS, SUIT_WORDS)
    )
    found = re.fullmatch(rf"({ranks})(?: of |\s*)({suits})", words)
    return None if found is None else 8 * SUIT_WORDS[found[2]] + RANK_WORDS[found[1]]


def _short(game: Game, state: State, text: str, words: str) -> int:
    """A rank or a suit alone, where only one card can be meant; else what to type instead."""
    if state[PHASE] == PLAYING and not words.isdigit():
        cards = [card for card in legal_actions(game, state) if card < PASS]
        meant = [
            card
            for card in cards
            if RANK_WORDS.get(words) == card & 7 or SUIT_WORDS.get(words) == suit_of(card)
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
    }.get(int(state[PHASE]), "type a card, such as 9H or J of spades, or reveal")
    raise ValueError(f"{text!r} is no move: {wanted}")


# --- why not -------------------------------------------------------------------------------------


def _bids(game: Game, state: State) -> str:
    legal = [bid_of(a) for a in legal_actions(game, state) if a == BID_29 or BID_16 <= a < CHOOSE]
    if not legal:
        return "nobody can bid more"
    if len(legal) == 1 and PASS not in legal_actions(game, state):
        return f"everybody has passed, so you must take {legal[0]}"
    upper = f" to {max(legal)}" if len(legal) > 1 else ""
    return f"you may bid {min(legal)}{upper}"


def offer(game: Game, state: State, actions: list[int]) -> str | None:
    """The bids one can make; all other moves are listed."""
    if state[PHASE] != BIDDING:
        return None
    passing = ", or pass" if PASS in actions else ""
    redeal = ", or ask for a redeal" if ASK_REDEAL in actions else ""
    return _bids(game, state) + passing + redeal


def refuse(game: Game, state: State, action: int) -> str:
    """Why the seat to act may not do that."""
    phase, seat = int(state[PHASE]), int(state[MOVER])
    stage = {
        BIDDING: "this is the auction: bid or pass",
        DOUBLES: "you are asked to double: double, redouble or pass",
        TRUMPING: "you are choosing the trump: name a suit",
        SINGLES: "you are asked for a single hand: single or pass",
    }
    called = name(game, state, action)
    if phase != PLAYING:
        if phase == BIDDING and (action in (PASS, BID_29) or BID_16 <= action < CHOOSE):
            return f"{called}: {_bids(game, state)}"
        return f"{called} is not possible now: {stage[phase]}"
    if action == REVEAL:
        return f"you may not ask for the trump: {_no_reveal(state, seat)}"
    if action >= PASS:
        return f"{called} is not possible now: play a card"
    hand = int(state[HANDS + seat])
    if not hand >> action & 1:
        return f"the {called} is not in your hand"
    cards = " ".join(card_name(card) for card in legal_actions(game, state) if card < PASS)
    led = int(led_suit(state))
    if hand >> (8 * led) & SUIT:
        return f"{SUIT_NAMES[led]} were led and you have some: play {cards}"
    beat = ""
    if suit_of(action) == state[TRUMP]:
        beat = " that beats the opponent's"
    return f"you asked for the trump, so you must play a trump{beat}: {cards}"


def _no_reveal(state: State, seat: int) -> str:
    if state[REVEALED]:
        return "it is revealed already"
    if state[IN_TRICK] == 0:
        return "you lead to this trick"
    led = int(led_suit(state))
    if int(state[HANDS + seat]) >> (8 * led) & SUIT:
        return f"you can follow {SUIT_NAMES[led]}"
    return "a single hand has no trump"


# --- what happened -------------------------------------------------------------------------------


def tell(game: Game, before: State, action: int, after: State, seat: Viewer, names: Names) -> str:
    """What everybody saw; which trump was chosen only the bidder and a spectator know."""
    mover = int(before[MOVER])
    who, phase = names[mover], int(before[PHASE])
    if phase == PLAYING and action < PASS:
        return _tell_card(game, before, action, after, names)
    if phase == TRUMPING:
        knows = seat is None or seat == mover
        return f"{who} chose {_chosen(after, action) if knows else 'the trump, hidden'}."
    if action == REVEAL:
        return f"{who} asked for the trump: it is {SUIT_NAMES[int(after[TRUMP])]}"
    said = {
        PASS: "passed",
        DOUBLE: "doubled",
        REDOUBLE: "redoubled",
        SINGLE_HAND: "plays a single hand" if who != "you" else "play a single hand",
        DECLARE: "declared the marriage",
        ASK_REDEAL: "asked for a redeal",
    }.get(action) or f"bid {bid_of(action)}"
    story = f"{who} {said}"
    if phase == BIDDING and after[REDEALS] > before[REDEALS]:
        return f"{story}, and the cards were dealt again."
    if phase == BIDDING and after[BIDDER] != NOBODY and before[BIDDER] == NOBODY:
        bidder = int(after[BIDDER])
        return f"{story}; {names[bidder]} took the contract."
    return story


def _chosen(after: State, action: int) -> str:
    if action != SEVENTH_CARD:
        return f"{SUIT_NAMES[action - CHOOSE]} as the trump"
    return f"the seventh card, {card_name(int(after[SEVENTH_IS]))}"


def _tell_card(game: Game, before: State, card: int, after: State, names: Names) -> str:
    mover = int(before[MOVER])
    verb = "played" if before[IN_TRICK] else "led"
    story = f"{names[mover]} {verb} {card_name(card)}"
    table = before.copy()  # the next deal of a match may have wiped the trick from `after`
    last = play_card(game.cfg, table, card)
    if table[IN_TRICK]:
        return story
    winner = int(table[MOVER])
    won = int(table[POINTS + (winner & 1)] - before[POINTS + (winner & 1)])
    bonus = " and the last trick" if last and game.cfg[LAST_TRICK] else ""
    story += f"; {names[winner]} took trick {table[TRICK]} ({won} point{'s' * (won != 1)}{bonus})"
    if game.cfg[MATCH_TO] and after[DEALS] > before[DEALS]:
        score = [int(after[GAME_SCORE + side]) for side in (0, 1)]
        sides = (f"{names[0]} and {names[2]}", f"{names[1]} and {names[3]}")
        story += f". The deal is over: {sides[0]} {score[0]}, {sides[1]} {score[1]} game points"
    return f"{story}."


def opened(game: Game, state: State, names: Names) -> list[str]:
    """All hands as they were dealt, and the trump."""
    lines = []
    for seat, cards in enumerate(history.dealt(state)):
        suits = []
        for suit in range(4):
            held = [s for s in range(7, -1, -1) if cards >> (8 * suit + s) & 1]
            if held:
                suits.append(f"{SYMBOLS[suit]} {' '.join(RANK_NAMES[s] for s in held)}")
        lines.append(f"{names[seat]} had  {'   '.join(suits)}")
    if state[TRUMP] != NOBODY:
        hidden = "" if state[REVEALED] else ", never revealed"
        lines.append(f"the trump was {SUIT_NAMES[int(state[TRUMP])]}{hidden}")
    return lines


def aim(game: Game, seat: int) -> str:
    """The game in a few sentences."""
    return (
        "Cards rank J 9 A 10 K Q 8 7; J counts 3 points, 9 two, A and 10 one. The highest bidder "
        "chooses a hidden trump, and his side must take the points he bid. Follow suit if you can; "
        "who cannot may ask for the trump (`reveal`), and must then play one if he has it."
    )


WORDS = Words(
    name=name,
    read=read,
    refuse=refuse,
    tell=tell,
    offer=offer,
    opened=opened,
    typed="a card (9H, J of spades), a bid (17), pass, a suit (hearts), reveal",
    aim=aim,
)
