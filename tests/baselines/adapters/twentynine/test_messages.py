"""The competition's JSON: questions from states, states from questions, answers as actions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from twentynine_requests import BID, CAPTURED, REQUESTS, TRUMP, changed, without

from bidarena.baselines.adapters.twentynine.messages import (
    IDS,
    answer_of,
    check_rules,
    question,
    read_answer,
)
from bidarena.baselines.adapters.twentynine.rebuild import rebuild
from bidarena.envs import make_game
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import legal_actions
from bidarena.envs.testing import random_states
from bidarena.envs.twentynine.rules.layout import OBSERVATION, TRUMPING, A, S, card_of


@pytest.fixture(scope="module")
def game() -> Game:
    return make_game("twentynine")


def view(game: Game, state: State, player: int) -> Any:
    seen = np.zeros(game.observation_size, np.float32)
    game.call("observe")(game.cfg, state, player, seen)
    return seen


# --- questions -----------------------------------------------------------------------------------


def test_question__is_the_same_whatever_is_hidden(game: Game) -> None:
    determinize = game.call("determinize")
    for state, mover, rng in random_states(game, 15, seed=5):
        asked = question(state, mover)
        for _ in range(2):
            guess = state.copy()
            determinize(game.cfg, guess, mover, rng)
            assert question(guess, mover) == asked


def test_question__seating_makes_no_difference(game: Game) -> None:
    for state, mover, _ in random_states(game, 3, seed=8):
        path, plain = question(state, mover)
        expected = rebuild(game, path, plain)
        for shift in range(1, 4):
            _, turned = question(state, mover, shift=shift)
            assert turned["playerIds"] == [*plain["playerIds"][-shift:], *plain["playerIds"]][:4]
            assert turned["playerId"] == plain["playerId"]
            if path == "/play":
                assert turned["teams"][0]["players"] == turned["playerIds"][::2]
            assert np.array_equal(rebuild(game, path, turned).state, expected.state)


def test_question__has_no_null_and_nothing_negative(game: Game) -> None:
    def values(part: Any) -> list[Any]:
        if isinstance(part, dict):
            part = list(part.values())
        if isinstance(part, list):
            return [value for item in part for value in values(item)]
        return [part]

    for state, mover, _ in random_states(game, 30, seed=6):
        body = question(state, mover, 12.25)[1]
        assert json.loads(json.dumps(body)) == body
        for value in values(body):
            assert value is not None
            assert isinstance(value, str | bool) or value >= 0
        assert set(body.get("trumpRevealed") or ()) <= {"hand", "playerId"}


# --- states from questions -----------------------------------------------------------------------


def check_rebuilt(game: Game, deals: int, seed: int) -> int:
    """Every decision of random deals: nothing but what is hidden may differ."""
    decisions = 0
    for state, mover, _ in random_states(game, deals, seed):
        path, body = question(state, mover, 1234.5)
        asked = rebuild(game, path, json.loads(json.dumps(body)))
        hidden = {S.hands + seat for seat in range(4) if seat != mover}
        hidden |= {S.rest + seat for seat in range(4)}
        if state[S.revealed] == 0 and state[S.bidder] != mover:
            hidden.add(S.trump)
        assert set(np.flatnonzero(asked.state != state)) <= hidden
        assert (asked.seat, asked.remaining, asked.ids) == (mover, 1234.5, IDS)
        assert legal_actions(game, asked.state) == legal_actions(game, state)
        assert np.array_equal(view(game, asked.state, mover), view(game, state, mover))
        assert question(asked.state, mover, 1234.5) == (path, body)
        decisions += 1
    return decisions


@pytest.mark.parametrize("rules", [{}, {"first_lead": "bidder", "unrevealed": "score"}])
def test_rebuild__gives_the_state_but_for_what_is_hidden(rules: dict[str, Any]) -> None:
    assert check_rebuilt(make_game("twentynine", **rules), deals=40, seed=1) > 1000


@pytest.mark.slow
def test_rebuild__gives_the_state_in_thousands_of_deals(game: Game) -> None:
    assert check_rebuilt(game, deals=2000, seed=2) > 60_000


def test_rebuild__guesses_are_the_same_as_from_the_real_state(game: Game) -> None:
    """What a search draws does not depend on the cards that were made up."""
    determinize = game.call("determinize")
    for state, mover, rng in random_states(game, 15, seed=3):
        made = rebuild(game, *question(state, mover)).state
        real = state.copy()
        determinize(game.cfg, made, mover, rng.copy())
        determinize(game.cfg, real, mover, rng.copy())
        assert np.array_equal(made, real)


def test_rebuild__seats_are_counted_from_the_first_speaker(game: Game) -> None:
    for state, mover, _ in random_states(game, 8, seed=4):
        path, body = question(state, mover)
        usual = rebuild(game, path, body)
        for turn in range(1, 4):
            other = {**body, "playerIds": body["playerIds"][turn:] + body["playerIds"][:turn]}
            if "teams" in body and turn % 2:
                other["teams"] = body["teams"][::-1]
            asked = rebuild(game, path, other)
            assert asked.seat == usual.seat and np.array_equal(asked.state, usual.state)


def test_rebuild__a_match_loses_its_score_and_nothing_else(game: Game) -> None:
    match = make_game("twentynine", match_to=2, max_deals=4)
    lost = np.zeros(game.observation_size, bool)
    for part in ("score", "deals"):
        lost[OBSERVATION[part]] = True
    firsts = set()
    for state, mover, _ in random_states(match, 6, seed=7):
        asked = rebuild(game, *question(state, mover))
        one, other = view(match, state, mover), view(game, asked.state, asked.seat)
        if state[S.phase] == TRUMPING:  # nobody leads yet: this part means nothing
            one[OBSERVATION["leader"]] = other[OBSERVATION["leader"]]
        assert np.array_equal(one[~lost], other[~lost])
        firsts.add(int(state[S.first]))
    assert len(firsts) > 1


def test_rebuild__captured_request_leaves_one_card(game: Game) -> None:
    """Spades were led and the player has none; having asked, it must play its only trump."""
    asked = rebuild(game, "/play", CAPTURED)
    assert asked.state[S.asked] == 1
    assert [answer_of(action) for action in legal_actions(game, asked.state)] == [{"card": "9H"}]
    # The partner bid, and the partner's eight of hearts has become the winning trump.
    assert asked.ids[int(asked.state[S.best_seat])] == "3nrbJ-Kn"
    # Before the reveal the player could have played anything, or asked.
    before = {**CAPTURED, "trumpSuit": False, "trumpRevealed": False}
    options = legal_actions(game, rebuild(game, "/play", before).state)
    assert sorted(options) == sorted([*map(card_of, CAPTURED["cards"]), A.reveal])


@pytest.mark.parametrize("end", [[], [["B2", 0]], [["B2", 16]]])
def test_rebuild__contract_nobody_wanted_is_known_however_it_is_told(game: Game, end: Any) -> None:
    history = [["A1", 0], ["B1", 0], ["A2", 0], *end]
    asked = rebuild(game, "/chooseTrump", {**TRUMP, "playerId": "B2", "bidHistory": history})
    assert (asked.seat, asked.state[S.contract]) == (3, 16)


def test_rebuild__last_seat_may_be_shown_any_duel(game: Game) -> None:
    history = [["A1", 0], ["B1", 0], ["A2", 0]]
    for defender, challenger in (("A2", "B2"), ("B2", "A2"), ("B2", "B2")):
        duel = {**BID["bidState"], "defenderId": defender, "challengerId": challenger}
        request = {**BID, "playerId": "B2", "bidHistory": history, "bidState": duel}
        assert legal_actions(game, rebuild(game, "/bid", request).state) == [A.bid_16]


PLACES = [
    *[
        (path, (field,))
        for path, request in REQUESTS.items()
        for field in request
        if field != "bidState"
    ],
    *[("/play", ("teams", 1, field)) for field in CAPTURED["teams"][1]],
    *[("/play", ("trumpRevealed", field)) for field in CAPTURED["trumpRevealed"]],
]


@pytest.mark.parametrize(("path", "place"), PLACES)
def test_rebuild__a_field_that_is_missing_or_null_is_named(
    game: Game, path: str, place: tuple[Any, ...]
) -> None:
    request = REQUESTS[path]
    with pytest.raises(ValueError, match=rf"{place[-1]}: missing"):
        rebuild(game, path, without(request, *place))
    with pytest.raises(ValueError, match=rf"{place[-1]}: null"):
        rebuild(game, path, changed(request, *place, to=None))
    for strange in (-1, 1e300, float("nan"), True, "x", [[]], {}, [None]):
        if place == ("timeRemaining",) and strange == -1:
            continue  # overdrawn: read as 0
        with pytest.raises(ValueError, match=str(place[0])):
            rebuild(game, path, changed(request, *place, to=strange))


@pytest.mark.parametrize("path", REQUESTS)
def test_rebuild__only_objects_are_read(game: Game, path: str) -> None:
    for strange in (None, [], 7, "x"):
        with pytest.raises(ValueError, match="expected a JSON object"):
            rebuild(game, path, strange)


IMPOSSIBLE = [
    ("/bid", ("bidHistory",), [["A1", 15]], r"bidHistory\[0\]=15"),
    ("/bid", ("bidHistory",), [["A1", 16], ["A2", 17]], "turn of B1, not of A2"),
    ("/bid", ("bidHistory",), [["A1", 17], ["B1", 17]], r"bidHistory\[1\]: B1 was not allowed"),
    ("/bid", ("bidHistory",), [["A1", 17], ["B1", 18]], "turn of A1, not of B1"),
    ("/bid", ("bidHistory",), [["A1", 17], *TRUMP["bidHistory"][3:]], "the auction is over"),
    ("/bid", ("bidHistory",), [*TRUMP["bidHistory"], ["A1", 18]], "over before"),
    ("/bid", ("cards",), ["JS", "TS", "KH"], "cards: expected 4, got 3"),
    ("/bid", ("cards",), ["JS", "TS", "KH", "JS"], "JS is there twice"),
    ("/bid", ("cards", 0), "AS", r"cards\[0\]"),
    ("/bid", ("playerIds", 1), "A1", "four different"),
    ("/chooseTrump", ("bidHistory",), TRUMP["bidHistory"][:-1], "not over"),
    ("/chooseTrump", ("playerId",), "A2", "turn of A1, not of A2"),
    ("/play", ("cards", 3), "QS", "not allowed"),  # with a spade the player could not have asked
    ("/play", ("cards", 0), "KS", "KS is there twice"),
    ("/play", ("cards",), CAPTURED["cards"][1:], "cards: expected 6, got 5"),
    ("/play", ("handsHistory", 1, 2), "Bot 1", r"handsHistory\[1\]: Bot 1 won it, but Bot 0 leads"),
    ("/play", ("handsHistory", 0, 0), "Bot 1", "turn of 3nrbJ-Kn, not of Bot 1"),
    ("/play", ("teams", 0, "won"), 2, r"teams\[0\].won=2: by handsHistory it is 1"),
    ("/play", ("teams", 1, "bid"), 17, r"teams\[1\].bid=17: by bidHistory it is 16"),
    ("/play", ("teams", 0, "players"), ["Bot 0", "UcDvW4nf"], "teams: expected partners"),
    ("/play", ("trumpSuit",), False, "trumpSuit=false: this player knows"),
    ("/play", ("trumpRevealed",), False, "cannot know the trump"),
    ("/play", ("trumpRevealed", "hand"), 4, "trumpRevealed"),
    ("/play", ("trumpRevealed", "playerId"), "Bot 0", "trumpRevealed: Bot 0 led in hand 3"),
    ("/play", ("played",), ["KS", "8H"], "Bot 0 won it, but 3nrbJ-Kn leads"),
]


@pytest.mark.parametrize(("path", "place", "to", "reason"), IMPOSSIBLE)
def test_rebuild__what_cannot_have_come_about_is_refused(
    game: Game, path: str, place: tuple[Any, ...], to: Any, reason: str
) -> None:
    rebuild(game, path, REQUESTS[path])
    request = changed(REQUESTS[path], *place, to=to)
    with pytest.raises(ValueError, match=reason):
        rebuild(game, path, request)


SAME_QUESTION = {
    "unknown key": {**BID, "luck": 7},
    "unknown key inside": changed(BID, "bidState", "round", to=3),
    "no bidState": without(BID, "bidState"),
    "bidState null": {**BID, "bidState": None},
    "bidState -1": {**BID, "bidState": -1},
    "a bid of -1": changed(BID, "bidState", "challengerBid", to=-1),
    "no challenger": changed(BID, "bidState", "challengerId", to=None),
    "the other convention": changed(BID, "bidState", "defenderId", to="B1"),
    "a history that goes on": {**BID, "bidHistory": [["A1", 16], ["B1", 17]]},
    "a whole auction": {**BID, "bidHistory": TRUMP["bidHistory"]},
}


@pytest.mark.parametrize("habit", SAME_QUESTION)
def test_rebuild__what_can_be_understood_is_the_same_question(game: Game, habit: str) -> None:
    expected, found = rebuild(game, "/bid", BID), rebuild(game, "/bid", SAME_QUESTION[habit])
    assert np.array_equal(found.state, expected.state)
    assert found[1:] == expected[1:]


def test_rebuild__the_documented_example_is_the_moment_that_its_duel_shows(game: Game) -> None:
    duel = {"defenderId": "A1", "challengerId": "B1", "defenderBid": 16, "challengerBid": 17}
    whole = {**BID, "playerId": "A1", "bidHistory": TRUMP["bidHistory"], "bidState": duel}
    short = {**whole, "bidHistory": TRUMP["bidHistory"][:2]}
    assert np.array_equal(rebuild(game, "/bid", whole).state, rebuild(game, "/bid", short).state)


def test_rebuild__an_overdrawn_clock_is_empty(game: Game) -> None:
    for path, request in REQUESTS.items():
        assert rebuild(game, path, {**request, "timeRemaining": -112.5}).remaining == 0


@pytest.mark.parametrize("path", REQUESTS)
def test_rebuild__unknown_fields_are_ignored(game: Game, path: str) -> None:
    plain, more = rebuild(game, path, REQUESTS[path]), {**REQUESTS[path], "luck": 7}
    assert np.array_equal(rebuild(game, path, more).state, plain.state)
    if path == "/play":
        more = changed(changed(more, "trumpRevealed", "more", to=1), "teams", 0, "x", to=1)
        assert np.array_equal(rebuild(game, path, more).state, plain.state)


def test_rebuild__cards_that_nobody_can_hold_are_noticed(game: Game) -> None:
    """Nobody has a spade, and yet seven of them are still to come."""
    request = {
        **TRUMP,
        "teams": [
            {"players": ["A1", "A2"], "bid": 17, "won": 3},
            {"players": ["B1", "B2"], "bid": 0, "won": 0},
        ],
        "cards": ["JD", "9D", "JH", "9H", "JC", "9C", "1C"],
        "played": [],
        "handsHistory": [["A1", ["JS", "7D", "7C", "7H"], "A1"]],
        "trumpSuit": "D",
        "trumpRevealed": False,
    }
    with pytest.raises(ValueError, match="no deal agrees"):
        rebuild(game, "/play", request)
    followed = changed(request, "handsHistory", 0, 1, 1, to="7S")  # B1 may have the others
    rebuild(game, "/play", followed)


# --- answers -------------------------------------------------------------------------------------


def test_answer__every_action_is_read_as_it_was_written(game: Game) -> None:
    for state, mover, _ in random_states(game, 10, seed=8):
        path = question(state, mover)[0]
        legal = legal_actions(game, state)
        for action in legal:
            answer = json.loads(json.dumps(answer_of(action)))
            assert read_answer(path, answer, legal, bidder=False) == (action,)


@pytest.mark.parametrize(
    ("path", "answer", "legal", "bidder", "actions"),
    [
        (
            "/bid",
            {"bid": 17.0, "confidence": 0.9},
            [A.pass_, A.bid_16, A.bid_16 + 1],
            False,
            [A.bid_16 + 1],
        ),
        ("/bid", {"bid": 0}, [A.bid_16], False, [A.bid_16]),
        ("/bid", {"bid": 0.0}, [A.pass_, A.bid_16], False, [A.pass_]),
        ("/chooseTrump", {"suit": "H", "error": None}, [A.choose + 2], False, [A.choose + 2]),
        ("/play", {"card": "JS", "revealTrump": False}, [card_of("JS")], False, [card_of("JS")]),
        ("/play", {"revealTrump": True}, [card_of("JS"), A.reveal], True, [A.reveal]),
        ("/play", {"revealTrump": True, "card": None}, [A.reveal], True, [A.reveal]),
        ("/play", {"revealTrump": True, "card": "JS"}, [A.reveal], False, [A.reveal]),
        ("/play", {"revealTrump": True, "card": "JS"}, [A.reveal], True, [A.reveal, card_of("JS")]),
    ],
)
def test_answer__habits_of_real_bots_are_forgiven(
    path: str, answer: Any, legal: list[int], bidder: bool, actions: list[int]
) -> None:
    assert read_answer(path, answer, legal, bidder) == tuple(actions)


@pytest.mark.parametrize(
    ("path", "answer", "reason"),
    [
        ("/bid", {"bid": 17.5}, "expected"),
        ("/bid", {"bid": True}, "expected"),
        ("/bid", {"bid": "17"}, "expected"),
        ("/bid", {"bid": 1e999}, "expected"),
        ("/bid", {"bid": 29}, "expected"),
        ("/bid", {"bid": -1}, "expected"),
        ("/bid", {"bid": None}, "expected"),
        ("/bid", {}, "expected"),
        ("/bid", [16], "expected a JSON object"),
        ("/bid", {"bid": 18}, "18, which is not allowed; allowed: 0, 17"),
        ("/chooseTrump", {"suit": "SD"}, "expected"),
        ("/chooseTrump", {"suit": ""}, "expected"),
        ("/chooseTrump", {"suit": 2}, "expected"),
        ("/play", {}, "expected"),
        ("/play", {"card": "AS"}, "expected a rank"),
        ("/play", {"card": None}, "expected a rank"),
        ("/play", {"card": "JS"}, "JS, which is not allowed"),
        ("/play", {"revealTrump": "yes"}, "expected true"),
        ("/play", {"revealTrump": True}, "where that is not allowed"),
    ],
)
def test_answer__nonsense_is_refused_with_a_reason(path: str, answer: Any, reason: str) -> None:
    legal = {"/bid": [A.pass_, A.bid_16 + 1], "/chooseTrump": [A.choose], "/play": [card_of("7S")]}
    with pytest.raises(ValueError, match=reason):
        read_answer(path, answer, legal[path], bidder=True)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("doubling", True),
        ("marriage", True),
        ("single_hand", True),
        ("seventh_card", True),
        ("redeal", "no_points"),
        ("all_pass", "redeal"),
        ("auction", "round_robin"),
        ("last_trick", 1),
        ("min_bid", 18),
        ("max_bid", 20),
    ],
)
def test_house_rules__that_have_no_words_are_refused(rule: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{rule}=.*cannot express"):
        check_rules(make_game("twentynine", **{rule: value}))
    with pytest.raises(ValueError, match="for twentynine only"):
        check_rules(make_game("raj"))
