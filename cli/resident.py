"""Answer a command by a process that stays: Python and compiled code are loaded only once.

A contest starts its programs anew for every move, and loading takes longer than most moves. With
`--resident 600` the first call leaves a process behind that does the same command again for the
next calls, each with its own stdin and stdout, until nobody has asked for 600 seconds. The calls
find it by a socket in a folder that only this user can open. The name of the socket stands for the
command, the folder in which it was given, and this version of the package.

This module imports the standard library only, so that a call takes little time.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

FLAG = "--resident"
STAY = "stay-resident"  # first word of the command line of the process itself
PATIENCE = 60.0  # seconds that an answer may take
LARGEST = 1 << 20  # bytes of a question
LONGEST_PATH = 103  # characters of the path of a socket, on all systems


def wanted(argv: list[str]) -> bool:
    """Return whether this command is to be answered by a process that stays."""
    return bool(argv) and argv[0] == "serve" and _split(argv)[1] > 0 and hasattr(os, "getuid")


def _split(argv: list[str]) -> tuple[list[str], float]:
    """Return the command without the option, and its seconds; 0 if it is not given."""
    words = [part for word in argv for part in _parts(word)]
    if FLAG not in words:
        return argv, 0.0
    at = words.index(FLAG)
    try:
        seconds = float(words[at + 1])
    except (IndexError, ValueError):
        return argv, 0.0  # the command itself will say what is wrong
    return [*words[:at], *words[at + 2 :]], seconds


def _parts(word: str) -> list[str]:
    return word.split("=", 1) if word.startswith(f"{FLAG}=") else [word]


def ask(argv: list[str]) -> int | None:
    """Have the resident process answer stdin; return the exit code, or None if there is none.

    Then stdin can be read once more.
    """
    place = _socket(argv)
    text = sys.stdin.read()
    sys.stdin = io.StringIO(text)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(PATIENCE)
        try:
            line.connect(str(place))
        except OSError:
            return None
        line.sendall(text.encode())
        line.shutdown(socket.SHUT_WR)
        data = b""
        while piece := line.recv(1 << 16):
            data += piece
    try:
        answer = json.loads(data)
    except ValueError:
        print("bidarena: the resident process ended before it answered", file=sys.stderr)
        return 1
    sys.stdout.write(answer["out"])
    sys.stderr.write(answer["err"])
    return int(answer["code"])


def leave_behind(argv: list[str]) -> None:
    """Start the process that answers this command from now on; return at once.

    It gets the question of this call, to load all it needs before it is asked another one.
    """
    if not wanted(argv):
        return
    process = subprocess.Popen(
        [sys.executable, "-m", "bidarena.cli.main", STAY, *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdin is not None
    if isinstance(sys.stdin, io.StringIO):
        process.stdin.write(sys.stdin.getvalue().encode())
    process.stdin.close()


def stay(argv: list[str], run: Callable[[list[str]], int]) -> None:
    """Answer questions, one at a time, until there have been none for the seconds given.

    Args:
        argv: the command.
        run: runs a command and returns its exit code.
    """
    command, idle = _split(argv)
    run(command)  # the question of the first call, which that call has answered itself
    place = _socket(argv)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        beside = place.with_name(f"{place.name}.{os.getpid()}")
        server.bind(str(beside))
        server.listen(8)
        beside.replace(place)  # a process that was there before gets no more questions, and ends
        server.settimeout(idle)
        own = place.stat().st_ino
        try:
            while True:
                line, _ = server.accept()
                with line, contextlib.suppress(OSError):
                    line.settimeout(PATIENCE)
                    _answer(line, command, run)
        except TimeoutError:
            pass
        finally:
            with contextlib.suppress(OSError):
                if place.stat().st_ino == own:  # no later process has taken our place
                    place.unlink()


def _answer(line: socket.socket, command: list[str], run: Callable[[list[str]], int]) -> None:
    """Do the command with the text from the line as stdin, and send back what it wrote."""
    text = b""
    while len(text) < LARGEST and (piece := line.recv(1 << 16)):
        text += piece
    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.StringIO(text.decode(errors="replace"))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(command)
    except Exception as wrong:  # the next question must find us
        code = 1
        err.write(f"bidarena: {wrong!r}\n")
    finally:
        sys.stdin = before
    told = {"out": out.getvalue(), "err": err.getvalue(), "code": code}
    line.sendall(json.dumps(told).encode())


def _socket(argv: list[str]) -> Path:
    """Return the path of the socket of a command; raise ValueError if its folder is not ours."""
    folder = Path(tempfile.gettempdir()) / f"bidarena-resident-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise ValueError(f"{folder}: is not a folder of yours alone; set TMPDIR to another folder")
    own = [str(Path.cwd()), sys.executable, str(Path(__file__).stat().st_mtime_ns), *argv]
    place = folder / hashlib.sha256(json.dumps(own).encode()).hexdigest()[:16]
    if len(str(place)) + len(".1234567") > LONGEST_PATH:
        raise ValueError(f"{folder}: too long a path for a socket; set TMPDIR to a shorter one")
    return place
