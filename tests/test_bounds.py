"""All games and their bots with the bounds of every array checked: `make test-bounds`.

Compiled code checks no bounds: a wrong index reads or writes other memory and says nothing. With
NUMBA_BOUNDSCHECK=1 it raises an IndexError, but compiles anew and runs slower, so rules are small
here, and the search family plays one game of each kind.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import config
from our_games import OUR_GAMES

from bidarena.envs import Batch, make_game
from bidarena.envs.compile import compiled
from bidarena.envs.registry import bots, make_bot
from bidarena.envs.testing import check_game
from bidarena.evaluate.match import play_match
from bidarena.evaluate.session import Session, restored

pytestmark = pytest.mark.skipif(
    not config.BOUNDSCHECK, reason="needs NUMBA_BOUNDSCHECK=1, as make test-bounds sets"
)

SMALL = {
    "scotch": [{"money": 6, "length": 5}, {"money": (5, 9), "tie": "coin", "length": 3}],
    "richman": [{"money": 6}, {"graph": "line6", "tie": "coin", "max_rounds": 20}],
    "raj": [
        {"cards": [1, 2, 3, 4], "items": [1, 2, 3, -4]},
        {"players": 5, "cards": [2, 4, 7], "items": [-3, 5, 5]},
    ],
    "coins": [
        {"board": "triangle4"},
        {"board": "*/**/****", "values": [2, -1, 3, 1, 0, -4, 2], "last_bonus": 2},
    ],
    "twentynine": [{}, {"marriage": True, "doubling": True, "match_to": 2, "max_deals": 2}],
}
LIMITED = dict.fromkeys(("counting", "patterns", "surewin", "bounded", "memo"), "nodes=50")
LIMITED |= dict.fromkeys(("pimc", "local_response"), "samples=1")
LIMITED |= {"best_response": "of=random", "cheater": "iterations=20"}
SEARCHES = {
    "mcts": "coins",
    "dmcts": "twentynine",
    "ismcts": "twentynine",
    "mom": "raj",
    "pom": "raj",
    "bandit": "scotch",
}
PLAYERS = [
    (game, bot) for game in OUR_GAMES for bot in bots(game) if SEARCHES.get(bot, game) == game
]


def outside(array, place):
    return array[place]


def test_bounds__are_checked_here():
    with pytest.raises(IndexError):
        compiled(outside, {}, "bounds")(np.zeros(3), 3)


@pytest.mark.parametrize("name", OUR_GAMES)
def test_bounds__games_stay_within_them(name):
    for rules in SMALL[name]:
        check_game(name, games=3, **rules)


@pytest.mark.parametrize("name", OUR_GAMES)
def test_bounds__any_numbers_as_actions_stay_within_them(name):
    drawn = np.random.default_rng(0)
    for rules in SMALL[name]:
        game = make_game(name, **rules)
        batch = Batch(game, 50, seed=1)
        for _ in range(200):
            wild = drawn.integers(-(2**62), 2**62, 50)
            near = drawn.integers(-3, game.actions + 3, 50)
            legal = np.array([drawn.choice(np.flatnonzero(mask)) for mask in batch.masks])
            kind = drawn.random(50)
            batch.step(np.where(kind < 0.9, legal, np.where(kind < 0.95, near, wild)))
            batch.reset(batch.movers < 0)


@pytest.mark.parametrize(("name", "bot"), PLAYERS)
def test_bounds__bots_stay_within_them(name, bot):
    spec = f"{bot}:iterations=30" if bot in SEARCHES else bot
    spec = f"{bot}:{LIMITED[bot]}" if bot in LIMITED else spec
    played = 0
    for rules in SMALL[name]:
        game = make_game(name, **rules)
        try:
            made = make_bot(game, spec)
        except ValueError:  # not under these rules
            continue
        rivals = [make_bot(game, "random")] * (len(set(game.teams)) - 1)
        match = play_match(game, [made, *rivals], 2 * len(set(game.teams)), seed=3)
        assert match.scores[0].faults == {}
        played += 1
    if not played:
        pytest.skip(f"{bot} plays other rules only")


@pytest.mark.parametrize("name", OUR_GAMES)
def test_bounds__saved_games_stay_within_them(name):
    game = make_game(name, **SMALL[name][0])
    session = Session(game, ["random"] * game.players, 5)
    while not session.over:
        session.ask()
    assert restored(session.record()).returns() == session.returns()
