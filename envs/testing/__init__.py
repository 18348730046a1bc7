"""A conformance kit: does a game, ours or yours, keep every promise of this package?

    from bidarena.envs.testing import check_game, check_bot

    check_game("my_nim:nim")             # rules, interfaces, the checkers of other libraries
    check_bot("my_nim:nim", "clever")    # legal, repeatable, sees nothing hidden

Every check raises an AssertionError that says which promise is broken. The checks that `check_game`
runs can be called one by one, too.
"""

from bidarena.envs.testing.bot import check_bot
from bidarena.envs.testing.facts import (
    check_clock,
    check_hidden,
    check_idle,
    check_signature,
    check_withdraw,
)
from bidarena.envs.testing.game import check_game
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

__all__ = [
    "check_bot",
    "check_clock",
    "check_determinism",
    "check_determinize",
    "check_game",
    "check_gymnasium",
    "check_hidden",
    "check_idle",
    "check_illegal_actions",
    "check_pettingzoo",
    "check_pickling",
    "check_plain_python",
    "check_rows",
    "check_rules",
    "check_sb3",
    "check_signature",
    "check_withdraw",
    "random_states",
]
