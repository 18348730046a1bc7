"""Run programs of others in processes of their own, under limits. This is the side of our process.

    program = Sandbox(["./mybot"], Limits(seconds=2))
    answer = program.run(b"1\n5\n\n\n")       # a new process: all that it prints until it ends
    answer = program.ask(b'{"type": "move"}')  # a process that keeps running: one line for one line
    program.close()

A `Sandbox` starts a keeper process (keeper.py), which starts and kills the program; our process
talks to the program through pipes. If a program does anything else than answer in time (crash,
hang, write or use too much, start too many processes), a `Fault` says what it did, and the program
is killed with all that it started. It gets only PATH of our environment, and an empty HOME. Where
the system has Landlock, a jail (jail.py) keeps it from files and processes that are not its own;
elsewhere it can read and write what our user can. It can always use the network and the processor.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.jail import grants, version
from bidarena.baselines.adapters.limits import Limits

KEEPER = Path(__file__).with_name("keeper.py")
STDERR_TIMES = 16  # stderr may have so many times the bytes of stdout
TAIL = 2000  # last bytes of stderr that are kept, to explain a fault
GRACE = 15.0  # seconds in which the keeper must have killed everything
LONGEST_REASON = 200  # characters of an explanation

JAIL = True  # use Landlock where the system has it; tests turn this off
NAMESPACES = True  # use process namespaces where the system allows it; tests turn this off


class Sandbox:
    """One program, whose process is started when it is needed, and again after a fault.

    Args:
        argv: the command and its arguments.
        limits: what the program may use.
        cwd: the folder in which it runs; None: the current one.
        files: files of the program that the command does not name.
    """

    def __init__(
        self,
        argv: Sequence[str],
        limits: Limits,
        *,
        cwd: str | None = None,
        files: Sequence[str] = (),
    ) -> None:
        if sys.platform != "linux":
            raise ValueError("bots in processes of their own can be run on Linux only")
        self.argv = list(argv)
        self.limits = limits
        self.cwd = cwd
        self.files = list(files)
        self._live: _Live | None = None

    def run(self, text: bytes, seconds: float | None = None) -> bytes:
        """Start a new process with this input; return all that it prints until it ends."""
        seconds = self.limits.seconds if seconds is None else seconds
        live = self._keeper()
        try:
            live.start(self, seconds)
            answer = live.talk(text, seconds, whole=True)
            live.end()
        except BaseException:
            self.end()
            raise
        return answer

    @property
    def running(self) -> bool:
        """Whether there is a process that can be asked."""
        return self._live is not None and self._live.owner == os.getpid() and self._live.running

    def start(self) -> None:
        """Start the process for `ask`; a process that still runs is killed first."""
        live = self._keeper()
        try:
            live.start(self, self.limits.start)
        except BaseException:
            self.end()
            raise

    def ask(self, line: bytes, seconds: float | None = None) -> bytes:
        """Send a line to the process, and return the next line that it prints."""
        seconds = self.limits.seconds if seconds is None else seconds
        if not self.running:
            self.start()
        live = self._keeper()
        try:
            return live.talk(line + b"\n", seconds, whole=False)
        except BaseException:  # even an interrupt: the answer could come later
            self.end()
            raise

    def hear(self, seconds: float) -> bytes:
        """Return one more line of the process, without sending anything."""
        try:
            return self._keeper().talk(b"", seconds, whole=False, more=True)
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Kill the process, if one runs, and all that it started; the keeper stays."""
        live = self._live
        if live is not None and live.owner == os.getpid():
            try:
                live.end()
            except Exception:
                self.close()
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """End the process and the keeper; the sandbox can be used again afterwards."""
        if self._live is not None:
            self._live.finalize()
            self._live = None

    def _keeper(self) -> _Live:
        """Return the running keeper of this process, or start one."""
        if self._live is None or self._live.owner != os.getpid() or not self._live.alive:
            self.close()
            self._live = _Live(self.limits)
        return self._live

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_live": None}  # processes cannot be pickled


class _Live:
    """A running keeper process with at most one program, and the pipes to that program."""

    def __init__(self, limits: Limits) -> None:
        self.owner = os.getpid()
        self.limits = limits
        self.home = tempfile.mkdtemp(prefix="bidarena-bot-")
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            given = json.dumps({"memory": limits.memory, "namespace": NAMESPACES})
            self.keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", str(KEEPER), str(theirs.fileno()), given, self.home],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=scrubbed(self.home),
                start_new_session=True,
            )
        self.pipes: list[int] = []  # to stdin, from stdout, from stderr
        self.orders = 0  # how many were sent
        self.unread = b""  # output of the program that was not returned yet
        self.errors = b""  # the end of its stderr
        self.running = False
        # This runs at the end of the interpreter too. It must not hold a reference to self.
        kept = (self.owner, self.control, self.keeper, self.home, self.pipes)
        self.finalize = weakref.finalize(self, _close, *kept)

    @property
    def alive(self) -> bool:
        """Whether the keeper process still runs."""
        return bool(self.finalize.alive) and self.keeper.poll() is None

    def start(self, program: Sandbox, seconds: float) -> None:
        """Have the keeper start the program; one that still runs is killed first."""
        self._close_pipes()
        self.orders += 1
        order: dict[str, Any] = {
            "id": self.orders,
            "argv": program.argv,
            "cwd": program.cwd or str(Path.cwd()),
            "env": scrubbed(self.home),
            "memory": self.limits.memory,
            "disk": self.limits.disk,
            "processes": self.limits.processes,
        }
        allowed = None
        if self.limits.jail and jail_name():
            words = [*program.argv, *program.files]
            allowed = grants(words, order["cwd"], self.home, order["env"]["PATH"])
        order["allowed"] = allowed
        into, outof = zip(*(os.pipe() for _ in range(3)), strict=True)
        theirs = [into[0], outof[1], outof[2]]
        self.pipes += [outof[0], into[1], into[2]]
        try:
            socket.send_fds(self.control, [json.dumps({"start": order}).encode()], theirs)
        except OSError as wrong:
            raise Fault(f"could not be started: {wrong}") from wrong
        finally:
            for end in theirs:
                os.close(end)
        for end in self.pipes:
            os.set_blocking(end, False)
        self.unread = self.errors = b""
        # The keeper may still be starting, which must not count as time of the program.
        message = self._told(("started", "failed"), seconds + GRACE)
        if "failed" in message:
            raise Fault(_short(f"could not be started: {message['failed']}"))
        self.running = True

    def talk(self, text: bytes, seconds: float, *, whole: bool, more: bool = False) -> bytes:
        """Send `text`, and return the line that the program prints next.

        With `whole`, return all that it prints until it ends. Output that was there before is a
        fault, unless `more` says that it is expected.
        """
        if not self.running:
            raise Fault("does not run")
        stdin, stdout, stderr = self.pipes
        end = time.monotonic() + seconds
        wanted = {stdout: select.POLLIN, stderr: select.POLLIN, self.control.fileno(): 1}
        heard = loud = 0
        if not whole:
            self._read(stdout)
            if self.unread and not more:
                raise Fault(f"wrote {_shown(self.unread)} without being asked")
            if b"\n" in self.unread:
                line, _, self.unread = self.unread.partition(b"\n")
                return line
        text = self._write(stdin, text, whole)
        if text:
            wanted[stdin] = select.POLLOUT
        while True:
            events = select.poll()
            for stream, kind in wanted.items():
                events.register(stream, kind)
            left = end - time.monotonic()
            ready = [fd for fd, _ in events.poll(max(0.0, left) * 1000)] if left > 0 else []
            if not ready and time.monotonic() >= end:
                raise Fault(f"gave no answer within {seconds:g} s{self._last_words()}")
            if stdin in ready:
                text = self._write(stdin, text, whole)
                if not text:
                    del wanted[stdin]
            if stderr in ready:
                count = self._read_errors(stderr)
                loud += count
                if not count:
                    del wanted[stderr]
            if stdout in ready:
                count = self._read(stdout)
                heard += count
                if not whole and b"\n" in self.unread:
                    line, _, self.unread = self.unread.partition(b"\n")
                    if len(line) <= self.limits.output:
                        return line
                if not count:
                    del wanted[stdout]
                    if not whole:
                        raise Fault(self._how_it_ended())
            if heard > self.limits.output or loud > STDERR_TIMES * self.limits.output:
                where = "" if heard > self.limits.output else " to stderr"
                most = self.limits.output * (STDERR_TIMES if where else 1)
                raise Fault(f"wrote more than {most} bytes{where} without an answer")
            if self.control.fileno() in ready:
                code = self._exit_code(self._receive())
                if not whole or code != 0:
                    raise Fault(self._describe_exit(code))
                while len(self.unread) <= self.limits.output and self._read(stdout):
                    pass
                if len(self.unread) > self.limits.output:
                    raise Fault(f"wrote more than {self.limits.output} bytes without an answer")
                return self.unread

    def end(self) -> None:
        """Have the keeper kill the program and all that it started, and wait until that is done."""
        self.running = False
        self._close_pipes()
        self.orders += 1
        self.control.send(json.dumps({"end": self.orders}).encode())
        while self._told(("ended",), GRACE)["ended"] != self.orders:
            pass

    def _write(self, stdin: int, text: bytes, whole: bool) -> bytes:
        """Send what fits into the pipe, and return the rest; a closed pipe needs no more.

        With `whole`, close the pipe after all is sent, so that the program reads the end of input.
        """
        try:
            text = text[os.write(stdin, text) :] if text else text
        except BlockingIOError:
            return text
        except BrokenPipeError:
            text = b""
        if whole and not text:
            os.close(stdin)
            self.pipes[0] = os.open(os.devnull, os.O_RDONLY)
        return text

    def _read(self, stdout: int) -> int:
        try:
            got = os.read(stdout, 65536)
        except BlockingIOError:
            return 0
        self.unread += got
        return len(got)

    def _read_errors(self, stderr: int) -> int:
        try:
            got = os.read(stderr, 65536)
        except BlockingIOError:
            return 1
        self.errors = (self.errors + got)[-TAIL:]
        return len(got)

    def _receive(self) -> dict[str, Any]:
        data = self.control.recv(1 << 16)
        if not data:
            raise Fault("was lost: the process that kept it has ended")
        message: dict[str, Any] = json.loads(data)
        return message

    def _told(self, kinds: tuple[str, ...], seconds: float) -> dict[str, Any]:
        """Return the next message of one of these kinds; skip others, about earlier programs."""
        end = time.monotonic() + seconds
        while True:
            self.control.settimeout(max(0.01, end - time.monotonic()))
            try:
                message = self._receive()
            except TimeoutError:
                raise Fault("could not be started or ended") from None
            finally:
                self.control.settimeout(None)
            if set(kinds) & set(message):
                return message

    def _how_it_ended(self) -> str:
        """Return, in words, why the program closed its output."""
        self.control.settimeout(0.5)
        try:
            message = self._receive()
        except TimeoutError:
            return f"closed its output{self._last_words()}"
        finally:
            self.control.settimeout(None)
        return self._describe_exit(self._exit_code(message))

    def _exit_code(self, message: dict[str, Any]) -> int:
        if "killed" in message:
            raise Fault(message["killed"])
        return int(message.get("exited", 0))

    def _describe_exit(self, code: int) -> str:
        if code < 0:
            try:
                what = f"was ended by {signal.Signals(-code).name}"
            except ValueError:
                what = f"was ended by signal {-code}"
        else:
            what = f"ended with exit code {code}"
        return what + self._last_words()

    def _last_words(self) -> str:
        """Return the last line on stderr, which often says why, to be added to a fault."""
        self._read_errors(self.pipes[2])
        lines = self.errors.decode(errors="replace").strip().splitlines()
        return _short(f": {lines[-1].strip()}") if lines else ""

    def _close_pipes(self) -> None:
        for end in self.pipes:
            os.close(end)
        self.pipes.clear()


def jail_name() -> str:
    """Return what keeps programs of others from the files of the user; empty if nothing does."""
    return f"Landlock {version()}" if JAIL and version() else ""


def _close(
    owner: int,
    control: socket.socket,
    keeper: subprocess.Popen[bytes],
    home: str,
    pipes: list[int],
) -> None:
    """Close the socket, at which the keeper kills everything and ends; remove the home folder."""
    control.close()
    for end in pipes:
        with contextlib.suppress(OSError):
            os.close(end)
    pipes.clear()
    if os.getpid() != owner:  # a copy made by fork: the keeper belongs to the parent
        return
    try:
        keeper.wait(GRACE)
    except subprocess.TimeoutExpired:
        keeper.kill()
        keeper.wait()
    shutil.rmtree(home, ignore_errors=True)


def scrubbed(home: str) -> dict[str, str]:
    """Return the environment of an outside program: of ours it gets only PATH."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": home,
        "TMPDIR": home,
        "BIDARENA_BOT": "1",
    }


def _shown(text: bytes) -> str:
    return _short(repr(text[:40].decode(errors="replace")))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"
