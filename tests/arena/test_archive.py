"""Tournaments and runs on the page, from the folders named at start and nowhere else."""

import json
import shutil
from pathlib import Path

import pytest
from arena_server import arena

from bidarena.arena.catalogue import Catalogue
from bidarena.arena.settings import Settings
from bidarena.baselines.learned import policies
from bidarena.envs import make_game
from bidarena.evaluate.tournament import run_tournament
from bidarena.evaluate.tournament.plan import Tournament

RULES = {"cards": [1, 2, 3], "items": [1, 2, 3]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a tournament and a run that is still learning."""
    made = tmp_path_factory.mktemp("runs")
    plan = Tournament(make_game("raj", **RULES), ("random", "value", "exact"), 6)
    run_tournament(plan, made / "tournament-raj")
    run = made / "Raj-v0__minimax_q__1__20260101-000000"
    run.mkdir()
    task = {"game": "raj", "rules": {}, "algorithm": "minimax_q", "steps": 1000, "seed": 1}
    (run / "config.json").write_text(json.dumps({"task": task, "evaluation": {}}))
    (run / "metrics.csv").write_text("steps,loss\n100,0.5\n200,0.25\n")
    (run / "evaluations.csv").write_text(
        "steps,measure,value\n100,exploitability,0.5\n200,exploitability,0.125\n100,match value,1\n"
    )
    return made


@pytest.fixture(scope="module")
def house(folder):
    run = next(folder.glob("Raj-*"))
    shipped = Path(policies.__path__[0])
    shutil.copy(next(shipped.glob("*raj*.safetensors")), run / "best.safetensors")
    with arena(folder) as running:
        yield running


def test_archive__a_tournament_has_ratings_pairs_and_exact_measures(house):
    (listed,) = house.get("tournaments")["tournaments"]
    assert listed["games"] == 18 and listed["bots"] == ["exact", "random", "value"]
    found = house.get(f"tournaments/{listed['key']}")
    assert len(found["bots"]) == 3 and len(found["pairs"]) == 3 and found["measurable"]
    exact = found["order"].index("exact")
    told = house.get(f"tournaments/{listed['key']}/truth", bot=exact)
    assert told["bot"] == "exact" and told["truth"]["value"] == pytest.approx(0, abs=1e-6)
    assert house.client.get(f"/api/tournaments/{listed['key']}/truth?bot=9").status_code == 400


def test_archive__every_game_of_a_tournament_opens(house):
    (listed,) = house.get("tournaments")["tournaments"]
    found = house.get(f"tournaments/{listed['key']}")
    assert len(found["listed"]) == 18
    for which in found["listed"][::5]:
        key = house.post(f"tournaments/{listed['key']}/open", which)["id"]
        table = house.ready(key)
        assert set(table["players"]) == set(found["lineups"][which["lineup"]])
        assert house.get(f"tables/{key}/judgement", ply=0)["hint"]["exact"]


def test_archive__a_run_has_curves_and_its_policy_can_be_played(house):
    (listed,) = house.get("runs")["runs"]
    assert listed["steps"] == 200 and listed["planned"] == 1000 and listed["live"]
    found = house.get(f"runs/{listed['key']}")
    assert found["evaluations"]["exploitability"] == [[100, 0.5], [200, 0.125]]
    assert found["metrics"]["loss"] == [[100, 0.5], [200, 0.25]]
    (policy,) = found["policies"]
    house.finish(house.begin("raj", [None, policy["id"]]))


def test_archive__folders_are_found_by_key_only(house, folder):
    for key in ("..", "%2e%2e", str(folder), "tournament-raj", "x" * 16):
        assert house.client.get(f"/api/tournaments/{key}").status_code in (400, 404)
        assert house.client.get(f"/api/runs/{key}").status_code in (400, 404)


def test_archive__bots_of_a_tournament_are_measured_only_if_they_are_allowed(folder):
    catalogue, game = Catalogue(Settings(runs=(folder,), bots=("cmd:./mine",))), make_game("raj")
    assert catalogue.allowed(game, "minimax:depth=1")
    assert catalogue.allowed(game, "cmd:./mine")
    assert not catalogue.allowed(game, "cmd:./other")
    assert not catalogue.allowed(game, "best_response:of=cmd:./other")
    assert not catalogue.allowed(game, "/etc/x.safetensors")
