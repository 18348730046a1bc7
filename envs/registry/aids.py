"""Register aids for searches: beliefs about what is hidden, and opening books."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bidarena.envs.arguments import unknown
from bidarena.envs.compile import Function
from bidarena.envs.game import Game, Params
from bidarena.envs.registry.bot_names import make_from_spec
from bidarena.envs.registry.game_names import load


@dataclass(frozen=True, eq=False)
class Belief:
    """How likely a guess of what is hidden is to be true, as a search should see it.

    Args:
        name: the name of the belief.
        plausible: a plain function `(cfg, params, state, player) -> float` like the rules. `state`
            is a guess from the point of view of `player`. The search keeps it with the probability
            that is returned, above 0 and up to 1, and otherwise draws another guess.
        params: the numbers that `plausible` reads, flat float64.
    """

    name: str
    plausible: Function
    params: Params = field(default_factory=lambda: np.zeros(1))


NO_BOOK = "none"  # the name that asks for no book

_beliefs: dict[str, str] = {}  # "game/belief" -> "module:function" of its factory
_books: dict[str, str] = {}  # "game/book" -> "module:function"
_usual_books: dict[str, str] = {}  # game -> the book that searches use if none is named


def register_belief(name: str, factory: str) -> None:
    """Register a belief.

    Args:
        name: "game/belief".
        factory: "module:function" of the function that takes the `Game`, then options as keywords,
            and returns a `Belief`.
    """
    _beliefs[name] = factory


def beliefs(game: str) -> list[str]:
    """Return the names of all beliefs for `game`, without the name of the game."""
    return sorted(key.rpartition("/")[2] for key in _beliefs if key.rpartition("/")[0] == game)


def make_belief(game: Game, spec: str) -> Belief:
    """Make a belief from its name and options, such as "cautious:doubt=0.1"."""
    name, _, rest = spec.partition(":")
    path = _beliefs.get(f"{game.name}/{name}")
    if path is None:
        known = beliefs(game.name)
        if not known:
            raise ValueError(f"belief={spec!r}: no belief is registered for {game.name}")
        raise unknown("belief", name, known)
    return make_from_spec("belief", game, name, spec, load(path), rest)


def register_book(name: str, function: str, *, usual: bool = False) -> None:
    """Register an opening book: fixed answers where searching is not worth the time.

    Args:
        name: "game/book".
        function: "module:function" of a plain function `(cfg, state, player) -> action` like the
            rules. A search asks it first, and thinks itself where it returns -1.
        usual: whether searches of this game use the book unless another one is named.
    """
    _books[name] = function
    if usual:
        game, _, book = name.rpartition("/")
        _usual_books[game] = book


def load_book(game: Game, name: str | None) -> Function | None:
    """Return the function of an opening book of this game; None if there is none to ask.

    Args:
        game: the game.
        name: the name of the book; None: the usual one of the game, if it has one; "none": none.
    """
    name = _usual_books.get(game.name, NO_BOOK) if name is None else name
    if name == NO_BOOK:
        return None
    path = _books.get(f"{game.name}/{name}")
    if path is None:
        known = [key.rpartition("/")[2] for key in _books if key.startswith(f"{game.name}/")]
        if not known:
            raise ValueError(f"book={name!r}: no book is registered for {game.name}")
        raise unknown("book", name, [*known, NO_BOOK])
    return load(path)
