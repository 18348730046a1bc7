"""Bots that speak lines of JSON: the examples, round trips with our own bots, and faults."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from our_games import OUR_GAMES
from outsiders import PYTHON, moves_of

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.lines import PROTOCOL, decision, hello, seed_for
from bidarena.baselines.adapters.lines import server as lines_server
from bidarena.baselines.adapters.own import chooser, words_from
from bidarena.baselines.common import _random_act
from bidarena.envs import Bot, make_bot, make_game
from bidarena.envs.testing import check_bot, random_states

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are run on Linux")

EXAMPLES = Path(__file__).parents[3] / "examples"
PYTHON_BOT = " ".join(["json:" + PYTHON[0], *PYTHON[1:], str(EXAMPLES / "line_bot.py")])
GAMES = {name: {} for name in OUR_GAMES} | {
    "scotch": {"money": (30, 30), "know_opponent_money": False},
    "raj": {"players": 3},
    "coins": {"board": "triangle4"},
}


def compiled_example(tmp_path: Path) -> str:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not there to compile the example in C")
    program = tmp_path / "line_bot"
    source = str(EXAMPLES / "line_bot.c")
    strict = ("-std=gnu11", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["gcc", *strict, "-o", str(program), source], check=True)
    return f"json:{program}"


class Seeded:
    """One of our bots, called directly with the random numbers it would get by the protocol."""

    def __init__(self, game, bot):
        self.game, self.choose = game, chooser(game, bot)

    def __call__(self, state, player, rng):
        return self.choose(state, player, words_from(0, seed_for(self.game, rng)))

    def forget(self):
        pass


def through_the_protocol(game, bot):
    command = f"{sys.executable} -m bidarena.cli.main serve {game.name} --bot {bot} --lines"
    return make_bot(game, f"json:{command}:start=300,seconds=60")


@pytest.mark.parametrize(
    ("name", "bot"),
    [("scotch", "uniform"), ("raj", "minimax:depth=1"), ("coins", "random")],
)
def test_lines__our_bot_plays_move_for_move_as_it_does_directly(name, bot):
    """In both cases its random numbers come from the seed that a message carries."""
    game = make_game(name, **({"board": "triangle4"} if name == "coins" else {}))
    outside = through_the_protocol(game, bot)
    direct = Bot("direct", _random_act, outside=Seeded(game, bot))
    for seats in ((0, 1), (1, 0)):
        pair = [[bots[k] for k in seats] for bots in ((outside, "random"), (direct, "random"))]
        assert moves_of(game, pair[0], 6, 3) == moves_of(game, pair[1], 6, 3)
    outside.outside.close()


def test_lines__a_bot_without_chance_plays_a_match_as_it_does_directly():
    game = make_game("scotch", money=(40, 40))
    outside = through_the_protocol(game, "richman")
    mirror = ["richman", "richman"]
    assert moves_of(game, [outside, "richman"], 3, 5) == moves_of(game, mirror, 3, 5)
    assert moves_of(game, ["richman", outside], 3, 5) == moves_of(game, mirror, 3, 5)
    outside.outside.close()


@pytest.mark.parametrize("name", GAMES)
def test_lines__both_examples_play_every_game_by_the_rules(name, tmp_path):
    game = make_game(name, **GAMES[name])
    one, two = make_bot(game, PYTHON_BOT), make_bot(game, compiled_example(tmp_path))
    bots = [one if seat % 2 == 0 else two for seat in range(game.players)]
    for moves in moves_of(game, bots, 3, 8):
        assert 0 < len(moves) <= game.longest
    one.outside.close()
    two.outside.close()


@pytest.mark.parametrize("name", ["scotch", "twentynine"])
def test_lines__nothing_hidden_is_told(name, tmp_path):
    """If all that a player cannot know is replaced, moves and messages stay as they were."""
    game = make_game(name, **GAMES[name])
    check_bot(game, compiled_example(tmp_path), games=1)
    for count, (state, mover, rng) in enumerate(random_states(game, 2, 5)):
        told = decision(game, state, mover)
        for _ in range(3):
            guess = state.copy()
            game.call("determinize")(game.cfg, guess, mover, rng)
            assert decision(game, guess, mover) == told
        if count > 60:
            break


def test_lines__messages_say_what_a_bot_needs(tmp_path):
    """The bot writes down all messages it gets, in two games one after the other."""
    heard = tmp_path / "heard"
    code = f"""
import json, sys
for line in sys.stdin:
    open({str(heard)!r}, "a").write(line)
    message = json.loads(line)
    if message["type"] == "hello": print('{{"protocol": 1}}', flush=True)
    if message["type"] == "move": print(json.dumps({{"action": message["legal"][-1]}}), flush=True)
"""
    script = tmp_path / "bot.py"
    script.write_text(code)
    game = make_game("raj", cards=(1, 2, 3), items=(1, 2, 3))
    bot = make_bot(game, " ".join(["json:" + PYTHON[0], *PYTHON[1:], str(script)]) + ":game=50")
    rng = np.array([3, 4], np.uint64)
    for _ in range(2):
        words = np.array([1, 2], np.uint64)
        state = game.new_state(words)
        while (mover := game.call("to_move")(game.cfg, state)) >= 0:
            action = bot.outside(state, 0, rng) if mover == 0 else 2 - int(state[2])
            game.call("step")(game.cfg, state, action, words)
    greeting, *messages = [json.loads(line) for line in heard.read_text().splitlines()]
    assert greeting == {
        "type": "hello",
        "protocol": 1,
        "game": "raj",
        "rules": game.options,
        "players": 2,
        "actions": 3,
        "seconds": 5.0,
        "seconds_per_game": 50,
    }
    assert [(one["type"], one["game"]) for one in messages] == [
        *[("move", 1)] * 3,
        ("end", 1),
        *[("move", 2)] * 3,
    ]
    first = messages[0]
    assert first["seat"] == 0
    assert first["legal"] == [0, 1, 2]
    assert set(first["observation"]) == set(game.observation)
    assert set(first["state"]) == set(game.state)
    assert 0 < first["seconds"] <= 5
    seeds = [one["seed"] for one in messages if one["type"] == "move"]
    assert len(set(seeds)) == 6
    assert all(0 <= seed < 2**53 for seed in seeds)
    bot.outside.close()


def test_lines__actions_have_names_where_the_game_has_phrases(monkeypatch):
    game = make_game("coins", board="triangle3")
    phrases = SimpleNamespace(name=lambda game, state, action: f"take {action}")
    monkeypatch.setattr(lines_server, "PHRASES", phrases, raising=False)
    object.__setattr__(game, "phrases", f"{lines_server.__name__}:PHRASES")
    told = decision(game, game.new_state(np.ones(2, np.uint64)), 0)
    assert told["names"] == [f"take {action}" for action in told["legal"]]


def test_lines__messages_are_those_of_the_page():
    page = (EXAMPLES.parent / "docs" / "protocol.md").read_text()
    shown = [json.loads(text) for text in re.findall(r"```json\n(.*?)\n```", page)]
    game = make_game("raj", cards=(1, 2, 3), items=(-1, 2, 3))
    state = game.new_state(np.array([1, 2], np.uint64))
    move = {"type": "move", "game": 1, "seat": 0, **decision(game, state, 0)}
    seed = seed_for(game, np.array([3, 4], np.uint64))
    assert shown[0] == hello(game, Limits())
    assert shown[1]["protocol"] == PROTOCOL
    assert shown[2] == {**move, "seed": seed, "seconds": 5.0}
    assert shown[3]["action"] in shown[2]["legal"]
    assert shown[4] == {"type": "end", "game": 1}


HEAD = """
import json, sys, time
hello = json.loads(input())
"""
GREETED = HEAD + "print('{\"protocol\": 1}', flush=True)\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (HEAD + "print('{\"protocol\": 2}', flush=True)", "expected {'protocol': 1}"),
        (HEAD + "print('ready', flush=True)", "wrote 'ready', expected a JSON object"),
        (HEAD, "ended with exit code 0"),
        (GREETED + "input(); print(5, flush=True)", "wrote '5', expected a JSON object"),
        (GREETED + "input(); print('{', flush=True)", "expected a JSON object"),
        (GREETED + "input(); print('[' * 10000, flush=True)", "expected a JSON object"),
        (GREETED + "input(); print('{}', flush=True)", "expected {'action': number}"),
        (
            GREETED + "input(); print('{\"action\": 1.5}', flush=True)",
            "answered '1.5', expected a whole number",
        ),
        (
            GREETED + 'input(); print(\'{"action": "1"}\', flush=True)',
            "answered '1', expected a whole number",
        ),
        (GREETED + "input(); print('{\"action\": NaN}', flush=True)", "expected a whole number"),
        (GREETED + "input(); time.sleep(100)", "no answer within 0.5 s"),
        (GREETED + "input(); print(b'\\xff', flush=True)", "expected a JSON object"),
    ],
)
def test_lines__trouble_is_a_fault_with_its_reason(tmp_path, code, words):
    script = tmp_path / "bot.py"
    script.write_text(code)
    command = " ".join([PYTHON[0], *PYTHON[1:], str(script)])
    game = make_game("coins", board="triangle3")
    bot = make_bot(game, f"json:{command}:seconds=0.5")
    with pytest.raises(Fault) as fault:
        bot.outside(game.new_state(np.ones(2, np.uint64)), 0, np.ones(2, np.uint64))
    assert words.replace("'", '"') in str(fault.value).replace("'", '"')
    bot.outside.close()


def test_lines_server__refuses_what_it_does_not_understand():
    def say(*messages):
        text = "".join(json.dumps(message) + "\n" for message in messages)
        out = io.StringIO()
        lines_server.serve("coins", "random", questions=io.StringIO(text), answers=out)
        return [json.loads(line) for line in out.getvalue().splitlines()]

    hello = {"type": "hello", "protocol": PROTOCOL, "game": "coins", "rules": {"board": "*/**"}}
    assert say(hello)[0]["protocol"] == PROTOCOL
    assert say(hello, {"type": "end", "game": 1}, {"type": "gossip"}) == say(hello)
    for messages, words in (
        ([{**hello, "protocol": 7}], "protocol=7: expected 1"),
        ([{**hello, "game": "raj"}], "game='raj': this bot plays coins"),
        ([{"type": "move"}], "before the hello"),
        ([{**hello, "rules": {"board": "none"}}], "board='none'"),
        (["hello"], "expected a JSON object with a type"),
    ):
        with pytest.raises(ValueError, match=words):
            say(*messages)
