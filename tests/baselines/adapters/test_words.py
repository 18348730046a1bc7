"""Seats that are asked in words: what they are told, what is understood, and faults."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from our_games import OUR_GAMES
from outsiders import PYTHON, moves_of
from toy_nim import nim

from bidarena.baselines.adapters.faults import IllegalAnswer
from bidarena.baselines.adapters.lines.words import question, understood
from bidarena.envs import make_bot, make_game
from bidarena.envs.phrases import legal_actions
from bidarena.envs.testing import check_bot, random_states
from bidarena.evaluate.match import play_match

programs = pytest.mark.skipif(sys.platform != "linux", reason="programs are run on Linux")

EXAMPLE = Path(__file__).parents[3] / "examples" / "text_bot.py"
TEXT_BOT = " ".join(["text:" + PYTHON[0], *PYTHON[1:], str(EXAMPLE)])
GAMES = {name: {} for name in OUR_GAMES} | {
    "scotch": {"money": (30, 30), "know_opponent_money": False},
    "raj": {"players": 3},
    "coins": {"board": "triangle4"},
}


def raj_state():
    game = make_game("raj")
    return game, game.new_state(np.array([1, 2], np.uint64))


def script(tmp_path, answer):
    """Return the bot of a program that always gives the same answer."""
    path = tmp_path / "bot.py"
    path.write_text(
        f"import sys\nfor line in sys.stdin:\n"
        f"    hello = '\"hello\"' in line\n"
        f"    print('{{\"protocol\": 1}}' if hello else {answer!r}, flush=True)\n"
    )
    return " ".join(["text:" + PYTHON[0], *PYTHON[1:], str(path)])


@pytest.mark.parametrize("name", [*GAMES, "nim"])
def test_question__every_move_is_understood_by_its_words(name):
    game = nim() if name == "nim" else make_game(name, **GAMES[name])
    for count, (state, mover, _) in enumerate(random_states(game, 2, 3)):
        asked = question(game, state, mover)
        assert "\x1b" not in asked["text"]
        for move, action in zip(asked["moves"], legal_actions(game, state), strict=True):
            assert move in asked["text"]
            for said in (move, f"  {move.upper()}. ", f"Hmm, many moves.\n**Move:** `{move}`!"):
                assert understood(game, state, mover, said) == action
        if count > 20:
            break


@pytest.mark.parametrize("name", GAMES)
def test_question__tells_nothing_that_the_player_cannot_know(name):
    game = make_game(name, **GAMES[name])
    for count, (state, mover, rng) in enumerate(random_states(game, 2, 5)):
        told = question(game, state, mover)
        for _ in range(3):
            guess = state.copy()
            game.call("determinize")(game.cfg, guess, mover, rng)
            assert question(game, guess, mover) == told
        if count > 60:
            break


def whole_state(game, state, seat):
    """A careless drawing."""
    return str(state.tolist())


def test_question__tells_nothing_hidden_even_by_a_careless_drawing():
    game = make_game("twentynine")
    object.__setattr__(game, "ansi", f"{__name__}:whole_state")
    for count, (state, mover, rng) in enumerate(random_states(game, 1, 5)):
        guess = state.copy()
        game.call("determinize")(game.cfg, guess, mover, rng)
        assert question(game, guess, mover) == question(game, state, mover)
        if count > 20:
            break


def test_question__has_the_aim_the_drawing_and_the_moves():
    game, state = raj_state()
    asked = question(game, state, 0)
    assert asked["moves"] == [f"card {value}" for value in range(1, 7)]
    for part in ("The highest bank wins.", "round 1 of 6", "Your moves: card 1; card 2", "move:"):
        assert part in asked["text"]


def test_question__without_drawing_and_phrases_shows_the_observation():
    game = nim(heap=7)
    asked = question(game, game.new_state(np.ones(2, np.uint64)), 0)
    assert asked["text"].startswith("toy_nim\n  stones: 1\n")
    assert asked["moves"] == ["action 1", "action 2", "action 3"]


@pytest.mark.parametrize(
    ("said", "card"),
    [
        ("card 3", 3),
        ("CARD  3", 3),
        ("3", 3),
        ('"Card 3."', 3),
        ("I think the pot is small, so I play card 3 here.", 3),
        ("Card 5 or card 6 would be a waste.\nMove: card 2", 2),
        ("move: card 1\nNo, wait.\n**Move: card 4**\nThat is better.", 4),
    ],
)
def test_understood__takes_words_in_other_forms(said, card):
    game, state = raj_state()
    assert understood(game, state, 0, said) == card - 1


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("", "names no legal move; legal: card 1; card 2"),
        ("pass", "'pass', which names no legal move"),
        ("card 9", "'card 9', which names no legal move"),
        ("card 1 or card 2", r"names several moves \(card 1, card 2\)"),
        ("card 1\nmove: dunno", "'dunno', which names no legal move"),
        ("discard 3cards", "names no legal move"),
        ("x" * 500, "x…', which names no legal move"),
    ],
)
def test_understood__refuses_what_is_no_legal_move(said, words):
    game, state = raj_state()
    with pytest.raises(ValueError, match=words):
        understood(game, state, 0, said)


def test_understood__says_why_a_move_is_not_legal():
    game = make_game("scotch", money=50)
    state = game.new_state(np.ones(2, np.uint64))
    with pytest.raises(ValueError, match=r"'bid 51', which is not legal \(.*from 1 to 50\)"):
        understood(game, state, 0, "bid 51")


def test_understood__of_names_within_names_the_longest_counts():
    game = make_game("coins", board="triangle4")
    state = game.new_state(np.ones(2, np.uint64))
    moves = question(game, state, 0)["moves"]
    run = next(move for move in moves if move.count(" ") == 2)
    action = understood(game, state, 0, run)
    assert understood(game, state, 0, f"I'll take {run}, thanks") == action


def test_question__is_that_of_the_page():
    page = (EXAMPLE.parents[1] / "docs" / "protocol.md").read_text()
    shown = [json.loads(text) for text in re.findall(r"```json\n(.*?)\n```", page)]
    asked = next(one for one in shown if "text" in one)
    game = make_game("raj", cards=(1, 2, 3), items=(-1, 2, 3))
    state = game.new_state(np.array([1, 2], np.uint64))
    assert {key: asked[key] for key in ("text", "moves")} == question(game, state, 0)
    said = next(one for one in shown if "move" in one)["move"]
    assert understood(game, state, 0, said) == 0


def test_example__imports_nothing_of_the_package():
    imports = re.findall(r"^(?:import|from) (\S+)", EXAMPLE.read_text(), re.MULTILINE)
    assert set(imports) <= set(sys.stdlib_module_names)


@programs
@pytest.mark.parametrize("name", GAMES)
def test_example__plays_every_game_by_the_rules(name):
    game = make_game(name, **GAMES[name])
    bot = make_bot(game, TEXT_BOT)
    for moves in moves_of(game, [bot] * game.players, 2, 8):
        assert 0 < len(moves) <= game.longest
    bot.outside.close()


@programs
@pytest.mark.parametrize("name", ["scotch", "twentynine"])
def test_example__sees_nothing_hidden(name):
    check_bot(make_game(name, **GAMES[name]), TEXT_BOT, games=1)


@programs
@pytest.mark.parametrize(("name", "rules"), [("raj", {}), ("scotch", {"money": 50})])
def test_example__plays_better_than_chance_by_the_text_alone(name, rules):
    score = play_match(name, [TEXT_BOT, "random"], 60, seed=1, **rules).scores[0]
    assert score.mean - score.half_width > 0.0
    assert not score.faults


@programs
def test_wrong_word__is_an_illegal_answer_and_loses_the_game(tmp_path):
    match = play_match("raj", [script(tmp_path, '{"move": "card 77"}'), "random"], 2, seed=1)
    (reason, games), *others = match.scores[0].faults.items()
    assert games == 2 and not others
    assert reason.startswith("illegal: answered 'card 77', which names no legal move")
    assert match.scores[1].wins == 2


@programs
@pytest.mark.parametrize("answer", ['{"action": 1}', '{"move": 3}', "{}"])
def test_answer_without_words__is_a_fault(tmp_path, answer):
    match = play_match("raj", [script(tmp_path, answer), "random"], 2, seed=1)
    (reason,) = match.scores[0].faults
    assert 'expected {"move": "words"}' in reason


@programs
def test_wrong_word__raises_in_a_single_question(tmp_path):
    game, state = raj_state()
    bot = make_bot(game, script(tmp_path, '{"move": "who knows"}'))
    with pytest.raises(IllegalAnswer, match="'who knows', which names no legal move"):
        bot.outside(state, 0, np.ones(2, np.uint64))
    bot.outside.close()


def test_command__must_exist():
    with pytest.raises(ValueError, match="there is no such program"):
        make_bot(make_game("raj"), "text:/no/such/program")
