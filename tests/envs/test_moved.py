"""Documented import paths of version 0.1 still work, and warn."""

import importlib.util
import json
import os
import pickle
import subprocess
import sys

import pytest

from bidarena.envs.moved import MOVED

NAMES = {  # what the documentation of version 0.1 imports from the old paths
    "bidarena.baselines.adapters.raj_series": ["play_settings"],
    "bidarena.baselines.adapters.twentynine_server": ["serving"],
    "bidarena.baselines.network": ["Network"],
    "bidarena.baselines.policy_file": ["load_policy", "save_policy"],
    "bidarena.baselines.solvers.policies": ["with_probabilities"],
    "bidarena.envs.check": ["whole"],
    "bidarena.envs.words": ["Words", "words_of"],
    "bidarena.evaluate.bench_ray": ["predicted"],
    "bidarena.evaluate.html": [
        *("Estimated", "Section", "interval_plot", "page", "table", "write_page"),
        *("code", "heat_map", "picture", "replays"),
    ],
    "bidarena.evaluate.meetings": ["read_games"],
    "bidarena.evaluate.record": ["read_records", "replay"],
    "bidarena.evaluate.tournament_report": ["sections"],
    "bidarena.train.rllib_learner": ["unpack"],
}
NEEDS_RAY = ("bidarena.train.rllib_learner", "bidarena.train.rllib_module")
WITH_RAY = importlib.util.find_spec("ray") is not None

IMPORT_ALL = """
import json, sys, warnings

for old, new, names in json.loads(sys.argv[1]):
    assert old not in sys.modules
    scope = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(f"import {old}", "user.py", "exec"), scope)
    told = [w for w in caught if w.category is DeprecationWarning and w.filename == "user.py"]
    assert [str(w.message) for w in told] == [
        f"{old} has moved to {new}; the old path works until version 0.3"
    ], (old, [str(w.message) for w in caught])
    found = sys.modules[new]
    assert sys.modules[old] is found and eval(old, scope) is found, old
    assert found.__name__ == found.__spec__.name == new
    for name in names:
        assert getattr(sys.modules[old], name), (old, name)
    print(old)
"""


def run(code, *args):
    """Run code in a fresh interpreter and return the lines that it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_moved__old_paths_give_the_new_modules_and_warn():
    paths = [
        (old, new, NAMES.get(old, []))
        for old, new in MOVED.items()
        if WITH_RAY or old not in NEEDS_RAY
    ]
    assert run(IMPORT_ALL, json.dumps(paths)) == [old for old, _, _ in paths]


@pytest.mark.parametrize("package", ["envs", "baselines", "evaluate", "train"])
def test_moved__is_installed_by_every_package_that_had_old_paths(package):
    code = (
        f"import sys, bidarena.{package}; "
        "print(sum(type(finder).__name__ == 'MovedFinder' for finder in sys.meta_path))"
    )
    assert run(code) == ["1"]


def test_moved__pickles_that_name_an_old_path_can_be_loaded():
    from bidarena.envs.arguments import whole

    dumped = pickle.dumps(whole, 0).replace(b"bidarena.envs.arguments", b"bidarena.envs.check")
    code = f"import pickle; print(pickle.loads({dumped!r}).__module__)"
    assert run(code) == ["bidarena.envs.arguments"]


def test_moved__unknown_modules_are_still_unknown():
    with pytest.raises(ModuleNotFoundError, match=r"bidarena\.envs\.nothing"):
        importlib.import_module("bidarena.envs.nothing")


@pytest.mark.skipif(WITH_RAY, reason="Ray is installed")
def test_moved__a_missing_library_is_what_the_error_names():
    with (
        pytest.warns(DeprecationWarning, match="has moved"),
        pytest.raises(ImportError, match="ray"),
    ):
        importlib.import_module("bidarena.train.rllib_module")
    assert "bidarena.train.rllib_module" not in sys.modules
