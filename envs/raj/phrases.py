"""Phrases of Raj: cards by their values, how a round went, the table of all rounds."""

from __future__ import annotations

import re

from bidarena.envs.game import Game, State
from bidarena.envs.phrases import Names, Phrasebook, Viewer, in_order
from bidarena.envs.raj.rules import NOBODY, C, S


def _cards(game: Game) -> list[int]:
    """Return the values of the cards."""
    cards: list[int] = game.options["cards"]
    return cards


def name(game: Game, state: State, action: int) -> str:
    """Return what a card is called: its value."""
    return f"card {_cards(game)[action]}"


def read(game: Game, state: State, text: str) -> int:
    """Return the card whose value is typed; raise ValueError if there is none."""
    cards = _cards(game)
    found = re.fullmatch(r"(?:card\s+|bid\s+|play\s+)*([+-]?\d{1,9})", text.strip().lower())
    if found is None:
        raise ValueError(f"{text!r} is no card: type the value of one, such as {cards[-1]}")
    value = int(found[1])
    if value not in cards:
        listed = " ".join(map(str, cards))
        raise ValueError(f"there is no card {value}: the cards of the game are {listed}")
    return cards.index(value)


def refuse(game: Game, state: State, action: int) -> str:
    """Return that the player to move has played this card, and what they hold."""
    hand = int(state[S.hands + int(state[S.committed])])
    held = " ".join(str(card) for i, card in enumerate(_cards(game)) if hand >> i & 1)
    return f"not your card any more: you have played the {_cards(game)[action]} and hold {held}"


def offer(game: Game, state: State, actions: list[int]) -> str:
    """Return the player's cards in one line."""
    return "bid one of your cards: " + " ".join(str(_cards(game)[card]) for card in actions)


def _points(game: Game, bank: int) -> str:
    """Return a bank in points, with up to 2 digits after the point."""
    return f"{bank / int(game.cfg[C.unit]):.2f}".rstrip("0").rstrip(".")


def _ended(before: State, after: State) -> bool:
    """Return whether a round ended between the two states."""
    return bool(after[S.round] > before[S.round])


def tell(game: Game, before: State, action: int, after: State, seat: Viewer, names: Names) -> str:
    """Return how the round went, once all bids are in; "" before."""
    if not _ended(before, after):
        return ""
    cards, part = _cards(game), game.state
    bids, order = after[part["last_bids"]], in_order(game, seat)
    said = ", ".join(f"{names[player]} bid {cards[int(bids[player])]}" for player in order)
    pot, taker = int(after[S.last_pot]), int(after[S.last_taker])
    over = after[S.round] == game.cfg[C.size]
    if taker != NOBODY:
        alone = "" if game.players == 2 else " alone"
        how = (
            f"{'highest' if pot >= 0 else 'lowest'} bid made{alone}"
            if alone
            else ("the higher bid" if pot >= 0 else "the lower bid, since nobody wants it")
        )
        result = f"{names[taker]} took the pot of {pot} ({how})"
    elif game.options["tie"] == "split":
        result = f"no bid was unique, so the pot of {pot} was shared"
    elif over or game.options["tie"] == "discard":
        result = f"no bid was unique, so the pot of {pot} is lost"
    else:
        result = f"no bid was unique, so the pot of {pot} stays"
    return f"round {after[S.round]}: {said}; {result}."


def columns(game: Game, seat: Viewer, names: Names) -> list[str]:
    """Return the headings of the table of rounds."""
    order = [names[player] for player in in_order(game, seat)]
    banks = [f"{'your' if who == 'you' else who} bank" for who in order]
    return ["round", "pot", *(f"{who} bid" for who in order), "taken by", *banks]


def row(game: Game, before: State, after: State, seat: Viewer, names: Names) -> list[str] | None:
    """Return a finished round: the pot, all bids, who took the pot, and the banks afterwards."""
    if not _ended(before, after):
        return None
    part, order, taker = game.state, in_order(game, seat), int(after[S.last_taker])
    nobody = {"carry": "stays", "discard": "lost", "split": "shared"}[game.options["tie"]]
    if nobody == "stays" and after[S.round] == game.cfg[C.size]:
        nobody = "lost"
    return [
        str(after[S.round]),
        str(after[S.last_pot]),
        *(str(_cards(game)[int(after[part["last_bids"]][player])]) for player in order),
        names[taker] if taker != NOBODY else nobody,
        *(_points(game, int(after[part["banks"]][player])) for player in order),
    ]


def aim(game: Game, seat: int) -> str:
    """Return the aim of the game in a few sentences, under the rules in force."""
    left = {"carry": "stays for the next item", "discard": "is lost", "split": "is shared"}
    return (
        "Items come up in random order; for each everybody bids a card in secret. Of the bids that "
        "only one player made, the highest takes the pot, or the lowest if the pot is negative. If "
        f"there is none, the pot {left[game.options['tie']]}. The highest bank wins."
    )


PHRASES = Phrasebook(
    name=name,
    read=read,
    refuse=refuse,
    tell=tell,
    offer=offer,
    columns=columns,
    row=row,
    typed="the value of one of your cards, such as 4",
    aim=aim,
)
