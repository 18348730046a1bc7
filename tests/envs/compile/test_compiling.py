"""Compilation: none at import, none in a second process, plain Python on demand."""

import os
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from bidarena.envs.compile import (
    apart,
    borrow,
    compiled,
    compiling,
    digest,
    replaceable,
    rule,
    seconds,
    with_rules,
)
from bidarena.envs.game import layout, starts


def run(code, folder, **environment):
    """Run code in a fresh interpreter in `folder`; return what it printed to stdout and stderr."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr.strip()


PLAY = """
    from numba.core import event
    recorder = event.RecordingListener()
    event.register("numba:compile", recorder)
    import gymnasium as gym, bidarena.envs
    env = gym.make("bidarena/Scotch-v0", money=(20, 20))
    env.reset(seed=1)
    env.step(1)
    run = env.unwrapped._batch._run
    print(len(recorder.buffer), sum(run.stats.cache_hits.values()))
"""


def test_import__is_quick_and_brings_neither_numba_nor_torch(tmp_path):
    code = """
        import sys, time
        began = time.perf_counter()
        import bidarena.envs
        print(time.perf_counter() - began)
        print([m for m in ("numba", "torch", "pettingzoo", "PIL") if m in sys.modules])
    """
    seconds, loaded = run(code, tmp_path)[0].splitlines()
    assert loaded == "[]"
    assert float(seconds) < 5  # a bound against accidents; `bidarena bench` has the figure


def test_compile__second_process_compiles_nothing(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first, said = run(PLAY, tmp_path, **cache)
    assert int(first.split()[0]) > 0
    assert said.count("compiling scotch") == 1
    second, said = run(PLAY, tmp_path, **cache)
    assert second == "0 1"
    assert said == ""


def test_compile__plain_python_plays_the_same_game(tmp_path):
    code = """
        import numpy as np, gymnasium as gym, bidarena.envs, warnings
        warnings.simplefilter("error")
        env = gym.make("bidarena/Scotch-v0", money=(20, 20), opponent="uniform", tie="coin")
        view, info = env.reset(seed=3)
        for _ in range(60):
            bid = int(np.flatnonzero(info["action_mask"])[-1] // 2)
            view, reward, over, cut, info = env.step(bid)
            print(view.tolist(), reward, over, cut)
            if over or cut:
                view, info = env.reset()
    """
    assert run(code, tmp_path, NUMBA_DISABLE_JIT="1")[0] == run(code, tmp_path)[0]


TOY = """
from bidarena.envs.compile import rule


@rule
def chosen(x):
    raise NotImplementedError


def plus(x):
    return x + 1


def outer(x):
    return 10 * chosen(x)
"""
CALL_TOY = """
    import sys
    sys.path.insert(0, ".")
    from numba.core import event
    recorder = event.RecordingListener()
    event.register("numba:compile", recorder)
    from bidarena.envs.compile import compiled
    from toy import outer, plus
    print(compiled(outer, {"chosen": plus}, "toy")(4), len(recorder.buffer))
"""


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 20])
def test_compile__broken_files_in_the_cache_are_written_anew(tmp_path, kind, left):
    """As a power cut leaves them: empty, or cut off. The toy has a whole, and a part of it."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    (tmp_path / "toy.py").write_text(TOY)
    assert run(CALL_TOY, tmp_path, **cache)[0] == "50 4"  # beginning and end of both functions
    files = list((tmp_path / "cache").glob(f"*.{kind}"))
    assert len(files) == 2
    for file in files:
        file.write_bytes(file.read_bytes()[:left])
    told, said = run(CALL_TOY, tmp_path, **cache)
    assert told == "50 4" and said.count("compiling toy") == 1
    assert run(CALL_TOY, tmp_path, **cache) == ("50 0", "")


def test_compile__goes_on_without_a_writable_cache_and_says_so_once(tmp_path):
    code = """
        import warnings
        import numba.core.caching as caching
        for locator in list(caching.CacheImpl._locator_classes):
            locator.from_function = classmethod(lambda cls, function, path: None)
        import gymnasium as gym, bidarena.envs
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            env = gym.make("bidarena/Scotch-v0", money=(5, 5))
            env.reset(seed=1)
        print(sum("its cache cannot be written" in str(w.message) for w in caught))
    """
    (tmp_path / "file").write_text("in the way")
    assert run(code, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "file" / "cache"))[0] == "1"


LIMIT = 3


def helper(x):
    return x + LIMIT


def doubled(x):
    return helper(x) * 2


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@rule
def chosen_rule(x):
    raise NotImplementedError


def uses_rule(x):
    return chosen_rule(x) + 1


def plus_ten(x):
    return x + 10


def times_two(x):
    return x * 2


def first_of_borrowed(array):
    array = borrow(array)
    return array[0]


def spin(until):
    rounds = 0
    while seconds() < until:
        rounds += 1
    return rounds


def test_compile__clock_is_pythons_monotonic_clock():
    wait = compiled(spin, {}, "test")
    wait(0.0)
    began = time.monotonic()
    assert wait(began + 0.05) > 100
    assert 0.05 <= time.monotonic() - began < 1.0


def test_compile__functions_reached_by_name_are_compiled_too():
    assert compiled(doubled, {}, "test")(4) == 14


def ping(n):
    return pong(n)


def pong(n):
    return ping(n)


PLACES = starts(layout(hands=4, trump=1))


def trump(state):
    return state[PLACES.trump]


def test_compile__a_field_may_be_called_like_a_function():
    assert compiled(trump, {}, "test")(np.arange(5)) == 4


def test_digest__changes_with_a_layout(monkeypatch):
    before = digest(trump, {})
    monkeypatch.setitem(globals(), "PLACES", starts(layout(hands=4, trump=1)))
    assert digest(trump, {}) == before
    monkeypatch.setitem(globals(), "PLACES", starts(layout(hands=5, trump=1)))
    assert digest(trump, {}) != before


@pytest.mark.parametrize("body", [factorial, ping])
def test_compile__functions_that_call_themselves_are_refused(body):
    with pytest.raises(TypeError, match="calls itself"):
        compiled(body, {}, "test")


def reads_through_a_module(x):
    return textwrap.width + x


def test_compile__what_is_read_through_a_module_is_refused():
    with pytest.raises(TypeError, match="by name: from textwrap import"):
        compiled(reads_through_a_module, {}, "test")


def test_compile__closures_are_refused():
    outside = 3
    with pytest.raises(TypeError, match="enclosing function"):
        compiled(lambda x: x + outside, {}, "test")


def test_compile__helpers_are_shared_between_rule_sets_they_do_not_use():
    one, two = (compiled(uses_rule, {"chosen_rule": f}, "test") for f in (plus_ten, times_two))
    assert one is not two
    assert compiled(doubled, {"chosen_rule": plus_ten}, "test") is compiled(doubled, {}, "test")


def test_compile__rules_stand_for_their_stubs_and_do_not_mix():
    assert compiled(uses_rule, {"chosen_rule": plus_ten}, "test")(5) == 16
    assert compiled(uses_rule, {"chosen_rule": times_two}, "test")(5) == 11


def test_compile__missing_rule_is_named():
    with pytest.raises(LookupError, match="chosen_rule"):
        compiled(uses_rule, {}, "test")


def test_compile__borrowed_array_is_the_same_memory():
    assert compiled(first_of_borrowed, {}, "test")(np.array([7, 8])) == 7


@apart
def _tripled(x):
    return 3 * x


def _uses_tripled(x):
    return _tripled(x) + 1


def test_compile__functions_apart_are_called_and_not_inlined(monkeypatch):
    before = digest(_uses_tripled, {})
    run = compiled(_uses_tripled, {}, "test")
    assert run(5) == 16
    called = run.py_func.__globals__["_tripled"]
    assert called.targetoptions["forceinline"] is False
    assert run.targetoptions["forceinline"] is True
    monkeypatch.delattr(_tripled, "__bidarena_apart__")
    assert digest(_uses_tripled, {}) != before


def test_digest__changes_with_constants_helpers_and_rules(monkeypatch):
    before = digest(doubled, {})
    monkeypatch.setitem(globals(), "LIMIT", 4)
    assert digest(doubled, {}) != before
    monkeypatch.undo()
    assert digest(doubled, {}) == before
    monkeypatch.setitem(globals(), "helper", plus_ten)
    assert digest(doubled, {}) != before
    one, two = ({"chosen_rule": f} for f in (plus_ten, times_two))
    assert digest(uses_rule, one) != digest(uses_rule, two)


@replaceable
def chance() -> int:
    return 1


def listed() -> int:
    return 2


def drawn_twice() -> int:
    return 10 * chance() + chance()


@with_rules(chance=listed)
def listed_twice() -> int:
    return drawn_twice()


def both() -> tuple[int, int, int]:
    return drawn_twice(), listed_twice(), drawn_twice()


def test_with_rules__hold_in_a_function_and_what_it_calls_only():
    assert compiled(both, {}, "test")() == (11, 22, 11)
    assert compiled(drawn_twice, {}, "test")() == 11
    assert digest(listed_twice, {}) != digest(drawn_twice, {})


def test_compile__names_change_with_the_code_that_compiles(monkeypatch):
    before, told = compiled(doubled, {}, "test").py_func.__qualname__, digest(doubled, {})
    monkeypatch.setattr(compiling, "_copies", {})
    assert compiled(doubled, {}, "test").py_func.__qualname__ == before
    monkeypatch.setattr(compiling, "_copies", {})
    monkeypatch.setattr(compiling, "_compiler", lambda: "another")
    assert compiled(doubled, {}, "test").py_func.__qualname__ != before
    assert digest(doubled, {}) == told  # solutions are kept
