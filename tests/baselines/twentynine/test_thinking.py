"""Searches of Twenty-nine: the book, the beliefs, the cheater."""

import numpy as np
import pytest

from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import save_policy
from bidarena.baselines.search import analyse
from bidarena.baselines.twentynine.beliefs import _throws, _trump
from bidarena.envs import make_bot, make_game
from bidarena.envs.registry import playing
from bidarena.envs.testing import check_bot, random_states
from bidarena.envs.twentynine.rules.layout import PLAYING, A, S, card_of
from bidarena.evaluate.match import play_match

START = [33, 32, 32, 32, 48]  # seat 0 takes 16 and chooses hearts
DEAL = (
    "JS 9S 1S TS JD 7H 8H 7C",
    "KS QS 8S 7S 9D KH QH 8C",
    "1D TD KD QD JH 9H QC KC",
    "8D 7D 1H TH JC 9C 1C TC",
)


def position(script, hands=DEAL):
    game = make_game("twentynine")
    rng = np.array([1, 2], np.uint64)
    state = game.new_state(rng)
    for seat, hand in enumerate(hands):
        codes = [1 << card_of(code) for code in hand.split()]
        state[S.hands + seat], state[S.rest + seat] = sum(codes[:4]), sum(codes[4:])
    for word in script:
        action = card_of(word) if isinstance(word, str) else word
        game.call("step")(game.cfg, state, action, rng)
    return game, state


def test_book__bids_and_chooses_like_rules_and_leaves_the_cards_to_the_search():
    game = make_game("twentynine")
    rules = make_bot(game, "rules")
    search = make_bot(game, "ismcts:iterations=30,book=formula")
    act, think = game.compiled(rules.act), game.compiled(search.act, **search.more)
    mask = np.zeros(game.actions, np.int8)
    differed = False
    for state, mover, rng in random_states(game, 8, 0):
        ours = think(game.cfg, search.params, state, mover, rng.copy(), mask)
        theirs = act(game.cfg, rules.params, state, mover, rng.copy(), mask)
        if state[S.phase] != PLAYING:
            assert ours == theirs
        else:
            differed |= ours != theirs
    assert differed


def test_book__is_asked_by_the_analysis_too():
    game, state = position([])
    found = analyse(game, state, 0, "ismcts:iterations=200,book=formula")
    assert (found.action, found.iterations) == (33, 0)
    assert analyse(game, state, 0, "ismcts:iterations=200,book=none").iterations == 200


@pytest.mark.parametrize("technique", ["ismcts", "dmcts", "mom", "pom", "bandit"])
def test_book__the_formula_is_the_usual_one(technique):
    game, state = position([])
    usual = analyse(game, state, 0, f"{technique}:iterations=200")
    assert (usual.action, usual.iterations) == (33, 0)


def bids_only(tmp_path, game, action):
    """Return the file of a policy that always favours one action."""
    weight = np.zeros((game.observation_size, game.actions), np.float32)
    bias = np.zeros(game.actions, np.float32)
    bias[action] = 3.0
    path = tmp_path / "one.safetensors"
    save_policy(path, game, Network((weight,), (bias,)))
    return path


@pytest.mark.parametrize("threads", [1, 2])
def test_book__a_policy_bids_in_place_of_the_formula(tmp_path, threads):
    game, state = position([])
    bid = A.bid_16 + 4
    path = bids_only(tmp_path, game, bid)
    searched = f"ismcts:iterations=100,threads={threads}"
    assert analyse(game, state, 0, searched).action == A.bid_16
    for book in ("", ",book=policy"):
        found = analyse(game, state, 0, f"{searched},policy={path}{book}")
        assert (found.action, found.iterations) == (bid, 0)
    named = analyse(game, state, 0, f"{searched},policy={path},book=formula")
    assert (named.action, named.iterations) == (A.bid_16, 0)
    assert analyse(game, state, 0, f"{searched},policy={path},book=none").iterations > 0


def test_book__a_policy_needs_a_book_that_says_where_it_answers(tmp_path):
    with pytest.raises(ValueError, match="book='policy': expected a policy"):
        make_bot(make_game("twentynine"), "ismcts:book=policy")
    game = make_game("raj")
    with pytest.raises(ValueError, match=r"book=.policy.*raj has none"):
        make_bot(game, f"ismcts:book=policy,policy={bids_only(tmp_path, game, 0)}")


@pytest.mark.parametrize("option", ["book=unknown", "belief=unknown"])
def test_options__unknown_books_and_beliefs_are_refused(option):
    with pytest.raises(ValueError, match=f"{option.split('=')[0]}='unknown' is not known"):
        make_bot(make_game("twentynine"), f"ismcts:{option}")
    with pytest.raises(ValueError, match=r"no (book|belief) is registered for raj"):
        make_bot(make_game("raj"), f"ismcts:{option}")


def test_throws__doubts_a_worthless_card_beside_a_thrown_jack():
    # Seat 1 follows its opponent's winning jack of spades with the nine, as if it had nothing less.
    hands = ("JS 8S 1S TS JD 7H 8H 7C", "KS QS 9S 7S 9D KH QH 8C", *DEAL[2:])
    game, state = position([*START, "JS", "9S"], hands)
    params = np.array([0.25])
    assert _throws(game.cfg, params, state, 0) == 0.25  # it holds K Q 7 of spades
    for seat in range(1, 4):  # in this guess it has no worthless spade
        state[S.hands + seat] &= ~0xF
    assert _throws(game.cfg, params, state, 0) == 1.0
    assert _throws(game.cfg, params, state, 1) == 1.0  # a seat does not doubt its own cards
    game, state = position([*START, "JS", "7S"])
    assert _throws(game.cfg, params, state, 0) == 1.0  # a worthless card was thrown


def test_trump__believes_in_many_trumps_of_the_bidder():
    game, state = position(START)
    params = np.array([1.0, 0.05])
    believed = []
    for suit in range(4):  # the bidder holds four spades, a diamond, two hearts, a club
        state[S.trump] = suit
        believed.append(_trump(game.cfg, params, state, 1))
    assert believed == [1.0, 0.25, 0.5, 0.25]
    assert _trump(game.cfg, params, state, 0) == 1.0  # who knows it need not believe


def test_trump__a_suit_thrown_away_before_the_reveal_counts_no_more():
    # Seat 1 has the contract; unable to follow clubs it discards a heart, the trump being hidden.
    hands = (
        "JS 9S 1S TS JD 7H 8H 7C",
        "KS QS 8S 7S 9D KH QH 8D",
        "1D TD KD QD JH 9H QC KC",
        "8C 7D 1H TH JC 9C 1C TC",
    )
    start = [32, 33, 32, 32, 48]
    params = np.array([1.0, 0.05])
    game, state = position([*start, "7C"], hands)
    assert _trump(game.cfg, params, state, 0) == 0.5  # king and queen of hearts
    game, state = position([*start, "7C", "QH"], hands)
    assert _trump(game.cfg, params, state, 0) == 0.25


@pytest.mark.parametrize("belief", ["throws", "trump", "both:doubt=0.5"])
def test_beliefs__do_not_peek(belief):
    check_bot("twentynine", f"ismcts:iterations=20,belief={belief}", games=2)


@pytest.mark.parametrize(("belief", "name"), [("throws:doubt=0", "doubt"), ("trump:few=2", "few")])
def test_beliefs__refuse_what_is_no_share(belief, name):
    with pytest.raises(ValueError, match=f"{name}="):
        make_bot(make_game("twentynine"), f"ismcts:belief={belief}")


def test_cheater__is_stronger_than_a_fair_search_and_left_out_of_tournaments():
    match = play_match(
        "twentynine", ["cheater:iterations=150", "ismcts:iterations=150"], 200, seed=2
    )
    assert match.scores[0].mean - match.scores[0].half_width > 0
    game = make_game("twentynine")
    fair, left_out = playing(game)
    assert not any(name.startswith("cheater") for name in fair)
    assert "sees what its player cannot know" in left_out["cheater"]
    assert make_bot(game, "cheater").fair is False


def test_cheater__sees_all_cards_when_it_bids_too():
    game, state = position([])
    assert analyse(game, state, 0, "cheater:iterations=50").iterations == 50
