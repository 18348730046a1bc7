"""The study of what training reaches: its runs, its sums, and that it is not done twice."""

import json
import signal
import subprocess
import sys
import time

import pytest

from bidarena.cli.main import main
from bidarena.studies import learning as study
from bidarena.studies.learning import Lesson, interval


@pytest.fixture
def small_part(monkeypatch):
    """A part with two runs of a second each."""
    rules = (("cards", [1, 2, 3]), ("items", [1, 2, 3]))
    lesson = Lesson("small", "raj", "maskable_ppo", rules, "valueplus", ("valueplus",), 16_384)
    monkeypatch.setitem(study.PARTS, "raj-fixed", [lesson])


def test_study__measures_seeds_and_compares_with_the_best_response(small_part, tmp_path, capsys):
    args = ["study", "learning", "--part", "raj-fixed", "--seeds", "2", "--games", "400"]
    args += ["--processes", "1", "--folder", str(tmp_path), "--json"]
    assert main(args) == 0
    found = json.loads(capsys.readouterr().out)
    told = found["lessons"]["small"]
    assert len(told["decided"]["valueplus"]["values"]) == 2
    assert told["best_possible_return"] == pytest.approx(2 / 3)
    reached = told["mean_return"]["valueplus"]["mean"]
    assert told["reached"] == pytest.approx(reached / (2 / 3))
    config = json.loads((tmp_path / "small__1" / "config.json").read_text())
    assert "--seed 1" in config["command"]
    written = (tmp_path / "small__1" / "metrics.csv").read_text()
    assert main(args) == 0  # both runs are done: nothing is learned again
    assert json.loads(capsys.readouterr().out)["lessons"] == found["lessons"]
    assert (tmp_path / "small__1" / "metrics.csv").read_text() == written


def test_study__refuses_a_folder_with_another_run(small_part, tmp_path, capsys):
    args = ["study", "learning", "--part", "raj-fixed", "--seeds", "1", "--games", "100"]
    args += ["--processes", "1", "--folder", str(tmp_path)]
    assert main(args) == 0
    assert main([*args, "--scale", "2"]) == 2
    assert "another run" in capsys.readouterr().err


LONG = """
import sys
from bidarena.cli.main import main
from bidarena.studies import learning as study
rules = (("cards", [1, 2, 3]), ("items", [1, 2, 3]))
long = study.Lesson("long", "raj", "maskable_ppo", rules, "value", ("value",), 10**9)
study.PARTS["raj-fixed"] = [long]
if __name__ == "__main__":
    sys.exit(main(["study", "learning", "--part", "raj-fixed", "--seeds", "2", *sys.argv[1:]]))
"""


def test_study__a_restart_at_once_after_a_kill_works_and_sigterm_saves(tmp_path):
    (tmp_path / "study.py").write_text(LONG)
    command = [sys.executable, str(tmp_path / "study.py"), "--processes", "2"]
    command += ["--folder", str(tmp_path / "runs")]

    def started():
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        began = time.time()
        until = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < until:
            tables = list((tmp_path / "runs").glob("*/metrics.csv"))
            if len(tables) == 2 and all(path.stat().st_mtime > began for path in tables):
                return process
            time.sleep(0.02)
        process.kill()
        raise AssertionError(process.communicate()[1])

    first = started()
    first.kill()
    first.communicate()
    assert not list((tmp_path / "runs").glob("*/checkpoint.pt"))
    again = started()  # the processes of the first are gone, and with them their locks
    again.send_signal(signal.SIGTERM)
    assert "goes on where it was" in again.communicate(timeout=60)[1]
    assert again.returncode == 143
    assert len(list((tmp_path / "runs").glob("*/checkpoint.pt"))) == 2


def test_interval__is_students():
    from scipy.stats import t

    values = [0.1, 0.3, 0.2]
    found = interval(values)
    low, high = t.interval(0.95, 2, loc=0.2, scale=0.1 / 3**0.5)
    assert found["mean"] == pytest.approx(0.2)
    assert found["half_width"] == pytest.approx((high - low) / 2, rel=1e-3)
    assert interval([0.5])["half_width"] is None
