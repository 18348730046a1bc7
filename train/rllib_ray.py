"""Ray, for learning with RLlib: started here and stopped again, or joined where it runs.

    with ray_running("head-node:6379"):
        ...                             learn

Without an address Ray is started on this machine, quietly and without its dashboard, and all its
processes end with this one.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 10.0  # seconds for a cluster to answer


@contextmanager
def ray_running(address: str | None = None, runners: int = 0) -> Iterator[None]:
    """Have Ray while something is learned, and leave it as it was.

    Args:
        address: of a cluster, as host:port, or "auto" for the one on this machine; None: start
            one here that lasts as long as this.
        runners: how many processes there must be room for.
    """
    import ray

    if ray.is_initialized():
        yield
        return
    start(runners, address)
    try:
        check_room(runners)
        yield
    finally:
        ray.shutdown()


def start(runners: int, address: str | None = None) -> None:
    """Connect to a cluster or start Ray on this machine; nothing if it runs already."""
    import ray

    if ray.is_initialized():
        return
    quieten()
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        # "local": also beside a cluster that somebody else has here. Small processes share the
        # cores of one machine: as many as were asked for may start.
        cores = max(runners, os.cpu_count() or 1)
        ray.init(address="local", include_dashboard=False, num_cpus=cores, **quiet)
        return
    _knock(address)
    try:
        ray.init(address=address, **quiet)
    except (OSError, RuntimeError, ValueError) as wrong:
        raise ValueError(
            f"ray={address!r}: no cluster lets us in there ({_first_line(wrong)}); give an address "
            "such as 10.0.0.1:6379, start a cluster with `ray start --head --port 6379`, or leave "
            "--ray out to use this machine only. A cluster with tokens, which Ray prefers since "
            "2.59, wants RAY_AUTH_MODE=token and its own token here, too"
        ) from None


def quieten() -> None:
    """Let Ray send no reports and tell errors only."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or it warns about GPUs
    for name in ("ray", "ray.rllib"):
        logging.getLogger(name).setLevel(logging.ERROR)


def check_room(runners: int) -> int:
    """Refuse more processes than the cluster has CPUs for; they would never begin to play.

    Returns:
        How many machines there are.
    """
    import ray

    room = int(ray.cluster_resources().get("CPU", 0))
    if runners > room:
        raise ValueError(
            f"env_runners={runners}: the cluster has {room} CPUs; expected at most as many"
        )
    return sum(1 for node in ray.nodes() if node["Alive"])


def _knock(address: str) -> None:
    """A ValueError if nothing listens there; Ray itself would try for minutes."""
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if not host or not port.isdecimal():  # a word of Ray's such as "auto"
        return
    try:
        socket.create_connection((host, int(port)), timeout=PATIENCE).close()
    except OSError as wrong:
        raise ValueError(
            f"ray={address!r}: nothing answers there ({wrong}); start a cluster with "
            "`ray start --head --port 6379` and give its address, such as 10.0.0.1:6379, or leave "
            "--ray out to use this machine only"
        ) from None


def _first_line(wrong: Exception) -> str:
    return str(wrong).strip().partition("\n")[0]
