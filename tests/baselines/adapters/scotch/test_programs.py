"""Scotch programs of a programming contest as bots: what they are told, and how they fail."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outsiders import PYTHON, TROUBLE

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.scotch.programs import (
    Standing,
    invented,
    opening,
    past_bids,
    standing_of,
)
from bidarena.baselines.adapters.seats import Seat, Seats
from bidarena.envs import make_bot, make_game
from bidarena.envs.batch import Batch
from bidarena.envs.scotch.rules import S
from bidarena.envs.testing import check_bot
from bidarena.evaluate.match import play_match

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are run on Linux")

# A file that bids only by what it is told. It is a program and a module, as most contest files are.
CONTEST = """
def calculate_bid(player, pos, first_moves, second_moves):
    money, holder, where = [100, 100], 0, 5
    for bids in zip(first_moves, second_moves):
        winner = holder if bids[0] == bids[1] else int(bids[1] > bids[0])
        holder = 1 - holder if bids[0] == bids[1] else holder
        money[winner] -= bids[winner]
        where += 1 if winner else -1
    assert where == pos, "the bids do not lead to the position"
    mine = money[player - 1]
    steps = pos if player == 1 else 10 - pos
    return min(mine, 7 + 3 * len(first_moves) % 5 + steps + (holder == player - 1))

player = int(input())
pos = int(input())
first_moves = [int(bid) for bid in input().split()]
second_moves = [int(bid) for bid in input().split()]
print(calculate_bid(player, pos, first_moves, second_moves))
"""


@pytest.fixture
def contest(tmp_path):
    file = tmp_path / "contest.py"
    file.write_text(CONTEST)
    return file


def program(file: Path) -> str:
    return " ".join(["cmd:" + PYTHON[0], *PYTHON[1:], str(file)])


def write(tmp_path: Path, code: str) -> Path:
    file = tmp_path / "bot.py"
    file.write_text(code)
    return file


def test_scotch_file__and_program_play_the_same_games(contest):
    """File and program get equal results on equal deals against an opponent who draws bids."""
    results = [
        play_match("scotch", [spec, "uniform:high=30"], 6, seed=5)
        for spec in (f"file:{contest}", program(contest))
    ]
    assert results[0].moves == results[1].moves
    assert np.array_equal(results[0].results, results[1].results)


def test_scotch_file__is_told_the_true_bids_in_games_side_by_side(tmp_path):
    """Each of many games at once has its own past; the file writes down what it is told."""
    told = tmp_path / "told"
    code = f"""
import random
luck = random.Random(1)
def calculate_bid(player, pos, first_moves, second_moves):
    with open({str(told)!r}, "a") as out:
        print(player, pos, first_moves, second_moves, sep=";", file=out)
    paid = sum(a for a, b in zip(first_moves, second_moves) if a > b)
    return luck.randint(1, 3) if paid < 60 else 1
"""
    game = make_game("scotch", money=(200, 200))
    bot = make_bot(game, f"file:{write(tmp_path, code)}")
    batch = Batch(game, 40, seed=3)
    luck = np.random.default_rng(0)
    true = [[] for _ in range(40)]
    expected = []
    for _ in range(16):
        first = np.zeros(40, np.int64)
        batch.ask(bot, batch.movers == 0, first)
        alive = batch.movers >= 0
        for row in np.flatnonzero(alive):
            one, two = ([bids[k] for bids in true[row]] for k in range(2))
            expected.append(f"1;{batch.states[row][S.position]};{one};{two}")
        batch.step(first)
        second = luck.integers(1, 4, 40)
        batch.step(second)
        for row in np.flatnonzero(alive):
            true[row].append((int(first[row]), int(second[row])))
    assert told.read_text().splitlines() == expected
    assert any(len(set(map(tuple, rows))) > 3 for rows in zip(*true, strict=False))
    bot.outside.close()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12))
def test_past_bids__of_a_position_from_nowhere_lead_to_it(drawn):
    """The known last round is kept, and the bids lead to the right money, place and advantage."""
    game = make_game("scotch", money=(40, 50))
    state = game.new_state(np.array([1, 2], np.uint64))
    words = np.array([3, 4], np.uint64)
    played = []
    for wish in drawn:
        bids = []
        for player in range(2):
            if game.call("to_move")(game.cfg, state) != player:
                break
            money = int(state[S.money + player])
            bids.append(min(max(wish[player], 1), money))
            game.call("step")(game.cfg, state, bids[-1], words)
        if len(bids) == 2:
            played.append(tuple(bids))
    if game.call("to_move")(game.cfg, state) < 0:
        return
    found = past_bids(game, Seat(1, 0), state)
    assert len(found) == len(played)
    assert found[-1:] == played[-1:]
    standing = opening(game)
    for bids in found:
        standing = standing.after(bids)
    assert standing == standing_of(state)


def test_invented_bids__pass_the_advantage_when_it_was_passed():
    start = Standing(5, (100, 100), 0)
    for end in (Standing(4, (90, 100), 1), Standing(5, (60, 90), 1), Standing(8, (100, 3), 0)):
        rounds = 1 if end.position == 4 else (4 if end.position == 5 else 3)
        standing = start
        for bids in invented(start, end, rounds):
            standing = standing.after(bids)
        assert standing == end


def test_seats__a_new_game_in_the_same_row_is_another_game():
    game = make_game("scotch")
    seats = Seats(game)
    rows = np.ones((2, 4), np.uint64)
    states = np.array([game.new_state(rows[k, :2].copy()) for k in range(2)])
    first, ended = seats.find(states[0], 0, rows[0, 2:])
    assert ended is None
    other, _ = seats.find(states[1], 0, rows[1, 2:])
    later = states[0].copy()
    later[S.round] = 1
    assert seats.find(later, 0, rows[0, 2:]) == (first, None)
    assert other is not first
    fresh, ended = seats.find(states[0], 0, rows[0, 2:])
    assert ended is first
    assert fresh is not first


def test_scotch_file__passes_the_conformance_kit(contest):
    check_bot("scotch", f"file:{contest}", games=4)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def calculate_bid(*a): raise KeyError('lost')", "KeyError: 'lost' (bot.py:1)"),
        ("def calculate_bid(*a): return None", "returned None, expected a whole number"),
        ("def calculate_bid(*a): return '12'", "returned '12', expected a whole number"),
        ("def calculate_bid(*a): return 2.5", "returned 2.5, expected a whole number"),
        ("def calculate_bid(*a): return float('nan')", "returned nan, expected a whole"),
        ("def calculate_bid(*a): import os; os._exit(4)", "ended with exit code 4"),
        ("def calculate_bid(*a):\n    while True: pass", "gave no answer within 0.5 s"),
        ("def calculate_bid(*a): import sys; sys.exit('bye')", "SystemExit: bye"),
        ("def calculate_bid(*a): return calculate_bid()", "RecursionError"),
        ("print 7", "could not be loaded: this is Python 2; convert it (2to3), or run it by cmd:"),
        ("def", "could not be loaded: SyntaxError"),
        ("def calculate_bid(*a): return 101", "bid 101 with 100 left; legal: 1 to 100"),
        ("x = 1", "expected a function calculate_bid"),
    ],
)
def test_scotch_file__trouble_is_a_fault_with_its_reason(tmp_path, code, words):
    bot = make_bot(make_game("scotch"), f"file:{write(tmp_path, code)}:seconds=0.5")
    state = make_game("scotch").new_state(np.array([1, 2], np.uint64))
    with pytest.raises(Fault) as fault:
        bot.outside(state, 0, np.ones(2, np.uint64))
    assert words in str(fault.value)
    bot.outside.close()


def test_scotch_file__prints_and_float_bids_do_no_harm(tmp_path):
    code = "def calculate_bid(*a):\n    print('thinking' * 1000)\n    return 12.0"
    bot = make_bot(make_game("scotch"), f"file:{write(tmp_path, code)}")
    state = make_game("scotch").new_state(np.array([1, 2], np.uint64))
    assert bot.outside(state, 1, np.ones(2, np.uint64)) == 12
    bot.outside.close()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("print('seven')", "printed 'seven\\n', expected one whole number"),
        ("print(3, 4)", "expected one whole number"),
        ("print('9' * 5000)", "expected one whole number"),
        ("pass", "printed '', expected one whole number"),
        (TROUBLE["dies"], "exit code 1"),
        (TROUBLE["hangs"], "no answer within 0.5 s"),
    ],
)
def test_scotch_program__trouble_is_a_fault_with_its_reason(tmp_path, code, words):
    bot = make_bot(make_game("scotch"), program(write(tmp_path, code)) + ":seconds=0.5")
    state = make_game("scotch").new_state(np.array([1, 2], np.uint64))
    with pytest.raises(Fault) as fault:
        bot.outside(state, 0, np.ones(2, np.uint64))
    assert words in str(fault.value)
    bot.outside.close()


def test_scotch_file__one_that_only_hangs_is_given_up_after_some_faults(tmp_path):
    code = "import time\ndef calculate_bid(*a): time.sleep(100)"
    bot = make_bot(
        make_game("scotch"), f"file:{write(tmp_path, code)}:seconds=0.3,faults=2,start=5"
    )
    state = make_game("scotch").new_state(np.array([1, 2], np.uint64))
    for _ in range(2):
        with pytest.raises(Fault, match="no answer within"):
            bot.outside(state, 0, np.ones(2, np.uint64))
    with pytest.raises(Fault, match="not asked any more; its last fault: gave no answer"):
        bot.outside(state, 0, np.ones(2, np.uint64))
    bot.outside.close()


def test_scotch_file__has_a_clock_for_the_whole_game(tmp_path):
    code = "import time\ndef calculate_bid(*a): time.sleep(0.15); return 1"
    game = make_game("scotch")
    bot = make_bot(game, f"file:{write(tmp_path, code)}:game=0.4,seconds=5")
    bot.outside.program.load()  # so that loading the file does not count as time to move
    state = game.new_state(np.array([1, 2], np.uint64))
    words = np.ones(4, np.uint64)
    with pytest.raises(Fault, match=r"has used up its 0\.4 s for a game"):
        for _ in range(5):
            bid = bot.outside(state, 0, words[2:])
            game.call("step")(game.cfg, state, bid, words[:2])
            game.call("step")(game.cfg, state, 2, words[:2])
    assert bot.outside(game.new_state(words[:2]), 0, words[2:]) == 1  # another game
    bot.outside.close()


def test_scotch_openers__refuse_what_they_cannot_play(contest):
    for rule, value in (("tie", "coin"), ("payment", "opponent"), ("know_opponent_money", False)):
        with pytest.raises(ValueError, match=f"{rule}={value!r}: this protocol"):
            make_bot(make_game("scotch", **{rule: value}), f"file:{contest}")
    scotch = make_game("scotch")
    for spec, words in (
        ("file:no.py", "'no.py': there is no such file"),
        ("cmd:./nothing", "there is no such program"),
        ("cmd:", "expected a command, as in cmd:./mybot"),
        ("cmd:'x", "No closing quotation"),
        (f"file:{contest}:seconds=-1", "seconds=-1"),
    ):
        with pytest.raises(ValueError, match=words):
            make_bot(scotch, spec)
    with pytest.raises(ValueError, match="a program for coins speaks lines of JSON"):
        make_bot(make_game("coins"), f"file:{contest}")
