"""Results belong to the bot that played: changed bots are played again, and the report says so."""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest
from tournaments import watch_deals

from bidarena.cli.main import main
from bidarena.envs import make_game
from bidarena.evaluate.tournament import Tournament, run_tournament
from bidarena.evaluate.tournament import run as module
from bidarena.evaluate.tournament.identify import identify
from bidarena.evaluate.tournament.meetings import read_games, replaced_games

GAME = make_game("scotch", length=2, money=(4, 4))
BIDS = "def calculate_bid(player, pos, first, second):\n    return {bid}\n"
PROGRAM = "input()\nprint({bid})\n"


@pytest.fixture
def played(monkeypatch):
    """The deals that were really played."""
    return watch_deals(monkeypatch)


def write(path, text):
    path.write_text(text)
    return path


def bids_of(plan, folder, bot):
    return {
        action
        for record in read_games(plan, folder)
        if bot in record["seats"]
        for action in record["actions"][record["seats"].index(bot) :: 2]
    }


def run(plan, folder, **options):
    told = []
    run_tournament(plan, folder, tell=told.append, **options)
    return told


def file_bot(tmp_path):
    path = tmp_path / "mine.py"
    return f"file:{path}", lambda bid: write(path, BIDS.format(bid=bid))


def file_with_helper(tmp_path):
    write(tmp_path / "main.py", "from helper import calculate_bid\n")
    helper = tmp_path / "helper.py"
    return f"file:{tmp_path / 'main.py'}", lambda bid: write(helper, BIDS.format(bid=bid))


def command_bot(tmp_path):
    path = tmp_path / "program.py"
    python = f"{sys.executable} -I -S"
    return f"cmd:{python} {path}", lambda bid: write(path, PROGRAM.format(bid=bid))


def script_bot(tmp_path):
    path = tmp_path / "script"

    def change(bid):
        write(path, f"#!/bin/sh\necho {bid}\n").chmod(0o755)

    return f"cmd:{path}", change


@pytest.mark.parametrize("kind", [file_bot, file_with_helper, command_bot, script_bot])
def test_tournament__a_changed_bot_plays_again(tmp_path, played, kind):
    bot, change = kind(tmp_path)
    change(1)
    plan = Tournament(GAME, (bot, "uniform", "random"), games=4)
    assert run(plan, tmp_path / "run") == run(plan, tmp_path / "run") == []
    assert len(played) == 6 and bids_of(plan, tmp_path / "run", bot) == {1}
    change(2)
    told = run(plan, tmp_path / "run")
    assert told == [f"{bot} has changed: 8 games are set aside and played again"]
    assert len(played) == 10, "those without the bot are kept"
    assert bids_of(plan, tmp_path / "run", bot) == {2}
    (gone,) = replaced_games(plan, tmp_path / "run")
    assert (gone.bot, gone.games) == (bot, 8)
    base = sqlite3.connect(tmp_path / "run" / "tournament.sqlite")
    assert base.execute("select count(*) from set_aside where actions is not null").fetchone()[0]
    base.close()


def test_tournament__report_and_json_tell_of_changed_bots(tmp_path, capsys):
    bot, change = file_bot(tmp_path)
    command = ["tournament", "scotch", bot, "random", "--games", "4", "--length", "2", "--money"]
    command += ["4", "--folder", str(tmp_path / "run"), "--json"]
    change(1)
    main(command)
    assert json.loads(capsys.readouterr().out)["replaced"] == []
    assert "Bots that have changed" not in (tmp_path / "run/report.html").read_text()
    change(2)
    main(command)
    out, err = capsys.readouterr()
    (told,) = json.loads(out)["replaced"]
    assert (told["bot"], told["games"]) == (bot, 4)
    assert f"{bot} has changed: 4 games are set aside and played again" in err
    assert "Bots that have changed" in (tmp_path / "run/report.html").read_text()


def test_tournament__a_bot_that_changes_while_it_plays_is_noticed(tmp_path, monkeypatch):
    bot, change = command_bot(tmp_path)
    change(1)
    play = module.play_job

    def meddle(job):
        made = play(job)
        change(2)
        return made

    monkeypatch.setattr(module, "play_job", meddle)
    plan = Tournament(GAME, (bot, "random"), games=2)
    with pytest.raises(ValueError, match="has changed while it played"):
        run_tournament(plan, tmp_path / "run")
    assert not list(read_games(plan, tmp_path / "run"))


def test_replay__plays_a_bot_again_that_seems_the_same(tmp_path, played):
    bot, change = file_bot(tmp_path)
    change(1)
    plan = Tournament(GAME, (bot, "random"), games=4)
    run(plan, tmp_path / "run")
    told = run(plan, tmp_path / "run", replay=[bot])
    assert told == [f"{bot} is to play again: 4 games are set aside and played again"]
    assert len(played) == 4
    with pytest.raises(ValueError, match=r"replay='typo': expected one of file:"):
        run(plan, tmp_path / "run", replay=["typo"])


@pytest.mark.parametrize(
    ("words", "sure"),
    [("-m mybot", False), ("-c print(1)", False), ("{file}", True)],
)
def test_identify__is_sure_only_of_what_a_command_names(tmp_path, words, sure):
    file = write(tmp_path / "program.py", "print(1)")
    assert identify(GAME, f"cmd:python3 {words.format(file=file)}").sure is sure


def test_identify__covers_files_in_the_options_of_other_bots(tmp_path):
    file = tmp_path / "policy.zip"
    spec = f"best_response:of={file}"
    file.write_bytes(b"one")
    before = identify(GAME, spec)
    file.write_bytes(b"two")
    assert identify(GAME, spec) != before and before.digest
    assert identify(GAME, "random").digest == ""


class Smartbot(BaseHTTPRequestHandler):
    """Bids 16 or passes; tells of itself what the test wants."""

    about: ClassVar[dict[str, str]] = {}
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.reply({"value": "hello", **self.about})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        table = asked.get("played") or ["??"]
        follow = [card for card in asked["cards"] if card[1] == table[0][1]]
        card = (follow or asked["cards"])[0]
        self.reply({"bid": 0, "suit": "S", "card": card})

    def reply(self, content):
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Smartbot)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_tournament__servers_are_told_apart_by_what_they_tell(
    tmp_path, played, monkeypatch, address
):
    plan = Tournament(make_game("twentynine"), (address, "rules"), games=2)
    assert run(plan, tmp_path) == []
    (warning,) = run(plan, tmp_path)
    assert "nothing tells whether this is the bot whose 2 games are kept" in warning
    assert f"use --replay {address}" in warning and len(played) == 1
    monkeypatch.setattr(Smartbot, "about", {"name": "smart", "version": "1"})
    assert "has changed" in run(plan, tmp_path)[0]
    assert run(plan, tmp_path) == [] and len(played) == 2
    monkeypatch.setattr(Smartbot, "about", {"name": "smart", "version": "2"})
    assert "has changed" in run(plan, tmp_path)[0] and len(played) == 3


def test_tournament__a_label_tells_two_servers_at_one_address_apart(tmp_path, played, address):
    plan = Tournament(make_game("twentynine"), (f"{address}#first,ms=3000", "rules"), games=2)
    assert run(plan, tmp_path) == run(plan, tmp_path) == [] and len(played) == 1
    plan = Tournament(make_game("twentynine"), (f"{address}#second", "rules"), games=2)
    assert run(plan, tmp_path) == [] and len(played) == 2
