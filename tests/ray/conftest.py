"""A cluster of Ray that all tests of this folder share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ray_nodes import nodes


@pytest.fixture(scope="session")
def cluster(own_cache, tmp_path_factory):
    """Two nodes that no test may harm, started in a folder where nothing is."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("node"))
    try:
        with nodes() as made:
            os.chdir(before)
            yield made
    finally:
        os.chdir(before)
