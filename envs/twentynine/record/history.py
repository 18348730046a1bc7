"""The history of the present deal of Twenty-nine, read from its state."""

from __future__ import annotations

from typing import NamedTuple

from bidarena.envs.game import State
from bidarena.envs.twentynine.rules.auction import CALLS_PER_NUMBER
from bidarena.envs.twentynine.rules.layout import NOBODY, SEATS, S
from bidarena.envs.twentynine.rules.play import LEADER_AT, table_card


class Trick(NamedTuple):
    """A finished trick, or the trick on the table."""

    leader: int
    cards: tuple[tuple[int, int], ...]  # (seat, card) in the order of play
    winner: int  # of the trick on the table: the seat that is winning it
    finished: bool


def calls(state: State) -> list[tuple[int, int]]:
    """Return the calls of the auction as (seat, bid), 0 for a pass; a redeal erases them."""
    said = []
    for k in range(int(state[S.calls])):
        log = int(state[S.auction + k // CALLS_PER_NUMBER])
        entry = log >> (7 * (k % CALLS_PER_NUMBER)) & 0x7F
        said.append((entry & 3, entry >> 2))
    return said


def tricks(state: State) -> list[Trick]:
    """Return all tricks of the deal; the last one may still lie on the table."""
    finished, lying = int(state[S.trick]), int(state[S.in_trick])
    packed = [int(state[S.tricks + k]) for k in range(finished + (lying > 0))]
    leaders = [trick >> LEADER_AT & 3 for trick in packed]
    # The winner of a trick leads to the next one.
    winners = leaders[1 : finished + (lying > 0)] + [int(state[S.leader])] * (lying == 0)
    if lying:
        winners.append(int(state[S.best_seat]))
    found = []
    for k, (trick, leader) in enumerate(zip(packed, leaders, strict=True)):
        turns = [(leader + turn) % SEATS for turn in range(SEATS)]
        cards = [(seat, table_card(trick, seat)) for seat in turns]
        played = tuple((seat, card) for seat, card in cards if card != NOBODY)
        found.append(Trick(leader, played, winners[k], k < finished))
    return found


def dealt(state: State) -> list[int]:
    """Return the eight cards that each seat was dealt, as bit masks."""
    hands = [int(state[S.hands + seat] | state[S.rest + seat]) for seat in range(SEATS)]
    for trick in tricks(state):
        for seat, card in trick.cards:
            hands[seat] |= 1 << card
    return hands
