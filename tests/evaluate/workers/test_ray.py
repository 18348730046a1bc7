"""What may be sent to a Ray; tests/ray has the rest, which needs one."""

from __future__ import annotations

import pytest

from bidarena.envs import make_bot, make_game
from bidarena.envs.registry import PROGRAM, SEARCH, Bot
from bidarena.evaluate.workers.ray import check_sendable


def test_ray__takes_all_bots_but_programs_of_this_machine():
    game = make_game("raj")
    search = make_bot(game, "mcts:iterations=10")
    value = make_bot(game, "value")
    assert (search.kind, value.kind) == (SEARCH, "")
    check_sendable({"search": search, "value": value, "callable": print})
    program = Bot("mine", value.act, kind=PROGRAM)
    with pytest.raises(ValueError, match=r"bot='mine.py': a program of its own"):
        check_sendable({"value": value, "mine.py": program})
