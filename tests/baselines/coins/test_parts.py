"""Groups of coins: the same wherever they lie, and all that the value of a position depends on."""

import numpy as np
import pytest

from bidarena.baselines.coins.keeping import values_in
from bidarena.baselines.coins.solver import solve_left, table_of
from bidarena.envs import make_game
from bidarena.envs.coins.env import takes_of
from bidarena.envs.coins.rules import S
from bidarena.envs.structure.parts import needed_parts, parts_of

BOARDS = [
    {"board": "rectangle3x4"},
    {"board": "triangle4"},
    {"board": "rectangle2x6"},
    {"board": "square3", "gaps": True},
    {"board": "square3", "diagonals": True, "last_coin": "wins"},
    {"board": "rectangle3x4", "max_take": 2},
    {"board": "square3", "max_take": 1},
    {"board": "*/**/****"},
]


def parts_in(game, board):
    """Return the parts of a position, in an order that does not depend on where they lie."""
    parts = needed_parts(game)
    state = np.zeros(game.state_size, np.int64)
    state[S.board] = board
    views = np.zeros((parts.most, parts.size), np.float32)
    count = game.compiled(parts.split)(game.cfg, parts.params, state, views)
    return tuple(sorted(tuple(np.flatnonzero(view).tolist()) for view in views[:count]))


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_parts__positions_of_equal_parts_are_worth_the_same(rules):
    game = make_game("coins", **rules)
    values, worth, met = values_in(game), {}, 0
    for board in range(1, len(values)):
        parts = parts_in(game, board)
        assert sum(map(len, parts)) == board.bit_count()
        met += parts in worth
        assert worth.setdefault(parts, values[board]) == values[board]
    assert met > len(values) / 2  # most positions are sums of parts that were met before


def test_parts__a_group_is_the_same_moved_turned_and_mirrored():
    game = make_game("coins", board="square4")
    corner = 1 << 0 | 1 << 1 | 1 << 4  # an L of three coins
    other = 1 << 15 | 1 << 14 | 1 << 11
    assert parts_in(game, corner) == parts_in(game, other)
    assert len(parts_in(game, corner | other)) == 2
    straight = 1 << 0 | 1 << 1 | 1 << 2
    assert parts_in(game, straight) != parts_in(game, corner)
    assert parts_in(game, straight) == parts_in(game, 1 << 3 | 1 << 7 | 1 << 11)


def test_parts__where_coins_have_points_there_are_none():
    game = make_game("coins", board="triangle3", colours="seeded")
    assert parts_of(game) is None
    assert parts_of(make_game("raj")) is None
    with pytest.raises(ValueError, match="fall into parts"):
        needed_parts(game)


@pytest.mark.parametrize("last_coin", ["loses", "wins"])
def test_solve_left__agrees_with_the_table_of_the_whole_board(last_coin):
    game = make_game("coins", board="square4", last_coin=last_coin)
    table, takes = table_of(game), takes_of(game)
    board = 0b1101_1011_0111_1110
    lost = solve_left(game, board)
    for take in takes:
        if take & ~board == 0:
            after = board ^ take
            assert lost(after) == bool(int(table[after >> 6]) >> (after & 63) & 1)
