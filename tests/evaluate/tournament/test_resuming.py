"""Tournaments in a folder: one result however it was reached, nothing played twice or lost.

Every test is about two tournaments: of all line-ups, and of line-ups that were chosen.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from tournaments import (
    BOTS,
    DEALS,
    children_of,
    kept,
    pieces,
    results,
    small,
    wait_for,
    watch_deals,
)

from bidarena.envs import make_game
from bidarena.evaluate.match.blocks import play_deals
from bidarena.evaluate.match.record import replay
from bidarena.evaluate.tournament import Tournament, run_tournament
from bidarena.evaluate.tournament import plan as plan_module
from bidarena.evaluate.tournament import run as module
from bidarena.evaluate.tournament.meetings import read_games
from bidarena.evaluate.tournament.plan import deal_words
from bidarena.evaluate.tournament.store import DATABASE
from bidarena.evaluate.workers.preparing import player

PAIRS = ((BOTS[0], BOTS[1]), (BOTS[1], BOTS[2]))  # the second one not in alphabetical order
ONLY = {"all": None, "chosen": PAIRS}


@pytest.fixture(params=ONLY)
def plan(request):
    """Makes a tournament."""
    return lambda **changed: small(**{"only": ONLY[request.param], **changed})


@pytest.fixture
def played(monkeypatch):
    """The deals that were really played."""
    return watch_deals(monkeypatch)


def total(tournament) -> int:
    return DEALS * len(tournament.lineups)


def test_tournament__plays_the_chosen_line_ups_only(tmp_path, played):
    met = run_tournament(small(only=PAIRS), tmp_path)
    assert [m.bots for m in met] == [tuple(sorted(pair)) for pair in PAIRS]
    assert len(played) == len(set(played)) == 100
    everybody = run_tournament(small(), tmp_path)  # goes on with the pair that is missing
    assert len(played) == len(set(played)) == 150
    assert results(met).items() <= results(everybody).items()


def test_tournament__chosen_line_ups_have_a_name_of_their_own():
    mixed = tuple(pair[::-1] for pair in PAIRS[::-1])
    assert small(only=PAIRS).name == small(only=mixed).name != small().name
    everybody = tuple(combinations(BOTS, 2))
    assert small(only=everybody).lineups == small().lineups


def test_tournament__nothing_is_played_twice(tmp_path, plan, played):
    first = run_tournament(plan(), tmp_path)
    assert len(played) == total(plan())
    told = []
    again = run_tournament(plan(), tmp_path, progress=told.append)
    assert len(played) == total(plan()) and told == [2 * total(plan())]
    assert results(again) == results(first)


def test_tournament__pieces_and_processes_make_no_difference(tmp_path, plan, monkeypatch):
    whole = run_tournament(plan(), tmp_path / "whole")
    assert all(m.returns.shape == (DEALS, 2, 2) for m in whole)
    assert results(run_tournament(plan(), tmp_path / "two", processes=2)) == results(whole)
    places = [(lineup, first) for lineup, first, *_ in kept(tmp_path / "two")]
    assert len(places) == len(set(places))
    assert sum(deals for _, _, deals, *_ in kept(tmp_path / "two")) == total(plan())
    monkeypatch.setattr(module, "PIECE", 0.0)  # a deal at a time
    cut = run_tournament(plan(), tmp_path / "pieces")
    assert results(cut) == results(whole)
    assert len(kept(tmp_path / "pieces")) > len(kept(tmp_path / "whole"))


def test_tournament__all_line_ups_play_the_same_deals(tmp_path, plan):
    def deals(seed):
        run_tournament(plan(seed=seed, games=20), tmp_path / str(seed))
        found = {}
        for record in read_games(plan(seed=seed, games=20), tmp_path / str(seed)):
            list(replay(record))
            found.setdefault(record["deal"], []).append(tuple(record["chance"]))
        assert len(found) == 10
        assert {len(chances) for chances in found.values()} == {2 * len(plan().lineups)}
        assert all(len(set(chances)) == 1 for chances in found.values())
        return {chances[0] for chances in found.values()}

    assert len(deals(5) | deals(6)) == 20, "the next seed shares no deal with this one"


def test_tournament__keeps_what_the_games_say(tmp_path, plan):
    for met in run_tournament(plan(), tmp_path):
        chance, luck = deal_words(5, met.bots, 0, DEALS)
        both = [player(plan().game, bot) for bot in met.bots]
        block = play_deals(plan().game, both, chance, luck)
        assert np.array_equal(met.returns, block.returns)
        assert met.returns.sum(axis=2) == pytest.approx(0)
        assert (met.asked, met.decisions) == (block.asked, block.decisions)
        assert sum(met.decisions) <= sum(met.asked) == met.lengths.sum()
        assert all(seconds > 0 for seconds in met.thinking)


def test_tournament__more_games_and_line_ups_go_on_from_what_is_there(tmp_path, plan, played):
    run_tournament(small(bots=BOTS[:2], games=40), tmp_path)
    assert len(played) == 20
    told = []
    more = run_tournament(plan(), tmp_path, progress=told.append)
    assert len(played) == len(set(played)) == total(plan())
    assert told[0] == 40 and sum(told) == 2 * total(plan())
    assert results(more) == results(run_tournament(plan(), tmp_path / "afresh"))
    fewer = run_tournament(plan(games=40), tmp_path)
    assert all(np.array_equal(f.returns, m.returns[:20]) for f, m in zip(fewer, more, strict=True))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": 6}, "was begun with seed=5, not seed=6"),
        ({"seconds_per_move": 1.0}, "seconds_per_move=None, not seconds_per_move=1.0"),
        ({"game": make_game("scotch", length=4)}, "choose another folder"),
    ],
)
def test_tournament__other_settings_are_refused(tmp_path, plan, changed, message):
    run_tournament(plan(), tmp_path)
    before = kept(tmp_path)
    with pytest.raises(ValueError, match=message):
        run_tournament(plan(**changed), tmp_path)
    assert kept(tmp_path) == before


@pytest.mark.parametrize(
    ("constant", "value", "message"),
    [
        ("FORMAT", 2, "was begun with format=1, not format=2"),
        ("SINCE", "9.0.0", "was begun with bidarena='0.1.0', not bidarena='9.0.0'"),
    ],
)
def test_tournament__results_that_mean_something_else_are_refused(
    tmp_path, plan, monkeypatch, constant, value, message
):
    run_tournament(plan(), tmp_path)
    before, name = kept(tmp_path), plan().name
    monkeypatch.setattr(plan_module, constant, value)
    with pytest.raises(ValueError, match=message):
        run_tournament(plan(), tmp_path)
    assert kept(tmp_path) == before and plan().name != name


def test_tournament__a_folder_in_use_is_refused(tmp_path, plan):
    def again(count):
        with pytest.raises(ValueError, match="another run"):
            run_tournament(plan(), tmp_path)

    run_tournament(plan(games=4), tmp_path, progress=again)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"bots": ("random",), "only": None}, "at least two"),
        ({"bots": ("random", "random"), "only": None}, "different"),
        ({"bots": ("random", "nobody"), "only": None}, "nobody"),
        ({"games": 0}, "games=0"),
        ({"seed": -1}, "seed=-1"),
        ({"seconds_per_move": 0}, "seconds_per_move=0"),
        (
            {"game": make_game("raj", players=3), "bots": ("random", "value"), "only": None},
            "has 3 different",
        ),
        ({"only": ()}, "different line-ups, at least one"),
        ({"only": (*PAIRS, PAIRS[0][::-1])}, "different line-ups"),
        ({"only": (("random", "random"),)}, "2 different bots"),
        ({"only": (BOTS,)}, "2 different bots"),
        ({"only": PAIRS[:1]}, "check uniform:high=2"),
        ({"only": (*PAIRS, ("random", "dp"))}, "check dp"),
        ({"bots": ("random", "nobody"), "only": (("random", "nobody"),)}, "nobody"),
    ],
)
def test_tournament__mistakes_are_named_before_anything_is_written(
    tmp_path, plan, changed, message
):
    with pytest.raises(ValueError, match=message):
        run_tournament(plan(**changed), tmp_path / "new")
    assert not (tmp_path / "new").exists()


# --- the file ------------------------------------------------------------------------------------


def change(folder: Path, *statement) -> None:
    base = sqlite3.connect(folder / DATABASE)
    with base:
        base.execute(*statement)
    base.close()


def test_store__a_file_that_is_no_database_is_refused(tmp_path, plan):
    (tmp_path / DATABASE).write_text("these are notes of mine, and not a database " * 50)
    with pytest.raises(ValueError, match="cannot be used"):
        run_tournament(plan(), tmp_path)
    assert (tmp_path / DATABASE).read_text().startswith("these are notes")


def test_store__blocks_that_were_lost_are_played_again(tmp_path, plan, played):
    whole = run_tournament(plan(), tmp_path)
    lineup, first, deals, *_ = kept(tmp_path)[-1]
    change(tmp_path, "delete from blocks where lineup = ? and first = ?", (lineup, first))
    played.clear()
    assert results(run_tournament(plan(), tmp_path)) == results(whole)
    lost = {(tuple(json.loads(lineup)), deal) for deal in range(first, first + deals)}
    assert set(played) == lost and len(played) == deals


TORN = """
import os, signal, sqlite3, sys

base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("pragma cache_size = 1")  # pages go to the file before the transaction is over
base.execute("begin")
base.execute("delete from blocks where first = 0")
base.executemany(
    "insert into blocks values (?, ?, 1, 0.0, 2, '{}', ?, null, x'', x'', x'', x'')",
    [("torn", number, bytes(100_000)) for number in range(20)],
)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="kills processes")
def test_store__a_torn_write_is_undone(tmp_path, plan, played):
    whole = run_tournament(plan(), tmp_path)
    before, size = kept(tmp_path), (tmp_path / DATABASE).stat().st_size
    killed = subprocess.run([sys.executable, "-c", TORN, str(tmp_path / DATABASE)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (tmp_path / DATABASE).stat().st_size > size, "half of the write is in the file"
    assert (tmp_path / f"{DATABASE}-journal").stat().st_size > 0
    played.clear()
    assert results(run_tournament(plan(), tmp_path)) == results(whole)
    assert kept(tmp_path) == before and not played


@pytest.mark.parametrize("column", ["returns", "actions", "counts"])
def test_store__a_damaged_block_is_named_and_can_be_removed(tmp_path, plan, column):
    whole = run_tournament(plan(), tmp_path)
    change(tmp_path, f"update blocks set {column} = substr({column}, 4) where rowid = 2")
    with pytest.raises(ValueError, match=r"row 2 of the table blocks is damaged") as wrong:
        run_tournament(plan(), tmp_path)
    program, path, statement = shlex.split(str(wrong.value).rpartition("go on: ")[2])
    assert (program, path) == ("sqlite3", str(tmp_path / DATABASE))
    change(tmp_path, statement)
    assert results(run_tournament(plan(), tmp_path)) == results(whole)


def test_store__blocks_without_settings_are_refused(tmp_path, plan):
    run_tournament(plan(), tmp_path)
    change(tmp_path, "delete from settings")
    with pytest.raises(ValueError, match="blocks without settings"):
        run_tournament(plan(), tmp_path)


# --- other versions ------------------------------------------------------------------------------

# The name and the settings of this tournament as version 0.1.0 wrote them
EARLIER = "tournament-raj-e5d604ee"
WRITTEN = [
    ("format", "1"),
    ("bidarena", '"0.1.0"'),
    ("game", '"raj"'),
    (
        "rules",
        '{"players": 2, "cards": [1, 2, 3, 4, 5, 6], "items": [-2, -1, 1, 2, 3, 4], '
        '"tie": "carry", "reward": "outcome"}',
    ),
    ("seed", "5"),
    ("seconds_per_move", "null"),
]


OTHER = """
import importlib.metadata as metadata, sys

real = metadata.version
metadata.version = lambda name: "7.8.9" if name == "bidarena" else real(name)
from bidarena.cli.main import main

sys.exit(main(sys.argv[1:]))
"""


def test_tournament__of_version_0_1_0_is_found_and_resumed_by_another_version(tmp_path, played):
    names = ["value", "valueplus", "random"]
    folder = tmp_path / "runs" / EARLIER
    before = run_tournament(Tournament(make_game("raj"), tuple(names), 40, 5), folder)
    change(folder, "delete from settings")
    for row in WRITTEN:
        change(folder, "insert into settings values (?, ?)", row)
    words = ["tournament", "raj", *names, "--games", "200", "--seed", "5", "--json"]
    other = [sys.executable, "-c", OTHER]
    version = subprocess.run([*other, "--version"], check=True, capture_output=True, text=True)
    assert version.stdout.strip() == "7.8.9"
    told = subprocess.run([*other, *words], cwd=tmp_path, check=True, capture_output=True)
    found = json.loads(told.stdout)
    assert found["folder"] == f"runs/{EARLIER}" and found["games"] == 600
    deals = sum(deals for _, _, deals, *_ in kept(folder))
    assert deals == 300, "nothing was played twice"
    played.clear()
    resumed = run_tournament(Tournament(make_game("raj"), tuple(names), 200, 5), folder)
    assert not played
    for first, more in zip(before, resumed, strict=True):
        assert np.array_equal(first.returns, more.returns[:20])


# --- killed --------------------------------------------------------------------------------------

SLOW = """
import sys, time
from bidarena.envs import make_game
from bidarena.evaluate.tournament import Tournament, run, run_tournament

if __name__ == "__main__":
    run.PIECE = 0.0
    game = make_game("scotch", length=4, money=(6, 6), tie="coin")
    bots = ("random", "uniform:high=3", "uniform:high=2")
    only = None if sys.argv[2] == "None" else tuple(
        tuple(pair.split()) for pair in sys.argv[2].split(";")
    )
    plan = Tournament(game, bots, 100, 5, only=only)
    run_tournament(plan, sys.argv[1], processes=2, progress=lambda count: time.sleep(0.02))
"""


@pytest.mark.skipif(os.name != "posix", reason="kills processes")
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_tournament__killed_and_resumed_gives_the_undisturbed_result(tmp_path, plan, played, kill):
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    folder = tmp_path / "run"
    only = plan().only and ";".join(map(" ".join, plan().only))
    for least in (5, 25):
        run = subprocess.Popen(
            [sys.executable, str(script), str(folder), str(only)],
            stderr=subprocess.DEVNULL,
            # A background job of a shell ignores SIGINT, and so would its children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )
        wait_for(lambda least=least: pieces(folder) >= least)
        workers = children_of(run.pid)
        run.send_signal(kill)
        run.communicate()
        assert run.returncode != 0
        if Path("/proc/self/task").exists():
            assert len(workers) >= 2
            wait_for(lambda own=workers: not any(Path(f"/proc/{pid}").exists() for pid in own), 10)
    before = kept(folder)
    assert len(before) >= 25
    resumed = run_tournament(plan(), folder, processes=1)
    assert set(before) <= set(kept(folder))
    there = sum(deals for _, _, deals, *_ in before)
    assert len(played) == total(plan()) - there > 0
    assert results(resumed) == results(run_tournament(plan(), tmp_path / "undisturbed"))
