"""The conformance kit's one call for a game: all checks of rules, facts and interfaces."""

from __future__ import annotations

from typing import Any

from bidarena.envs.game import Game
from bidarena.envs.registry import make_game
from bidarena.envs.testing.facts import (
    check_clock,
    check_hidden,
    check_idle,
    check_signature,
    check_withdraw,
)
from bidarena.envs.testing.interfaces import (
    check_determinism,
    check_gymnasium,
    check_illegal_actions,
    check_pettingzoo,
    check_pickling,
    check_rows,
    check_sb3,
)
from bidarena.envs.testing.rules import check_determinize, check_plain_python, check_rules
from bidarena.envs.testing.states import random_states


def check_game(game: str | Game, *, games: int = 20, seed: int = 0, **rules: Any) -> None:
    """Run every check of the kit that is about a game.

    Checks of libraries that are not installed are skipped.

    Args:
        game: a registered name, or a `Game`.
        games: how many random games to play.
        seed: of those games.
        **rules: the options of the game's rules.

    Raises:
        AssertionError: the game breaks a promise; the message says which.
    """
    made = make_game(game, **rules)
    check_plain_python(made, seed=seed)  # first: compiled code does not notice a wrong index
    check_rules(made, games=games, seed=seed)
    check_determinize(made, games=games, seed=seed)
    check_hidden(made, random_states(made, games, seed))
    check_signature(made, random_states(made, games, seed))
    check_withdraw(made, random_states(made, games, seed))
    check_idle(made, random_states(made, games, seed))
    check_clock(made, random_states(made, games, seed))
    check_determinism(made, seed=seed)
    check_rows(made, seed=seed)
    check_illegal_actions(made, seed=seed)
    check_pickling(made, seed=seed)
    check_gymnasium(made)
    check_sb3(made)
    check_pettingzoo(made)
