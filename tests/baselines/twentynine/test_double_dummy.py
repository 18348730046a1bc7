"""The double-dummy solver against a minimax that prunes, remembers and merges nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_tricks import STRENGTH, WORTH, card_values, plain_minimax

from bidarena.baselines.twentynine.double_dummy import best_cards, card_points, double_dummy
from bidarena.baselines.twentynine.double_dummy.layout import COLUMNS, FIRST_ROOM, PLIES, ROOM
from bidarena.baselines.twentynine.double_dummy.memory import begin_deal
from bidarena.baselines.twentynine.double_dummy.position import read_position
from bidarena.baselines.twentynine.double_dummy.search import ALL, exact_points, points_after
from bidarena.envs.compile import compiled
from bidarena.envs.rng import seeded
from bidarena.envs.twentynine.env import twentynine
from bidarena.envs.twentynine.rules.layout import A, S, card_code, card_of


def endgame(random, size, on_table):
    """Return a deal of `size` cards each; the first seats have put one on the table."""
    # Few suits make equal neighbours and ruffs likely, so that merging and trumps matter.
    deck = random.permutation(32 if random.random() < 0.5 else 16)[: 4 * size]
    hands = [{card_code(int(c)) for c in deck[size * k : size * (k + 1)]} for k in range(4)]
    leader = int(random.integers(4))
    table = []
    for k in range(on_table):
        seat = (leader + k) % 4
        hand = sorted(hands[seat])
        suit = [card for card in hand if table and card[1] == table[0][1][1]] or hand
        card = suit[int(random.integers(len(suit)))]
        hands[seat] = hands[seat] - {card}
        table.append((seat, card))
    trump = [*"SDHC", None][int(random.integers(5))]
    return hands, leader, table, trump, int(random.integers(2))


@pytest.mark.parametrize(
    ("size", "on_table", "deals"),
    [(1, 0, 50), (2, 0, 150), (2, 2, 100), (3, 0, 100), (3, 1, 100), (3, 3, 100), (4, 2, 5)],
)
def test_double_dummy__agrees_with_plain_minimax(size, on_table, deals):
    random = np.random.default_rng([size, on_table])
    for _ in range(deals):
        hands, leader, table, trump, last_trick = endgame(random, size, on_table)
        mover = (leader + on_table) % 4
        played = [card for _, card in table]
        expected = card_values(hands, mover, table, trump, last_trick)
        value = max(expected.values()) if mover % 2 == 0 else min(expected.values())
        question = ([sorted(hand) for hand in hands], leader, trump)
        told = {"table": played, "last_trick": last_trick}
        assert card_points(*question, **told) == expected
        assert double_dummy(*question, **told) == value
        assert set(best_cards(*question, **told)) == {c for c in expected if expected[c] == value}


@pytest.mark.parametrize("trump", range(4))
def test_points_after__a_hidden_trump_counts_from_the_next_trick_on(trump):
    """The present trick has no trumps, as after a card that is played instead of asking."""
    random = np.random.default_rng([29, trump])
    stack, codes = np.zeros((PLIES, COLUMNS), np.int64), np.empty((4, 256), np.int64)
    memory = np.empty((1 + FIRST_ROOM, 2), np.int64)
    for _ in range(40):
        hands, leader, table, _, last_trick = endgame(random, 3, int(random.integers(1, 4)))
        played = [card for _, card in table]
        question = [sorted(hand) for hand in hands]
        position = read_position(question, leader, None, played, last_trick)
        compiled(begin_deal, {}, "double dummy")(position.hands, codes, memory)
        expected = hidden_values(hands, position.mover, table, "SDHC"[trump], last_trick)
        for card, value in expected.items():
            arguments = (stack, trump, last_trick, codes, memory)
            root = (position.hands, position.row, card_of(card))
            guess = int(random.integers(0, 29))
            solve = compiled(points_after, {}, "double dummy")
            assert solve(*root, *arguments, guess, ALL) == value
            for need in (-1, value, value + 1, 40):
                assert (solve(*root, *arguments, need, 1) >= need) == (need <= value)


def hidden_values(hands, to_play, table, trump, last_trick):
    """Return what side 0 takes after each legal card if the present trick has no trumps."""
    hand = hands[to_play]
    following = [card for card in hand if card[1] == table[0][1][1]]
    values = {}
    for card in following or hand:
        left = [h - {card} if seat == to_play else h for seat, h in enumerate(hands)]
        after = [*table, (to_play, card)]
        if len(after) == 4:
            winner, points = no_trump_trick(after)
            points += 0 if any(left) else last_trick
            later = plain_minimax(left, winner, [], trump, last_trick) if any(left) else 0
            values[card] = later + (points if winner % 2 == 0 else 0)
        else:
            seat = (to_play + 1) % 4
            later = hidden_values(left, seat, after, trump, last_trick).values()
            values[card] = max(later) if seat % 2 == 0 else min(later)
    return values


def no_trump_trick(table):
    """Return who wins a full trick without trumps, and its points."""
    led = table[0][1][1]
    followers = [play for play in table if play[1][1] == led]
    winner = max(followers, key=lambda play: STRENGTH.index(play[1][0]))[0]
    return winner, sum(WORTH[card[0]] for _, card in table)


def test_double_dummy__a_memory_of_any_size_gives_the_same_points():
    """Old entries make room in the smallest memory, and move when a larger one grows."""
    random = np.random.default_rng(7)
    grown = 0
    for _ in range(6):
        deck = random.permutation(32)
        hands = np.array([sum(1 << int(c) for c in deck[7 * k : 7 * k + 7]) for k in range(4)])
        position = read_position([int(hand) for hand in hands], 0, 1, (), 0)
        found = []
        for size in (FIRST_ROOM, 4 * FIRST_ROOM):
            stack, codes = np.zeros((PLIES, COLUMNS), np.int64), np.empty((4, 256), np.int64)
            memory = np.full((1 + size, 2), -1, np.int64)
            compiled(begin_deal, {}, "double dummy")(position.hands, codes, memory)
            stack[0] = position.row
            solve = compiled(exact_points, {}, "double dummy")
            found.append(solve(position.hands, stack, 1, 0, codes, memory, 14, ALL))
            grown += memory[0, ROOM] > FIRST_ROOM
        assert found == [double_dummy([int(hand) for hand in hands], 0, 1)] * 2
    assert grown > 0


@pytest.mark.slow
def test_double_dummy__agrees_with_plain_minimax_on_four_cards_each():
    random = np.random.default_rng(4)
    for _ in range(60):
        hands, leader, table, trump, last_trick = endgame(random, 4, 0)
        expected = plain_minimax(hands, leader, table, trump, last_trick)
        question = ([sorted(hand) for hand in hands], leader, trump)
        assert double_dummy(*question, last_trick=last_trick) == expected


whole_deals = st.permutations(range(32)).map(
    lambda deck: [sum(1 << card for card in deck[8 * k : 8 * k + 8]) for k in range(4)]
)


@settings(max_examples=15, deadline=None)
@given(whole_deals, st.integers(0, 3), st.integers(0, 3), st.integers(0, 1))
def test_double_dummy__the_sides_share_all_points(hands, leader, trump, last_trick):
    own = double_dummy(hands, leader, trump, last_trick=last_trick)
    # One seat further round the table the sides have changed places.
    turned = [hands[3], *hands[:3]]
    other = double_dummy(turned, (leader + 1) % 4, trump, last_trick=last_trick)
    assert own + other == 28 + last_trick


@settings(max_examples=15, deadline=None)
@given(whole_deals, st.integers(0, 3), st.permutations(range(4)))
def test_double_dummy__names_of_suits_make_no_difference(hands, trump, names):
    renamed = [
        sum((hand >> 8 * suit & 0xFF) << 8 * names[suit] for suit in range(4)) for hand in hands
    ]
    assert double_dummy(hands, 0, trump) == double_dummy(renamed, 0, names[trump])


@settings(max_examples=10, deadline=None)
@given(whole_deals, st.integers(0, 3))
def test_double_dummy__the_last_trick_is_worth_at_most_its_point(hands, trump):
    without = double_dummy(hands, 0, trump)
    assert without <= double_dummy(hands, 0, trump, last_trick=1) <= without + 1


@settings(max_examples=10, deadline=None)
@given(whole_deals, st.integers(0, 3), st.integers(0, 3))
def test_double_dummy__the_best_cards_played_through_give_the_value(hands, leader, trump):
    """Along the best cards nothing is lost, in the game's own rules after a reveal."""
    game = twentynine()
    rng = seeded(np.random.default_rng(0), 2)
    state = game.new_state(rng)
    step = game.call("step")
    while state[game.state["phase"].start] == 0:  # somebody takes the contract
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        step(game.cfg, state, A.pass_ if mask[A.pass_] else int(np.flatnonzero(mask)[0]), rng)
    step(game.cfg, state, A.choose + trump, rng)
    state[S.hands : S.hands + 4] = hands
    state[S.revealed] = 1
    state[game.state["leader"].start] = leader
    state[game.state["mover"].start] = leader
    value = double_dummy(hands, leader, trump)
    table: list[str] = []
    while game.call("to_move")(game.cfg, state) >= 0:
        leading = int(state[game.state["leader"].start])
        now = [int(hand) for hand in state[S.hands : S.hands + 4]]
        card = best_cards(now, leading, trump, table=table)[0]
        table = [*table, card] if len(table) < 3 else []
        step(game.cfg, state, card_of(card), rng)
    assert state[S.points] == value
    assert state[S.points + 1] == 28 - value


def test_double_dummy__takes_masks_codes_and_lists():
    codes = ["JS 9H", "1S 7H", "TS JH", "7S 8H"]
    lists = [code.split() for code in codes]
    masks = [sum(1 << card_of(card) for card in hand) for hand in lists]
    assert double_dummy(codes, 0, "S") == double_dummy(lists, 0, 0) == double_dummy(masks, 0, "S")
    assert double_dummy(codes, 0, "S") == 10  # all points: jack, ace and ten, nine and jack


def test_double_dummy__cashes_a_jack_before_it_is_ruffed():
    hands = ["JS 7H", "9S 7D", "8S 8C", "7S JD"]
    assert card_points(hands, 0, "D") == {"7H": 0, "JS": 5}
    assert best_cards(hands, 0, "D") == ["JS"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hands": ["JS", "9S", "1S"]}, "expected four"),
        ({"hands": ["JS", "9S", "1S", "JS"]}, "JS is there twice"),
        ({"hands": ["JS", "9S", "1S", "TS 7S"]}, "equally many cards"),
        ({"hands": ["", "", "", ""]}, "at least one card"),
        ({"hands": ["JS", "9S", "1S", "XS"]}, r"hands\[3\].*card='XS'"),
        ({"hands": [1, 2, 4, 1 << 32]}, "mask of 32 bits"),
        ({"leader": 4}, "leader"),
        ({"trump": "X"}, "expected one of S D H C"),
        ({"table": ["7S", "7D", "7H", "7C"]}, "at most three"),
        ({"last_trick": 2}, "last_trick"),
    ],
)
def test_double_dummy__says_what_is_wrong(change, message):
    question = {"hands": ["JS", "9S", "1S", "TS"], "leader": 0, "trump": "S", **change}
    with pytest.raises(ValueError, match=message):
        double_dummy(**question)
