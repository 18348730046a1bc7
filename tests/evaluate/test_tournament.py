"""Tournaments: one result however it was reached, nothing played twice, nothing lost."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import troublemakers  # noqa: F401

from bidarena.envs import make_game
from bidarena.evaluate import preparing
from bidarena.evaluate import tournament as module
from bidarena.evaluate.meetings import read_games
from bidarena.evaluate.playing import play_deals
from bidarena.evaluate.record import replay
from bidarena.evaluate.scores import score_of
from bidarena.evaluate.standings import standings
from bidarena.evaluate.store import DATABASE
from bidarena.evaluate.tournament import play_job, player, run_tournament
from bidarena.evaluate.tournament_plan import Tournament, deal_words

RULES = {"length": 4, "money": (6, 6), "tie": "coin"}
BOTS = ("random", "uniform:high=3", "uniform:high=2")


def small(**changed):
    return dataclasses.replace(Tournament(make_game("scotch", **RULES), BOTS, 100, 5), **changed)


def results(met):
    """All that does not depend on time."""
    return {m.bots: (m.returns.tolist(), m.lengths.tolist(), m.samples, m.faults) for m in met}


def kept(folder: Path) -> list[tuple]:
    base = sqlite3.connect(folder / DATABASE)
    found = base.execute("select lineup, first, deals, returns, actions from blocks").fetchall()
    base.close()
    return found


@pytest.fixture
def played(monkeypatch):
    """The deals that were really played."""
    deals = []

    def watch(job):
        deals.extend((job.lineup, deal) for deal in range(job.first, job.first + job.deals))
        return play_job(job)

    monkeypatch.setattr(module, "play_job", watch)
    return deals


def test_tournament__every_pair_plays_every_deal_once(tmp_path, played):
    told = []
    met = run_tournament(small(), tmp_path, progress=told.append)
    assert {m.bots for m in met} == {tuple(sorted(pair)) for pair in _pairs(BOTS)}
    assert all(m.returns.shape == (50, 2, 2) for m in met)
    assert len(played) == len(set(played)) == 150
    assert sum(told) == 300


def _pairs(bots):
    return [(one, two) for i, one in enumerate(bots) for two in bots[i + 1 :]]


def test_tournament__nothing_is_played_twice(tmp_path, played):
    first = run_tournament(small(), tmp_path)
    assert len(played) == 150
    told = []
    again = run_tournament(small(), tmp_path, progress=told.append)
    assert len(played) == 150 and results(again) == results(first) and told == [300]


def test_tournament__pieces_and_processes_make_no_difference(tmp_path, monkeypatch):
    whole = run_tournament(small(), tmp_path / "whole")
    assert results(run_tournament(small(), tmp_path / "two", processes=2)) == results(whole)
    monkeypatch.setattr(module, "PIECE", 0.0)  # a deal at a time
    pieces = run_tournament(small(), tmp_path / "pieces")
    assert results(pieces) == results(whole)
    assert len(kept(tmp_path / "pieces")) > len(kept(tmp_path / "whole"))


def test_tournament__is_what_playing_all_deals_at_once_gives(tmp_path):
    plan = small()
    for met in run_tournament(plan, tmp_path):
        chance, luck = deal_words(plan.seed, met.bots, 0, plan.deals)
        both = [player(plan.game, bot) for bot in met.bots]
        assert np.array_equal(met.returns, play_deals(plan.game, both, chance, luck).returns)


def test_tournament__all_line_ups_play_the_same_deals_with_luck_of_their_own():
    for first, deals in ((0, 40), (7, 3), (15, 2), (32, 16)):
        chance, luck = deal_words(5, ("a", "b"), first, deals)
        other, others = deal_words(5, ("a", "c"), first, deals)
        assert np.array_equal(chance, other) and not np.array_equal(luck, others)
        assert np.array_equal(chance, deal_words(5, ("a", "b"), 0, 99)[0][first : first + deals])
        assert np.array_equal(luck, deal_words(5, ("a", "b"), 0, 99)[1][2 * first :][: 2 * deals])
    assert not np.array_equal(chance, deal_words(6, ("a", "b"), 32, 16)[0])


def test_tournament__more_games_and_bots_go_on_from_what_is_there(tmp_path, played):
    run_tournament(small(bots=BOTS[:2], games=40), tmp_path)
    more = run_tournament(small(), tmp_path)
    assert len(played) == len(set(played)) == 150
    assert results(more) == results(run_tournament(small(), tmp_path / "afresh"))
    fewer = run_tournament(small(games=40), tmp_path)
    assert all(np.array_equal(f.returns, m.returns[:20]) for f, m in zip(fewer, more, strict=True))


def test_tournament__the_order_of_the_bots_makes_no_difference(tmp_path, played):
    run_tournament(small(), tmp_path)
    run_tournament(small(bots=BOTS[::-1]), tmp_path)
    assert len(played) == 150
    assert small(bots=BOTS[::-1]).name == small().name != small(seed=6).name


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": 6}, "was begun with seed=5, not seed=6"),
        ({"seconds_per_move": 1.0}, "seconds_per_move=None, not seconds_per_move=1.0"),
        ({"game": make_game("scotch", length=4)}, "choose another folder"),
    ],
)
def test_tournament__other_settings_are_refused(tmp_path, changed, message):
    run_tournament(small(), tmp_path)
    before = kept(tmp_path)
    with pytest.raises(ValueError, match=message):
        run_tournament(small(**changed), tmp_path)
    assert kept(tmp_path) == before


def test_tournament__a_folder_in_use_is_refused(tmp_path):
    def again(count):
        with pytest.raises(ValueError, match="another run"):
            run_tournament(small(), tmp_path)

    run_tournament(small(games=4), tmp_path, progress=again)


def test_tournament__a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / DATABASE).write_text("these are notes of mine, and not a database " * 50)
    with pytest.raises(ValueError, match="cannot be used"):
        run_tournament(small(), tmp_path)
    assert (tmp_path / DATABASE).read_text().startswith("these are notes")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"bots": ("random",)}, "at least two"),
        ({"bots": ("random", "random")}, "different"),
        ({"bots": ("random", "nobody")}, "nobody"),
        ({"games": 0}, "games=0"),
        ({"seed": -1}, "seed=-1"),
        ({"seconds_per_move": 0}, "seconds_per_move=0"),
        ({"game": make_game("raj", players=3), "bots": ("random", "value")}, "has 3 different"),
    ],
)
def test_tournament__mistakes_are_named_before_anything_is_written(tmp_path, changed, message):
    with pytest.raises(ValueError, match=message):
        run_tournament(small(**changed), tmp_path / "new")
    assert not (tmp_path / "new").exists()


# --- what it says --------------------------------------------------------------------------------


def test_standings__agree_with_the_scores_of_the_pairs(tmp_path):
    plan = small()
    met = run_tournament(plan, tmp_path)
    found = standings(plan, met)
    for m in met:
        for k, (name, rival) in enumerate((m.bots, m.bots[::-1])):
            score = score_of(plan.game, k, name, m.returns, None, Counter())
            pair = found.pairs[name, rival]
            assert (pair.wins, pair.draws, pair.losses) == (score.wins, score.draws, score.losses)
            assert pair.mean == pytest.approx(score.mean)
            assert pair.half_width == pytest.approx(score.half_width)
            assert pair.share == pytest.approx((score.wins + score.draws / 2) / score.games)
    for standing in found.bots:
        mine = [pair for (one, _), pair in found.pairs.items() if one == standing.bot]
        assert standing.games == sum(pair.games for pair in mine) == 200
        assert standing.wins == sum(pair.wins for pair in mine)
        assert standing.mean == pytest.approx(np.mean([pair.mean for pair in mine]))
    assert sum(standing.rating for standing in found.bots) == pytest.approx(0, abs=1e-9)
    told = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert [bot["bot"] for bot in told["bots"]] == [standing.bot for standing in found.bots]
    assert len(told["pairs"]) == 3 and told["games"] == 300


def test_tournament__three_players_meet_in_all_line_ups(tmp_path):
    game = make_game("raj", players=3)
    plan = Tournament(game, ("random", "value", "valueplus", "minimax"), 90, 1)
    met = run_tournament(plan, tmp_path)
    assert len(met) == 4 and all(m.returns.shape == (30, 3, 3) for m in met)
    found = standings(plan, met)
    for standing in found.bots:
        assert standing.games == 270 and standing.points is not None
    for (one, two), pair in found.pairs.items():
        other = found.pairs[two, one]
        assert pair.games == 180 and (pair.wins, pair.draws) == (other.losses, other.draws)


def test_tournament__every_game_can_be_replayed(tmp_path):
    plan = small(games=20)
    met = run_tournament(plan, tmp_path)
    records = list(read_games(plan, tmp_path))
    assert len(records) == 60
    by_game = {(tuple(sorted(r["seats"])), r["deal"], r["rotation"]): r for r in records}
    for m in met:
        assert len(m.samples) == 2
        for deal in range(10):
            for rotation in range(2):
                record = by_game[m.bots, deal, rotation]
                assert len(list(replay(record))) == m.lengths[deal, rotation] + 1
                mine = record["seats"].index(m.bots[0])
                assert record["returns"][mine] == m.returns[deal, rotation, 0]


def test_tournament__bots_with_faults_lose_and_the_others_go_on(tmp_path):
    game = make_game("toy_nim", heap=6)
    bots = ("angry", "silent", "sleepy", "raising", "late", "outside", "perfect", "random")
    plan = Tournament(game, bots, 2, seconds_per_move=0.03)
    met = run_tournament(plan, tmp_path)
    assert len(met) == 28
    found = standings(plan, met)
    told = {standing.bot: standing.faults for standing in found.bots}
    assert not told["perfect"] and not told["random"]
    kinds = {bot: {fault["kind"] for fault in faults} for bot, faults in told.items()}
    assert kinds["angry"] == {"raised"} and kinds["silent"] == {"illegal"}
    assert kinds["sleepy"] == {"time"} and kinds["raising"] == {"raised"}
    assert kinds["late"] == {"time"} and kinds["outside"] == {"raised"}
    assert "KeyError: 'out of ideas' (troublemakers.py:" in told["angry"][0]["reason"]
    best = {standing.bot: standing.rating for standing in found.bots}
    assert max(best["perfect"], best["random"]) == max(best.values())
    lost = next(m for m in met if m.bots == ("angry", "perfect"))
    assert any(record["fault"] for record in lost.samples)
    for record in lost.samples:
        list(replay(record))


def test_tournament__a_policy_whose_file_changed_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "policy.zip"
    file.write_bytes(b"one")
    known = module.player

    def stand_in(game, bot):
        return known(game, "random" if bot == str(file) else bot)

    monkeypatch.setattr(module, "player", stand_in)
    monkeypatch.setattr(preparing, "player", stand_in)
    plan = small(bots=("random", str(file)), games=4)
    run_tournament(plan, tmp_path / "run")
    run_tournament(plan, tmp_path / "run")
    file.write_bytes(b"another")
    with pytest.raises(ValueError, match=r"policy\.zip' is another one"):
        run_tournament(plan, tmp_path / "run")


# --- killed --------------------------------------------------------------------------------------

SLOW = """
import sys, time
from bidarena.envs import make_game
from bidarena.evaluate import tournament
from bidarena.evaluate.tournament import Tournament, run_tournament

if __name__ == "__main__":
    tournament.PIECE = 0.0
    game = make_game("scotch", length=4, money=(6, 6), tie="coin")
    plan = Tournament(game, ("random", "uniform:high=3", "uniform:high=2"), 100, 5)
    run_tournament(plan, sys.argv[1], processes=2, progress=lambda count: time.sleep(0.02))
"""


def wait_for(condition, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.02)


def pieces(folder: Path) -> int:
    try:
        return len(kept(folder))
    except sqlite3.OperationalError:  # not yet there, or being written
        return 0


@pytest.mark.skipif(os.name != "posix", reason="kills processes")
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_tournament__killed_and_resumed_gives_the_undisturbed_result(tmp_path, played, kill):
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    folder = tmp_path / "run"
    for least in (5, 25):
        run = subprocess.Popen(
            [sys.executable, str(script), str(folder)],
            stderr=subprocess.DEVNULL,
            # A background job of a shell ignores SIGINT, and so would its children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )
        wait_for(lambda least=least: pieces(folder) >= least)
        run.send_signal(kill)
        run.communicate()
        assert run.returncode != 0
    before = kept(folder)
    assert len(before) >= 25
    resumed = run_tournament(small(), folder)
    assert set(before) <= set(kept(folder))
    there = sum(deals for _, _, deals, *_ in before)
    assert len(played) == 150 - there > 0
    assert results(resumed) == results(run_tournament(small(), tmp_path / "undisturbed"))
