"""The bots of Twenty-nine on hand-made positions, and against each other."""

import numpy as np
import pytest

from bidarena.baselines.twentynine.bots import best_suit, estimate
from bidarena.envs import make_bot, make_game
from bidarena.envs.bits import count, highest, lowest, nth
from bidarena.envs.twentynine.rules.layout import A, S, bid_of, card_code, card_of
from bidarena.evaluate.match import play_match


def cards(codes):
    return sum(1 << card_of(code) for code in codes.split())


def play(hands, script, bot="rules", **rules):
    """Return the bot's action after `script` (actions as numbers or card codes) in a given deal."""
    game = make_game("twentynine", **rules)
    rng = np.array([1, 2], np.uint64)
    state = game.new_state(rng)
    for seat, hand in enumerate(hands):
        codes = hand.split()
        state[S.hands + seat] = cards(" ".join(codes[:4]))
        state[S.rest + seat] = cards(" ".join(codes[4:]))
    for word in script:
        action = card_of(word) if isinstance(word, str) else word
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        assert mask[action], word
        game.call("step")(game.cfg, state, action, rng)
    player = int(game.call("to_move")(game.cfg, state))
    made = make_bot(game, bot)
    act = game.compiled(made.act)
    return int(act(game.cfg, made.params, state, player, rng, np.zeros(game.actions, np.int8)))


@pytest.mark.parametrize(
    ("hand", "bid"),
    [
        ("JS 9S 1S TS", 21),  # 17 + 7/2 = 20.5
        ("JS 9S 1S TD", 19),  # 16 + 6/2 + 0.34 = 19.34
        ("JS 9S JD 9D", 19),  # 15 + 5/2 + 0.34 * 5 = 19.2
        ("7S 8D QH KC", 14),
        ("JS JD JH JC", 19),  # 14 + 3/2 + 0.34 * 9 = 18.56
        ("7S 8S QS KS", 17),
        ("7S 8S QD JC", 16),  # 15 + 0.34 * 3 = 16.02
    ],
)
def test_rules__bids_by_the_formula(hand, bid):
    assert estimate(cards(hand)) == bid


@pytest.mark.parametrize(
    ("hand", "suit"),
    [
        ("JS 7D 8D QC", "D"),  # the longest
        ("7S 8S JD TD", "D"),  # of two, the one with points
        ("KS QS 8D 7D", "S"),  # without points, the higher cards
        ("7S 8D QH JC", "C"),
    ],
)
def test_rules__chooses_the_longest_suit_then_the_highest(hand, suit):
    assert "SDHC"[best_suit(cards(hand))] == suit


DEAL = (
    "JS 9S 1S TS JD 7H 8H 7C",
    "KS QS 8S 7S 9D KH QH 8C",
    "1D TD KD QD JH 9H QC KC",
    "8D 7D 1H TH JC 9C 1C TC",
)


def test_rules__bids_as_little_as_it_must_and_jumps_if_told():
    assert bid_of(play(DEAL, [])) == 16
    assert bid_of(play(DEAL, [], "rules:jump=true")) == 21
    assert play(DEAL, [33]) == 34  # seat 1: a suit of four without points is worth 17
    assert play(DEAL, [33, 34, 34]) == A.pass_  # 18 would be too much


def test_rules__leads_a_card_that_nothing_beats():
    start = [33, 32, 32, 32, 48]
    assert card_code(play(DEAL, start)) in ("JS", "JD")


def test_rules__follows_with_the_winning_card_or_the_least():
    start = [33, 32, 32, 32, 48]
    assert card_code(play(DEAL, [*start, "7H"])) == "KH"  # the strongest that wins
    assert card_code(play(DEAL, [*start, "JD"])) == "9D"  # forced
    assert card_code(play(DEAL, [*start, "JS"])) == "7S"  # cannot win: the least


def test_rules__reveals_only_for_points_that_the_partner_is_not_winning():
    start = [33, 32, 32, 32, 48]  # seat 0 is the bidder, trump hearts
    # Seat 2 has no spades; its partner's jack is winning: it gives its most valuable card, no trump
    # as far as it knows.
    assert card_code(play(DEAL, [*start, "JS", "7S"])) == "JH"
    # Seat 3 has no spades either; an opponent is winning points: it asks for the trump ...
    assert play(DEAL, [*start, "JS", "7S", "QC"]) == A.reveal
    # ... and then plays the least trump that wins.
    assert card_code(play(DEAL, [*start, "JS", "7S", "QC", A.reveal])) == "TH"
    # Nothing on the table to win: the least card.
    void = (DEAL[0], "KS QS 8S 7S 9D KH QH 8D", DEAL[2], "8C 7D 1H TH JC 9C 1C TC")
    assert card_code(play(void, [*start, "7C"])) == "7S"


def test_rules__declares_a_marriage():
    hands = (
        "KH QH JH JS 9S 1S TS 7C",
        "JD 9D 1D TD KD QD 8D 7D",
        "KS QS 8S 7S JC 9C 1C TC",
        "9H 1H TH 8H 7H KC QC 8C",
    )
    start = [33, 32, 32, 32, 48, "JS", A.reveal, "JD", "KS", "9H"]
    # Seat 3 took the trick of the reveal and leads; seat 0's side has none yet.
    assert play(hands, [*start, "8H"], marriage=True) == card_of("QH")
    won = [*start, "8H", "JH", "9D", "QS"]
    assert play(hands, won, marriage=True) == A.declare


def test_rules__beats_random_play_by_far_and_itself_never():
    match = play_match("twentynine", ["rules", "random"], 4000)
    assert match.games == 4000
    assert match.scores[0].decided_rate > 0.95
    again = play_match("twentynine", ["rules", "rules"], 2000)
    assert again.scores[0].mean == 0.0  # the same deals from both sides, and nothing left to chance


def test_match__one_bot_a_side_is_the_same_as_naming_both_seats():
    two = play_match("twentynine", ["rules", "rules:jump=true"], 2000, seed=4)
    four = play_match("twentynine", ["rules", "rules:jump=true"] * 2, 4000, seed=4)
    # These bots leave nothing to chance, so two of the four rotations repeat the other two.
    assert two.games == 2000 and four.games == 4000
    assert len(two.scores) == 2
    assert 0.3 < two.scores[0].win_rate < 0.7 and two.scores[0].wins == two.scores[1].losses
    assert four.scores[0].wins == 2 * two.scores[0].wins


def test_match__takes_a_bot_a_side_or_a_seat():
    with pytest.raises(ValueError, match="4 players on 2 sides, got 3"):
        play_match("twentynine", ["rules"] * 3, 10)


@pytest.mark.parametrize("seed", range(20))
def test_bits__agree_with_python(seed):
    chance = np.random.default_rng(seed)
    mask = int(chance.integers(1, 2**58)) & int(chance.integers(0, 2**58)) or 4
    ones = [i for i in range(62) if mask >> i & 1]
    assert count(mask) == len(ones)
    assert (lowest(mask), highest(mask)) == (ones[0], ones[-1])
    assert [nth(mask, n) for n in range(len(ones))] == ones
