"""Games survive: restarts, being put away, `kill -9`; and they travel as records."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import httpx
import pytest
from arena_server import arena

from bidarena.arena.settings import Limits
from bidarena.arena.store import Store
from bidarena.evaluate.match import play_match
from bidarena.evaluate.match.record import read_records
from bidarena.evaluate.session import read_record, restored


def test_store__games_go_on_after_a_restart_with_undo_and_analysis(tmp_path):
    with arena(tmp_path) as house:
        over = house.finish(house.begin("raj", [None, "value"], cards="1,2,3", items="1,2,3"))
        running = house.move(house.begin("scotch", ["random", None], money="9"))
        shown = house.get(f"tables/{running['id']}")
    with arena(tmp_path) as house:
        assert {row["id"] for row in house.get("tables")["tables"]} == {over["id"], running["id"]}
        again = house.ready(running["id"])
        for part in ("view", "legal", "log", "ply", "players", "you", "undo"):
            assert again[part] == shown[part], part
        house.post(f"tables/{running['id']}/undo")
        house.finish(house.ready(running["id"]))
        house.ready(over["id"])
        assert len(house.get(f"tables/{over['id']}/moves")["moves"]) == over["ply"]


def test_store__a_killed_server_has_lost_nothing(tmp_path):
    command = [sys.executable, "-m", "bidarena.cli.main", "arena", "--port", "0"]
    here = {"cwd": tmp_path, "stdout": subprocess.PIPE, "text": True}
    tables = []
    with subprocess.Popen(command, **here) as server:
        address = re.search(r"http://\S+/", server.stdout.readline())[0]
        body = {"game": "coins", "rules": {"board": "triangle4"}, "seats": [None, {"id": "random"}]}
        with httpx.Client(base_url=address, timeout=60) as client:
            for _ in range(3):
                key = client.post("/api/tables", json=body).json()["id"]
                while (table := client.get(f"/api/tables/{key}").json())["status"] != "waiting":
                    time.sleep(0.02)
                move = {"action": table["legal"][0], "ply": 0}
                client.post(f"/api/tables/{key}/move", json=move)
                while (table := client.get(f"/api/tables/{key}").json())["status"] != "waiting":
                    time.sleep(0.02)
                tables.append(table)
        os.kill(server.pid, signal.SIGKILL)
    with arena(tmp_path, store=tmp_path / "runs/arena.sqlite") as house:
        for table in tables:
            again = house.ready(table["id"])
            assert again["ply"] == 2 and again["view"] == table["view"]
            house.finish(again)


def test_store__two_arenas_do_not_share_a_file(tmp_path):
    store = Store(tmp_path / "a.sqlite")
    with pytest.raises(ValueError, match="another run"):
        Store(tmp_path / "a.sqlite")
    store.close()
    (tmp_path / "b.sqlite").write_text("no database at all, but long enough to be looked at" * 50)
    with pytest.raises(ValueError, match="cannot be used"):
        Store(tmp_path / "b.sqlite")


def test_store__games_that_nobody_looks_at_are_put_away_and_come_back(tmp_path):
    with arena(tmp_path, limits=Limits(live=3)) as house:
        tables = [house.begin("coins", [None, "random"], board="triangle3") for _ in range(8)]
        assert len(house.hall.tables) <= 3
        for table in tables:
            assert house.ready(table["id"])["legal"] == table["legal"]
        assert len(house.hall.tables) <= 3


def test_store__records_of_matches_and_of_play_are_opened_and_exported(tmp_path):
    path = tmp_path / "games.jsonl"
    play_match("raj", ["value", "random"], 4, record=path)
    with arena(tmp_path) as house:
        for record in read_records(path):
            key = house.post("records", {"record": record})["id"]
            house.ready(key)
            exported = house.get(f"tables/{key}/record")
            for part in ("actions", "returns", "points", "chance", "seats", "rules"):
                assert exported[part] == record[part], part
        own = house.finish(house.begin("coins", [None, "random"], board="triangle3"))
        (tmp_path / "own.json").write_text(json.dumps(house.get(f"tables/{own['id']}/record")))
    session = restored(read_record(tmp_path / "own.json"))
    assert session.over and session.seats == [None, "random"]


def test_store__records_that_are_wrong_are_refused_and_their_bots_never_made(tmp_path):
    path = tmp_path / "games.jsonl"
    play_match("raj", ["value", "random"], 1, record=path)
    good = next(read_records(path))
    wrong = [
        None,
        {},
        {**good, "actions": [99]},
        {**good, "actions": good["actions"][:-1]},
        {**good, "game": "os:path"},
        {**good, "rules": {"cards": "boom"}},
        {**good, "returns": [5, 5]},
        {**good, "chance": ["x", "y"]},
        {**good, "seats": ["a"] * 40},
        {**good, "actions": {"a": 1}},
        {**good, "fault": 3},
    ]
    with arena(tmp_path) as house:
        for record in wrong:
            answer = house.client.post("/api/records", json={"record": record})
            assert answer.status_code == 400, record
        mark = tmp_path / "made"
        hostile = {**good, "seats": [f"cmd:touch {mark}", f"file:{mark}"]}
        key = house.post("records", {"record": hostile})["id"]
        table = house.ready(key)
        assert table["status"] == "over"
        assert house.client.post(f"/api/tables/{key}/rematch", json={}).status_code == 409
        house.get(f"tables/{key}/judgement", ply=0)
    assert not mark.exists()
