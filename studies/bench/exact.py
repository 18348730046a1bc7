"""The cost of exact solving, beside OpenSpiel on the same games in the same run.

Two games are measured that both programs have. Ours: the time to list a game and to compute the
best responses to the uniform policy, the best responses alone, and an iteration of the regret
method. Theirs: the exploitability of the uniform policy in Python and in C++, and an iteration of
CFR and CFR+ in C++. Both must find the same exploitability.

A third game has millions of information sets, too many for OpenSpiel within minutes. It is measured
by itself, in a process of its own, because memory counts there too.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from bidarena.baselines.solvers.tree.build import build_tree
from bidarena.baselines.solvers.tree.regret import solve_by_regret
from bidarena.baselines.solvers.tree.sequences import merged, nash_gap, uniform
from bidarena.envs.game import Game
from bidarena.envs.system import most_memory
from bidarena.studies.bench.goofspiel import goofspiel
from bidarena.studies.bench.leduc import leduc
from bidarena.studies.bench.liars_dice import liars_dice

MEMORY = 1 << 28  # bytes for the tables of a game
LARGE_MEMORY = 1 << 32
FACES = 9  # of the dice of the large game
GAMES: dict[str, tuple[Callable[[], Game], str]] = {
    "Leduc poker": (leduc, "leduc_poker"),
    "goofspiel(5), hidden bids": (
        goofspiel,
        "goofspiel(imp_info=True,num_cards=5,points_order=descending)",
    ),
}


def exact_costs(seconds: float, say: Callable[[str], None]) -> dict[str, Any]:
    """Return for each game our times, those of OpenSpiel and how many times faster ours are.

    OpenSpiel's times and the ratios are None where it is not installed.

    Args:
        seconds: about how long each figure is measured.
        say: called with what is measured next.
    """
    found = {}
    for name, (make, spiel) in GAMES.items():
        say(f"solving {name}")
        ours, theirs = own_costs(make(), seconds), openspiel_costs(spiel, seconds)
        found[name] = {**ours, "openspiel": theirs, "ratios": _ratios(ours, theirs)}
    return found


def large_costs(seconds: float, say: Callable[[str], None], faces: int = FACES) -> dict[str, Any]:
    """Return the cost of liar's dice: its size, the seconds of each part and the most memory.

    Everything is compiled before, on dice of two faces.

    Args:
        seconds: not used: it is measured once, however long that takes.
        say: called with what is measured next.
        faces: of the dice.
    """
    say(f"liar's dice with {faces} faces")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:
        return apart.submit(_large_costs, faces).result()


def _large_costs(faces: int) -> dict[str, Any]:
    for size in (2, faces):
        game = liars_dice(size)
        began = time.perf_counter()
        tree = merged(build_tree(game, LARGE_MEMORY, opposed=True))
        listed = time.perf_counter()
        low, high, _ = nash_gap(tree, uniform(tree))
        measured = time.perf_counter()
    return {
        "game": f"liar's dice, {faces} faces",
        "information_sets": len(tree.players),
        "histories": int(tree.last.shape[0]),
        "nash_conv_of_uniform": high - low,
        "listing_seconds": listed - began,
        "best_responses_seconds": measured - listed,
        "most_memory": most_memory(),
    }


def own_costs(game: Game, seconds: float) -> dict[str, Any]:
    """Return the seconds that our solver takes for each part, and how large the game is."""

    def listed() -> Any:
        return merged(build_tree(game, MEMORY, opposed=True))

    def measured() -> tuple[float, float]:
        tree = listed()
        return nash_gap(tree, uniform(tree))[:2]

    tree = listed()
    low, high = measured()
    iteration = solve_by_regret(tree, 0.0, 0.0)  # compiles
    iteration = solve_by_regret(tree, 0.0, seconds)
    return {
        "information_sets": len(tree.players),
        "histories": int(tree.last.shape[0]),
        "nash_conv_of_uniform": high - low,
        "nash_conv_seconds": _timed(measured, seconds),
        "best_responses_seconds": _timed(lambda: nash_gap(tree, uniform(tree)), seconds),
        "cfr_iteration_seconds": iteration.seconds / iteration.iterations,
    }


def openspiel_costs(name: str, seconds: float) -> dict[str, Any] | None:
    """Return the seconds that OpenSpiel takes for each part; None without OpenSpiel."""
    try:
        import pyspiel
        from open_spiel.python.algorithms.exploitability import nash_conv
        from open_spiel.python.policy import UniformRandomPolicy
    except ImportError:
        return None
    game = pyspiel.load_game(name)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    python, compiled = UniformRandomPolicy(game), pyspiel.UniformRandomPolicy(game)
    solvers = {"cfr": pyspiel.CFRSolver(game), "cfr_plus": pyspiel.CFRPlusSolver(game)}
    return {
        "game": name,
        "nash_conv_of_uniform": float(nash_conv(game, python)),
        "python_nash_conv_seconds": _timed(lambda: nash_conv(game, python), seconds),
        "cpp_nash_conv_seconds": _timed(lambda: pyspiel.nash_conv(game, compiled), seconds),
        **{
            f"cpp_{kind}_iteration_seconds": _timed(solver.evaluate_and_update_policy, seconds)
            for kind, solver in solvers.items()
        },
    }


def _ratios(ours: dict[str, Any], theirs: dict[str, Any] | None) -> dict[str, float] | None:
    """Return how many times as long OpenSpiel takes."""
    if theirs is None:
        return None
    whole, alone = ours["nash_conv_seconds"], ours["best_responses_seconds"]
    python, cpp = theirs["python_nash_conv_seconds"], theirs["cpp_nash_conv_seconds"]
    iteration = ours["cfr_iteration_seconds"]
    return {
        "nash_conv_to_python": python / whole,
        "nash_conv_to_cpp": cpp / whole,
        "best_responses_to_python": python / alone,
        "best_responses_to_cpp": cpp / alone,
        "iteration_to_cpp_cfr": theirs["cpp_cfr_iteration_seconds"] / iteration,
        "iteration_to_cpp_cfr_plus": theirs["cpp_cfr_plus_iteration_seconds"] / iteration,
    }


def _timed(work: Callable[[], Any], seconds: float) -> float:
    """Return the seconds of the fastest of several runs; others only slow a run down."""
    best, spent = float("inf"), 0.0
    while spent < seconds:
        began = time.perf_counter()
        work()
        took = time.perf_counter() - began
        best, spent = min(best, took), spent + took
    return best
