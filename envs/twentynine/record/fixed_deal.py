"""Deals of Twenty-nine with chosen cards, written as in the competition: JS, 1H, TC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bidarena.envs.game import Game, State
from bidarena.envs.rng import WORDS
from bidarena.envs.twentynine.rules.auction import deal
from bidarena.envs.twentynine.rules.layout import SEATS, S, card_code, card_of


def deal_state(game: Game, hands: Sequence[Sequence[str]]) -> State:
    """Return a new state in which each seat is dealt eight chosen cards.

    Args:
        game: a game of Twenty-nine.
        hands: eight codes for each of the four seats; the first four are dealt first.
    """
    check_game(game)
    return deal_cards(game, parse_hands("hands", hands), first=0, redeals=0, score=(0, 0), deals=0)


def deal_cards(
    game: Game, hands: list[list[int]], first: int, redeals: int, score: Iterable[int], deals: int
) -> State:
    """Return a state in which chosen cards have just been dealt, also within a match.

    Args:
        game: a game of Twenty-nine.
        hands: eight cards, as numbers, for each seat; the first four are dealt first.
        first: the seat that speaks first.
        redeals: how often the cards were dealt again before.
        score: game points of both sides, in a match.
        deals: number of finished deals, in a match.
    """
    state = np.zeros(game.state_size, np.int64)
    state[S.first], state[S.redeals], state[S.deals] = first, redeals, deals
    state[S.score : S.score + 2] = list(score)
    game.compiled(deal)(game.cfg, state, np.ones(WORDS, np.uint64))  # then change the cards
    for seat, cards in enumerate(hands):
        state[S.hands + seat] = sum(1 << card for card in cards[:4])
        state[S.rest + seat] = sum(1 << card for card in cards[4:])
    return state


def parse_hands(name: str, hands: Any) -> list[list[int]]:
    """Return the cards of four hands; raise ValueError unless each card is in them once."""
    found: list[list[int]] = []
    owner: dict[int, int] = {}
    for seat, hand in enumerate(items(name, hands, SEATS)):
        place = f"{name}[{seat}]"
        found.append([parse_card(place, code) for code in items(place, hand)])
        for card in found[seat]:
            if card in owner:
                other = (
                    "is there twice" if owner[card] == seat else f"is in {name}[{owner[card]}] too"
                )
                raise ValueError(f"{place}: {card_code(card)} {other}")
            owner[card] = seat
    for seat, cards in enumerate(found):
        if len(cards) != 8:
            absent = [card_code(card) for card in range(32) if card not in owner]
            lost = f"; nobody has {' '.join(absent)}" if absent else ""
            raise ValueError(f"{name}[{seat}]: expected 8 cards, got {len(cards)}{lost}")
    return found


def parse_card(name: str, code: Any) -> int:
    """Return the card of a code; raise ValueError, which names `name`, if there is none."""
    try:
        return card_of(code)
    except ValueError as wrong:
        raise ValueError(f"{name}: {wrong}") from None


def items(name: str, value: Any, size: int | None = None) -> list[Any]:
    """Return the items of a list; raise ValueError unless it is one and has `size` items."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise ValueError(f"{name}={value!r}: expected a list")
    found = list(value)
    if size is not None and len(found) != size:
        raise ValueError(f"{name}: expected a list of {size}, got {len(found)}")
    return found


def check_game(game: Game) -> None:
    """Raise ValueError unless this is a game of Twenty-nine."""
    if game.name != "twentynine":
        raise ValueError(f"game={game!r}: expected a game of twentynine")
