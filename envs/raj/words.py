"""Raj in words: cards by their values, how a round went, the table of all rounds."""

from __future__ import annotations

import re

from bidarena.envs.game import Game, State
from bidarena.envs.raj import rules
from bidarena.envs.words import Names, Viewer, Words, in_order


def _cards(game: Game) -> list[int]:
    cards: list[int] = game.options["cards"]
    return cards


def name(game: Game, state: State, action: int) -> str:
    """A card by its value."""
    return f"card {_cards(game)[action]}"


def read(game: Game, state: State, text: str) -> int:
    """A card as typed: by its value."""
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
    """Why the player to move may not bid that card: it has been played."""
    hand = int(state[rules.HANDS + int(state[rules.COMMITTED])])
    held = " ".join(str(card) for i, card in enumerate(_cards(game)) if hand >> i & 1)
    return f"not your card any more: you have played the {_cards(game)[action]} and hold {held}"


def offer(game: Game, state: State, actions: list[int]) -> str:
    """The cards one holds."""
    return "bid one of your cards: " + " ".join(str(_cards(game)[card]) for card in actions)


def _points(game: Game, bank: int) -> str:
    return f"{bank / int(game.cfg[rules.UNIT]):.2f}".rstrip("0").rstrip(".")


def _ended(before: State, after: State) -> bool:
    return bool(after[rules.ROUND] > before[rules.ROUND])


def tell(game: Game, before: State, action: int, after: State, seat: Viewer, names: Names) -> str:
    """How the round went, once all bids are in."""
    if not _ended(before, after):
        return ""
    cards, part = _cards(game), game.state
    bids, order = after[part["last_bids"]], in_order(game, seat)
    said = ", ".join(f"{names[player]} bid {cards[int(bids[player])]}" for player in order)
    pot, taker = int(after[rules.LAST_POT]), int(after[rules.LAST_TAKER])
    over = after[rules.ROUND] == game.cfg[rules.SIZE]
    if taker != rules.NOBODY:
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
    return f"round {after[rules.ROUND]}: {said}; {result}."


def columns(game: Game, seat: Viewer, names: Names) -> list[str]:
    """Of the table of rounds."""
    order = [names[player] for player in in_order(game, seat)]
    banks = [f"{'your' if who == 'you' else who} bank" for who in order]
    return ["round", "pot", *(f"{who} bid" for who in order), "taken by", *banks]


def row(game: Game, before: State, after: State, seat: Viewer, names: Names) -> list[str] | None:
    """A round: the pot, all bids, who took it, and the banks afterwards."""
    if not _ended(before, after):
        return None
    part, order, taker = game.state, in_order(game, seat), int(after[rules.LAST_TAKER])
    nobody = {"carry": "stays", "discard": "lost", "split": "shared"}[game.options["tie"]]
    if nobody == "stays" and after[rules.ROUND] == game.cfg[rules.SIZE]:
        nobody = "lost"
    return [
        str(after[rules.ROUND]),
        str(after[rules.LAST_POT]),
        *(str(_cards(game)[int(after[part["last_bids"]][player])]) for player in order),
        names[taker] if taker != rules.NOBODY else nobody,
        *(_points(game, int(after[part["banks"]][player])) for player in order),
    ]


def aim(game: Game, seat: int) -> str:
    """The game in a few sentences, under the rules in force."""
    left = {"carry": "stays for the next item", "discard": "is lost", "split": "is shared"}
    return (
        "Items come up in random order; for each everybody bids a card in secret. Of the bids that "
        "only one player made, the highest takes the pot, or the lowest if the pot is negative. If "
        f"there is none, the pot {left[game.options['tie']]}. The highest bank wins."
    )


WORDS = Words(
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
