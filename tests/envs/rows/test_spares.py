"""Arrays are given again when nobody holds them, and never before."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import bidarena.envs  # noqa: F401 (registers)
from bidarena.envs.rows.spares import KEPT, Spares


def spares():
    return Spares(np.zeros((3, 4), np.float32))


def test_spares__an_array_that_is_gone_is_given_again():
    source = spares()
    place = source.take().ctypes.data
    assert source.take().ctypes.data == place


@pytest.mark.parametrize(
    "hold",
    [
        lambda array: array,
        lambda array: array[1:],
        lambda array: array.reshape(-1)[::2],
        memoryview,
        lambda array: [array.T],
        lambda array: pytest.importorskip("torch").from_numpy(array),
    ],
)
def test_spares__what_somebody_holds_is_left_alone(hold):
    source = spares()
    held = hold(source.take())
    others = [source.take() for _ in range(2 * KEPT)]
    for number, other in enumerate(others):
        other[:] = number
    assert len({other.ctypes.data for other in others}) == len(others)
    places = {other.ctypes.data for other in others}
    del others, other
    assert len(source._kept) <= KEPT  # no more memory is kept
    assert source.take().ctypes.data in places
    del held


def test_spares__an_array_that_its_holder_has_changed_is_not_given_again():
    for change in (
        lambda array: setattr(array, "shape", (12,)),
        lambda array: array.setflags(write=False),
        lambda array: setattr(array, "dtype", np.int32),
    ):
        source = spares()
        change(source.take())
        taken = source.take()
        assert (taken.shape, taken.dtype, taken.flags.carray) == ((3, 4), np.float32, True)


def test_vector__steps_never_write_to_what_the_caller_holds():
    env = gym.make_vec("bidarena/Raj-v0", 8)
    _, info = env.reset(seed=3)
    held, copies = [], []
    for _ in range(6):
        step = env.step(info["action_mask"].argmax(axis=1))
        *arrays, info = step
        arrays.append(info["action_mask"])
        held.append(arrays)
        copies.append([array.copy() for array in arrays])
    env.step(info["action_mask"].argmax(axis=1))
    for arrays, kept in zip(held, copies, strict=True):
        for array, copy in zip(arrays, kept, strict=True):
            assert np.array_equal(array, copy)


def test_vector__games_are_the_same_whether_results_are_held_or_not():
    def played(hold):
        env = gym.make_vec("bidarena/TwentyNine-v1", 16, threads=2)
        observations, info = env.reset(seed=5)
        kept, seen = [], []
        for _ in range(20):
            observations, rewards, over, _, info = env.step(info["action_mask"].argmax(axis=1))
            seen += [observations.tobytes(), info["action_mask"].tobytes(), rewards.tobytes()]
            seen.append(over.tobytes())
            if hold:
                kept.append((observations, info))
        return seen

    assert played(True) == played(False)
