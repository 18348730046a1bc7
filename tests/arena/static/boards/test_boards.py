"""The boards in a real browser: every legal action can be chosen, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from board_page import board_pages, calls, choose_all, props_of, show, touch_everything, update
from our_games import OUR_GAMES, VARIANTS
from playwright.sync_api import Page
from random_games import random_game

from bidarena.envs.game import Game, State
from bidarena.envs.phrases import legal_actions, mover_of
from bidarena.envs.registry import make_game, tools_of

LOOPS = [[], [0, 2, 1], [1, 3, 4], [2, 5], [2, 5, 3], [6, 3], []]
CROWDED = [list(range(40))] * 40  # more edges than are drawn
MORE = [
    ("richman", {"graph": LOOPS, "money": 9, "max_rounds": 12}),
    ("richman", {"graph": CROWDED, "money": 9, "max_rounds": 12}),
    ("coins", {"board": "triangle4", "gaps": True}),
    ("raj", {"cards": list(range(1, 17)), "items": list(range(-4, 12))}),
]
CASES = [(name, rules) for name in OUR_GAMES for rules in VARIANTS[name]] + MORE
PHONE = 390


@pytest.fixture(scope="module")
def open_page():
    with board_pages() as open_page:
        yield open_page


@pytest.fixture(scope="module")
def page(open_page):
    return open_page()


@pytest.fixture(scope="module")
def phone(open_page):
    return open_page(PHONE, 844, has_touch=True)


def label(case):
    return (
        ",".join(f"{k}={str(v)[:20]}" for k, v in case.items()) if isinstance(case, dict) else case
    )


def decisions(game: Game, seed: int, most: int) -> list[tuple[State, int]]:
    """Return some positions of a random game, each with the seat to move."""
    states = random_game(game, seed)[:-1]
    chosen = np.random.default_rng(seed).permutation(len(states))[:most]
    return [(states[k], mover_of(game, states[k])) for k in sorted({0, *chosen.tolist()})]


def first_with(game: Game, action: int) -> dict[str, Any]:
    """Return what a board is given in a position in which this action is legal."""
    for seed in range(500):
        for state in random_game(game, seed)[:-1]:
            if action in legal_actions(game, state):
                return props_of(game, state, mover_of(game, state))
    raise AssertionError(f"{action} is never legal in {game}")


# --- every action, and no other ------------------------------------------------------------------


@pytest.mark.parametrize(("name", "rules"), CASES, ids=label)
def test_board__lets_every_legal_action_be_chosen(page, name, rules):
    game = make_game(name, **rules)
    for state, seat in decisions(game, 1, 4):
        props = props_of(game, state, seat)
        show(page, tools_of(name).board, props)
        assert choose_all(page, props["legal"]) == props["legal"]


@pytest.mark.parametrize("name", OUR_GAMES)
def test_board__lets_a_spectator_try_the_moves_of_all_players(page, name):
    game = make_game(name, **VARIANTS[name][-1])
    for state, _ in decisions(game, 8, 4):
        props = props_of(game, state, None)
        show(page, tools_of(name).board, props)
        assert choose_all(page, props["legal"]) == props["legal"]
        assert page.locator(".choices").count() == 0  # all are drawn


@pytest.mark.parametrize("name", OUR_GAMES)
def test_board__calls_nothing_when_anything_else_is_touched(page, name):
    game = make_game(name, **VARIANTS[name][-1])
    for state, seat in decisions(game, 2, 3):
        show(page, tools_of(name).board, props_of(game, state, seat))
        assert (
            touch_everything(page, but="[data-action], [data-edge-action], form, .coin-key") == []
        )


@pytest.mark.parametrize("name", OUR_GAMES)
def test_board__to_look_at_calls_nothing(page, name):
    game = make_game(name)
    for state, seat in decisions(game, 3, 3):
        for props in (
            props_of(game, state, seat, enabled=False),
            props_of(game, state, (seat + 1) % game.players),
            props_of(game, state, None, enabled=False),
        ):
            show(page, tools_of(name).board, props)
            assert touch_everything(page) == []
            assert page.locator("[data-action]:not([disabled])").count() == 0


@pytest.mark.parametrize("name", OUR_GAMES)
def test_board__shows_whole_games_and_their_ends(page, name):
    game = make_game(name, **VARIANTS[name][0])
    states = random_game(game, 4)
    show(page, tools_of(name).board, props_of(game, states[0], 1))
    for state in states:
        props = props_of(game, state, 1)
        update(page, props)
        keys = page.evaluate(
            "() => document.querySelectorAll('[data-action]:not([disabled])').length"
        )
        assert keys == 0 or props["legal"]
    assert page.locator(".pill").inner_text() in ("you win", "you lose", "draw", "stopped")


def test_graph__offers_all_ways_of_the_token_by_vertex_and_by_edge(page):
    game = make_game("richman", graph=LOOPS, money=9)
    props = first_with(game, int(game.actions) - 7 + 2)  # a move to vertex 2
    show(page, "graph", props)
    assert choose_all(page, props["legal"]) == props["legal"]
    for action in props["legal"]:
        edge = page.locator(f'[data-edge-action="{action}"]')
        edge.dispatch_event("click")
        assert calls(page) == [action]


@pytest.mark.parametrize(
    "kind",
    ["reveal", "declare", "double", "redouble", "seventh_card", "single_hand", "ask_redeal"],
)
def test_tricks__offers_what_house_rules_add(page, kind):
    house = {"marriage": True, "doubling": True, "seventh_card": True, "redeal": "no_points"}
    game = make_game("twentynine", **house, single_hand=kind == "single_hand")
    actions = props_of(game, random_game(game, 1)[0], 0)["view"]["actions"]
    props = first_with(game, actions[kind])
    show(page, "tricks", props)
    page.locator(f'[data-action="{actions[kind]}"]').click()
    assert calls(page) == [actions[kind]]


def test_board__lists_actions_that_it_does_not_draw(page):
    game = make_game("raj")
    props = props_of(game, random_game(game, 1)[0], 0)
    props["legal"] = [*props["legal"], 77]
    props["phrases"]["77"] = "something new"
    show(page, "auction_table", props)
    page.get_by_role("button", name="something new").click()
    assert calls(page) == [77]


# --- bids ----------------------------------------------------------------------------------------


def bidding(page: Page, money: int = 40) -> None:
    game = make_game("scotch", money=money)
    show(page, "line", props_of(game, random_game(game, 1)[0], 0))


@pytest.mark.parametrize("text", ["", "0", "41", "-3", "1.5", "1e9"])
def test_bid__that_is_not_legal_cannot_be_sent(page, text):
    bidding(page)
    page.locator("[data-bid-input]").fill(text)
    assert page.locator("[data-bid-submit]").is_disabled()
    page.locator("[data-bid-input]").press("Enter")
    assert calls(page) == []


def test_bid__by_typing_by_slider_and_by_shortcut(page):
    bidding(page)
    page.locator("[data-bid-input]").fill("17")
    page.keyboard.press("Enter")
    page.locator("[data-bid-slider]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.locator("[data-bid-submit]").click()
    page.locator('[data-bid-part="all"]').click()
    page.locator("[data-bid-submit]").click()
    assert calls(page) == [17, 19, 40]


def test_bid__that_was_typed_survives_a_repeated_drawing(page):
    game = make_game("scotch", money=40)
    props = props_of(game, random_game(game, 1)[0], 0)
    show(page, "line", props)
    page.locator("[data-bid-input]").fill("23")
    page.evaluate("(props) => window.shown.update(props)", props)
    assert page.locator("[data-bid-input]").input_value() == "23"
    assert page.evaluate("() => document.activeElement.dataset.key") == "field"


# --- mouse and touch -----------------------------------------------------------------------------


def test_cards__can_be_clicked_where_they_show(page, phone):
    for where in (page, phone):
        for name in ("raj", "twentynine"):
            game = make_game(name)
            for state, seat in decisions(game, 5, 3):
                props = props_of(game, state, seat)
                show(where, tools_of(name).board, props)
                where.wait_for_timeout(50)
                for action in props["legal"]:
                    spot = {"x": 10, "y": 24}  # cards may overlap to the right
                    where.locator(f'[data-action="{action}"]').click(position=spot)
                    assert calls(where) == [action]


def middle_of(page: Page, coin: int) -> tuple[float, float]:
    box = page.locator(f'[data-coin="{coin}"] .coin-rim').bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("which", ["page", "phone"])
def test_coins__are_taken_by_dragging_over_them(which, request):
    where = request.getfixturevalue(which)
    game = make_game("coins")
    props = props_of(game, random_game(game, 1)[0], 0)
    show(where, "coins", props)
    where.mouse.move(*middle_of(where, 7))
    where.mouse.down()
    for coin in (13, 19, 20):  # 20 is not in the column, so that it changes nothing
        where.mouse.move(*middle_of(where, coin), steps=4)
    where.mouse.up()
    assert where.locator(".coin-selected").count() == 3
    where.locator("[data-take-submit]").click()
    (action,) = calls(where)
    assert props["view"]["takes"][str(action)] == [7, 13, 19]


def test_coins__selection_is_always_a_legal_take(page):
    game = make_game("coins", board="square4", max_take=3)
    props = props_of(game, random_game(game, 3)[2], 0)
    takes = [sorted(take) for take in props["view"]["takes"].values()]
    show(page, "coins", props)
    source = np.random.default_rng(1)
    for coin in source.choice(props["view"]["lying"], 40).tolist():
        page.mouse.click(*middle_of(page, coin))
        chosen = page.evaluate(
            "() => [...document.querySelectorAll('.coin-selected')].map((c) => +c.dataset.coin)"
        )
        assert not chosen or sorted(chosen) in takes
        assert page.locator("[data-take-submit]").is_enabled() == bool(chosen)
    assert calls(page) == []


# --- keyboard ------------------------------------------------------------------------------------


def tab_to(page: Page, selector: str) -> None:
    page.evaluate("() => document.activeElement?.blur()")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never reaches {selector}")


@pytest.mark.parametrize("name", ["raj", "twentynine"])
def test_keyboard__reaches_every_card_and_call(page, name):
    game = make_game(name)
    for state, seat in decisions(game, 6, 4):
        props = props_of(game, state, seat)
        show(page, tools_of(name).board, props)
        groups = page.evaluate(
            "() => [...document.querySelectorAll('[data-arrows]')]"
            ".map((g) => [...g.querySelectorAll('.key')].map((k) => +k.dataset.action))"
        )
        for group in filter(None, groups):
            tab_to(page, f'[data-action="{group[0]}"]')
            for action in group:
                assert page.evaluate("() => +document.activeElement.dataset.action") == action
                page.keyboard.press("Enter")
                page.keyboard.press("Space")
                assert calls(page) == [action, action]
                page.keyboard.press("ArrowRight")
        assert sorted(action for group in groups for action in group) == props["legal"]


def test_keyboard__moves_the_token(page):
    game = make_game("richman")
    props = first_with(game, game.actions - 11 + 4)  # from 5 to 4
    show(page, "graph", props)
    tab_to(page, f'[data-action="{props["legal"][0]}"]')
    for action in props["legal"]:
        page.keyboard.press("Enter")
        assert calls(page) == [action]
        page.keyboard.press("ArrowRight")


def test_keyboard__takes_coins(page):
    game = make_game("coins")
    props = props_of(game, random_game(game, 1)[0], 0)
    show(page, "coins", props)
    tab_to(page, '[data-coin="0"]')
    for key in ("ArrowDown", "ArrowRight", "Space", "ArrowRight", "ArrowRight", "Space", "Enter"):
        page.keyboard.press(key)
    (action,) = calls(page)
    assert props["view"]["takes"][str(action)] == [7, 8, 9]
    page.keyboard.press("Escape")
    assert page.locator(".coin-selected").count() == 0
    page.keyboard.press("Enter")  # without a selection: the coin with the focus
    (action,) = calls(page)
    assert props["view"]["takes"][str(action)] == [9]


# --- any game ------------------------------------------------------------------------------------


def test_generic__draws_text_in_colours_and_lists_moves_in_words(page):
    view = {"text": "\x1b[1mToy\x1b[0m  <b>&\n  \x1b[34myou\x1b[0m 3", "names": ["you", "it"]}
    phrases = {str(k): f"move {k}" for k in range(60)}
    props = {
        "view": view,
        "legal": list(range(60)),
        "phrases": phrases,
        "enabled": True,
        "lastMove": {"seat": 1, "action": 3, "words": "it took 3"},
    }
    show(page, "generic", props)
    assert page.locator("pre").inner_text() == "Toy  <b>&\n  you 3"
    assert "it took 3" in page.locator(".board").inner_text()
    assert choose_all(page, props["legal"]) == props["legal"]
    page.get_by_label("search the moves").fill("move 59")
    page.get_by_role("button", name="move 59").click()
    assert calls(page) == [59]
    update(page, {**props, "legal": [], "enabled": False})
    assert touch_everything(page) == []


# --- looks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OUR_GAMES)
def test_board__fits_a_phone(phone, name):
    for rules in VARIANTS[name]:
        game = make_game(name, **rules)
        for state, seat in decisions(game, 7, 3):
            show(phone, tools_of(name).board, props_of(game, state, seat))
            wide = phone.evaluate("() => document.documentElement.scrollWidth")
            assert wide <= PHONE, rules


def test_board__has_a_dark_and_a_light_look(page):
    bidding(page)
    paper = "() => getComputedStyle(document.querySelector('.stage')).backgroundColor"
    looks = {}
    for theme, scheme in (("", "light"), ("", "dark"), ("dark", "light"), ("light", "dark")):
        page.emulate_media(color_scheme=scheme)
        page.evaluate(
            "(theme) => document.documentElement.setAttribute('data-theme', theme)", theme
        )
        looks[theme, scheme] = page.evaluate(paper)
    page.emulate_media(color_scheme="light")
    page.evaluate("() => document.documentElement.removeAttribute('data-theme')")
    assert looks["", "light"] == looks["light", "dark"] == "rgb(255, 255, 255)"
    assert looks["", "dark"] == looks["dark", "light"] != "rgb(255, 255, 255)"


def test_board__leaves_nothing_behind(page):
    bidding(page)
    page.evaluate("() => { window.shown.destroy(); window.shown = null; }")
    assert page.locator("#place").inner_html() == ""


@pytest.mark.parametrize(("wish", "moves"), [("no-preference", True), ("reduce", False)])
def test_board__moves_things_unless_little_motion_is_asked_for(page, wish, moves):
    page.emulate_media(reduced_motion=wish)
    for name in ("scotch", "richman", "twentynine"):
        game = make_game(name)
        states = random_game(game, 3)
        show(page, tools_of(name).board, props_of(game, states[0], 0))
        seen = 0
        for state in states[1:12]:
            update(page, props_of(game, state, 0))
            seen += page.evaluate("() => document.getAnimations().length")
        assert (seen > 0) == moves
    page.emulate_media(reduced_motion="no-preference")
