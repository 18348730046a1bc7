"""Regularised self-play: it comes to equilibria, and goes on exactly from where it was saved."""

from dataclasses import asdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
import toy_kuhn
import toy_pennies
import yaml
from our_games import OUR_GAMES

from bidarena import train
from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.policy_file import load_policy, save_policy
from bidarena.envs import make_bot, make_game
from bidarena.envs.batch import Batch
from bidarena.envs.registry import env_id
from bidarena.evaluate.exploit import exploit
from bidarena.evaluate.match import play_match
from bidarena.train.selfplay.games import draw, play
from bidarena.train.selfplay.mmd import MMD, MMDSettings

SMALL = {"rows": 64, "hidden": [16], "minibatch": 128}
TINY_RAJ = {"cards": [1, 2, 3], "items": [1, 2, 3], "reward": "margin"}


def trained(game, total, **settings):
    learner = MMD(game, settings, seed=1, total=total)
    while learner.steps < total:
        learner.learn()
    return learner


def chances(network, view, legal):
    logits = network(np.array([view], np.float32))[0].astype(float)
    weights = np.where(legal, np.exp(logits - logits.max()), 0.0)
    return weights / weights.sum()


def test_mmd__raj_comes_close_to_equilibrium():
    game = make_game("raj", **TINY_RAJ)
    untrained = MMD(game, {}, seed=1, total=1).network()
    before = exploit(game, network_bot(game, untrained, "untrained")).best_response_value
    settings = {"rows": 512, "hidden": [32, 32], "minibatch": 512, "magnet_end": 0.01}
    network = trained(game, 200_000, explore=0.3, **settings).network()
    after = exploit(game, network_bot(game, network, "mmd")).best_response_value
    assert before > 0.5
    assert after < 0.12


def test_mmd__uneven_pennies_are_shown_as_often_as_they_should():
    game = toy_pennies.pennies()  # heads one time in three, for both
    drawn = {"magnet": 0.2, "magnet_end": 0.02, "learning_rate": 3e-3}
    learner = trained(game, 150_000, rows=512, hidden=[16], minibatch=256, **drawn)
    for seat in range(2):
        heads = chances(learner.network(), [0.0, seat], [True, True])[0]
        assert heads == pytest.approx(1 / 3, abs=0.05)


@pytest.mark.parametrize("oracle", [[], ["card"]])
def test_mmd__kuhn_poker_with_hidden_cards_comes_close_to_equilibrium(oracle):
    game = toy_kuhn.kuhn()
    untrained = MMD(game, {}, seed=1, total=1)
    drawn = {"magnet": 0.2, "magnet_end": 0.02, "learning_rate": 3e-3, "decay": 1.0}
    drawn["oracle"] = oracle
    learner = trained(game, 100_000, rows=512, hidden=[32], minibatch=256, **drawn)
    assert kuhn_exploitability(untrained.network()) > 0.15
    assert kuhn_exploitability(learner.network()) < 0.08


def kuhn_exploitability(network):
    """Half of what two best responses win together, of stakes of 1 and 1/2, by enumeration."""

    def plays(card, player, moves, facing):
        view = [card == 0, card == 1, card == 2, player, moves / 3, facing]
        now = chances(network, view, [not facing, not facing, facing, facing])
        return now[toy_kuhn.CALL if facing else toy_kuhn.BET]  # how likely he is to put chips in

    def value(bold):
        """Of player 0, if bold(card, player, moves, facing) says how likely he puts chips in."""
        total = 0.0
        for mine, other in ((a, b) for a, b in product(range(3), repeat=2) if a != b):
            won = 1.0 if mine > other else -1.0
            bets, called = bold(mine, 0, 0, False), bold(other, 1, 1, True)
            raised, calls = bold(other, 1, 1, False), bold(mine, 0, 2, True)
            after_bet = called * won + (1 - called) * 0.5
            after_check = raised * (calls * won - (1 - calls) * 0.5) + (1 - raised) * won / 2
            total += bets * after_bet + (1 - bets) * after_check
        return total / 6

    def respond(player, sign):
        spots = [
            (c, m, f) for c in range(3) for m, f in (((0, 0), (2, 1)), ((1, 0), (1, 1)))[player]
        ]
        best = -np.inf
        for choice in product((0.0, 1.0), repeat=len(spots)):
            own = dict(zip(spots, choice, strict=True))

            def bold(card, who, moves, facing, own=own):
                if who == player:
                    return own[card, moves, int(facing)]
                return plays(card, who, moves, facing)

            best = max(best, sign * value(bold))
        return best

    return (respond(0, 1.0) + respond(1, -1.0)) / 2


def test_mmd__goes_on_exactly_from_a_saved_state():
    game = make_game("raj", **TINY_RAJ)
    total = 3000
    one = MMD(game, {**SMALL, "explore": 0.3}, seed=3, total=total)
    for _ in range(2):
        one.learn()
    saved = one.state()
    other = MMD(game, {**SMALL, "explore": 0.3}, seed=99, total=total)
    other.learn()  # whatever it was before is forgotten
    other.restore(saved)
    for _ in range(3):
        first, second = one.learn(), other.learn()
        for name in ("entropy", "kl", "value_loss", "magnet", "learning_rate", "decisions"):
            assert first[name] == second[name]
    assert one.steps == other.steps
    mine, its = one.state(), other.state()
    assert mine.keys() == its.keys()
    for name, part in mine.items():
        assert np.array_equal(np.asarray(part), np.asarray(its[name])), name
    assert not np.array_equal(saved["policy.0"], mine["policy.0"])


def test_mmd__restores_the_very_beginning():
    game = make_game("raj", **TINY_RAJ)
    one = MMD(game, SMALL, seed=3, total=1000)
    saved = one.state()
    first = one.learn()
    one.learn()
    one.restore(saved)
    assert one.steps == 0
    assert one.learn()["value_loss"] == first["value_loss"]


def test_mmd__a_state_holds_tensors_arrays_and_numbers_only():
    learner = MMD(make_game("raj", **TINY_RAJ), SMALL, seed=0, total=1000)
    learner.learn()
    for name, part in learner.state().items():
        assert isinstance(name, str)
        assert isinstance(part, torch.Tensor | np.ndarray | int | float)


def test_mmd__the_state_of_another_network_is_refused():
    game = make_game("raj", **TINY_RAJ)
    wide = MMD(game, {**SMALL, "hidden": [17]}, seed=0, total=1000).state()
    with pytest.raises(ValueError, match=r"policy\.0.* does not fit"):
        MMD(game, SMALL, seed=0, total=1000).restore(wide)


def test_mmd__the_same_seed_learns_the_same():
    game = make_game("raj", **TINY_RAJ)
    networks = []
    for seed in (5, 5, 6):
        learner = MMD(game, SMALL, seed=seed, total=1000)
        learner.learn()
        networks.append(learner.network())
    assert np.array_equal(networks[0].weights[-1], networks[1].weights[-1])
    assert not np.array_equal(networks[0].weights[-1], networks[2].weights[-1])


def test_mmd__tells_what_it_did():
    game = make_game("raj", **TINY_RAJ)
    learner = MMD(game, SMALL, seed=0, total=1000)
    told = learner.learn()
    assert learner.steps == told["decisions"] == 64 * 2 * 2  # the last of three cards is forced
    assert 0 < told["env_seconds"] < told["seconds"]
    assert 0 < told["entropy"] < np.log(3)
    assert told["kl"] > 0
    assert all(np.isfinite(number) for number in told.values())


def test_mmd__partners_learn_from_their_common_result():
    learner = MMD(make_game("twentynine"), {**SMALL, "rows": 16}, seed=0, total=10_000)
    told = learner.learn()
    assert told["decisions"] > 16 * 20
    assert learner.network().sizes == [373, 16, 51]


def test_mmd__a_teacher_is_imitated_at_first():
    game = make_game("raj", **TINY_RAJ)
    settings = {"rows": 128, "hidden": [32], "minibatch": 64, "learning_rate": 5e-3}
    untrained = MMD(game, settings, seed=1, total=1)
    told = {**settings, "teacher": "valueplus", "teacher_share": 1.0}
    imitator = MMD(game, told, seed=1, total=20_000)
    while imitator.steps < imitator.total:
        imitator.learn()
    teacher = make_bot(game, "valueplus")
    shares = []
    for learner in (untrained, imitator):
        bot = network_bot(game, learner.network(), "net", deterministic=True)
        batch = Batch(game, 200, seed=7)
        same = total = 0
        chosen = [np.zeros(200, np.int64) for _ in range(2)]
        while (batch.movers >= 0).any():
            choice = (batch.movers >= 0) & (batch.masks.sum(axis=1) > 1)
            for player, actions in zip((bot, teacher), chosen, strict=True):
                batch.ask(player, np.ones(200, bool), actions)
            same += (chosen[0] == chosen[1])[choice].sum()
            total += choice.sum()
            batch.step(chosen[1])
        shares.append(same / total)
    assert shares[0] < 0.8
    assert shares[1] > 0.98


def test_mmd__after_its_teacher_it_plays_by_itself():
    game = make_game("raj", **TINY_RAJ)
    settings = {**SMALL, "teacher": "value", "teacher_share": 0.5}
    learner = MMD(game, settings, seed=1, total=1000)
    kinds = []
    while learner.steps < learner.total:
        kinds.append(learner.learn()["imitates"])
    assert kinds == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("tied", [True, False])
def test_mmd__begins_with_a_policy_that_stands_still_while_the_critic_learns(tied, tmp_path):
    game = make_game("twentynine")
    settings = {"rows": 16, "hidden": [12], "minibatch": 64, "tied": tied, "sharpen": 2.0}
    first = MMD(game, settings, seed=1, total=10_000)
    first.learn()
    policy = save_policy(tmp_path / "first.safetensors", game, first.network())
    later = MMD(
        game, {**settings, "begin": str(policy), "teacher_share": 0.05}, seed=2, total=10_000
    )
    views = np.random.default_rng(0).random((20, game.observation_size), np.float32)
    expected = load_policy(policy).network(views)
    np.testing.assert_allclose(later.network()(views), expected, atol=1e-4)
    critic = [part.detach().clone() for part in later._critic]
    later.learn()
    np.testing.assert_allclose(later.network()(views), expected, atol=1e-4)
    assert any((mine != its).any() for mine, its in zip(later._critic, critic, strict=True))
    later.restore(later.state())  # also in the middle of that
    while later.steps < 1500:
        later.learn()
    assert np.abs(later.network()(views) - expected).max() > 1e-3


def test_mmd__refuses_to_begin_with_layers_of_other_sizes():
    game = make_game("twentynine")
    with pytest.raises(ValueError, match=r"begin='learned', hidden=\[12\]: layers of"):
        MMD(game, {"hidden": [12], "begin": "learned"}, seed=1, total=10_000)
    with pytest.raises(ValueError, match="begin='learned': its network gives gains"):
        MMD(make_game("raj"), {"begin": "learned"}, seed=1, total=10_000)


def test_play__the_oracle_sees_what_the_others_see():
    game = toy_kuhn.kuhn()
    batch = Batch(game, 500, seed=0)
    luck = np.random.default_rng(0)

    def judge(observations, known, legal):
        assert np.array_equal(known[:, :6], observations)
        even = np.where(legal, -np.log(2), -np.inf).astype(np.float32)
        return even, np.zeros(legal.shape, np.float32)

    told = play(batch, judge, luck, decay=1.0, explore=0.0, oracle=["card"])
    own, other = told.seen_by_critic[:, :3], told.seen_by_critic[:, 6:]
    assert other.shape[1] == 3
    assert (own.sum(axis=1) == 1).all()
    assert (other.sum(axis=1) == 1).all()
    assert (own * other).sum() == 0  # never the same card


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"teacher": "nobody"}, "nobody"),
        ({"teacher_share": 2}, "teacher_share=2"),
        ({"oracle": ["cards"]}, "oracle.*cards"),
        ({"rivals": ["nobody"]}, "nobody"),
        ({"rival_share": -1}, "rival_share=-1"),
        ({"tied": "yes"}, "tied='yes'"),
        ({"gamma": 0.9}, "'gamma' is unknown; expected rows, hidden"),
        ({"rows": 0}, "rows=0"),
        ({"decay": 1.5}, "decay=1.5"),
        ({"magnet": 0.0}, "magnet=0.0"),
    ],
)
def test_mmd__refuses_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        MMD(make_game("raj", **TINY_RAJ), settings, seed=0, total=1000)


def test_mmd__sharpened_policies_play_their_best_moves_more_often():
    game = make_game("raj", **TINY_RAJ)
    plain, sharp = (trained(game, 2000, **SMALL, sharpen=factor).network() for factor in (1.0, 3.0))
    seen = np.random.default_rng(0).random((5, game.observation_size), np.float32)
    np.testing.assert_allclose(sharp(seen), 3 * plain(seen), rtol=1e-5)


def test_mmd__refuses_to_explore_where_that_would_mislead():
    with pytest.raises(ValueError, match=r"explore=0.5.*hidden"):
        MMD(toy_kuhn.kuhn(), {"explore": 0.5}, seed=0, total=1000)


def test_mmd__refuses_games_that_are_not_of_two_sides():
    with pytest.raises(ValueError, match="two sides"):
        MMD(make_game("raj", players=3), {}, seed=0, total=1000)


def always_heads(observations, known, legal):
    certain = np.tile(np.array([0.0, -np.inf], np.float32), (len(legal), 1))
    return certain, np.zeros(legal.shape, np.float32)


def test_play__nothing_is_learned_from_moves_that_explore():
    batch = Batch(toy_pennies.pennies(), 1000, seed=0)
    luck = np.random.default_rng(0)
    decisions = play(batch, always_heads, luck, decay=1.0, explore=0.5)
    assert 800 < len(decisions.actions) < 1200  # two each in about half of the games
    seat = decisions.observations[:, 1]
    assert decisions.targets == pytest.approx(np.where(seat == 0, 0.8, -0.8))
    assert len(set(batch.returns[:, 0])) > 1  # others did show tails


def test_play__rivals_play_one_side_in_their_share_of_the_games():
    game = make_game("raj", **TINY_RAJ)
    rivals = [make_bot(game, "value")]
    seen = []

    def first_card(observations, known, legal):
        only = np.where(np.arange(3) == legal.argmax(axis=1)[:, None], 0.0, -np.inf)
        seen.append(len(legal))
        return only.astype(np.float32), np.zeros(legal.shape, np.float32)

    luck = np.random.default_rng(0)
    for share, asked in ((1.0, 1.0), (0.0, 2.0), (0.5, 1.5)):
        batch = Batch(game, 1000, seed=0)
        told = play(
            batch, first_card, luck, decay=1.0, explore=0.0, rivals=rivals, rival_share=share
        )
        assert len(told.actions) / 2000 == pytest.approx(asked, abs=0.05)  # of two free decisions
        if share == 1.0:
            assert abs(told.targets.mean()) > 0.05  # what the policy gets, not its rival


def test_play__what_is_known_with_nothing_hidden_takes_the_place_of_results():
    game = make_game("raj", **TINY_RAJ)
    cards = np.array([0.1, 0.2, 0.3], np.float32)  # what each card is worth in the second round

    def even(observations, known, legal):
        chances = legal / legal.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            return np.log(chances).astype(np.float32), np.zeros(legal.shape, np.float32)

    class Counting(Batch):
        rounds = 0

        def step(self, actions):
            super().step(actions)
            self.rounds += int((self.movers == 0).all())

    def open_values(cfg, states, rows, movers, values, known):
        if batch.rounds == 1:
            values[:] = np.where(movers[:, None] == 0, cards, -cards)
            known[:] = True

    batch = Counting(game, 300, seed=0)
    luck = np.random.default_rng(0)
    told = play(batch, even, luck, decay=0.7, explore=0.0, open_values=open_values)
    first, second = told.targets[:600], told.targets[600:]
    seats = np.repeat([0, 1, 0, 1], 300)
    chosen = cards[told.actions[600:]] * np.where(seats[600:] == 0, 1, -1)
    assert second == pytest.approx(chosen)
    # before, each player expects the mean of the two cards that the first player then holds
    expected = 0.3 - cards[told.actions[:300]] / 2
    assert first[:300] == pytest.approx(expected)
    assert first[300:] == pytest.approx(-expected)


def test_mmd__learns_what_games_say_with_nothing_hidden():
    game = make_game("twentynine")
    settings = {**SMALL, "rows": 16, "open_share": 0.5}
    learner = MMD(game, settings, seed=0, total=1000)
    kinds = []
    while learner.steps < learner.total:
        kinds.append(learner.learn()["opened"])
    assert kinds[0] == 1.0
    assert kinds[-1] == 0.0
    with pytest.raises(ValueError, match="open_share: raj does not say"):
        MMD(make_game("raj"), {"open_share": 0.5}, seed=0, total=1000)


def test_mmd__learns_to_beat_its_rivals():
    game = make_game("raj", **TINY_RAJ)
    settings = {"rows": 256, "hidden": [32, 32], "minibatch": 256, "magnet_end": 0.01}
    settings |= {"rivals": ["valueplus"], "rival_share": 1.0}
    network = trained(game, 100_000, **settings).network()
    best = exploit(game, make_bot(game, "valueplus")).best_response_value
    bot = network_bot(game, network, "mmd", deterministic=True)
    reached = play_match(game, [bot, "valueplus"], 4000, seed=1).scores[0].mean
    assert best > 0.5
    assert reached > 0.85 * best


def test_play__refuses_to_explore_all_games_to_their_ends():
    batch = Batch(toy_pennies.pennies(), 3, seed=0)
    with pytest.raises(ValueError, match=r"rows=3, explore=0.999"):
        play(batch, always_heads, np.random.default_rng(0), decay=1.0, explore=0.999)


def test_draw__follows_the_probabilities_and_never_takes_the_impossible():
    law = np.array([0.0, 0.2, 0.5, 0.3, 0.0], np.float32)
    drawn = draw(np.tile(law, (100_000, 1)), np.random.default_rng(0))
    shares = np.bincount(drawn, minlength=5) / 100_000
    assert shares[0] == shares[4] == 0
    assert np.abs(shares - law).max() < 0.01


def test_hyperparameters__of_every_environment_are_settings_that_fit():
    text = (Path(train.__file__).parent / "hyperparameters" / "mmd.yml").read_text()
    chosen = yaml.safe_load(text)
    defaults = chosen.pop("default")
    assert defaults.pop("steps") > 0
    told = {**asdict(MMDSettings()), "hidden": list(MMDSettings().hidden)}
    told |= {"oracle": [], "rivals": []}
    assert defaults == told  # both say the same
    tuned = ("raj", "scotch", "richman", "coins", "twentynine")
    names = {env_id(name): name for name in OUR_GAMES}
    assert {env_id(name) for name in tuned} <= set(chosen) <= set(names)
    for entry, settings in chosen.items():
        game = make_game(names[entry], **settings.pop("rules", {}))
        assert settings.pop("steps") > 0
        assert MMDSettings(**settings).explore == 0 or not game.hidden


def test_mmd__refuses_to_fill_the_memory_with_endless_games(monkeypatch):
    game = make_game("raj", **TINY_RAJ)
    monkeypatch.setattr("bidarena.train.selfplay.games.MOST_BYTES", 5000)
    MMD(game, {**SMALL, "rows": 4}, seed=1, total=1000).learn()
    with pytest.raises(ValueError, match=r"rows=64: games of .*raj.* fewer rows"):
        MMD(game, SMALL, seed=1, total=1000).learn()
