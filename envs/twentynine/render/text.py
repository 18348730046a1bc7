"""Twenty-nine as text, as one seat sees it."""

from __future__ import annotations

import textwrap

from bidarena.envs.drawing import BOLD, GREEN, SIDE_CODES, paint
from bidarena.envs.game import Game, State
from bidarena.envs.twentynine.phrases.seen import Place, Play, View, look
from bidarena.envs.twentynine.phrases.state import NAMES, STAKES, SYMBOLS, card_name, hand_text
from bidarena.envs.twentynine.rules.layout import TRUMPING

WIDE = 79  # longest line, for a terminal of 80 columns


def ansi(game: Game, state: State, seat: int) -> str:
    """Return the table as text, as the player in `seat` sees it."""
    view = look(game, state, seat)
    title = paint("Twenty-nine", BOLD)
    lines = ["  ".join(filter(None, (title, view.round, view.match)))]
    lines += _line("rules", ", ".join(view.rules)) if view.rules else []
    lines += _line("auction", ", ".join(_call(*call) for call in view.calls) or "no bids yet")
    lines += _line("contract", _contract(view))
    lines += _line("trump", _trump(view))
    if view.phase > TRUMPING:
        lines += _line("points", _score(view))
    for k in (2, 1, 3):
        lines.append(_other(view, k))
    lines.append(f"  {paint(f'{NAMES[0]:<10}', SIDE_CODES[0])} {_hand(view)}")
    if view.tricks:
        last = view.tricks[-1]
        lines += _line("last trick", f"{_trick(last)}: {NAMES[last.winner]} took it")
    if view.table is not None:
        table = f"{_trick(view.table)}: {_is(view.table.winner)} winning {view.table.points}"
        lines += _line("table", table)
    code = GREEN if view.champion == 0 or view.mover == 0 else BOLD
    lines.append(f"  {paint(view.headline, code)}: {view.reason}")
    return "\n".join(lines) + "\n"


def _line(label: str, text: str) -> list[str]:
    """Return a label and its text, wrapped to as many lines as needed."""
    space = " " * 13
    parts = textwrap.wrap(text, WIDE - len(space))
    return [f"  {label:<10} {parts[0]}", *(space + part for part in parts[1:])]


def _call(place: int, bid: int) -> str:
    return f"{NAMES[place]} {bid or 'pass' + 'es' * (place > 0)}"


def _is(place: int) -> str:
    return "you are" if place == 0 else f"{NAMES[place]} is"


def _contract(view: View) -> str:
    if view.declarer is None:
        return "open"
    if not view.target:
        bid = f"single hand of {NAMES[view.declarer]}"
    else:
        bid = f"{view.contract} by {NAMES[view.declarer]}"
    stake = f"{STAKES[view.stake]}: stake {view.stake}" if view.stake > 1 and view.target else ""
    return "; ".join(filter(None, (bid, stake, *view.contract_notes)))


def _trump(view: View) -> str:
    suit = "" if view.trump is None else SYMBOLS[view.trump] + ", "
    condition, more = view.trump_notes
    return f"{suit}{condition}{', ' if more else ''}{more}"


def _score(view: View) -> str:
    bidding = 0 if view.declarer in (0, 2) else 1
    sides = []
    for side, names in enumerate(("you and partner", "left and right")):
        need = f" (needs {view.target})" if view.target and side == bidding else ""
        tricks = f"{view.won[side]} trick{'s' * (view.won[side] != 1)}"
        sides.append(f"{names} {view.points[side]} in {tricks}{need}")
    return "; ".join(sides)


def _other(view: View, k: int) -> str:
    place = view.places[k]
    name = paint(f"{NAMES[k]:<10}", SIDE_CODES[k & 1])
    return f"  {name} {'  '.join(filter(None, (_backs(view, place), _shown(place))))}".rstrip()


def _backs(view: View, place: Place) -> str:
    if place.away:
        return "sits out"
    aside = " and 4 to come" if view.phase <= TRUMPING else ""
    return f"{place.cards} card{'s' * (place.cards != 1)}{aside}"


def _shown(place: Place) -> str:
    """Return what a seat has shown to hold or not to hold."""
    notes = [f"no {SYMBOLS[suit]}" for suit in place.lacks]
    if place.without:
        notes.append(f"no {' '.join(card_name(card) for card in place.without)}")
    if place.holds:
        notes.append(f"holds {' '.join(card_name(card) for card in place.holds)}")
    return ", ".join(notes)


def _hand(view: View) -> str:
    aside = "  and 4 to come" if view.phase <= TRUMPING else ""
    return (hand_text(view.hand) or "no cards left") + aside


def _trick(play: Play) -> str:
    first, *rest = play.cards
    lead = f"{NAMES[first[0]]} led {card_name(first[1])}"
    return ", ".join([lead, *(f"{NAMES[place]} {card_name(card)}" for place, card in rest)])
