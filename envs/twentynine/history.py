"""What has happened in the present deal of Twenty-nine, read back from its state."""

from __future__ import annotations

from typing import NamedTuple

from bidarena.envs.game import State
from bidarena.envs.twentynine.auction import CALLS_PER_WORD
from bidarena.envs.twentynine.layout import (
    BEST_SEAT,
    CALLS,
    HANDS,
    IN_TRICK,
    LEADER,
    LOG,
    NOBODY,
    REST,
    SEATS,
    TRICK,
    TRICKS,
)
from bidarena.envs.twentynine.play import LEADER_AT, table_card


class Trick(NamedTuple):
    """A finished trick, or the one on the table."""

    leader: int
    cards: tuple[tuple[int, int], ...]  # (seat, card) in the order of play
    winner: int  # of the one on the table: who is winning it
    finished: bool


def calls(state: State) -> list[tuple[int, int]]:
    """The auction so far as (seat, bid), 0 for a pass; what was said before a redeal is gone."""
    said = []
    for k in range(int(state[CALLS])):
        entry = int(state[LOG + k // CALLS_PER_WORD]) >> (7 * (k % CALLS_PER_WORD)) & 0x7F
        said.append((entry & 3, entry >> 2))
    return said


def tricks(state: State) -> list[Trick]:
    """All tricks of the deal; the last one may lie on the table."""
    finished, lying = int(state[TRICK]), int(state[IN_TRICK])
    words = [int(state[TRICKS + k]) for k in range(finished + (lying > 0))]
    leaders = [word >> LEADER_AT & 3 for word in words]
    # The winner of a trick leads to the next one.
    winners = leaders[1 : finished + (lying > 0)] + [int(state[LEADER])] * (lying == 0)
    if lying:
        winners.append(int(state[BEST_SEAT]))
    found = []
    for k, (word, leader) in enumerate(zip(words, leaders, strict=True)):
        turns = [(leader + turn) % SEATS for turn in range(SEATS)]
        cards = [(seat, table_card(word, seat)) for seat in turns]
        played = tuple((seat, card) for seat, card in cards if card != NOBODY)
        found.append(Trick(leader, played, winners[k], k < finished))
    return found


def dealt(state: State) -> list[int]:
    """The eight cards that each seat was dealt, as bit masks."""
    hands = [int(state[HANDS + seat] | state[REST + seat]) for seat in range(SEATS)]
    for trick in tricks(state):
        for seat, card in trick.cards:
            hands[seat] |= 1 << card
    return hands
