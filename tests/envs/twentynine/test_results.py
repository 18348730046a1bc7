"""The referee of Twenty-nine on hand-made deals: marriage, single hand, results and matches."""

from typing import Any

import pytest
from twentynine_both import Referee
from twentynine_deals import HEARTS, LEVEL, SUITED, deal, dealt, finish, playing
from twentynine_referee import allowed, say

SIDE_0_WINS, SIDE_1_WINS = [1.0, -1.0, 1.0, -1.0], [-1.0, 1.0, -1.0, 1.0]


def times(factor: float, result: list[float]) -> list[float]:
    return [factor * reward for reward in result]


# -- marriage: in HEARTS seat 3 holds king and queen of hearts ------------------------------------

# Seat 3 wins the trick of the reveal with the nine, and leads.
SEAT_3_WINS = "7S TH JC reveal 9H"


def test_marriage__is_legal_once_the_side_has_won_the_reveals_trick() -> None:
    referee = playing(HEARTS, SEAT_3_WINS, marriage=True)
    assert referee.turn == 3
    assert allowed(referee) == ["QH", "KH", "7C", "8C", "QC", "KC", "TC", "marriage"]


def test_marriage__is_off_by_default() -> None:
    assert "marriage" not in allowed(playing(HEARTS, SEAT_3_WINS))


def test_marriage__is_not_legal_in_the_trick_of_the_reveal() -> None:
    assert "marriage" not in allowed(playing(HEARTS, "7S TH JC reveal", marriage=True))


def test_marriage__is_followed_by_a_card_of_the_same_seat_and_not_repeated() -> None:
    referee = playing(HEARTS, SEAT_3_WINS + " marriage", marriage=True)
    assert (referee.turn, referee.married) == (3, 3)
    assert allowed(referee) == ["QH", "KH", "7C", "8C", "QC", "KC", "TC"]
    say(referee, "7C 8S JD 9C")  # seat 2 wins and leads
    say(referee, "8D")
    assert (referee.turn, "marriage" in allowed(referee)) == (3, False)


def test_marriage__may_be_declared_later_and_by_a_follower() -> None:
    referee = playing(HEARTS, SEAT_3_WINS + " 7C 8S JD 9C 8D", marriage=True)
    assert (referee.turn, "marriage" in allowed(referee)) == (3, True)


def test_marriage__needs_both_cards_in_hand() -> None:
    referee = playing(HEARTS, "7S JD JC reveal KH", marriage=True)
    assert (referee.turn, "marriage" in allowed(referee)) == (3, False)


def test_marriage__needs_the_suit_to_be_trump() -> None:
    # Seat 3 shows clubs as trump and wins; it holds both marriages, and plays its king of clubs.
    referee = playing(HEARTS, "7S TH JH reveal KC", trump="C", marriage=True)
    assert (referee.turn, "KH" in allowed(referee), "marriage" in allowed(referee)) == (
        3,
        True,
        False,
    )


def test_marriage__waits_for_a_trick_won_since_the_reveal() -> None:
    referee = dealt(HEARTS, "pass 16 pass pass trump-H", first_lead="bidder", marriage=True)
    say(referee, "JD 8D 7C 7S")  # seat 3's partner wins a trick, the trump hidden
    say(referee, "8H JH")
    assert (referee.turn, "marriage" in allowed(referee)) == (3, False)
    say(referee, "9H reveal 8S")  # seat 2 wins the trick of the reveal
    say(referee, "7D")
    assert (referee.turn, "marriage" in allowed(referee)) == (3, False)
    say(referee, "8C QS 9D")  # seat 1 wins this one
    say(referee, "TD JC")
    assert (referee.turn, "marriage" in allowed(referee)) == (3, True)


@pytest.mark.parametrize(
    ("auction", "options", "target"),
    [
        ("20 pass pass pass", {}, 24),
        ("26 pass pass pass", {}, 28),
        ("26 pass pass pass", {"max_bid": 26}, 28),
        ("26 pass pass pass", {"last_trick": 1}, 29),
        ("16 pass pass 24 pass", {}, 20),
        ("pass 24 pass pass", {}, 20),
        ("16 pass pass 18 pass", {}, 16),
        ("20 pass pass 22 pass", {"min_bid": 20}, 20),
    ],
)
def test_marriage__moves_the_target_by_four_within_bounds(
    auction: str, options: dict[str, Any], target: int
) -> None:
    script = f"{auction} trump-H {SEAT_3_WINS}"
    referee = dealt(HEARTS, script, marriage=True, **options)
    assert referee.target == referee.contract
    say(referee, "marriage")
    assert referee.target == target


# -- single hand ----------------------------------------------------------------------------------


def test_single__is_asked_from_the_first_seat_round() -> None:
    referee = dealt(SUITED, "pass 16 pass pass trump-H", single_hand=True)
    for seat in range(4):
        assert (referee.turn, allowed(referee)) == (seat, ["pass", "single"])
        say(referee, "pass")
    assert (referee.stage, referee.turn) == ("play", 0)
    say(referee, "JS")
    assert "reveal" in allowed(referee)


def test_single__first_declaration_ends_the_asking_and_its_seat_leads() -> None:
    referee = playing(LEVEL, "pass single", single_hand=True)
    assert (referee.stage, referee.turn, referee.single) == ("play", 1, 1)


def test_single__partner_does_not_play() -> None:
    referee = playing(LEVEL, "pass single 9S", single_hand=True)
    assert referee.turn == 2
    say(referee, "1S")
    assert referee.turn == 0
    say(referee, "7S")
    assert [seat for seat, _ in referee.tricks[0].cards] == [1, 2, 0]
    assert (len(referee.hands[3]), referee.turn) == (8, 1)


def test_single__has_no_trump_and_nothing_to_reveal() -> None:
    referee = playing(SUITED, "single 7S", trump="D", single_hand=True)
    assert "reveal" not in allowed(referee)
    say(referee, "JD JC")
    assert referee.tricks[0].winner == 0


def test_single__eight_tricks_win_although_nothing_was_revealed() -> None:
    referee = playing(SUITED, "pass single", single_hand=True)
    finish(referee)
    assert (len(referee.tricks), referee.result()) == (8, SIDE_1_WINS)


def test_single__ends_with_the_first_lost_trick() -> None:
    referee = playing(LEVEL, "pass single 8S QS", single_hand=True)
    assert not referee.over
    say(referee, "JS")
    assert (referee.over, len(referee.tricks), referee.result()) == (True, 1, SIDE_0_WINS)


def test_single__is_worth_three_of_four_whatever_the_stake() -> None:
    script = "16 pass pass pass double redouble trump-H single"
    referee = dealt(SUITED, script, doubling=True, single_hand=True)
    finish(referee)
    assert referee.result() == times(0.75, SIDE_0_WINS)


def test_single__margin_is_28() -> None:
    referee = playing(SUITED, "single", single_hand=True, reward="margin")
    finish(referee)
    assert referee.result() == times(28, SIDE_0_WINS)
    referee = playing(LEVEL, "pass single 8S QS JS", single_hand=True, reward="margin")
    assert referee.result() == times(28, SIDE_0_WINS)


# -- the result of a deal -------------------------------------------------------------------------

# Seat 0 wins seven tricks in spades; diamonds, shown in the eighth, take the last point.
ALL_BUT_ONE_POINT = """
    JS JD JH JC  9S 9D 9H 9C  1S 1D 1H 1C  KS TD TH TC  QS KD KH KC  8S QD QH QC  7S 8D 8H 8C
    TS reveal 7D 7H 7C
"""


@pytest.mark.parametrize(("bid", "result"), [(27, SIDE_0_WINS), (28, SIDE_1_WINS)])
def test_result__the_bid_is_enough_and_one_less_is_not(bid: int, result: list[float]) -> None:
    referee = dealt(SUITED, f"{bid} pass pass pass trump-D {ALL_BUT_ONE_POINT}")
    assert (referee.over, referee.turn, referee.legal()) == (True, None, [])
    assert (referee.points, referee.result()) == ([27, 1], result)


def test_result__last_trick_counts_towards_the_bid() -> None:
    referee = dealt(SUITED, "29 pass pass pass trump-S", last_trick=1)
    finish(referee)
    assert (referee.points, referee.result()) == ([29, 0], SIDE_0_WINS)


def test_result__failed_bidders_lose_to_the_others() -> None:
    referee = dealt(SUITED, "pass 16 pass pass trump-S")
    finish(referee)
    assert (referee.points, referee.result()) == ([28, 0], SIDE_0_WINS)


def test_result__target_counts_not_the_bid() -> None:
    # Side 1 takes the trick of the reveal; without the marriage side 0 would need only 16.
    results = []
    for declares in ("", "marriage"):
        referee = playing(HEARTS, f"{SEAT_3_WINS} {declares}", marriage=True, reward="margin")
        say(referee, "QH")
        while referee.stage == "play":
            referee.play(referee.legal()[0])
        results.append(referee.result())
    without, married = results
    assert married == [without[0] - 4, without[1] + 4, without[2] - 4, without[3] + 4]


@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_result__is_void_if_the_trump_was_never_revealed(reward: str) -> None:
    referee = playing(SUITED, reward=reward)
    finish(referee, reveal=False)
    assert (referee.points, referee.result()) == ([28, 0], [0.0] * 4)


def test_result__unrevealed_deals_may_be_scored() -> None:
    referee = playing(SUITED, unrevealed="score")
    finish(referee, reveal=False)
    assert (referee.revealed, referee.result()) == (False, SIDE_0_WINS)


@pytest.mark.parametrize(
    ("stakes", "share"),
    [("pass pass", 0.25), ("double pass pass", 0.5), ("double redouble", 1.0)],
)
def test_result__stake_is_a_share_of_four_with_doubling(stakes: str, share: float) -> None:
    referee = dealt(SUITED, f"16 pass pass pass {stakes} trump-S", doubling=True, single_hand=True)
    say(referee, "pass pass pass pass")
    finish(referee)
    assert referee.result() == times(share, SIDE_0_WINS)


def test_result__is_a_third_where_a_single_hand_was_possible() -> None:
    referee = playing(SUITED, "pass pass pass pass", trump="S", single_hand=True)
    finish(referee)
    assert referee.result() == times(1 / 3, SIDE_0_WINS)


@pytest.mark.parametrize(("auction", "margin"), [("20 pass", 8), ("pass 20", 20)])
def test_result__margin_is_points_minus_target_whatever_the_stake(
    auction: str, margin: int
) -> None:
    script = f"{auction} pass pass double redouble trump-S"
    referee = dealt(SUITED, script, doubling=True, reward="margin")
    finish(referee)
    assert referee.result() == times(margin, SIDE_0_WINS)


def test_result__is_refused_before_the_end() -> None:
    with pytest.raises(ValueError, match="over"):
        playing(SUITED).result()


# -- matches --------------------------------------------------------------------------------------

MADE_BY_0 = "16 pass pass pass trump-S"  # with `first` 0, side 0 takes everything in SUITED
FAILED_BY_1 = "pass 16 pass pass trump-S"


def test_match__only_the_bidding_sides_score_moves() -> None:
    referee = dealt(SUITED, MADE_BY_0, match_to=6)
    finish(referee)
    assert (referee.scores, referee.over, referee.needs_deal) == ([1, 0], False, True)
    referee = dealt(SUITED, FAILED_BY_1, match_to=6)
    finish(referee)
    assert (referee.scores, referee.deals_done) == ([0, -1], 1)


def test_match__void_deals_move_no_score() -> None:
    referee = dealt(SUITED, MADE_BY_0, match_to=6)
    finish(referee, reveal=False)
    assert (referee.scores, referee.needs_deal, referee.first) == ([0, 0], True, 1)


def test_match__next_deal_starts_one_seat_further() -> None:
    referee = dealt(SUITED, MADE_BY_0, match_to=6)
    finish(referee)
    deal(referee, SUITED)
    assert (referee.turn, referee.tricks, referee.revealed, referee.trump) == (1, [], False, None)
    say(referee, "pass pass pass")
    assert (referee.turn, allowed(referee)) == (0, ["16"])
    say(referee, "16 trump-S")
    assert referee.turn == 1  # leads, as the first to speak


def test_match__first_seat_comes_round_again() -> None:
    referee = Referee(match_to=6)
    firsts = []
    for _ in range(5):
        deal(referee, SUITED)
        firsts.append(referee.turn)
        say(referee, "16 pass pass pass trump-S")
        finish(referee, reveal=False)
    assert firsts == [0, 1, 2, 3, 0]


def test_match__redeals_keep_the_first_seat_and_are_counted_anew_in_each_deal() -> None:
    referee = dealt(SUITED, MADE_BY_0, match_to=6, all_pass="redeal")
    finish(referee)
    for _ in range(3):
        deal(referee, SUITED)
        assert referee.turn == 1
        say(referee, "pass pass pass pass")
    deal(referee, SUITED)
    say(referee, "pass pass pass")
    assert allowed(referee) == ["16"]
    say(referee, "16 trump-S")
    finish(referee)
    deal(referee, SUITED)
    say(referee, "pass pass pass")
    assert (referee.turn, allowed(referee)[:2]) == (1, ["pass", "16"])


def test_match__is_won_at_the_score() -> None:
    referee = dealt(SUITED, MADE_BY_0, match_to=1)
    finish(referee)
    assert (referee.over, referee.cut_short, referee.result()) == (True, False, SIDE_0_WINS)


def test_match__is_lost_at_minus_the_score() -> None:
    referee = dealt(SUITED, FAILED_BY_1, match_to=1)
    finish(referee)
    assert (referee.over, referee.cut_short, referee.result()) == (True, False, SIDE_0_WINS)


def test_match__stakes_are_counted_whole_and_may_overshoot() -> None:
    script = "16 pass pass pass double redouble trump-S"
    referee = dealt(SUITED, script, match_to=3, doubling=True)
    finish(referee)
    assert (referee.scores, referee.result()) == ([4, 0], SIDE_0_WINS)


def test_match__single_hand_counts_three_for_its_declarers_side() -> None:
    referee = playing(SUITED, "pass single", single_hand=True, match_to=6)
    finish(referee)
    assert referee.scores == [0, 3]
    referee = playing(LEVEL, "pass single 8S QS JS", single_hand=True, match_to=6)
    assert (referee.scores, referee.needs_deal) == ([0, -3], True)


def test_match__is_cut_short_after_the_last_deal() -> None:
    referee = dealt(SUITED, MADE_BY_0, match_to=6, max_deals=2)
    finish(referee)
    assert not referee.over
    deal(referee, SUITED)
    say(referee, "16 pass pass pass trump-S")
    finish(referee)
    assert (referee.over, referee.cut_short, referee.result()) == (True, True, [0.0] * 4)


def test_match__decided_in_the_last_deal_is_not_cut_short() -> None:
    referee = dealt(SUITED, MADE_BY_0, match_to=1, max_deals=1)
    finish(referee)
    assert (referee.over, referee.cut_short, referee.result()) == (True, False, SIDE_0_WINS)


def test_match__single_hand_is_asked_from_the_new_first_seat() -> None:
    referee = playing(SUITED, "pass pass pass pass", single_hand=True, match_to=6)
    finish(referee)
    deal(referee, SUITED)
    say(referee, "16 pass pass pass trump-S")
    asked = []
    while referee.stage == "single":
        asked.append(referee.turn)
        say(referee, "pass")
    assert asked == [1, 2, 3, 0]
