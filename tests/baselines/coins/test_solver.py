"""The solver of Coins against a search written another way, and against what is known."""

import itertools
import math
from functools import cache

import numpy as np
import pytest

from bidarena.baselines.coins.solver import is_lost, solve, table_of
from bidarena.envs import make_bot, make_game
from bidarena.envs.coins.env import board_of, takes_of
from bidarena.envs.coins.rules import S
from bidarena.evaluate.match import play_match


def moves_in_the_plane(game):
    """Return all takes as sets of coin numbers, found from the places of the coins in the plane."""
    board, options = board_of(game), game.options
    high = math.sqrt(3) / 2 if board.triangular else 1.0
    lean = 0.5 if board.triangular else 0.0
    points = [(column - lean * row, high * row) for row, column in board.cells]
    angles = (0, 60, 120) if board.triangular else (0, 90)
    if options["diagonals"]:
        angles = (0, 45, 90, 135)

    def is_take(coins):
        places = sorted(points[coin] for coin in coins)
        for (x, y), (u, v) in itertools.pairwise(places):
            angle = math.degrees(math.atan2(v - y, u - x)) % 180
            first = math.degrees(
                math.atan2(places[1][1] - places[0][1], places[1][0] - places[0][0])
            )
            if abs(angle - first % 180) > 1e-6 or not any(abs(angle - a) < 1e-6 for a in angles):
                return False
            step = math.sqrt(2) if round(angle) % 90 == 45 else 1.0
            if not options["gaps"] and abs(math.hypot(u - x, v - y) - step) > 1e-6:
                return False
        return True

    longest = min(options["max_take"] or 5, 5)
    sizes = range(1, longest + 1)
    every = range(len(points))
    return [frozenset(c) for k in sizes for c in itertools.combinations(every, k) if is_take(c)]


def every_set(count):
    return [frozenset(c) for k in range(count + 1) for c in itertools.combinations(range(count), k)]


BOARDS = ["triangle3", "triangle4", "square3", "rectangle2x5", "*/**/****", "***/*.*/***", "*"]
RULES = [{}, {"gaps": True}, {"max_take": 2}, {"diagonals": True}]


@pytest.mark.parametrize("last_coin", ["loses", "wins"])
@pytest.mark.parametrize(
    ("board", "more"),
    [
        (board, more)
        for board, more in itertools.product(BOARDS, RULES)
        if not ("diagonals" in more and board in ("triangle3", "triangle4", "*/**/****"))
        and not (board == "*" and more)
    ],
)
def test_coins_solver__agrees_with_brute_force_in_every_position(board, more, last_coin):
    game = make_game("coins", board=board, last_coin=last_coin, **more)
    moves = moves_in_the_plane(game)
    assert len(moves) == game.actions

    @cache
    def wins(lying):
        if not lying:
            return last_coin == "loses"
        return any(move <= lying and not wins(lying - move) for move in moves)

    count = len(board_of(game).cells)
    full = frozenset(range(count))
    table = table_of(game)
    lost = [lying for lying in every_set(count) if not wins(lying)]
    for lying in every_set(count):
        assert is_lost(table, sum(1 << coin for coin in lying)) == (not wins(lying))
    solution = solve(game)
    assert solution.value == ("first" if wins(full) else "second")
    assert solution.lost_positions == len(lost)
    assert (frozenset() in lost) == (last_coin == "wins")  # the empty board counts in normal play
    openings = {frozenset(opening) for opening in solution.winning_openings}
    assert openings == {move for move in moves if not wins(full - move)}


@pytest.mark.parametrize("bonus", [0, 3, -5])
@pytest.mark.parametrize("board", ["triangle3", "square3", "rectangle2x5", "*/**/****"])
def test_coins_solver__finds_the_exact_difference_of_points(board, bonus):
    count = len(board_of(make_game("coins", board=board)).cells)
    values = np.random.default_rng(count).integers(-3, 5, count).tolist()
    game = make_game("coins", board=board, values=values, last_bonus=bonus)
    moves = moves_in_the_plane(game)

    @cache
    def best(lying):
        if not lying:
            return 0
        return max(worth(lying, move) for move in moves if move <= lying)

    def worth(lying, move):
        gain = sum(values[coin] for coin in move) + bonus * (move == lying)
        return gain - best(lying - move)

    full = frozenset(range(count))
    solution = solve(game)
    assert solution.difference == best(full)
    assert {frozenset(o) for o in solution.best_openings} == {
        move for move in moves if worth(full, move) == best(full)
    }
    assert {frozenset(o) for o in solution.winning_openings} == {
        move for move in moves if worth(full, move) > 0
    }
    assert table_of(game).tolist()[1:] == [
        best(frozenset(c for c in range(count) if position >> c & 1))
        for position in range(1, 1 << count)
    ]
    assert solution.value == ("first" if best(full) > 0 else "second" if best(full) else "draw")
    assert solution.lost_positions == sum(best(lying) < 0 for lying in every_set(count))


def test_coins_solver__four_by_four_is_lost_for_the_first_player():
    assert solve(make_game("coins", board="square4")).value == "second"


@pytest.mark.parametrize("sides", [(2, 2), (2, 4), (4, 4), (2, 6), (4, 6), (2, 10)])
def test_coins_solver__even_by_even_in_normal_play_is_won_by_symmetry(sides):
    game = make_game("coins", board="rectangle{}x{}".format(*sides), last_coin="wins")
    assert solve(game).value == "second"


@pytest.mark.parametrize("sides", [(3, 4), (3, 5), (5, 5), (3, 8)])
def test_coins_solver__a_line_through_the_middle_wins_in_normal_play_by_symmetry(sides):
    game = make_game("coins", board="rectangle{}x{}".format(*sides), last_coin="wins")
    height, width = sides
    middle = tuple(range(height // 2 * width, (height // 2 + 1) * width))
    assert middle in solve(game).winning_openings


def test_coins_solver__one_row_is_nim_in_which_heaps_split():
    """Rows that share no line are lost if the exclusive or of their lengths is 0.

    In misère play it is the other way round when all rows have one coin.
    """
    for last_coin in ("loses", "wins"):
        game = make_game("coins", board="*****..****..***..**", last_coin=last_coin)
        table, cells = table_of(game), [column for _, column in board_of(game).cells]
        for position in range(1 << len(cells)):
            columns = {cells[coin] for coin in range(len(cells)) if position >> coin & 1}
            heaps = [len(run) for run in "".join(".*"[c in columns] for c in range(20)).split(".")]
            heaps = [heap for heap in heaps if heap]
            nim = 0
            for heap in heaps:
                nim ^= heap
            twist = last_coin == "loses" and all(heap == 1 for heap in heaps)
            assert is_lost(table, position) == ((nim == 0) != twist)


@pytest.mark.parametrize(("board", "size"), [("triangle6", 2**21), ("square5", 2**25)])
def test_coins_solver__known_counts_and_memory(board, size):
    counts = {"triangle6": 189_089, "square5": 3_177_421}
    progress = []
    solution = solve(make_game("coins", board=board), progress=progress.append)
    assert (solution.value, solution.lost_positions) == ("first", counts[board])
    assert solution.positions == size == sum(progress)
    assert solution.table_bytes == size // 8


def test_coins_solver__symmetric_openings_win_together():
    openings = {frozenset(o) for o in solve(make_game("coins", board="square5")).winning_openings}
    quarter = {frozenset((c % 5) * 5 + 4 - c // 5 for c in opening) for opening in openings}
    assert openings == quarter and openings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "board='square6'.*36 coins.*8 GiB.*33 coins"),
        ({"board": "square4", "colours": "seeded"}, "colours='seeded'"),
        ({"board": "rectangle5x6", "values": [1] * 30}, "30 coins.*up to 29"),
    ],
)
def test_coins_solver__what_cannot_be_solved_is_refused(options, message):
    game = make_game("coins", **options)
    for ask in (solve, table_of, lambda game: make_bot(game, "exact")):
        with pytest.raises(ValueError, match=message):
            ask(game)


def test_coins_exact__solves_in_as_much_memory_as_it_is_given():
    game = make_game("coins", board="triangle5")  # a table of 4 KiB
    make_bot(game, "exact:memory=0.00001")
    with pytest.raises(ValueError, match=r"15 coins.*up to 13 coins"):
        make_bot(game, "exact:memory=0.000001")
    for wrong in ("0", "true", "much"):
        with pytest.raises(ValueError, match=r"memory=.*expected GiB"):
            make_bot(game, f"exact:memory={wrong}")


# --- exact play ----------------------------------------------------------------------------------


def test_coins_exact__never_loses_a_won_game():
    game = make_game("coins", board="triangle5", last_coin="wins")
    assert solve(game).value == "first"
    against_itself = play_match(game, ["exact", "exact"], 200)
    assert against_itself.scores[0].wins == 100  # the player with the first move wins
    against_random = play_match(game, ["exact", "random"], 200)
    assert against_random.scores[0].wins >= 190  # 100 of them are won from the start


def test_coins_exact__leaves_only_lost_positions_when_it_can():
    game = make_game("coins", board="square4", last_coin="loses")
    bot, table, takes = make_bot(game, "exact"), table_of(game), takes_of(game)
    act, scratch = game.compiled(bot.act), np.zeros(game.actions, np.int8)
    source = np.random.default_rng(0)
    for _ in range(300):
        state = game.new_state(np.array([1, 2], np.uint64))
        state[S.board] = position = int(source.integers(1, 2**16))
        words = source.integers(1, 2**64, 2, dtype=np.uint64)
        after = position ^ takes[act(game.cfg, bot.params, state, 0, words, scratch)]
        assert is_lost(table, after) or is_lost(table, position)


def test_coins_exact__plays_to_the_exact_difference():
    values = [2, -1, 1, 3, -2, 1, 2]
    game = make_game("coins", board="*/**/****", values=values, last_bonus=1, reward="margin")
    bot = make_bot(game, "exact")
    act, scratch = game.compiled(bot.act), np.zeros(game.actions, np.int8)
    for seed in range(1, 10):
        words = np.array([seed, 7], np.uint64)
        state = game.new_state(words)
        while (mover := game.call("to_move")(game.cfg, state)) >= 0:
            action = act(game.cfg, bot.params, state, mover, words, scratch)
            game.call("step")(game.cfg, state, action, words)
        ahead = state[S.points] - state[S.points + 1]
        assert ahead == solve(game).difference != 0


def test_coins_exact__points_are_the_tie_break_where_the_last_coin_decides():
    values = [0] * 9
    values[3], values[5] = 1, 2
    game = make_game("coins", board="square3", values=values, score="last", last_coin="wins")
    winning = solve(game).winning_openings
    bot = make_bot(game, "exact")
    act, scratch = game.compiled(bot.act), np.zeros(game.actions, np.int8)
    most = max(sum(values[coin] for coin in opening) for opening in winning)
    for seed in range(1, 20):
        words = np.array([seed, 7], np.uint64)
        state = game.new_state(words)
        take = takes_of(game)[act(game.cfg, bot.params, state, 0, words, scratch)]
        assert sum(values[coin] for coin in range(9) if take >> coin & 1) == most
