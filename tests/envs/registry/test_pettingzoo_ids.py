"""Games in PettingZoo's registry, in whatever order things are imported."""

from __future__ import annotations

import subprocess
import sys

import pytest
from our_games import OUR_GAMES

from bidarena.envs.registry import env_id

SHOW = "print(sorted(key for key in pettingzoo.%s_registry if key.startswith('bidarena/')))"


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize("kind", ["aec", "parallel"])
@pytest.mark.parametrize("first", ["pettingzoo", "bidarena.envs"])
def test_registry__has_all_games_whichever_is_imported_first(first, kind):
    other = ({"pettingzoo", "bidarena.envs"} - {first}).pop()
    ids = run(f"import {first}, {other}; {SHOW % kind}")
    assert all(repr(env_id(name)) in ids for name in OUR_GAMES)


def test_registry__has_games_that_are_registered_later():
    code = """
import bidarena.envs, pettingzoo
from bidarena.envs import register_game
register_game("mine", "bidarena.envs.raj.env:raj", "mine/Raj-v0")
print(pettingzoo.make("aec", "mine/Raj-v0", players=3).possible_agents)
"""
    assert run(code) == "['player_0', 'player_1', 'player_2']"


def test_registry__a_missing_or_an_old_pettingzoo_changes_nothing(tmp_path):
    (tmp_path / "pettingzoo.py").write_text("old = True\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import bidarena.envs, pettingzoo"
    assert run(f"{code}; print(pettingzoo.old)") == "True"
    (tmp_path / "pettingzoo.py").write_text("raise ImportError('none')\n")
    code = code.replace(", pettingzoo", "\ntry:\n    import pettingzoo\nexcept ImportError as no:")
    assert run(f"{code}\n    print(no)") == "none"
