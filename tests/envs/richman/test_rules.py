"""RichmanGraph: the rules against a referee written a second time, the contracts, the arguments."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bidarena.envs
from bidarena.envs import make_game
from bidarena.envs.game import Game
from bidarena.envs.richman.env import SHORTCUT, graph_of, targets_of
from bidarena.envs.richman.rules import C

TIES = ("alternate", "coin", "holder")
PAYMENTS = ("bank", "opponent")


class Referee:
    """The rules written a second time, in plain Python with names instead of a flat array."""

    def __init__(self, options: dict[str, Any], graph: list[list[int]]) -> None:
        self.options, self.graph = options, graph
        self.token: int = options["start"]
        self.money: list[int] = list(options["money"])
        self.holder = 0
        self.bids: list[int] = []
        self.mover: int | None = 0
        self.choosing = False
        self.rounds = 0
        self.result: tuple[int, int] | None = None
        self.cut_short = False

    def legal(self) -> set[tuple[str, int]]:
        if self.choosing:
            return {("to", v) for v in self.graph[self.token]}
        money = self.money[len(self.bids)]
        return {("bid", b) for b in range(1, money + 1)} or {("bid", 0)}

    def play(self, kind: str, number: int, coin: int) -> None:
        """Play a bid or a move of the token; `coin` is the winner of a tie that a coin decides."""
        if kind == "to":
            self._move(number)
            return
        self.bids.append(number)
        self.mover = 1
        if len(self.bids) == 2:
            self._award(coin)

    def _award(self, coin: int) -> None:
        low, high = sorted(self.bids)
        winner = self.bids.index(high)
        if low == high:
            winner = coin if self.options["tie"] == "coin" else self.holder
            if self.options["tie"] == "alternate":
                self.holder = 1 - self.holder
        self.money[winner] -= high
        if self.options["payment"] == "opponent":
            self.money[1 - winner] += high
        self.bids = []
        self.mover, self.choosing = winner, True
        if len(self.graph[self.token]) == 1:
            self._move(self.graph[self.token][0])

    def _move(self, vertex: int) -> None:
        self.token, self.choosing, self.mover = vertex, False, 0
        self.rounds += 1
        if vertex in self.options["targets"]:
            self.result = (1, -1) if vertex == self.options["targets"][0] else (-1, 1)
        elif self.money == [0, 0]:
            self.result = (0, 0)
        elif self.rounds == self.options["max_rounds"]:
            self.result, self.cut_short = (0, 0), True
        if self.result:
            self.mover = None


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a graph with targets and a start on which the game can be played."""
    n = draw(st.integers(3, 7))
    vertex = st.integers(0, n - 1)
    targets = draw(st.lists(vertex, min_size=2, max_size=2, unique=True))
    others = [v for v in range(n) if v not in targets]
    graph = [draw(st.lists(vertex, min_size=1, max_size=4, unique=True)) for _ in range(n)]
    # A path leads through all other vertices, so that a target can be reached from each of them.
    path = [*draw(st.permutations(others)), draw(st.sampled_from(targets))]
    for v, u in pairwise(path):
        if u not in graph[v]:
            graph[v].append(u)
    return {"graph": graph, "targets": targets, "start": draw(st.sampled_from(others))}


@st.composite
def played(draw: st.DrawFn, most_money: int = 9) -> dict[str, Any]:
    """Draw rules of the game and a graph."""
    purse = st.integers(1, most_money)
    return {
        **draw(graphs()),
        "money": [draw(purse), draw(purse)],
        "payment": draw(st.sampled_from(PAYMENTS)),
        "tie": draw(st.sampled_from(TIES)),
        "max_rounds": draw(st.integers(1, 25)),
    }


class Table:
    """One game in progress, through the compiled rules."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = game
        self.rng = np.random.default_rng(seed).integers(1, 2**63, 2, np.uint64)
        self.state = np.zeros(game.state_size, np.int64)
        game.call("reset")(game.cfg, self.state, self.rng)

    @property
    def mover(self) -> int:
        return self.game.call("to_move")(self.game.cfg, self.state)

    def part(self, name: str) -> list[int]:
        return self.state[self.game.state[name]].tolist()

    def legal(self) -> list[int]:
        mask = np.full(self.game.actions, 7, np.int8)
        self.game.call("legal")(self.game.cfg, self.state, mask)
        assert set(mask.tolist()) <= {0, 1}
        return np.flatnonzero(mask).tolist()

    def step(self, action: int) -> None:
        self.game.call("step")(self.game.cfg, self.state, action, self.rng)

    def play(self, *actions: int) -> Table:
        for action in actions:
            assert action in self.legal()
            self.step(action)
        return self

    def to(self, vertex: int) -> int:
        return int(self.game.cfg[C.largest]) + 1 + vertex

    def returns(self) -> list[float]:
        out = np.zeros(2)
        self.game.call("returns")(self.game.cfg, self.state, out)
        return out.tolist()

    def seen_by(self, player: int) -> np.ndarray:
        out = np.full(self.game.observation_size, np.nan, np.float32)
        self.game.call("observe")(self.game.cfg, self.state, player, out)
        return out


def start(seed: int = 0, **options: Any) -> Table:
    return Table(make_game("richman", **options), seed)


# --- the rules -----------------------------------------------------------------------------------


@given(played(), st.integers(0, 2**32), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_richman__random_games_on_random_graphs_agree_with_the_referee(options, seed, chance):
    table = start(seed, **options)
    referee = Referee(options, options["graph"])
    decisions = 0
    while True:
        assert table.part("vertex") == [referee.token]
        assert table.part("money") == referee.money
        assert table.part("round") == [referee.rounds]
        if options["tie"] != "coin":
            assert table.part("advantage") == [referee.holder]
        if referee.mover is None:
            break
        assert table.mover == referee.mover
        allowed = sorted(
            number if kind == "bid" else table.to(number) for kind, number in referee.legal()
        )
        assert table.legal() == allowed
        action = chance.choice(allowed)
        table.step(action)
        largest = table.to(0) - 1
        said = ("bid", action) if action <= largest else ("to", action - largest - 1)
        referee.play(*said, coin=table.part("last_winner")[0])
        decisions += 1
    assert table.mover == (-2 if referee.cut_short else -1)
    assert table.returns() == list(referee.result or ())
    assert decisions <= table.game.longest


@given(
    length=st.integers(2, 12),
    payment=st.sampled_from(PAYMENTS),
    tie=st.sampled_from(TIES),
    money=st.tuples(st.integers(1, 30), st.integers(1, 30)),
    seed=st.integers(0, 2**32),
    chance=st.randoms(use_true_random=False),
)
@settings(max_examples=30, deadline=None)
def test_richman__on_the_line_it_is_scotch(length, payment, tie, money, seed, chance):
    both = {"payment": payment, "tie": tie, "money": money, "max_rounds": 60}
    line = start(seed, graph=f"line{length}", **both)
    scotch = Table(make_game("scotch", length=length, **both), seed)
    assert line.part("vertex") == scotch.part("position")
    while scotch.mover >= 0:
        for _ in range(2):
            assert line.mover == scotch.mover
            assert line.legal() == scotch.legal()
            bid = chance.choice(scotch.legal())
            line.step(bid)
            scotch.step(bid)
        winner = line.mover
        line.play(line.to(line.part("vertex")[0] + (1 if winner == 1 else -1)))
        for here, there in (("vertex", "position"), ("money",) * 2, ("advantage",) * 2):
            assert line.part(here) == scotch.part(there)
    assert line.mover == scotch.mover
    assert line.returns() == scotch.returns()


def test_richman__winner_of_the_bid_pays_the_loser_and_chooses():
    table = start().play(30, 40)
    assert table.mover == 1
    assert table.part("money") == [140, 60]
    assert table.part("vertex") == [5]
    assert table.legal() == [table.to(v) for v in (3, 4, 6, 7)]
    table.play(table.to(7))
    assert table.part("vertex") == [7]
    assert table.mover == 0


def test_richman__payment_to_the_bank_is_gone():
    assert start(payment="bank").play(30, 40).part("money") == [100, 60]


def test_richman__holder_wins_a_tie_pays_and_passes_the_advantage():
    table = start().play(30, 30)
    assert (table.mover, table.part("money"), table.part("advantage")) == (0, [70, 130], [1])
    table.play(table.to(3), 20, 20)
    assert (table.mover, table.part("money"), table.part("advantage")) == (1, [90, 110], [0])


def test_richman__holder_keeps_the_advantage_under_the_holder_rule():
    table = start(tie="holder").play(30, 30)
    assert (table.mover, table.part("advantage")) == (0, [0])


def test_richman__coin_gives_about_half_of_the_ties_to_each():
    winners = [start(seed, tie="coin").play(30, 30).mover for seed in range(400)]
    assert 150 < sum(winners) < 250


def test_richman__only_successor_is_taken_without_asking():
    table = start(graph=[[], [2], [0, 3], []], start=1).play(5, 6)
    assert table.part("vertex") == [2]
    assert table.part("round") == [1]
    assert table.mover == 0
    assert table.legal() == list(range(1, 107))


def test_richman__forced_step_onto_a_target_ends_the_game():
    table = start(graph=[[], [0], [1, 3], []], start=1).play(1, 50)
    assert table.mover == -1
    assert table.returns() == [1, -1]


def test_richman__player_without_money_bids_exactly_nothing():
    table = start(money=10).play(10, 1)
    table.play(table.to(3))
    assert table.part("money") == [0, 20]
    assert table.legal() == [0]
    assert table.play(0).legal() == list(range(1, 21))


def test_richman__last_money_still_buys_the_winning_move():
    table = start(graph="line2", money=(3, 2), payment="bank").play(3, 2)
    table.play(table.to(0))
    assert table.returns() == [1, -1]


def test_richman__nobody_having_money_left_is_a_draw():
    table = start(money=(3, 4), payment="bank").play(3, 2)
    table.play(table.to(3), 0, 4)
    assert table.part("money") == [0, 0]
    assert table.mover == 1  # the winner of the bid still moves the token
    table.play(table.to(5))
    assert table.mover == -1
    assert table.returns() == [0, 0]


def test_richman__max_rounds_cuts_the_game_short_after_the_move():
    table = start(max_rounds=1).play(3, 2)
    assert table.mover == 0
    table.play(table.to(3))
    assert table.mover == -2
    assert table.returns() == [0, 0]


# --- what generic code relies on -----------------------------------------------------------------


@given(played(), st.integers(0, 2**32), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_richman__decision_counter_stands_still_only_between_the_two_bids(options, seed, chance):
    table = start(seed, **options)
    assert table.game.simultaneous == "decision"
    seen = table.part("decision")
    while table.mover >= 0:
        first_bid = table.mover == 0 and table.part("chooser") == [-1]
        table.step(chance.choice(table.legal()))
        counted = table.part("decision")
        if first_bid:
            assert counted == seen
            assert table.mover == 1
        else:
            assert counted[0] == seen[0] + 1
        seen = counted


@given(played(), st.integers(0, 2**32), st.integers(0, 40), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_richman__determinize_changes_the_hidden_bid_and_nothing_else(options, seed, steps, chance):
    table = start(seed, **options)
    for _ in range(steps):
        if table.mover >= 0:
            table.step(chance.choice(table.legal()))
    pending = table.game.state["pending"]
    for player in range(2):
        guess = start(seed, **options)
        guess.state[:] = table.state
        guess.game.call("determinize")(guess.game.cfg, guess.state, player, guess.rng)
        assert np.array_equal(guess.seen_by(player), table.seen_by(player))
        assert guess.mover == table.mover
        if table.mover == player:
            assert guess.legal() == table.legal()
        same = np.delete(guess.state == table.state, pending)
        assert same.all()
        if player == 0:
            assert guess.part("pending") == table.part("pending")
        elif table.part("pending")[0] > 0:
            assert 1 <= guess.part("pending")[0] <= guess.part("money")[0]


def test_richman__determinize_reaches_every_bid_the_other_could_have_made():
    guesses = set()
    for seed in range(100):
        table = start(seed, money=(5, 9)).play(2)
        table.game.call("determinize")(table.game.cfg, table.state, 1, table.rng)
        guesses.add(table.part("pending")[0])
    assert guesses == {1, 2, 3, 4, 5}


def test_richman__hidden_bid_shows_in_nobodys_observation():
    low, high = start().play(1), start().play(99)
    for player in range(2):
        assert np.array_equal(low.seen_by(player), high.seen_by(player))


def test_richman__observation_is_seen_from_the_own_side():
    table = start(money=(60, 40)).play(10, 20)
    for player in range(2):
        seen = {
            name: table.seen_by(player)[part].tolist()
            for name, part in table.game.observation.items()
        }
        mine = player == 1
        assert seen["money"] == pytest.approx([0.2 if mine else 0.8])
        assert seen["opponent_money"] == pytest.approx([0.8 if mine else 0.2])
        assert seen["advantage"] == [0.0 if mine else 1.0]
        assert seen["phase"] == ([0, 1, 0] if mine else [0, 0, 1])
        assert seen["seat"] == [player]
        hot = {name: np.flatnonzero(seen[name]).tolist() for name in seen}
        assert hot["token"] == [5]
        assert hot["own_target"] == [10 if mine else 0]
        assert hot["opponent_target"] == [0 if mine else 10]


@given(played(), st.integers(0, 2**32), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_richman__observation_stays_within_its_box(options, seed, chance):
    table = start(seed, **options)
    while True:
        for player in range(2):
            seen = table.seen_by(player)
            assert np.all((seen >= 0) & (seen <= 1))
        if table.mover < 0:
            break
        table.step(chance.choice(table.legal()))


def test_richman__options_are_json_and_make_the_same_game_again():
    for options in ({}, {"graph": "line7"}, {"graph": SHORTCUT, "payment": "bank", "money": 7}):
        game = make_game("richman", **options)
        again = make_game("richman", **json.loads(json.dumps(game.options)))
        assert np.array_equal(game.cfg, again.cfg)
        assert game.options == again.options


def test_richman__graph_of_a_game_leaves_out_the_successors_of_targets():
    game = make_game("richman", graph=[[1, 2], [0, 2], [1]], targets=(2, 0), start=1)
    assert graph_of(game) == ((), (0, 2), ())
    assert targets_of(game) == (2, 0)


def test_richman__shortcut_is_its_own_mirror_image():
    last = len(SHORTCUT) - 1
    for v, ways in enumerate(SHORTCUT):
        assert sorted(last - u for u in ways) == sorted(SHORTCUT[last - v])


# --- the environments ----------------------------------------------------------------------------


def test_richman__single_environment_masks_every_decision():
    env = gym.make("bidarena/RichmanGraph-v0", seat=0, money=8)
    assert isinstance(env.observation_space, gym.spaces.Box)
    chance = np.random.default_rng(3)
    observation, info = env.reset(seed=3)
    phases = set()
    for _ in range(200):
        assert env.observation_space.contains(observation)
        assert info["action_mask"].shape == (16 + 1 + 11,)
        legal = np.flatnonzero(info["action_mask"])
        assert (legal <= 16).all() if observation[3] else (legal > 16).all()
        phases.add(bool(observation[3]))
        observation, reward, terminated, _, info = env.step(int(chance.choice(legal)))
        assert info["illegal_action"] is False
        if terminated:
            assert reward in (-1.0, 0.0, 1.0)
            assert info["action_mask"].all()
            observation, info = env.reset()
    assert phases == {True, False}


def test_richman__illegal_choice_loses_the_game():
    env = gym.make("bidarena/RichmanGraph-v0", seat=0)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(201 + 3)  # a move of the token while bidding
    assert (reward, terminated, info["illegal_action"]) == (-1.0, True, True)


def test_richman__rows_of_the_batch_play_the_games_of_single_environments():
    options: dict[str, Any] = {"payment": "bank", "tie": "coin", "money": 12}
    batch = gym.make_vec("bidarena/RichmanGraph-v0", num_envs=3, **options)
    singles = [gym.make("bidarena/RichmanGraph-v0", **options) for _ in range(3)]
    seen, info = batch.reset(seed=11)
    over = np.zeros(3, bool)
    for row, env in enumerate(singles):
        alone, _ = env.reset(seed=11 + row)
        assert np.array_equal(alone, seen[row])
    chance = np.random.default_rng(0)
    for _ in range(25):
        actions = np.array([chance.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        seen, rewards, terminated, _, info = batch.step(actions)
        for row, env in enumerate(singles):
            if over[row]:
                alone, _ = env.reset()
                over[row] = False
            else:
                alone, reward, ended, _, _ = env.step(int(actions[row]))
                assert (reward, ended) == (rewards[row], terminated[row])
                over[row] = ended
            assert np.array_equal(alone, seen[row])


# --- the arguments -------------------------------------------------------------------------------


def test_richman__defaults_are_richmans_game():
    game = make_game("richman")
    assert game.options == {
        "graph": "shortcut",
        "targets": [0, 10],
        "start": 5,
        "money": [100, 100],
        "payment": "opponent",
        "tie": "alternate",
        "both_broke": "draw",
        "max_rounds": None,
    }
    assert game.actions == 200 + 1 + 11
    assert game.longest == 3 * 1000
    assert make_game("richman", payment="bank").longest == 3 * 200
    assert make_game("richman", payment="bank", max_rounds=7).longest == 3 * 7


def test_richman__self_loops_and_one_sided_graphs_are_fine():
    make_game("richman", graph=[[], [1, 0], [1, 3], []])
    make_game("richman", graph=[[], [0], [1], []])


LOOP = [[], [2], [1], []]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"graph": "circle"}, r"graph='circle': expected 'shortcut', 'line2' to 'line255'"),
        ({"graph": "line1"}, r"graph='line1'"),
        ({"graph": "line256"}, r"graph='line256'"),
        ({"graph": 5}, r"graph=5: expected a list of successors"),
        ({"graph": None}, r"graph=None"),
        ({"graph": {0: [1]}}, r"graph=\{0: \[1\]\}"),
        ({"graph": [[], []]}, r"graph: 2 vertices given, expected .* 3 to 256"),
        ({"graph": [[1]] * 257}, r"graph: 257 vertices"),
        ({"graph": [[], 0, []]}, r"graph\[1\]=0: expected a list of successors"),
        ({"graph": [[], "02", []]}, r"graph\[1\]='02'"),
        ({"graph": [[], [0, 3], []]}, r"graph\[1\]\[1\]=3: .* from 0 to 2"),
        ({"graph": [[], [0, -1], []]}, r"graph\[1\]\[1\]=-1"),
        ({"graph": [[], [0.0, 2], []]}, r"graph\[1\]\[0\]=0.0"),
        ({"graph": [[], [0, 2, 0], []]}, r"graph\[1\]=\[0, 2, 0\]: expected every successor once"),
        ({"graph": [[], [0, 2], [], []]}, r"graph\[2\]=\[\]: expected at least one successor"),
        ({"graph": [[], [1], []]}, r"graph\[1\]=\[1\]: expected a path to one of the targets"),
        ({"graph": LOOP}, r"graph\[1\]=\[2\]: expected a path .* \(0, 3\)"),
        ({"targets": 0}, r"targets=0"),
        ({"targets": (0, 5, 10)}, r"targets=\(0, 5, 10\): expected 2 whole numbers"),
        ({"targets": (0, 11)}, r"targets\[1\]=11: .* from 0 to 10"),
        ({"targets": (4, 4)}, r"targets=\(4, 4\): expected two different vertices"),
        ({"targets": (1, 2), "graph": [[1], [0, 2], [1]]}, r"start=None: vertex 1 is a target"),
        ({"start": 0}, r"start=0: vertex 0 is a target"),
        ({"start": 11}, r"start=11: .* from 0 to 10"),
        ({"start": "5"}, r"start='5'"),
        ({"money": 0}, r"money\[0\]=0: .* from 1 to 10000"),
        ({"money": (100, -5)}, r"money\[1\]=-5"),
        ({"money": (1, 2, 3)}, r"money=\(1, 2, 3\)"),
        ({"money": 10_001}, r"money\[0\]=10001"),
        ({"payment": "loser"}, r"payment='loser': expected one of 'bank', 'opponent'"),
        ({"tie": "first"}, r"tie='first': expected one of 'alternate', 'coin', 'holder'"),
        ({"both_broke": "play_on"}, r"both_broke='play_on': expected one of 'draw'"),
        ({"max_rounds": 0}, r"max_rounds=0: .* from 1 to 1000000"),
        ({"max_rounds": 2.5}, r"max_rounds=2.5"),
    ],
)
def test_richman__bad_argument_is_named_with_its_value_and_what_is_allowed(options, says):
    with pytest.raises(ValueError, match=says):
        make_game("richman", **options)


def test_richman__registered_with_its_bots():
    assert "richman" in bidarena.envs.games()
    assert {"random", "richman", "safety"} <= set(bidarena.envs.bots("richman"))
