"""A network that judges positions where players move at the same time, against plain Python."""

import numpy as np
import pytest
from brute_force import matrix_value
from networks import random_network

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import as_params, forward_all
from bidarena.baselines.learned.policy_file import load_policy, policy_bot, save_policy
from bidarena.baselines.learned.successors import settle
from bidarena.envs import Batch, make_game
from bidarena.envs.compile import compiled
from bidarena.envs.outcomes import outcomes
from bidarena.envs.testing import check_bot

GAMES = [
    make_game("scotch", length=4, money=(4, 5)),
    make_game("scotch", length=4, money=(4, 4), payment="opponent", max_rounds=20),
    make_game("raj", cards=[1, 2, 3, 4], items=[-1, 1, 2, 3], reward="margin"),
    make_game("richman", money=4, max_rounds=30),
    make_game("coins", board="triangle3"),
]


def named(game):
    return f"{game.name}-{game.options.get('payment', '')}"


def positions_network(game):
    return random_network(game, (16, 8), head="positions")


def view(game, state, player):
    seen = np.zeros(game.observation_size, np.float32)
    game.call("observe")(game.cfg, state, player, seen)
    return seen


def legal_actions(game, state):
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    return np.flatnonzero(mask)


def worth(game, network, state):
    """Return what player 0 expects in a position."""
    scale = np.abs(game.return_range).max()
    if game.call("to_move")(game.cfg, state) < 0:
        results = np.zeros(2)
        game.call("returns")(game.cfg, state, results)
        return results[0] / scale
    told = network(np.stack([view(game, state, player) for player in range(2)]))[:, 0]
    return np.tanh((told[0] - told[1]) / 2)


def expected(game, network, state, action):
    return sum(
        chance * worth(game, network, after) for chance, after in outcomes(game, state, action)
    )


@pytest.mark.parametrize("game", GAMES, ids=named)
def test_positions__the_bot_plays_an_equilibrium_of_all_positions_that_follow(game):
    network = positions_network(game)
    bot = network_bot(game, network, "positions")
    ask = game.compiled(bot.distribution, **bot.more)
    luck, batch, together = np.random.default_rng(0), Batch(game, 6, seed=0), 0
    for _ in range(12):
        for row in np.flatnonzero(batch.movers >= 0):
            state, player = batch.states[row].copy(), int(batch.movers[row])
            own = legal_actions(game, state)
            chances = np.zeros(game.actions)
            ask(game.cfg, bot.params, state, player, np.zeros(game.actions, np.int8), chances)
            assert chances.sum() == pytest.approx(1) and set(np.flatnonzero(chances)) <= set(own)
            if game.simultaneous is None or (chances.max() == 1 and len(own) == 1):
                continue
            after = outcomes(game, state, own[0])[0][1]
            part = game.state[game.simultaneous]
            if player == 1 or game.call("to_move")(game.cfg, after) != 1:
                continue
            if not np.array_equal(after[part], state[part]):
                continue
            matrix = np.array(
                [
                    [
                        expected(game, network, outcomes(game, state, a)[0][1], b)
                        for b in legal_actions(game, after)
                    ]
                    for a in own
                ]
            )
            together += 1
            value = matrix_value(matrix)
            assert (chances[own] @ matrix).min() == pytest.approx(value, abs=1e-5)
        moves = [luck.choice(np.flatnonzero(mask)) for mask in batch.masks]
        batch.step(np.where(batch.movers >= 0, moves, 0))
    assert together > 4 or game.simultaneous is None


def test_positions__alone_the_best_move_is_taken():
    game = make_game("coins", board="triangle3")
    network = positions_network(game)
    bot = network_bot(game, network, "positions")
    ask = game.compiled(bot.distribution, **bot.more)
    state = game.new_state(np.array([1, 2], np.uint64))
    chances = np.zeros(game.actions)
    ask(game.cfg, bot.params, state, 0, np.zeros(game.actions, np.int8), chances)
    worths = {
        action: expected(game, network, state, action) for action in legal_actions(game, state)
    }
    assert chances.argmax() == max(worths, key=worths.get) and chances.max() == 1


@pytest.mark.parametrize(
    ("game", "head"), [(GAMES[0], "positions"), (GAMES[3], "positions"), (GAMES[2], "gains")]
)
def test_positions__asked_in_many_positions_at_once_the_bot_chooses_as_in_each(game, head):
    bot = network_bot(game, random_network(game, (16, 8), head=head), "positions")
    ask = game.compiled(bot.distribution, **bot.more)
    luck, batch, seen = np.random.default_rng(0), Batch(game, 40, seed=0), 0
    for _ in range(8):
        for seat in range(2):
            rows = np.flatnonzero(batch.movers == seat)
            if len(rows) == 0:
                continue
            together = bot.distributions(game, batch.states[rows], seat)
            for row, chances in zip(rows, together, strict=True):
                alone = np.zeros(game.actions)
                mask = np.zeros(game.actions, np.int8)
                ask(game.cfg, bot.params, batch.states[row].copy(), seat, mask, alone)
                np.testing.assert_allclose(chances, alone, atol=1e-3)
                seen += 1
        moves = [luck.choice(np.flatnonzero(mask)) for mask in batch.masks]
        batch.step(np.where(batch.movers >= 0, moves, 0))
    assert seen > 100


def test_gains__are_added_to_the_points_so_far():
    """The bot plays an equilibrium of points, also where the game is played for the outcome."""
    margin = GAMES[2]
    outcome = make_game("raj", **{**margin.options, "reward": "outcome"})
    network = random_network(margin, (16, 8), head="gains")
    state = margin.new_state(np.array([1, 2], np.uint64))
    own, at = legal_actions(margin, state), margin.state["banks"].start

    def points(after):
        ahead = float(after[at] - after[at + 1])
        if margin.call("to_move")(margin.cfg, after) < 0:
            return ahead
        told = network(np.stack([view(margin, after, player) for player in range(2)]))[:, 0]
        return ahead + (told[0] - told[1]) / 2

    def cell(a, b):
        after = outcomes(margin, state, a)[0][1]
        return sum(chance * points(end) for chance, end in outcomes(margin, after, b))

    matrix = np.array([[cell(a, b) for b in own] for a in own])
    for game in (margin, outcome):
        bot = network_bot(game, network, "gains")
        chances = bot.distributions(game, state[None], 0)[0]
        assert (chances[own] @ matrix).min() == pytest.approx(matrix_value(matrix), abs=1e-5)


def test_gains__need_points():
    game = GAMES[0]
    with pytest.raises(ValueError, match="counts points"):
        network_bot(game, random_network(game, (4,), head="gains"), "x")


@pytest.mark.parametrize("game", GAMES, ids=named)
def test_positions__the_bot_plays_by_the_rules_and_does_not_peek(game):
    check_bot(game, network_bot(game, positions_network(game), "positions"), games=3)


def test_positions__policy_files_keep_the_slack(tmp_path):
    from dataclasses import replace

    game = GAMES[0]
    network = replace(positions_network(game), slack=0.25, pure=True)
    path = save_policy(tmp_path / "one.safetensors", game, network)
    assert load_policy(path).network.slack == 0.25 and load_policy(path).network.pure
    np.testing.assert_array_equal(
        policy_bot(game, path).params, network_bot(game, network, "x").params
    )


@pytest.mark.parametrize(
    ("name", "rules"), [("raj", {"players": 3}), ("raj", {"reward": "bank"}), ("twentynine", {})]
)
def test_positions__other_games_are_refused(name, rules):
    game = make_game(name, **rules)
    with pytest.raises(ValueError, match="zero-sum game of two players"):
        network_bot(game, random_network(game, (4,), head="positions"), "x")


def test_settle__takes_the_middle_of_good_choices():
    """Rows 2 to 6 guarantee 0, up to what a network may be wrong; the first best is row 6."""
    guarantees = np.array([-1, -0.9, -0.04, -0.02, -0.03, -0.01, 0, -0.8, -1])
    matrix = np.tile(guarantees[:, None], (1, 3)) + np.array([0.0, 0.01, 0.02])
    row, column = np.zeros(9), np.zeros(3)
    run = compiled(settle, {}, "test")
    assert run(matrix, 0.05, False, row, column) == pytest.approx(0.0)
    assert row.argmax() == 4 and column.argmax() == 1
    assert run(matrix, 0.0, False, row, column) == pytest.approx(0.0)
    assert row.argmax() == 6 and column.argmax() == 0


@pytest.mark.parametrize("best", [2, 3])
def test_settle__of_two_middles_takes_the_better(best):
    guarantees = np.array([-1, -0.9, -0.07, -0.07, -0.9])
    guarantees[best] = 0.0
    matrix = np.tile(guarantees[:, None], (1, 3)) + np.array([0.0, 0.01, 0.02])
    row, column = np.zeros(5), np.zeros(3)
    run = compiled(settle, {}, "test")
    run(matrix, 0.1, True, row, column)
    assert row.argmax() == best
    row, column = np.zeros(3), np.zeros(5)
    run(np.ascontiguousarray(-matrix.T), 0.1, True, row, column)
    assert column.argmax() == best


def test_settle__against_a_player_without_a_choice_both_take_the_best():
    wins = np.array([[0.0, 0.06, 0.09, 0.05, 0.1]])
    run = compiled(settle, {}, "test")
    row, column = np.zeros(5), np.zeros(1)
    assert run(np.ascontiguousarray(wins.T), 0.1, True, row, column) == pytest.approx(0.1)
    assert row.tolist() == [0, 0, 0, 0, 1] and column.tolist() == [1]
    row, column = np.zeros(1), np.zeros(5)
    assert run(-wins, 0.1, True, row, column) == pytest.approx(-0.1)
    assert row.tolist() == [1] and column.tolist() == [0, 0, 0, 0, 1]


def test_settle__mixes_where_no_pure_choice_is_good():
    matrix = np.array([[1.0, -1.0], [-1.0, 1.0]])
    row, column = np.zeros(2), np.zeros(2)
    assert compiled(settle, {}, "test")(matrix, 0.1, False, row, column) == pytest.approx(0.0)
    assert row == pytest.approx([0.5, 0.5]) and column == pytest.approx([0.5, 0.5])


def test_settle__pure_choices_guarantee_most_and_are_worth_the_middle():
    matrix = np.array([[0.9, -0.4], [-1.0, 1.0]])
    row, column = np.zeros(2), np.zeros(2)
    value = compiled(settle, {}, "test")(matrix, 0.1, True, row, column)
    assert value == pytest.approx((-0.4 + 0.9) / 2)
    assert row.tolist() == [1, 0] and column.tolist() == [1, 0]


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_forward_all__is_the_network(activation):
    from dataclasses import replace

    game = GAMES[2]
    network = replace(positions_network(game), activation=activation)
    views = np.random.default_rng(1).uniform(-1, 1, (8, game.observation_size)).astype(np.float32)
    told = compiled(forward_all, {}, "test")(as_params(network, False), views)
    np.testing.assert_allclose(told, network(views), atol=1e-5)
