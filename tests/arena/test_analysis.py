"""Finished games looked at: positions, whose eyes, variations, values that are kept."""

import pytest
from arena_server import arena


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    with arena(tmp_path_factory.mktemp("arena")) as running:
        yield running


def test_analysis__positions_lead_from_the_deal_to_the_end(house):
    table = house.finish(house.begin("raj", [None, "value"], cards="1,2,3", items="1,2,3"))
    key = table["id"]
    told = house.get(f"tables/{key}/moves")
    assert len(told["moves"]) == table["ply"] == 6
    for ply in range(7):
        found = house.get(f"tables/{key}/position", ply=ply)
        assert found["over"] == (ply == 6)
        if ply < 6:
            assert told["moves"][ply]["action"] in found["legal"]
    assert house.client.get(f"/api/tables/{key}/position?ply=7").status_code == 400


def test_analysis__what_a_player_knew_differs_from_everything_open(house):
    table = house.finish(house.begin("twentynine", [None, "rules", "rules", "rules"]))
    key = table["id"]
    open_ = house.get(f"tables/{key}/position", ply=0, eyes="all")["view"]["seats"]
    mover = house.get(f"tables/{key}/position", ply=0, eyes="mover")["view"]["seats"]
    third = house.get(f"tables/{key}/position", ply=0, eyes="2")["view"]["seats"]
    assert all(place["hand"] for place in open_)
    assert [place["hand"] is not None for place in mover] == [True, False, False, False]
    assert [place["hand"] is not None for place in third] == [False, False, True, False]
    assert house.client.get(f"/api/tables/{key}/position?ply=0&eyes=9").status_code == 400
    assert house.client.get(f"/api/tables/{key}/position?ply=0&eyes=x").status_code == 400


def test_analysis__a_variation_has_positions_and_values_of_its_own(house):
    table = house.finish(house.begin("coins", [None, "random"], board="triangle3"))
    key = table["id"]
    first = house.get(f"tables/{key}/moves")["moves"][0]["action"]
    other = next(a for a in house.get(f"tables/{key}/position", ply=0)["legal"] if a != first)
    tried = house.get(f"tables/{key}/position", ply=0, line=str(other))
    assert tried["mover"] == 1 and tried["last"]["action"] == other
    judged = house.get(f"tables/{key}/judgement", ply=0, line=str(other))
    assert judged["seat"] == 1 and judged["loss"] is None and judged["hint"]["exact"]
    wrong = house.client.get(f"/api/tables/{key}/position?ply=0&line={other},{other}")
    assert wrong.status_code == 400 and "not legal" in wrong.json()["error"]


def test_analysis__values_are_found_once_and_kept(house, monkeypatch):
    table = house.finish(house.begin("coins", [None, "random"], board="triangle3"))
    found = house.get(f"tables/{table['id']}/judgement", ply=0)
    played = next(m for m in found["hint"]["moves"] if m["action"] == 0)
    assert found["loss"] == found["value"] - played["value"]  # the first legal move was played
    monkeypatch.setattr("bidarena.arena.analysis.judge", None)
    assert house.get(f"tables/{table['id']}/judgement", ply=0) == found
