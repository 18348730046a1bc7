"""The bot that solves guesses: what it plays where the answer is known, and that it cannot peek.

Also what a learned policy changes: the bids, the trump, and the choice between equal cards.
"""

import numpy as np
import pytest
from networks import random_network
from plain_tricks import plain_minimax

from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import save_policy
from bidarena.envs import make_bot, make_game
from bidarena.envs.rng import seeded
from bidarena.envs.testing import check_bot, random_states
from bidarena.envs.twentynine.rules.layout import PLAYING, A, S, card_code, card_of
from bidarena.envs.twentynine.rules.play import table_card
from bidarena.evaluate.match import play_match


def asked(game, state, spec="pimc:samples=4", seed=0):
    bot = make_bot(game, spec)
    act = game.compiled(bot.act, **bot.more)
    rng = seeded(np.random.default_rng(seed), 2)
    scratch = np.zeros(game.actions, np.int8)
    return int(act(game.cfg, bot.params, state, int(state[S.mover]), rng, scratch))


def last_tricks(game, games, seed=0):
    """States before the last cards but one of random games, with the trump revealed."""
    for state, _, _ in random_states(game, games, seed):
        if state[S.phase] == PLAYING and state[S.trick] == 6 and state[S.revealed]:
            yield state


def test_pimc__plays_what_minimax_plays_when_nothing_is_left_to_guess():
    """The last seat of the seventh trick; each seat is barred from all cards but its own."""
    game = make_game("twentynine", reward="margin")
    tested = 0
    for state in last_tricks(game, 60):
        mover = int(state[S.mover])
        hand = [c for c in range(32) if state[S.hands + mover] >> c & 1]
        others = {
            seat: [c for c in range(32) if state[S.hands + seat] >> c & 1]
            for seat in range(4)
            if seat != mover
        }
        if state[S.in_trick] != 3 or len(hand) != 2:
            continue
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        if mask.sum() != 2 or state[S.asked]:
            continue
        known = state.copy()
        for seat, cards in others.items():
            known[S.barred + seat] = 0xFFFFFFFF & ~sum(1 << c for c in cards)
        hands = [
            {card_code(c) for c in range(32) if state[S.hands + seat] >> c & 1} for seat in range(4)
        ]
        packed = state[S.tricks + 6]
        table = []
        for k in range(3):
            seat = int(state[S.leader] + k) % 4
            table.append((seat, card_code(int(table_card(packed, seat)))))
        values = {}
        for card in hand:
            left = [h - {card_code(card)} for h in hands]
            trump = "SDHC"[int(state[S.trump])]
            after = [*table, (mover, card_code(card))]
            values[card] = plain_minimax(left, mover, after, trump, 0)
        best = max(values.values()) if mover % 2 == 0 else min(values.values())
        assert values[asked(game, known)] == best
        tested += 1
    assert tested >= 10


def test_pimc__asks_for_the_trump_when_only_that_saves_the_contract():
    """The bidder cannot follow and has a trump; the points on the table make the contract."""
    state = _two_tricks_left()
    game = make_game("twentynine")
    assert asked(game, state) == A.reveal


def test_pimc__takes_the_trick_that_the_contract_needs():
    state = _two_tricks_left()
    state[S.revealed] = 1
    game = make_game("twentynine")
    assert asked(game, state) == card_of("8D")


def _two_tricks_left():
    """Seat 0 bid 16 with trump D; its side has 15, and six points are on the table in spades."""
    game = make_game("twentynine")
    rng = seeded(np.random.default_rng(3), 2)
    state = game.new_state(rng)
    step = game.call("step")
    for action in (A.bid_16, A.pass_, A.pass_, A.pass_, A.choose + 1):
        step(game.cfg, state, action, rng)
    assert state[S.bidder] == 0
    assert state[S.phase] == PLAYING
    hands = ["7C 8D", "7H", "8H", "QH"]
    for seat, hand in enumerate(hands):
        state[S.hands + seat] = sum(1 << card_of(card) for card in hand.split())
    # Everything else has been played in six tricks; which card in which does not matter here.
    table = {1: "JS", 2: "9S", 3: "1S"}
    there = {card_of(card) for hand in hands for card in hand.split()}
    gone = [c for c in range(32) if c not in there | {card_of(c) for c in table.values()}]
    for trick in range(6):
        packed = 0
        for seat in range(4):
            packed |= (gone.pop() + 1) << (6 * seat)
        state[S.tricks + trick] = packed
    state[S.trick] = 6
    state[S.tricks + 6] = 1 << 24
    for seat, card in table.items():
        state[S.tricks + 6] |= (card_of(card) + 1) << (6 * seat)
    state[S.leader], state[S.mover], state[S.in_trick] = 1, 0, 3
    state[S.best_card], state[S.best_seat] = card_of("JS"), 1
    state[S.table_points] = 6
    state[S.points], state[S.points + 1] = 15, 7
    return state


def fond_of(folder, game, actions):
    """Return the file of a policy that favours some actions, the first of them most."""
    weight = np.zeros((game.observation_size, game.actions), np.float32)
    bias = np.zeros(game.actions, np.float32)
    for place, action in enumerate(actions):
        bias[action] = 20.0 - 5 * place
    return save_policy(
        folder / f"{actions[0]}.safetensors", game, Network((weight,), (bias,), head="logits")
    )


def before_the_play(calls):
    game = make_game("twentynine")
    rng = seeded(np.random.default_rng(3), 2)
    state = game.new_state(rng)
    for action in calls:
        game.call("step")(game.cfg, state, action, rng)
    return game, state


def test_pimc__a_policy_bids_and_chooses_the_trump_as_in_searches(tmp_path):
    game, state = before_the_play([])
    usual = asked(game, state, "rules")
    bid = A.bid_16 + 5
    assert usual != bid
    path = fond_of(tmp_path, game, [bid, A.choose + 2])
    assert asked(game, state) == asked(game, state, "pimc:book=formula") == usual
    for options in (f"policy={path}", f"policy={path},book=policy", f"policy={path},prior=0"):
        assert asked(game, state, f"pimc:{options}") == bid
        assert asked(game, state, f"ismcts:iterations=20,{options.replace(',prior=0', '')}") == bid
    assert asked(game, state, f"pimc:policy={path},book=formula") == usual
    game, state = before_the_play([A.bid_16, A.pass_, A.pass_, A.pass_])
    seat_suit = asked(game, state, "rules")
    other = fond_of(tmp_path, game, [seat_suit - 1 if seat_suit > A.choose else seat_suit + 1])
    assert asked(game, state, f"pimc:policy={other}") != seat_suit == asked(game, state)


def test_pimc__a_policy_chooses_between_cards_that_are_equally_good(tmp_path):
    state = _two_tricks_left()
    state[S.points] = 16  # the contract is made, whatever is played
    state[S.revealed], state[S.in_trick], state[S.tricks + 6] = 1, 0, 0
    state[S.leader], state[S.mover], state[S.table_points] = 0, 0, 0
    game = make_game("twentynine")
    for card in ("7C", "8D"):
        path = fond_of(tmp_path, game, [card_of(card)])
        assert asked(game, state, f"pimc:samples=4,policy={path}") == card_of(card)
        assert asked(game, state, f"pimc:samples=4,policy={path},prior=0") == asked(game, state)


def test_pimc__a_policy_does_not_talk_it_out_of_the_contract(tmp_path):
    state = _two_tricks_left()
    game = make_game("twentynine")
    path = fond_of(tmp_path, game, [card_of("7C"), card_of("8D")])
    assert asked(game, state, f"pimc:samples=4,policy={path}") == A.reveal


@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_pimc__cards_that_make_no_difference_share_their_probability(tmp_path, reward):
    """The policy likes the eight, for which the seven stands; nobody has a card between them."""
    state = _two_tricks_left()
    state[S.hands] = sum(1 << card_of(card) for card in ("7H", "8H", "KC"))
    state[S.hands + 1], state[S.hands + 2], state[S.hands + 3] = (
        sum(1 << card_of(card) for card in hand)
        for hand in (("7D", "8D", "QC"), ("7C", "8C", "QD"), ("QS", "8S", "7S"))
    )
    state[S.points], state[S.points + 1] = 22, 0  # all that is left is worth nothing
    state[S.revealed], state[S.in_trick], state[S.trick] = 1, 0, 5
    state[S.tricks + 5], state[S.tricks + 6] = 0, 0
    state[S.leader], state[S.mover], state[S.table_points] = 0, 0, 0
    game = make_game("twentynine", reward=reward)
    path = fond_of(tmp_path, game, [card_of("8H"), card_of("KC")])
    assert asked(game, state, f"pimc:samples=4,policy={path}") == card_of("7H")
    path = fond_of(tmp_path, game, [card_of("KC")])
    assert asked(game, state, f"pimc:samples=4,policy={path}") == card_of("KC")


HOUSE = {"last_trick": 1, "seventh_card": True, "marriage": True, "doubling": True}


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ("samples=1", {"last_trick": 1, "seventh_card": True}),
        ("samples=1,belief=both", {"reward": "margin"}),
        ("samples=2,policy=learned", {}),
        ("samples=2,policy=learned,book=formula,belief=both", {}),
        ("samples=1,policy=RANDOM", HOUSE | {"single_hand": True, "redeal": "no_points"}),
        ("samples=1,policy=RANDOM,prior=1", {"reward": "margin", "auction": "round_robin"}),
    ],
)
def test_pimc__sees_nothing_hidden(tmp_path, options, rules):
    game = make_game("twentynine", **rules)
    path = save_policy(tmp_path / "any.safetensors", game, random_network(game, head="logits"))
    check_bot(game, f"pimc:{options.replace('RANDOM', str(path))}", games=2)


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
    for options, message in (
        ("book=none", "cannot search bids"),
        ("book=unknown", "is not known"),
        ("book=policy", "expected a policy that gives probabilities"),
        ("prior=0.5", "expected policy=PATH too"),
        ("policy=learned,prior=2", "from 0 to 1"),
        ("policy=nowhere.safetensors", "policy='nowhere.safetensors'"),
    ):
        with pytest.raises(ValueError, match=message):
            make_bot(game, f"pimc:{options}")


def test_pimc__refuses_a_policy_without_probabilities_or_for_other_rules(tmp_path):
    game = make_game("twentynine")
    values = save_policy(tmp_path / "v.safetensors", game, random_network(game, head="values"))
    with pytest.raises(ValueError, match="gives probabilities"):
        make_bot(game, f"pimc:policy={values}")
    house = make_game("twentynine", **HOUSE)
    with pytest.raises(ValueError, match="policy='learned'"):
        make_bot(house, "pimc:policy=learned")
    make_bot(house, "pimc")
