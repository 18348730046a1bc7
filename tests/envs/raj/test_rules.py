"""The rules of Raj: hand-checked games, a second implementation, hidden bids, bad input."""

from collections import Counter
from fractions import Fraction
from itertools import count
from math import factorial

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidarena.envs import make_game
from bidarena.envs.batch import Batch
from bidarena.envs.raj.env import from_settings
from bidarena.envs.solo import render_state

RAJ = "bidarena/Raj-v0"


class Reference:
    """Raj written a second time, with lists of values and fractions; tests tell it the items."""

    def __init__(self, options):
        self.options = options
        self.hands = [sorted(options["cards"]) for _ in range(options["players"])]
        self.banks = [Fraction(0)] * options["players"]
        self.left = sorted(options["items"])
        self.pot = 0
        self.lost = Fraction(0)
        self.shown = 0
        self.taker = -1

    def turn_up(self, item):
        self.left.remove(item)
        self.pot += item
        self.shown += item

    def play(self, bids):
        for hand, bid in zip(self.hands, bids, strict=True):
            hand.remove(bid)
        extreme = max if self.pot >= 0 else min
        unique = [bid for bid, times in Counter(bids).items() if times == 1]
        sharers = []
        if unique:
            sharers = [bids.index(extreme(unique))]
        elif self.options["tie"] == "split":
            sharers = [p for p, bid in enumerate(bids) if bid == extreme(bids)]
        self.taker = sharers[0] if unique else -1
        for player in sharers:
            self.banks[player] += Fraction(self.pot, len(sharers))
        last = not self.hands[0]
        if sharers:
            self.pot = 0
        elif self.options["tie"] == "discard" or last:
            self.lost += self.pot
            self.pot = 0

    def results(self):
        players, banks = self.options["players"], self.banks
        if self.options["reward"] == "bank":
            return banks
        if self.options["reward"] == "margin":
            return [b - (sum(banks) - b) / (players - 1) for b in banks]
        winners = banks.count(max(banks))
        if winners == players:
            return [Fraction(0)] * players
        return [
            Fraction(1, winners) if bank == max(banks) else Fraction(-1, players - winners)
            for bank in banks
        ]


class Seen:
    """The parts of one row of a batch, by name."""

    def __init__(self, batch, row):
        self.game, self.state = batch.game, batch.states[row]
        self.options = batch.game.options

    def __getitem__(self, name):
        part = self.state[self.game.state[name]].tolist()
        return part[0] if len(part) == 1 else part

    def values(self, mask, of):
        return [value for i, value in enumerate(self.options[of]) if (mask >> i) & 1]

    @property
    def banks(self):
        return [Fraction(bank, int(self.game.cfg[4])) for bank in self["banks"]]


def play_out(batch, choose):
    """Play all rows to the end with the actions `choose(batch)`; yield before every move."""
    while (batch.movers >= 0).any():
        actions = choose(batch)
        yield actions
        batch.step(actions)
    yield None


def at_random(seed):
    source = np.random.default_rng(seed)

    def choose(batch):
        return (batch.masks * source.random(batch.masks.shape)).argmax(axis=1)

    return choose


@st.composite
def games(draw):
    """Draw the options of a game."""
    n = draw(st.integers(2, 8))
    values = st.integers(-20, 20)
    return {
        "players": draw(st.integers(2, 6)),
        "cards": draw(st.lists(values, min_size=n, max_size=n, unique=True)),
        "items": draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n)),
        "tie": draw(st.sampled_from(["carry", "discard", "split"])),
        "reward": draw(st.sampled_from(["outcome", "margin", "bank"])),
    }


@settings(max_examples=80, deadline=None)
@given(options=games(), seed=st.integers(0, 2**32))
def test_raj__agrees_with_a_second_implementation(options, seed):
    game = make_game("raj", **options)
    batch = Batch(game, 4, seed=seed)
    players, cards = options["players"], sorted(options["cards"])
    references = [Reference(options) for _ in range(4)]
    bids = [[] for _ in range(4)]
    for actions in play_out(batch, at_random(seed)):
        for row, reference in enumerate(references):
            seen = Seen(batch, row)
            if len(bids[row]) == players:
                reference.play(bids[row])
                bids[row] = []
            if not bids[row] and actions is not None:
                reference.turn_up(seen["pot"] - reference.pot)
            assert seen["pot"] == reference.pot
            assert seen.values(seen["items"], "items") == reference.left
            assert [seen.values(hand, "cards") for hand in seen["hands"]] == reference.hands
            assert seen.banks == reference.banks
            assert seen["last_taker"] == reference.taker
            assert sum(seen.banks) + reference.pot + reference.lost == reference.shown
            if actions is not None:
                mover = int(batch.movers[row])
                assert mover == len(bids[row])
                legal = [card for card, may in zip(cards, batch.masks[row], strict=True) if may]
                assert legal == reference.hands[mover]
                bids[row].append(cards[actions[row]])
    for row, reference in enumerate(references):
        assert np.allclose(batch.returns[row], [float(r) for r in reference.results()])
        assert reference.shown == sum(options["items"])
        if game.zero_sum:
            assert abs(batch.returns[row].sum()) < 1e-9
        low, high = game.return_range
        assert (batch.returns[row] >= low - 1e-9).all() and (
            batch.returns[row] <= high + 1e-9
        ).all()


@settings(max_examples=25, deadline=None)
@given(options=games(), seed=st.integers(0, 2**32))
def test_raj__cards_never_come_back(options, seed):
    game = make_game("raj", **options)
    batch = Batch(game, 16, seed=seed)
    hands = game.state["hands"]
    before = batch.states[:, hands].copy()
    used = np.zeros((16, game.players), int)
    for actions in play_out(batch, at_random(seed)):
        now = batch.states[:, hands]
        assert not (now & ~before).any()
        before = now.copy()
        if actions is not None:
            rows, seats = np.arange(16), batch.movers
            bits = 1 << actions
            assert not (used[rows, seats] & bits).any()
            used[rows, seats] |= bits
    assert not before.any() and (used == (1 << game.actions) - 1).all()


@settings(max_examples=30, deadline=None)
@given(options=games(), seed=st.integers(0, 2**32))
def test_raj__observation_is_the_index_table(options, seed):
    game = make_game("raj", **options)
    batch = Batch(game, 2, seed=seed)
    players, size = game.players, game.actions
    scale = max(1, sum(abs(item) for item in options["items"]))
    for _ in play_out(batch, at_random(seed)):
        for row in range(2):
            seen, view = Seen(batch, row), batch.observations[row]
            seat = max(int(batch.movers[row]), 0)
            order = [(seat + k) % players for k in range(players)]
            expected = [seen["pot"] / scale, seen["round"] / size]
            expected += [float(seen.banks[p]) / scale for p in order]
            expected += [(seen["items"] >> i) & 1 for i in range(size)]
            expected += [(seen["hands"][p] >> i) & 1 for p in order for i in range(size)]
            assert np.allclose(view, expected, atol=1e-6)
            assert len(view) == 2 + players + (players + 1) * size


def test_raj__of_equal_items_the_first_go_first():
    game = make_game("raj", cards=(1, 2, 3, 4), items=(5, 5, 5, 9))
    batch = Batch(game, 200, seed=0)
    met = set()
    for _ in play_out(batch, at_random(0)):
        met |= set(batch.states[:, game.state["items"].start].tolist())
    assert met == {0b1110, 0b0111, 0b1100, 0b0110, 0b1000, 0b0100, 0b0000}


# --- hand-checked games --------------------------------------------------------------------------


def scripted(order, bids, **options):
    """Play `bids` (per round, per player, card values) in a row whose items come up in `order`."""
    game = make_game("raj", **options)
    rows = 12 * factorial(len(order))  # enough that some row has this order
    batch = Batch(game, rows, seed=0)
    cards, items = game.options["cards"], game.options["items"]
    fits = np.ones(rows, bool)
    before = np.full(rows, (1 << len(items)) - 1)
    history = []
    for item, round_bids in zip(order, bids, strict=True):
        left = batch.states[:, game.state["items"].start]
        fits &= (before ^ left) == 1 << items.index(item)
        before = left.copy()
        for bid in round_bids:
            batch.step(np.full(rows, cards.index(bid)))
        history.append(batch.states[:, game.state["banks"]] / game.cfg[4])
    row = int(np.argmax(fits))
    assert fits[row], "no row has this order of items"
    return [tuple(banks[row].tolist()) for banks in history], batch.returns[row].tolist()


ORDER = (3, -2, 4, -1, 1, 2)
BIDS = ((5, 5), (1, 3), (6, 4), (2, 2), (3, 6), (4, 1))


@pytest.mark.parametrize(
    ("tie", "banks", "margin"),
    [
        # 3 stays; with -2 it is a pot of 1, which card 3 takes; -1 stays and is 0 with the item 1
        ("carry", [(0, 0), (0, 1), (4, 1), (4, 1), (4, 1), (6, 1)], 5),
        # 3 is lost; the lower bid takes -2; -1 is lost
        ("discard", [(0, 0), (-2, 0), (2, 0), (2, 0), (2, 1), (4, 1)], 3),
        # 3 and -1 are shared in halves
        ("split", [(1.5, 1.5), (-0.5, 1.5), (3.5, 1.5), (3, 1), (3, 2), (5, 2)], 3),
    ],
)
def test_raj__hand_checked_game(tie, banks, margin):
    history, returns = scripted(ORDER, BIDS, tie=tie, reward="margin")
    assert history == banks
    assert returns == [margin, -margin]


def test_raj__pot_left_after_the_last_item_is_lost():
    history, returns = scripted((2, 5), ((1, 1), (2, 2)), cards=(1, 2), items=(2, 5))
    assert history == [(0, 0), (0, 0)] and returns == [0, 0]


@pytest.mark.parametrize(
    ("item", "bids", "banks"),
    [
        (6, (3, 3, 1), (0, 0, 6)),  # unique below tied higher ones
        (6, (2, 3, 1), (0, 6, 0)),
        (-6, (2, 3, 1), (0, 0, -6)),
        (-6, (1, 1, 3), (0, 0, -6)),  # the only unique one, though the highest
        (6, (2, 2, 3, 3), (0, 0, 3, 3)),  # nobody is unique: the highest share
        (-6, (2, 2, 3, 3), (-3, -3, 0, 0)),  # ... or the lowest
        (6, (2, 2, 2), (2, 2, 2)),
        (6, (2, 2, 2, 2, 2), (1.2, 1.2, 1.2, 1.2, 1.2)),
        (6, (1, 1, 3, 3, 3, 2), (0, 0, 0, 0, 0, 6)),
    ],
)
def test_raj__only_unique_bids_count(item, bids, banks):
    others = [7, 8]
    options = {"cards": (1, 2, 3), "items": (item, *others), "tie": "split"}
    rest = [[next(c for c in (1, 2, 3) if c != bid) for bid in bids]]
    rest.append([6 - bid - other for bid, other in zip(bids, rest[0], strict=True)])
    order = (item, *others)
    history, _ = scripted(order, (bids, *rest), players=len(bids), **options)
    assert history[0] == banks


@pytest.mark.parametrize(
    ("bids", "returns"),
    [
        ((3, 1, 2), [1, -0.5, -0.5]),
        ((3, 3, 3), [0, 0, 0]),
        ((3, 3, 3, 1, 1), [1 / 3, 1 / 3, 1 / 3, -0.5, -0.5]),
        ((2, 3), [-1, 1]),
    ],
)
def test_raj__winners_share_the_outcome(bids, returns):
    rest = [[next(c for c in (1, 2, 3) if c != bid) for bid in bids]]
    rest.append([6 - bid - other for bid, other in zip(bids, rest[0], strict=True)])
    options = {"cards": (1, 2, 3), "items": (5, 0, 0), "tie": "split", "players": len(bids)}
    game = make_game("raj", **options)
    batch = Batch(game, 64, seed=1)
    row = int(np.argmax(batch.states[:, game.state["pot"].start] == 5))
    for round_bids in (bids, *rest):
        for bid in round_bids:
            batch.step(np.full(64, bid - 1))
    assert np.allclose(batch.returns[row], returns)


# --- what is hidden ------------------------------------------------------------------------------


def test_raj__next_item_is_any_of_those_left():
    rows = 12_000
    game = make_game("raj", cards=(1, 2, 3), items=(1, 2, 4))
    batch = Batch(game, rows, seed=5)
    orders = []
    for card in range(3):
        orders.append(batch.states[:, game.state["pot"].start].copy())
        batch.step(np.full(rows, card))
        batch.step(np.full(rows, (card + 1) % 3))  # no ties
    counts = Counter(zip(*(o.tolist() for o in orders), strict=True))
    assert len(counts) == 6
    assert all(abs(count - rows / 6) < 5 * (rows / 6) ** 0.5 for count in counts.values())


@settings(max_examples=25, deadline=None)
@given(options=games(), seed=st.integers(0, 2**32))
def test_raj__order_of_items_is_nowhere_in_the_state(options, seed):
    """Rows in the same position with different generators draw different items, if they can."""
    game = make_game("raj", **options)
    rows = 256
    batch = Batch(game, rows, seed=seed)
    batch.states[:] = batch.states[0]
    for player in range(game.players):
        batch.step(np.full(rows, player % game.actions))
    left = {tuple(row) for row in batch.states[:, game.state["items"]].tolist()}
    pots = set(batch.states[:, game.state["pot"].start].tolist())
    if len(set(options["items"])) > 2:
        assert len(left) > 1 and len(pots) > 1


@settings(max_examples=25, deadline=None)
@given(options=games(), seed=st.integers(1, 2**32))
def test_raj__a_guess_changes_others_bids_only(options, seed):
    game = make_game("raj", **options)
    observe, determinize = game.call("observe"), game.call("determinize")
    batch = Batch(game, 1, seed=seed)
    rng = np.array([seed, 1], np.uint64)
    bids = game.state["bids"]
    for _ in play_out(batch, at_random(seed)):
        state = batch.states[0]
        for player in range(game.players):
            guess = state.copy()
            determinize(game.cfg, guess, player, rng)
            views = np.zeros((2, game.observation_size), np.float32)
            observe(game.cfg, state, player, views[0])
            observe(game.cfg, guess, player, views[1])
            assert np.array_equal(views[0], views[1])
            for other in range(int(batch.movers[0])):
                hand = int(state[game.state["hands"]][other])
                assert (hand >> int(guess[bids][other])) & 1, "a bid that is not in the hand"
            same = np.delete(guess == state, np.arange(bids.start, bids.stop))
            assert same.all() and guess[bids][player] == state[bids][player]


def test_raj__guesses_reach_every_card_of_the_hand():
    game = make_game("raj")
    batch = Batch(game, 1, seed=3)
    batch.step([2])
    determinize = game.call("determinize")
    rng = np.array([9, 9], np.uint64)
    met = Counter()
    for _ in range(3000):
        guess = batch.states[0].copy()
        determinize(game.cfg, guess, 1, rng)
        met[int(guess[game.state["bids"]][0])] += 1
    assert set(met) == set(range(6)) and all(400 < n < 600 for n in met.values())


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_raj__drawings_do_not_show_others_bids(mode):
    for players in (2, 4):
        game = make_game("raj", players=players, cards=(1, 2, 3), items=(-1, 2, 3), tie="split")
        batch = Batch(game, 1, seed=2)
        determinize = game.call("determinize")
        rng = np.array([4, 2], np.uint64)
        for _ in play_out(batch, at_random(0)):
            for seat in range(players):
                guess = batch.states[0].copy()
                determinize(game.cfg, guess, seat, rng)
                drawn = [render_state(game, mode, s, seat) for s in (batch.states[0], guess)]
                assert np.array_equal(drawn[0], drawn[1])


# --- environments and bad input ------------------------------------------------------------------


def test_raj__env_plays_named_opponents_for_every_number_of_players():
    for players in (2, 3, 6):
        env = gym.make(
            RAJ, players=players, opponent="valueplus", reward="bank", disable_env_checker=True
        )
        _, info = env.reset(seed=1)
        ended = False
        rounds = 0
        while not ended:
            _, reward, ended, _, info = env.step(int(np.argmax(info["action_mask"])))
            rounds += 1
        assert rounds == 6 and -3 <= reward <= 10
    with pytest.raises(ValueError, match="opponents"):
        gym.make(RAJ, players=3, opponents=["random"])


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"players": 6, "cards": list(range(1, 17)), "items": list(range(-5, 11)), "tie": "split"},
        {"cards": [-10_000, 10_000], "items": [10_000, 10_000], "tie": "discard"},
    ],
)
def test_raj__draws_every_moment_of_a_game(options, mode):
    game = make_game("raj", **options)
    batch = Batch(game, 1, seed=1)
    for k, _ in enumerate(play_out(batch, at_random(1))):
        if mode == "ansi" or k % 13 == 0:
            drawn = render_state(game, mode, batch.states[0], k % game.players)
            assert drawn.shape[1:] == (720, 3) if mode == "rgb_array" else "Raj" in drawn
    last = render_state(game, mode, batch.states[0], 0)
    assert mode == "rgb_array" or any(word in last for word in ("you win", "you lose", "draw"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 1}, "players=1"),
        ({"players": 7}, "players=7.*from 2 to 6"),
        ({"players": 2.5}, "players=2.5"),
        ({"cards": (1, 2, 3)}, "6 items for 3 cards"),
        ({"cards": (1, 2, 2), "items": (1, 2, 3)}, "cards=.*2 is repeated"),
        ({"cards": (1, 2.5), "items": (1, 2)}, r"cards\[1\]=2.5"),
        ({"cards": (1, True), "items": (1, 2)}, r"cards\[1\]=True"),
        ({"cards": ("1", 2), "items": (1, 2)}, r"cards\[0\]='1'"),
        ({"cards": (1, 2), "items": (1, None)}, r"items\[1\]=None"),
        ({"cards": (1, 2), "items": (1, float("nan"))}, r"items\[1\]=nan"),
        ({"cards": (1,), "items": (1,)}, "cards=.*2 to 16, got 1"),
        ({"cards": range(17), "items": range(17)}, "cards=.*2 to 16, got 17"),
        ({"cards": range(10**12)}, "cards=.*2 to 16, got 1000000000000"),
        ({"items": count()}, r"items=count\(\d+\): expected 2 to 16, got at least 17"),
        ({"cards": (1, 10_001), "items": (1, 2)}, r"cards\[1\]=10001"),
        ({"cards": "123456"}, "cards='123456'"),
        ({"items": 6}, "items=6"),
        ({"tie": "share"}, "tie='share'.*'split'"),
        ({"reward": "win"}, "reward='win'.*'outcome'"),
    ],
)
def test_raj__bad_input_is_refused_by_name(options, words):
    with pytest.raises(ValueError, match=words):
        make_game("raj", **options)


def test_raj__unsorted_cards_and_numpy_values_are_welcome():
    game = make_game("raj", cards=np.array([9, 3, 5]), items=(4, -1, np.int64(4)))
    assert game.options["cards"] == [3, 5, 9] and game.options["items"] == [-1, 4, 4]
    assert all(type(value) is int for value in game.options["cards"] + game.options["items"])


def test_raj__settings_of_the_original_program_are_read():
    found = from_settings(
        {
            "agentFiles": ("my_agent.py", "value_agent.py", "random_agent.py"),
            "cardValues": (1, 2, 3),
            "itemValues": (-1, 2, 5),
            "totalNumberOfGames": 1000,
            "verbose": False,
            "seed": 0,
        }
    )
    assert (found.games, found.seed, found.verbose) == (1000, 0, False)
    game = make_game("raj", **found.options)
    assert game.players == 3 and game.options["cards"] == [1, 2, 3]
    assert found.agents == ("my_agent.py", "value_agent.py", "random_agent.py")


def test_raj__settings_left_out_are_the_original_ones():
    options, games, seed, verbose, agents = from_settings({"seed": None})
    assert options == make_game("raj").options
    assert (games, seed, verbose, agents) == (100, None, True, ())


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"cardValues": (1, 2)}, "settings: items.*6 items for 2 cards"),
        ({"totalNumberOfGames": 0}, "totalNumberOfGames=0"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"verbose": "yes"}, "verbose='yes'"),
        ({"agentFiles": "my_agent.py"}, "agentFiles"),
        ({"agentFiles": ("my_agent.py",)}, "players=1"),
    ],
)
def test_raj__bad_settings_are_refused_by_name(wrong, words):
    with pytest.raises(ValueError, match=words):
        from_settings(wrong)


def test_raj__other_keys_of_settings_are_ignored():
    assert from_settings({"tournament": True, "seed": 4}) == from_settings({"seed": 4})
