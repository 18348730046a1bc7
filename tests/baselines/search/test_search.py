"""The search family on all kinds of games: options, clocks, memory, honesty, repeatability."""

from __future__ import annotations

import pickle
import time
from dataclasses import replace

import numpy as np
import pytest
import toy_kuhn
import toy_nim
import toy_pennies  # noqa: F401 - registers itself
import toy_sealed
from toy_kuhn import determinize as kuhn_determinize

from bidarena.baselines.coins.solver import LOW, table_of
from bidarena.baselines.search import analyse
from bidarena.baselines.search.layout import CAPACITY, SLOTS, TECHNIQUES
from bidarena.baselines.search.think import Thinker
from bidarena.envs import Batch, make_bot, make_game
from bidarena.envs.coins.rules import C, S
from bidarena.envs.learner import LearnerBatch
from bidarena.envs.registry import playing
from bidarena.envs.rng import below, seeded
from bidarena.envs.testing import check_bot, random_states
from bidarena.evaluate.match import play_match

COINS = make_game("coins", board="triangle4", last_coin="loses")


def words(seed):
    return seeded(np.random.default_rng(seed), 2)


def first_state(game, seed=0):
    state = game.new_state(words(seed))
    return state, int(game.call("to_move")(game.cfg, state))


def chosen(game, state, player, spec, seed=0):
    """Return the move of a bot that is asked through its compiled `act`, as in a batch."""
    bot = make_bot(game, spec)
    act = game.compiled(bot.act, **bot.more)
    scratch = np.zeros(game.actions, np.int8)
    return int(act(game.cfg, bot.params, state, player, words(seed), scratch))


# --- correct: against the exact table of Coins ---------------------------------------------------


def share_of_winning_moves_kept(game, spec, positions=120):
    """Return the share of won positions that stay won, where some moves lose and some win."""
    lost = table_of(game)
    kept = asked = 0
    for state, player, _ in random_states(game, 60, 7):
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        after = [int(state[S.board] ^ game.cfg[C.takes + a]) for a in np.flatnonzero(mask)]
        wins = [bool(lost[board >> LOW] >> np.uint64(board & 63) & np.uint64(1)) for board in after]
        if all(wins) or not any(wins) or asked == positions:
            continue
        asked += 1
        board = int(state[S.board] ^ game.cfg[C.takes + chosen(game, state, player, spec, asked)])
        kept += bool(lost[board >> LOW] >> np.uint64(board & 63) & np.uint64(1))
    assert asked >= 100
    return kept / asked


def test_mcts__finds_the_winning_moves_of_coins_with_enough_iterations():
    shares = [share_of_winning_moves_kept(COINS, f"mcts:iterations={n}") for n in (10, 300, 20_000)]
    assert shares[0] < shares[1] < shares[2]
    assert shares[2] > 0.97


@pytest.mark.parametrize("technique", ["dmcts", "ismcts", "mom"])
@pytest.mark.parametrize("selection", ["ucb1", "ucb_tuned", "thompson"])
def test_family__finds_the_winning_moves_where_nothing_is_hidden(technique, selection):
    spec = f"{technique}:iterations=5000,selection={selection}"
    assert share_of_winning_moves_kept(COINS, spec) > 0.85


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_family__wins_at_nim_from_every_heap(technique):
    """This includes pom and bandit: here the winning move is also best against random replies."""
    for heap in (2, 3, 5, 6, 7):
        game = toy_nim.nim(heap=heap)
        state, player = first_state(game)
        assert chosen(game, state, player, f"{technique}:iterations=3000") == heap % 4


def test_search__beats_random_in_sides_of_two():
    game = toy_sealed.sealed(rounds=3, cards=4)
    match = play_match(game, ["mcts:iterations=300", "random"] * 2, 100, seed=1)
    assert match.scores[0].mean > 0.3


def test_playout__is_by_the_bot_that_was_named():
    game = toy_nim.nim(heap=11)
    state, player = first_state(game)
    found = analyse(game, state, player, "bandit:playout=perfect")
    assert found.values[1:].tolist() == [-1.0, -1.0, 1.0]  # 3 leaves a multiple of 4
    assert np.abs(analyse(game, state, player, "bandit").values[1:]).max() < 0.9
    with pytest.raises(ValueError, match="float64"):
        make_bot(COINS, "mcts:playout=exact")


# --- honest --------------------------------------------------------------------------------------


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("game", ["toy_nim", "toy_sealed", "toy_kuhn", "toy_pennies"])
def test_family__plays_third_party_games_without_peeking(game, technique):
    if (game, technique) == ("toy_kuhn", "mcts"):
        pytest.skip("mcts plays games that hide nothing")
    check_bot(game, f"{technique}:iterations=200", games=8)


def _keeps_the_card(cfg, state, player, rng):
    pass


def _keeps_the_card_mostly(cfg, state, player, rng):
    if below(rng, 4) == 0:
        kuhn_determinize(cfg, state, player, rng)


@pytest.mark.parametrize("technique", ["dmcts", "ismcts", "mom", "pom", "bandit"])
@pytest.mark.parametrize("leak", [_keeps_the_card, _keeps_the_card_mostly])
def test_check_bot__catches_a_search_on_a_determinize_that_leaks(technique, leak):
    game = toy_kuhn.kuhn()
    broken = replace(game, rules={**game.rules, "determinize": leak})
    with pytest.raises(AssertionError, match="peeks"):
        check_bot(broken, f"{technique}:iterations=300", games=20)


@pytest.mark.parametrize("technique", [t for t in TECHNIQUES if t != "mcts"])
def test_family__ignores_a_waiting_bid_even_without_withdraw(technique):
    game = toy_sealed.sealed(players=2, sides=(0, 1))
    bare = replace(game, rules={k: v for k, v in game.rules.items() if k != "withdraw"})
    check_bot(bare, f"{technique}:iterations=100", games=10)


def test_mcts__refuses_games_that_hide_and_names_ismcts():
    with pytest.raises(ValueError, match="use ismcts"):
        make_bot(make_game("scotch", know_opponent_money=False), "mcts")
    with pytest.raises(ValueError, match="use ismcts"):
        make_bot(toy_kuhn.kuhn(), "mcts")
    assert make_bot(make_game("scotch"), "mcts").name == "mcts"


# --- repeatable ----------------------------------------------------------------------------------


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_family__same_seed_same_search_and_another_seed_another(technique):
    game = make_game("raj")
    state, player = first_state(game)
    spec = f"{technique}:iterations=500,selection=thompson"
    one, two, other = (analyse(game, state, player, spec, seed) for seed in (5, 5, 6))
    assert one.action == two.action
    assert np.array_equal(one.visits, two.visits) and np.array_equal(one.plan, two.plan)
    assert not np.array_equal(one.visits, other.visits)
    assert one.iterations == one.visits.sum() == 500


def test_threads__add_up_their_visits_and_repeat():
    game = make_game("raj")
    state, player = first_state(game)
    one, two = (analyse(game, state, player, "mcts:iterations=400,threads=3", 1) for _ in range(2))
    assert one.visits.sum() == one.iterations == 1200
    assert np.array_equal(one.visits, two.visits)


def test_threads__bot_plays_in_batches_environments_and_after_pickling():
    game = make_game("raj")
    bot = make_bot(game, "mcts:iterations=50,threads=2")
    batch = Batch(game, 4, seed=0, threads=2)
    actions = np.full(4, -1)
    batch.ask(bot, np.array([True, True, False, True]), actions)
    assert (actions[[0, 1, 3]] >= 0).all() and actions[2] == -1
    again = np.full(4, -1)
    batch2 = Batch(game, 4, seed=0)
    batch2.ask(pickle.loads(pickle.dumps(bot)), np.array([True, True, False, True]), again)
    assert np.array_equal(actions, again)
    learner = LearnerBatch(game, 3, opponents=[bot], threads=2)
    learner.seed(0, np.random.default_rng())
    learner.reset()
    for _ in range(6):
        learner.step(learner.masks.argmax(axis=1))
    assert not learner.flags[2:].any()


def test_reuse__keeps_the_tree_of_the_position_and_is_checked_like_others():
    bot = make_bot(COINS, "mcts:iterations=5000,reuse=true")
    state, player = first_state(COINS)
    first = analyse(COINS, state, player, bot)
    rng = words(3)
    for move in (first.action, None):
        if move is None:
            mask = np.zeros(COINS.actions, np.int8)
            COINS.call("legal")(COINS.cfg, state, mask)
            move = int(np.flatnonzero(mask)[0])
        COINS.call("step")(COINS.cfg, state, move, rng)
    assert isinstance(bot.outside, Thinker)
    later = analyse(COINS, state, player, bot)
    assert (
        later.visits.sum() > 5000
    )  # the visits of the first search below this position still count
    bot.outside.forget()
    assert analyse(COINS, state, player, bot).visits.sum() == 5000
    check_bot(COINS, bot, games=3)
    with pytest.raises(ValueError, match="reuse"):
        make_bot(make_game("raj"), "mcts:reuse=true")


# --- memory and clocks ---------------------------------------------------------------------------


@pytest.mark.parametrize("technique", ["mcts", "dmcts", "ismcts", "mom", "pom"])
def test_memory__bound_is_kept_and_the_search_goes_on(technique):
    game = make_game("coins", board="triangle5")
    state, player = first_state(game)
    small = analyse(game, state, player, f"{technique}:iterations=20000,memory=0.1", 0)
    large = analyse(game, state, player, f"{technique}:iterations=20000", 0)
    assert small.bytes_used <= small.bytes_reserved <= 0.1 * 2**20
    assert small.iterations == large.iterations == 20_000
    assert small.nodes < large.nodes
    assert small.visits.sum() == 20_000


def test_memory__is_shared_among_threads():
    game = make_game("coins", board="triangle5")
    state, player = first_state(game)
    found = analyse(game, state, player, "mcts:iterations=20000,memory=1,threads=4", 0)
    assert found.bytes_reserved <= 2**20


def test_clock__stops_the_search_in_time_and_fills_less_than_its_memory():
    game = make_game("raj")
    state, player = first_state(game)
    analyse(game, state, player, "ismcts:ms=1", 0)  # compiled
    began = time.perf_counter()
    found = analyse(game, state, player, "ismcts:ms=40", 0)
    assert 0.03 < time.perf_counter() - began < 1.0  # a loaded machine may pause it
    assert 0 < found.iterations < 10**6


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_clock__no_time_at_all_still_gives_a_legal_move(technique):
    for name in ("raj", "scotch", "coins"):
        game = make_game(name)
        for state, player, _ in random_states(game, 1, 3):
            mask = np.zeros(game.actions, np.int8)
            game.call("legal")(game.cfg, state, mask)
            assert mask[chosen(game, state, player, f"{technique}:ms=0")]
            assert mask[chosen(game, state, player, f"{technique}:iterations=1")]


def test_clock_and_count__whatever_ends_first():
    game = make_game("raj")
    state, player = first_state(game)
    assert analyse(game, state, player, "ismcts:ms=5000,iterations=70").iterations == 70


def test_search__a_forced_move_is_not_searched():
    game = toy_nim.nim(heap=1)
    state, player = first_state(game)
    found = analyse(game, state, player, "mcts")
    assert (found.action, found.iterations) == (1, 0)


# --- options -------------------------------------------------------------------------------------


def test_early_stop__drops_hopeless_moves_and_never_the_last():
    game = toy_nim.nim(heap=9)  # 1 wins; 2 and 3 lose to good replies
    state, player = first_state(game)
    plain = analyse(game, state, player, "mcts:iterations=20000,c=2", 0)
    stopped = analyse(game, state, player, "mcts:iterations=20000,c=2,early_stop=true", 0)
    assert plain.action == stopped.action == 1
    king = toy_kuhn.kuhn()
    state = np.array([toy_kuhn.KING, toy_kuhn.JACK, 0, -1, 0, 0])
    for move in (toy_kuhn.CHECK, toy_kuhn.BET):
        toy_kuhn.step(king.cfg, state, move, words(0))
    folding = analyse(king, state, 0, "ismcts:iterations=20000,c=6,early_stop=true", 0)
    assert folding.visits[toy_kuhn.FOLD] == 100  # always lost
    assert analyse(king, state, 0, "ismcts:iterations=20000,c=6").visits[toy_kuhn.FOLD] > 150
    jack = state.copy()
    jack[:2] = toy_kuhn.JACK, toy_kuhn.KING  # every move loses: one move is left
    both = analyse(king, jack, 0, "ismcts:iterations=5000,early_stop=true", 0)
    assert sorted(both.visits[[toy_kuhn.CALL, toy_kuhn.FOLD]])[0] == 100


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mcts:iterations=0", "iterations=0"),
        ("mcts:iterations=1.5", "iterations=1.5"),
        ("mcts:ms=-1", "ms=-1"),
        ("mcts:ms=soon", "ms='soon'"),
        ("mcts:selection=ucb2", "selection='ucb2'"),
        ("mcts:simultaneous=no", "simultaneous='no'"),
        ("mcts:c=-1", "c=-1"),
        ("mcts:selection=regret,c=0", "c=0"),
        ("mcts:simultaneous_c=2", "simultaneous_c=2"),
        ("mcts:playout=nobody", "playout='nobody'"),
        ("mcts:playout=ismcts", "does not search itself"),
        ("mcts:playout=7", "playout=7"),
        ("mcts:final=best", "final='best'"),
        ("mcts:early_stop=1", "early_stop=1"),
        ("mcts:memory=0", "memory=0"),
        ("mcts:threads=0", "threads=0"),
        ("mcts:reuse=1", "reuse=1"),
        ("dmcts:trees=0", "trees=0"),
        ("mcts:trees=3", "no option 'trees'"),
        ("ismcts:reuse=true", "no option 'reuse'"),
        ("mcts:belief=throws", "no option 'belief'"),
        ("ismcts:belief=throws", "no belief is registered for raj"),
    ],
)
def test_options__bad_ones_are_refused_by_name(spec, message):
    with pytest.raises(ValueError, match="opponent=") as wrong:
        make_bot(make_game("raj"), spec)
    assert message in str(wrong.value)


def test_options__tables_are_powers_of_two_with_room_to_spare():
    for memory in (0.01, 0.3, 1, 64):
        params = make_bot(make_game("raj"), f"mcts:iterations=1000000,memory={memory}").params
        slots, capacity = int(params[SLOTS]), int(params[CAPACITY])
        assert slots & (slots - 1) == 0
        assert 1 <= capacity <= slots
        assert 16 * slots + 64 * capacity <= memory * 2**20


def test_playing__searches_join_tournaments_with_few_iterations():
    made, refused = playing(make_game("scotch", know_opponent_money=False))
    assert "ismcts:iterations=100" in made
    assert "mcts" in refused
    assert not any(name.startswith(("dmcts", "mom", "pom", "bandit")) for name in made)


def test_analyse__refuses_others_bots_and_players_who_are_not_to_move():
    game = make_game("raj")
    state, _ = first_state(game)
    with pytest.raises(ValueError, match="search family"):
        analyse(game, state, 0, "value")
    with pytest.raises(ValueError, match="player=1"):
        analyse(game, state, 1, "mcts")
    with pytest.raises(ValueError, match="other rules"):
        analyse(make_game("raj", tie="split"), state, 0, make_bot(game, "mcts"))


def test_analyse__values_are_returns_and_numbers_fit_json():
    game = make_game("raj", reward="margin")
    state, player = first_state(game)
    found = analyse(game, state, player, "mcts:iterations=300")
    low, high = game.return_range
    looked_at = found.visits > 0
    assert (low <= found.values[looked_at]).all() and (found.values[looked_at] <= high).all()
    assert found.as_dict()["actions"][found.action]["visits"] > 0
    assert abs(found.plan.sum() - 1) < 1e-9
