"""PettingZoo's whole kit on every registered id, and its registry."""

from __future__ import annotations

import contextlib
import io
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pettingzoo
import pytest
from our_games import OUR_GAMES
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.conversions import parallel_to_aec

from bidarena.envs.multi import NearestLegalAEC, NearestLegalParallel, aec_env, parallel_env
from bidarena.envs.registry import env_id

OPTIONS = [{}, {"masks": "infos"}, {"perfect_information": True}]


def made(kind: str, name: str, **options: Any) -> Any:
    return pettingzoo.make(kind, env_id(name), **options)


@pytest.fixture
def no_warnings():
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        # Observations are dicts with a mask, as in PettingZoo's own classic games.
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably")
        warnings.filterwarnings("ignore", message="Observation numpy array is all zeros")
        yield


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("name", OUR_GAMES)
@pytest.mark.parametrize("options", OPTIONS)
def test_kit__api_seed_and_state(name, options):
    api_test(made("aec", name, **options), num_cycles=300)
    parallel_api_test(made("parallel", name, **options), num_cycles=300)
    seed_test(lambda: made("aec", name, **options), num_cycles=50)
    parallel_seed_test(lambda: made("parallel", name, **options), num_cycles=50)
    state_test(made("aec", name, **options), made("parallel", name, **options))


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("name", OUR_GAMES)
def test_kit__render(name, monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")

    def fast(render_mode: str) -> Any:
        env = made("aec", name, render_mode=render_mode)
        env.metadata["render_fps"] = 1000
        return env

    render_test(fast)


# The kit wants all agents to have moved equally often. In these games they do not: one player more
# has a choice after the bids, or players leave the auction. There every agent is asked in each
# cycle, whether it decides or not, as PettingZoo's own conversion of Parallel environments does it.
UNEVEN = ("richman", "twentynine")
LONG_ENOUGH = {"scotch": {"payment": "opponent"}}  # rules under which no game ends in 4 cycles


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("name", OUR_GAMES)
def test_kit__max_cycles(name):
    def parallel(max_cycles: int) -> Any:
        rules = LONG_ENOUGH.get(name, {})
        return NearestLegalParallel(made("parallel", name, max_cycles=max_cycles, **rules))

    def turns(max_cycles: int) -> Any:
        if name in UNEVEN:
            return parallel_to_aec(parallel(max_cycles))
        rules = LONG_ENOUGH.get(name, {})
        return NearestLegalAEC(made("aec", name, max_cycles=max_cycles, **rules))

    for _ in range(10):
        max_cycles_test(SimpleNamespace(parallel_env=parallel, env=turns))


@pytest.mark.parametrize("name", OUR_GAMES)
def test_registry__makes_what_the_functions_make(name):
    for kind, make in (("aec", aec_env), ("parallel", parallel_env)):
        spec = pettingzoo.spec(kind, env_id(name))
        assert spec.namespace == "bidarena" and spec.id == env_id(name)
        env, other = made(kind, name, max_cycles=3), make(name, max_cycles=3)
        assert type(env) is type(other) and env.unwrapped.max_cycles == 3
        env.reset(seed=2)
        other.reset(seed=2)
        assert np.array_equal(env.state(), other.state())
