"""Jobs as tasks of a Ray: the same as in processes of this machine, on as many as there are.

A task is one job. Whoever loses a machine loses the tasks that ran there, and Ray starts them anew
elsewhere. What a job names by path need not exist on the other machines: the files of policies are
sent along, and large arrays travel once and not with every job.
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

from bidarena.baselines.adapters.asked import elsewhere
from bidarena.envs.files import write_whole
from bidarena.envs.policy_paths import bring_policy, found_policies
from bidarena.envs.registry import Bot
from bidarena.evaluate.preparing import machine_folder, share
from bidarena.evaluate.ray_connection import connected, differences, import_ray, installed
from bidarena.evaluate.workers import Do, Job, Work

RETRIES = 8  # how often a job is begun anew whose machine or process was lost
AHEAD = 2  # jobs under way for each core, so that none waits for the next one
PATIENCE = 1.0  # seconds between two looks at how many cores there are
LARGE = 32_768  # bytes of an array from which on it is sent only once

DONE, REFUSED, FAILED = "done", "refused", "failed"


@dataclass(frozen=True)
class Brief:
    """What a worker must know once, before its first job."""

    run: str  # a word that no other run has
    folder: Path | None  # where workers keep files; None: each machine finds a place itself
    versions: dict[str, str]  # of what the results depend on
    files: dict[str, tuple[str, str, Any]]  # as written -> name, digest, reference to its bytes
    path: list[str]  # where Python looks for modules, for games and bots of one's own


@contextmanager
def ray_team(address: str, cores: int | None = None) -> Iterator[Do]:
    """What does jobs on a Ray, for `with`; see `workers`.

    Args:
        address: "local" starts a Ray on this machine and stops it at the end; "HOST:PORT" of a head
            to which this machine belongs, "ray://HOST:PORT" from outside, "auto" finds one here. A
            Ray to which this process is connected already is used as it is.
        cores: of a local one; None: all that this process may use.
    """
    ray = import_ray()
    with connected(ray, address, cores) as folder:
        team = _Team(ray, folder)
        yield team.do


def refuse_elsewhere(players: dict[str, Any]) -> None:
    """Refuse bots that live in a process beside this one, by name: other machines lack it."""
    for name, player in players.items():
        if isinstance(player, Bot) and player.act is elsewhere:
            raise ValueError(
                f"bot={name!r}: a program of its own on this machine, which cannot be sent to "
                "others; leave out --ray and use --processes"
            )


class _Team:
    """Sends jobs to a Ray and hands over what comes back."""

    def __init__(self, ray: Any, folder: Path | None) -> None:
        self._ray, self._folder = ray, folder
        self._run = secrets.token_hex(8)
        self._sent: dict[str, Any] = {}  # digests of files -> references
        self._arrays: dict[int, tuple[Any, Any]] = {}  # id -> the array, so that it stays, and ref.
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES)(errand)

    def do(self, work: Work, jobs: Iterable[Job]) -> Iterator[tuple[Job, Any]]:
        """Each job with its result, in the order in which they end."""
        ray = self._ray
        waiting = iter(jobs)
        brief = [ray.put(self._brief())]  # in a list, so that only newcomers fetch it
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
                    send(room - len(doing))  # before the result is dealt with: no idling
                    yield job, result
                send(room - len(doing))
        finally:
            for one in doing:
                with suppress(Exception):  # the connection may be gone
                    ray.cancel(one, force=True)

    def _receive(self, reference: Any, job: Any) -> Any:
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
        """How many jobs may be under way."""
        cores = self._ray.cluster_resources().get("CPU", 0)
        return AHEAD * max(1, int(cores))

    def _brief(self) -> Brief:
        files = {}
        for written, path in found_policies().items():
            content = path.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            if digest not in self._sent:
                self._sent[digest] = self._ray.put(content)
            files[written] = (path.name, digest, self._sent[digest])
        return Brief(self._run, self._folder, installed(), files, sys.path)

    def _pack(self, what: Any) -> tuple[bytes, list[Any]]:
        """Pickled, without large arrays, and the references to these."""
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


# --- on the other side ---------------------------------------------------------------------------

_here: dict[str, Any] = {}  # the brief that this worker has read
_fetched: dict[str, Any] = {}  # large arrays by reference


def errand(brief: list[Any], packed: bytes, arrays: list[Any]) -> bytes:
    """A task of Ray: do one job; what came of it, pickled."""
    try:
        _read_brief(brief[0])
        work, job = _unpack(packed, arrays)
    except Exception as wrong:  # whatever it is, it is a matter of this machine, not of the job
        where = f"ray: the node {_node()} cannot work for this run"
        return pickle.dumps((REFUSED, f"{where}: {wrong}"))
    try:
        return pickle.dumps((DONE, work(job)), pickle.HIGHEST_PROTOCOL)
    except Exception:  # it is the driver who must hear of it
        return pickle.dumps((FAILED, traceback.format_exc()))


def _read_brief(reference: Any) -> None:
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
    """Inside a job: a folder of this machine that all workers of the run share."""
    folder: Path = _here["folder"]
    return folder


def _unpack(packed: bytes, arrays: list[Any]) -> tuple[Callable[[Any], Any], Any]:
    class Unpacker(pickle.Unpickler):
        def persistent_load(self, number: Any) -> Any:
            key = arrays[number].hex()
            if key not in _fetched:  # a copy: what Ray gives cannot be written to
                _fetched[key] = np.array(import_ray().get(arrays[number]))
            return _fetched[key]

    work, job = Unpacker(io.BytesIO(packed)).load()
    return work, job


def _node() -> str:
    with suppress(Exception):
        return str(import_ray().util.get_node_ip_address())
    return sys.platform
