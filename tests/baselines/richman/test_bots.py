"""The bots of RichmanGraph: legal, blind to the hidden bid, and as strong as the theory says."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidarena.baselines.common import random as any_random
from bidarena.baselines.richman.bots import BID, NUMBERS, SUCCESSOR
from bidarena.baselines.solvers.poorman import poorman_line
from bidarena.envs import make_bot, make_game
from bidarena.envs.batch import Batch, choose_rows
from bidarena.envs.game import Game
from bidarena.envs.richman.rules import C, S

BOTS = ("richman", "safety")
PAYMENTS = ("bank", "opponent")
TIES = ("alternate", "coin", "holder")
FORK = [[], [0, 2, 4], [1, 3], [0, 4, 5], [3, 2], []]  # four vertices with a choice of successors


def match(game: Game, names: tuple[str, str], games: int, seed: int = 0) -> np.ndarray:
    """Return player 0's results, and check that no bot did anything illegal."""
    batch = Batch(game, games, seed=seed)
    bots = [make_bot(game, name) for name in names]
    actions = np.zeros(games, np.int64)
    while (batch.movers >= 0).any():
        for player, bot in enumerate(bots):
            batch.ask(bot, batch.movers == player, actions)
        batch.step(actions)
    assert not batch.illegal.any()
    return batch.returns[:, 0]


def choices(game: Game, name: str, states: np.ndarray, movers: np.ndarray) -> np.ndarray:
    """Return what a bot does in each of `states`, with equal random numbers in all."""
    bot = make_bot(game, name)
    rngs = np.full((len(states), 4), 9, np.uint64)
    actions = np.full(len(states), -1, np.int64)
    rows = np.arange(len(states))
    args = (game.cfg, bot.params, states, rngs, rows, movers, actions, game.actions)
    game.compiled(choose_rows, act=bot.act)(*args, 0, len(states))
    return actions


def bid(name: str, player: int, *, vertex: int, money: tuple[int, int], **options: Any) -> int:
    """Return the bid of `player` with the token on `vertex`; player 0 has the draw advantage."""
    game = make_game("richman", **{"money": 10_000, "tie": "holder", **options})
    state = game.new_state(np.array([1, 2], np.uint64))
    state[S.vertex] = vertex
    state[S.money : S.money + 2] = money
    state[S.pending] = -1 if player == 0 else 1
    return int(choices(game, name, state[None], np.array([player]))[0])


# --- what they bid -------------------------------------------------------------------------------


def test_richman_bot__bids_an_eighth_of_all_money_on_the_lane():
    # R = 1/8, 1/4, 3/8, 1/2, ... on 1, 2, 3, 5, ...; the critical bid is the step between them.
    for vertex in (1, 2, 3, 5, 7, 8, 9):
        assert bid("richman", 0, vertex=vertex, money=(600, 1000)) == 200
        assert bid("richman", 1, vertex=vertex, money=(1000, 600)) == 200


def test_richman_bot__bids_nothing_that_is_not_needed_to_win():
    assert bid("richman", 0, vertex=3, money=(1500, 100)) == 100  # a tie is enough
    assert bid("richman", 1, vertex=3, money=(100, 1500)) == 101
    assert bid("richman", 0, vertex=3, money=(1600, 0)) == 1  # the least that is legal


def test_richman_bot__bids_all_it_has_where_that_is_too_little():
    assert bid("richman", 0, vertex=3, money=(20, 1580)) == 20
    assert bid("richman", 0, vertex=3, money=(0, 1600)) == 0


def test_richman_bot__rounds_down_with_the_advantage_and_to_the_nearest_without():
    for total, holding, without in ((80, 10, 10), (83, 10, 10), (84, 10, 11), (87, 10, 11)):
        money = (total // 2, total - total // 2)
        assert bid("richman", 0, vertex=5, money=money) == holding
        assert bid("richman", 1, vertex=5, money=money) == without


def test_richman_bot__bids_the_poorman_bid_when_the_bank_is_paid():
    # On 0-1-2: P = 1/2 in the middle, and the critical bid is half of all money.
    assert bid("richman", 0, graph="line2", payment="bank", vertex=1, money=(60, 60)) == 60
    # On 0-1-2-3: P = 0.382 and 0.618, the bid is 1 - 0.618 of all money on either vertex.
    golden = (5**0.5 - 1) / 2
    for vertex in (1, 2):
        spent = bid("richman", 0, graph="line3", payment="bank", vertex=vertex, money=(5000, 5000))
        assert spent == int((1 - golden) * 10_000)


def test_richman_bot__takes_the_lane_for_the_opponents_money_and_the_gamble_for_the_banks():
    for name in BOTS:
        for payment, ways in (("opponent", (3, 7)), ("bank", (4, 6))):
            game = make_game("richman", payment=payment)
            state = game.new_state(np.array([1, 2], np.uint64))
            for player in range(2):
                state[S.chooser] = player
                action = choices(game, name, state[None], np.array([player]))[0]
                assert action - game.cfg[C.largest] - 1 == ways[player]


def test_safety_bot__bids_by_its_own_money_alone():
    # opponent: m (R - R-) / R, a third on vertex 3, everything next to the own target
    for other in (1, 100, 5000):
        assert bid("safety", 0, vertex=3, money=(300, other)) == 100
        assert bid("safety", 0, vertex=1, money=(300, other)) == 300
        assert bid("safety", 1, vertex=3, money=(other, 500)) == 100  # (5/8 - 1/2) / (5/8)
        assert bid("safety", 1, vertex=9, money=(other, 500)) == 500


def test_safety_bot__bids_the_critical_bid_with_exactly_the_money_needed():
    for vertex, need in ((1, 1), (2, 2), (3, 3), (5, 4)):
        money = (need * 100, 800 - need * 100)
        assert bid("safety", 0, vertex=vertex, money=money) == 100
        assert bid("richman", 0, vertex=vertex, money=money) == 100


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("payment", PAYMENTS)
def test_richman_bots__tables_mirror_each_other_on_a_mirrored_graph(name, payment):
    game = make_game("richman", payment=payment)
    table = make_bot(game, name).params.reshape(2, 11, NUMBERS)
    assert table[0, 1:10, BID] == pytest.approx(table[1, 9:0:-1, BID])
    assert table[0, 1:10, SUCCESSOR].tolist() == (10 - table[1, 9:0:-1, SUCCESSOR]).tolist()


def test_richman_bots__one_sided_graph_leaves_nothing_to_bid_for():
    graph = [[], [0, 2], [0, 1], []]  # player 1's target cannot be reached
    for name in BOTS:
        for payment in PAYMENTS:
            options: dict[str, Any] = {"graph": graph, "payment": payment, "vertex": 2}
            assert bid(name, 0, money=(50, 50), **options) == 1
            params = make_bot(make_game("richman", graph=graph, payment=payment), name).params
            assert np.isfinite(params).all()


# --- contracts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOTS)
@given(
    graph=st.sampled_from(["shortcut", "line5", FORK]),
    payment=st.sampled_from(PAYMENTS),
    tie=st.sampled_from(TIES),
    money=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    seed=st.integers(0, 1000),
)
@settings(max_examples=15, deadline=None)
def test_richman_bots__play_legally_from_either_seat(name, graph, payment, tie, money, seed):
    options = {"payment": payment, "tie": tie, "money": money, "max_rounds": 100}
    game = make_game("richman", graph=graph, **options)
    match(game, (name, "random"), 20, seed)
    match(game, ("random", name), 20, seed)


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("payment", PAYMENTS)
def test_richman_bots__do_not_look_at_the_hidden_bid(name, payment):
    game = make_game("richman", payment=payment)
    batch = Batch(game, 50, seed=5)
    random = make_bot(game, "random")
    actions = np.zeros(batch.rows, np.int64)
    chance = np.random.default_rng(0)
    compared = 0
    for _ in range(30):
        waiting = np.flatnonzero((batch.movers == 1) & (batch.states[:, S.pending] >= 0))
        states = batch.states[waiting]
        other = states.copy()
        other[:, S.pending] = chance.integers(0, states[:, S.money] + 1)
        movers = batch.movers[waiting]
        seen = choices(game, name, states, movers)
        assert np.array_equal(seen, choices(game, name, other, movers))
        compared += len(waiting)
        batch.ask(random, batch.movers >= 0, actions)
        batch.step(actions)
    assert compared > 100


def test_safety_bot__does_not_look_at_the_opponents_money():
    game = make_game("richman")
    state = game.new_state(np.array([1, 2], np.uint64))
    states = np.repeat(state[None], 11, axis=0)
    states[:, S.money + 1] = np.arange(0, 101, 10)
    bids = choices(game, "safety", states, np.zeros(11, np.int64))
    assert len(set(bids.tolist())) == 1


# --- against every reply --------------------------------------------------------------------------


def beaten_from(
    game: Game, name: str, seat: int, needed: list[float], lead: float
) -> list[int] | None:
    """Return a state from which the bot loses although it had `lead` more than it needs, or None.

    Every bid and every move of the opponent is tried from all such states.
    """
    cfg, step, legal = game.cfg, game.call("step"), game.call("legal")
    bot = make_bot(game, name)
    act = game.compiled(bot.act)
    rng, mask = np.array([1, 2], np.uint64), np.zeros(game.actions, np.int8)

    def answers(state: np.ndarray, mover: int) -> list[int]:
        if mover == seat:
            return [int(act(cfg, bot.params, state, mover, rng, mask))]
        legal(cfg, state, mask)
        return np.flatnonzero(mask).tolist()

    fresh = game.new_state(rng)
    total, largest = int(cfg[C.money : C.money + 2].sum()), int(cfg[C.largest])
    bank = game.options["payment"] == "bank"
    holders = (0, 1) if game.options["tie"] == "alternate" else (0,)
    pending = []
    for v, own, holder in product(range(1, len(needed) - 1), range(largest + 1), holders):
        for other in range(largest + 1) if bank else (total - own,):
            if own - needed[v] * (own + other) > lead:
                state = fresh.copy()
                state[S.vertex], state[S.advantage] = v, holder
                state[S.money + seat], state[S.money + 1 - seat] = own, other
                pending.append(state)
    assert pending
    seen = {state.tobytes() for state in pending}
    while pending:
        state = pending.pop()
        mover = game.call("to_move")(cfg, state)
        if mover < 0:
            if state[S.outcome] == 1 - seat:
                return state.tolist()
            continue
        for action in answers(state, mover):
            after = state.copy()
            step(cfg, after, action, rng)
            # these parts have no influence on the rest of the game
            after[S.round] = after[S.decision] = 0
            after[S.last_bids : S.last_winner + 1] = -1
            if after.tobytes() not in seen:
                seen.add(after.tobytes())
                pending.append(after)
    return None


LANE = [0, 1 / 8, 1 / 4, 3 / 8, 7 / 16, 1 / 2, 9 / 16, 5 / 8, 3 / 4, 7 / 8, 1]


@pytest.mark.parametrize("seat", [0, 1])
def test_richman_bot__lead_of_more_than_one_is_safe_from_every_reply(seat):
    needed = LANE if seat == 0 else [1 - need for need in LANE]
    game = make_game("richman", money=20)
    assert beaten_from(game, "richman", seat, needed, lead=1) is None
    assert beaten_from(game, "richman", seat, needed, lead=-1) is not None


def test_richman_bot__with_the_advantage_for_good_needs_no_lead():
    game = make_game("richman", money=20, tie="holder")
    assert beaten_from(game, "richman", 0, LANE, lead=-1e-9) is None


def test_richman_bot__lead_is_safe_from_every_reply_when_the_bank_is_paid():
    needed = poorman_line(4)
    game = make_game("richman", graph="line4", payment="bank", money=12)
    assert beaten_from(game, "richman", 0, needed, lead=1) is None
    assert beaten_from(game, "richman", 1, needed[::-1], lead=1) is None
    assert beaten_from(game, "richman", 0, needed, lead=-1) is not None


# --- strength ------------------------------------------------------------------------------------


@pytest.mark.parametrize("payment", PAYMENTS)
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("graph", ["shortcut", "line6", FORK])
def test_richman_bot__with_a_clear_surplus_beats_random_nearly_always(graph, payment, player):
    money = (140, 60) if player == 0 else (60, 140)
    game = make_game("richman", graph=graph, payment=payment, money=money)
    names = ("richman", "random") if player == 0 else ("random", "richman")
    results = match(game, names, 200, seed=1) * (1 if player == 0 else -1)
    assert (results == 1).mean() >= 0.98


@pytest.mark.parametrize("other", ["random", "richman", "safety"])
@pytest.mark.parametrize("payment", PAYMENTS)
@pytest.mark.parametrize("tie", TIES)
def test_richman_bot__with_more_than_its_share_is_never_beaten(payment, tie, other):
    margin = Fraction(1, 20)
    # Player 0's share needed: R = 3/8 (P = 0.447) on vertex 3 and 1 - R on vertex 7.
    needs = {"opponent": Fraction(3, 8), "bank": Fraction(448, 1000)}
    for start, need in ((3, needs[payment]), (5, Fraction(1, 2)), (7, 1 - needs[payment])):
        own = int((need + margin) * 400) + 1
        game = make_game("richman", start=start, payment=payment, tie=tie, money=(own, 400 - own))
        assert match(game, ("richman", other), 60).min() >= 0
        mirrored = make_game(
            "richman", start=10 - start, payment=payment, tie=tie, money=(400 - own, own)
        )
        assert match(mirrored, (other, "richman"), 60).max() <= 0


def test_random__draws_the_moves_that_a_draw_from_the_mask_would():
    game = make_game("richman", graph=[[], [0, 4, 2], [3, 1], [5, 0, 4], [3, 2], []], money=3)
    batch = Batch(game, 300, seed=1)
    again = Batch(game, 300, seed=1)
    chosen, expected = np.zeros(300, np.int64), np.zeros(300, np.int64)
    while (batch.movers >= 0).any():
        batch.ask(make_bot(game, "random"), batch.movers >= 0, chosen)
        again.ask(any_random(game), again.movers >= 0, expected)
        assert np.array_equal(chosen, expected)
        batch.step(chosen)
        again.step(expected)
