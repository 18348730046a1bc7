"""The referee of Twenty-nine on hand-made deals, rule by rule: from the deal to the tricks."""

from typing import Any

import pytest
from twentynine_both import Referee
from twentynine_deals import HEARTS, LEVEL, SUITED, WORTHLESS, deal, dealt, finish, playing
from twentynine_referee import ACTION_BID, BID_ACTION, CARD_POINTS, CARDS, allowed, say


def bids(*numbers: int) -> list[str]:
    return [str(number) for number in numbers]


def cards(script: str) -> list[str]:
    return sorted(script.split(), key=CARDS.index)


# -- cards and actions ----------------------------------------------------------------------------


def test_cards__numbers_go_by_suit_then_strength() -> None:
    assert CARDS[:8] == ["7S", "8S", "QS", "KS", "TS", "1S", "9S", "JS"]
    assert [CARDS[8], CARDS[16], CARDS[31]] == ["7D", "7H", "JC"]


def test_cards__are_worth_28_points() -> None:
    assert sum(CARD_POINTS.values()) == 28
    assert [CARD_POINTS[rank + "H"] for rank in "J91TKQ87"] == [3, 2, 1, 1, 0, 0, 0, 0]


def test_bids__are_33_to_45_and_51() -> None:
    assert [BID_ACTION[bid] for bid in (16, 28, 29)] == [33, 45, 51]
    assert ACTION_BID[51] == 29


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 51),
        ({"last_trick": 1}, 52),
        ({"last_trick": 1, "max_bid": 28}, 51),
        ({"doubling": True}, 54),
        ({"seventh_card": True}, 55),
        ({"single_hand": True}, 56),
        ({"marriage": True}, 57),
        ({"redeal": "no_points"}, 58),
        ({"redeal": "no_points", "last_trick": 1}, 58),
        ({"all_pass": "redeal"}, 51),
    ],
)
def test_num_actions__ends_with_the_largest_that_can_be_legal(
    options: dict[str, Any], count: int
) -> None:
    assert Referee(**options).options.num_actions == count


@pytest.mark.parametrize(
    "options",
    [
        {"auction": "english"},
        {"min_bid": 15},
        {"min_bid": 29, "last_trick": 1},
        {"max_bid": 29},
        {"min_bid": 20, "max_bid": 19},
        {"all_pass": "void"},
        {"first_lead": "dealer"},
        {"unrevealed": "lost"},
        {"last_trick": 2},
        {"marriage": 4},
        {"redeal": "always"},
        {"match_to": 0},
        {"match_to": 101},
        {"match_to": 6, "max_deals": 0},
        {"match_to": 6, "reward": "margin"},
    ],
)
def test_options__out_of_range_are_refused_by_name(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=list(options)[-1] + "=|" + next(iter(options)) + "="):
        Referee(**options)


# -- dealing --------------------------------------------------------------------------------------


def test_deal__is_needed_first_and_refused_later() -> None:
    referee = Referee()
    assert (referee.needs_deal, referee.turn, referee.legal()) == (True, None, [])
    deal(referee, LEVEL)
    assert (referee.needs_deal, referee.turn) == (False, 0)
    with pytest.raises(ValueError, match="needs_deal"):
        deal(referee, LEVEL)


def test_deal__refuses_a_wrong_deck() -> None:
    with pytest.raises(ValueError, match="32 cards"):
        deal(Referee(), (LEVEL[0], LEVEL[0], LEVEL[2], LEVEL[3]))
    with pytest.raises(ValueError, match="first_four"):
        Referee().deal([["JS"]] * 4, [["JS"]] * 4)


def test_play__refuses_an_illegal_action_and_changes_nothing() -> None:
    referee = dealt(LEVEL, "20")
    with pytest.raises(ValueError, match="action=33 of seat 1"):
        say(referee, "16")
    assert (referee.turn, referee.auction) == (1, [(0, 20)])


def test_hands__have_four_cards_until_the_trump_is_chosen() -> None:
    referee = dealt(LEVEL, "16 pass pass pass")
    assert referee.hands[0] == ["JS", "JD", "JH", "JC"]
    say(referee, "trump-S")
    assert referee.hands[0] == LEVEL[0].split()


# -- the duel -------------------------------------------------------------------------------------


def test_duel__defender_without_a_bid_speaks_first_and_may_jump() -> None:
    referee = dealt(LEVEL)
    assert (referee.turn, allowed(referee)) == (0, ["pass", *bids(*range(16, 29))])


def test_duel__challenger_must_bid_more() -> None:
    referee = dealt(LEVEL, "25")
    assert (referee.turn, allowed(referee)) == (1, ["pass", *bids(26, 27, 28)])


def test_duel__defender_may_match_or_go_higher() -> None:
    referee = dealt(LEVEL, "16 26")
    assert (referee.turn, allowed(referee)) == (0, ["pass", *bids(26, 27, 28)])


def test_duel__a_matched_challenger_must_bid_more() -> None:
    referee = dealt(LEVEL, "16 26 26")
    assert (referee.turn, allowed(referee)) == (1, ["pass", *bids(27, 28)])


def test_duel__a_defender_who_goes_higher_is_challenged_above_that() -> None:
    referee = dealt(LEVEL, "16 20 27")
    assert (referee.turn, allowed(referee)) == (1, ["pass", "28"])


def test_duel__defender_may_match_the_maximum_and_challenger_only_pass_then() -> None:
    referee = dealt(LEVEL, "16 28")
    assert allowed(referee) == ["pass", "28"]
    say(referee, "28")
    assert (referee.turn, allowed(referee)) == (1, ["pass"])


def test_duel__next_seat_challenges_the_surviving_defender() -> None:
    referee = dealt(LEVEL, "16 17 17 pass")
    assert (referee.turn, allowed(referee)[:2]) == (2, ["pass", "18"])
    assert (referee.defender, referee.challenger) == (0, 2)


def test_duel__a_challenger_who_survives_defends_his_bid() -> None:
    referee = dealt(LEVEL, "16 18 pass")
    assert (referee.turn, allowed(referee)[:2]) == (2, ["pass", "19"])
    say(referee, "19")
    assert (referee.turn, allowed(referee)[:2]) == (1, ["pass", "19"])


def test_duel__a_challenger_left_without_a_bid_speaks_first_as_defender() -> None:
    referee = dealt(LEVEL, "pass")
    assert (referee.turn, referee.defender, referee.challenger) == (1, 1, 2)
    assert allowed(referee) == ["pass", *bids(*range(16, 29))]


def test_duel__survivor_is_the_bidder_with_his_last_bid() -> None:
    referee = dealt(LEVEL, "16 18 19 pass 20 pass 21 21 22 pass")
    assert (referee.bidder, referee.contract, referee.stage, referee.turn) == (3, 22, "trump", 3)
    referee = dealt(LEVEL, "16 18 19 pass 20 pass 21 21 pass")
    assert (referee.bidder, referee.contract) == (2, 21)


def test_duel__third_pass_after_a_bid_ends_it() -> None:
    referee = dealt(LEVEL, "pass pass 17 pass")
    assert (referee.bidder, referee.contract) == (2, 17)
    assert referee.auction == [(0, 0), (1, 0), (2, 17), (3, 0)]


def test_bids__respect_min_and_max() -> None:
    referee = dealt(LEVEL, min_bid=20, max_bid=22)
    assert allowed(referee) == ["pass", *bids(20, 21, 22)]


def test_bids__reach_29_with_the_last_trick() -> None:
    assert allowed(dealt(LEVEL, "27", last_trick=1)) == ["pass", "28", "29"]
    assert allowed(dealt(LEVEL, "27", last_trick=1, max_bid=28)) == ["pass", "28"]
    assert allowed(dealt(LEVEL, "29", last_trick=1)) == ["pass"]


# -- the round robin ------------------------------------------------------------------------------


def test_round_robin__goes_round_upwards() -> None:
    referee = dealt(LEVEL, "16 18 20", auction="round_robin")
    assert (referee.turn, allowed(referee)[:2]) == (3, ["pass", "21"])
    say(referee, "22")
    assert (referee.turn, allowed(referee)[:2]) == (0, ["pass", "23"])


def test_round_robin__a_pass_is_for_good() -> None:
    referee = dealt(LEVEL, "pass 16 17 pass", auction="round_robin")
    assert referee.turn == 1
    say(referee, "18 pass")
    assert (referee.bidder, referee.contract) == (1, 18)


def test_round_robin__only_a_pass_at_the_maximum() -> None:
    referee = dealt(LEVEL, "16 28", auction="round_robin")
    assert (referee.turn, allowed(referee)) == (2, ["pass"])


# -- nobody bids ----------------------------------------------------------------------------------


@pytest.mark.parametrize("auction", ["duel", "round_robin"])
def test_nobody_bids__last_seat_must_take_the_minimum(auction: str) -> None:
    referee = dealt(LEVEL, "pass pass pass", auction=auction, min_bid=18)
    assert (referee.turn, allowed(referee)) == (3, ["18"])
    say(referee, "18")
    assert (referee.bidder, referee.contract) == (3, 18)


@pytest.mark.parametrize("auction", ["duel", "round_robin"])
def test_nobody_bids__last_seat_may_bid_or_have_a_redeal(auction: str) -> None:
    referee = dealt(LEVEL, "pass pass pass", auction=auction, all_pass="redeal")
    assert (referee.turn, allowed(referee)) == (3, ["pass", *bids(*range(16, 29))])
    say(referee, "pass")
    assert (referee.needs_deal, referee.turn, referee.legal()) == (True, None, [])
    deal(referee, SUITED)
    assert (referee.turn, referee.first, referee.auction) == (0, 0, [])
    say(referee, "pass pass pass 20")
    assert (referee.bidder, referee.contract) == (3, 20)


def test_nobody_bids__third_redeal_is_the_last() -> None:
    referee = dealt(LEVEL, all_pass="redeal")
    for _ in range(3):
        say(referee, "pass pass pass pass")
        deal(referee, LEVEL)
    say(referee, "pass pass pass")
    assert allowed(referee) == ["16"]


def test_redeal__first_turn_with_a_worthless_hand_only() -> None:
    referee = dealt(LEVEL, redeal="no_points")
    assert "redeal" not in allowed(referee)  # four jacks
    say(referee, "16 pass")
    assert (referee.turn, "redeal" in allowed(referee)) == (2, True)
    say(referee, "17 17")
    assert (referee.turn, "redeal" in allowed(referee)) == (2, False)


def test_redeal__is_off_by_default() -> None:
    assert "redeal" not in allowed(dealt(WORTHLESS))


def test_redeal__needs_new_cards_and_keeps_the_first_seat() -> None:
    referee = dealt(LEVEL, "16 pass redeal", redeal="no_points")
    assert (referee.needs_deal, referee.redeals) == (True, 1)
    deal(referee, LEVEL)
    assert (referee.turn, referee.bids) == (0, [0, 0, 0, 0])


def test_redeal__open_to_a_last_seat_that_must_take_the_minimum() -> None:
    assert allowed(dealt(LEVEL, "pass pass pass", redeal="no_points")) == ["16", "redeal"]


def test_redeal__both_kinds_count_towards_three() -> None:
    referee = dealt(WORTHLESS, "redeal", redeal="no_points", all_pass="redeal")
    deal(referee, WORTHLESS)
    say(referee, "pass pass pass pass")
    deal(referee, WORTHLESS)
    say(referee, "16 redeal")
    deal(referee, WORTHLESS)
    assert "redeal" not in allowed(referee)
    say(referee, "pass pass pass")
    assert allowed(referee) == ["16"]


# -- doubling -------------------------------------------------------------------------------------


def test_doubling__asks_the_opponents_in_turn() -> None:
    referee = dealt(LEVEL, "pass 16 pass pass", doubling=True)
    assert (referee.turn, allowed(referee)) == (2, ["pass", "double"])
    say(referee, "pass")
    assert (referee.turn, allowed(referee)) == (0, ["pass", "double"])
    say(referee, "pass")
    assert (referee.stage, referee.turn, referee.stake) == ("trump", 1, 1)


@pytest.mark.parametrize("answers", ["double", "pass double"])
def test_doubling__first_double_goes_to_the_bidder(answers: str) -> None:
    referee = dealt(LEVEL, f"pass 16 pass pass {answers}", doubling=True)
    assert (referee.turn, referee.stake, allowed(referee)) == (1, 2, ["pass", "redouble"])


def test_doubling__partner_may_redouble_too() -> None:
    referee = dealt(LEVEL, "pass 16 pass pass double pass", doubling=True)
    assert (referee.turn, allowed(referee)) == (3, ["pass", "redouble"])
    say(referee, "redouble")
    assert (referee.stage, referee.turn, referee.stake) == ("trump", 1, 4)


def test_doubling__first_redouble_ends_it_and_passes_leave_two() -> None:
    referee = dealt(LEVEL, "16 pass pass pass double redouble", doubling=True)
    assert (referee.stage, referee.stake) == ("trump", 4)
    referee = dealt(LEVEL, "16 pass pass pass double pass pass", doubling=True)
    assert (referee.stage, referee.stake) == ("trump", 2)


# -- the trump ------------------------------------------------------------------------------------


def test_trump__is_any_suit_held_or_not() -> None:
    referee = dealt(SUITED, "16 pass pass pass")
    assert allowed(referee) == ["trump-S", "trump-D", "trump-H", "trump-C"]
    say(referee, "trump-C")
    assert (referee.trump, referee.revealed) == ("C", False)


@pytest.mark.parametrize(("seventh", "suit"), [(0, "S"), (2, "H"), ("TD", "D")])
def test_seventh__card_of_the_second_four_decides(seventh: int | str, suit: str) -> None:
    referee = deal(Referee(seventh_card=True), LEVEL, seventh)
    say(referee, "pass pass pass 16")
    assert allowed(referee) == ["trump-S", "trump-D", "trump-H", "trump-C", "seventh"]
    say(referee, "seventh")
    assert (referee.trump, referee.by_seventh) == (suit, True)


@pytest.mark.parametrize("seventh", [None, 4, "KS"])  # KS is of the first four
def test_seventh__must_be_given_and_be_the_bidders(seventh: int | str | None) -> None:
    referee = deal(Referee(seventh_card=True), LEVEL, seventh)
    say(referee, "pass pass pass 16")
    with pytest.raises(ValueError, match="seventh="):
        say(referee, "seventh")
    referee.seventh = "TC"
    say(referee, "seventh")
    assert (referee.trump, referee.history[-1]) == ("C", (3, 54))


# -- who leads, following, the reveal -------------------------------------------------------------


def test_lead__is_the_first_seats_or_the_bidders() -> None:
    assert dealt(LEVEL, "pass 16 pass pass trump-S").turn == 0
    assert dealt(LEVEL, "pass 16 pass pass trump-S", first_lead="bidder").turn == 1


def test_leader__may_play_any_card_but_not_reveal() -> None:
    assert allowed(playing(HEARTS)) == cards(HEARTS[0])


def test_follower__must_follow_suit_and_may_not_reveal_then() -> None:
    assert allowed(playing(LEVEL, "JD")) == ["8D", "9D"]


def test_void__may_play_anything_or_reveal() -> None:
    assert allowed(playing(HEARTS, "7S")) == [*cards(HEARTS[1]), "reveal"]


def test_void__bidder_may_reveal_or_discard_a_trump() -> None:
    referee = dealt(HEARTS, "pass 16 pass pass trump-H 7S")
    assert allowed(referee) == [*cards(HEARTS[1]), "reveal"]
    say(referee, "reveal")
    assert (referee.turn, referee.revealed_by, allowed(referee)) == (1, 1, ["8H", "TH"])


def test_reveal__same_seat_then_plays_a_trump() -> None:
    referee = playing(HEARTS, "7S JD reveal")
    assert (referee.turn, referee.revealed, referee.revealed_by, referee.revealed_in) == (
        2,
        True,
        2,
        0,
    )
    assert allowed(referee) == cards("JH 1H 7H")


def test_reveal__opponents_winning_trump_must_be_beaten() -> None:
    assert allowed(playing(HEARTS, "7S TH reveal")) == cards("JH 1H")


def test_reveal__any_trump_if_the_opponents_cannot_be_beaten() -> None:
    assert allowed(playing(HEARTS, "7S JD JH reveal")) == cards("9H KH QH")


def test_reveal__any_trump_if_the_partners_is_winning() -> None:
    # Seat 1's ten is above the king and queen of seat 3, its partner.
    assert allowed(playing(HEARTS, "7S TH JC reveal")) == cards("9H KH QH")


def test_reveal__opponents_trump_above_the_partners_must_be_beaten() -> None:
    # Seat 1's eight is below seat 2's ace, so that seat 3 must play the nine.
    assert allowed(playing(HEARTS, "7S 8H 1H reveal")) == ["9H"]


def test_reveal__partners_trump_above_an_opponents_need_not_be_beaten() -> None:
    assert allowed(playing(HEARTS, "7S TH 7H reveal")) == cards("9H KH QH")


def test_reveal__any_card_without_a_trump() -> None:
    assert allowed(playing(HEARTS, "7S JD JC reveal", trump="D")) == cards(HEARTS[3])


def test_reveal__led_suit_turning_out_to_be_trump_leaves_any_card() -> None:
    assert allowed(playing(HEARTS, "7S reveal", trump="S")) == cards(HEARTS[1])


def test_revealed__others_who_cannot_follow_may_play_anything() -> None:
    assert allowed(playing(HEARTS, "7S JD reveal JH")) == cards(HEARTS[3])


def test_revealed__obligation_ends_with_that_trick() -> None:
    # Seat 2 reveals without a trump in trick 1 and cannot follow in trick 2 either.
    referee = playing(HEARTS, "JS JD reveal JC 7C 9S 9D", trump="S")
    assert (referee.turn, allowed(referee)) == (2, cards("JH 1H 7H 8D 7D 9C 1C"))


# -- who wins a trick -----------------------------------------------------------------------------


def test_trick__highest_of_the_led_suit_wins_and_leads() -> None:
    referee = playing(LEVEL, "7S 8S 1S TS")
    assert (referee.tricks[0].winner, referee.turn, referee.points) == (2, 2, [2, 0])


def test_trick__order_is_j_9_a_10_k_q_8_7() -> None:
    assert playing(LEVEL, "7C 9C 1C TC").tricks[0].winner == 1
    assert playing(LEVEL, "7C 8C QC KC").tricks[0].winner == 3
    assert playing(LEVEL, "7C 8C 1C KC").tricks[0].winner == 2
    assert playing(LEVEL, "7C 8C QC TC").tricks[0].winner == 3


def test_trick__hidden_trump_has_no_power_not_even_the_bidders() -> None:
    referee = dealt(HEARTS, "pass 16 pass pass trump-H 7S TH JH 9H")
    assert (referee.tricks[0].winner, referee.points) == (0, [6, 0])


def test_trick__reveal_gives_power_to_trumps_already_in_it() -> None:
    referee = playing(HEARTS, "7S TH JC reveal QH")
    assert (referee.tricks[0].winner, referee.turn) == (1, 1)


def test_trick__finished_tricks_stay_as_they_were() -> None:
    referee = playing(HEARTS, "7S TH JH 9H 8S JD reveal 1H 7C")
    assert [trick.winner for trick in referee.tricks] == [0, 2]
    assert referee.points == [6 + 4, 0]


def test_trick__trump_played_freely_after_the_reveal_wins() -> None:
    referee = playing(HEARTS, "JS reveal 8H JC KH")
    assert referee.tricks[0].winner == 3


def test_trick__highest_of_the_led_suit_without_trumps_in_it() -> None:
    referee = playing(HEARTS, "7S TH JC reveal 7C", trump="D")
    assert (referee.revealed, referee.tricks[0].winner) == (True, 0)


def test_last_trick__is_worth_one_more() -> None:
    referee = playing(SUITED, trump="S", last_trick=1)
    finish(referee)
    assert (referee.points, [trick.points for trick in referee.tricks][-1]) == ([29, 0], 13)
    referee = playing(SUITED, trump="S")
    finish(referee)
    assert (referee.points, [trick.points for trick in referee.tricks][-1]) == ([28, 0], 12)


def test_captured_request__only_the_nine_of_hearts_is_legal() -> None:
    # Seats from the first to bid: 3nrbJ-Kn, Bot 1, UcDvW4nf, Bot 0. The unseen cards are free.
    hands = (
        "JS 8S 8H JH 1H TH KC QC",
        "9S 7C TC JC 9C 1C 7H QH",
        "1S KH 1D 8C 7D 9H JD KD",
        "7S TS KS QS 9D TD QD 8D",
    )
    referee = playing(hands, "JS 9S 1S 7S 8S 7C KH TS KS 8H TC reveal")
    assert (referee.turn, referee.points) == (2, [6, 1])
    assert (referee.revealed_in, allowed(referee)) == (2, ["9H"])
