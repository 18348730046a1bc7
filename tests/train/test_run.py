"""Runs on disk: what is written, killed at any moment, gone on with, and refused."""

import csv
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bidarena.baselines.learned.policy_file import load_policy
from bidarena.cli.main import main
from bidarena.envs.files import lock
from bidarena.train.folder import CsvTable, read_checkpoint

SMALL = ["--cards", "1,2,3", "--items", "1,2,3"]
QUICK = ["--set", "envs=64", "n_steps=16", "batch_size=256", "net_arch=[16]", "round=1024"]
MEASURE = ["--rivals", "value", "--games", "200", "--evaluations", "4"]
TRAIN = ["train", "raj", *SMALL, "--opponent", "self", "--steps", "2e4", *QUICK, *MEASURE]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run from beginning to end."""
    parent = tmp_path_factory.mktemp("whole")
    assert main([*TRAIN, "--folder", str(parent)]) == 0
    (folder,) = parent.iterdir()
    return folder


def test_train__leaves_a_run_folder(whole):
    assert re.fullmatch(r"Raj-v0__maskable_ppo__0__\d{8}-\d{6}", whole.name)
    names = {path.name for path in whole.iterdir()}
    assert names == {
        *("config.json", "command.txt", "metrics.csv", "evaluations.csv", "checkpoint.pt"),
        *("best.safetensors", "last.safetensors", "tensorboard", "learning.png"),
    }
    config = json.loads((whole / "config.json").read_text())
    assert config["task"]["rules"]["cards"] == [1, 2, 3]
    assert config["versions"]["torch"]
    assert (whole / "command.txt").read_text().startswith("bidarena train raj --cards 1,2,3")
    with (whole / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    steps = [int(row["steps"]) for row in rows]
    assert steps == [1024 * (1 + i) for i in range(20)]
    assert all(0 < float(row["env_share"]) < 1 for row in rows)
    with (whole / "evaluations.csv").open() as file:
        measured = list(csv.DictReader(file))
    assert [int(row["steps"]) for row in measured][::2] == [0, 5120, 10_240, 15_360, 20_480]
    assert {row["measure"] for row in measured} == {"match value", "exploitability"}
    policy = load_policy(whole / "last.safetensors")
    assert policy.info["command"] == config["command"]


def test_train__policy_plays_by_its_path(whole, capsys):
    assert main(["match", "raj", *SMALL, f"{whole}/best.safetensors", str(whole), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 1000


def weights(folder):
    network = load_policy(folder / "last.safetensors").network
    return [layer.tobytes() for layer in (*network.weights, *network.biases)]


def started(args, code="from bidarena.cli.main import main; import sys; sys.exit(main())"):
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def only_folder(parent, process):
    """The folder of the one run, once it has a checkpoint."""
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        found = list(parent.glob("*/checkpoint.pt"))
        if found:
            return found[0].parent
        time.sleep(0.01)
    raise AssertionError("no checkpoint was written")


def test_train__killed_again_and_again_ends_the_same(whole, tmp_path):
    process = started([*TRAIN, "--folder", str(tmp_path), "--checkpoint-seconds", "0"])
    folder = only_folder(tmp_path, process)
    process.kill()
    process.wait()
    first = read_checkpoint(folder)["steps"]
    assert 0 < first < 20_000
    again = started(["train", "--resume", str(folder), "--checkpoint-seconds", "0"])
    while again.poll() is None and read_checkpoint(folder)["steps"] < first + 4000:
        time.sleep(0.01)
    again.kill()
    again.wait()
    assert main(["train", "--resume", str(folder)]) == 0
    assert weights(folder) == weights(whole)
    for table in ("metrics.csv", "evaluations.csv"):
        ours, theirs = (CsvTable(one / table).rows() for one in (folder, whole))
        timing = ("seconds", "cpu_seconds", "steps_per_s", "env_share")
        without = [{k: v for k, v in row.items() if k not in timing} for row in ours]
        assert without == [{k: v for k, v in row.items() if k not in timing} for row in theirs]


# Stops inside a checkpoint that is half on the disk, and says so.
HALF_WRITTEN = """
import os, sys, time
from bidarena.cli.main import main
writes, fsync = 0, os.fsync
def stuck(file):
    global writes
    where = os.readlink(f"/proc/self/fd/{file}")
    if "checkpoint" in where:
        writes += 1
        if writes == 3:
            os.ftruncate(file, os.fstat(file).st_size // 2)
            print("writing", flush=True)
            time.sleep(600)
    fsync(file)
os.fsync = stuck
sys.exit(main())
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at open files by /proc")
def test_train__killed_in_the_middle_of_a_write_loses_nothing(whole, tmp_path):
    command = [*TRAIN, "--folder", str(tmp_path), "--checkpoint-seconds", "0"]
    process = started(command, HALF_WRITTEN)
    assert process.stdout.readline() == "writing\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    (folder,) = tmp_path.iterdir()
    assert [path for path in folder.iterdir() if path.name.startswith(".checkpoint")]
    assert read_checkpoint(folder)["steps"] == 2048
    assert main(["train", "--resume", str(folder)]) == 0
    assert weights(folder) == weights(whole)


def test_train__a_run_is_gone_on_with_by_one_process_only(whole, capsys):
    with (whole / "config.json").open("rb") as held:
        lock(held, whole)
        assert main(["train", "--resume", str(whole)]) == 2
    assert "another run is writing there" in capsys.readouterr().err


def test_train__interrupted_keeps_where_it_was(tmp_path):
    process = started([*TRAIN, "--folder", str(tmp_path), "--checkpoint-seconds", "0"])
    folder = only_folder(tmp_path, process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert (folder / "last.safetensors").exists()
    assert read_checkpoint(folder)["steps"] < 20_000


def test_train__sigterm_saves_and_goes(whole, tmp_path):
    """With checkpoints so rare that only the signal can have made one."""
    process = started([*TRAIN, "--folder", str(tmp_path), "--checkpoint-seconds", "1e6"])
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        if any(len(path.read_text().splitlines()) > 3 for path in tmp_path.glob("*/metrics.csv")):
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 143
    (folder,) = tmp_path.iterdir()
    assert 2048 <= read_checkpoint(folder)["steps"] < 20_000
    assert main(["train", "--resume", str(folder)]) == 0
    assert weights(folder) == weights(whole)
