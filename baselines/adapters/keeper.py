"""The keeper: a small process that starts a program of others under limits, and kills all of it.

A `Sandbox` (sandbox.py) starts it as a script, `python -I -S keeper.py SOCKET LIMITS HOME`; it
imports only the standard library. It gets orders as JSON through the socket. {"start": ...} comes
with three file descriptors, for stdin, stdout and stderr of the program. {"end": n} kills the
program and all its descendants. The keeper does that too when the socket closes, which happens
whenever its owner ends, in whatever way.

A program cannot escape by a new session or by losing its parent. Where the system allows it, the
keeper is the first process of a process namespace, so that one signal reaches all other processes
in it at once. Elsewhere orphans become children of the keeper, which kills descendants until none
is left.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import importlib.util
import json
import os
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CLONE_NEWUSER, CLONE_NEWPID = 0x10000000, 0x20000000


def load_beside(name: str) -> Any:
    """Return a module that lies beside this script, which runs without a path to import from."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


jail = load_beside("jail")

TICK = 0.2  # seconds between two checks of the limits
PATIENCE = 10.0  # seconds after which killing a program is given up
MIB = 1 << 20


class Keeper:
    """Runs at most one program at a time, with all its descendants."""

    def __init__(self, control: socket.socket, alone: bool) -> None:
        self.control = control
        self.alone = alone  # True: this is the first process of a namespace
        self.main = 0  # process id of the program; 0: none runs
        self.group = 0  # process group of the last program
        self.memory = 0  # most bytes of all its processes together
        self.processes = 0  # most processes at one time
        self.disk = 0  # most bytes of its temporary files
        self.seen_at = 0.0  # when the limits were checked last

    def run(self) -> None:
        """Obey orders until the socket closes, then kill everything."""
        waking, woken = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(waking, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        events = select.poll()
        events.register(self.control, select.POLLIN)
        events.register(waking, select.POLLIN)
        parent = os.getppid()
        while True:
            timeout = TICK if self.main else 1.0
            ready = [fd for fd, _ in events.poll(timeout * 1000)]
            if waking in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(waking, 4096)
            self.reap()
            if self.control.fileno() in ready and not self.obey():
                break
            if not self.alone and os.getppid() != parent:
                break
            if self.main and time.monotonic() - self.seen_at >= TICK:
                self.look()
        self.kill_all()
        if len(sys.argv) > 3:  # the home folder: the owner may have ended before removing it
            shutil.rmtree(sys.argv[3], ignore_errors=True)

    def obey(self) -> bool:
        """Obey one order; return False if the socket is closed."""
        try:
            data, ancillary, _, _ = self.control.recvmsg(1 << 18, socket.CMSG_SPACE(12))
        except ConnectionError:
            return False
        if not data:
            return False
        order = json.loads(data)
        if "end" in order:
            self.kill_all()
            self.tell({"ended": order["end"]})
            return True
        given = array.array("i")
        for _, _, part in ancillary:
            given.frombytes(part[: len(part) - len(part) % given.itemsize])
        self.start(order["start"], list(given))
        return True

    def start(self, order: dict[str, Any], streams: list[int]) -> None:
        """Start a program, and send whether it runs or why not."""
        self.kill_all()
        self.memory, self.processes = order["memory"] * MIB, order["processes"]
        self.disk = order["disk"] * MIB
        try:
            program = subprocess.Popen(
                order["argv"],
                stdin=streams[0],
                stdout=streams[1],
                stderr=streams[2],
                cwd=order["cwd"],
                env=order["env"],
                start_new_session=True,
                preexec_fn=lambda: self.confine(order),  # noqa: PLW1509 (one thread)
            )
        except OSError as wrong:
            self.tell({"failed": f"{wrong.strerror}: {order['argv'][0]}"})
        except subprocess.SubprocessError as wrong:
            self.tell({"failed": f"{wrong}: {order['argv'][0]}"})
        else:
            self.main = self.group = program.pid
            program.returncode = 0  # `reap` waits for it, not this object
            self.seen_at = time.monotonic()
            self.tell({"started": order["id"]})
        finally:
            for stream in streams:
                os.close(stream)

    def confine(self, order: dict[str, Any]) -> None:
        """Limit the calling process, which is about to become the program."""
        if not self.alone:
            die_with_keeper()
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.disk, self.disk))
        if order["allowed"] is not None:
            rules = jail.ruleset(order["allowed"])
            jail.enter(rules)
            os.close(rules)

    def reap(self) -> None:
        """Collect all processes that have ended; send the exit code if the program is one."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.main:
                self.main = 0
                self.tell({"exited": os.waitstatus_to_exitcode(status)})

    def look(self) -> None:
        """Kill the program if it uses too much memory or too many processes."""
        self.seen_at = time.monotonic()
        found = descendants()
        if len(found) > self.processes:
            self.tell({"killed": f"started more than {self.processes} processes"})
            self.kill_all()
        elif sum(map(resident, found)) > self.memory:
            self.tell({"killed": f"used more than {self.memory // MIB} MiB of memory"})
            self.kill_all()
        elif len(sys.argv) > 3 and bytes_in(sys.argv[3], self.disk) > self.disk:
            self.tell({"killed": f"wrote more than {self.disk // MIB} MiB of temporary files"})
            self.kill_all()

    def kill_all(self) -> None:
        """Kill the program and all its descendants, and wait until they are gone."""
        self.main = 0
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.alone:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(-1, signal.SIGKILL)  # all processes of this namespace but the first
            else:
                if self.group:  # all at once; below those that left the group
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.killpg(self.group, signal.SIGKILL)
                found = descendants()
                for order in (signal.SIGSTOP, signal.SIGKILL):
                    for pid in found:
                        with contextlib.suppress(ProcessLookupError, PermissionError):
                            os.kill(pid, order)
            try:
                while os.waitpid(-1, 0 if self.alone else os.WNOHANG)[0]:
                    pass
                time.sleep(0.001)
            except ChildProcessError:
                self.group = 0  # the system may give this number to others now
                return

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to the owner, if there still is one."""
        with contextlib.suppress(OSError):
            self.control.send(json.dumps(message).encode())


def descendants() -> list[int]:
    """Return the ids of all descendants of this process, including orphans.

    These are the ids in /proc, which differ from the ids inside of a namespace.
    """
    found: list[int] = []
    waiting = ["self"]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    children = (task / "children").read_text().split()
                    found += map(int, children)
                    waiting += children
    return found


def resident(pid: int) -> int:
    """Return about how many bytes of memory a process uses.

    Memory that processes share is divided among them. Files in memory count too, whether or not
    they are mapped.
    """
    kinds = ("Pss_Anon:", "Pss_Shmem:")
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        found = 1024 * sum(int(line.split()[1]) for line in lines if line.startswith(kinds))
    except (OSError, ValueError, IndexError):  # an old kernel, or the process has just ended
        try:
            _, total, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
        except (OSError, ValueError):
            return 0
        found = (int(total) - int(shared)) * resource.getpagesize()
    return found + unmapped(pid)


def unmapped(pid: int) -> int:
    """Return the bytes of files in memory (memfd) that a process holds open."""
    total = 0
    with contextlib.suppress(OSError):
        for opened in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if str(opened.readlink()).startswith("/memfd:"):
                    total += opened.stat().st_blocks * 512
    return total


def bytes_in(folder: str, enough: int) -> int:
    """Return how many bytes the files in a folder take; no more than that are `enough` to know."""
    total = 0
    waiting = [folder]
    while waiting and total <= enough:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as found:
            for entry in found:
                with contextlib.suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return total


def die_with_keeper() -> None:
    """Make the calling process end when its parent, the keeper, ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def enter_namespace() -> bool:
    """Make the next child the first process of a new namespace; return False if not allowed."""
    libc = ctypes.CDLL(None)
    if libc.unshare(CLONE_NEWPID) == 0:
        return True
    user, group = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0:
        return False
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    return True


def stand_by(inner: int, parent: int) -> None:
    """Wait, outside of the namespace, until its first process ends; kill it if the owner ends."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    while os.waitpid(inner, os.WNOHANG)[0] == 0:
        if os.getppid() != parent:
            os.kill(inner, signal.SIGKILL)
        signal.sigtimedwait({signal.SIGCHLD}, 1.0)


def main() -> None:
    """Set the limits and serve the socket, both given on the command line."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    limits = json.loads(sys.argv[2])
    for what, most in ((resource.RLIMIT_DATA, limits["memory"] * MIB), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(what, (most, most))
    parent = os.getppid()
    alone = limits["namespace"] and enter_namespace()
    if alone:
        inner = os.fork()
        if inner:
            control.close()
            stand_by(inner, parent)
            return
        die_with_keeper()
    else:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    Keeper(control, alone).run()


if __name__ == "__main__":
    main()
