"""`bidarena serve --resident`: the second answer comes from a process that stays."""

from __future__ import annotations

import io
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from bidarena.cli import resident

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="sockets of a user")

PLAIN = ["serve", "scotch", "--bot", "dp"]
COMMAND = [*PLAIN, "--resident", "300"]
FOUR_LINES = "2\n3\n12 9\n10 9\n"


@pytest.fixture
def folder():
    """A folder with a short path for sockets; processes that stayed are ended."""
    made = Path(tempfile.mkdtemp(dir="/tmp"))
    yield made
    for process in processes(made):
        os.kill(process, signal.SIGKILL)
    shutil.rmtree(made)


def processes(folder: Path) -> list[int]:
    """Return the resident processes that belong to a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
            ours = f"TMPDIR={folder}".encode() in (place / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if ours and resident.STAY.encode() in words:
            found.append(int(place.name))
    return found


def call(
    folder: Path, text: str = FOUR_LINES, *more: str, words: list[str] = COMMAND
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bidarena.cli.main", *words, *more],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "TMPDIR": str(folder)},
    )


def wait_for_socket(folder: Path) -> Path:
    place = folder / f"bidarena-resident-{os.getuid()}"
    until = time.monotonic() + 60
    while not [file for file in place.glob("*") if "." not in file.name]:
        assert time.monotonic() < until
        time.sleep(0.05)
    return place


def test_resident__answers_the_next_calls_as_the_first(folder):
    first = call(folder)
    assert (first.returncode, first.stdout) == (0, "32\n")
    place = wait_for_socket(folder)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert len(processes(folder)) == 1
    for _ in range(3):
        again = call(folder)
        assert (again.returncode, again.stdout, again.stderr) == (0, "32\n", "")
    wrong = call(folder, "2\n9\n12 9\n10 9\n")
    assert wrong.returncode == 2 and "the bottle cannot stand at 9" in wrong.stderr
    assert call(folder).stdout == "32\n", "it goes on after a mistake"
    assert len(processes(folder)) == 1
    assert call(folder, FOUR_LINES, "--money", "40").returncode == 0, "another command, another one"


def test_resident__ends_when_nobody_asks(folder):
    assert call(folder, FOUR_LINES, "--resident=1", words=PLAIN).returncode == 0
    wait_for_socket(folder)
    until = time.monotonic() + 60
    while processes(folder):
        assert time.monotonic() < until
        time.sleep(0.1)


def test_resident__a_call_imports_nothing_that_takes_long():
    code = (
        "import sys; from bidarena.cli import main; "
        "print(sorted({'numpy', 'numba', 'gymnasium', 'tyro'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "[]\n"


def test_resident__a_folder_of_others_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(resident.tempfile, "gettempdir", lambda: str(tmp_path))
    place = tmp_path / f"bidarena-resident-{os.getuid()}"
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="is not a folder of yours alone"):
        resident.ask(COMMAND)
    place.unlink()
    place.mkdir()
    place.chmod(0o755)
    with pytest.raises(ValueError, match="is not a folder of yours alone"):
        resident.ask(COMMAND)


def test_resident__is_an_option_of_servers_with_one_answer_only(capsys, monkeypatch):
    from bidarena.cli.main import main

    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with pytest.raises(SystemExit):
        main(["serve", "twentynine", "--resident", "60"])
    assert "--resident" in capsys.readouterr().err


def test_resident__a_path_that_is_too_long_is_refused(tmp_path, monkeypatch):
    deep = tmp_path / ("x" * 80)
    deep.mkdir()
    monkeypatch.setattr(resident.tempfile, "gettempdir", lambda: str(deep))
    with pytest.raises(ValueError, match="set TMPDIR to a shorter one"):
        resident.ask(COMMAND)
