"""`bidarena serve` and `series`: our bots behind other protocols, settings of others here."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from bidarena.baselines.adapters.lines.bot import PROTOCOL, decision
from bidarena.baselines.adapters.scotch.programs import four_lines
from bidarena.baselines.adapters.scotch.server import bid_for
from bidarena.cli.main import main
from bidarena.envs import make_game
from bidarena.envs.batch import Batch
from bidarena.envs.registry import make_bot
from bidarena.envs.scotch.rules import S
from bidarena.evaluate.match import play_match


def run(monkeypatch, capsys, text, *words):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    code = main(["serve", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize("command", ["serve", "series"])
def test_serve__explains_itself_with_an_example(capsys, command):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"Example: bidarena {command}" in capsys.readouterr().out


def test_serve__options_of_a_server_belong_to_its_game_alone(capsys):
    with pytest.raises(SystemExit):
        main(["serve", "twentynine", "--help"])
    said = capsys.readouterr().out
    assert "--port" in said and "the competition expects 8001" in said
    assert said.count("--write") <= 1  # in the example only
    for words in (["scotch", "--port", "8001"], ["coins", "--write", "x.py"]):
        with pytest.raises(SystemExit) as stop:
            main(["serve", *words])
        assert stop.value.code == 2
    assert main(["serve", "raj", "--lines", "--write", "agent.py"]) == 2
    assert "write='agent.py'" in capsys.readouterr().err


def test_serve_scotch__prints_the_bid_for_four_lines(monkeypatch, capsys):
    code, out, _ = run(monkeypatch, capsys, "1\n5\n\n\n", "scotch", "--bot", "dp")
    assert (code, out) == (0, "36\n")  # the bid of its method at the start
    code, out, _ = run(monkeypatch, capsys, "2\n4\n12\n9", "scotch", "--bot", "richman")
    assert code == 0
    assert 1 <= int(out) <= 100


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1='': expected the player, 1 or 2"),
        ("3\n5\n\n\n", "line 1='3'"),
        ("1\nfive\n\n\n", "expected whole numbers"),
        ("1\n\n\n\n", "line 2='': expected the position"),
        ("1\n5\n1 2\n1\n", "expected as many bids of both, got 2 and 1"),
        ("1\n5\n20\n10\n", "line 2: the bottle cannot stand at 5, the bids bring it to 4"),
        ("1\n4\n101\n10\n", "player 1 had 100 in round 1, and cannot have bid 101"),
        ("1\n4\n-1\n10\n", "cannot have bid -1"),
        ("1\n0\n9 9 9 9 9\n1 1 1 1 1\n", "the game is over"),
        ("1\n0\n9 9 9 9 9 1\n1 1 1 1 1 1\n", "the game was over before round 6"),
        ("1\n5\n\n\n7\n", "line 5='7': expected four lines"),
    ],
)
def test_serve_scotch__says_what_is_wrong_with_its_input(monkeypatch, capsys, text, words):
    code, out, err = run(monkeypatch, capsys, text, "scotch", "--bot", "richman")
    assert (code, out) == (2, "")
    assert words in err


def test_serve_scotch__our_bot_behind_the_four_lines_plays_the_same_games():
    """Every position of some games, told as four lines, gets the bid that the bot makes itself."""
    game = make_game("scotch", money=(30, 40))
    batch = Batch(game, 6, seed=2)
    luck = np.random.default_rng(1)
    bids = [[] for _ in range(6)]
    checked = 0
    while (batch.movers >= 0).any():
        actions = np.zeros(6, np.int64)
        batch.ask(make_bot(game, "richman"), batch.movers >= 0, actions)
        for row in np.flatnonzero(batch.movers >= 0):
            mover = int(batch.movers[row])
            text = four_lines(mover, int(batch.states[row][S.position]), bids[row])
            if luck.random() < 0.3:
                assert bid_for(game, "richman", text) == actions[row]
                checked += 1
            if luck.random() < 0.5:  # the games themselves go other ways than the bot's
                actions[row] = luck.choice(np.flatnonzero(batch.masks[row]))
        rounds = batch.states[:, S.round].copy()
        batch.step(actions)
        for row in np.flatnonzero(batch.states[:, S.round] > rounds):
            pair = batch.states[row][S.last_bids : S.last_bids + 2]
            bids[row].append(tuple(pair.tolist()))
    assert checked > 10


def test_serve_scotch__as_a_program_that_is_run_for_every_move():
    size = {"length": 2, "money": (2, 2)}
    command = f"{sys.executable} -m bidarena.cli.main serve scotch --bot richman --length 2"
    spec = f"cmd:{command} --money 2:seconds=60,game=600"
    through = play_match("scotch", [spec, "richman"], 2, **size)
    direct = play_match("scotch", ["richman", "richman"], 2, **size)
    assert through.scores[0].faults == {}
    assert through.moves == direct.moves
    assert np.array_equal(through.results, direct.results)


def test_serve_raj__writes_an_agent_that_another_program_can_load(monkeypatch, capsys, tmp_path):
    file = tmp_path / "my_agent.py"
    code, out, err = run(monkeypatch, capsys, "", "raj", "--bot", "valueplus", "--write", str(file))
    assert (code, out) == (0, "")
    assert str(file) in err
    referee = (
        "import my_agent; agent = my_agent.RajAgent(card_values=[1, 2, 3], item_values=[1, 2, 3]);"
        "print(agent.AgentFunction((1.0, (2.0, 3.0), (1, 2, 3), 0.0, (1, 2, 3))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", referee], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "2\n"  # the card above the pot


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("raj", "--bot", "value"), "write: expected the file to write"),
        (("scotch", "--bot", "richmann"), "did you mean 'richman'"),
        (("scotch", "--tie", "coin"), "tie='coin': this protocol"),
    ],
)
def test_serve__errors_say_what_to_type(monkeypatch, capsys, words, told):
    code, _, err = run(monkeypatch, capsys, "1\n5\n\n\n", *words)
    assert code == 2
    assert told in err


def test_serve__any_other_game_speaks_lines(monkeypatch, capsys):
    hello = {"type": "hello", "protocol": 1, "game": "coins", "rules": {"board": "*/**"}}
    code, out, _ = run(monkeypatch, capsys, json.dumps(hello) + "\n", "coins")
    assert code == 0
    assert json.loads(out) == {"type": "hello", "protocol": 1, "name": "random"}


AGENT = """
class RajAgent:
    def __init__(self, item_values, card_values): pass
    def AgentFunction(self, percepts): return percepts[2][{place}]
"""


@pytest.mark.skipif(sys.platform != "linux", reason="agents are run on Linux")
def test_series__plays_a_settings_file(capsys, tmp_path):
    (tmp_path / "low.py").write_text(AGENT.format(place=0))
    (tmp_path / "high.py").write_text("agentName = 'tall'\n" + AGENT.format(place=-1))
    settings = {"agentFiles": ("low.py", "high.py"), "totalNumberOfGames": 4, "seed": 1}
    (tmp_path / "settings.py").write_text(f"game_settings = {settings!r}\n")
    assert main(["series", str(tmp_path / "settings.py"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["agents"] == ["low.py", "tall"]
    assert (told["games"], told["seed"], told["fault"]) == (4, 1, None)
    assert told["mean_banks"] == np.mean(told["banks"], axis=0).tolist()
    assert main(["series", str(tmp_path / "settings.py")]) == 0
    shown = capsys.readouterr().out
    assert "tall" in shown
    assert "4 games, seed 1" in shown
    assert main(["series", str(tmp_path / "nothing.py")]) == 2
    assert "there is no such file" in capsys.readouterr().err


def test_serve_lines__sigterm_lets_the_answer_be_finished(tmp_path):
    """A search of a second is asked for; the signal comes while it thinks."""
    game = make_game("raj")
    command = [sys.executable, "-m", "bidarena.cli.main", "serve", "raj", "--lines"]
    command += ["--bot", "ismcts:ms=1000"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        greeting = {"type": "hello", "protocol": PROTOCOL, "game": "raj", "rules": game.options}
        server.stdin.write(json.dumps(greeting) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["type"] == "hello"
        state = Batch(game, 1, seed=0).states[0]
        move = {"type": "move", "seat": 0, **decision(game, state, 0), "seed": 1}
        server.stdin.write(json.dumps(move) + "\n")
        server.stdin.flush()
        time.sleep(0.4)
        server.send_signal(signal.SIGTERM)
        assert "action" in json.loads(server.stdout.readline())
        assert server.wait(timeout=20) == 143


@pytest.mark.parametrize(
    "part",
    [
        {"seat": 9},
        {"seat": None},
        {"state": None},
        {"state": {}},
        {"state": {"round": "x"}},
        {"state": {"hands": [1] * 99}},
    ],
)
def test_serve_lines__a_position_that_is_none_is_refused(monkeypatch, capsys, part):
    game = make_game("raj")
    state = Batch(game, 1, seed=0).states[0]
    move = {"type": "move", "seat": 0, **decision(game, state, 0), "seed": 1}
    state = part.get("state")
    move |= {"state": {**move["state"], **state}} if state else part
    greeting = {"type": "hello", "protocol": PROTOCOL, "game": "raj", "rules": game.options}
    lines = f"{json.dumps(greeting)}\n{json.dumps(move)}\n"
    code, out, err = run(monkeypatch, capsys, lines, "raj", "--lines", "--bot", "ismcts:ms=5")
    assert code == 2 and "expected" in err and "action" not in out
