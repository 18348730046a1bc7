"""Systems differ: everything works, with less, where the names of POSIX are missing."""

import ast
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from bidarena.envs import files, system

ROOT = Path(__file__).parents[2]

# A Python as on Windows: without the modules and names that only POSIX has. What is not ours is
# imported before, because it looks for the system it was installed on.
WINDOWS = """
    import asyncio, ctypes, multiprocessing.connection, os, select, signal, socket, subprocess, sys
    import tempfile, time
    import gymnasium, llvmlite.binding, numba, numpy, openskill.models, rich.console, rich.progress
    import rich.table, safetensors.numpy, scipy.optimize, tyro

    def refuse(*_):
        raise AssertionError("os.kill sends Ctrl-C here")

    for module in ("fcntl", "grp", "pwd", "resource", "termios"):
        sys.modules[module] = None
    for place, names in {
        os: "fork getuid geteuid getgid killpg sched_getaffinity uname",
        select: "poll",
        signal: "SIGALRM SIGCHLD SIGKILL SIGSTOP setitimer ITIMER_REAL pthread_sigmask",
        socket: "AF_UNIX send_fds",
        time: "CLOCK_MONOTONIC clock_gettime",
    }.items():
        for name in names.split():
            delattr(place, name)
    os.kill = refuse
    sys.platform = "win32"
    os.environ["LOCALAPPDATA"] = tempfile.mkdtemp()
"""


def run(code, *words, **environment):
    """Run code on such a Python; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(WINDOWS) + textwrap.dedent(code), *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


COMMAND = """
    from bidarena.cli.main import main
    sys.exit(main(sys.argv[1:]))
"""


def test_windows__an_environment_can_be_made_and_played():
    code = """
        import bidarena.envs
        env = gymnasium.make("bidarena/Raj-v0", opponent="value")
        view, info = env.reset(seed=1)
        done = False
        while not done:
            action = int(info["action_mask"].argmax())
            view, reward, over, cut, info = env.step(action)
            done = over or cut
        rows = gymnasium.make_vec("bidarena/Raj-v0", num_envs=3, threads=2)
        print(reward, rows.reset(seed=1)[0].shape[0])
    """
    reward, rows = run(code).split()
    assert -1 <= float(reward) <= 1 and rows == "3"


def test_windows__a_match_is_played():
    words = ["match", "raj", "value", "random", "--games", "20", "--seconds-per-move", "1"]
    assert "20 games in" in run(COMMAND, *words)


def test_windows__a_search_keeps_its_time():
    """Compiled code asks Python for the time, where it cannot ask the system."""
    code = """
        import bidarena.envs
        env = gymnasium.make("bidarena/Raj-v0", opponent="ismcts:ms=200", seat=0)
        _, info = env.reset(seed=1)
        for _ in range(2):  # the first step compiles
            began = time.perf_counter()
            _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
        print(time.perf_counter() - began)
    """
    assert 0.15 <= float(run(code)) < 2.0


def test_windows__bots_in_processes_of_their_own_are_refused_in_words(tmp_path):
    program = tmp_path / "bot.py"
    program.write_text("print(1)\n")
    code = """
        from bidarena.cli.main import main
        sys.stderr = sys.stdout
        print(main(["match", "scotch", sys.argv[1], "random", "--games", "2"]))
    """
    told = run(code, f"cmd:{sys.executable} {program}")
    assert "Linux only" in told and "Traceback" not in told
    assert told.split()[-1] == "2"


# --- the parts -----------------------------------------------------------------------------------


def test_clock__is_the_one_of_compiled_code():
    assert abs(system.read_clock() - time.monotonic()) < 1.0


def test_may_run__this_process_does_and_an_ended_one_does_not():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert system.may_run(os.getpid())
    assert not system.may_run(ended.pid)
    assert system.may_run(10**30)  # no process at all: whose folder this is cannot be told


def test_may_run__sends_nothing_on_windows(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("sends Ctrl-C"))
    assert system.may_run(os.getpid())


class Msvcrt(SimpleNamespace):
    """Windows' locks of bytes, for the files of this process: (file, byte) -> its owner."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def locking(self, number, how, count):
        """Lock or unlock bytes from the position of a file on; fail as Windows does."""
        assert count == 1
        key = os.fstat(number).st_ino, os.lseek(number, 0, os.SEEK_CUR)
        if how == self.LK_UNLCK:
            if self.owners.pop(key, None) != number:
                raise PermissionError(13, "Permission denied")
        elif self.owners.setdefault(key, number) != number:
            raise PermissionError(13, "Permission denied")


def test_lock__windows_locks_one_byte_that_nobody_reads(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", Msvcrt(owners={}))
    path = tmp_path / "claim"
    with path.open("wb") as mine, path.open("ab") as other:
        mine.write(b"text")
        mine.flush()
        assert system.try_lock(mine)
        assert not system.try_lock(other)
        with pytest.raises(ValueError, match="another run is writing there"):
            files.lock(other, tmp_path, patience=0.1)
        mine.write(b" more")
        mine.flush()
        assert path.read_bytes() == b"text more"  # its position has stayed
        system.unlock(mine)
        assert system.try_lock(other)


def test_lock__a_system_without_locks_gives_it_to_everybody(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", None)
    path = tmp_path / "claim"
    with path.open("ab") as one, path.open("ab") as other:
        assert system.try_lock(one) and system.try_lock(other)


# --- one place -----------------------------------------------------------------------------------

ONLY_POSIX = {
    *("fcntl", "resource", "termios", "pwd", "grp", "pty", "tty", "posix"),
    *("CLOCK_MONOTONIC", "clock_gettime", "SIGKILL", "SIGALRM", "SIGSTOP", "SIGCHLD", "SIGHUP"),
    *("setitimer", "pthread_sigmask", "sigtimedwait", "fork", "killpg", "setsid", "getuid"),
    *("geteuid", "getgid", "sched_getaffinity", "uname", "AF_UNIX", "send_fds", "recv_fds"),
    *("poll", "preexec_fn", "start_new_session", "pass_fds", "O_PATH", "mkfifo", "prctl"),
    *("add_signal_handler",),
}
# What may use these names beside envs/system.py, and why
EXCEPT = {
    "baselines/adapters/jail.py": "Linux only",
    "baselines/adapters/keeper.py": "Linux only",
    "baselines/adapters/sandbox.py": "Linux only; refuses other systems",
    "cli/resident.py": "only where os has getuid",
    "evaluate/match/asking.py": "only where signal has setitimer",
}


def posix_names(path):
    """Return the names of POSIX that a file uses, as modules, attributes or keywords."""
    used = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            used |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            used |= {node.module or "", *(alias.name for alias in node.names)}
        elif isinstance(node, ast.Call):
            used |= {keyword.arg for keyword in node.keywords}
        elif isinstance(node, ast.Attribute):
            module = node.value.id if isinstance(node.value, ast.Name) else ""
            used |= {node.attr} if module in MODULES else set()
            used |= {"os.kill"} if (module, node.attr) == ("os", "kill") else set()
    return used & (ONLY_POSIX | {"os.kill"})


MODULES = {"os", "time", "signal", "socket", "select", "loop"}


def test_posix_names__are_used_in_one_place():
    folders = ("envs", "baselines", "evaluate", "train", "studies", "arena", "cli")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix(): posix_names(path) for path in paths}
    users = {name for name, names in found.items() if names}
    assert "envs/system.py" in users
    assert users - {"envs/system.py"} == set(EXCEPT), {name: found[name] for name in users}
