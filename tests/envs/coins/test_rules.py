"""Coins: boards and lines, the rules, the row code, what is drawn, bad input."""

from collections import Counter

import numpy as np
import pytest
from game_table import GameTable
from hypothesis import given, settings
from hypothesis import strategies as st

from bidarena.envs import make_game
from bidarena.envs.coins import rules as coins
from bidarena.envs.coins.env import (
    action_of,
    board_of,
    rows_of,
    segment_of,
    state_of,
    takes_of,
)
from bidarena.envs.coins.lines import (
    complete_lines,
    from_row_code,
    mask_of,
    parse_board,
    row_code,
    segments,
    symmetries,
)
from bidarena.envs.coins.render import ansi, picture
from bidarena.envs.coins.rules import S
from bidarena.envs.game import OVER

POINTS = [1, -2, 3, 1, 2, -1]  # for a triangle of three rows


class Table(GameTable):
    """A game that is played move by move with given coins."""

    def __init__(self, **options):
        super().__init__("coins", **options)

    def take(self, *numbers):
        self.play(action_of(self.game, numbers))
        return self

    @property
    def choices(self):
        return {segment_of(self.game, action) for action in np.flatnonzero(self.legal).tolist()}


# --- boards and lines ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "lines"),
    [
        ("*/**/***", {3: 3, 2: 3}),  # the report's two examples
        ("*/**/****", {4: 1, 3: 2, 2: 3}),
        ("triangle4", {4: 3, 3: 3, 2: 3}),
        ("square6", {6: 12}),
        ("rectangle2x5", {5: 2, 2: 5}),
        ("***/*.*/***", {3: 4}),
    ],
)
def test_coins_lines__complete_lines_are_as_the_seed_counts_them(board, lines):
    assert Counter(map(len, complete_lines(parse_board(board)))) == lines


def test_coins_lines__custom_rows_of_a_triangle_are_the_named_triangle():
    named, drawn = parse_board("triangle3"), parse_board("*/**/***")
    assert segments(named, False, False, None) == segments(drawn, False, False, None)


def test_coins_lines__square6_has_216_actions_numbered_as_documented():
    game = make_game("coins")
    assert game.actions == 216
    sizes = Counter(len(segment_of(game, action)) for action in range(216))
    assert sizes == {1: 36, 2: 60, 3: 48, 4: 36, 5: 24, 6: 12}
    assert [segment_of(game, a) for a in (0, 35, 36, 65, 66)] == [
        (0,),
        (35,),
        (0, 1),
        (34, 35),
        (0, 6),
    ]
    assert segment_of(game, 209) == (30, 31, 32, 33, 34, 35)
    assert segment_of(game, 215) == (5, 11, 17, 23, 29, 35)


@pytest.mark.parametrize(
    "options",
    [{}, {"board": "triangle5"}, {"board": "square4", "diagonals": True, "gaps": True}],
)
def test_coins_lines__actions_and_coins_translate_both_ways(options):
    game = make_game("coins", **options)
    everything = [segment_of(game, action) for action in range(game.actions)]
    assert len(set(everything)) == game.actions
    assert [action_of(game, reversed(take)) for take in everything] == list(range(game.actions))


def test_coins_lines__coins_that_are_no_line_have_no_action():
    with pytest.raises(ValueError, match=r"coins=\[0, 7\].*no single move"):
        action_of(make_game("coins"), (0, 7))


@pytest.mark.parametrize(
    ("board", "ways"),
    [
        ("triangle2", 6),
        ("triangle5", 6),
        ("square6", 8),
        ("rectangle3x4", 4),
        ("***/*.*/***", 8),
        ("*/**/****", 1),
        ("**/***/.**", 12),  # a hexagon
    ],
)
def test_coins_lines__symmetries_map_lines_to_lines(board, ways):
    layout = parse_board(board)
    found = symmetries(layout)
    lines = set(segments(layout, False, False, None))
    assert len(found) == ways
    assert found[0] == tuple(range(len(layout.cells)))
    for goes in found:
        assert sorted(goes) == list(range(len(layout.cells)))
        assert {tuple(sorted(goes[coin] for coin in line)) for line in lines} == lines


def test_coins_lines__symmetries_keep_the_points():
    square = parse_board("square3")
    assert len(symmetries(square, [1, 2, 1, 2, 5, 2, 1, 2, 1])) == 8
    assert len(symmetries(square, [1, 0, 0, 0, 0, 0, 0, 0, 1])) == 4
    assert len(symmetries(square, list(range(9)))) == 1


# --- the row code --------------------------------------------------------------------------------


def test_coins_row_code__the_seeds_example_comes_and_goes():
    game = make_game("coins")
    state = state_of(game, [60, 6, 0, 63, 1, 32], mover=1)
    assert rows_of(game, state) == [60, 6, 0, 63, 1, 32]
    assert game.call("to_move")(game.cfg, state) == 1
    bits = [[int(state[S.board]) >> (6 * row + c) & 1 for c in range(6)] for row in range(6)]
    # The report draws 1 1 0 1 1 1 for the first row, which is 59; its other rows agree.
    assert bits == [
        [0, 0, 1, 1, 1, 1],
        [0, 1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 1],
        [1, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 1],
    ]
    assert row_code(board_of(game), mask_of([0, 1, 3, 4, 5]))[0] == 59
    assert row_code(board_of(game), mask_of([0, 1, 3]))[0] == 11  # its second example agrees


@pytest.mark.parametrize("board", ["square4", "triangle4", "**.*/*.../.***", "*/**/****"])
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_coins_row_code__every_position_comes_back(board, data):
    layout = parse_board(board)
    position = data.draw(st.integers(0, 2 ** len(layout.cells) - 1))
    assert from_row_code(layout, row_code(layout, position)) == position


@pytest.mark.parametrize("rows", [[64, 0, 0, 0, 0, 0], [1] * 5, [0, 0, -1, 0, 0, 0]])
def test_coins_row_code__impossible_rows_are_refused(rows):
    with pytest.raises(ValueError, match="rows"):
        state_of(make_game("coins"), rows)


# --- the rules -----------------------------------------------------------------------------------


def test_coins__a_gap_ends_a_run():
    table = Table(board="rectangle1x5").take(2)
    assert table.choices == {(0,), (1,), (0, 1), (3,), (4,), (3, 4)}


def test_coins__with_gaps_any_coins_of_a_line_go_together():
    table = Table(board="rectangle1x4", gaps=True).take(2)
    assert table.choices == {(0,), (1,), (3,), (0, 1), (0, 3), (1, 3), (0, 1, 3)}


def test_coins__with_gaps_a_line_runs_across_holes():
    assert (0, 1) not in Table(board="*.*/***").choices
    assert (0, 1) in Table(board="*.*/***", gaps=True).choices


def test_coins__max_take_limits_a_move():
    assert max(map(len, Table(board="square4", max_take=2).choices)) == 2


def test_coins__diagonals_are_lines_only_if_asked_for():
    assert (0, 4, 8) not in Table(board="square3").choices
    assert {(0, 4, 8), (2, 4, 6), (1, 3)} <= Table(board="square3", diagonals=True).choices


@pytest.mark.parametrize(("last_coin", "result"), [("loses", [1.0, -1.0]), ("wins", [-1.0, 1.0])])
def test_coins__the_last_coin_decides(last_coin, result):
    table = Table(board="rectangle1x3", last_coin=last_coin).take(0, 1)
    assert table.status == 1
    assert (table.take(2).status, table.returns) == (OVER, result)


def test_coins__points_decide_and_the_last_coin_may_score():
    def played(**more):
        return Table(board="*/**/***", values=POINTS, **more).take(0, 2, 5).take(1, 4).take(3)

    # player 0 took 1 + 3 - 1 and 1, player 1 took -2 + 2
    table = played()
    assert table.state[S.points : S.points + 2].tolist() == [4, 0]
    assert (table.status, table.returns) == (OVER, [1.0, -1.0])
    assert played(last_bonus=-4).returns == [0.0, 0.0]
    assert played(last_bonus=-5).returns == [-1.0, 1.0]
    assert played(last_bonus=2, reward="margin").returns == [6 / 12, -6 / 12]
    assert played(score="last").returns == [-1.0, 1.0]


def test_coins__seeded_colours_are_drawn_for_every_game_from_the_palette():
    table = Table(board="square5", colours="seeded")
    deals = []
    for _ in range(40):
        table.game.call("reset")(table.game.cfg, table.state, table.rng)
        deals.append(tuple(table.state[S.values :].tolist()))
    assert len(set(deals)) == 40
    counts = Counter(value for deal in deals for value in deal)
    assert set(counts) == set(coins.PALETTE)
    assert min(counts.values()) > 120  # of 200 expected


def test_coins__observation_is_a_bit_per_coin_and_the_turn():
    table = Table(board="triangle3").take(1, 3)
    np.testing.assert_array_equal(table.view(1), [1, 0, 1, 0, 1, 1, 1])
    np.testing.assert_array_equal(table.view(0), [1, 0, 1, 0, 1, 1, 0])


def test_coins__observation_shows_points_from_the_own_side():
    table = Table(board="triangle3", values=POINTS).take(2, 5)
    coin, unit = 3, 10
    shown = np.array([1, -2, 0, 1, 2, 0]) / coin
    np.testing.assert_allclose(table.view(1)[7:], [*shown, 0, 2 / unit], atol=1e-6)
    np.testing.assert_allclose(table.view(0)[7:], [*shown, 2 / unit, 0], atol=1e-6)


@pytest.mark.parametrize("options", [{"board": "square4"}, {"board": "triangle4", "gaps": True}])
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_coins__every_move_takes_its_coins_and_the_players_alternate(options, data):
    table = Table(**options)
    everything = {segment_of(table.game, action) for action in range(table.game.actions)}
    lying, moves = set(range(len(board_of(table.game).cells))), 0
    while table.status >= 0:
        assert table.status == moves % 2
        choices = table.choices
        assert choices == {take for take in everything if set(take) <= lying}
        take = data.draw(st.sampled_from(sorted(choices)))
        table.take(*take)
        lying -= set(take)
        moves += 1
    assert not lying and moves <= table.game.longest


def test_coins__a_board_of_63_coins_fits_into_one_word():
    table = Table(board="rectangle7x9")
    assert table.state[S.board] == 2**63 - 1
    assert table.legal.all()
    table.take(62)
    assert table.legal.sum() == sum(
        62 not in segment_of(table.game, a) for a in range(table.game.actions)
    )


# --- drawings ------------------------------------------------------------------------------------


def plain(text):
    for code in ("0", "1", "1;31", "1;32", "1;33", "1;34"):
        text = text.replace(f"\x1b[{code}m", "")
    return text


def test_coins_ansi__shows_coins_numbers_last_move_and_rule():
    table = Table(board="triangle3").take(1, 3)
    shown = plain(ansi(table.game, table.state, 0))
    board = [line.split() for line in shown.splitlines()[2:5]]
    assert board == [["●", "0"], ["○", "●", "·", "2"], ["○", "●", "●", "·", "4", "5"]]
    assert "4 of 6 coins left; the player who takes the last coin loses" in shown
    assert "you took 2 coins: 1 3" in shown
    assert "opponent took 2 coins: 1 3" in plain(ansi(table.game, table.state, 1))


def test_coins_ansi__tells_who_won_and_why():
    table = Table(board="*").take(0)
    assert "you lose: you took the last coin" in plain(ansi(table.game, table.state, 0))
    assert "you win: the opponent took the last coin" in plain(ansi(table.game, table.state, 1))
    table = Table(board="**", values=[1, 3], last_bonus=2).take(0).take(1)
    assert "you lose: 1 points to 5" in plain(ansi(table.game, table.state, 0))
    table = Table(board="**", values=[1, 1]).take(0).take(1)
    assert "draw" in plain(ansi(table.game, table.state, 0))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"board": "triangle7"},
        {"board": "*"},
        {"board": "rectangle1x30", "gaps": True, "max_take": 2},
        {"board": "rectangle30x1"},
        {"board": "***/*.*/***", "colours": "seeded"},
    ],
)
def test_coins_picture__is_drawn_in_every_state_of_a_game_and_changes_with_it(options):
    table = Table(**options)
    before = picture(table.game, table.state, 0)
    assert before.dtype == np.uint8 and before.shape[1:] == (720, 3)
    while table.status >= 0:
        table.take(*segment_of(table.game, int(np.flatnonzero(table.legal)[-1])))
        after = picture(table.game, table.state, 1)
        assert after.shape == before.shape and (after != before).any()
        before = after


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keyword", "values"),
    {
        "board": (
            "", "square", "square0", "square8", "triangle11", "rectangle4", "rectangle0x4",
            "hexagon3", "***\n***", "x*x", "/", "...", 6, None, "rectangle8x8", "*" * 64,
        ),
        "gaps": (1, "no", None),
        "diagonals": (0, "yes", None),
        "max_take": (0, -1, 37, 1.5, "2", True),
        "last_coin": ("lose", None, 1),
        "values": ([1, 2], "1,2", 5, [1.5] * 36, [101] * 36, ["a"] * 36),
        "colours": ("red", True, 3),
        "score": ("points", "first", 1),
        "last_bonus": (1, 101, "2", 1.5),
        "reward": ("margin", "bank", None),
    }.items(),
)  # fmt: skip
def test_coins__bad_values_are_refused_by_name(keyword, values):
    for value in values:
        with pytest.raises(ValueError, match=keyword):
            make_game("coins", **{keyword: value})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"board": "triangle4", "diagonals": True}, "diagonals=True.*triangular"),
        ({"board": "rectangle2x13", "gaps": True}, "gaps=True.*16,3.*smaller max_take"),
        ({"values": [1] * 36, "colours": "seeded"}, "give one of the two"),
    ],
)
def test_coins__impossible_combinations_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_game("coins", **options)


def test_coins__takes_are_the_masks_of_the_segments():
    game = make_game("coins", board="triangle3")
    assert takes_of(game) == [mask_of(segment_of(game, a)) for a in range(game.actions)]
