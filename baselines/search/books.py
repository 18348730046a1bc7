"""Who answers where searching is not worth the time: an opening book, or a policy in its place.

The searches use this, and so can any bot of a game that leaves some moves to a book: it makes the
book with `open_book`, fills the stubs `book` and `priors`, and asks `book_move`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bidarena.baselines.search.stubs import book, no_book, priors
from bidarena.envs.compile import Function, apart
from bidarena.envs.game import Cfg, Game, Mask, Params, State
from bidarena.envs.registry import load, load_book

BY_POLICY = "policy"  # the name that asks for a policy in place of the usual book


def open_book(game: Game, name: str | None, guide: Any) -> tuple[Function, bool]:
    """Return the opening book, and whether the policy answers wherever the book would.

    If no book is named, it is the usual one of the game, if there is one. With a policy that has
    priors the policy answers in its place, as with the name "policy".

    Args:
        game: the game.
        name: a book of this game, "policy", "none", or None.
        guide: what a policy tells (`Guide` in learned/guide.py); None: there is no policy.
    """
    has_priors = guide is not None and guide.priors is not None
    usual = load_book(game, None)
    if name == BY_POLICY and not (has_priors and usual):
        raise ValueError(
            f"book='policy': expected a policy that gives probabilities, in a game with a usual "
            f"book to say where it answers; {game.name} has {'one' if usual else 'none'}"
        )
    if has_priors and usual is not None and name in (None, BY_POLICY):
        return usual, True
    return load_book(game, name) or no_book, False


def guide_for(game: Game, policy: Any) -> Any:
    """Return what a learned policy tells a search; see `Guide` in learned/guide.py.

    In Python a `Guide` may be given itself.
    """
    if not isinstance(policy, str):
        if not isinstance(policy, load("bidarena.baselines.learned.guide:Guide")):
            raise ValueError(f"policy={policy!r}: expected the path of a policy file or of a run")
        return policy
    return load("bidarena.baselines.learned.guide:guide_of")(game, policy)


def nested(spec: str) -> str:
    """Return `spec` with commas: options inside an option are written with semicolons."""
    return str(spec).replace(";", ",")


# --- compiled for each game ----------------------------------------------------------------------


@apart
def book_move(
    cfg: Cfg, policy: Params, by_policy: bool, state: State, player: int, mask: Mask
) -> int:
    """Return the move that needs no search, or -1: that of the book, or what the policy favours.

    Args:
        cfg: the rules in force.
        policy: the numbers that `priors` reads.
        by_policy: the policy answers wherever the book would.
        state: the position; book and policy use only what `player` may know.
        player: the player to move.
        mask: the legal moves.
    """
    known = book(cfg, state, player)
    if known < 0 or not by_policy:
        return known
    chances = np.zeros(len(mask))
    priors(cfg, policy, state, player, mask, chances)
    likeliest = 0
    for action in range(len(chances)):
        if chances[action] > chances[likeliest]:
            likeliest = action
    return likeliest
