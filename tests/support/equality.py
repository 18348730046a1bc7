"""Compare what environments return."""

from typing import Any

import numpy as np


def assert_equal(a: Any, b: Any, where: str = "") -> None:
    """Assert that two results are equal in values, shapes, dtypes and keys, nested ones too."""
    assert type(a) is type(b), f"{where}: {type(a)} and {type(b)}"
    if isinstance(a, dict):
        assert set(a) == set(b), f"{where}: {set(a) ^ set(b)}"
        for key in a:
            assert_equal(a[key], b[key], f"{where}.{key}")
    elif isinstance(a, tuple):
        assert len(a) == len(b), where
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_equal(x, y, f"{where}[{i}]")
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape, f"{where}: {a.dtype}{a.shape}"
        if a.dtype == object:
            assert_equal(tuple(a), tuple(b), where)
        else:
            assert np.array_equal(a, b), f"{where}: {a} and {b}"
    else:
        assert a == b, where
