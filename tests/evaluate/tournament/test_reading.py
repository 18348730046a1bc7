"""A tournament is read from its folder as it was played, also while it goes on."""

import pytest

from bidarena.envs import make_game
from bidarena.evaluate.match.record import replay
from bidarena.evaluate.tournament import run_tournament
from bidarena.evaluate.tournament.meetings import read_games
from bidarena.evaluate.tournament.plan import Tournament
from bidarena.evaluate.tournament.reading import reading
from bidarena.evaluate.tournament.standings import standings


@pytest.fixture
def played(tmp_path):
    game = make_game("raj", cards=[1, 2, 3], items=[1, 2, 3])
    plan = Tournament(game, ("random", "value", "valueplus"), 10)
    return plan, run_tournament(plan, tmp_path / "t"), tmp_path / "t"


def test_reading__standings_are_those_of_the_tournament(played):
    plan, met, folder = played
    with reading(folder) as found:
        told = found.standings().as_dict()
    expected = standings(plan, met).as_dict()
    assert {bot["bot"]: bot["rating"] for bot in told["bots"]} == pytest.approx(
        {bot["bot"]: bot["rating"] for bot in expected["bots"]}
    )
    assert told["games"] == expected["games"]


def test_reading__every_game_has_its_record(played):
    plan, _, folder = played
    records = list(read_games(plan, folder))
    with reading(folder) as found:
        for record in records:
            met = [one for one in found.tournament.lineups if set(one) == set(record["seats"])]
            assert found.game(met[0], record["deal"], record["rotation"]) == record
        *_, last = replay(found.game(found.tournament.lineups[0], 0, 0))
        with pytest.raises(ValueError, match="has not played it"):
            found.game(found.tournament.lineups[0], 99, 0)
    assert last.mover < 0


def test_reading__a_tournament_under_way_is_read_while_it_is_locked(played):
    plan, _, folder = played
    more = Tournament(plan.game, plan.bots, 20)
    seen = []

    def look(games):
        with reading(folder) as found:
            seen.append(found.tournament.games)

    run_tournament(more, folder, progress=look)
    assert seen[0] == 10


def test_reading__other_folders_are_refused(tmp_path):
    with pytest.raises(ValueError, match="folder="), reading(tmp_path):
        pass
    (tmp_path / "tournament.sqlite").write_text("no database" * 100)
    with pytest.raises(ValueError, match="cannot be read"), reading(tmp_path):
        pass
