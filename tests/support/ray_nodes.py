"""Clusters of Ray on this machine: nodes are processes, and talk to each other over loopback."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

# Whoever else is on this machine cannot join, and nothing is written into the user's home.
os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

SMALL = {"num_cpus": 1, "object_store_memory": 100 * 2**20}


@contextmanager
def nodes(count: int = 2):
    """A cluster of nodes with a core each, the first of them its head."""
    from ray.cluster_utils import Cluster

    # sockets need short paths
    folder = tempfile.mkdtemp(prefix="rt-", dir="/tmp")
    (Path(folder) / "ray").mkdir()  # Ray writes its address there, and expects the folder
    head = {**SMALL, "include_dashboard": False}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)  # also where Ray and its workers keep files
        made = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(count - 1):
            made.add_node(**SMALL)
    try:
        yield made
    finally:
        made.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
