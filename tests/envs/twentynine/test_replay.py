"""The referee of Twenty-nine on random deals under all house rules, and on other possible hands.

`replay_with` decides by replaying. The rules page also lists what the table gets to know; `known`
below checks that list instead, which is a second way to the same answer.
"""

import random
from typing import Any

import pytest
from twentynine_both import Referee
from twentynine_deals import HEARTS, LEVEL, deal, dealt, playing
from twentynine_referee import CARDS, MARRIAGE, RANKS, REVEAL, SEVENTH, consistent, say

ALL_RULES: dict[str, tuple[Any, ...]] = {
    "auction": ("duel", "round_robin"),
    "min_bid": (16, 20, 28),
    "all_pass": ("last_takes", "redeal"),
    "first_lead": ("first_bidder", "bidder"),
    "unrevealed": ("void", "score"),
    "last_trick": (0, 1),
    "marriage": (False, True),
    "doubling": (False, True),
    "single_hand": (False, True),
    "redeal": (None, "no_points"),
    "reward": ("outcome", "margin"),
}


def random_options(rng: random.Random) -> dict[str, Any]:
    return {name: rng.choice(choices) for name, choices in ALL_RULES.items()}


def random_deal(referee: Referee, rng: random.Random) -> None:
    deck = rng.sample(CARDS, 32)
    hands = [deck[8 * seat : 8 * seat + 8] for seat in range(4)]
    referee.deal([hand[:4] for hand in hands], [hand[4:] for hand in hands], rng.randrange(4))


def random_step(referee: Referee, rng: random.Random) -> None:
    """Return a random action; rare ones are preferred."""
    rare = [action for action in referee.legal() if action in {REVEAL, SEVENTH, MARRIAGE}]
    if rare and rng.random() < 0.3:
        referee.play(rare[0])
    else:
        referee.play(rng.choice(referee.legal()))


def original(referee: Referee) -> list[list[str]]:
    pairs = zip(referee.first_four, referee.second_four, strict=True)
    return [first + second for first, second in pairs]


def random_game(rng: random.Random, **options: Any) -> Referee:
    """Return a game that was played at random and stopped somewhere, or at its end."""
    referee = Referee(**options)
    left = rng.randrange(5, 50)
    while not referee.over and left:
        if referee.needs_deal:
            random_deal(referee, rng)
        random_step(referee, rng)
        left -= 1
    return referee


def some_other_hands(referee: Referee, rng: random.Random) -> list[list[str]]:
    """Return hands in which random seats have swapped a few cards not played yet."""
    played = {card for trick in referee.tricks for _, card in trick.cards}
    played |= {card for _, card in referee.trick}
    hands = original(referee)
    for _ in range(rng.randrange(1, 8)):
        one, other = rng.sample(range(4), 2)
        free = [[card for card in hands[seat] if card not in played] for seat in (one, other)]
        if free[0] and free[1]:
            give, take = rng.choice(free[0]), rng.choice(free[1])
            hands[one][hands[one].index(give)] = take
            hands[other][hands[other].index(take)] = give
    return hands


def known(referee: Referee, hands: list[list[str]]) -> bool:
    """The rules page's list: what the table knows about the cards that are or were in a hand."""
    trump = referee.trump
    tricks = [list(trick.cards) for trick in referee.tricks] + [referee.trick]
    turn_of_reveal = (referee.revealed_in, referee.revealed_by)
    held = [set(hand) for hand in hands]
    for number, trick in enumerate(tricks):
        table: list[tuple[int, str]] = []
        for seat, card in trick:
            if card not in held[seat]:
                return False
            led = trick[0][1][1]
            if card[1] != led and any(other[1] == led for other in held[seat]):
                return False
            if (number, seat) == turn_of_reveal:
                if any(other[1] == led for other in held[seat]):
                    return False
                if card[1] != trump and any(other[1] == trump for other in held[seat]):
                    return False
                trumps = [(RANKS.index(c[0]), who) for who, c in table if c[1] == trump]
                best, owner = max(trumps, default=(-1, seat))
                if (owner - seat) % 2 and card[1] == trump and RANKS.index(card[0]) < best:
                    above = [c for c in held[seat] if c[1] == trump and RANKS.index(c[0]) > best]
                    if above:
                        return False
            held[seat].remove(card)
            table.append((seat, card))
    # A reveal or a marriage whose card has not been played yet.
    if turn_of_reveal == (len(referee.tricks), referee.turn) and referee.trick:
        led = referee.trick[0][1][1]
        assert referee.turn is not None
        if any(card[1] == led for card in held[referee.turn]):
            return False
    if referee.married is not None:
        return {f"K{trump}", f"Q{trump}"} <= set(hands[referee.married])
    return True


def test_random_games__end_with_balanced_results_and_all_points_given() -> None:
    rng = random.Random(29)
    ends = 0
    for _ in range(400):
        options = random_options(rng)
        referee = Referee(**options, seventh_card=rng.random() < 0.5)
        while not referee.over:
            if referee.needs_deal:
                random_deal(referee, rng)
            assert referee.legal() == sorted(set(referee.legal()))
            assert max(referee.legal()) < referee.options.num_actions
            random_step(referee, rng)
        result = referee.result()
        assert (result[0], result[1]) == (result[2], result[3]) == (-result[1], -result[0])
        if referee.single is None:
            ends += 1
            assert sum(referee.points) == 28 + options["last_trick"]
            assert referee.hands == [[], [], [], []]
    assert ends > 100


def test_random_matches__end_by_score_or_are_cut_short() -> None:
    rng = random.Random(30)
    ways = set()
    for _ in range(40):
        options = random_options(rng) | {"reward": "outcome"}
        referee = Referee(**options, match_to=rng.choice([1, 3, 6]), max_deals=5)
        while not referee.over:
            if referee.needs_deal:
                random_deal(referee, rng)
            random_step(referee, rng)
        ways.add(referee.cut_short)
        assert len(referee.deal_points) == referee.deals_done <= 5
        assert (referee.result() == [0.0] * 4) == referee.cut_short
    assert ways == {False, True}


def test_replay_with__true_hands_are_always_possible() -> None:
    rng = random.Random(31)
    for _ in range(300):
        options = random_options(rng) | {"reward": "outcome", "match_to": rng.choice([None, 6])}
        referee = random_game(rng, **options, seventh_card=True)
        assert referee.replay_with(original(referee))
        assert referee.replay_with(original(referee), referee.first_four)
        assert all(consistent(referee, seat, original(referee)) for seat in range(4))


def test_replay_with__agrees_with_the_list_of_what_is_known() -> None:
    rng = random.Random(32)
    answers = {"revealed": [0, 0], "hidden": [0, 0], "marriage": [0, 0]}
    for _ in range(800):
        options = random_options(rng) | {"redeal": None, "marriage": True}
        options["single_hand"] = rng.random() < 0.1
        referee = random_game(rng, **options)
        for _ in range(5):
            hands = some_other_hands(referee, rng)
            answer = referee.replay_with(hands)
            assert answer == known(referee, hands), (options, referee.history, hands)
            answers["revealed" if referee.revealed else "hidden"][answer] += 1
            if referee.married is not None:
                answers["marriage"][answer] += 1
    # Both answers must have been put to the test.
    assert min(answers["revealed"] + answers["hidden"]) > 100, answers
    assert min(answers["marriage"]) > 10, answers


def test_replay_with__does_not_look_at_a_hidden_trump() -> None:
    rng = random.Random(33)
    for _ in range(100):
        referee = random_game(rng, unrevealed="score", marriage=True)
        if referee.trump is None or referee.revealed:
            continue
        hands = some_other_hands(referee, rng)
        answers = set()
        for suit in "SDHC":
            referee.trump = suit
            place = next(n for n, (_, action) in enumerate(referee.history) if 46 <= action < 50)
            referee.history[place] = (referee.history[place][0], 46 + "SDHC".index(suit))
            answers.add(referee.replay_with(hands))
        assert len(answers) == 1


def swapped(hands: tuple[str, ...], one: str, other: str) -> list[list[str]]:
    change = {one: other, other: one}
    return [[change.get(card, card) for card in hand.split()] for hand in hands]


def test_replay_with__a_seat_that_did_not_follow_is_void() -> None:
    referee = playing(HEARTS, "7S JD")
    assert not referee.replay_with(swapped(HEARTS, "8S", "QD"))
    assert referee.replay_with(swapped(HEARTS, "8S", "7C"))  # seat 3 has not played yet


def test_replay_with__a_seat_that_revealed_is_void_before_it_has_played() -> None:
    referee = playing(HEARTS, "7S reveal")
    assert not referee.replay_with(swapped(HEARTS, "8S", "QD"))


def test_replay_with__a_seat_that_revealed_and_did_not_trump_has_none() -> None:
    referee = playing(HEARTS, "7S JD JC reveal 7C", trump="D")
    assert not referee.replay_with(swapped(HEARTS, "9D", "8C"))
    assert referee.replay_with(swapped(HEARTS, "9D", "1C"))  # seat 2 was free to hold one


def test_replay_with__a_seat_that_did_not_beat_a_trump_could_not() -> None:
    hands = (HEARTS[0], HEARTS[1], "JH 9H 7H 8D 7D JC 9C 1C", "1H KH QH TC KC QC 8C 7C")
    referee = playing(hands, "7S JD 9H reveal KH")
    assert not referee.replay_with(swapped(hands, "JH", "8C"))
    assert referee.replay_with(swapped(hands, "7H", "8C"))


def test_replay_with__a_seat_that_beat_a_trump_may_have_had_others_above_it() -> None:
    referee = playing(HEARTS, "7S JD 1H reveal 9H")
    assert referee.replay_with(swapped(HEARTS, "JH", "8C"))


def test_replay_with__a_marriage_shows_king_and_queen() -> None:
    referee = playing(HEARTS, "7S TH JC reveal 9H marriage", marriage=True)
    assert not referee.replay_with(swapped(HEARTS, "QH", "8D"))
    assert referee.replay_with(swapped(HEARTS, "QC", "8D"))


def test_replay_with__a_revealed_seventh_card_was_among_the_bidders_second_four() -> None:
    hands = (HEARTS[0], "JD 9D 1D TD KD QD 8H TH", HEARTS[2], HEARTS[3])
    referee = deal(Referee(seventh_card=True), hands, "8H")
    say(referee, "pass 16 pass pass seventh 7S JD JC")
    without_hearts = swapped(hands, "TH", "8D")
    assert referee.replay_with(without_hearts)  # the eight is left
    without_hearts = [[{"8H": "7D", "7D": "8H"}.get(c, c) for c in h] for h in without_hearts]
    assert referee.replay_with(without_hearts)  # hidden, it may have been a diamond
    say(referee, "reveal")
    assert not referee.replay_with(without_hearts)
    assert referee.replay_with(swapped(hands, "TH", "8D"))
    cards = [hand.split() for hand in hands]
    assert referee.replay_with(cards, [hand[:4] for hand in cards])
    assert not referee.replay_with(cards, [hand[4:] for hand in cards])


def test_replay_with__a_redeal_needs_a_worthless_first_four() -> None:
    referee = dealt(LEVEL, "16 pass redeal", redeal="no_points")
    assert referee.replay_with(swapped(LEVEL, "1S", "8S"))
    assert not referee.replay_with(swapped(LEVEL, "QS", "9S"))
    hands = [hand.split() for hand in LEVEL]
    assert referee.replay_with(hands, [hand[:4] for hand in hands])
    assert not referee.replay_with(hands, [hand[4:] for hand in hands])


def test_consistent__own_cards_are_fixed_as_far_as_they_are_seen() -> None:
    referee = dealt(LEVEL, "16 pass pass pass")
    others = swapped(LEVEL, "7S", "8S")  # of the second four of seats 0 and 1
    assert all(consistent(referee, seat, others) for seat in range(4))
    say(referee, "trump-S")
    assert [consistent(referee, seat, others) for seat in range(4)] == [False, False, True, True]


def test_replay_with__refuses_hands_that_are_no_deal() -> None:
    with pytest.raises(ValueError, match="32 cards"):
        playing(LEVEL).replay_with([LEVEL[0].split()] * 4)
    hands = [hand.split() for hand in LEVEL]
    with pytest.raises(ValueError, match=r"first_four\[0\]"):
        playing(LEVEL).replay_with(hands, [hands[1][:4]] * 4)
