"""Every tool that a game can have, for matching pennies: a game of one position."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from toy_pennies import PENDING, ROUND  # registers the game

from bidarena.baselines.solvers.advice import Advice, Hint
from bidarena.baselines.solvers.matrix import solve_into
from bidarena.baselines.solvers.positions import PositionIndex
from bidarena.envs import Bench, Bot, Progress, register_bot, register_tools
from bidarena.envs.compile import compiled
from bidarena.envs.structure.exchange import Exchange
from bidarena.envs.structure.parts import Parts
from bidarena.evaluate.appraisal.strength import Truth


def stakes_of(game):
    return game.cfg.reshape(2, 2) / 100


def solved(game):
    row, column = np.zeros(2), np.zeros(2)
    compiled(solve_into, {}, "toy")(stakes_of(game), row, column)
    return row, column, float(row @ stakes_of(game) @ column)


def solve(game, memory, begin):
    advance = begin(1, game.name)
    row, _, value = solved(game)
    advance(1)
    return {"value": value, "heads": row[0], "memory": memory}


def timed_solve(game):
    solved(game)
    return SimpleNamespace(seconds=0.25)


def hint(game, state, patient):
    row, column, _ = solved(game)
    own, against = (row, stakes_of(game) @ column)
    moves = [Advice(a, float(against[a]), share=float(own[a])) for a in range(2)]
    return Hint("the toy's solution", "against perfect play", "probability", moves)


# --- the only position ---------------------------------------------------------------------------


def put(cfg, index, position, state):
    state[:] = 0
    state[PENDING] = -1


def find(cfg, index, state):
    return 0


def worths(cfg, index, values, position, player, replies, out):
    for own in range(2):
        out[own] = 0.0
        for other in range(2):
            stake = cfg[2 * own + other] if player == 0 else cfg[2 * other + own]
            out[own] += replies[other] * stake / 100


def positions(game):
    return PositionIndex(game, np.zeros(1, np.int64), (0, 1), ((0, 1.0),), put, find, worths)


# --- measures ------------------------------------------------------------------------------------


@dataclass
class Found:
    """What the toy's own `exploit` finds."""

    seen: dict

    def as_dict(self):
        return self.seen


def exploit(game, player, *, samples, seed, ray, progress, games=7):
    return Found({"player": player, "samples": samples, "games": games, "seed": seed})


def measure(game, player, seed):
    return Truth("toyness", 0.5, "higher", True, {"seed": seed})


def serve(game, bot, *, greeting="hello", seed=0):
    """Say something.

    Args:
        game: the toy.
        bot: who is served.
        greeting: the word to say
            first.
        seed: not used.
    """
    print(f"{greeting} from {bot} of {game.name} {seed}")


# --- for learners --------------------------------------------------------------------------------


def split(cfg, params, state, views):
    """Show the heap of Nim (toy_nim) as one part: bit k is 1 if it has more than k stones."""
    for k in range(views.shape[1]):
        views[0, k] = 1.0 if state[0] > k else 0.0
    return 1


def parts(game):
    return Parts(split, np.zeros(1), most=1, size=int(game.cfg[0]))


def exchange(game):
    """Call the sides of the penny exchangeable; the observation shows none of them."""
    return Exchange(np.zeros((2, 0), np.int64), np.array([[0], [1]]))


def open_values(cfg, states, rows, movers, values, known):
    """Say that tails is worth more than heads, which is not true: only a learner can believe it."""
    for k in range(len(rows)):
        known[k] = True
        values[k, 0] = -1.0
        values[k, 1] = 1.0


# --- bots from outside ---------------------------------------------------------------------------


def _heads(cfg, params, state, player, rng, scratch):
    return 0


def heads(game):
    return Bot("heads", _heads, deterministic=True)


def program(game, command, limits):
    return Bot(f"program {command}", _heads, deterministic=True)


def python_file(game, path, limits):
    return Bot(f"file {path} {limits.seconds}", _heads, deterministic=True)


def rounds(game, state):
    return int(state[ROUND])


def figures(seconds):
    return {"toys_per_s": 12.0}


def main(argv):
    """A command of the toy."""
    print("toy command", *argv)


register_bot("toy_pennies/heads", "toy_tools:heads")
register_bot("toy_pennies/best_response", "bidarena.baselines.solvers.best_response:bot")
TOOLS = {
    "opponent": "heads",
    "strongest": "heads",
    "strongest_search": "best_response:of=heads",
    "solve": "toy_tools:solve",
    "positions": "toy_tools:positions",
    "hint": "toy_tools:hint",
    "serve": "toy_tools:serve",
    "program": "toy_tools:program",
    "python_file": "toy_tools:python_file",
    "progress": Progress("toy_tools:rounds"),
    "bench": Bench(
        solve="toy_tools:timed_solve",
        solve_rules={"stakes": [1, -1, -1, 1]},
        figures="toy_tools:figures",
    ),
    "commands": {"toy": ("toy_tools", "the command of a toy")},
}
register_tools("toy_pennies", **TOOLS)
