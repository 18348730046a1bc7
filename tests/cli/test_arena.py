"""The command: a game of one's own, ports that are taken, a token beyond this machine."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from bidarena.cli.main import main

SUPPORT = Path(__file__).parents[1] / "support"


def test_arena__serves_a_third_partys_game_and_the_page(tmp_path):
    command = [sys.executable, "-m", "bidarena.cli.main", "arena", "--port", "0"]
    command += ["--games", "toy_nim:toy_nim", "--store", str(tmp_path / "a.sqlite")]
    with subprocess.Popen(command, cwd=SUPPORT, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = re.search(r"http://127.0.0.1:\d+/", server.stdout.readline())[0]
            with httpx.Client(base_url=address, timeout=60) as client:
                games = client.get("/api/catalogue").json()["games"]
                assert "toy_nim" in [entry["game"] for entry in games]
                assert "/static/app.js" in client.get("/").text
                assert client.get("/static/app.js").status_code == 200
                assert client.get("/game/anything").status_code == 200
        finally:
            server.terminate()
    assert server.returncode in (0, -15)


def test_arena__a_taken_port_is_an_error_with_a_hint(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["arena", "--port", str(port)]) == 2
    assert f"port={port}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [(("--port", "70000"), "port=70000"), (("--games", "nothing:x"), "there is no module")],
)
def test_arena__wrong_options_are_explained(words, message, capsys):
    assert main(["arena", *words]) == 2
    assert message in capsys.readouterr().err


def test_arena__beyond_this_machine_the_address_holds_a_token(tmp_path):
    command = [sys.executable, "-m", "bidarena.cli.main", "arena", "--port", "0"]
    with subprocess.Popen(
        [*command, "--host", "0.0.0.0"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            found = re.search(r":(\d+)/\?token=(\S+)", server.stdout.readline())
            with httpx.Client(base_url=f"http://127.0.0.1:{found[1]}") as client:
                assert client.get("/api/tables").status_code == 401
                assert client.get(f"/?token={found[2]}").status_code == 303
                assert client.get("/api/tables").status_code == 200
        finally:
            server.terminate()
