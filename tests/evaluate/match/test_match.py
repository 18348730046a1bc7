"""Matches: seats and deals shared fairly, counted rightly, the mean where brute force puts it."""

from __future__ import annotations

import json
import signal
import time
import warnings
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import toy_nim
import toy_sealed

from bidarena.envs import batched, make_bot, make_game
from bidarena.evaluate.match import Match, play, play_match
from bidarena.evaluate.workers.pace import Pace

DUEL = {"players": 2, "sides": (0, 1)}


def lowest(observation: Any, mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[0])


def highest(observation: Any, mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


@batched
def all_highest(observations: np.ndarray, masks: np.ndarray) -> list[int]:
    return [highest(None, mask) for mask in masks]


def illegal(observation: Any, mask: np.ndarray) -> int:
    return -1


def outcome(match: Match) -> list[tuple[Any, ...]]:
    """All that must not depend on time."""
    return [(s.bot, s.games, s.wins, s.draws, s.losses, s.mean, s.points) for s in match.scores]


# --- seats and deals -----------------------------------------------------------------------------


@pytest.fixture
def whole_blocks(monkeypatch):
    """Blocks are played whole, instead of in pieces that begin small."""
    monkeypatch.setattr(play, "Pace", lambda: Pace(first=4096))


def test_match__each_bot_sits_in_each_seat_equally_often():
    # Of 3 stones the first player takes all, so half of the games are won by each.
    match = play_match("toy_nim", ["perfect", "perfect"], 100, heap=3)
    for score in match.scores:
        assert (score.wins, score.draws, score.losses) == (50, 0, 50)
        assert score.mean == 0.0


def test_match__both_rotations_play_the_same_deals(whole_blocks):
    openings: dict[str, np.ndarray] = {}

    def recorder(name: str) -> Any:
        @batched
        def play(observations: np.ndarray, masks: np.ndarray) -> Any:
            openings.setdefault(name, observations.copy())
            return masks.argmax(axis=1)

        return play

    play_match("toy_nim", [recorder("a"), recorder("b")], 200, heap=1000, random_heap=True)
    # Each one's first call is for the games in which he opens.
    assert np.array_equal(openings["a"], openings["b"])
    assert len(np.unique(openings["a"][:, 0])) > 80


def test_match__the_same_deterministic_bot_twice_is_exactly_even():
    match = play_match("toy_sealed", [highest, "highest"], 500, **DUEL)
    for score in match.scores:
        assert score.mean == 0.0 and score.half_width == 0.0


def test_match__deals_differ_from_one_another(whole_blocks):
    openings = []

    @batched
    def watch(observations: np.ndarray, masks: np.ndarray) -> Any:
        openings.append(observations.copy())
        return masks.argmax(axis=1)

    play_match("toy_sealed", [watch, "random"], 600, **DUEL)
    prizes = openings[0][:, toy_sealed.OBSERVATION["prize"].start] * 3
    assert set(np.round(prizes).astype(int)) == {1, 2, 3}


# --- counting ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "rules", "bots"),
    [
        ("scotch", {"length": 4, "money": (3, 3)}, ["random", "uniform:high=2"]),
        ("toy_nim", {}, ["perfect", "random"]),
        ("toy_sealed", {}, ["highest", "random", lowest, all_highest]),
        ("toy_sealed", {"players": 3, "sides": (0, 1, 2)}, ["highest", "random", "random"]),
    ],
)
def test_match__wins_draws_and_losses_add_up(game, rules, bots):
    match = play_match(game, bots, 301, **rules)
    players = len(bots)
    assert match.games == -(-301 // players) * players
    for score in match.scores:
        assert score.games == match.games == score.wins + score.draws + score.losses
        assert -1.0 <= score.mean <= 1.0 and score.half_width >= 0.0
    assert sum(score.mean for score in match.scores) == pytest.approx(0)


def test_match__what_one_wins_the_other_loses():
    one, two = play_match(
        "scotch", ["random", "uniform:high=3"], 500, length=4, money=(5, 5)
    ).scores
    assert (one.wins, one.draws, one.losses) == (two.losses, two.draws, two.wins)
    assert one.mean == -two.mean == pytest.approx((one.wins - one.losses) / one.games)


def test_match__counts_every_decision_as_a_move():
    match = play_match("toy_nim", [lowest, lowest], 10, heap=7)
    assert match.games == 10 and match.moves == 70 and match.seconds > 0


def test_match__points_are_what_the_game_counts():
    one, two = play_match("toy_sealed", [highest, lowest], 400, rounds=1, **DUEL).scores
    assert two.points == 0.0
    assert 1.7 < one.points < 2.3  # a prize of 1 to 3
    assert play_match("toy_nim", [lowest, lowest], 2).scores[0].points is None


def test_match__partners_opposite_each_other_win_together():
    match = play_match("toy_sealed", ["highest", lowest, "highest", lowest], 400)
    assert [score.wins for score in match.scores] == [400, 0, 400, 0]
    assert [score.losses for score in match.scores] == [0, 400, 0, 400]


def test_match__partners_side_by_side_win_together_in_every_rotation():
    bots = ["highest", lowest, lowest, lowest]
    match = play_match("toy_sealed", bots, 400, rounds=1, sides=(0, 0, 1, 1))
    assert [score.wins for score in match.scores] == [400, 200, 0, 200]
    assert [score.losses for score in match.scores] == [0, 200, 400, 200]


def test_match__three_players_each_for_himself_have_one_winner_or_none():
    bots = ["highest", lowest, lowest]
    match = play_match("toy_sealed", bots, 300, players=3, sides=(0, 1, 2), rounds=1)
    assert [score.wins for score in match.scores] == [300, 0, 0]
    assert [score.losses for score in match.scores] == [0, 300, 300]
    assert [score.mean for score in match.scores] == [1.0, -0.5, -0.5]


def test_match__rates_follow_from_the_counts():
    score = play_match("toy_sealed", ["random", "random"], 400, **DUEL).scores[0]
    assert score.wins and score.draws and score.losses
    assert score.win_rate == score.wins / 400
    assert score.decided_rate == score.wins / (score.wins + score.losses)


def test_match__without_a_decided_game_the_decided_rate_is_a_half():
    score = play_match("toy_sealed", [highest, highest], 10, **DUEL).scores[0]
    assert (score.draws, score.decided_rate, score.win_rate) == (10, 0.5, 0.0)


# --- seeds ---------------------------------------------------------------------------------------


def test_match__the_seed_determines_the_result():
    bots, rules = ["random", "uniform:high=3"], {"length": 4, "money": (5, 5), "tie": "coin"}
    one = outcome(play_match("scotch", bots, 300, seed=1, **rules))
    assert one == outcome(play_match("scotch", bots, 300, seed=1, **rules))
    assert one != outcome(play_match("scotch", bots, 300, seed=2, **rules))


def test_match__more_games_than_fit_side_by_side_are_played_in_blocks():
    finished = []
    match = play_match(
        "toy_nim", ["random", "random"], 9001, heap=5, progress=finished.append, seed=3
    )
    assert sum(finished) == match.games == 9002 and len(finished) >= 3
    assert abs(match.scores[0].mean) < 3 * match.scores[0].half_width


def test_match__blocks_do_not_repeat_the_deals(whole_blocks):
    openings = []

    @batched
    def watch(observations: np.ndarray, masks: np.ndarray) -> Any:
        openings.append(observations[:, 0].copy())
        return [highest(None, mask) for mask in masks]

    play_match("toy_nim", [watch, watch], 8192, heap=60, most=60, random_heap=True)
    first, second = openings[0], openings[2]  # of the first and of the second block
    assert len(first) == len(second) and not np.array_equal(first, second)


# --- against brute force -------------------------------------------------------------------------


def bids(bot: str, money: int) -> dict[int, Fraction]:
    """How likely each bid is."""
    if money == 0:
        return {0: Fraction(1)}
    high = money if bot == "random" else int(bot.partition("=")[2])
    chances: dict[int, Fraction] = {}
    for bid in range(1, high + 1):
        chances[min(bid, money)] = chances.get(min(bid, money), Fraction(0)) + Fraction(1, high)
    return chances


def expected_return(bots: tuple[str, str], length: int, money: int) -> Fraction:
    """Of the bot in seat 0, over all bids, written without a look at the compiled rules."""

    @lru_cache(None)
    def value(position: int, money0: int, money1: int, holder: int) -> Fraction:
        if position == 0:
            return Fraction(1)
        if position == length:
            return Fraction(-1)
        if money0 == money1 == 0:
            return Fraction(0)
        total = Fraction(0)
        for a, p in bids(bots[0], money0).items():
            for b, q in bids(bots[1], money1).items():
                tied = a == b
                first_wins = holder == 0 if tied else a > b
                after = (
                    (position - 1, money0 - a, money1)
                    if first_wins
                    else (position + 1, money0, money1 - b)
                )
                total += p * q * value(*after, 1 - holder if tied else holder)
        return total

    return value(length // 2, money, money, 0)


@pytest.mark.parametrize(
    ("length", "money", "bots"),
    [
        (2, 3, ("random", "uniform:high=2")),
        (4, 4, ("random", "uniform:high=2")),
        (4, 5, ("uniform:high=4", "uniform:high=2")),
    ],
)
def test_match__the_mean_return_is_the_exact_expectation(length, money, bots):
    from_seat_0 = expected_return(bots, length, money)
    from_seat_1 = -expected_return((bots[1], bots[0]), length, money)
    exact = float((from_seat_0 + from_seat_1) / 2)
    match = play_match("scotch", list(bots), 20_000, seed=7, length=length, money=(money, money))
    score = match.scores[0]
    assert score.half_width < 0.02
    assert abs(score.mean - exact) < score.half_width


def test_match__the_interval_holds_the_truth_about_95_times_in_100():
    bots = ("random", "uniform:high=2")
    exact = float((expected_return(bots, 4, 4) - expected_return((bots[1], bots[0]), 4, 4)) / 2)
    game = make_game("scotch", length=4, money=(4, 4))
    held = 0
    for seed in range(200):
        score = play_match(game, list(bots), 200, seed=seed).scores[0]
        held += abs(score.mean - exact) <= score.half_width
    assert 180 <= held <= 199


# --- bots of every kind --------------------------------------------------------------------------


def test_match__names_bots_and_callables_play_alike():
    game = toy_sealed.sealed(**DUEL)
    forms = ["highest", make_bot(game, "highest"), highest, all_highest]
    scores = [play_match(game, [form, lowest], 100, seed=2).scores[0] for form in forms]
    assert len({(s.wins, s.draws, s.losses, s.mean, s.points) for s in scores}) == 1
    assert [s.bot for s in scores] == ["highest", "highest", "highest", "all_highest"]


def test_match__a_callable_gets_one_row_and_a_batched_one_many():
    shapes = set()

    def one(observation: np.ndarray, mask: np.ndarray) -> int:
        shapes.add(("one", observation.shape, mask.shape, observation.dtype.name, mask.dtype.name))
        return highest(observation, mask)

    @batched
    def many(observations: np.ndarray, masks: np.ndarray) -> Any:
        shapes.add(("many", observations.ndim, masks.ndim, len(observations) == len(masks)))
        return masks.argmax(axis=1)

    play_match("toy_nim", [one, many], 40)
    assert shapes == {("one", (2,), (4,), "float32", "int8"), ("many", 2, 2, True)}


def test_match__a_bot_that_plays_illegally_loses():
    match = play_match("scotch", [illegal, "random"], 50, length=4, money=(3, 3))
    assert [(s.wins, s.losses) for s in match.scores] == [(0, 50), (50, 0)]
    (told,) = match.scores[0].faults
    assert told == "illegal: answered -1; legal: 1 to 3" and not match.scores[1].faults


# --- arguments and output ------------------------------------------------------------------------


@pytest.mark.parametrize("bots", [[], ["random"], ["random"] * 3])
def test_match__the_wrong_number_of_bots_is_an_error(bots):
    with pytest.raises(ValueError, match=rf"bots: toy_nim has 2 players, got {len(bots)}"):
        play_match("toy_nim", bots)


@pytest.mark.parametrize(
    ("kwargs", "word"),
    [({"games": 0}, "games=0"), ({"games": 1.5}, "games"), ({"seed": -1}, "seed=-1")],
)
def test_match__wrong_arguments_are_named(kwargs, word):
    with pytest.raises(ValueError, match=word):
        play_match("toy_nim", ["random", "random"], **kwargs)


def test_match__an_unknown_bot_is_named():
    with pytest.raises(ValueError, match="'nobody' is not known"):
        play_match("toy_nim", ["random", "nobody"])


def test_match__a_ready_game_and_a_name_with_rules_are_the_same():
    named = play_match("toy_nim", ["random", "random"], 60, heap=5)
    ready = play_match(toy_nim.nim(heap=5), ["random", "random"], 60)
    assert outcome(named) == outcome(ready)


def test_match__a_score_goes_to_json_with_its_interval():
    score = play_match("toy_sealed", ["highest", "random"], 100, **DUEL).scores[0]
    data = json.loads(json.dumps(score.as_dict(), allow_nan=False))
    assert data["bot"] == "highest" and data["games"] == 100
    low, high = data["mean_return_95"]
    assert low <= data["mean_return"] <= high


def test_match__a_score_of_one_deal_goes_to_json():
    score = play_match("toy_nim", ["random", "random"], 1).scores[0]
    json.dumps(score.as_dict(), allow_nan=False)


def test_match__points_of_games_that_were_all_forfeited_are_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        match = play_match("toy_sealed", [illegal, "random"], 10, **DUEL)
    assert [score.points for score in match.scores] == [None, None]


def test_match__a_bot_made_for_other_rules_is_refused():
    small = make_bot(make_game("scotch", money=10), "dp")
    with pytest.raises(ValueError, match="made for other rules"):
        play_match("scotch", [small, "random"], 10)


@pytest.mark.parametrize("bots", ["random", [5, "random"]])
def test_match__what_is_no_bot_is_named(bots):
    with pytest.raises(ValueError, match=r"bots=|opponent=5"):
        play_match("scotch", bots, 10)


def test_match__ctrl_c_is_heard_while_a_compiled_bot_thinks():
    play_match("raj", ["ismcts:ms=1", "random"], 2)  # compiled
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.7)
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            play_match("raj", ["ismcts:ms=4000", "random"], 100)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - began < 3
