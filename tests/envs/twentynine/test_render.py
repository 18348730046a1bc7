"""Drawings of Twenty-nine: they never fail, never tell what is hidden, and tell the rest."""

from __future__ import annotations

import re
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from twentynine_deals import HEARTS, LEVEL, SUITED
from twentynine_states import HOUSE, VARIANTS, hands_of, legal, play, play_on, taken, walk

from bidarena.envs import make_game
from bidarena.envs.drawing import CARD, INK, Canvas
from bidarena.envs.drawing import cards as drawing_cards
from bidarena.envs.game import Game, State
from bidarena.envs.solo import render_state
from bidarena.envs.twentynine.phrases.seen import look
from bidarena.envs.twentynine.record import deal_state
from bidarena.envs.twentynine.rules.layout import A, S, card_of


def text(game: Game, state: State, seat: int) -> str:
    """Return the drawing as text without its colours."""
    drawn = render_state(game, "ansi", state, seat)
    assert isinstance(drawn, str)
    return re.sub(r"\x1b\[[0-9;]*m", "", drawn)


def pixels(game: Game, state: State, seat: int) -> Any:
    return render_state(game, "rgb_array", state, seat)


def said(game: Game, state: State, seat: int, label: str) -> str:
    """Return what the text says after a label, its lines joined."""
    found = re.search(rf"^  {label} +(.*(?:\n {{13}}.*)*)", text(game, state, seat), re.MULTILINE)
    assert found is not None, f"no {label!r} in {text(game, state, seat)}"
    return re.sub(r"\s*\n\s+", " ", found[1]).strip()


# --- always --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", VARIANTS)
def test_render__never_fails_in_random_games(rules: dict[str, Any]) -> None:
    game = make_game("twentynine", **rules)
    for number, (state, _) in enumerate(walk(game, seed=3, games=2)):
        before = state.copy()
        for seat in range(4):
            drawn = render_state(game, "ansi", state, seat)
            plain = text(game, state, seat)
            assert plain.endswith("\n")
            assert max(map(len, plain.splitlines())) <= 100
            assert "\x1b" not in plain
            codes = re.findall(r"\x1b\[([0-9;]*)m", drawn)
            assert codes[1::2] == ["0"] * (len(codes) // 2)  # every colour is switched off again
        if number % 31 == 0 or state[S.mover] < 0:
            picture = pixels(game, state, number % 4)
            assert picture.shape == (602, 720, 3)
            assert picture.dtype == np.uint8
            assert picture.flags.c_contiguous
        assert np.array_equal(state, before)


@pytest.mark.parametrize("rules", [{}, HOUSE, {**HOUSE, "match_to": 2, "max_deals": 4}])
def test_render__does_not_tell_what_is_hidden(rules: dict[str, Any]) -> None:
    game = make_game("twentynine", **rules)
    rng = np.array([5, 6], np.uint64)
    changed = 0
    for number, (state, _) in enumerate(walk(game, seed=8, games=2)):
        for seat in range(4):
            drawn = text(game, state, seat)
            for attempt in range(2):
                guess = state.copy()
                game.call("determinize")(game.cfg, guess, seat, rng)
                changed += not np.array_equal(guess, state)
                assert text(game, guess, seat) == drawn
                if attempt == 0 and (4 * number + seat) % 43 == 0:
                    assert np.array_equal(pixels(game, guess, seat), pixels(game, state, seat))
    assert changed > 200  # the guesses were others than the truth


def test_render__a_trump_never_revealed_stays_hidden_when_the_deal_is_over() -> None:
    game = make_game("twentynine")
    state = play_on(game, taken(game))
    other = state.copy()
    other[S.trump] = 3
    assert state[S.mover] < 0
    for seat in (1, 2, 3):
        assert text(game, state, seat) == text(game, other, seat)
        assert np.array_equal(pixels(game, state, seat), pixels(game, other, seat))
    assert "♥" in said(game, state, 0, "trump")


def test_render__what_is_left_of_the_hands_after_a_lost_single_hand_stays_hidden() -> None:
    game = make_game("twentynine", single_hand=True)
    deal = (LEVEL[1], LEVEL[0], LEVEL[2], LEVEL[3])
    state = taken(game, deal, A.single_hand, "8S", "JS", "TS")
    assert state[S.mover] < 0
    guess = state.copy()
    game.call("determinize")(game.cfg, guess, 1, np.array([5, 6], np.uint64))
    assert not np.array_equal(guess, state)
    assert text(game, guess, 1) == text(game, state, 1)
    assert np.array_equal(pixels(game, guess, 1), pixels(game, state, 1))
    assert "you win: single hand lost" in text(game, state, 1)


# --- what the text tells -------------------------------------------------------------------------


def test_text__tells_an_auction() -> None:
    game = make_game("twentynine")
    state = play(game, deal_state(game, hands_of(SUITED)), A.bid_16 + 2, A.bid_16 + 4, A.bid_16 + 4)
    assert said(game, state, 1, "auction") == "right 18, you 20, right 20"
    assert said(game, state, 1, "you") == "♦ J 9 A 10  and 4 to come"
    assert said(game, state, 1, "partner") == "4 cards and 4 to come"
    assert said(game, state, 1, "contract") == "open"
    assert "your bid: pass or 21 to 28" in text(game, state, 1)
    assert "waiting: left bids" in text(game, state, 0)
    play(game, state, A.pass_)
    assert said(game, state, 2, "auction") == "partner 18, right 20, partner 20, right passes"


def test_text__tells_what_must_be_taken_and_when_a_redeal_may_be_asked() -> None:
    game = make_game("twentynine", redeal="no_points")
    state = play(game, deal_state(game, hands_of(LEVEL)), A.pass_, A.pass_)
    assert "your bid: pass or 16 to 28 or a redeal" in text(game, state, 2)  # four queens
    play(game, state, A.pass_)
    assert "your bid: 16 or a redeal" in text(game, state, 3)
    plain = make_game("twentynine")
    state = play(plain, deal_state(plain, hands_of(LEVEL)), A.pass_, A.pass_, A.pass_)
    assert "your bid: you must take 16" in text(plain, state, 3)


def test_text__tells_hands_trump_and_trick() -> None:
    game = make_game("twentynine")
    state = taken(game, HEARTS, "JS")
    assert said(game, state, 1, "trump") == "hidden, known to right only"
    assert said(game, state, 0, "trump") == "♥, hidden, known to you only"
    assert "your card: any card, or ask for the trump" in text(game, state, 1)
    play(game, state, A.reveal)
    assert said(game, state, 3, "trump") == "♥, revealed, in trick 1 by partner"
    assert "your card: you asked: hearts, the trump" in text(game, state, 1)
    assert "waiting: left asked for the trump" in text(game, state, 0)
    play(game, state, "TH", "8D")
    assert said(game, state, 3, "table") == (
        "left led J♠, partner 10♥, right 8♦: partner is winning 4"
    )
    assert said(game, state, 3, "partner") == "7 cards  no ♠"
    assert said(game, state, 3, "you") == "♥ 9 K Q   ♣ 10 K Q 8 7"
    play(game, state, "9H")
    assert (
        said(game, state, 0, "last trick")
        == "you led J♠, left 10♥, partner 8♦, right 9♥: right took it"
    )
    assert said(game, state, 0, "points") == (
        "you and partner 0 in 0 tricks (needs 16); left and right 6 in 1 trick"
    )
    assert "trick 2 of 8" in text(game, state, 0)
    assert "your card: lead to the trick" in text(game, state, 3)


def test_text__tells_that_somebody_could_not_beat_a_trump() -> None:
    game = make_game("twentynine")
    deal = (HEARTS[0], HEARTS[2], HEARTS[1], HEARTS[3])  # seat 1 holds the jack of hearts
    state = taken(game, deal, "JS", "JH", A.reveal)
    assert legal(game, state) == [card_of("8H"), card_of("TH")]
    play(game, state, "TH")
    assert said(game, state, 0, "partner") == "7 cards  no ♠"
    # No card beats the jack, which is seen. Below a nine, the seat has shown to lack the jack.
    low = (
        "JS 9S 1S TS KS QS 8S 7S",
        "9H 1H 7H 8D 7D JC 9C 1C",
        HEARTS[1],
        "JH KH QH TC KC QC 8C 7C",
    )
    state = taken(game, low, "JS", "9H", A.reveal, "TH")
    assert said(game, state, 0, "partner") == "7 cards  no ♠, no J♥"
    assert said(game, state, 3, "left") == "7 cards"
    assert said(game, state, 3, "right") == "7 cards  no ♠"  # the viewer holds the jack


def test_text__tells_marriage_stake_and_rules() -> None:
    game = make_game("twentynine", marriage=True, doubling=True, min_bid=18, last_trick=1)
    start = deal_state(game, hands_of(SUITED))
    calls = (A.bid_16 + 8, A.pass_, A.pass_, A.pass_, A.double, A.pass_, A.pass_, A.choose + 2)
    state = play(game, start, *calls, "JS", A.reveal, "JD", "JH", "7C", A.declare)
    assert said(game, state, 3, "rules") == "bids from 18, doubling, marriage, last trick +1"
    assert said(game, state, 3, "contract") == (
        "24 by left; doubled: stake 2; marriage: right, trick 2; needs 20"
    )
    assert said(game, state, 3, "right") == "7 cards  no ♠, holds K♥ Q♥"
    assert said(game, state, 2, "you") == "♥ 9 A 10 K Q 8 7"
    play(game, state, "KH")
    assert said(game, state, 3, "right") == "6 cards  no ♠, holds Q♥"


def test_text__tells_a_single_hand() -> None:
    game = make_game("twentynine", single_hand=True)
    state = taken(game, SUITED, A.pass_)
    assert "your answer: play a single hand or pass" in text(game, state, 1)
    play(game, state, A.single_hand, "JD")
    assert said(game, state, 2, "contract").startswith("single hand of right; must win all eight")
    assert said(game, state, 2, "trump") == "no trump, in a single hand"
    assert said(game, state, 2, "left") == "sits out"
    assert (
        said(game, state, 0, "trump") == "no trump, in a single hand"
    )  # the trump that seat 0 chose does not count
    won = play_on(game, state)
    assert "you win: single hand made" in text(game, won, 3)
    assert "you lose: single hand made" in text(game, won, 0)


def test_text__tells_the_seventh_card_to_the_bidder_only() -> None:
    game = make_game("twentynine", seventh_card=True)
    calls = (A.bid_16, A.pass_, A.pass_, A.pass_, A.seventh_card)
    state = play(game, deal_state(game, hands_of(SUITED)), *calls)
    assert said(game, state, 0, "trump") == "♠, hidden, the seventh card, known to you"
    assert said(game, state, 1, "trump") == "hidden, the seventh card of right"


@pytest.mark.parametrize(
    ("deal", "bid", "reveal", "seat", "ending"),
    [
        (SUITED, 16, True, 0, "you win: made: 28 points for 16"),
        (SUITED, 16, True, 1, "you lose: made: 28 points for 16"),
        (SUITED, 16, False, 0, "void: nobody asked for the trump"),
        (LEVEL, 28, None, 2, "void: nobody asked for the trump"),
    ],
)
def test_text__tells_how_it_ended(
    deal: tuple[str, ...], bid: int, reveal: bool | None, seat: int, ending: str
) -> None:
    game = make_game("twentynine")
    state = deal_state(game, hands_of(deal))
    play(game, state, A.bid_16 + bid - 16, A.pass_, A.pass_, A.pass_, A.choose + 2, "JS")
    if reveal:
        play(game, state, A.reveal)
    play_on(game, state)
    assert ending in text(game, state, seat)
    assert "8 tricks played" in text(game, state, seat)


def test_text__tells_a_failed_contract_and_a_match() -> None:
    game = make_game("twentynine", match_to=1)
    state = taken(game, HEARTS, "JS", A.reveal, "TH", "JH", "9H")
    assert "match 0 : 0, to 1" in text(game, state, 0)
    play_on(game, state)
    points = int(state[S.points])
    assert points >= 16  # the heart holder is the bidder's partner
    assert f"you win the match: made: {points} points for 16" in text(game, state, 2)
    assert "match 1 : 0, to 1" in text(game, state, 2)
    assert "match 0 : 1, to 1" in text(game, state, 3)
    failing = (HEARTS[0], HEARTS[2], HEARTS[1], HEARTS[3])
    state = play_on(game, taken(game, failing, "7S", A.reveal))
    points = int(state[S.points])
    assert points < 16
    assert f"you lose the match: failed: {points} points for 16" in text(game, state, 0)
    assert "match -1 : 0, to 1" in text(game, state, 0)


def test_text__wraps_the_longest_auction() -> None:
    game = make_game("twentynine")
    state = deal_state(game, hands_of(SUITED))
    for bid in range(16, 29):  # bid by bid, each matched
        play(game, state, *([A.bid_16 + bid - 16] * 2 if bid > 16 else [A.bid_16]))
    assert state[S.calls] == 25
    assert said(game, state, 0, "auction").count(",") == 24
    assert max(map(len, text(game, state, 0).splitlines())) <= 100
    assert pixels(game, state, 0).shape == (602, 720, 3)


# --- what the picture tells ----------------------------------------------------------------------


def test_picture__shows_every_part_of_the_position() -> None:
    game = make_game("twentynine", match_to=6, marriage=True, doubling=True)
    calls = (A.bid_16, A.pass_, A.pass_, A.pass_, A.pass_, A.pass_, A.choose + 2)
    state = play(game, deal_state(game, hands_of(HEARTS)), *calls, "JS", A.reveal, "TH", "JH", "9H")
    play(game, state, "1H")
    changes: dict[str, Any] = {
        "mover": 0,
        "contract": 17,
        "target": 20,
        "bidder": 1,
        "stake": 2,
        "revealed": 2,
        "revealer": 2,
        "trump": 3,
        "points": (9, 3),
        "won": (0, 1),
        "score": (2, -3),
        "trick": 0,
        "best_seat": 3,
        "hands": (0xFE, 0, 0, 0),
        "barred": (0, 0, 0, 0xFF),
        "calls": 3,
    }
    seen = {pixels(game, state, 0).tobytes(), text(game, state, 0)}
    for part, value in changes.items():
        other = state.copy()
        other[game.state[part]] = value
        seen |= {pixels(game, other, 0).tobytes(), text(game, other, 0)}
    assert len(seen) == 2 * (len(changes) + 1)


def test_view__tricks_add_up_to_the_points() -> None:
    game = make_game("twentynine", last_trick=1, single_hand=True)
    for state, _ in walk(game, seed=5, games=6):
        for seat in range(4):
            view = look(game, state, seat)
            for side in range(2):
                own = [trick for trick in view.tricks if trick.winner & 1 == side]
                assert view.won[side] == len(own)
                assert view.points[side] == sum(trick.points for trick in own)


def test_picture__lifts_the_cards_that_may_be_played() -> None:
    game = make_game("twentynine")
    state = taken(game, LEVEL, "JS")
    view = look(game, state, 1)
    assert view.playable == (card_of("9S"), card_of("8S"))
    assert look(game, state, 2).playable == ()  # it is not the turn of seat 2


def test_picture__seats_are_where_they_sit() -> None:
    game = make_game("twentynine")
    state = taken(game, SUITED, "JS")
    spots = {0: (342, 274), 1: (284, 350), 2: (226, 274), 3: (284, 198)}  # of seat 0's card
    for seat, (y, x) in spots.items():
        picture = pixels(game, state, seat).astype(int)
        assert (picture[y - 30 : y - 20, x + 5 : x + 20] > 240).all()  # the white of a card
        for other, (v, u) in spots.items():
            if other != seat:
                assert (picture[v - 30 : v - 20, u + 5 : u + 20] < 140).any()


def test_cards__suits_are_told_apart() -> None:
    drawn = []
    for which in range(4):
        canvas = Canvas(40, CARD, width=40)
        drawing_cards.suit(canvas, (20, 20), 30, which, INK)
        picture = canvas.pixels()
        ink = (picture < 128).any(axis=2)
        assert np.array_equal(ink, ink[:, ::-1]) or (ink != ink[:, ::-1]).mean() < 0.03
        rows = np.flatnonzero(ink.any(axis=1))
        assert 24 <= rows[-1] - rows[0] + 1 <= 32
        drawn.append(ink)
    for one in range(4):
        for two in range(one):
            assert (drawn[one] != drawn[two]).mean() > 0.04


def test_picture__without_pillow_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("twentynine")
    state = taken(game)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r'pip install "bidarena\[render\]"'):
        pixels(game, state, 0)
    assert text(game, state, 0)  # text needs no Pillow


def test_env__renders_from_the_seat_of_the_learner() -> None:
    env = gym.make("bidarena/TwentyNine-v1", render_mode="ansi", seat=2, opponent="random")
    env.reset(seed=1)
    drawn = str(env.render())
    assert re.search(r"your (bid|trump|card)", drawn)
