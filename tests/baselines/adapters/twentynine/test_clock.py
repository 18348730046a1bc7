"""Served bots keep the clock: whatever they do, and however busy the machine is."""

from __future__ import annotations

import json
import multiprocessing
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from twentynine_requests import CAPTURED

from bidarena.baselines.adapters.twentynine.chooser import RESERVE, make_chooser
from bidarena.baselines.adapters.twentynine.http import HttpPlayer
from bidarena.baselines.adapters.twentynine.messages import CLOCK, question
from bidarena.baselines.adapters.twentynine.rebuild import rebuild
from bidarena.baselines.adapters.twentynine.server import serving
from bidarena.baselines.twentynine.pimc import UNTIL
from bidarena.envs import make_bot, make_game
from bidarena.envs.game import Game
from bidarena.envs.phrases import legal_actions
from bidarena.envs.testing import random_states
from bidarena.envs.twentynine.rules.layout import PLAYING, S

SLOW = "pimc:samples=10000"  # minutes for each decision, if nobody stops it


@pytest.fixture(scope="module")
def game() -> Game:
    return make_game("twentynine")


def openings(game: Game, deals: int) -> list[tuple[Any, int]]:
    """Return decisions of the first tricks, in which solving takes longest."""
    return [
        (state, seat)
        for state, seat, _ in random_states(game, deals, seed=3)
        if state[S.phase] == PLAYING and state[S.trick] < 3 and len(legal_actions(game, state)) > 2
    ]


def test_pimc__stops_in_the_middle_of_a_guess(game: Game) -> None:
    bot = make_bot(game, SLOW)
    act = game.compiled(bot.act, **bot.more)
    words, scratch = np.array([1, 2], np.uint64), np.zeros(game.actions, np.int8)
    late = []
    for state, seat in openings(game, 3)[:40]:
        for seconds in (0.0, 0.002, 0.01):
            params = bot.params.copy()
            params[UNTIL] = time.monotonic() + seconds
            assert act(game.cfg, params, state, seat, words, scratch) in legal_actions(game, state)
            late.append(time.monotonic() - params[UNTIL])
    assert np.median(late) < 0.01, "on a busy machine some take longer"


def test_pimc__with_time_enough_a_clock_changes_nothing(game: Game) -> None:
    bot = make_bot(game, "pimc:samples=2")
    act = game.compiled(bot.act, **bot.more)
    scratch = np.zeros(game.actions, np.int8)
    for state, seat in openings(game, 1)[:10]:
        without = act(game.cfg, bot.params, state, seat, np.array([1, 2], np.uint64), scratch)
        params = bot.params.copy()
        params[UNTIL] = time.monotonic() + 1000
        assert act(game.cfg, params, state, seat, np.array([1, 2], np.uint64), scratch) == without


def test_chooser__rules_answer_for_a_bot_that_hangs(game: Game) -> None:
    asked = rebuild(game, "/play", CAPTURED)
    hangs: list[float] = []

    def policy(view: Any, mask: Any) -> int:
        time.sleep(hangs[0] if hangs else 0)
        return int(np.argmax(mask))

    choose = make_chooser(game, policy)
    hangs.append(3.0)
    began = time.monotonic()
    for _ in range(8):  # more than there are places to think in
        assert choose(asked.state, asked.seat, 200.0) in legal_actions(game, asked.state)
    assert time.monotonic() - began < 2.9, "it waited for the bot"


def test_chooser__a_search_does_not_touch_the_reserve(game: Game) -> None:
    asked = rebuild(game, "/play", CAPTURED)
    choose, rules = make_chooser(game, "ismcts"), make_chooser(game, "rules")
    began = time.monotonic()
    for _ in range(20):
        answer = choose(asked.state, asked.seat, RESERVE)
        assert answer == rules(asked.state, asked.seat, CLOCK)
    assert time.monotonic() - began < 20 * RESERVE / 1000 / 4


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Context manager that keeps so many processes busy."""
    context = multiprocessing.get_context("spawn")
    busy = [context.Process(target=_spin, daemon=True) for _ in range(processes)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.join()


def _spin() -> None:
    while True:
        sum(range(100_000))


def ask_in_a_hurry(game: Game, bot: str, requests: int, busy: int) -> list[tuple[float, float]]:
    """Return (milliseconds left, milliseconds taken) of requests to a served bot."""
    draw = random.Random(4)
    states = openings(game, 8)
    took = []
    with serving(game, bot) as address, load(busy):
        player = HttpPlayer(game, address)
        time.sleep(1.0)  # until the load is there
        for _ in range(requests):
            state, seat = draw.choice(states)
            left = draw.uniform(50.0, 300.0)
            path, body = question(state, seat, left)
            began = time.monotonic()
            status, data = player._exchange("POST", path, json.dumps(body).encode(), began + 9, "")
            took.append((left, (time.monotonic() - began) * 1000))
            assert status == 200, data
        player.close()
    return took


@pytest.mark.parametrize("bot", [SLOW, "ismcts"])
def test_server__answers_in_time_with_little_time_left(game: Game, bot: str) -> None:
    took = ask_in_a_hurry(game, bot, 60, busy=0)
    assert sum(taken > left for left, taken in took) <= 1, "one may be the machine's fault"


@pytest.mark.slow
@pytest.mark.parametrize("bot", [SLOW, "ismcts"])
def test_server__answers_a_thousand_requests_in_time_on_a_busy_machine(
    game: Game, bot: str, capfd: pytest.CaptureFixture[str]
) -> None:
    took = ask_in_a_hurry(game, bot, 1000, busy=4)
    late = [(left, taken) for left, taken in took if taken > left]
    shares = sorted(taken for _, taken in took)
    with capfd.disabled():
        print(
            f"\n{bot}: {len(took)} requests with 50 to 300 ms left and 4 busy processes: "
            f"{len(late)} late; median {shares[500]:.0f} ms, 99 % {shares[990]:.0f} ms, longest "
            f"{shares[-1]:.0f} ms"
        )
    assert not late
