"""Runs jobs as tasks of a Ray, on all its machines, with the results of local processes.

A task is one job. When a machine is lost, Ray starts the tasks that ran there again elsewhere.
Policy files need not exist on the other machines: they are sent along. Large arrays are sent once
and not with every job.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import secrets
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from bidarena.envs.files import write_whole
from bidarena.envs.registry import PROGRAM, Bot
from bidarena.envs.registry.paths import bring_policy, found_policies
from bidarena.evaluate.workers.preparing import machine_folder, share
from bidarena.evaluate.workers.processes import Do, Job, Work
from bidarena.evaluate.workers.ray_connection import connected, differences, import_ray, installed

RETRIES = 8  # times that a job is started again when its machine or process is lost
AHEAD = 2  # jobs under way for each core, so that no core waits for its next job
PATIENCE = 1.0  # seconds between two counts of the cores
LARGE = 32_768  # bytes; an array of at least this size is sent only once

DONE, REFUSED, FAILED = "done", "refused", "failed"


@dataclass(frozen=True)
class Brief:
    """The facts that a worker needs before its first job."""

    run: str  # unique name of the run
    folder: Path | None  # folder for files of the workers; None: each machine chooses one
    versions: dict[str, str]  # versions of all packages on which results depend
    files: dict[str, tuple[str, str, Any]]  # path as given -> name, digest, reference to its bytes
    path: list[str]  # `sys.path` of the driver, to find the user's own games and bots


@contextmanager
def ray_team(address: str, cores: int | None = None) -> Iterator[Do]:
    """Context manager that yields `do(work, jobs)`, run on a Ray; see `workers`.

    Args:
        address: "local" starts a Ray on this machine and stops it at the end; "HOST:PORT" is the
            head of a Ray to which this machine belongs, "ray://HOST:PORT" one seen from outside;
            "auto" finds a Ray on this machine. If this process is connected to a Ray already, that
            one is used.
        cores: cores of a local Ray; None: all that this process may use.
    """
    ray = import_ray()
    with connected(ray, address, cores) as folder:
        team = _Team(ray, folder)
        yield team.do


def check_sendable(players: dict[str, Any]) -> None:
    """Raise ValueError if a player, by name, is a program that other machines may lack."""
    for name, player in players.items():
        if isinstance(player, Bot) and player.kind == PROGRAM:
            raise ValueError(
                f"bot={name!r}: a program of its own on this machine, which cannot be sent to "
                "others; leave out --ray and use --processes"
            )


class _Team:
    """Sends jobs to a Ray and yields their results."""

    def __init__(self, ray: Any, folder: Path | None) -> None:
        self._ray, self._folder = ray, folder
        self.ahead: int | None = None  # jobs under way; None: `AHEAD` for each core
        self._run = secrets.token_hex(8)
        self._sent: dict[str, Any] = {}  # digests of files -> references
        self._arrays: dict[int, tuple[Any, Any]] = {}  # id -> array (kept alive), reference
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES)(errand)

    def do(self, work: Work, jobs: Iterable[Job]) -> Iterator[tuple[Job, Any]]:
        """Yield each job with its result, in the order in which the jobs end."""
        ray = self._ray
        waiting = iter(jobs)
        brief = [ray.put(self._brief())]  # in a list, so that Ray does not fetch it for every job
        doing: dict[Any, Job] = {}
        room, looked = self._room(), time.monotonic()

        def send(most: int) -> None:
            for job in islice(waiting, most):
                packed, arrays = self._pack((work, job))
                doing[self._task.remote(brief, packed, arrays)] = job

        try:
            send(room)
            while doing:
                over, rest = ray.wait(list(doing), num_returns=1, timeout=PATIENCE)
                if over and rest:
                    over += ray.wait(rest, num_returns=len(rest), timeout=0)[0]
                if time.monotonic() - looked > PATIENCE:  # machines come and go
                    room, looked = self._room(), time.monotonic()
                for one in over:
                    job = doing.pop(one)
                    result = self._receive(one, job)
                    send(room - len(doing))  # before the caller uses the result: no idling
                    yield job, result
                send(room - len(doing))
        finally:
            for one in doing:
                with suppress(Exception):  # the connection may be gone
                    ray.cancel(one, force=True)

    def _receive(self, reference: Any, job: Any) -> Any:
        """Return the result of a job; raise if it failed or was lost."""
        try:
            kind, answer = pickle.loads(self._ray.get(reference))
        except self._ray.exceptions.RayTaskError as wrong:  # not one of ours: errand catches those
            if "bidarena" in str(wrong.cause):
                raise ValueError(
                    "ray: a node has no bidarena; install the same version of it on every node"
                ) from wrong
            raise RuntimeError(f"{job} failed:\n{wrong}") from wrong
        except self._ray.exceptions.RayError as lost:
            raise RuntimeError(f"{job} was begun {RETRIES + 1} times and lost: {lost}") from lost
        if kind == REFUSED:
            raise ValueError(answer)
        if kind == FAILED:
            raise RuntimeError(f"{job} failed:\n{answer}")
        return answer

    def _room(self) -> int:
        """Return the number of jobs that may be under way."""
        if self.ahead is not None:
            return self.ahead
        cores = self._ray.cluster_resources().get("CPU", 0)
        return AHEAD * max(1, int(cores))

    def _brief(self) -> Brief:
        """Return the brief of this run, with all policy files found so far."""
        files = {}
        for written, path in found_policies().items():
            content = path.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            if digest not in self._sent:
                self._sent[digest] = self._ray.put(content)
            files[written] = (path.name, digest, self._sent[digest])
        return Brief(self._run, self._folder, installed(), files, sys.path)

    def _pack(self, what: Any) -> tuple[bytes, list[Any]]:
        """Return `what` pickled without its large arrays, and the references to these."""
        arrays: list[Any] = []

        class Packer(pickle.Pickler):
            def persistent_id(packer, part: Any) -> int | None:  # noqa: N805
                if not isinstance(part, np.ndarray) or part.nbytes < LARGE:
                    return None
                if id(part) not in self._arrays:
                    self._arrays[id(part)] = (part, self._ray.put(part))
                arrays.append(self._arrays[id(part)][1])
                return len(arrays) - 1

        packed = io.BytesIO()
        Packer(packed, pickle.HIGHEST_PROTOCOL).dump(what)
        return packed.getvalue(), arrays


# --- in the workers ------------------------------------------------------------------------------

_here: dict[str, Any] = {}  # the brief that this worker has read
_fetched: dict[str, Any] = {}  # large arrays by reference


def errand(brief: list[Any], packed: bytes, arrays: list[Any]) -> bytes:
    """Do one job and return (kind, result or message), pickled; this is the task of Ray."""
    try:
        _read_brief(brief[0])
        work, job = _unpack(packed, arrays)
    except Exception as wrong:  # the fault of this machine, not of the job
        where = f"ray: the node {_node()} cannot work for this run"
        return pickle.dumps((REFUSED, f"{where}: {wrong}"))
    try:
        return pickle.dumps((DONE, work(job)), pickle.HIGHEST_PROTOCOL)
    except Exception:  # the driver must hear of it
        return pickle.dumps((FAILED, traceback.format_exc()))


def _read_brief(reference: Any) -> None:
    """Prepare this worker for a run, unless it is; raise ValueError if versions differ."""
    if _here.get("reference") == reference.hex():
        return
    ray = import_ray()
    brief: Brief = ray.get(reference)
    wrong = differences(brief.versions, installed())
    if wrong:
        raise ValueError(f"it has {wrong}; install the same on every node")
    sys.path += [place for place in brief.path if place not in sys.path]
    folder = machine_folder(brief.run) if brief.folder is None else brief.folder
    share(folder)
    for written, (name, digest, content) in brief.files.items():
        path = folder / digest[:16] / name
        if not path.is_file():
            found = ray.get(content)
            if hashlib.sha256(found).hexdigest() != digest:
                raise ValueError(f"{written} did not arrive as it was sent")
            write_whole(path, found)
        bring_policy(written, path)
    _here["reference"], _here["folder"] = reference.hex(), folder


def scratch() -> Path:
    """Return the folder that all workers of the run share on this machine; call it in a job."""
    folder: Path = _here["folder"]
    return folder


def _unpack(packed: bytes, arrays: list[Any]) -> tuple[Callable[[Any], Any], Any]:
    """Return (work, job) from what `_Team._pack` made."""

    class Unpacker(pickle.Unpickler):
        def persistent_load(self, number: Any) -> Any:
            key = arrays[number].hex()
            if key not in _fetched:  # a copy: what Ray gives cannot be written to
                _fetched[key] = np.array(import_ray().get(arrays[number]))
            return _fetched[key]

    work, job = Unpacker(io.BytesIO(packed)).load()
    return work, job


def _node() -> str:
    """Return the address of this machine, for messages."""
    with suppress(Exception):
        return str(import_ray().util.get_node_ip_address())
    return sys.platform
