"""The workers of a Ray: what they are given, what they refuse, and what is left of them."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from compiling import Piece, play
from ray_nodes import nodes
from watching import end_process, node_of, square, stumble, total

from bidarena.cli.main import main
from bidarena.envs import make_game
from bidarena.evaluate.tournament.run import Job
from bidarena.evaluate.workers import ray as ray_workers
from bidarena.evaluate.workers import workers
from bidarena.evaluate.workers.ray_connection import (
    check_address,
    connected,
    differences,
    import_ray,
)


def test_workers__every_job_with_its_result(cluster):
    with workers(1, cluster.address) as do:
        assert sorted(do(square, range(40))) == [(n, n * n) for n in range(40)]


def test_workers__all_nodes_get_jobs(cluster):
    seen, end = set(), time.monotonic() + 90  # the worker of a node may take a while to start

    def jobs():
        while len(seen) < 2 and time.monotonic() < end:
            yield len(seen)

    with workers(1, cluster.address) as do:
        for _, node in do(node_of, jobs()):
            seen.add(node)
    assert len(seen) == 2


def test_workers__ask_for_jobs_only_when_there_is_room(cluster):
    given, done = [], 0

    def jobs():
        for number in range(30):
            given.append(number)
            yield number

    with workers(1, cluster.address) as do:
        for _ in do(square, jobs()):
            done += 1
            assert len(given) - done <= 2 * ray_workers.AHEAD


def test_workers__an_error_names_the_job_and_its_place(cluster):
    with workers(1, cluster.address) as do, pytest.raises(RuntimeError) as told:
        list(do(stumble, range(6)))
    assert "3 failed" in str(told.value) and "three is too much" in str(told.value)


def test_workers__a_job_that_ends_its_process_is_given_up(cluster, monkeypatch):
    monkeypatch.setattr(ray_workers, "RETRIES", 1)
    with workers(1, cluster.address) as do, pytest.raises(RuntimeError, match="lost"):
        list(do(end_process, [1]))


def test_workers__large_arrays_travel_once_and_can_be_written_to(cluster):
    large = np.arange(100_000.0)
    with workers(1, cluster.address) as do:
        packed, arrays = do.__self__._pack((total, (large, 1)))
        assert len(packed) < 1000 and len(arrays) == 1
        found = dict(do(total, [_Pair(large, n) for n in range(4)]))
    assert sorted(found.values()) == [large.sum() + n for n in range(4)]


class _Pair(tuple):
    """An array and a number, told apart by the number."""

    __slots__ = ()

    def __new__(cls, *parts):
        return super().__new__(cls, parts)

    def __reduce__(self):
        return tuple, (list(self),)

    def __hash__(self):
        return self[1]

    def __eq__(self, other):
        return self[1] == other[1]


def test_workers__other_versions_are_refused(cluster, monkeypatch):
    wanted = {**ray_workers.installed(), "bidarena": "7.0", "python": "2.7"}
    monkeypatch.setattr(ray_workers, "installed", lambda: wanted)
    with workers(1, cluster.address) as do, pytest.raises(ValueError) as told:
        list(do(square, [1]))
    assert "instead of 7.0" in str(told.value) and "instead of 2.7" in str(told.value)
    assert differences(wanted, wanted) == ""


def test_workers__compile_once_on_a_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    game = make_game("scotch", length=4, money=(6, 6))
    bots = ("random", "uniform:high=3", "dp")
    lineups = [(one, two) for one in bots for two in bots if one < two]
    results, end = [], time.monotonic() + 90

    def jobs():  # a dozen, and more until a second process has done one
        for n in count():
            if n >= 12 and (len({at for at, _ in results}) > 1 or time.monotonic() > end):
                return
            yield Piece(n, Job(game, lineups[n % 3], 0, 2 * n, 2, None))

    with nodes() as made, workers(1, made.address) as do:
        for _, result in do(play, jobs()):
            results.append(result)
    assert len({process for process, _ in results}) > 1
    who: dict[str, set[int]] = {}
    for process, compiled in results:
        for name in compiled:
            if "__scotch_" in name:  # ours, not what Numba needs for itself
                who.setdefault(name, set()).add(process)
    assert any(name.startswith("play_rows") for name in who)
    assert all(len(processes) == 1 for processes in who.values())


# --- addresses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address", ["nonsense", "host", "host:port", ":6379", "host:0", "http://a"]
)
def test_address__bad_ones_are_refused(address):
    with pytest.raises(ValueError, match="expected HOST:PORT"):
        check_address(address)


def test_address__nobody_there_is_told_in_seconds(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began = time.monotonic()
    words = ["tournament", "scotch", "dp", "random", "--games", "2"]
    assert main([*words, "--ray", f"127.0.0.1:{port}"]) == 2
    assert time.monotonic() - began < 30
    assert "nobody answers there" in capsys.readouterr().err
    assert main([*words, "--ray=nonsense"]) == 2
    assert "ray='nonsense': expected HOST:PORT" in capsys.readouterr().err


@pytest.mark.parametrize("words", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_address__somebody_else_is_not_taken_for_a_ray(words):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            line, _ = server.accept()
            line.sendall(words)
            if words:
                line.close()
            held.append(line)

        held: list[socket.socket] = []
        threading.Thread(target=serve, daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        refused = pytest.raises(ValueError, match=r"nobody answers|something else")
        with refused, connected(import_ray(), address):
            pass
        for line in held:
            line.close()


# --- a Ray of our own ----------------------------------------------------------------------------


def marked(mark: str) -> list[str]:
    """The processes that were started, by whomever, with this word in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def start(tmp_path, mark, *words):
    line = [sys.executable, "-m", "bidarena.cli.main", "tournament", *words]
    env = {**os.environ, "MARK": mark}
    return subprocess.Popen(
        line,
        cwd=tmp_path,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A background job of a shell ignores SIGINT, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


def wait_for(what, seconds=30.0):
    ends = time.monotonic() + seconds
    while not what() and time.monotonic() < ends:
        time.sleep(0.2)
    return what()


def test_local_ray__leaves_nothing_behind(tmp_path):
    mark = secrets.token_hex(8)
    words = ("scotch", "dp", "random", "--games", "40", "--ray", "--json")
    done = start(tmp_path, mark, *words)
    out, err = done.communicate(timeout=120)
    assert done.returncode == 0, err
    assert json.loads(out)["games"] == 40
    assert "ray" not in err.lower().replace("array", "")  # quiet
    assert marked(mark) == []
    assert not list(Path("/tmp").glob(f"bidarena-ray-{done.pid}-*"))


AGENTS = ("ray::DashboardAgent", "ray::RuntimeEnvAgent")  # end by themselves, a minute later


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_local_ray__ends_with_whoever_started_it(tmp_path, how):
    mark = secrets.token_hex(8)
    words = ("raj", "mcts:iterations=20000", "random", "--games", "100000", "--ray")
    begun = start(tmp_path, mark, *words, "--folder", "kept")
    assert wait_for(lambda: any("ray::errand" in line for line in marked(mark)), 60)
    begun.send_signal(how)
    begun.communicate(timeout=60)
    later = AGENTS if how == signal.SIGKILL else ()
    assert wait_for(lambda: [line for line in marked(mark) if line.strip() not in later] == [])
    for folder in Path("/tmp").glob(f"bidarena-ray-{begun.pid}-*"):
        assert how == signal.SIGKILL
        shutil.rmtree(folder, ignore_errors=True)
