"""The rules of Scotch: the report's games, hand-checked rounds, hidden money, bad input."""

import itertools

import numpy as np
import pytest
from game_table import GameTable
from hypothesis import given, settings
from hypothesis import strategies as st

from bidarena.envs import make_game
from bidarena.envs.game import CUT_SHORT, OVER
from bidarena.envs.scotch.rules import S

# Bids (human, bot) of the two games printed in the report, and what the report prints before each
# round: position, human's money, bot's money.
GAME_1 = [
    ((9, 21), (5, 100, 100)),
    ((9, 17), (6, 100, 79)),
    ((9, 16), (7, 100, 62)),
    ((10, 2), (8, 100, 46)),
    ((9, 13), (7, 90, 46)),
    ((9, 6), (8, 90, 33)),
    ((9, 5), (7, 81, 33)),
    ((9, 5), (6, 72, 33)),
    ((9, 8), (5, 63, 33)),
    ((9, 10), (4, 54, 33)),
    ((7, 2), (5, 54, 23)),
    ((6, 2), (4, 47, 23)),
    ((8, 5), (3, 41, 23)),
    ((10, 6), (2, 33, 23)),
    ((23, 11), (1, 23, 23)),
]
GAME_2 = [
    ((20, 21), (5, 100, 100)),
    ((17, 17), (6, 100, 79)),
    ((18, 19), (5, 83, 79)),
    ((10, 12), (6, 83, 60)),
    ((16, 13), (7, 83, 48)),
    ((19, 13), (6, 67, 48)),
    ((14, 12), (5, 48, 48)),
    ((20, 12), (4, 34, 48)),
    ((10, 10), (3, 14, 48)),
    ((10, 11), (4, 14, 38)),
    ((14, 5), (5, 14, 27)),
]


class Table(GameTable):
    """A game that is played round by round with given bids."""

    def __init__(self, **rules):
        super().__init__("scotch", **rules)

    def bid(self, own, other):
        for amount in (own, other):
            self.play(amount)
        return self

    @property
    def shown(self):
        money = self.state[S.money : S.money + 2].tolist()
        return (int(self.state[S.position]), *money)

    @property
    def advantage(self):
        return int(self.state[S.advantage])

    @property
    def outcome(self):
        return int(self.state[S.outcome])


def replay(rounds, **rules):
    table = Table(**rules)
    for bids, shown in rounds:
        assert table.status == 0
        assert table.shown == shown
        table.bid(*bids)
    return table


def test_scotch__first_game_of_the_report_replays_and_the_human_wins():
    table = replay(GAME_1)
    assert table.shown[0] == 0
    assert table.status == OVER
    assert table.returns == [1.0, -1.0]


def test_scotch__second_game_of_the_report_replays_to_its_last_round():
    table = replay(GAME_2)
    assert table.shown == (4, 0, 27)
    assert table.status == 0
    table.bid(0, 5)  # the human has no money and keeps bidding 0
    assert table.shown == (5, 0, 22)


def test_scotch__second_game_of_the_report_ends_by_the_rule_that_no_money_loses():
    table = replay(GAME_2, broke="lose")
    assert table.status == OVER
    assert table.returns == [-1.0, 1.0]


def test_scotch__ties_go_to_the_holder_who_pays_and_passes_the_advantage():
    table = Table().bid(7, 7)
    assert (table.shown, table.advantage) == ((4, 93, 100), 1)
    table.bid(8, 8)
    assert (table.shown, table.advantage) == ((5, 93, 92), 0)


def test_scotch__a_holder_by_rule_never_passes_the_advantage():
    table = Table(tie="holder").bid(7, 7).bid(8, 8)
    assert (table.shown, table.advantage) == ((3, 85, 100), 0)


def test_scotch__a_coin_gives_ties_to_both_players_about_equally():
    won = 0
    game = make_game("scotch", tie="coin")
    source = np.random.default_rng(0)
    for _ in range(400):
        rng = source.integers(1, 2**64, 2, dtype=np.uint64)
        state = game.new_state(rng)
        assert state[S.advantage] == -1
        for _ in range(2):
            game.call("step")(game.cfg, state, 5, rng)
        won += int(state[S.position] == 4)
    assert 150 < won < 250


def test_scotch__richman_payment_goes_to_the_loser_of_the_round():
    table = Table(payment="opponent").bid(30, 20)
    assert table.shown == (4, 70, 130)
    assert table.game.actions == 201
    table.bid(1, 130)
    assert table.shown == (5, 200, 0)


def test_scotch__both_without_money_is_a_draw_at_once():
    table = Table(money=(1, 1), length=4).bid(1, 1)
    assert table.shown == (1, 0, 1)
    table.bid(0, 1)
    assert (table.shown, table.status) == ((2, 0, 0), OVER)
    assert table.returns == [0.0, 0.0]


def test_scotch__play_on_lets_the_holder_one_step_from_winning_win_a_tie_at_nothing():
    # Player 0 wins the tie, player 1 gets the advantage, then the bottle one step from their end.
    table = Table(money=(1, 1), length=3, start=2, both_broke="play_on").bid(1, 1)
    assert table.shown == (1, 0, 1)
    table.bid(0, 1)
    assert (table.shown, table.advantage, table.status) == ((2, 0, 0), 1, 0)
    table.bid(0, 0)
    assert (table.shown[0], table.status, table.returns) == (3, OVER, [-1.0, 1.0])


def test_scotch__play_on_calls_a_bottle_that_only_goes_to_and_fro_a_draw():
    table = Table(money=(1, 1), length=6, both_broke="play_on").bid(1, 1).bid(0, 1)
    assert table.status == 0
    table.bid(0, 0)
    assert (table.status, table.returns) == (OVER, [0.0, 0.0])


def test_scotch__play_on_with_a_lasting_holder_carries_the_bottle_to_his_end():
    table = Table(money=(1, 1), length=8, tie="holder", both_broke="play_on").bid(1, 1).bid(0, 1)
    while table.status >= 0:
        table.bid(0, 0)
    assert table.returns == [1.0, -1.0]


def test_scotch__the_game_is_cut_short_after_max_rounds():
    table = Table(max_rounds=2).bid(3, 2).bid(2, 3)
    assert (table.status, table.returns) == (CUT_SHORT, [0.0, 0.0])


def test_scotch__reaching_the_end_in_the_last_round_is_a_win_not_a_cut():
    table = Table(max_rounds=1, length=2).bid(3, 2)
    assert (table.status, table.returns) == (OVER, [1.0, -1.0])


def test_scotch__observation_is_seen_from_the_own_side():
    table = Table(money=(60, 40), start=3).bid(10, 5)  # bottle on 2, 50 against 40
    np.testing.assert_allclose(table.view(0), [50 / 60, 40 / 60, 40 / 60, 0.2, 1.0], atol=1e-6)
    np.testing.assert_allclose(table.view(1), [40 / 60, 50 / 60, 50 / 60, 0.8, 0.0], atol=1e-6)


@pytest.mark.parametrize("payment", ["bank", "opponent"])
@given(data=st.data())
@settings(max_examples=50, deadline=None)
def test_scotch__money_is_conserved_or_goes_to_the_bank(payment, data):
    table = Table(payment=payment, money=(12, 9), length=6, max_rounds=40)
    spent = 0
    while table.status >= 0:
        _, own, other = table.shown
        bids = [data.draw(st.integers(1, m)) if m else 0 for m in (own, other)]
        position = table.shown[0]
        table.bid(*bids)
        spent += max(bids) if payment == "bank" else 0
        assert table.shown[1] + table.shown[2] + spent == 21
        assert abs(table.shown[0] - position) == 1
    assert table.game.longest >= 2 * int(table.state[S.round])


# --- hidden money ---------------------------------------------------------------------------------


HEADS = np.array([1, 2], np.uint64)  # a generator whose next coin is 0 ...
TAILS = np.array([2**63, 0], np.uint64)  # ... and one whose next coin is 1


def test_scotch__the_two_coins_of_the_slow_way_differ():
    sides = []
    for words in (HEADS, TAILS):
        table = Table(tie="coin")
        table.rng = words.copy()
        sides.append(table.bid(5, 5).shown[0])
    assert sides == [4, 6]


def consistent_money(rules, player, public):
    """Return all amounts that the other can have, found slowly by trying all possible bids.

    `public` is what `player` saw: per round the player's own bid, and after it (position,
    advantage, the player's money, the outcome).
    """
    other = 1 - player
    found = set()

    def search(table, depth):
        if depth == len(public):
            found.add(table.shown[1 + other])
            return
        bid, after = public[depth]
        money = table.shown[1 + other]
        for guess in range(1, money + 1) if money else (0,):
            for words in (HEADS, TAILS):
                twin = Table(**rules)
                twin.state = table.state.copy()
                twin.rng = words.copy()
                twin.bid(*((bid, guess) if player == 0 else (guess, bid)))
                seen = (twin.shown[0], twin.advantage, twin.shown[1 + player], twin.outcome)
                if seen == after:
                    search(twin, depth + 1)

    search(Table(**rules), 0)
    return found


@pytest.mark.parametrize("tie", ["alternate", "holder", "coin"])
@pytest.mark.parametrize(
    "money_rules",
    [{}, {"both_broke": "play_on"}, {"broke": "lose"}, {"payment": "opponent"}],
    ids=str,
)
def test_scotch__what_counting_tells_of_hidden_money_is_exact(tie, money_rules):
    rules = {"length": 6, "start": 2, "money": (4, 4), "tie": tie, "max_rounds": 4, **money_rules}
    rules["know_opponent_money"] = False
    source = np.random.default_rng(1)
    for _ in range(5):
        table = Table(**rules)
        table.rng = source.integers(1, 2**63, 2, dtype=np.uint64)
        public = {0: [], 1: []}
        for _ in range(4):
            _, *money = table.shown
            bids = [int(source.integers(1, m + 1)) if m else 0 for m in money]
            table.bid(*bids)
            for player in (0, 1):
                seen = (
                    table.shown[0],
                    table.advantage,
                    table.shown[1 + player],
                    table.outcome,
                )
                public[player].append((bids[player], seen))
            for player, other in ((0, 1), (1, 0)):
                low = int(table.state[S.low + other])
                high = int(table.state[S.high + other])
                expected = consistent_money(rules, player, public[player])
                assert set(range(low, high + 1)) == expected
            if table.status < 0:
                break


def test_scotch__hidden_money_is_neither_observed_nor_guessed_outside_its_range():
    table = Table(know_opponent_money=False).bid(10, 25)
    view = table.view(0)
    np.testing.assert_allclose(view[1:3], [0.89, 0.0], atol=1e-6)
    guesses = set()
    for _ in range(300):
        guess = table.state.copy()
        table.game.call("determinize")(table.game.cfg, guess, 0, table.rng)
        guesses.add(int(guess[S.money + 1]))
    assert guesses <= set(range(90)) and len(guesses) > 60


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keyword", "values"),
    {
        "length": (1, 0, -3, 2.5, "10", None, True, 10**9),
        "start": (0, 10, -1, "x", 4.5),
        "money": (-5, 0, (100,), (100, 0), (1, 2, 3), "100", (1.5, 2), None, (10**9, 1)),
        "payment": ("richman", "", None, 0),
        "tie": ("flip", None, 1),
        "both_broke": ("lose", None),
        "broke": ("draw", None),
        "know_opponent_money": (1, "no", None),
        "max_rounds": (0, -1, 1.5, "many"),
    }.items(),
)
def test_scotch__bad_values_are_refused_by_name(keyword, values):
    for value in values:
        with pytest.raises(ValueError, match=keyword):
            make_game("scotch", **{keyword: value})


def test_scotch__unknown_rules_are_refused_with_the_known_ones():
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'monney'.*money"):
        make_game("scotch", monney=5)


def test_scotch__options_make_the_same_game_again():
    variants = itertools.product(("bank", "opponent"), ("alternate", "coin", "holder"))
    for payment, tie in variants:
        game = make_game("scotch", payment=payment, tie=tie, money=30, start=2)
        again = make_game("scotch", **game.options)
        assert np.array_equal(game.cfg, again.cfg)
