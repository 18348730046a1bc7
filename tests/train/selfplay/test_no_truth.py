"""No learner reads the exact solution of a game: neither by an import nor by a name at run time.

Exact measures are for evaluation. Searches and the solver of deals with open cards may teach.
"""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bidarena.envs import games
from bidarena.train.algorithms import algorithms, find_algorithm

ROOT = Path(__file__).parents[3]
TEACHERS = ("bidarena.baselines.twentynine",)  # rules, searches and open cards; no exact solution
GENERIC = tuple(  # what finds exact values, or best responses by them, in any game
    f"bidarena.baselines.solvers.{name}"
    for name in (
        *("generic", "tree", "best_response", "by_position", "positions", "solution", "store"),
        *("graph.solve", "graph.sweep", "graph.explore", "richman", "poorman", "richman_bids"),
    )
)
SELF_PLAY = [name for name in algorithms() if find_algorithm(name).self_play]

LEARN = """
import json, sys, traceback
from bidarena.train.algorithms import make_learner
from bidarena.train.task import Task

def refuse_all(banned):
    # what the evaluation of runs has imported already may not be called either
    for name in banned:
        for loaded in [module for module in sys.modules if (module + ".").startswith(name + ".")]:
            for key, value in list(vars(sys.modules[loaded]).items()):
                if callable(value) and getattr(value, "__module__", None) == loaded:
                    def refuse(*args, key=key, **kwargs):
                        raise AssertionError(f"a learner called {key}")
                    setattr(sys.modules[loaded], key, refuse)

lessons, banned = json.loads(sys.argv[1])
told = {}
for algorithm, (game, rules) in lessons.items():
    refuse_all(banned)
    try:
        learner = make_learner(Task(game, rules, algorithm, 10**6, settings={"rows": 8}))
        learner.learn()
        learner.network()
        problem = ""
    except Exception:
        problem = traceback.format_exc()
    told[algorithm] = [problem, [name for name in sys.modules if name.startswith("bidarena.")]]
print(json.dumps(told))
"""

RAJ = ("raj", {"cards": [1, 2, 3], "items": [1, 2, 3], "reward": "margin"})
COINS = ("coins", {"board": "triangle3"})
PLAYED = {"td": COINS, "td_parts": COINS}  # algorithms that do not learn Raj
HARMLESS = ("bots", "parts")  # classical bots, for playouts of searches; how positions fall apart


def solutions():
    """Return the modules of all games that may hold exact values: all but the teachers'."""
    return tuple(
        f"bidarena.baselines.{game}"
        for game in games()
        if f"bidarena.baselines.{game}" not in TEACHERS
    )


def within(module, banned):
    return any(module == name or module.startswith(name + ".") for name in banned)


def sources():
    found = {}
    for layer in ("envs", "baselines", "evaluate", "train"):
        for path in (ROOT / layer).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            found[".".join(("bidarena", *parts))] = path
    return found


def imported(path, known):
    """Return the modules that a file imports anywhere, in functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in known else node.module)
    return found & known.keys()


def reached(starts, known):
    """Return all modules that some modules import, and these import, and so on."""
    found, waiting = set(), list(starts)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += imported(known[module], known)
    return found


def test_learners__import_no_exact_solution():
    known = sources()
    starts = [name for name in known if name.startswith("bidarena.train.selfplay")]
    assert len(starts) > 5
    seen = reached(starts, known)
    assert "bidarena.baselines.learned.network" in seen
    wrong = [name for name in seen if within(name, (*solutions(), *GENERIC, "bidarena.evaluate"))]
    assert not wrong


def test_learners__the_search_for_imports_finds_a_solution():
    """Would the test above notice? The exact bot of a game reaches its solver."""
    known = sources()
    seen = reached(["bidarena.evaluate.appraisal.strength"], known)
    assert any(within(name, GENERIC) for name in seen)


@pytest.fixture(scope="module")
def told():
    """For each algorithm what went wrong, and all modules that were loaded when it had learned."""
    lessons = {algorithm: PLAYED.get(algorithm, RAJ) for algorithm in SELF_PLAY}
    done = subprocess.run(
        [sys.executable, "-c", LEARN, json.dumps([lessons, [*solutions(), *GENERIC]])],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("algorithm", SELF_PLAY)
def test_learners__load_and_call_no_exact_solution(told, algorithm):
    problem, loaded = told[algorithm]
    assert not problem, problem
    assert f"bidarena.train.selfplay.{algorithm}" in loaded or len(loaded) > 20
    found = [name for name in loaded if within(name, solutions()) and name not in solutions()]
    assert not [name for name in found if name.rpartition(".")[2] not in HARMLESS]
