"""A Ray for RLlib, checked to have room for all processes and equal versions on all machines."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bidarena.envs.system import usable_cores
from bidarena.evaluate.workers.ray_connection import (
    LOCAL,
    connected,
    differences,
    import_ray,
    installed,
)


@contextmanager
def ray_running(address: str | None = None, runners: int = 0) -> Iterator[None]:
    """Be connected to a Ray while the block runs.

    Args:
        address: the address of a Ray, as after `--ray`; None: one is started on this machine, and
            ends with the block.
        runners: how many processes there must be room for.
    """
    ray = import_ray()
    quieten()
    # Small processes share the cores of one machine: as many as were asked for may start.
    with connected(ray, address or LOCAL, max(runners, usable_cores())):
        check_room(ray, runners)
        if address not in (None, LOCAL):
            check_nodes(ray)
        yield


def quieten() -> None:
    """Make Ray and RLlib log errors only."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or it warns about GPUs
    for name in ("ray", "ray.rllib"):
        logging.getLogger(name).setLevel(logging.ERROR)


def check_room(ray: Any, runners: int) -> None:
    """Raise ValueError if there are fewer cores than processes; some would wait for ever."""
    room = int(ray.cluster_resources().get("CPU", 0))
    if runners > room:
        raise ValueError(
            f"env_runners={runners}: this Ray has {room} cores; expected at most as many"
        )


def check_nodes(ray: Any) -> None:
    """Raise ValueError if a machine has other versions installed than this one."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    ask = ray.remote(num_cpus=0)(_installed)
    for node in alive(ray):
        there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        try:
            found = ray.get(ask.options(scheduling_strategy=there).remote())
        except ray.exceptions.RayError as wrong:
            raise ValueError(
                f"ray: the node {node['NodeManagerAddress']} does not find bidarena; install the "
                f"same version on every node ({str(wrong).strip().splitlines()[-1]})"
            ) from None
        wrong_there = differences(installed(), found)
        if wrong_there:
            raise ValueError(
                f"ray: the node {node['NodeManagerAddress']} has {wrong_there}; install the same "
                "on every node"
            )


def _installed() -> dict[str, str]:
    """Return the installed versions; Ray runs this on each machine."""
    return installed()


def alive(ray: Any) -> list[dict[str, Any]]:
    """Return the machines that belong to the Ray at present."""
    return [node for node in ray.nodes() if node["Alive"]]
