"""How people speak of games: what moves are called, how they are typed, what has happened.

phrasebook.py    the record that a game fills in, and what serves a game without one
bidding.py       phrases that games of secret bids share
"""

from bidarena.envs.phrases.phrasebook import (
    Names,
    Phrasebook,
    Viewer,
    in_order,
    legal_actions,
    mover_of,
    phrases_of,
    seat_names,
)

__all__ = [
    "Names",
    "Phrasebook",
    "Viewer",
    "in_order",
    "legal_actions",
    "mover_of",
    "phrases_of",
    "seat_names",
]
