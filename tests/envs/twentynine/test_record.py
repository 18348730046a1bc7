"""Records of Twenty-nine: everything comes back from JSON, and what is broken is refused."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twentynine_deals import HEARTS, LEVEL, SUITED
from twentynine_referee import Referee
from twentynine_states import HOUSE, VARIANTS, hands_of, play, play_on, taken, walk

from bidarena.envs import make_game
from bidarena.envs.game import Game, State
from bidarena.envs.twentynine.record import actions, deal_state, export, history, replay
from bidarena.envs.twentynine.record.export import KEYS
from bidarena.envs.twentynine.rules.layout import (
    BIDDING,
    DOUBLES,
    FINISHED,
    PLAYING,
    SINGLES,
    TRUMPING,
    A,
    S,
    card_code,
    card_of,
)

SPADES = card_of("JS"), card_of("9S"), card_of("1S"), card_of("TS")


def through_json(record: dict[str, Any]) -> dict[str, Any]:
    again = json.loads(json.dumps(record))
    assert again == record
    return again


def finished(game: Game, deal: tuple[str, ...] = SUITED) -> State:
    """Play a deal: seat 1 reveals the trump in the first trick, all play the lowest legal card."""
    return play_on(game, taken(game, deal, "JS", A.reveal))


# --- there and back ------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", VARIANTS)
def test_record__brings_back_every_state_and_its_actions(rules: dict[str, Any]) -> None:
    game = make_game("twentynine", **rules)
    phases = set()
    for number, (state, done) in enumerate(walk(game, seed=4, games=8)):
        phases.add(int(state[S.phase]))
        if number % 3 and state[S.phase] == PLAYING:
            continue  # these are many
        record = through_json(export(game, state))
        again, states = replay(record)
        assert again.options == game.options
        assert np.array_equal(states[-1], state)
        assert export(again, states[-1]) == record
        assert len(states) == len(actions(record)) + 1
        doubling = A.double in done or A.redouble in done
        assert doubling or actions(record) == done
    expected = {BIDDING, TRUMPING, PLAYING, FINISHED}
    expected |= {DOUBLES} if rules.get("doubling") else set()
    expected |= {SINGLES} if rules.get("single_hand") else set()
    assert phases == expected


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), which=st.integers(0, len(VARIANTS) - 1))
def test_record__replayed_states_are_steps_of_the_rules(seed: int, which: int) -> None:
    game = make_game("twentynine", **VARIANTS[which])
    state, _ = list(walk(game, seed))[-1]
    record = export(game, state)
    _, states = replay(record)
    for action, before, after in zip(actions(record), states, states[1:], strict=False):
        if action == A.seventh_card:
            continue  # drawn at random
        game.call("step")(game.cfg, before, action, np.ones(2, np.uint64))
        assert np.array_equal(before, after)


def test_record__agrees_with_the_referee_about_the_history() -> None:
    game = make_game("twentynine", marriage=True, unrevealed="score", last_trick=1)
    referee = Referee(marriage=True, unrevealed="score", last_trick=1)
    source = np.random.default_rng(2)
    for _ in range(15):
        referee = Referee(marriage=True, unrevealed="score", last_trick=1)
        deck = [card_code(int(card)) for card in source.permutation(32)]
        hands = [deck[8 * seat : 8 * seat + 8] for seat in range(4)]
        referee.deal([hand[:4] for hand in hands], [hand[4:] for hand in hands])
        state = deal_state(game, hands)
        while not referee.over:
            action = int(source.choice(referee.legal()))
            referee.play(action)
            play(game, state, action)
        record = export(game, state)
        assert record["auction"] == [list(call) for call in referee.auction]
        assert [sorted(hand) for hand in record["hands"]] == [sorted(hand) for hand in hands]
        assert (record["bidder"], record["contract"]) == (referee.bidder, referee.contract)
        assert (record["trump"], record["target"]) == (referee.trump, referee.target)
        assert record["points"] == referee.points
        if referee.revealed:
            assert referee.revealed_in is not None
            revealed = {"hand": referee.revealed_in + 1, "seat": referee.revealed_by}
            assert record["trump_revealed"] == revealed
        else:
            assert record["trump_revealed"] is False


def test_record__reads_a_file(tmp_path: Path) -> None:
    game = make_game("twentynine")
    state = finished(game)
    path = tmp_path / "deal.json"
    path.write_text(json.dumps(export(game, state)), encoding="utf-8")
    assert np.array_equal(replay(path)[1][-1], state)
    assert actions(str(path)) == actions(export(game, state))
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"deal\.json': not a JSON file"):
        replay(path)
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match=r"deal\.json': expected a JSON object"):
        actions(path)


def test_record__tells_a_deal_as_the_competition_writes_it() -> None:
    game = make_game("twentynine")
    state = taken(game, HEARTS, "JS", A.reveal, "TH", "JH")
    record = export(game, state)
    assert tuple(record) == KEYS
    assert record["hands"][1] == ["JD", "9D", "1D", "TD", "KD", "QD", "TH", "8H"]
    assert record["auction"] == [[0, 16], [1, 0], [2, 0], [3, 0]]
    assert (record["bidder"], record["contract"], record["trump"]) == (0, 16, "H")
    assert record["tricks"] == [[0, ["JS", "TH", "JH"], None]]
    assert record["trump_revealed"] == {"hand": 1, "seat": 1}
    assert (record["phase"], record["turn"], record["result"]) == ("play", 3, None)
    play(game, state, "9H")
    assert export(game, state)["tricks"] == [[0, ["JS", "TH", "JH", "9H"], 2]]
    assert export(game, state)["points"] == [9, 0]


def test_record__a_marriage_and_a_reveal_may_still_wait_for_their_card() -> None:
    game = make_game("twentynine", marriage=True)
    state = taken(game, SUITED, "JS", A.reveal)
    assert replay(export(game, state))[1][-1][S.asked] == 1
    play(game, state, "JD", "JH", "7C", A.declare)
    record = export(game, state)  # seat 2 leads, and has not played yet
    assert record["marriage"] == {"hand": 2, "seat": 2}
    assert (record["contract"], record["target"]) == (16, 16)  # never below the lowest bid
    assert np.array_equal(replay(record)[1][-1], state)


def test_record__who_of_two_partners_doubled_does_not_matter() -> None:
    game = make_game("twentynine", doubling=True)
    state = deal_state(game, hands_of(SUITED))
    play(game, state, A.bid_16, A.pass_, A.pass_, A.pass_)
    play(game, state, A.pass_, A.double, A.pass_)  # seat 3 doubled; seat 2 is asked
    record = export(game, state)
    assert (record["stake"], record["phase"], record["turn"]) == (2, "doubling", 2)
    assert actions(record)[4:] == [A.double, A.pass_]
    assert np.array_equal(replay(record)[1][-1], state)
    play(game, state, A.redouble, A.choose)
    assert actions(export(game, state))[4:] == [A.double, A.redouble, A.choose]
    assert np.array_equal(replay(export(game, state))[1][-1], state)


def test_record__given_halves_are_kept() -> None:
    game = make_game("twentynine")
    record = export(game, deal_state(game, hands_of(LEVEL)))
    assert record["halves"] is True
    assert record["hands"] == hands_of(LEVEL)
    whole = export(game, taken(game, LEVEL))
    assert whole["halves"] is False
    whole.update(hands=hands_of(LEVEL), halves=True)
    assert np.array_equal(replay(whole)[1][0], deal_state(game, hands_of(LEVEL)))


# --- what one seat knows -------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [{}, HOUSE])
def test_record__view_of_a_seat_does_not_change_with_what_is_hidden(rules: dict[str, Any]) -> None:
    game = make_game("twentynine", **rules)
    rng = np.array([5, 6], np.uint64)
    for state, _ in walk(game, seed=7, games=6):
        for seat in range(4):
            guess = state.copy()
            game.call("determinize")(game.cfg, guess, seat, rng)
            assert export(game, guess, seat=seat) == export(game, state, seat=seat)


def test_record__view_of_a_seat_holds_what_it_has_seen() -> None:
    game = make_game("twentynine")
    state = taken(game, SUITED, "JS")
    views = [export(game, state, seat=seat) for seat in range(4)]
    assert [view["trump"] for view in views] == ["H", "hidden", "hidden", "hidden"]
    assert views[1]["hands"] == [["JS"], SUITED[1].split(), [], []]
    fresh = deal_state(game, hands_of(SUITED))
    assert export(game, fresh, seat=2)["hands"] == [[], [], SUITED[2].split()[:4], []]
    with pytest.raises(ValueError, match="seat=1: the view of one seat cannot be played"):
        replay(views[1])
    with pytest.raises(ValueError, match="seat=4: expected a whole number from 0 to 3"):
        export(game, state, seat=4)


# --- broken records ------------------------------------------------------------------------------


def broken(change: Any, rules: dict[str, Any] | None = None) -> dict[str, Any]:
    game = make_game("twentynine", **(rules or {}))
    record = copy.deepcopy(export(game, finished(game)))
    change(record)
    return record


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.pop("tricks"), "record: lacks tricks"),
        (lambda r: r.update(version=2), "version=2: expected 'bidarena/twentynine', 1"),
        (lambda r: r["rules"].update(min_bid=3), "rules: min_bid=3"),
        (
            lambda r: r["rules"].update(colour=3),
            "rules: twentynine got an unexpected keyword argument 'colour'",
        ),
        (lambda r: r.update(rules=7), "rules=7: expected the keywords"),
        (lambda r: r.update(first=1), "first=1: seat 0 speaks first after 0 deals"),
        (lambda r: r.update(redeals=4), "redeals=4: expected a whole number from 0 to 3"),
        (lambda r: r.update(halves=None), "halves=None"),
        (lambda r: r["hands"][1].__setitem__(0, "JS"), r"hands\[1\]: JS is in hands\[0\] too"),
        (lambda r: r["hands"].pop(), r"hands: expected a list of 4, got 3"),
        (lambda r: r.update(auction=3), r"auction=3: expected a list"),
        (lambda r: r["auction"][1].append(3), r"auction\[1\]: expected a list of 2, got 3"),
        (lambda r: r["auction"][0].__setitem__(1, 15), r"auction\[0\]=15: expected a whole number"),
        (
            lambda r: r["auction"][1].__setitem__(1, 16),
            r"auction\[1\]: seat 1 cannot bid 16; allowed: pass, bid 17",
        ),
        (
            lambda r: r["auction"][1].__setitem__(0, 3),
            r"auction\[1\]: seat 3 cannot pass: it is the turn of seat 1",
        ),
        (lambda r: r["auction"].pop(), r"trump: seat 0 cannot choose H: it is the turn of seat 3"),
        (lambda r: r.update(bidder=2), "trump: seat 2 cannot choose H: it is the turn of seat 0"),
        (lambda r: r.update(bidder=None), "bidder=None: expected a whole number from 0 to 3"),
        (lambda r: r.update(contract=17), "contract: 17 written, but 16 is right"),
        (lambda r: r.update(stake=2), "stake: 2 written, but 1 is right"),
        (lambda r: r.update(trump="X"), "trump='X': expected one of 'S', 'D', 'H', 'C'"),
        (lambda r: r.update(phase="late"), "phase='late': expected one of"),
        (lambda r: r.update(phase="trump"), "tricks: 8 written, but 0 can be played"),
        (lambda r: r.update(phase="play"), "phase: 'play' written, but 'over' is right"),
        (lambda r: r.update(points=[9, 9]), r"points: \[9, 9\] written, but \["),
        (lambda r: r.update(result=None), "result: None written, but {'made'"),
        (lambda r: r.update(marriage={"hand": 3}), "marriage={'hand': 3}: expected false or"),
        (
            lambda r: r.update(trump_revealed={"hand": 9, "seat": 0}),
            "trump_revealed.hand=9: expected a whole number from 1 to 8",
        ),
        (
            lambda r: r.update(trump_revealed={"hand": 1, "seat": 0}),
            "trump_revealed: seat 0 cannot reveal the trump; allowed: play",
        ),
        (
            lambda r: r.update(marriage={"hand": 1, "seat": 2}),
            "marriage: seat 2 cannot declare the marriage; allowed: play",
        ),
        (lambda r: r["tricks"][0][1].__setitem__(0, "5S"), r"tricks\[0\]: card='5S': expected"),
        (
            lambda r: r["tricks"][0][1].__setitem__(0, "JD"),
            r"tricks\[0\]: seat 0 cannot play JD; allowed: play 7S",
        ),
        (lambda r: r["tricks"][0].__setitem__(2, 3), r"tricks\[0\]: winner 3 written, but 2"),
        (
            lambda r: r["tricks"][1].__setitem__(0, 1),
            r"tricks\[1\]: seat 1 cannot play .*: it is the turn of seat 2",
        ),
        (lambda r: r["tricks"][2][1].append("7C"), r"tricks\[2\]: expected 1 to 4 cards, got 5"),
        (lambda r: r["tricks"].append(r["tricks"][7]), r"tricks\[8\]: .*the deal is over"),
        (lambda r: r["tricks"][7][1].pop(), r"winner 2 written, but None"),
    ],
)
def test_record__broken_ones_are_refused_by_name(change: Any, message: str) -> None:
    replay(broken(lambda record: None))
    with pytest.raises(ValueError, match=message):
        replay(broken(change))


def test_record__a_trick_cannot_be_written_in_two_parts() -> None:
    record = broken(lambda record: None)
    leader, cards, winner = record["tricks"][1]
    seat = (leader + 3) % 4
    record["tricks"][1:2] = [[leader, cards[:3], None], [seat, cards[3:], winner]]
    with pytest.raises(ValueError, match=r"tricks\[1\]: cards"):
        replay(record)


def test_record__a_deal_that_was_dealt_anew_is_refused() -> None:
    game = make_game("twentynine", all_pass="redeal")
    record = export(game, deal_state(game, hands_of(SUITED)))
    record.update(auction=[[0, 0], [1, 0], [2, 0], [3, 0]])
    with pytest.raises(ValueError, match=r"auction\[3\]: the cards are dealt anew after this"):
        replay(record)


def test_record__a_match_is_checked_and_goes_on() -> None:
    game = make_game("twentynine", match_to=3)
    state = play_on(game, taken(game, SUITED, "JS", A.reveal), 7, 3)
    record = export(game, state)
    assert record["match"] == {"score": [0, 0], "deals": 0}
    assert np.array_equal(replay(record)[1][-1], state)
    last = card_code(int(state[S.hands + state[S.mover]]).bit_length() - 1)
    record["tricks"][-1][1].append(last)
    with pytest.raises(ValueError, match=r"tricks\[7\]: the match goes on after this"):
        replay(record)
    for match in (None, {"score": [0, 0]}, {"score": [3, 0], "deals": 0}, {"score": 1, "deals": 0}):
        with pytest.raises(ValueError, match="match"):
            replay({**record, "match": match})


def test_record__the_seventh_card_is_one_of_the_second_four() -> None:
    game = make_game("twentynine", seventh_card=True)
    state = deal_state(game, hands_of(SUITED))
    play(game, state, A.bid_16, A.pass_, A.pass_, A.pass_, A.seventh_card)
    record = export(game, state)
    assert record["seventh_card"] in SUITED[0].split()[4:]
    assert export(game, state, seat=0)["seventh_card"] == record["seventh_card"]
    assert export(game, state, seat=1)["seventh_card"] is True
    assert np.array_equal(replay(record)[1][-1], state)
    with pytest.raises(ValueError, match="seventh_card='JD': not in hands\\[0\\]"):
        replay({**record, "seventh_card": "JD"})
    with pytest.raises(ValueError, match="seventh_card='JS': one of the first four"):
        replay({**record, "seventh_card": "JS", "halves": True, "hands": hands_of(SUITED)})
    assert replay({**record, "seventh_card": "JS"})[1][0][S.rest] & 1 << card_of("JS")
    with pytest.raises(ValueError, match="trump: 'D' written, but 'S' is right"):
        replay({**record, "trump": "D"})


# --- a given deal --------------------------------------------------------------------------------


def test_deal_state__deals_the_first_four_first() -> None:
    game = make_game("twentynine")
    state = deal_state(game, hands_of(SUITED))
    assert state[S.hands] == sum(1 << card for card in SPADES)
    assert state[S.rest + 3] == 0x0F << 24
    assert (state[S.mover], state[S.defender], state[S.challenger]) == (0, 0, 1)
    other = game.new_state(np.array([3, 4], np.uint64))
    cards = slice(S.hands, S.barred)
    other[cards] = state[cards]
    assert np.array_equal(other, state)  # nothing but the cards differs from any other deal
    assert [hand.bit_count() for hand in history.dealt(state)] == [8, 8, 8, 8]


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        ([*hands_of(SUITED)[:3], "JC 9C"], r"hands\[3\]='JC 9C': expected a list"),
        (hands_of(SUITED)[:3], "hands: expected a list of 4, got 3"),
        ([["XX", *SUITED[0].split()[1:]], *hands_of(SUITED)[1:]], r"hands\[0\]: card='XX': expect"),
        ([[11, *SUITED[0].split()[1:]], *hands_of(SUITED)[1:]], r"hands\[0\]: card=11: expected"),
        ([["7S", *SUITED[0].split()[1:]], *hands_of(SUITED)[1:]], r"hands\[0\]: 7S is there twice"),
        ([*hands_of(SUITED)[:3], [*SUITED[3].split()[:7], "7S"]], r"hands\[3\]: 7S is in hands\[0"),
        (
            [*hands_of(SUITED)[:3], SUITED[3].split()[:7]],
            r"hands\[3\]: expected 8 cards, got 7; nobody has 7C",
        ),
        (
            [[*SUITED[0].split(), "7C"], *hands_of(SUITED)[1:3], SUITED[3].split()[:7]],
            r"hands\[0\]: expected 8 cards, got 9",
        ),
    ],
)
def test_deal_state__refuses_wrong_cards(hands: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        deal_state(make_game("twentynine"), hands)


def test_deal_state__refuses_other_games() -> None:
    with pytest.raises(ValueError, match=r"game=<raj.*expected a game of twentynine"):
        deal_state(make_game("raj"), hands_of(SUITED))
