"""The searching bots of Coins: what they count, find and know, and that they stop in time."""

import time
from collections import Counter
from functools import cache

import numpy as np
import pytest

from bidarena.baselines.coins.shapes import known_shapes, recognise
from bidarena.baselines.coins.solver import is_lost, table_of
from bidarena.baselines.coins.table import make_plan, turned
from bidarena.envs import make_bot, make_game
from bidarena.envs.coins.env import board_of, takes_of
from bidarena.envs.coins.lines import symmetries
from bidarena.envs.coins.rules import S
from bidarena.envs.testing import random_states

SEARCHING = ("counting", "patterns", "surewin", "bounded", "greedy")


class Player:
    """A bot that is asked for single moves."""

    def __init__(self, game, spec):
        self.game, self.bot = game, make_bot(game, spec)
        self.act, self.scratch = game.compiled(self.bot.act), np.zeros(game.actions, np.int8)

    def move(self, state, player=0, seed=1):
        words = np.random.default_rng(seed).integers(1, 2**64, 2, dtype=np.uint64)
        return int(self.act(self.game.cfg, self.bot.params, state, player, words, self.scratch))

    def take(self, position, seed=1):
        """Return the coins that the bot takes from a position, as bits."""
        state = self.game.new_state(np.array([1, 2], np.uint64))
        state[S.board] = position
        return takes_of(self.game)[self.move(state, seed=seed)]


@pytest.mark.parametrize(
    "rules_",
    [
        {"board": "triangle4"},
        {"board": "rectangle3x4", "last_coin": "wins", "max_take": 2},
        {"board": "triangle4", "values": [1, -2, 3, 1, 1, -1, 2, 2, -2, 1], "last_bonus": 1},
    ],
)
@pytest.mark.parametrize("bot", SEARCHING[1:])
def test_coins_bots__find_every_sure_win_when_given_the_time(bot, rules_):
    game = make_game("coins", **rules_)
    takes, table, values = takes_of(game), table_of(game), game.options["values"]
    player = Player(game, f"{bot}:nodes=100000000")
    for state, mover, _ in random_states(game, 12, seed=3):
        position = int(state[S.board])
        take = takes[player.move(state, mover)]
        if values is None:
            assert is_lost(table, position) or is_lost(table, position ^ take)
            continue
        ahead = int(state[S.points + mover] - state[S.points + 1 - mover])
        gain = sum(values[coin] for coin in range(len(values)) if take >> coin & 1)
        gain += game.options["last_bonus"] * (take == position)
        if ahead + table[position] > 0:
            assert ahead + gain - table[position ^ take] > 0


def test_coins_counting__takes_the_move_with_the_best_ratio_of_won_games():
    game = make_game("coins", board="triangle3")
    takes = takes_of(game)

    @cache
    def count(position):
        """Return how many games the player to move wins and loses."""
        if position == 0:
            return 1, 0
        below = [count(position ^ take) for take in takes if take & ~position == 0]
        return sum(lost for _, lost in below), sum(won for won, _ in below)

    player = Player(game, "counting:nodes=100000000")
    for position in range(1, 64):
        ratios = {}
        for take in takes:
            if take & ~position == 0:
                won, lost = count(position ^ take)
                ratios[take] = lost / (won + lost)
        assert ratios[player.take(position)] == max(ratios.values())


@pytest.mark.parametrize("position", [2**36 - 1, 0b101, 0b111 << 20, 0b1000011])
def test_coins_random__draws_every_legal_move_equally_often(position):
    game = make_game("coins")
    player = Player(game, "random")
    legal = [take for take in takes_of(game) if take & ~position == 0]
    draws = 100 * len(legal)
    counts = Counter(player.take(position, seed) for seed in range(draws))
    assert set(counts) == set(legal)
    assert all(50 < counts[take] < 150 for take in legal)  # five standard deviations


@pytest.mark.parametrize("bot", SEARCHING)
@pytest.mark.parametrize("limit", ["ms=0", "nodes=0", "nodes=1", "nodes=50"])
def test_coins_bots__have_a_legal_move_however_short_the_time(bot, limit):
    game = make_game("coins")
    player = Player(game, f"{bot}:{limit}")
    for state, mover, _ in random_states(game, 2, seed=1):
        take = takes_of(game)[player.move(state, mover)]
        assert take & ~int(state[S.board]) == 0


@pytest.mark.parametrize("bot", SEARCHING)
def test_coins_bots__stop_when_the_clock_says_so(bot):
    game = make_game("coins")
    player = Player(game, f"{bot}:ms=40")
    full = 2**36 - 1
    player.take(full)
    shortest = 9.0
    for _ in range(3):  # the machine may be busy: one good measurement is enough
        began = time.perf_counter()
        player.take(full)
        shortest = min(shortest, time.perf_counter() - began)
    assert 0.02 < shortest < 0.5  # with so many coins there is always more to search


@pytest.mark.parametrize("bot", SEARCHING)
@pytest.mark.parametrize(
    ("option", "message"), [("ms=-1", "ms=-1"), ("nodes=-2", "nodes"), ("ms=x", "ms='x'")]
)
def test_coins_bots__bad_limits_are_refused(bot, option, message):
    with pytest.raises(ValueError, match=message):
        make_bot(make_game("coins"), f"{bot}:{option}")


def test_coins_bounded__leaves_out_moves_only_while_many_coins_lie():
    game = make_game("coins")
    takes = takes_of(game)
    player = Player(game, "bounded:nodes=0")
    seen = {player.take(2**36 - 1, seed=s) for s in range(800)}
    assert seen == set(takes[::-1][::4])
    row = 2**12 - 1  # two full rows: 12 coins
    seen = {player.take(row, seed=s) for s in range(800)}
    assert seen == {take for take in takes if take & ~row == 0}


def test_coins_greedy__takes_most_points_and_negative_ones_only_if_it_must():
    values = [3, 1, -1, -1, 2, -2, -3, 1, 1]
    game = make_game("coins", board="square3", values=values)
    player = Player(game, "greedy:nodes=0")
    assert player.take(0b111_111_111) == 0b000_000_011  # coins 0 and 1: four points
    assert player.take(0b000_001_000) == 0b000_001_000
    assert player.take(0b001_101_100) == 0b000_000_100  # the dearest of coins 2, 3, 5, 6 is a -1
    assert player.take(0b000_101_000) == 0b000_001_000


def test_coins_greedy__takes_negative_points_for_a_sure_win():
    game = make_game("coins", board="**.*", values=[-3, 1, 2], score="last", last_coin="wins")
    assert Player(game, "greedy:nodes=0").take(0b111) == 0b100
    assert Player(game, "greedy:nodes=1000").take(0b111) in (
        0b001,
        0b010,
    )  # leaves two single coins


# --- symmetry ------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", ["triangle4", "square4", "rectangle3x5", "*/**/****", "square6"])
def test_coins_search__symmetric_positions_have_one_key(board):
    game = make_game("coins", board=board)
    plan, ways = make_plan(game, None, 0, table=4), symmetries(board_of(game))
    key = game.compiled(turned)
    count = len(board_of(game).cells)
    source = np.random.default_rng(0)
    for _ in range(50):
        position = int(source.integers(0, 2**count))
        images = [
            sum(1 << goes[coin] for coin in range(count) if position >> coin & 1) for goes in ways
        ]
        assert {int(key(plan, image)) for image in images} == {min(images)}


# --- shapes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("last_coin", ["loses", "wins"])
@pytest.mark.parametrize(
    "more",
    [
        {"board": "square4"},
        {"board": "triangle5"},
        {"board": "square4", "diagonals": True},
        {"board": "square4", "max_take": 2},
        {"board": "rectangle3x5", "gaps": True},
        {"board": "rectangle3x5", "gaps": True, "max_take": 2},
        {"board": "**.**/*.*.*/**.**"},
    ],
)
def test_coins_patterns__what_it_recognises_is_true(more, last_coin):
    game = make_game("coins", last_coin=last_coin, **more)
    shapes, table = known_shapes(game), table_of(game)
    see = game.compiled(recognise)
    found = Counter()
    for position in range(1, 1 << len(board_of(game).cells)):
        verdict = int(see(shapes, 0, position, position.bit_count()))
        found[verdict] += 1
        if verdict:
            assert is_lost(table, position) == (verdict < 0)
    assert found[1] > 100 and found[-1] > 10


def test_coins_patterns__recognises_exactly_the_boards_of_separate_runs():
    game = make_game("coins", board="square3")
    shapes, see = known_shapes(game), game.compiled(recognise)
    for position in range(1, 512):
        lying = {divmod(coin, 3) for coin in range(9) if position >> coin & 1}
        crossing = any(
            {(r, c + 1), (r, c - 1)} & lying and {(r + 1, c), (r - 1, c)} & lying for r, c in lying
        )
        assert (see(shapes, 0, position, len(lying)) == 0) == crossing


def test_coins_patterns__knows_more_than_it_can_search():
    game = make_game("coins", board="rectangle4x6")
    table = table_of(game)
    few = 400  # so few positions that the board is not searched to its end
    right = {}
    boards = [int(p) for p in np.random.default_rng(5).integers(1, 2**24, 4000)]
    won = [p for p in boards if p.bit_count() < 13 and not is_lost(table, p)][:150]
    for bot in ("patterns", "surewin"):
        player = Player(game, f"{bot}:nodes={few}")
        right[bot] = sum(is_lost(table, p ^ player.take(p)) for p in won)
    assert right["patterns"] > right["surewin"]
