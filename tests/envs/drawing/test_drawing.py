"""Drawings of games of bids: they never fail, hide what is hidden, and show everything else."""

from __future__ import annotations

import itertools
import re
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from bidarena.envs import drawing, make_game
from bidarena.envs.game import Game, State
from bidarena.envs.richman import graph_layout as richman_layout
from bidarena.envs.richman import render as richman_render
from bidarena.envs.scotch.rules import RUNNING, S
from bidarena.envs.solo import render_state

CHOICES = {
    "payment": ("bank", "opponent"),
    "tie": ("alternate", "coin", "holder"),
    "both_broke": ("draw", "play_on"),
    "broke": ("bid_zero", "lose"),
    "know_opponent_money": (True, False),
}
SCOTCH: list[dict[str, Any]] = [
    {"length": 6, "money": (9, 7), "max_rounds": 12, **dict(zip(CHOICES, values, strict=True))}
    for values in itertools.product(*CHOICES.values())
]
LOOPS = [[], [0, 2, 1], [1, 3, 4], [2, 5], [2, 5, 3], [6, 3], []]
GRID = [
    [
        5 * y + x
        for x, y in ((c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1))
        if min(x, y) >= 0 and max(x, y) < 5
    ]
    for r in range(5)
    for c in range(5)
]
RICHMAN: list[dict[str, Any]] = [
    {"graph": graph, "money": (9, 7), "payment": payment, "tie": tie, "max_rounds": 12}
    for graph, payment, tie in [
        ("shortcut", "opponent", "alternate"),
        ("shortcut", "bank", "coin"),
        ("line2", "bank", "holder"),
        ("line24", "opponent", "coin"),
        (LOOPS, "opponent", "holder"),
        (GRID, "bank", "alternate"),
    ]
]
LARGE: list[dict[str, Any]] = [
    {"graph": "line255", "money": 10_000},
    {"graph": [list(range(8))] * 8},
    {"graph": [list(range(80))] * 80},  # too many edges to draw
    {"graph": [[], [0, 1], [2, 0], [], [3]], "targets": [0, 3], "start": 2},  # two parts
]
EVERY = [("scotch", options) for options in SCOTCH] + [("richman", options) for options in RICHMAN]


def rng_of(seed: int) -> Any:
    return np.array([seed, 2], np.uint64)


def random_states(game: Game, seed: int) -> list[State]:
    """Return all states of one random game; the last one is over."""
    rng, chance = rng_of(seed), np.random.default_rng(seed)
    state = game.new_state(rng)
    states = [state.copy()]
    mask = np.zeros(game.actions, np.int8)
    while game.call("to_move")(game.cfg, state) >= 0:
        game.call("legal")(game.cfg, state, mask)
        game.call("step")(game.cfg, state, int(chance.choice(np.flatnonzero(mask))), rng)
        states.append(state.copy())
    return states


def played(game: Game, *actions: int) -> State:
    rng = rng_of(1)
    state = game.new_state(rng)
    for action in actions:
        game.call("step")(game.cfg, state, action, rng)
    return state


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def ansi(game: Game, state: State, seat: int) -> str:
    text = render_state(game, "ansi", state, seat)
    assert isinstance(text, str)
    return text


def picture(game: Game, state: State, seat: int) -> Any:
    return render_state(game, "rgb_array", state, seat)


def check_picture(game: Game, state: State, seat: int) -> None:
    before = state.copy()
    pixels = picture(game, state, seat)
    assert pixels.shape == ((400, 720, 3) if game.name == "scotch" else (480, 720, 3))
    assert pixels.dtype == np.uint8
    assert pixels.flags.c_contiguous
    assert pixels.flags.writeable
    assert (state == before).all()


@pytest.mark.parametrize(("name", "options"), EVERY)
def test_render__never_fails_in_a_random_game(name: str, options: dict[str, Any]) -> None:
    game = make_game(name, **options)
    states = random_states(game, seed=3)
    for state, seat in itertools.product(states, (0, 1)):
        text = ansi(game, state, seat)
        assert text.endswith("\n")
        assert max(map(len, plain(text).splitlines())) <= 110
        codes = re.findall(r"\x1b\[([0-9;]*)m", text)
        assert "\x1b" not in plain(text)
        assert codes[1::2] == ["0"] * (len(codes) // 2)  # every colour is switched off again
        assert "0" not in codes[::2]
    check_picture(game, states[len(states) // 2], 0)
    check_picture(game, states[-1], 1)


@pytest.mark.parametrize("options", LARGE)
def test_richman__draws_large_and_odd_graphs(options: dict[str, Any]) -> None:
    game = make_game("richman", **options)
    for seat in (0, 1):
        check_picture(game, played(game, 5, 4), seat)
        assert max(map(len, plain(ansi(game, played(game, 5, 4), seat)).splitlines())) <= 110


def test_render__every_picture_is_a_fresh_array() -> None:
    game = make_game("scotch")
    state = played(game)
    first = picture(game, state, 0)
    first[:] = 0
    assert picture(game, state, 0).any()


# --- what is hidden ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["scotch", "richman"])
@pytest.mark.parametrize("seat", [0, 1])
def test_render__does_not_tell_a_committed_bid(name: str, seat: int) -> None:
    game = make_game(name)
    to_vertex_3 = [201 + 3] if name == "richman" else []
    small = played(game, 3, 4, *to_vertex_3, 1)
    large = small.copy()
    large[game.state["pending"]] = 77
    assert ansi(game, small, seat) == ansi(game, large, seat)
    assert (picture(game, small, seat) == picture(game, large, seat)).all()


def unseen_bid(game: Game, state: State, seat: int, chance: np.random.Generator) -> int:
    """Return another bid of the opponent after which the game would look the same to `seat`."""
    own, other = (int(state[S.last_bids + p]) for p in (seat, 1 - seat))
    tie = game.options["tie"]
    holder_is_other = state[S.advantage] == 1 - seat
    if own < 0 or (tie == "alternate" and own == other):
        return other
    if tie == "coin":
        return int(chance.integers(0, 10))
    even_wins = tie == "holder" and holder_is_other
    if other > own or (other == own and even_wins):
        return int(chance.integers(own + (not even_wins), own + 9))
    return int(chance.integers(0, max(own + (tie == "holder" and not even_wins), 1)))


HIDING = [options for options in SCOTCH if not options["know_opponent_money"]]


@pytest.mark.parametrize("options", HIDING)
def test_scotch__does_not_tell_hidden_money_and_bids(options: dict[str, Any]) -> None:
    game = make_game("scotch", **options)
    chance = np.random.default_rng(5)
    for seed, seat in itertools.product(range(2), (0, 1)):
        states = random_states(game, seed)
        for number, state in enumerate(states):
            twin = state.copy()
            if state[S.outcome] == RUNNING:
                game.call("determinize")(game.cfg, twin, seat, rng_of(seed))
            twin[S.last_bids + 1 - seat] = unseen_bid(game, state, seat, chance)
            twin[S.money + seat] = state[S.money + seat]
            assert ansi(game, state, seat) == ansi(game, twin, seat)
            if seed == 0 and number == len(states) // 2:
                assert (picture(game, state, seat) == picture(game, twin, seat)).all()


def test_scotch__shows_what_can_be_counted_of_hidden_money() -> None:
    game = make_game("scotch", know_opponent_money=False)
    state = played(game, 14, 9)
    text = plain(ansi(game, state, 1))
    assert "$0 to $90" in text  # the opponent has paid at least 10
    assert "you 9, opponent hidden: opponent won\n" in text
    assert "14" not in text
    assert "$86" not in text


def test_scotch__at_the_end_hidden_money_stays_a_range_that_holds() -> None:
    game = make_game("scotch", length=2, know_opponent_money=False)
    state = played(game, 40, 9)  # a bid that beats 9 costs 10 or more
    assert "$0 to $90" in plain(ansi(game, state, 1))
    assert "$60" not in plain(ansi(game, state, 1))


# --- what is shown -------------------------------------------------------------------------------


def test_scotch__text_tells_the_numbers() -> None:
    game = make_game("scotch", money=(100, 90))
    state = played(game, 12, 10, 8, 13, 11, 11)
    text = plain(ansi(game, state, 0))
    assert "round 4, bottle at 4: 4 from you, 6 from the opponent" in text
    assert re.search(r"you +█+·* +\$77\n", text)
    assert re.search(r"opponent +█+·* +\$77  ◆ wins ties\n", text)
    assert "you 11, opponent 11: you won the tie, paid $11" in text
    assert "your bid: from $1 to $77" in text
    mirrored = plain(ansi(game, state, 1))
    assert "round 4, bottle at 4: 6 from you, 4 from the opponent" in mirrored
    assert re.search(r" 10 +9 +8 .* 1 +0\n", mirrored)
    assert "opponent won the tie" in mirrored


@pytest.mark.parametrize(
    ("bids", "seat", "words"),
    [
        ([9, 3] * 5, 0, "you win: the bottle is yours"),
        ([9, 3] * 5, 1, "you lose: the opponent has the bottle"),
        ([50, 3, 50, 9, 0, 100], 0, "draw: both are out of money"),
        ([], 1, "waiting: the opponent is bidding"),
        ([5], 1, "your bid: from $1 to $100; the opponent's bid is in"),
    ],
)
def test_scotch__text_tells_how_it_stands(bids: list[int], seat: int, words: str) -> None:
    game = make_game("scotch")
    assert words in plain(ansi(game, played(game, *bids), seat))


@pytest.mark.parametrize("length", [*range(2, 41), 61, 99, 1000, 10_000])
def test_scotch__the_bottle_stands_at_an_end_only_if_it_does(length: int) -> None:
    game = make_game("scotch", length=length, money=10_000)
    state = played(game)
    for position, seat in itertools.product({0, 1, length // 2, length - 1, length}, (0, 1)):
        state[S.position] = position
        lines = plain(ansi(game, state, seat)).splitlines()
        line = lines[2].split()[1]
        distance = position if seat == 0 else length - position
        assert line.count("●") == 1
        assert (line[0] == "●") == (distance == 0)
        assert (line[-1] == "●") == (distance == length)
        assert {"0", str(length)} <= set(lines[1].split())
        assert len(lines[2]) <= 80


def test_richman__text_tells_the_graph_and_the_choice() -> None:
    game = make_game("richman")
    state = played(game, 12, 10)
    text = plain(ansi(game, state, 0))
    assert "token at 5: 2 from your target, 2 from the opponent's" in text
    assert "[5]→3,4,6,7" in text
    assert "0 (yours)" in text
    assert "you 12, opponent 10: you won, paid $12" in text
    assert "your move: to 3, 4, 6 or 7" in text
    assert "waiting: the opponent moves the token" in plain(ansi(game, state, 1))
    won = played(game, 12, 10, 201 + 4, 1, 1, 201 + 0)  # the advantage decides the second round
    assert "you win: the token is on your target" in plain(ansi(game, won, 0))
    assert "you lose: the token is on the opponent's target" in plain(ansi(game, won, 1))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("scotch", {"position": 6, "round": 7, "pending": 3, "outcome": 0}),
        ("richman", {"vertex": 3, "round": 7, "chooser": -1, "outcome": 1, "last_winner": 1}),
    ],
)
def test_render__shows_every_part_of_the_position(name: str, changes: dict[str, Any]) -> None:
    game = make_game(name)
    state = played(game, 12, 10)
    both = {"money": (50, 88), "advantage": 1, "last_bids": (12, 9)}
    seen = [(ansi(game, state, 0), picture(game, state, 0).tobytes())]
    for part, value in {**changes, **both}.items():
        other = state.copy()
        other[game.state[part]] = value
        seen.append((ansi(game, other, 0), picture(game, other, 0).tobytes()))
    for drawings in zip(*seen, strict=True):
        assert len(set(drawings)) == len(seen)


# --- layout --------------------------------------------------------------------------------------


def graph_and_targets(**options: Any) -> tuple[Any, tuple[int, int]]:
    game = make_game("richman", **options)
    view = richman_render._look(game, played(game), 0)
    return view.graph, view.targets


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"graph": LOOPS},
        {"graph": GRID},
        *LARGE,
        *({"graph": f"line{n}"} for n in (2, 16, 17, 18, 60, 254)),
    ],
)
def test_layout__has_the_own_target_on_the_left_and_no_vertex_on_another(
    options: dict[str, Any],
) -> None:
    graph, targets = graph_and_targets(**options)
    plan = richman_layout.plan_of(graph, targets, 0)
    left, top, right, bottom = richman_layout.AREA
    assert plan.places[targets[0], 0] == pytest.approx(left)
    assert plan.places[targets[1], 0] == pytest.approx(right)
    assert (plan.places >= (left - 1e-6, top - 1e-6)).all()
    assert (plan.places <= (right + 1e-6, bottom + 1e-6)).all()
    apart = richman_layout._between(plan.places, plan.places)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 2 * plan.radius


def test_layout__is_the_same_every_time_and_mirrored_for_the_other_seat() -> None:
    graph, targets = graph_and_targets()
    first = richman_layout._layout(graph, targets).copy()
    richman_layout._layout.cache_clear()
    assert (richman_layout._layout(graph, targets) == first).all()
    other = richman_layout.plan_of(graph, targets[::-1], 1).places
    assert np.allclose(other[:, 0], drawing.WIDTH - first[:, 0])
    assert np.allclose(other[:, 1], first[:, 1])


def test_layout__of_the_default_graph_has_no_crossing() -> None:
    graph, targets = graph_and_targets()
    places = richman_layout.plan_of(graph, targets, 0).places
    joined = np.zeros((len(graph), len(graph)), bool)
    for v, ways in enumerate(graph):
        joined[v, list(ways)] = joined[list(ways), v] = True
    assert richman_layout._faults(places, joined) < 1


# --- Pillow, environments ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["scotch", "richman"])
def test_picture__without_pillow_says_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_game(name)
    state = played(game)
    picture(game, state, 0)  # fills the caches, which must not hide that Pillow is missing
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r'pip install "bidarena\[render\]"'):
        picture(game, state, 0)
    assert ansi(game, state, 0)  # text needs no Pillow


@pytest.mark.parametrize("env_id", ["bidarena/Scotch-v0", "bidarena/RichmanGraph-v0"])
def test_env__renders_from_the_seat_of_the_learner(env_id: str) -> None:
    env = gym.make(env_id, render_mode="ansi", seat=1)
    env.reset(seed=1)
    text = plain(str(env.render()))
    assert "your bid" in text
    assert "the opponent's bid is in" in text
