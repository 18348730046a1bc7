"""Searches that a learned policy guides: by priors, by values, by both, and without peeking."""

from __future__ import annotations

import numpy as np
import pytest
import toy_kuhn  # noqa: F401 - registers itself
import toy_nim
import toy_sealed  # noqa: F401 - registers itself
from networks import random_network

from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import save_policy
from bidarena.baselines.search import analyse
from bidarena.envs import make_bot, make_game
from bidarena.envs.rng import seeded
from bidarena.envs.testing import check_bot

NIM = make_game("toy_nim", heap=11, most=3)  # leave 8, 4 or 0 stones: take 3


def knowing(head, sign=1.0):
    """Return a network that knows Nim; with `sign=-1` it takes everything for its opposite.

    Its hidden layer has a relu that begins at each number of stones, so that a peak over one number
    is a sum of three of them.
    """
    heap, most = 11, 3
    kinks = np.arange(-4, heap + 3)
    first = np.zeros((2, len(kinks)), np.float32)
    first[0] = heap  # the observation is stones / heap

    def peak(at):
        row = np.zeros(len(kinks), np.float32)
        for kink, weight in ((at - 1, 1), (at, -2), (at + 1, 1)):
            row[kinks == kink] = weight
        return row

    columns = []
    if head != "afterstates":  # a logit for each action: what it leaves should be 0, 4 or 8
        columns += [10 * sign * sum(peak(good + a) for good in (0, 4, 8)) for a in range(most + 1)]
    if head != "logits":  # the player to move loses with 4 or 8
        columns += [-20 * sign * (peak(4) + peak(8))]
    biases = np.zeros(len(columns), np.float32)
    biases[-1] = 10 * sign if head != "logits" else 0
    weights = (first, np.stack(columns, 1).astype(np.float32))
    return Network(weights, ((-kinks).astype(np.float32), biases), head=head)


def share_of_right_moves(spec, game=NIM, tries=40):
    """Return how often a search takes 3 of 11 stones."""
    bot = make_bot(game, spec)
    act = game.compiled(bot.act, **bot.more)
    state = game.new_state(seeded(np.random.default_rng(0), 2))
    mask = np.zeros(game.actions, np.int8)
    found = [
        act(game.cfg, bot.params, state, 0, seeded(np.random.default_rng(seed), 2), mask)
        for seed in range(tries)
    ]
    return np.mean([move == 3 for move in found])


@pytest.mark.parametrize(
    ("technique", "head"),
    [(t, h) for t in ("mcts", "ismcts", "bandit") for h in ("logits", "afterstates")]
    + [("mcts", "policy_value"), ("ismcts", "policy_value"), ("mom", "logits"), ("pom", "logits")],
)
def test_policy__ten_iterations_find_what_the_network_knows(tmp_path, technique, head):
    right = save_policy(tmp_path / "right.safetensors", NIM, knowing(head))
    wrong = save_policy(tmp_path / "wrong.safetensors", NIM, knowing(head, -1.0))
    plain = share_of_right_moves(f"{technique}:iterations=10")
    assert 0.1 < plain < 0.9
    assert share_of_right_moves(f"{technique}:iterations=10,policy={right}") == 1
    assert share_of_right_moves(f"{technique}:iterations=10,policy={wrong}") < 0.1


def test_policy__a_wrong_prior_is_overcome_by_searching_on(tmp_path):
    wrong = save_policy(tmp_path / "wrong.safetensors", NIM, knowing("logits", -0.2))
    shares = [share_of_right_moves(f"mcts:iterations={n},policy={wrong}") for n in (5, 20_000)]
    assert shares[0] < 0.2
    assert shares[1] > 0.95


def test_policy__values_take_the_place_of_playouts(tmp_path):
    path = save_policy(tmp_path / "one.safetensors", NIM, knowing("afterstates"))
    state = NIM.new_state(seeded(np.random.default_rng(0), 2))
    found = analyse(NIM, state, 0, f"mcts:iterations=3,c=50,policy={path}")
    assert found.visits.tolist() == [0, 1, 1, 1]
    assert found.values[3] > 0.99  # leaves 8 stones; a playout would win about every second time
    assert found.values[[1, 2]] == pytest.approx(-1, abs=0.02)


def test_policy__noise_at_the_root_makes_searches_differ(tmp_path):
    path = save_policy(tmp_path / "flat.safetensors", NIM, knowing("logits", 0.0))
    state = NIM.new_state(seeded(np.random.default_rng(0), 2))
    spec = f"bandit:iterations=30,policy={path},c=50,noise="
    for noise, different in ((0.0, False), (1.0, True)):
        visits = [analyse(NIM, state, 0, f"{spec}{noise}", seed=s).visits for s in range(5)]
        assert any((one != visits[0]).any() for one in visits) == different


@pytest.mark.parametrize("playout", ["random", "policy"])
def test_policy__the_network_can_play_the_games_out(tmp_path, playout):
    path = save_policy(tmp_path / "right.safetensors", NIM, knowing("logits"))
    state = NIM.new_state(seeded(np.random.default_rng(0), 2))
    found = analyse(NIM, state, 0, f"bandit:iterations=60,policy={path},playout={playout}")
    assert (found.values[3] > 0.95) == (playout == "policy")


@pytest.mark.parametrize(
    ("name", "rules", "head", "technique"),
    [
        ("toy_kuhn", {}, "logits", "ismcts"),
        ("toy_kuhn", {}, "policy_value", "mom"),
        ("toy_sealed", {}, "policy_value", "ismcts"),
        ("raj", {}, "policy_value", "ismcts"),
        ("raj", {}, "values", "dmcts"),
        ("scotch", {"money": 6}, "positions", "mcts"),
        ("coins", {"board": "triangle4"}, "afterstates", "mcts"),
        ("twentynine", {}, "logits", "ismcts"),
        ("twentynine", {}, "policy_value", "ismcts"),
    ],
)
def test_policy__guided_searches_do_not_peek(tmp_path, name, rules, head, technique):
    game = make_game(name, **rules)
    path = save_policy(tmp_path / "any.safetensors", game, random_network(game, head=head))
    check_bot(game, f"{technique}:iterations=30,policy={path}", games=2)


def test_policy__shipped_ones_go_by_the_names_of_their_bots():
    game = make_game("coins", board="triangle4")
    check_bot(game, "mcts:iterations=20,policy=learned", games=1)
    with pytest.raises(ValueError, match=r"policy='learned'.*other rules"):
        make_bot(make_game("coins", board="square3"), "mcts:policy=learned")


def test_policy__what_does_not_fit_is_refused(tmp_path):
    game = make_game("coins", board="triangle3")
    path = save_policy(tmp_path / "nim.safetensors", NIM, knowing("logits"))
    for spec, message in (
        (f"mcts:policy={path}", "another game"),
        ("mcts:policy=nowhere.safetensors", "no such file"),
        ("mcts:policy=random", "expected a policy file"),
        ("mcts:policy=5", "policy=5"),
        ("mcts:selection=puct", "expected policy=PATH"),
        ("mcts:noise=0.2", "expected policy=PATH"),
    ):
        with pytest.raises(ValueError, match=message):
            make_bot(game, spec)
    pairs = make_game("scotch", money=5)
    path = save_policy(tmp_path / "m.safetensors", pairs, random_network(pairs, head="matrix"))
    with pytest.raises(ValueError, match="neither priors nor values"):
        make_bot(pairs, f"mcts:policy={path}")


def test_policy_value__without_search_it_plays_its_logits(tmp_path):
    path = save_policy(tmp_path / "both.safetensors", NIM, knowing("policy_value"))
    bot = make_bot(NIM, f"{path}:deterministic=true")
    act = NIM.compiled(bot.act)
    mask, luck = np.zeros(NIM.actions, np.int8), np.ones(2, np.uint64)
    for stones in range(1, 12):
        state = NIM.new_state(luck)
        state[toy_nim.STONES] = stones
        if stones % 4:
            assert act(NIM.cfg, bot.params, state, 0, luck, mask) == stones % 4
