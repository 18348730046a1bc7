"""Connects to a Ray or starts a local one, with errors that say what to type instead."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import platform
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bidarena.envs.system import may_run, usable_cores

LOCAL, AUTO = "local", "auto"
FOLDER = "bidarena-ray"  # prefix of the folders of local Rays
OBJECTS = 128 * 2**20  # bytes of a local Ray's object store
ANSWER = 5.0  # seconds that the server at an address has for its first answer
START = "start one with `ray start --head --port 6379` and give its HOST:6379"
# Environment variables that Ray reads when it is imported; a try to connect takes a second or more
ENVIRONMENT = {"RAY_NUM_REDIS_GET_RETRIES": "3", "RAY_USAGE_STATS_ENABLED": "0"}

# The preface of HTTP/2 and an empty SETTINGS frame; Ray's servers answer with theirs.
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_SETTINGS_FRAME = 4


def import_ray() -> Any:
    """Return the module `ray`; raise ValueError that says how to install it if it is missing."""
    if "ray" not in sys.modules:
        for name, value in ENVIRONMENT.items():
            os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as missing:
        raise ValueError(
            f'ray: it is not installed here ({missing}); pip install "bidarena[ray]", best in an '
            "environment of its own, because it pins the version of gymnasium"
        ) from None
    return ray


@contextmanager
def connected(ray: Any, address: str, cores: int | None = None) -> Iterator[Path | None]:
    """Context manager that connects to a Ray and yields the folder that all its workers share.

    It yields None unless the Ray is a local one started here.
    """
    check_address(address)
    if ray.is_initialized():  # the caller's own connection is used and not closed
        yield None
        return
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address != LOCAL:
        _reach(ray, address, quiet)
        try:
            yield None
        finally:
            ray.shutdown()
        return
    folder = _own_folder()
    try:
        ray.init(
            address=LOCAL,
            num_cpus=cores or usable_cores(),
            include_dashboard=False,
            object_store_memory=OBJECTS,
            _temp_dir=str(folder),
            **quiet,
        )
        try:
            (folder / "bidarena").mkdir()
            yield folder / "bidarena"
        finally:
            ray.shutdown(wait_for_processes=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _own_folder() -> Path:
    """Make and return a folder for a local Ray; remove those that killed processes left."""
    # Ray puts sockets there, and their paths must be short: not below a deep TMPDIR.
    parent = Path("/tmp") if Path("/tmp").is_dir() else Path(tempfile.gettempdir())
    for other in parent.glob(f"{FOLDER}-*-*"):
        owner = other.name.split("-")[-2]
        if owner.isdecimal() and not may_run(int(owner)):
            shutil.rmtree(other, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{FOLDER}-{os.getpid()}-", dir=parent))


def check_address(address: str) -> tuple[str, int] | None:
    """Return (host, port) of an address, None for "local" and "auto"; raise ValueError if wrong."""
    if address in (LOCAL, AUTO):
        return None
    parts = re.fullmatch(r"(?:ray://)?(\[[^\]]+\]|[^:/\s]+):(\d{1,5})", address)
    if parts is None or not 0 < int(parts[2]) < 2**16:
        raise ValueError(
            f"ray={address!r}: expected HOST:PORT of a Ray's head, ray://HOST:PORT from outside of "
            "its machines, auto, or nothing for a Ray of this machine's own"
        )
    return parts[1].strip("[]"), int(parts[2])


def _reach(ray: Any, address: str, quiet: Mapping[str, Any]) -> None:
    """Connect to the Ray at an address; raise ValueError with a hint if that fails."""
    place = check_address(address)
    if place is not None:
        _listen(address, *place)
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as wrong:
        told = " ".join(_told(wrong).split())
        if "uthentication" in told:
            hint = "it asks for a token: set RAY_AUTH_MODE=token, with Ray's token on this machine"
        elif "ersion mismatch" in told:
            hint = "its Ray or Python is another one; install the same versions on every machine"
        elif address == AUTO:
            hint = f"no Ray is running on this machine; {START}"
        else:
            hint = "cannot be reached as a Ray; from a machine that is not one of its nodes, use "
            hint += "ray://HOST:10001"
        raise ValueError(f"ray={address!r}: {hint} ({told[:300]})") from wrong


def _told(wrong: BaseException | None) -> str:
    """Return the messages of an error and of its causes."""
    said = []
    while wrong is not None:
        said.append(str(wrong))
        wrong = wrong.__cause__
    return said[0] if len(said) == 1 else f"{said[0]}: {said[-1][-2000:]}"


def _listen(address: str, host: str, port: int) -> None:
    """Raise ValueError unless a Ray answers at an address; `ray.init` would try for minutes."""
    try:
        with socket.create_connection((host, port), timeout=ANSWER) as line:
            line.settimeout(ANSWER)
            line.sendall(_GREETING)
            answer = line.recv(9)
    except OSError as wrong:
        raise ValueError(f"ray={address!r}: nobody answers there ({wrong}); {START}") from None
    if len(answer) < 4 or answer[3] != _SETTINGS_FRAME:
        raise ValueError(f"ray={address!r}: something else than a Ray answers there; {START}")


# --- equal versions on all machines --------------------------------------------------------------


@lru_cache(maxsize=1)
def installed() -> dict[str, str]:
    """Return the versions of all packages on which results depend, and a digest of our code."""
    found = {"python": ".".join(platform.python_version_tuple()[:2])}
    for package in ("bidarena", "numba", "numpy"):
        found[package] = version(package)
    code = hashlib.sha256()
    for part in ("envs", "baselines", "evaluate", "train", "studies"):
        spec = importlib.util.find_spec(f"bidarena.{part}")
        assert spec is not None and spec.origin is not None
        folder = Path(spec.origin).parent
        for file in sorted(folder.rglob("*.py")):
            code.update(f"{part}/{file.relative_to(folder).as_posix()}\n".encode())
            code.update(file.read_bytes())
    found["the code of bidarena"] = code.hexdigest()[:12]
    return found


def differences(wanted: Mapping[str, str], found: Mapping[str, str]) -> str:
    """Return as text where `found` differs from `wanted`; "" if nowhere."""
    return ", ".join(
        f"{name} {found.get(name, 'missing')} instead of {wanted[name]}"
        for name in wanted
        if found.get(name) != wanted[name]
    )
