"""Matches with outside bots that misbehave: they lose with a reason, in time, and leave nothing."""

from __future__ import annotations

import gc
import sys
import tempfile
import time

import pytest
from outsiders import FORK, PYTHON, TROUBLE, all_gone

from bidarena.baselines.adapters import sandbox
from bidarena.evaluate.match import play_match

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

GAMES = 4
HEALTHY = "def calculate_bid(player, pos, first, second): return 1\n"


@pytest.fixture
def homes(monkeypatch):
    """Collect the HOME of every keeper that is started during a test."""
    made = []
    make = tempfile.mkdtemp

    def remembered(**options):
        made.append(make(**options))
        return made[-1]

    monkeypatch.setattr(sandbox.tempfile, "mkdtemp", remembered)
    return made


def play(spec):
    began = time.monotonic()
    match = play_match("scotch", [spec, "uniform"], GAMES, seed=2)
    return match, time.monotonic() - began


def indented(code: str) -> str:
    return "".join(f"    {line}\n" for line in code.strip().splitlines())


@pytest.fixture(scope="module")
def compiled():
    """Compile all that a match needs, so that measured times are those of the bots."""
    play_match("scotch", ["uniform", lambda observation, mask: int(mask.argmax())], 2)


# test_sandbox.py tests all kinds of TROUBLE
@pytest.mark.parametrize(
    "what", ["hangs", "prints without end", "dies", "forks and hangs", "forks without end"]
)
@pytest.mark.usefixtures("compiled")
def test_match__a_program_that_makes_trouble_loses_and_leaves_nothing(tmp_path, homes, what):
    script = tmp_path / "bot.py"
    script.write_text(TROUBLE[what])
    command = " ".join([*PYTHON, str(script)])
    match, seconds = play(f"cmd:{command}:seconds=0.4,faults=2,memory=400,output=20000")
    assert match.scores[0].losses == GAMES
    assert sum(match.scores[0].faults.values()) == GAMES
    assert all(reason.startswith("raised: ") for reason in match.scores[0].faults)
    assert seconds < 100  # a hanging bot sleeps 1000 s: it was not waited for
    del match
    gc.collect()
    assert homes
    assert all(all_gone(home) for home in homes)


@pytest.mark.parametrize("what", ["hangs", "prints without end", "forks without end"])
@pytest.mark.usefixtures("compiled")
def test_match__a_file_that_makes_trouble_loses_and_leaves_nothing(tmp_path, homes, what):
    file = tmp_path / "bot.py"
    file.write_text("def calculate_bid(player, pos, first, second):\n" + indented(TROUBLE[what]))
    match, seconds = play(f"file:{file}:seconds=0.4,faults=2")
    assert match.scores[0].losses == sum(match.scores[0].faults.values()) == GAMES
    assert seconds < 200  # it ends; how long killing takes depends on how busy the machine is
    gc.collect()
    assert all(all_gone(home) for home in homes)


def test_match__children_of_a_bot_that_plays_well_end_with_the_match(tmp_path, homes):
    file = tmp_path / "bot.py"
    file.write_text(f"{FORK}\n{HEALTHY}")
    match, _ = play(f"file:{file}")
    assert match.scores[0].faults == {}
    gc.collect()
    assert all(all_gone(home) for home in homes)


def test_match__one_fault_costs_one_game_and_the_others_go_on(tmp_path):
    """The bot dies in games with a high first bid of its rival: it loses these games only."""
    file = tmp_path / "bot.py"
    file.write_text(
        "import os\ndef calculate_bid(player, pos, first, second):\n"
        "    theirs = second if player == 1 else first\n"
        "    if len(theirs) == 1 and theirs[0] > 10: os._exit(5)\n"
        "    return 1\n"
    )
    match = play_match("scotch", [f"file:{file}", "uniform"], 20, seed=2)
    assert list(match.scores[0].faults) == ["raised: ended with exit code 5"]
    count = match.scores[0].faults["raised: ended with exit code 5"]
    assert 0 < count < 20
