"""A terminal of 80 columns and 24 lines with `bidarena` in it, driven by a test."""

import fcntl
import multiprocessing
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

LIMIT = 150.0  # seconds for anything; the first use of a game compiles
PROMPT = "your move> "
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r")


# A process that has imported everything and starts all programs as copies of itself: that saves two
# seconds for each of them.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["__main__", "bidarena.cli.play", "numba", "tyro", "rich.table"])


def _program(terminal, words, cwd, environment):
    """The new process: moves into the terminal and becomes `bidarena`."""
    os.setsid()
    line = os.open(terminal, os.O_RDWR)
    fcntl.ioctl(line, termios.TIOCSCTTY, 0)
    for number in range(3):
        os.dup2(line, number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False, buffering=1)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, buffering=1)  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(cwd)
    os.environ.update({"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"})
    os.environ.pop("NO_COLOR", None)
    os.environ.update(environment)
    from bidarena.cli.main import main

    code = main(list(words))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class Terminal:
    """A program in a terminal. Use it in a `with`, which ends it."""

    def __init__(self, *words, cwd, environment=()):
        self.master, slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        args = (os.ttyname(slave), words, str(cwd), dict(environment))
        self.process = FORKS.Process(target=_program, args=args)
        self.process.start()
        self._slave = slave  # kept open until the program has it
        self._bytes, self.raw = b"", ""
        self._seen = 0  # of the text, by `until`

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.join()
        self._let_go()
        os.close(self.master)

    def _let_go(self):
        """Close our end of the program's side, so that the end of the program can be noticed."""
        if self._slave is not None:
            os.close(self._slave)
            self._slave = None

    @property
    def text(self):
        """All that was shown so far, without colours."""
        return _ESCAPES.sub("", self.raw)

    def _read(self, deadline):
        """More output; False at the end of it."""
        left = deadline - time.monotonic()
        assert left > 0, f"nothing more for {LIMIT} s after:\n{self.text[-2000:]}"
        if select.select([self.master], [], [], min(left, 0.5))[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:  # the program has ended
                return False
            self._let_go()
            self._bytes += data
            self.raw = self._bytes.decode("utf-8", "replace")
            return bool(data)
        return True

    def until(self, expected):
        """Wait for some words; what was shown since the last time up to and including them."""
        deadline = time.monotonic() + LIMIT
        while expected not in self.text[self._seen :]:
            assert self._read(deadline), f"ended without {expected!r}:\n{self.text[-2000:]}"
        start = self._seen
        self._seen = self.text.index(expected, start) + len(expected)
        return self.text[start : self._seen]

    def type(self, line):
        """Type a line and Enter."""
        os.write(self.master, (line + "\n").encode())

    def press(self, key):
        """Press a key such as Ctrl-C, a moment after what was shown, as a person does.

        A signal in the instant between the prompt and the wait for input would go unnoticed.
        """
        time.sleep(0.3)
        os.write(self.master, key)

    def say(self, line):
        """Type a line at the prompt; what is answered, up to the next prompt."""
        self.type(line)
        return self.until(PROMPT)

    def end(self):
        """Wait for the end of the program; its exit code."""
        deadline = time.monotonic() + LIMIT
        while self._read(deadline):
            pass
        self.process.join(LIMIT)
        return self.process.exitcode


def listed(answer):
    """The moves that `moves` listed, as a person would type them."""
    lines = [line for line in answer.splitlines() if re.match(r"  #?\d+ ", line)]
    return [name for line in lines for name in re.findall(r"#?\d+ (\S+(?: \S+)*)", line)]


def play_through(terminal, choose, until="Enter: again"):
    """Play a whole game by the moves that are shown; how many were made."""
    made = 0
    terminal.until(PROMPT)
    while True:
        moves = listed(terminal.say("moves"))
        assert moves, terminal.text[-1500:]
        terminal.type(moves[choose(len(moves))])
        made += 1
        deadline = time.monotonic() + LIMIT
        while PROMPT not in terminal.text[terminal._seen :]:
            if until in terminal.text[terminal._seen :]:
                return made
            assert terminal._read(deadline), terminal.text[-2000:]
        terminal.until(PROMPT)
