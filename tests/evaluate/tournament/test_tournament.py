"""Tournaments: who plays what, and what is said of it; test_resuming.py is about their folders."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
import troublemakers  # noqa: F401
from tournaments import BOTS, small, watch_deals

from bidarena.envs import make_game
from bidarena.evaluate.match import ready
from bidarena.evaluate.match.blocks import play_deals
from bidarena.evaluate.match.record import replay
from bidarena.evaluate.match.scores import score_of
from bidarena.evaluate.tournament import Tournament, run_tournament
from bidarena.evaluate.tournament import run as module
from bidarena.evaluate.tournament.meetings import read_games
from bidarena.evaluate.tournament.plan import deal_words
from bidarena.evaluate.tournament.report import report
from bidarena.evaluate.tournament.standings import standings
from bidarena.evaluate.workers.preparing import player


@pytest.fixture
def played(monkeypatch):
    """The deals that were really played."""
    return watch_deals(monkeypatch)


def test_tournament__every_pair_plays_every_deal_once(tmp_path, played):
    told = []
    met = run_tournament(small(), tmp_path, progress=told.append)
    assert {m.bots for m in met} == {tuple(sorted(pair)) for pair in _pairs(BOTS)}
    assert all(m.returns.shape == (50, 2, 2) for m in met)
    assert len(played) == len(set(played)) == 150
    assert sum(told) == 300


def _pairs(bots):
    return [(one, two) for i, one in enumerate(bots) for two in bots[i + 1 :]]


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


def test_tournament__the_order_of_the_bots_makes_no_difference(tmp_path, played):
    run_tournament(small(), tmp_path)
    run_tournament(small(bots=BOTS[::-1]), tmp_path)
    assert len(played) == 150
    assert small(bots=BOTS[::-1]).name == small().name != small(seed=6).name


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


def test_standings__of_chosen_line_ups_have_the_pairs_that_met(tmp_path):
    plan = small(only=((BOTS[0], BOTS[1]), (BOTS[1], BOTS[2])))
    met = run_tournament(plan, tmp_path)
    found = standings(plan, met)
    apart = {(BOTS[0], BOTS[2]), (BOTS[2], BOTS[0])}
    assert set(found.pairs) == set(permutations(BOTS, 2)) - apart
    assert {standing.bot: standing.games for standing in found.bots} == {
        **dict.fromkeys(BOTS, 100),
        BOTS[1]: 200,
    }
    told = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert len(told["pairs"]) == 2 and told["games"] == 200
    assert "Who beats whom" in report(found)


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


def test_tournament__a_policy_whose_file_changed_plays_again(tmp_path, monkeypatch):
    file = tmp_path / "policy.zip"
    file.write_bytes(b"one")
    known = module.player

    def stand_in(game, bot):
        return known(game, "random" if bot == str(file) else bot)

    monkeypatch.setattr(module, "player", stand_in)
    monkeypatch.setattr(ready, "player", stand_in)
    plan = small(bots=("random", str(file)), games=4)
    told = []
    run_tournament(plan, tmp_path / "run", tell=told.append)
    run_tournament(plan, tmp_path / "run", tell=told.append)
    assert told == []
    file.write_bytes(b"another")
    run_tournament(plan, tmp_path / "run", tell=told.append)
    assert told == [f"{file} has changed: 4 games are set aside and played again"]
