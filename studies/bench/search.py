"""Speeds of the searches, beside those of OpenSpiel in C++, measured in the same run.

In both an iteration is a walk down the tree and a game played to its end with random moves. Our
searches search the first decision of a game, or the first card where an auction comes before.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from bidarena.baselines.search import analyse
from bidarena.envs import make_bot, make_game
from bidarena.envs.game import Game, State
from bidarena.envs.registry import tools_of
from bidarena.envs.rng import WORDS, seeded

ITERATIONS = 20_000  # iterations of one search; the speed falls slowly as the tree grows
LONG = 1500  # milliseconds of the search whose memory is shown

# The nearest games of OpenSpiel, and the moves before they are searched
OPENSPIEL_MCTS = "goofspiel(num_cards=6,imp_info=False,points_order=random)"
OPENSPIEL_ISMCTS = {
    "euchre": "euchre",
    "bridge": "bridge(use_double_dummy_result=false)",  # played out, not looked up
    "hearts": "hearts",
}
OPENINGS = {"bridge": (55, 52, 52, 52)}  # one club and three passes; then come the cards


def search_speeds(name: str, seconds: float) -> dict[str, Any]:
    """Return iterations per second of `ismcts`, of `mcts` where nothing is hidden, and memory."""
    rules = dict(tools_of(name).bench.search_rules)
    game = make_game(name, **rules)
    state, player = position(game)
    techniques = ["ismcts"] if game.hidden else ["mcts", "ismcts"]
    found: dict[str, Any] = {"rules": rules}
    for technique in techniques:
        found[f"{technique}_iterations_per_s"] = _speed(game, state, player, technique, seconds)
    long = analyse(game, state, player, f"{techniques[0]}:ms={LONG}")
    found["long_search"] = {
        "technique": techniques[0],
        "ms": LONG,
        "iterations": long.iterations,
        "nodes": long.nodes,
        "bytes_used": long.bytes_used,
        "bytes_reserved": long.bytes_reserved,
    }
    return found


def position(game: Game, seed: int = 0) -> tuple[State, int]:
    """Return a state after random moves with a decision worth a search, and its player."""
    below = tools_of(game.name).bench.search_below
    rng = seeded(np.random.default_rng(seed), WORDS)
    state = game.new_state(rng)
    bot = make_bot(game, "random")
    act = game.compiled(bot.act, **bot.more)
    while True:
        player = int(game.call("to_move")(game.cfg, state))
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, state, mask)
        if mask[:below].any():
            return state, player
        action = act(game.cfg, bot.params, state, player, rng, mask)
        game.call("step")(game.cfg, state, action, rng)


def _speed(game: Game, state: State, player: int, technique: str, seconds: float) -> float:
    """Return the iterations per second of a technique in a position."""
    spec = f"{technique}:iterations={ITERATIONS}"
    analyse(game, state, player, spec)  # compiles
    spent, done, seed = 0.0, 0, 0
    while spent < seconds:
        found = analyse(game, state, player, spec, seed)
        spent += found.seconds
        done += found.iterations
        seed += 1
    return done / spent


def openspiel_searches(seconds: float) -> dict[str, Any] | None:
    """Return the iterations per second of OpenSpiel's searches in C++; None without OpenSpiel."""
    try:
        import pyspiel
    except ImportError:
        return None
    rollout = pyspiel.RandomRolloutEvaluator(1, 0)

    def mcts(game: Any) -> Any:
        return pyspiel.MCTSBot(game, rollout, 1.4, ITERATIONS, 1000, False, 0, False)

    def ismcts(game: Any) -> Any:
        return pyspiel.ISMCTSBot(0, rollout, 1.4, ITERATIONS)

    # MCTSBot plays no simultaneous moves; in turns the game is as long.
    goofspiel = pyspiel.load_game_as_turn_based(OPENSPIEL_MCTS)
    found = {"mcts": {OPENSPIEL_MCTS: _openspiel_speed(goofspiel, mcts, seconds)}, "ismcts": {}}
    for name, game in OPENSPIEL_ISMCTS.items():
        found["ismcts"][name] = _openspiel_speed(pyspiel.load_game(game), ismcts, seconds)
    return {f"{technique}_iterations_per_s": speeds for technique, speeds in found.items()}


def _openspiel_speed(game: Any, make: Any, seconds: float) -> float:
    """Return the iterations per second of a bot in the first position with a choice."""
    source = np.random.default_rng(0)
    state = game.new_initial_state()
    while state.is_chance_node() or len(state.legal_actions()) < 2:
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(source.choice(outcomes, p=np.array(chances) / sum(chances))))
        else:
            state.apply_action(state.legal_actions()[0])
    for action in OPENINGS.get(game.get_type().short_name, ()):
        state.apply_action(action)
    bot = make(game)
    spent, done = 0.0, 0
    while spent < seconds:
        began = time.perf_counter()
        bot.step(state)
        spent += time.perf_counter() - began
        done += ITERATIONS
    return done / spent


def search_ratios(ours: dict[str, Any], spiel: dict[str, Any] | None) -> dict[str, Any]:
    """Return our speed over OpenSpiel's, by technique and by their game."""
    ratios: dict[str, Any] = {}
    for technique in ("mcts", "ismcts"):
        key = f"{technique}_iterations_per_s"
        if spiel is not None and key in ours:
            ratios[technique] = {game: ours[key] / speed for game, speed in spiel[key].items()}
    return ratios
