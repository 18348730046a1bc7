"""The raw batch: games played by hand, independent rows, forfeits, asking bots."""

from __future__ import annotations

import os
import pickle
import signal
from typing import Any

import numpy as np
import pytest
import toy_nim
import toy_sealed

from bidarena.envs import make_bot, make_game
from bidarena.envs.batch import CHANCE, LUCK, Batch, as_actions
from bidarena.envs.compile import compiled
from bidarena.envs.game import CUT_SHORT, OVER
from bidarena.envs.registry import bots

ARRAYS = ("states", "rngs", "movers", "observations", "masks", "returns", "illegal")


def scotch(**rules: Any):
    return make_game("scotch", **{"length": 4, "money": (3, 3), **rules})


def snapshot(batch: Batch) -> dict[str, np.ndarray]:
    return {name: getattr(batch, name).copy() for name in ARRAYS}


def assert_same(a: dict[str, np.ndarray], b: dict[str, np.ndarray], rows: Any = slice(None)):
    for name in ARRAYS:
        assert np.array_equal(a[name][rows], b[name][rows]), name


def legal_actions(batch: Batch, choice: np.random.Generator) -> np.ndarray:
    return np.array([choice.choice(np.flatnonzero(mask)) for mask in batch.masks])


def play_out(batch: Batch, seed: int = 0) -> list[dict[str, np.ndarray]]:
    choice = np.random.default_rng(seed)
    trace = []
    while (batch.movers >= 0).any():
        batch.step(legal_actions(batch, choice))
        trace.append(snapshot(batch))
    return trace


# --- self-play by hand ---------------------------------------------------------------------------


def test_batch__scotch_by_hand():
    batch = Batch(scotch(length=2), 2, seed=0)
    assert batch.movers.tolist() == [0, 0]
    assert batch.masks.tolist() == [[0, 1, 1, 1]] * 2
    batch.step([2, 1])
    assert batch.movers.tolist() == [1, 1]
    batch.step([1, 3])
    assert batch.movers.tolist() == [OVER, OVER]
    assert batch.returns.tolist() == [[1.0, -1.0], [-1.0, 1.0]]
    assert not batch.illegal.any()


def test_batch__observation_is_the_movers():
    batch = Batch(scotch(length=4, start=1, money=(2, 3)), 1, seed=0)
    money, other, _, distance, advantage = batch.observations[0].tolist()
    assert (money, other, distance, advantage) == pytest.approx((2 / 3, 1.0, 1 / 4, 1.0))
    batch.step([1])
    money, other, _, distance, advantage = batch.observations[0].tolist()
    assert (money, other, distance, advantage) == pytest.approx((1.0, 2 / 3, 3 / 4, 0.0))


def test_batch__turns_alternate_in_a_turn_based_game():
    batch = Batch(toy_nim.nim(heap=7, most=3), 1, seed=0)
    movers = []
    for stones in (3, 3, 1):
        movers.append(int(batch.movers[0]))
        batch.step([stones])
    assert movers == [0, 1, 0]
    assert batch.returns.tolist() == [[1.0, -1.0]]


def test_batch__returns_are_zero_before_the_end():
    batch = Batch(toy_nim.nim(), 3, seed=0)
    batch.step([3, 3, 3])
    assert (batch.returns == 0).all()
    batch.step([3, 3, 3])
    batch.step([1, 1, 1])
    assert (batch.returns[:, 0] == 1).all()
    batch.reset()
    assert (batch.returns == 0).all()


def test_batch__masks_are_all_ones_at_the_end():
    batch = Batch(scotch(), 20, seed=0)
    for past in play_out(batch):
        over = past["movers"] < 0
        assert (past["masks"][over] == 1).all()
        assert (past["masks"][~over].sum(axis=1) < batch.game.actions).all()


def test_batch__a_game_cut_short_says_so_and_nobody_wins():
    batch = Batch(scotch(length=9, money=(9, 9), max_rounds=1), 1, seed=0)
    batch.step([1])
    batch.step([2])
    assert batch.movers.tolist() == [CUT_SHORT]
    assert batch.returns.tolist() == [[0.0, 0.0]]
    assert not batch.illegal[0]


def test_batch__rows_that_are_over_stay_as_they_are():
    batch = Batch(scotch(length=2), 3, seed=0)
    batch.step([3, 1, 9])  # row 2 is lost at once
    batch.step([1, 3, 1])
    assert (batch.movers == OVER).all()
    before = snapshot(batch)
    for actions in ([1, 1, 1], [-1, 99, 0]):
        batch.step(actions)
        assert_same(before, snapshot(batch))


# --- dealing and seeds ---------------------------------------------------------------------------


def test_batch__reset_where_deals_in_those_rows_only():
    batch = Batch(toy_sealed.sealed(), 4, seed=0)
    batch.step([0, 1, 2, 0])
    before = snapshot(batch)
    batch.reset(np.array([True, False, False, True]))
    assert_same(before, snapshot(batch), [1, 2])
    assert batch.movers.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("where", [[1, 0], np.ones(3, bool), np.ones((2, 1), bool), [True]])
def test_batch__reset_refuses_a_where_of_another_kind(where):
    with pytest.raises(ValueError, match="where: expected 2 bools"):
        Batch(scotch(), 2, seed=0).reset(where)


def test_batch__reset_where_with_a_seed_leaves_the_chance_of_other_rows():
    batch = Batch(toy_sealed.sealed(), 3, seed=0)
    before = batch.rngs.copy()
    batch.reset(np.array([True, False, False]), seed=77)
    assert np.array_equal(batch.rngs[1:], before[1:])
    assert not np.array_equal(batch.rngs[0], before[0])


def test_batch__row_equals_a_batch_of_one_with_its_seed():
    game = toy_sealed.sealed()
    batch = Batch(game, 5, seed=100)
    singles = [Batch(game, 1, seed=100 + i) for i in range(5)]
    choice = np.random.default_rng(0)
    while (batch.movers >= 0).any():
        actions = legal_actions(batch, choice)
        batch.step(actions)
        for i, single in enumerate(singles):
            single.step(actions[i : i + 1])
            assert_same(
                snapshot(batch), {k: np.repeat(v, 5, 0) for k, v in snapshot(single).items()}, i
            )


def test_batch__seeds_may_be_listed():
    game = toy_sealed.sealed()
    listed, counted = Batch(game, 3, seed=4), Batch(game, 3)
    counted.reset(seed=[4, 5, 6])
    assert_same(snapshot(listed), snapshot(counted))


def test_batch__without_a_seed_the_generators_go_on():
    game = toy_nim.nim(heap=200, random_heap=True)
    one, two = Batch(game, 2, seed=4), Batch(game, 2, seed=4)
    heaps = set()
    for _ in range(6):
        one.reset()
        two.reset()
        assert_same(snapshot(one), snapshot(two))
        heaps.add(tuple(one.states[:, 0]))
    assert len(heaps) > 1


def test_batch__unseeded_batches_differ():
    game = toy_nim.nim(heap=10**9, random_heap=True)
    assert Batch(game, 1).states[0, 0] != Batch(game, 1).states[0, 0]


@pytest.mark.parametrize("seed", [[1, 2], [1, 2, 3, 4], []])
def test_batch__wrong_number_of_seeds_is_an_error(seed):
    with pytest.raises(ValueError, match="seeds for 3 rows"):
        Batch(scotch(), 3).reset(seed=seed)


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_batch__a_seed_that_is_no_whole_number_is_an_error(seed):
    with pytest.raises(ValueError, match="seed"):
        Batch(scotch(), 3, seed=seed)


@pytest.mark.parametrize("keyword", ["rows", "threads"])
@pytest.mark.parametrize("value", [0, -1, 1.5, None])
def test_batch__wrong_sizes_name_the_argument(keyword, value):
    with pytest.raises(ValueError, match=f"{keyword}="):
        Batch(scotch(), **{"rows": 2, "threads": 1, keyword: value})


# --- actions of every kind -----------------------------------------------------------------------


# array.astype(np.float64).
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "actions",
    [
        [1, 2],
        (1, 2),
        np.array([1, 2], np.uint8),
        np.array([1, 2], np.int32),
        np.array([1, 2], np.uint64),
        np.array([1, 2], ">i8"),
        np.array([1.0, 2.0], np.float32),
        np.array([1.0, 2.0], np.float16),
        np.array([1, 2], object),
        np.array([[1, 5], [2, 5]])[:, 0],
    ],
)
def test_as_actions__takes_whole_numbers_of_any_kind(actions):
    chosen = as_actions(actions, 2)
    assert chosen.dtype == np.int64 and chosen.tolist() == [1, 2]


@pytest.mark.parametrize(
    "strange",
    [np.nan, np.inf, -np.inf, 1.5, -1.0, 1e300, 2**63, 2**64 - 1, 10**30, -(10**30), None],
)
def test_as_actions__what_is_no_action_becomes_illegal_and_leaves_its_neighbour(strange):
    chosen = as_actions([strange, 2], 2)
    assert not 0 <= chosen[0] < 2**53
    assert chosen[1] == 2


def test_as_actions__a_number_beyond_all_floats_is_illegal_too():
    assert as_actions([10**400, 2], 2).tolist() == [-1, 2]


@pytest.mark.parametrize("actions", [["1", "2"], [b"1", b"2"], ["one", "two"], [1 + 2j, 2]])
def test_as_actions__text_and_complex_numbers_are_type_errors(actions):
    with pytest.raises(TypeError, match="actions: expected whole numbers"):
        as_actions(actions, 2)


@pytest.mark.parametrize("actions", [1, [1], [1, 2, 3], [[1, 2]], [[1], [2]], []])
def test_batch__wrong_shape_is_an_error_and_changes_nothing(actions):
    batch = Batch(scotch(), 2, seed=0)
    before = snapshot(batch)
    with pytest.raises(ValueError, match=r"actions: expected shape \(2,\)"):
        batch.step(actions)
    assert_same(before, snapshot(batch))


@pytest.mark.parametrize("kind", ["strided", "read-only"])
def test_batch__actions_of_any_layout_use_the_same_compiled_loop(kind):
    batch = Batch(scotch(), 2, seed=0)
    batch.step(np.array([1, 1]))
    known = len(batch._move.signatures)
    actions = np.ones((2, 2), np.int64)[:, 0] if kind == "strided" else np.ones(2, np.int64)
    actions.flags.writeable = kind == "strided"
    batch.step(actions)
    assert len(batch._move.signatures) == known


# --- illegal actions -----------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [-1, 0, 4, 2**62, np.nan, 0.5])
def test_batch__an_illegal_action_loses_that_row_only(wrong):
    batch, twin = Batch(scotch(), 3, seed=0), Batch(scotch(), 3, seed=0)
    batch.step([1, wrong, 2])
    twin.step([1, 1, 2])
    assert_same(snapshot(batch), snapshot(twin), [0, 2])
    assert batch.movers[1] == OVER and batch.illegal.tolist() == [False, True, False]
    assert batch.returns[1].tolist() == [-1.0, 1.0]
    assert (batch.masks[1] == 1).all()


def test_batch__the_second_player_loses_by_his_own_illegal_action():
    batch = Batch(scotch(), 1, seed=0)
    batch.step([1])
    batch.step([0])
    assert batch.returns.tolist() == [[1.0, -1.0]]


def test_batch__illegal_is_forgotten_by_the_next_deal():
    batch = Batch(scotch(), 2, seed=0)
    batch.step([9, 1])
    batch.reset()
    assert not batch.illegal.any() and (batch.returns == 0).all()


@pytest.mark.parametrize(
    ("sides", "loser", "expected"),
    [
        ((0, 1, 0, 1), 0, [-1, 1, -1, 1]),
        ((0, 1, 0, 1), 1, [1, -1, 1, -1]),
        ((0, 0, 1, 1), 3, [1, 1, -1, -1]),
        ((0, 1, 2), 1, [0.5, -1, 0.5]),
        ((0, 1, 2, 3), 0, [-1, 1 / 3, 1 / 3, 1 / 3]),
        ((0, 1, 1), 0, [-1, 0.5, 0.5]),
        ((0, 1, 1), 2, [2, -1, -1]),
    ],
)
def test_batch__a_forfeit_costs_the_whole_side_and_adds_to_zero(sides, loser, expected):
    batch = Batch(toy_sealed.sealed(players=len(sides), sides=sides), 1, seed=0)
    for _ in range(loser):
        batch.step([0])
    batch.step([7])
    assert batch.returns[0].tolist() == pytest.approx(expected)
    assert batch.returns[0].sum() == pytest.approx(0)


# --- asking bots ---------------------------------------------------------------------------------


def test_batch__ask_fills_only_the_rows_asked_for():
    game = toy_nim.nim(heap=7, most=3)
    batch = Batch(game, 4, seed=0)
    actions = np.full(4, -5)
    batch.ask(make_bot(game, "perfect"), np.array([True, False, True, False]), actions)
    assert actions.tolist() == [3, -5, 3, -5]


def test_batch__ask_skips_rows_that_are_over():
    game = toy_nim.nim(heap=3, most=3)
    batch = Batch(game, 2, seed=0)
    batch.step([3, 1])
    actions = np.full(2, -5)
    batch.ask(make_bot(game, "perfect"), np.ones(2, bool), actions)
    assert actions.tolist() == [-5, 2]


def test_batch__ask_draws_from_the_luck_and_touches_nothing_else():
    game = scotch()
    batch = Batch(game, 8, seed=0)
    before = snapshot(batch)
    actions = np.zeros(8, np.int64)
    batch.ask(make_bot(game, "random"), np.ones(8, bool), actions)
    after = snapshot(batch)
    assert np.array_equal(before["rngs"][:, CHANCE], after["rngs"][:, CHANCE])
    assert (before["rngs"][:, LUCK] != after["rngs"][:, LUCK]).any(axis=1).all()
    assert_same({**before, "rngs": after["rngs"]}, after)


def test_batch__self_play_of_bots_ends_as_nim_must():
    game = toy_nim.nim(heap=9, most=3)  # 9 % 4 != 0: the first player wins
    batch = Batch(game, 6, seed=1)
    perfect, rival = make_bot(game, "perfect"), make_bot(game, "random")
    actions = np.zeros(6, np.int64)
    while (batch.movers >= 0).any():
        batch.ask(perfect, batch.movers == 0, actions)
        batch.ask(rival, batch.movers == 1, actions)
        batch.step(actions)
    assert (batch.returns == [1.0, -1.0]).all()


# --- threads, pickling ---------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_batch__results_do_not_depend_on_the_threads(threads):
    one = Batch(toy_sealed.sealed(), 7, seed=5)
    many = Batch(toy_sealed.sealed(), 7, seed=5, threads=threads)
    for a, b in zip(play_out(one), play_out(many), strict=True):
        assert_same(a, b)


@pytest.mark.parametrize("threads", [1, 2])
def test_batch__pickled_in_mid_game_goes_on_identically(threads):
    batch = Batch(toy_sealed.sealed(), 4, seed=5, threads=threads)
    batch.step([0, 1, 2, 0])
    twin = pickle.loads(pickle.dumps(batch))
    for a, b in zip(play_out(batch), play_out(twin), strict=True):
        assert_same(a, b)


# --- names ---------------------------------------------------------------------------------------


def _plus_one(x):
    return x + 1


def test_game__a_name_with_a_slash_compiles():
    assert compiled(_plus_one, {}, "mine/nim")(1) == 2


def test_registry__a_third_partys_bots_stand_beside_those_of_all_games():
    for_all = {"random", "mcts", "dmcts", "ismcts", "mom", "pom", "bandit"}
    assert set(bots("toy_nim")) >= for_all | {"one_by_one", "perfect"}
    assert set(bots("toy_sealed")) >= for_all | {"highest"}
    assert "highest" not in bots("toy_nim")


@pytest.mark.parametrize(
    "actions", [np.zeros(2, np.int64), np.zeros(3, np.float64), np.zeros(6, np.int64)[::2]]
)
def test_batch__ask_refuses_an_array_it_cannot_write_to(actions):
    batch = Batch(scotch(), 3, seed=0)
    bot = make_bot(batch.game, "random")
    with pytest.raises(ValueError, match="actions"):
        batch.ask(bot, np.ones(3, np.bool_), actions)


def test_batch__threads_work_after_a_fork():
    batch = Batch(scotch(), 4, seed=0, threads=2)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        batch.reset(seed=0)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("name", ["movers", "masks", "returns", "illegal"])
def test_batch__what_compiled_code_trusts_cannot_be_written(name):
    batch = Batch(make_game("scotch"), 2, seed=0)
    for one in (batch, pickle.loads(pickle.dumps(batch))):
        before = getattr(one, name).copy()
        with pytest.raises(ValueError, match="read-only"):
            getattr(one, name)[:] = 1
        assert np.array_equal(getattr(one, name), before)
        one.step([20, 5])
        assert one.movers.tolist() == [1, 1]  # the views show what the loop has written
