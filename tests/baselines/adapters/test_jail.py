"""The jail of programs of others: what it keeps from them, what it leaves them, and its limits."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from outsiders import PYTHON

from bidarena.baselines.adapters import sandbox as sandbox_module
from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.jail import version
from bidarena.baselines.adapters.limits import Limits, split_limits
from bidarena.baselines.adapters.sandbox import Sandbox, jail_name
from bidarena.cli.main import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs run on Linux only")
jailed = pytest.mark.skipif(not version(), reason="this kernel has no Landlock")

TRY = """
import json, os, sys
def tried(work):
    try:
        return work()
    except OSError as wrong:
        return type(wrong).__name__
def write(path):
    with open(path, "w") as file:
        return file.write("mine")
secret, victim, own, parent = sys.stdin.read().split()
print(json.dumps({
    "secret": tried(lambda: open(secret).read()),
    "victim": tried(lambda: write(victim)),
    "own": tried(lambda: write(own)),
    "home": tried(lambda: write(os.path.join(os.environ["HOME"], "notes"))),
    "environ": tried(lambda: open(f"/proc/{parent}/environ").read()),
    "shared": tried(lambda: write("/dev/shm/bidarena-test")),
    "null": tried(lambda: write("/dev/null")),
    "self": tried(lambda: len(open("/proc/self/status").read()) > 0),
    "installed": tried(lambda: len(os.listdir(os.path.dirname(os.__file__))) > 0),
}))
"""


def reached(tmp_path, limits):
    """What a bot in a folder of its own can do there and elsewhere."""
    bot, other = tmp_path / "bot", tmp_path / "other"
    bot.mkdir(exist_ok=True)
    other.mkdir(exist_ok=True)
    (bot / "bot.py").write_text(TRY)
    (other / "secret").write_text("password")
    words = [other / "secret", other / "victim", bot / "own", os.getpid()]
    program = Sandbox([*PYTHON, str(bot / "bot.py")], limits)
    try:
        return json.loads(program.run(" ".join(map(str, words)).encode()))
    finally:
        program.close()
        Path("/dev/shm/bidarena-test").unlink(missing_ok=True)


@jailed
@pytest.mark.parametrize("namespaces", [True, False])
def test_jail__keeps_secrets_and_files_of_others_apart(monkeypatch, tmp_path, namespaces):
    monkeypatch.setattr(sandbox_module, "NAMESPACES", namespaces)
    found = reached(tmp_path, Limits(memory=400))
    denied = {"secret", "victim", "environ", "shared"}
    assert {name for name, told in found.items() if told == "PermissionError"} == denied
    assert found["own"] == found["home"] == found["null"] == 4
    assert found["self"] is found["installed"] is True
    assert not (tmp_path / "other" / "victim").exists()
    found = reached(tmp_path, Limits(memory=400, jail=0))
    assert "PermissionError" not in found.values() and found["secret"] == "password"


def test_jail__can_be_left_out_in_the_name_of_a_bot():
    assert split_limits("./bot:jail=0")[1].jail == 0
    with pytest.raises(ValueError, match="jail=2: expected a whole number from 0 to 1"):
        split_limits("./bot:jail=2")


@pytest.mark.parametrize("kind", ["mapped", "file"])
def test_sandbox__shared_memory_counts(kind):
    """As the map that forked processes share, and as a file in memory that is not mapped."""
    held = {
        "mapped": "import mmap; m = mmap.mmap(-1, 200 << 20); add = m.write",
        "file": "import os; f = os.memfd_create('x'); add = lambda part: os.write(f, part)",
    }[kind]
    held += "\nfor _ in range(200): add(bytes(1 << 20))\ninput()\ninput()"
    program = Sandbox([*PYTHON, "-c", held], Limits(memory=120, seconds=20))
    with pytest.raises(Fault, match="used more than 120 MiB of memory"):
        program.ask(b"x")
    program.close()


def test_sandbox__memory_shared_by_many_processes_counts_once():
    """The children touch every page without a copy of their own, which would count for each."""
    held = (
        "import mmap, os, time; m = mmap.mmap(-1, 60 << 20)\n"
        "for n in range(60): m.write(bytes(1 << 20))\n"
        "for n in range(4):\n"
        "    if os.fork() == 0: bytes(memoryview(m)[::4096]); time.sleep(100)\n"
        "time.sleep(1); print(input(), flush=True); input()"
    )
    program = Sandbox([*PYTHON, "-c", held], Limits(memory=240, seconds=60))
    assert program.ask(b"fine") == b"fine"
    program.close()


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("f.write(bytes(30 << 20)); f.flush(); input()", "SIGXFSZ|File too large"),
        (
            "[open(f'{h}/{n}', 'wb').write(bytes(5 << 20)) for n in range(6)]; input(); input()",
            "wrote more than 20 MiB of temporary files",
        ),
    ],
)
def test_sandbox__files_are_limited_one_by_one_and_together(script, reason):
    begin = "import os; h = os.environ['HOME']; f = open(f'{h}/f', 'wb'); "
    program = Sandbox([*PYTHON, "-c", begin + script], Limits(disk=20, seconds=20))
    with pytest.raises(Fault, match=reason):
        program.ask(b"")
    program.close()


def test_fault__words_of_a_bot_cannot_write_on_the_terminal():
    script = r"import sys; sys.stderr.write('\033[2J\033]0;owned\007' + 'gone\n'); sys.exit(3)"
    program = Sandbox([*PYTHON, "-c", script], Limits(memory=400))
    with pytest.raises(Fault) as fault:
        program.run(b"")
    program.close()
    told = str(fault.value)
    assert "gone" in told and told.isprintable()


def test_match__says_what_keeps_programs_apart(monkeypatch, capsys):
    words = ["match", "scotch", "cmd:echo 1", "random", "--games", "2"]
    assert main(words) == 0
    assert (jail_name() or "no jail") in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["jail"] == (jail_name() or None)
    monkeypatch.setattr(sandbox_module, "JAIL", False)
    assert main(words) == 0
    assert "no jail" in capsys.readouterr().out
    assert main(["match", "scotch", "dp", "random", "--games", "2"]) == 0
    assert "jail" not in capsys.readouterr().out
