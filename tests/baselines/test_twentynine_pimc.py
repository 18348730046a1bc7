"""The bot that solves guesses: what it plays where the answer is known, and that it cannot peek."""

import numpy as np
import pytest
from plain_tricks import plain_minimax

from bidarena.envs import make_bot, make_game
from bidarena.envs.rng import seeded
from bidarena.envs.testing import check_bot, random_states
from bidarena.envs.twentynine import layout
from bidarena.envs.twentynine.layout import (
    BIDDER,
    HANDS,
    IN_TRICK,
    LEADER,
    MOVER,
    PHASE,
    PLAYING,
    POINTS,
    REVEAL,
    REVEALED,
    TRICK,
    TRICKS,
    TRUMP,
    card_code,
    card_of,
)
from bidarena.envs.twentynine.play import table_card
from bidarena.evaluate.match import play_match


def asked(game, state, spec="pimc:samples=4", seed=0):
    bot = make_bot(game, spec)
    act = game.compiled(bot.act, **bot.more)
    rng = seeded(np.random.default_rng(seed), 2)
    scratch = np.zeros(game.actions, np.int8)
    return int(act(game.cfg, bot.params, state, int(state[MOVER]), rng, scratch))


def last_tricks(game, games, seed=0):
    """States before the last cards but one of random games, with the trump revealed."""
    for state, _, _ in random_states(game, games, seed):
        if state[PHASE] == PLAYING and state[TRICK] == 6 and state[REVEALED]:
            yield state


def test_pimc__plays_what_minimax_plays_when_nothing_is_left_to_guess():
    """The last seat of the seventh trick, with everybody barred from all but the card he holds."""
    game = make_game("twentynine", reward="margin")
    tested = 0
    for state in last_tricks(game, 60):
        mover = int(state[MOVER])
        hand = [c for c in range(32) if state[HANDS + mover] >> c & 1]
        others = {
            seat: [c for c in range(32) if state[HANDS + seat] >> c & 1]
            for seat in range(4)
            if seat != mover
        }
        if state[IN_TRICK] != 3 or len(hand) != 2:
            continue
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        if mask.sum() != 2 or state[layout.ASKED]:
            continue
        known = state.copy()
        for seat, cards in others.items():
            known[layout.BARRED + seat] = 0xFFFFFFFF & ~sum(1 << c for c in cards)
        hands = [
            {card_code(c) for c in range(32) if state[HANDS + seat] >> c & 1} for seat in range(4)
        ]
        word = state[TRICKS + 6]
        table = []
        for k in range(3):
            seat = int(state[LEADER] + k) % 4
            table.append((seat, card_code(int(table_card(word, seat)))))
        values = {}
        for card in hand:
            left = [h - {card_code(card)} for h in hands]
            trump = "SDHC"[int(state[TRUMP])]
            after = [*table, (mover, card_code(card))]
            values[card] = plain_minimax(left, mover, after, trump, 0)
        best = max(values.values()) if mover % 2 == 0 else min(values.values())
        assert values[asked(game, known)] == best
        tested += 1
    assert tested >= 10


def test_pimc__asks_for_the_trump_when_only_that_saves_the_contract():
    """The bidder cannot follow, his side lacks points that lie on the table, and he has a trump."""
    state = _two_tricks_left()
    game = make_game("twentynine")
    assert asked(game, state) == REVEAL


def test_pimc__takes_the_trick_that_the_contract_needs():
    state = _two_tricks_left()
    state[REVEALED] = 1
    game = make_game("twentynine")
    assert asked(game, state) == card_of("8D")


def _two_tricks_left():
    """Seat 0 bid 16 with trump D; its side has 15, and six points are on the table in spades."""
    game = make_game("twentynine")
    rng = seeded(np.random.default_rng(3), 2)
    state = game.new_state(rng)
    step = game.call("step")
    for action in (layout.BID_16, layout.PASS, layout.PASS, layout.PASS, layout.CHOOSE + 1):
        step(game.cfg, state, action, rng)
    assert state[BIDDER] == 0
    assert state[PHASE] == PLAYING
    hands = ["7C 8D", "7H", "8H", "QH"]
    for seat, hand in enumerate(hands):
        state[HANDS + seat] = sum(1 << card_of(card) for card in hand.split())
    # Everything else has been played in six tricks; which card in which does not matter here.
    table = {1: "JS", 2: "9S", 3: "1S"}
    there = {card_of(card) for hand in hands for card in hand.split()}
    gone = [c for c in range(32) if c not in there | {card_of(c) for c in table.values()}]
    for trick in range(6):
        word = 0
        for seat in range(4):
            word |= (gone.pop() + 1) << (6 * seat)
        state[TRICKS + trick] = word
    state[TRICK] = 6
    state[TRICKS + 6] = 1 << 24
    for seat, card in table.items():
        state[TRICKS + 6] |= (card_of(card) + 1) << (6 * seat)
    state[LEADER], state[MOVER], state[IN_TRICK] = 1, 0, 3
    state[layout.BEST_CARD], state[layout.BEST_SEAT] = card_of("JS"), 1
    state[layout.TABLE_POINTS] = 6
    state[POINTS], state[POINTS + 1] = 15, 7
    return state


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ("samples=1", {"last_trick": 1, "seventh_card": True}),
        ("samples=1,belief=both", {"reward": "margin"}),
    ],
)
def test_pimc__sees_nothing_hidden(options, rules):
    check_bot("twentynine", f"pimc:{options}", games=2, **rules)


def test_pimc__beats_random_play():
    match = play_match("twentynine", ["pimc:samples=1", "random"], 40, seed=1)
    assert match.scores[0].mean - match.scores[0].half_width > 0


@pytest.mark.slow
def test_pimc__beats_rules():
    match = play_match("twentynine", ["pimc", "rules"], 400, seed=1)
    assert match.scores[0].mean - match.scores[0].half_width > 0


def test_pimc__refuses_wrong_options():
    game = make_game("twentynine")
    with pytest.raises(ValueError, match="samples=0"):
        make_bot(game, "pimc:samples=0")
    with pytest.raises(ValueError, match="nonsense"):
        make_bot(game, "pimc:belief=nonsense")
