"""Hand-made deals of Twenty-nine and short ways to play them, shared by the referee's tests."""

from typing import Any

from twentynine_both import Referee
from twentynine_referee import REVEAL, say

# Every seat holds one suit, so no seat can ever follow the lead of another.
SUITED = (
    "JS 9S 1S TS KS QS 8S 7S",
    "JD 9D 1D TD KD QD 8D 7D",
    "JH 9H 1H TH KH QH 8H 7H",
    "JC 9C 1C TC KC QC 8C 7C",
)
# Every seat holds two of each suit, so everybody follows; seats 2 and 3 first get worthless cards.
LEVEL = (
    "JS JD JH JC 7S 7D 7H 7C",
    "9S 9D 9H 9C 8S 8D 8H 8C",
    "QS QD QH QC 1S 1D 1H 1C",
    "KS KD KH KC TS TD TH TC",
)
# Seat 0 leads spades, nobody follows, and the three others share the hearts.
HEARTS = (
    "JS 9S 1S TS KS QS 8S 7S",
    "TH 8H JD 9D 1D TD KD QD",
    "JH 1H 7H 8D 7D JC 9C 1C",
    "9H KH QH TC KC QC 8C 7C",
)
WORTHLESS = tuple(" ".join(hand.split()[::-1]) for hand in SUITED)  # 7 8 Q K come first


def deal(referee: Referee, hands: tuple[str, ...], seventh: int | str | None = None) -> Referee:
    cards = [hand.split() for hand in hands]
    referee.deal([hand[:4] for hand in cards], [hand[4:] for hand in cards], seventh)
    return referee


def dealt(hands: tuple[str, ...], script: str = "", **options: Any) -> Referee:
    referee = deal(Referee(**options), hands)
    say(referee, script)
    return referee


def playing(hands: tuple[str, ...], script: str = "", trump: str = "H", **options: Any) -> Referee:
    """Return a referee after seat 0 has bid 16 and chosen the trump, and `script` was played."""
    return dealt(hands, f"16 pass pass pass trump-{trump} {script}", **options)


def finish(referee: Referee, reveal: bool = True) -> None:
    """Play the lowest legal card until the deal ends; reveal as soon as possible, or never."""
    while referee.stage == "play":
        legal = referee.legal()
        referee.play(REVEAL if reveal and REVEAL in legal else legal[0])
