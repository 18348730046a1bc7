"""Raj's bots against plain Python versions of them without tables, stacks and pruning."""

from collections import Counter
from fractions import Fraction
from functools import cache
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidarena.baselines.raj import bots as raj_bots
from bidarena.baselines.raj.minimax import card_advantage, search
from bidarena.envs import make_bot, make_game
from bidarena.envs.batch import Batch

BOTS = ("random", "value", "valueplus", "minimax", "minimax:depth=1", "published", "greedy")
SMALL = {"cards": (1, 2, 4, 7), "items": (-3, 1, 2, 2)}
TIES = ("carry", "discard", "split")


def positions(game, rows, seed):
    """Return states met in random games, each with its player to move."""
    batch = Batch(game, rows, seed=seed)
    source = np.random.default_rng(seed)
    while (batch.movers >= 0).any():
        for row in range(rows):
            yield batch.states[row].copy(), int(batch.movers[row])
        batch.step((batch.masks * source.random(batch.masks.shape)).argmax(axis=1))


class Position:
    """What a player knows, as plain values."""

    def __init__(self, game, state, player):
        part = {name: state[where].tolist() for name, where in game.state.items()}
        options, unit = game.options, int(game.cfg[4])
        self.hands = [
            tuple(c for i, c in enumerate(options["cards"]) if (hand >> i) & 1)
            for hand in part["hands"]
        ]
        self.mine = self.hands[player]
        self.others = self.hands[:player] + self.hands[player + 1 :]
        self.left = tuple(v for i, v in enumerate(options["items"]) if (part["items"][0] >> i) & 1)
        self.pot = part["pot"][0]
        banks = [Fraction(bank, unit) for bank in part["banks"]]
        self.own = banks[player]
        self.richest = max(banks[:player] + banks[player + 1 :])


def without(values, value):
    values = list(values)
    values.remove(value)
    return tuple(values)


def taken(mine, theirs, pot):
    """Return 1 if the own bid takes the pot, -1 if the other bid does, 0 for a tie."""
    if mine == theirs:
        return 0
    return 1 if (mine > theirs) == (pot >= 0) else -1


def choices(game, bot, state, player, seeds=1):
    """Yield the card that a bot plays with each of several seeds."""
    act = game.compiled(bot.act)
    scratch = np.zeros(game.actions, np.int8)
    for rng in np.random.default_rng(0).integers(1, 2**64, (seeds, 2), dtype=np.uint64):
        yield game.options["cards"][int(act(game.cfg, bot.params, state, player, rng, scratch))]


# --- all bots ------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(
    players=st.integers(2, 6),
    cards=st.lists(st.integers(-9, 20), min_size=2, max_size=5, unique=True),
    tie=st.sampled_from(TIES),
    data=st.data(),
    seed=st.integers(0, 2**32),
)
@pytest.mark.parametrize("name", BOTS)
def test_raj_bots__play_legally_and_never_peek(name, players, cards, tie, data, seed):
    n = len(cards)
    items = data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n))
    if name == "greedy":
        players = 2
    game = make_game("raj", players=players, cards=cards, items=items, tie=tie)
    bot = make_bot(game, name)
    determinize = game.call("determinize")
    rng = np.array([seed + 1, 5], np.uint64)
    for state, player in positions(game, 2, seed):
        before = state.copy()
        (card,) = choices(game, bot, state, player)
        assert card in Position(game, state, player).mine
        assert np.array_equal(state, before)
        for _ in range(2):
            determinize(game.cfg, state, player, rng)
            assert [card] == list(choices(game, bot, state, player))


def test_raj_bots__random_plays_every_card_equally_often():
    game = make_game("raj")
    state = game.new_state(np.array([1, 2], np.uint64))
    met = Counter(choices(game, make_bot(game, "random"), state, 0, seeds=3000))
    assert set(met) == set(range(1, 7)) and all(400 < times < 600 for times in met.values())


@settings(max_examples=30, deadline=None)
@given(
    players=st.integers(2, 4),
    cards=st.lists(st.integers(-9, 20), min_size=5, max_size=5, unique=True),
    items=st.lists(st.integers(-9, 20), min_size=5, max_size=5),
    seed=st.integers(0, 2**32),
)
def test_raj_bots__value_and_valueplus_bid_the_closest_card(players, cards, items, seed):
    game = make_game("raj", players=players, cards=cards, items=items)
    for extra, name in enumerate(("value", "valueplus")):
        bot = make_bot(game, name)
        for state, player in positions(game, 2, seed):
            seen = Position(game, state, player)
            target = seen.pot + extra
            expected = min(seen.mine, key=lambda card: (abs(card - target), card))
            assert [expected] == list(choices(game, bot, state, player))


# --- minimax -------------------------------------------------------------------------------------


def plain_guarantee(tie, mine, others, left, pot, ahead, card, depth):
    """Return the worth of bidding `card`, by definition."""
    worst = None
    for reply in others:
        won = taken(card, reply, pot)
        then = ahead + won * pot
        carried = pot if won == 0 and tie == "carry" else 0
        mine_then, others_then = without(mine, card), without(others, reply)
        if not left:
            value = then
        elif depth == 1:
            facing = sorted(others_then)[-len(mine_then) :]
            pairs = list(zip(sorted(mine_then), facing, strict=True))
            count = sum(a > b for a, b in pairs) - sum(a < b for a, b in pairs)
            value = count + then * len(left)
        else:
            value = Fraction(0)
            for item in left:
                value += max(
                    plain_guarantee(
                        tie,
                        mine_then,
                        others_then,
                        without(left, item),
                        carried + item,
                        then,
                        own,
                        depth - 1,
                    )
                    for own in mine_then
                )
            value /= len(left)
        worst = value if worst is None else min(worst, value)
    return worst


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize(("players", "depth"), [(2, 1), (2, 2), (2, 3), (2, 4), (3, 2), (4, 3)])
def test_raj_minimax__finds_the_value_and_the_best_cards_of_plain_minimax(players, depth, tie):
    game = make_game("raj", players=players, tie=tie, **SMALL)
    compiled_search = game.compiled(search)
    bot = make_bot(game, f"minimax:depth={depth}")
    unit = int(game.cfg[4])
    for state, player in positions(game, 3, seed=depth):
        seen = Position(game, state, player)
        # all others are treated as one, who holds every card that any of them holds
        others = tuple(sorted(set().union(*seen.others)))
        ahead = seen.own - seen.richest
        rounds = min(depth, len(seen.mine))
        values = {
            card: plain_guarantee(tie, seen.mine, others, seen.left, seen.pot, ahead, card, rounds)
            for card in seen.mine
        }
        best = max(values.values())
        cards = [card for card in seen.mine if values[card] == best]

        masks = [
            sum(1 << game.options["cards"].index(card) for card in hand)
            for hand in (seen.mine, others)
        ]
        left = int(state[game.state["items"].start])
        banks = int(seen.own * unit), int(seen.richest * unit)
        found, value = compiled_search(game.cfg, *masks, left, seen.pot, *banks, rounds)
        averaged = prod(range(len(seen.left), len(seen.left) - rounds + 1, -1))
        assert Fraction(int(value), unit * averaged) == best
        assert [c for i, c in enumerate(game.options["cards"]) if (found >> i) & 1] == cards
        assert set(choices(game, bot, state, player, seeds=5)) <= set(cards)


def test_raj_minimax__draws_from_equally_good_cards():
    game = make_game("raj", cards=(1, 2, 3), items=(0, 0, 0))
    state = game.new_state(np.array([1, 2], np.uint64))
    met = Counter(choices(game, make_bot(game, "minimax:depth=3"), state, 0, seeds=3000))
    assert set(met) == {1, 2, 3} and all(900 < times < 1100 for times in met.values())


@pytest.mark.parametrize(
    ("mine", "others", "advantage"),
    [
        (0b111, 0b111, 0),
        (0b1001, 0b0110, 0),  # 3 beats 2, 0 loses to 1
        (0b1010, 0b0101, 2),
        (0b0101, 0b1110, -2),  # against the two highest
        (0, 0, 0),
    ],
)
def test_raj_minimax__card_advantage_compares_hands_in_order(mine, others, advantage):
    assert card_advantage(mine, others) == advantage


@pytest.mark.parametrize("depth", [0, 17, 1.5, "two"])
def test_raj_minimax__refuses_a_bad_depth(depth):
    with pytest.raises(ValueError, match="depth="):
        make_bot(make_game("raj"), f"minimax:depth={depth}")


# --- the published program -----------------------------------------------------------------------


def plain_published(mine, others, left, pot, own, theirs, card, rounds):
    """Return the published program's worth of bidding `card`, its slips included."""
    worst = 10_000
    for reply in others:
        won = taken(card, reply, pot)
        own_then = own + pot * (won == 1)
        theirs += pot * (won == -1)  # kept for the next reply: the slip
        left_then = without(left, pot) if pot in left else left
        mine_then, others_then = without(mine, card), without(others, reply)
        if not mine_then:
            value = 999 * ((own_then > theirs) - (own_then < theirs))
        elif rounds == 1:
            pairs = list(zip(mine_then, others_then, strict=True))
            count = sum(a > b for a, b in pairs) - sum(a < b for a, b in pairs)
            value = count + (own_then - theirs) * len(left_then)
        else:
            pots = [item + pot * (won == 0) for item in left_then]
            values = [
                plain_published(
                    mine_then, others_then, left_then, p, own_then, theirs, c, rounds - 1
                )
                for p in pots
                for c in mine_then
            ]
            value = max(values, default=-10_000)
        worst = min(worst, value)
    return worst


def test_raj_published__thinks_like_the_plain_program():
    game = make_game("raj", cards=(1, 2, 3, 4, 5), items=(-2, -1, 1, 2, 3))
    bot = make_bot(game, "published")
    for state, player in positions(game, 2, seed=3):
        seen = Position(game, state, player)
        (others,) = seen.others
        first = (seen.mine, others, seen.left, seen.pot, seen.own, 0)
        values = [plain_published(*first, card, 3) for card in seen.mine]
        expected = seen.mine[values.index(max(values))]
        assert [expected] == list(choices(game, bot, state, player))


# --- greedy --------------------------------------------------------------------------------------


def plain_best_response(tie, reward):
    """Return a function for the worth of a card against random cards, by definition."""

    @cache
    def worth(mine, other, left, pot, own, theirs, card):
        total = Fraction(0)
        for reply in other:
            won = taken(card, reply, pot)
            share = Fraction(pot, 2) if won == 0 and tie == "split" else 0
            own_then = own + (pot if won == 1 else share)
            theirs_then = theirs + (pot if won == -1 else share)
            if not left:
                ahead = own_then - theirs_then
                total += {
                    "outcome": (ahead > 0) - (ahead < 0),
                    "margin": ahead,
                    "bank": own_then,
                }[reward]
                continue
            mine_then, other_then = without(mine, card), without(other, reply)
            carried = pot if won == 0 and tie == "carry" else 0
            for item in left:
                after = (mine_then, other_then, without(left, item), carried + item)
                best = max(worth(*after, own_then, theirs_then, c) for c in mine_then)
                total += best / len(left)
        return total / len(other)

    return worth


@pytest.mark.parametrize("reward", ["outcome", "margin", "bank"])
@pytest.mark.parametrize("tie", TIES)
def test_raj_greedy__is_the_best_response_to_random_play(tie, reward):
    game = make_game("raj", tie=tie, reward=reward, **SMALL)
    bot = make_bot(game, "greedy")
    worth = plain_best_response(tie, reward)
    for state, player in positions(game, 5, seed=8):
        seen = Position(game, state, player)
        (other,) = seen.others
        values = {
            card: worth(seen.mine, other, seen.left, seen.pot, seen.own, seen.richest, card)
            for card in seen.mine
        }
        best = max(values.values())
        expected = min(card for card in seen.mine if values[card] == best)
        assert [expected] == list(choices(game, bot, state, player))


def test_raj_greedy__beats_everything_else_at_beating_random():
    game = make_game("raj")
    results = {}
    for name in ("greedy", "value", "valueplus", "minimax"):
        batch = Batch(game, 1500, seed=4)
        bots = make_bot(game, name), make_bot(game, "random")
        actions = np.zeros(1500, np.int64)
        while (batch.movers >= 0).any():
            batch.ask(bots[int(batch.movers[0])], batch.movers >= 0, actions)
            batch.step(actions)
        results[name] = batch.returns[:, 0].mean()
    assert results["greedy"] > max(results[n] for n in results if n != "greedy") + 0.1


def test_raj_greedy__says_what_it_cannot_play():
    with pytest.raises(ValueError, match="not in a game of 3"):
        make_bot(make_game("raj", players=3), "greedy")
    with pytest.raises(ValueError, match=f"{raj_bots.MOST_POSITIONS:,} positions"):
        make_bot(make_game("raj", cards=range(1, 14), items=range(1, 14)), "greedy")
