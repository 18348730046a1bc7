"""Only the arena's own page is answered, within limits, and hostile requests change nothing."""

import gc
import json
import random
import resource
from pathlib import Path

import pytest
from arena_server import arena

from bidarena.arena.settings import Limits


def resident():
    """Bytes of memory that this process, server and client, holds."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    with arena(tmp_path_factory.mktemp("arena"), limits=Limits(rate=1e5)) as running:
        yield running


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example:80"}, 421),
        ({"host": ""}, 421),
        ({"host": "[:::"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_guard__requests_of_other_sites_are_refused(house, headers, status):
    answer = house.client.post(
        "/api/records", content="{}", headers={"content-type": "application/json", **headers}
    )
    assert answer.status_code == status
    if "content-type" not in headers:
        assert house.client.get("/api/tables", headers=headers).status_code == status


def test_guard__a_link_from_another_site_may_open_the_page_but_not_its_data(house):
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert house.client.get("/", headers=headers).status_code == 200
    assert house.client.get("/api/tables", headers=headers).status_code == 403


def test_guard__our_own_page_is_answered_with_strict_headers(house):
    answer = house.client.get("/", headers={"origin": house.address})
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "//" not in answer.text.replace("<!doctype html>", "")  # nothing from elsewhere


def test_guard__sizes_are_bounded(house):
    large = json.dumps({"record": "x" * 600_000})
    headers = {"content-type": "application/json"}
    assert house.client.post("/api/records", content=large, headers=headers).status_code == 413
    chunks = (b"x" * 1000 for _ in range(2000))
    assert house.client.post("/api/records", content=chunks, headers=headers).status_code == 411
    assert house.client.get("/api/tables?" + "x" * 10_000).status_code == 414


def test_guard__files_outside_the_page_are_not_served(house):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/app.py"):
        answer = house.client.get(path)
        assert answer.status_code in (404, 405), path


def test_guard__beyond_this_machine_a_token_is_needed(tmp_path):
    with arena(tmp_path, host="0.0.0.0", token="sesame") as house:
        client = house.client
        assert client.get("/").status_code == 401
        assert client.get("/api/tables").status_code == 401
        assert client.get("/?token=wrong").status_code == 401
        assert client.get("/", headers={"cookie": "bidarena_arena=wrong"}).status_code == 401
        entered = client.get("/?token=sesame")
        assert entered.status_code == 303 and "sesame" not in entered.headers["location"]
        cookie = entered.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=strict" in cookie
        assert client.get("/api/tables").status_code == 200  # the client keeps the cookie


def test_guard__too_many_requests_wait(tmp_path):
    with arena(tmp_path, limits=Limits(rate=5)) as house:
        answers = [house.client.get("/api/tables").status_code for _ in range(40)]
    assert answers[0] == 200 and 429 in answers


def test_guard__a_thousand_hostile_requests_leave_it_serving_and_its_memory_flat(house):
    draw = random.Random(1)
    table = house.begin("coins", [None, "random"], board="triangle4")
    key, deep = table["id"], "[" * 5000 + "]" * 5000
    bodies = [
        *("", "null", "[]", "{", "1e999", '"x"', deep, '{"game": ' + deep + "}"),
        json.dumps({"game": "coins", "rules": {"board": "*" * 4000}, "seats": []}),
        json.dumps({"game": "scotch", "rules": {"money": "1e300"}, "seats": [None, None]}),
        json.dumps({"game": "raj", "seats": [None, {"id": "../../x.safetensors"}]}),
        json.dumps({"action": -1, "ply": 10**30}),
        json.dumps({"action": True, "ply": 0}),
        json.dumps({"record": {"format": "bidarena/game", "version": 1}}),
        json.dumps({"pace": -1, "step": 7}),
        json.dumps({"lineup": -1, "deal": 10**8, "rotation": 0}),
        json.dumps({"ply": 0, "line": list(range(400)), "seats": None}),
        '{"x": NaN}',
        "\ud800".encode("utf-8", "surrogatepass"),
    ]
    paths = [
        *("tables", "records", f"tables/{key}/move", f"tables/{key}/continue", "tables/x/move"),
        *(f"tables/{key}/pace", f"tables/{key}/rematch", "tournaments/x/open", "tables/%00/undo"),
    ]
    asked = [
        f"tables/{key}/position?ply=-1",
        f"tables/{key}/position?ply=0&line=1,x",
        f"tables/{key}/judgement?ply=99999999999",
        f"tables/{key}/record",
        f"tables/{key}/moves",
        "tables/../../etc/passwd",
        "runs/..%2f..%2fetc",
        "tournaments/%00",
        "catalogue/os:path",
        "catalogue/%F0%9F%92%A3",
    ]

    def attack(times):
        for _ in range(times):
            if draw.random() < 0.6:
                answer = house.client.post(
                    f"/api/{draw.choice(paths)}",
                    content=draw.choice(bodies),
                    headers={"content-type": "application/json"},
                )
            else:
                answer = house.client.get(f"/api/{draw.choice(asked)}")
            assert 400 <= answer.status_code < 500, (answer.request.url, answer.text)
            assert len(answer.text) < 1000

    attack(400)
    grown = []  # what leaks grows every time; other work of this process now and then
    while len(grown) < 4 and (not grown or min(grown) >= 8 * 2**20):
        before = resident()
        attack(600)
        grown.append(resident() - before)
    assert min(grown) < 8 * 2**20
    assert house.ready(key)["legal"] == table["legal"]
    house.finish(house.ready(key))
