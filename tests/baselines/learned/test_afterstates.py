"""Networks that judge positions: the compiled bot against a plain look-ahead, files, errors."""

import json
from functools import partial

import numpy as np
import pytest
import toy_nim  # noqa: F401 - registers the game
from networks import random_network

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.policy_file import load_policy, policy_bot, save_policy
from bidarena.cli.main import main
from bidarena.envs import make_bot, make_game
from bidarena.envs.rng import seeded
from bidarena.envs.testing import check_bot, random_states
from bidarena.evaluate.coins.exploit import exploit_coins
from bidarena.evaluate.hint import hint
from bidarena.evaluate.match import play_match

GAMES = [
    ("coins", {"board": "triangle4"}),
    ("coins", {"board": "square3", "score": "points", "colours": "seeded"}),
    ("toy_nim", {"heap": 12, "most": 3}),
]


judge = partial(random_network, head="afterstates")


def plain_worths(game, network, state):
    """Return the worth of each action by looking one move ahead, with the network in NumPy."""
    call = {name: game.call(name) for name in game.rules}
    player = call["to_move"](game.cfg, state)
    mask = np.zeros(game.actions, np.int8)
    call["legal"](game.cfg, state, mask)
    worth = np.full(game.actions, -np.inf)
    for action in np.flatnonzero(mask):
        after, out = state.copy(), np.zeros(game.players)
        call["step"](game.cfg, after, int(action), seeded(np.random.default_rng(1), 2))
        mover = call["to_move"](game.cfg, after)
        if mover < 0:
            call["returns"](game.cfg, after, out)
            worth[action] = out[player] / max(map(abs, game.return_range))
        else:
            view = np.zeros(game.observation_size, np.float32)
            call["observe"](game.cfg, after, mover, view)
            value = np.tanh(float(network(view[None])[0, 0]) / 2)
            worth[action] = value if game.teams[mover] == game.teams[player] else -value
    return worth


@pytest.mark.parametrize(("name", "rules"), GAMES)
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_afterstates__the_bot_looks_one_move_ahead(name, rules, activation):
    game = make_game(name, **rules)
    network = judge(game, activation=activation)
    bot = network_bot(game, network, "net")
    choose, law = game.compiled(bot.act), game.compiled(bot.distribution)
    mask, luck = np.zeros(game.actions, np.int8), seeded(np.random.default_rng(0), 2)
    count = 0
    for state, mover, _ in random_states(game, games=20, seed=1):
        before = state.copy()
        action = choose(game.cfg, bot.params, state, mover, luck, mask)
        worth = plain_worths(game, network, state)
        assert worth[action] == pytest.approx(worth.max(), abs=1e-5)
        out = np.zeros(game.actions)
        law(game.cfg, bot.params, state, mover, mask, out)
        assert out[action] == 1 and out.sum() == 1
        assert (state == before).all()
        count += 1
    assert count > 30
    assert bot.deterministic


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_afterstates__the_bot_passes_the_checks_of_all_bots(name, rules):
    game = make_game(name, **rules)
    check_bot(game, network_bot(game, judge(game), "net"))


def test_afterstates__comes_back_from_its_file(tmp_path):
    game = make_game("coins", board="triangle4")
    network = judge(game)
    path = save_policy(tmp_path / "net.safetensors", game, network)
    file = load_policy(path)
    assert file.network.head == "afterstates" and file.network.sizes == [11, 16, 8, 1]
    assert file.actions == game.actions
    for ours, theirs in zip(network.weights, file.network.weights, strict=True):
        assert (ours == theirs).all()
    bots = [policy_bot(game, path), network_bot(game, network, "net")]
    assert play_match(game, bots, 10).moves > 0


def test_afterstates__counts_as_it_learned_to_count(tmp_path):
    rules = {"board": "square3", "score": "points", "colours": "seeded"}
    game = make_game("coins", reward="margin", **rules)
    path = save_policy(tmp_path / "net.safetensors", game, judge(game))
    policy_bot(game, path)
    with pytest.raises(ValueError, match="reward: the policy knows 'margin'"):
        policy_bot(make_game("coins", reward="outcome", **rules), path)


def test_afterstates__is_used_by_the_commands(tmp_path, capsys):
    game = make_game("coins", board="square3")
    path = str(save_policy(tmp_path / "net.safetensors", game, judge(game)))
    board = ["--board", "square3"]
    told = {}
    for command in (
        ["match", "coins", *board, path, "random", "--games", "20", "--json"],
        ["exploit", "coins", path, *board, "--json"],
        ["evaluate", path, "--rivals", "random", "--games", "20", "--json"],
        ["tournament", "coins", path, "random", *board, "--folder", str(tmp_path / "t"), "--json"],
    ):
        assert main(command) == 0
        told[command[0]] = json.loads(capsys.readouterr().out)
    assert told["exploit"]["exact"]
    exact = exploit_coins(game, network_bot(game, judge(game), "net"))
    assert told["exploit"]["kept_where_it_matters"] == exact.kept_where_it_matters


def test_afterstates__gives_hints_and_plays_out_the_games_of_a_search(tmp_path):
    game = make_game("coins", board="square3")
    network = judge(game)
    path = str(save_policy(tmp_path / "net.safetensors", game, network))
    state = game.new_state(seeded(np.random.default_rng(0), 2))
    moves = hint(game, state, path).moves
    assert moves[0].share == 1 and moves[0].action == plain_worths(game, network, state).argmax()
    bot = make_bot(game, f"mcts:iterations=50,playout={path}")
    assert play_match(game, [bot, "random"], 10, seed=1).games == 10


@pytest.mark.parametrize(
    ("name", "rules", "message"),
    [
        ("raj", {}, r"game=<raj.*hides nothing and in which players move in turn"),
        ("scotch", {"know_opponent_money": False}, r"game=<scotch.*hides nothing"),
        ("twentynine", {}, r"game=<twentynine.*hides nothing"),
    ],
)
def test_afterstates__refuses_games_that_hide_something(name, rules, message, tmp_path):
    game = make_game(name, **rules)
    with pytest.raises(ValueError, match=message):
        network_bot(game, judge(game), "net")
    with pytest.raises(ValueError, match=message):
        save_policy(tmp_path / "net.safetensors", game, judge(game))


def test_afterstates__refuses_other_sizes_and_observations_alone():
    game = make_game("coins", board="triangle4")
    with pytest.raises(ValueError, match="expected 16 inputs and 1 outputs for coins, got 11 and"):
        network_bot(make_game("coins", board="triangle5"), judge(game), "net")
    masks = np.ones((1, game.actions), np.int8)
    with pytest.raises(ValueError, match=r"head='afterstates'.*network_bot"):
        judge(game).probabilities(np.zeros((1, 11), np.float32), masks)
