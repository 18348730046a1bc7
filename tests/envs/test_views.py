"""Views for browsers, of every game: they tell all that a seat sees, and nothing that it cannot."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from our_games import OUR_GAMES, VARIANTS
from random_games import random_game

from bidarena.envs.game import Game, State
from bidarena.envs.phrases import mover_of
from bidarena.envs.registry import find_tool, make_game, tools_of
from bidarena.envs.rng import WORDS, seeded

# parts of the state that a seat may know, at least in part
VISIBLE = {
    "scotch": ("position", "money"),
    "richman": ("vertex", "money"),
    "raj": ("pot", "items", "hands", "banks"),
    "coins": ("board", "points", "values"),
    "twentynine": ("hands", "points", "won", "contract", "stake", "score"),
}
NONE = slice(0, 0)
CASES = [(name, which) for name in OUR_GAMES for which in range(len(VARIANTS[name]))]


def view_of(game: Game, state: State, seat: int | None) -> dict[str, Any]:
    seen: dict[str, Any] = find_tool(game.name, "view")(game, state, seat)
    return seen


def guessed(game: Game, state: State, seat: int, seed: int) -> State:
    other = state.copy()
    rng = seeded(np.random.default_rng(seed), WORDS)
    game.call("determinize")(game.cfg, other, seat, rng)
    return other


def observed(game: Game, state: State, seat: int) -> bytes:
    out = np.zeros(game.observation_size, np.float32)
    game.call("observe")(game.cfg, state, seat, out)
    return out.tobytes()


def case_of(data: st.DataObject, name: str) -> tuple[Game, list[State], int]:
    """Draw rules, and a random game under them; return the game, its states and the seed."""
    rules = data.draw(st.sampled_from(VARIANTS[name]))
    seed = data.draw(st.integers(0, 2**32 - 1))
    game = make_game(name, **rules)
    return game, random_game(game, seed), seed


@pytest.mark.parametrize("name", OUR_GAMES)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_view__is_the_same_whatever_the_seat_cannot_know(name, data):
    game, states, seed = case_of(data, name)
    for number, state in enumerate(states):
        for seat in range(game.players):
            twin = guessed(game, state, seat, seed + number)
            assert view_of(game, twin, seat) == view_of(game, state, seat), (number, seat)


@pytest.mark.parametrize("name", OUR_GAMES)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_view__tells_apart_whatever_the_seat_can_tell_apart(name, data):
    game, states, _ = case_of(data, name)
    for seat in range(game.players):
        seen: dict[str, bytes] = {}
        for state in states:
            view = json.dumps(view_of(game, state, seat))
            assert seen.setdefault(view, observed(game, state, seat)) == observed(game, state, seat)


@pytest.mark.parametrize("name", OUR_GAMES)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_view__shows_a_change_of_any_visible_part_alone(name, data):
    game, states, seed = case_of(data, name)
    state = states[seed % len(states)]
    places = [
        k for part in VISIBLE[name] for k in range(game.state_size)[game.state.get(part, NONE)]
    ]
    changes = 0
    for seat in range(game.players):
        for place in places:
            twin = state.copy()
            twin[place] ^= 1
            if observed(game, twin, seat) != observed(game, state, seat):
                changes += 1
                assert view_of(game, twin, seat) != view_of(game, state, seat), (place, seat)
    assert changes


@pytest.mark.parametrize(("name", "which"), CASES)
def test_view__fits_json_and_begins_with_the_frame(name, which):
    game = make_game(name, **VARIANTS[name][which])
    for state in random_game(game, which):
        for seat in (*range(game.players), None):
            view = view_of(game, state, seat)
            assert json.loads(json.dumps(view, allow_nan=False)) == view
            mover = mover_of(game, state)
            assert view["seat"] == seat
            assert len(view["names"]) == len(view["teams"]) == game.players
            assert view["mover"] == (None if mover < 0 else mover)
            assert view["over"] == (mover < 0)
            assert not view["winners"] or view["over"]


@pytest.mark.parametrize("name", OUR_GAMES)
def test_view__of_a_spectator_tells_every_state_apart(name):
    # a later state of a game always differs for somebody who sees all hidden bids and cards
    game = make_game(name)
    views = [json.dumps(view_of(game, state, None)) for state in random_game(game, 5)]
    assert len(set(views)) == len(views)


@pytest.mark.parametrize("name", ["scotch", "richman"])
def test_view__hides_a_pending_bid_from_the_other_player_only(name):
    game = make_game(name)
    state = game.new_state(seeded(np.random.default_rng(1), WORDS))
    game.call("step")(game.cfg, state, 37, seeded(np.random.default_rng(2), WORDS))
    own, other, spectator = (view_of(game, state, seat)["players"][0] for seat in (0, 1, None))
    assert own["sealed"]
    assert other["sealed"]
    assert own["bid"] == spectator["bid"] == 37
    assert other["bid"] is None


def test_view__raj_hides_pending_bids_of_the_others():
    game = make_game("raj", players=3)
    state = game.new_state(seeded(np.random.default_rng(1), WORDS))
    for card in (4, 2):
        game.call("step")(game.cfg, state, card, seeded(np.random.default_rng(2), WORDS))
    bids = {
        seat: [player["bid"] for player in view_of(game, state, seat)["players"]]
        for seat in (0, 1, 2, None)
    }
    assert bids == {0: [4, None, None], 1: [None, 2, None], 2: [None] * 3, None: [4, 2, None]}


def test_view__twentynine_shows_one_hand_to_a_seat_and_all_to_a_spectator():
    game = make_game("twentynine")
    for state in random_game(game, 3):
        for seat in range(4):
            hands = [place["hand"] for place in view_of(game, state, seat)["seats"]]
            assert [hand is not None for hand in hands] == [k == seat for k in range(4)]
        cards = view_of(game, state, None)["seats"]
        held = [card for place in cards for card in (*place["hand"], *place["to_come"])]
        played = view_of(game, state, 0)["tricks"]
        table = view_of(game, state, 0)["table"]
        out = [
            card for trick in (*played, *([table] if table else [])) for _, card in trick["cards"]
        ]
        assert sorted([*held, *out]) == list(range(32))


def test_view__twentynine_shows_the_trump_to_the_bidder_until_it_is_revealed():
    game = make_game("twentynine")
    hidden = revealed = 0
    for seed in range(6):
        for state in random_game(game, seed):
            everything = view_of(game, state, None)
            if not everything["trump_chosen"]:
                continue
            known = [view_of(game, state, seat)["trump"] for seat in range(4)]
            if everything["revealed_in"]:
                revealed += 1
                assert known == [everything["trump"]] * 4
            else:
                hidden += 1
                bidder = everything["bidder"]
                assert [suit is not None for suit in known] == [k == bidder for k in range(4)]
    assert hidden
    assert revealed


def test_view__coins_takes_are_the_legal_moves():
    game = make_game("coins", board="triangle4", gaps=True)
    for state in random_game(game, 2):
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        view = view_of(game, state, 0)
        assert sorted(map(int, view["takes"])) == np.flatnonzero(mask).tolist()
        assert {coin for take in view["takes"].values() for coin in take} == set(view["lying"])


@pytest.mark.parametrize("name", OUR_GAMES)
def test_board__of_each_game_has_a_name(name):
    assert tools_of(name).board
