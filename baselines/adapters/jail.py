"""A jail for programs of others: Landlock, by which Linux limits what files a process may touch.

A jailed program, with all that it starts, can

- read and run what is installed: the folders of the system, of Python and of its PATH;
- read the folder in which it runs, unless that is a home folder or /tmp as a whole;
- read and write its own folder, with the same exception, and its folder for temporary files;
- look at no process outside of the jail: /proc tells it nothing about us, such as the variables of
  our environment.

It cannot read other files, such as those of home folders, nor write anywhere else. The network
stays open. This file is loaded by the keeper, a process that has only the standard library. Kernels
before 5.13, and some containers, have no Landlock.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, the same on all processors
PR_SET_NO_NEW_PRIVS = 38

# rights to files; newer versions of Landlock know more of them
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL = 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL  # those that a file has
KNOWN = {1: 13, 2: 14, 3: 15, 4: 15}  # version -> how many rights it knows; from 5 on 16
SCOPED = 3  # no signals and no abstract sockets to the outside, from version 6 on

SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "usr", "etc", "opt", "sys", "nix", "gnu", "snap")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def version() -> int:
    """Return the version of Landlock that this system has; 0 if there is none."""
    if sys.platform != "linux":
        return 0
    found = ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    return max(0, int(found))


def grants(words: Sequence[str], cwd: str, home: str, path: str) -> dict[str, bool]:
    """Return the files and folders that a program needs, with True where it may write.

    Args:
        words: the command and its files; each that is a file lies in the program's own folder.
        cwd: the folder in which it runs.
        home: its folder for temporary files.
        path: the variable PATH.
    """
    package = Path(__file__).resolve().parents[2]
    system = [Path("/") / name for name in SYSTEM]
    system += [package, Path(sys.prefix), Path(sys.base_prefix), *_installed(path)]
    folders = [*system, Path("/proc/self"), Path("/run/systemd/resolve"), Path(cwd)]
    folders += [Path(place or cwd) for place in sys.path]
    found = {str(folder): False for folder in folders if folder not in _homes()}
    found |= dict.fromkeys([*DEVICES, home], True)
    for word in words:
        named = shutil.which(word, path=path) or os.path.join(cwd, word)  # noqa: PTH118
        if "\0" in named or not os.path.isfile(named):  # noqa: PTH113 - any text is no file
            continue
        for file in {Path(named), Path(named).resolve()}:
            folder = file.parent
            if folder in _homes() or any(folder.is_relative_to(one) for one in system):
                found.setdefault(str(file), False)
            else:
                found[str(folder)] = True
    return found


def _installed(path: str) -> Iterable[Path]:
    """Yield the folders of PATH, and what is installed beside them, as lib is beside bin."""
    for place in filter(None, path.split(os.pathsep)):
        folder = Path(place)
        yield folder
        above = folder.parent
        if folder.name in ("bin", "sbin", "shims") and above not in _homes():
            yield from [above / "lib"] if above.name == ".local" else [above]


def _homes() -> set[Path]:
    """Return folders that are too wide to be opened as a whole."""
    try:
        return {Path("/"), Path.home(), Path("/root"), Path("/tmp"), Path("/home")}
    except RuntimeError:
        return {Path("/"), Path("/root"), Path("/tmp"), Path("/home")}


def ruleset(allowed: dict[str, bool]) -> int:
    """Return the file descriptor of rules that allow this and nothing else; -1 if they cannot be.

    Args:
        allowed: files and folders, with True where one may write too.
    """
    known = version()
    if not known:
        return -1
    libc = ctypes.CDLL(None)
    every = (1 << KNOWN.get(known, 16)) - 1
    asked = struct.pack("=QQQ", every, 0, SCOPED if known >= 6 else 0)
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    rules = int(libc.syscall(CREATE_RULESET, asked[:size], ctypes.c_size_t(size), 0))
    if rules < 0:
        return -1
    for place, write in allowed.items():
        try:
            opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what is not there needs no rule
        rights = every if write else READ
        if not Path(place).is_dir():
            rights &= OF_FILES
        libc.syscall(ADD_RULE, rules, 1, struct.pack("=Qi", rights & every, opened), 0)
        os.close(opened)
    return rules


def enter(rules: int) -> None:
    """Put the calling process, and all that it will start, under these rules for ever."""
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.syscall(RESTRICT_SELF, rules, 0) != 0:
        raise OSError("the jail could not be entered")
