"""Programs in processes of their own: they answer, keep limits, and leave nothing behind."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from outsiders import FORK, PYTHON, TROUBLE, all_gone, open_files, processes_of, soon

from bidarena.baselines.adapters import sandbox as sandbox_module
from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.limits import Limits, split_limits
from bidarena.baselines.adapters.sandbox import Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

PATIENT = Limits(memory=400)
QUICK = Limits(seconds=0.5, memory=400, output=20_000)
ECHO = "import sys\nfor line in sys.stdin: print(line.strip()[::-1], flush=True)"


@pytest.fixture(params=[True, False], ids=["namespace", "descendants"])
def kept(request, monkeypatch):
    """Run a test with both ways of killing: by a namespace, and by a search for descendants."""
    monkeypatch.setattr(sandbox_module, "NAMESPACES", request.param)


def home_of(program: Sandbox) -> str:
    return program._keeper().home


def test_sandbox__fresh_processes_print_all_they_like_within_the_limit(kept):
    program = Sandbox([*PYTHON, "-c", "print(input() * 3); print('end', end='')"], PATIENT)
    assert [program.run(text) for text in (b"ab\n", b"c\n")] == [b"ababab\nend", b"ccc\nend"]
    program.close()


def test_sandbox__a_process_that_stays_is_asked_line_by_line(kept):
    program = Sandbox([*PYTHON, "-c", ECHO], PATIENT)
    assert [program.ask(b"%d" % n) for n in (12, 345, 6)] == [b"21", b"543", b"6"]
    program.close()
    assert not program.running
    assert program.ask(b"again") == b"niaga"
    program.close()


def test_sandbox__long_lines_go_through_in_both_directions():
    program = Sandbox([*PYTHON, "-c", ECHO], Limits(output=3_000_000, seconds=10))
    line = b"0123456789" * 200_000
    assert program.ask(line) == line[::-1]
    program.close()


CASES = [(what, mode, True) for what in TROUBLE for mode in ("ask", "run")]
CASES += [(what, "ask", False) for what in TROUBLE if "fork" in what or "ignores" in what]


@pytest.mark.parametrize(("what", "mode", "namespaces"), CASES)
def test_sandbox__trouble_ends_within_the_limits_and_leaves_nothing(
    monkeypatch, what, mode, namespaces
):
    monkeypatch.setattr(sandbox_module, "NAMESPACES", namespaces)
    program = Sandbox([*PYTHON, "-c", TROUBLE[what]], QUICK)
    home = home_of(program)
    began = time.monotonic()
    with pytest.raises(Fault) as fault:
        for _ in range(3):  # lines without a question are noticed at the next question
            getattr(program, mode)(b"1\n5")
    assert time.monotonic() - began < 0.5 + 5.0  # the limit, and time to start on a busy machine
    known = {
        "hangs": "no answer within 0.5 s",
        "prints without end": "wrote",
        "dies": "exit code 1: KeyError: 'lost'",
        "is killed": "SIGKILL",
        "complains without end": "bytes to stderr",
        "forks and dies": "exit code 3",
    }
    assert known.get(what, "") in str(fault.value)
    # Only the keeper still runs, and nothing that the program started.
    others = {pid for pid in processes_of(home) if "keeper.py" not in command_of(pid)}
    assert not others
    program.close()
    assert all_gone(home)
    assert not Path(home).exists()


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return "keeper.py"  # it has ended meanwhile


@pytest.mark.parametrize("mode", ["ask", "run"])
def test_sandbox__descendants_of_a_program_that_answers_end_with_it(kept, mode):
    program = Sandbox([*PYTHON, "-c", FORK + "print(7, flush=True)\n"], PATIENT)
    home = home_of(program)
    assert getattr(program, mode)(b"x").strip() == b"7"
    program.close()
    assert all_gone(home, 0.0)


def test_sandbox__a_new_process_answers_after_a_fault(kept):
    script = "n = int(input())\nwhile n > 9: pass\nprint(n * 2, flush=True); input()"
    program = Sandbox([*PYTHON, "-c", script], Limits(seconds=2))
    with pytest.raises(Fault, match="no answer within"):
        program.ask(b"10")
    assert program.ask(b"4") == b"8"
    program.close()


def test_sandbox__an_answer_that_comes_late_is_never_taken_for_the_next_one():
    script = (
        "import time\nfor n in range(9):\n    text = input(); time.sleep(0.5 * (text == 'slow'))\n"
        "    print(text, flush=True)"
    )
    program = Sandbox([*PYTHON, "-c", script], Limits())
    assert program.ask(b"a") == b"a"
    with pytest.raises(Fault, match=r"within 0\.2 s"):
        program.ask(b"slow", 0.2)
    assert program.ask(b"b") == b"b"
    program.close()


def test_sandbox__lines_that_nobody_asked_for_are_a_fault():
    program = Sandbox([*PYTHON, "-c", "input(); print('1\\n2', flush=True); input()"], PATIENT)
    assert program.ask(b"x") == b"1"
    with pytest.raises(Fault, match=r"wrote '2.*without being asked"):
        program.ask(b"x")
    program.close()


def test_sandbox__an_interruption_from_elsewhere_does_not_confuse_answers():
    class OutOfTime(BaseException):
        pass

    def ring(*_):
        raise OutOfTime

    program = Sandbox([*PYTHON, "-c", ECHO + "\n"], Limits(seconds=5))
    slow = Sandbox([*PYTHON, "-c", TROUBLE["hangs"]], Limits(seconds=5))
    before = signal.signal(signal.SIGALRM, ring)
    try:
        assert program.ask(b"ab") == b"ba"
        home = home_of(slow)
        slow.start()
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(OutOfTime):
            slow.ask(b"x")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not slow.running
    assert [p for p in processes_of(home) if "keeper" not in command_of(p)] == []
    assert program.ask(b"cd") == b"dc"
    program.close()
    slow.close()


def test_sandbox__programs_see_nothing_of_our_environment(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    monkeypatch.setenv("HOME", "/somewhere")
    script = "import os, json; print(json.dumps(dict(os.environ)))"
    program = Sandbox([*PYTHON, "-c", script], PATIENT)
    seen = json.loads(program.run(b""))
    assert set(seen) - {"LC_CTYPE"} == {"PATH", "LANG", "HOME", "TMPDIR", "BIDARENA_BOT"}
    assert seen["HOME"] == home_of(program)
    assert "secret" not in Path(f"/proc/{program._keeper().keeper.pid}/environ").read_text()
    program.close()


def test_sandbox__too_many_processes_and_too_much_memory_in_all_are_found(kept):
    crowd = "import os, time\nfor n in range(12):\n    if os.fork() == 0: time.sleep(1000)\ninput()"
    program = Sandbox([*PYTHON, "-c", crowd + "\ninput()"], Limits(processes=8, seconds=10))
    with pytest.raises(Fault, match="more than 8 processes"):
        program.ask(b"x")
    program.close()
    heavy = (
        "import os, time\nfor n in range(4):\n    if os.fork() == 0:\n"
        "        block = b'1' * 50_000_000; time.sleep(1000)\ninput()\ninput()"
    )
    program = Sandbox([*PYTHON, "-c", heavy], Limits(memory=120, seconds=10))
    with pytest.raises(Fault, match="more than 120 MiB"):
        program.ask(b"x")
    program.close()


def test_sandbox__programs_that_cannot_run_say_why(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("hello")
    for wanted, words in (("no/such", "No such file"), (str(plain), "Permission denied")):
        with pytest.raises(Fault, match=f"could not be started: {words}"):
            Sandbox([wanted], QUICK).run(b"")


OWNER = """
import sys, time
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters import sandbox
sandbox.NAMESPACES = {namespaces}
program = sandbox.Sandbox(sys.argv[1:], Limits(seconds=60))
assert program.ask(b"x") == b"7"
print(program._keeper().home, flush=True)
{then}
"""


@pytest.mark.parametrize("then", ["time.sleep(1000)", "sys.exit()", "raise SystemError"])
@pytest.mark.parametrize("namespaces", [True, False])
def test_sandbox__nothing_survives_its_owner(tmp_path, namespaces, then):
    code = OWNER.format(namespaces=namespaces, then=then)
    bot = [*PYTHON, "-c", FORK + "print(7, flush=True); time.sleep(1000)"]
    said = tmp_path / "said.txt"
    with said.open("w") as file:
        owner = subprocess.Popen(
            [sys.executable, "-c", code, *bot], stdout=subprocess.PIPE, stderr=file
        )
    home = owner.stdout.readline().decode().strip()
    assert home, said.read_text()
    if "sleep" in then:
        assert soon(lambda: len(processes_of(home)) >= 5)
        owner.kill()
    owner.wait()
    owner.stdout.close()
    assert all_gone(home)
    assert soon(lambda: not Path(home).exists())


def test_sandbox__leaves_no_files_open_and_does_not_travel_with_its_process(kept):
    before = open_files()
    program = Sandbox([*PYTHON, "-c", ECHO], PATIENT)
    program.ask(b"x")
    copy = pickle.loads(pickle.dumps(program))
    assert not copy.running
    assert copy.ask(b"ab") == b"ba"
    child = os.fork()
    if child == 0:  # the copy starts a process of its own
        own = program.ask(b"cd") == b"dc"
        program.close()
        os._exit(0 if own else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert program.ask(b"ef") == b"fe"
    copy.close()
    program.close()
    assert open_files() == before


def test_limits__are_written_after_the_last_colon():
    assert split_limits("./a:b --c") == ("./a:b --c", Limits())
    what, limits = split_limits("./bot -x:seconds=0.5,memory=64")
    assert (what, limits) == ("./bot -x", Limits(seconds=0.5, memory=64))
    for wrong, words in (
        ("b:seconds=no", "seconds='no'"),
        ("b:seconds=0", "seconds=0: expected a number above 0"),
        ("b:memory=1.5", "memory=1.5: expected a whole number"),
        ("b:seconds=1,time=3", "'time' is no limit; limits are seconds, game"),
    ):
        with pytest.raises(ValueError, match=words):
            split_limits(wrong)
