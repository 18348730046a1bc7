"""Games at the arena through its addresses: playing, undo, resigning, rematch, hints, watching."""

import time

import pytest
from arena_server import arena


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    with arena(tmp_path_factory.mktemp("arena"), bots=("random",)) as running:
        yield running


def refused(house, path, body, status=409):
    answer = house.client.post(f"/api/{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()["error"]


def test_table__undo_takes_back_the_own_move_and_the_answer(house):
    table = house.begin("coins", [None, "random"], board="triangle4")
    assert not table["undo"] and table["ply"] == 0
    after = house.move(table)
    assert after["ply"] == 2 and after["undo"]
    back = house.post(f"tables/{table['id']}/undo")
    assert back["ply"] == 0 and back["legal"] == table["legal"]
    assert "nothing to take back" in refused(house, f"tables/{table['id']}/undo", {})


def test_table__moves_that_are_illegal_late_or_out_of_turn_are_refused(house):
    table = house.begin("raj", [None, "value"])
    path = f"tables/{table['id']}/move"
    assert "not legal" in refused(house, path, {"action": 99, "ply": 0})
    assert "not your turn" in refused(house, path, {"action": 0, "ply": 3})
    assert "whole number" in refused(house, path, {"action": "0", "ply": 0}, 400)
    assert house.get(f"tables/{table['id']}")["ply"] == 0


def test_table__resigning_ends_the_game_and_a_rematch_changes_seats(house):
    table = house.begin("coins", [None, "random"], board="triangle4")
    over = house.post(f"tables/{table['id']}/resign")
    assert over["status"] == "over" and over["result"]["returns"] == [-1.0, 1.0]
    assert "over" in refused(house, f"tables/{table['id']}/undo", {})
    again = house.ready(house.post(f"tables/{table['id']}/rematch")["id"])
    assert again["you"] == 1 and again["players"] == ["random", "you"] and again["ply"] == 1
    assert "not over" in refused(house, f"tables/{again['id']}/rematch", {})


def test_table__hints_come_from_the_exact_solution_and_only_on_the_own_turn(house):
    table = house.begin("raj", [None, "value"], cards="1,2,3", items="1,2,3")
    found = house.post(f"tables/{table['id']}/hint")
    assert found["hint"]["exact"] and len(found["hint"]["moves"]) == 3
    over = house.finish(table)
    assert "not your turn" in refused(house, f"tables/{over['id']}/hint", {})


def wait_for(house, key, holds):
    """Return what is told of a table when it `holds`; fail after 30 seconds."""
    for _ in range(3000):
        told = house.get(f"tables/{key}")
        if holds(told):
            return told
        time.sleep(0.01)
    raise AssertionError(told)


def test_table__bots_are_watched_paused_and_stepped(house):
    seats = [{"id": "ismcts", "options": {"iterations": 50}}, {"id": "random"}]
    table = house.post("tables", {"game": "raj", "rules": {}, "seats": seats})
    key = table["id"]
    paused = house.post(f"tables/{key}/pace", {"pace": None})
    assert paused["pace"] is None
    while house.get(f"tables/{key}")["status"] == "preparing":
        time.sleep(0.01)
    before = house.get(f"tables/{key}")["ply"]
    time.sleep(0.3)
    assert house.get(f"tables/{key}")["ply"] == before
    assert before < 8  # the search has a choice left
    for ply in (before + 1, before + 2):  # one of two moves is the search's
        house.post(f"tables/{key}/pace", {"pace": None, "step": True})
        told = wait_for(house, key, lambda told, ply=ply: told["ply"] == ply)
        if told["last"]["seat"] == 0:
            thought = told["thought"]
            assert thought is not None, told
    assert thought["iterations"] == 50
    assert sum(move["share"] for move in thought["moves"]) == pytest.approx(1)
    house.post(f"tables/{key}/pace", {"pace": 0})
    while house.get(f"tables/{key}")["status"] != "over":
        time.sleep(0.01)
    assert "only watched" in refused(house, f"tables/{key}/move", {"action": 0, "ply": 0})


def test_table__a_game_goes_on_from_any_position_of_a_finished_one(house):
    table = house.finish(house.begin("raj", [None, "value"], cards="1,2,3", items="1,2,3"))
    moves = house.get(f"tables/{table['id']}/moves")["moves"]
    other = next(a for a in (0, 1, 2) if a != moves[0]["action"])
    seats = [{"id": "random"}, None]
    told = house.post(f"tables/{table['id']}/continue", {"ply": 0, "line": [other], "seats": seats})
    going = house.ready(told["id"])
    assert going["you"] == 1 and going["ply"] == 1
    house.finish(going)
    running = house.begin("raj", [None, "value"])
    why = refused(house, f"tables/{running['id']}/continue", {"ply": 0, "seats": seats})
    assert "not over" in why


def test_table__a_bot_that_fails_is_reported_without_its_words(house, monkeypatch):
    def fail(session):
        raise RuntimeError(f"the secret is {session.state.tolist()}")

    table = house.begin("coins", [None, "random"], board="triangle4")
    monkeypatch.setattr("bidarena.evaluate.session.Session.ask", fail)
    failed = house.move(table)
    assert failed["status"] == "failed" and "RuntimeError" in failed["line"]
    assert "secret" not in failed["line"]
    monkeypatch.undo()
    again = house.ready(house.post(f"tables/{table['id']}/rematch")["id"])
    assert again["status"] == "waiting"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"game": "chess", "seats": []}, "game='chess' is not known"),
        ({"game": "os:path", "seats": []}, "is not known"),
        ({"game": "raj", "seats": [None]}, "expected 2 players"),
        ({"game": "raj", "seats": [None, None]}, "at most one person"),
        ({"game": "raj", "seats": [None, {"id": "nobody"}]}, "is not known"),
        ({"game": "raj", "seats": [None, {"id": "cmd:touch x"}]}, "is not known"),
        ({"game": "raj", "seats": [None, {"id": "http://localhost:1"}]}, "is not known"),
        ({"game": "raj", "seats": [None, {"id": "/etc/passwd.zip"}]}, "is not known"),
        ({"game": "raj", "seats": [None, {"id": "named:7"}]}, "is not known"),
        ({"game": "raj", "rules": {"cards": "x"}, "seats": [None, {"id": "value"}]}, "cards"),
        (
            {"game": "raj", "rules": {"secret": "1"}, "seats": [None, {"id": "value"}]},
            "its rules are",
        ),
        ({"game": "scotch", "rules": {"money": "9" * 9}, "seats": [None, {"id": "dp"}]}, ""),
        ({"game": "raj", "rules": [], "seats": [None, {"id": "value"}]}, "rules"),
    ],
)
def test_table__what_cannot_be_played_is_refused_with_a_reason(house, body, why):
    assert why in refused(house, "tables", body, 400)


@pytest.mark.parametrize(
    "options",
    [
        {"iterations": 10**9},
        {"iterations": "5"},
        {"playout": "cmd:touch x"},
        {"book": "x"},
        {"seed": 1},
        {"iterations": float(2**80)},
        {"threads": 64},
    ],
)
def test_table__costly_options_and_texts_are_refused(house, options):
    seats = [None, {"id": "ismcts", "options": options}]
    refused(house, "tables", {"game": "raj", "rules": {}, "seats": seats}, 400)


def test_table__a_bot_named_at_start_can_be_chosen(house):
    named = [o for o in house.get("catalogue/raj")["opponents"] if o["kind"] == "named"]
    assert [entry["label"] for entry in named] == ["random"]
    house.finish(house.begin("raj", [None, named[0]["id"]]))


def test_table__news_are_streamed(house):
    table = house.begin("coins", [None, "random"], board="triangle4")
    with house.client.stream("GET", f"/api/tables/{table['id']}/news") as stream:
        lines = (line for line in stream.iter_lines() if line.startswith("data:"))
        assert '"ply": 0' in next(lines)
        body = {"action": table["legal"][0], "ply": 0}
        house.client.post(f"/api/tables/{table['id']}/move", json=body)
        assert any('"ply": 2' in line for line in lines if line)
