"""Scotch's bots: dynamic programming against brute force over the rules, Richman against theory."""

from functools import cache

import numpy as np
import pytest

from bidarena.baselines.scotch import bots
from bidarena.envs import Batch, make_bot, make_game
from bidarena.envs.scotch.rules import S
from bidarena.evaluate.match import play_match

BANK_VARIANTS = [
    {},
    {"tie": "holder"},
    {"broke": "lose"},
    {"both_broke": "play_on"},
    {"both_broke": "play_on", "tie": "holder"},
]


def choose(game, bot, position, money, advantage, player):
    """Return the bid of a compiled bot in a given state."""
    state = game.new_state(np.array([1, 2], np.uint64))
    state[S.position] = position
    state[S.money : S.money + 2] = money
    state[S.advantage] = advantage
    if player == 1:
        state[S.pending] = 1
    act = game.compiled(bot.act)
    scratch = np.zeros(game.actions, np.int8)
    return int(act(game.cfg, bot.params, state, player, np.array([1, 2], np.uint64), scratch))


def brute_force(game):
    """Return player 0's chance to win when all bids are random, by playing all of them."""
    to_move, step = game.call("to_move"), game.call("step")
    rng = np.array([1, 2], np.uint64)

    @cache
    def chance(key):
        state = np.array(key, np.int64)
        if int(to_move(game.cfg, state)) < 0:
            return float(state[S.outcome] == 0)
        total, count = 0.0, 0
        for bid in bids_of(state, 0):
            for rival in bids_of(state, 1):
                total += chance(after(state, bid, rival))
                count += 1
        return total / count

    def after(state, bid, rival):
        new = state.copy()
        step(game.cfg, new, bid, rng)
        step(game.cfg, new, rival, rng)
        new[S.round] = 0  # earlier bids and the number of the round do not matter
        new[S.last_bids : S.last_bids + 2] = -1
        return tuple(new.tolist())

    def bids_of(state, player):
        money = int(state[S.money + player])
        return range(1, money + 1) if money else (0,)

    return chance, after, bids_of


@pytest.mark.parametrize("rules", BANK_VARIANTS, ids=str)
def test_dp__chances_and_bids_equal_brute_force_over_the_rules(rules):
    most = 5
    game = make_game("scotch", length=4, money=most, **rules)
    table = bots.win_probability(game)
    bot = bots.dp(game)
    chance, after, bids_of = brute_force(game)
    start = game.new_state(np.array([1, 2], np.uint64))
    for own in range(1, most + 1):
        for other in range(most + 1):
            for position in range(1, 4):
                for advantage in (0, 1):
                    state = start.copy()
                    state[S.position] = position
                    state[S.money : S.money + 2] = own, other
                    state[S.advantage] = advantage
                    holds = int(advantage == 0)
                    if other == 0 and rules.get("broke") == "lose":
                        continue  # the game is over in this state
                    expected = chance(tuple(state.tolist()))
                    assert table[own, other, position, holds] == pytest.approx(expected, abs=1e-12)
                    values = {
                        bid: np.mean([chance(after(state, bid, r)) for r in bids_of(state, 1)])
                        for bid in bids_of(state, 0)
                        if bid > 1 or own == 1 or other == 0
                    }
                    best = max(values.values())
                    lowest = min(bid for bid, value in values.items() if value > best - 1e-9)
                    assert choose(game, bot, position, (own, other), advantage, 0) == lowest


def test_dp__is_the_same_from_both_seats():
    game = make_game("scotch", money=20)
    bot = bots.dp(game)
    for position, own, other, advantage in ((3, 12, 9, 0), (5, 20, 20, 1), (8, 4, 17, 0)):
        mirrored = choose(game, bot, 10 - position, (other, own), 1 - advantage, 1)
        assert choose(game, bot, position, (own, other), advantage, 0) == mirrored


def test_dp__coin_ties_average_the_two_ways():
    game = make_game("scotch", length=2, money=1, tie="coin")
    assert bots.win_probability(game)[1, 1, 1, 0] == pytest.approx(0.5)


def test_dp__richman_payment_chances_of_both_players_add_to_one_in_a_game_that_ends():
    game = make_game("scotch", payment="opponent", money=6, length=4, tie="alternate")
    table = bots.win_probability(game)
    total = 12
    for own in range(total + 1):
        for distance in range(5):
            for holds in (0, 1):
                mine = table[own, distance, holds]
                yours = table[total - own, 4 - distance, 1 - holds]
                assert mine + yours == pytest.approx(1.0, abs=1e-8)


def test_dp__richman_payment_agrees_with_simulation():
    # Unequal money and an off-centre start, so that no symmetry gives the answer away.
    game = make_game("scotch", payment="opponent", money=(6, 10), length=5, start=2)
    expected = bots.win_probability(game)[6, 2, 1]
    rows = 20_000
    won = float((_returns_of_player_0(game, ["random", "random"], rows) > 0).mean())
    assert abs(expected - 0.5) > 0.02
    assert won == pytest.approx(expected, abs=4 * (0.25 / rows) ** 0.5)


def test_dp__opening_bids_are_those_the_readme_tells():
    for rules, bid in (({}, 36), ({"broke": "lose"}, 46)):
        game = make_game("scotch", **rules)
        assert choose(game, bots.dp(game), 5, (100, 100), 0, 1) == bid


def test_dp__never_bids_one_when_it_can_bid_more():
    game = make_game("scotch", money=30)
    bids = bots.dp(game).params.reshape(31, 31, 11, 2)
    assert (bids[2:, 1:, 1:10, :] >= 2).all()


def test_dp__refuses_a_game_too_large_for_its_table():
    game = make_game("scotch", money=9000)
    with pytest.raises(ValueError, match="dp takes at most"):
        make_bot(game, "dp")


def test_dp__beats_random_bidding_clearly():
    match = play_match(make_game("scotch"), ["dp", "uniform"], 4000, seed=1)
    assert match.scores[0].mean - match.scores[0].half_width > 0.5


def test_uniform__bids_one_to_twenty_within_its_money():
    game = make_game("scotch")
    bot = make_bot(game, "uniform:high=7")
    act = game.compiled(bot.act)
    rng = np.random.default_rng(0).integers(1, 2**64, 2, dtype=np.uint64)
    state = game.new_state(rng.copy())
    seen = {int(act(game.cfg, bot.params, state, 0, rng, None)) for _ in range(300)}
    assert seen == set(range(1, 8))
    state[S.money] = 3
    seen = {int(act(game.cfg, bot.params, state, 0, rng, None)) for _ in range(300)}
    assert seen == {1, 2, 3}


@pytest.mark.parametrize("spec", ["uniform:high=0", "uniform:low=3", "uniform:high", "unifrom"])
def test_bots__bad_options_and_names_are_refused(spec):
    with pytest.raises(ValueError, match=r"high|low|option=value|uniform"):
        make_bot(make_game("scotch"), spec)


def test_richman__bids_total_over_length_when_the_loser_is_paid():
    game = make_game("scotch", payment="opponent", money=(120, 80))
    for position in range(1, 10):
        assert choose(game, bots.richman(game), position, (120, 80), 0, 0) == 20
    assert choose(game, bots.richman(game), 5, (5, 195), 0, 0) == 5


def test_richman__bids_the_poorman_price_worked_out_by_hand():
    # Line of length 2: thresholds 0, 1/2, 1; the price is half of all money.
    game = make_game("scotch", length=2, money=100)
    assert choose(game, bots.richman(game), 1, (100, 60), 0, 0) == 80
    # Length 3: thresholds 0, 1 - g, g, 1 with the golden section g = 0.618...; from position 1 the
    # price is g / (1 + g) of all money, from position 2 it is (1 - (1 - g)) / (1 + 1 - (1 - g)).
    golden = (5**0.5 - 1) / 2
    game = make_game("scotch", length=3, money=100)
    assert choose(game, bots.richman(game), 1, (70, 90), 0, 0) == round(160 * golden / (1 + golden))
    assert choose(game, bots.richman(game), 2, (90, 70), 0, 0) == round(160 * golden / (1 + golden))


def test_richman__with_more_than_its_threshold_hardly_ever_loses():
    for payment in ("bank", "opponent"):
        rich = make_game("scotch", payment=payment, money=(130, 70))
        for rival in ("uniform", "random", "dp"):
            batch_loss = _losses_of_the_rich(rich, rival)
            assert batch_loss < 0.02, (payment, rival)


def _losses_of_the_rich(game, rival):
    return float((_returns_of_player_0(game, ["richman", rival], 300) < 0).mean())


def _returns_of_player_0(game, names, rows):
    batch = Batch(game, rows)
    batch.rngs[:] = np.random.default_rng(5).integers(1, 2**64, batch.rngs.shape, dtype=np.uint64)
    batch.reset()
    players = [make_bot(game, name) for name in names]
    actions = np.zeros(rows, np.int64)
    while (batch.movers >= 0).any():
        for seat, bot in enumerate(players):
            batch.ask(bot, batch.movers == seat, actions)
        batch.step(actions)
    return batch.returns[:, 0]
