"""Runs of RLlib on disk: killed in the middle of a checkpoint, gone on with, used, and refused."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import ray

from bidarena.baselines.learned.policy_file import load_policy
from bidarena.cli.main import main
from bidarena.train.folder import read_checkpoint

SMALL = ["--cards", "1,2,3", "--items", "1,2,3"]
QUICK = ["env_runners=1", "envs=16", "train_batch_size=512", "minibatch_size=128", "net_arch=[16]"]
MEASURE = ["--rivals", "value", "--games", "200", "--evaluations", "3"]
TRAIN = [
    *("train", "raj", *SMALL, "--engine", "rllib", "--opponent", "self", "--steps", "3000"),
    *("--set", *QUICK, *MEASURE, "--checkpoint-seconds", "0"),
]

WHOLE = "from bidarena.cli.main import main; import sys; sys.exit(main())"

# Stops inside its third checkpoint, which is half on the disk, and says so.
HALF_WRITTEN = """
import os, sys, time
from bidarena.cli.main import main
writes, fsync = 0, os.fsync
def stuck(file):
    global writes
    if "checkpoint" in os.readlink(f"/proc/self/fd/{file}"):
        writes += 1
        if writes == 3:
            os.ftruncate(file, os.fstat(file).st_size // 2)
            print("writing", flush=True)
            time.sleep(600)
    fsync(file)
os.fsync = stuck
sys.exit(main())
"""


def started(args, code=WHOLE):
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def parents():
    """Of every process that lives, who started it."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # ended meanwhile
            continue
        if state != "Z":
            found[int(path.parent.name)] = int(parent)
    return found


def descendants(ancestor):
    found, table = {ancestor}, parents()
    while more := {child for child, parent in table.items() if parent in found} - found:
        found |= more
    return found - {ancestor}


def left_after(processes, seconds=30):
    """Which of these still live; Ray's notice the end of the one that started them."""
    until = time.monotonic() + seconds
    while (left := processes & parents().keys()) and time.monotonic() < until:
        time.sleep(0.2)
    return {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in left}


pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="looks at files and processes by /proc"
)

ORPHANS = set()  # processes of Ray whose run was killed


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run that was killed in the middle of a checkpoint, and gone on with to its end."""
    parent = tmp_path_factory.mktemp("runs")
    process = started([*TRAIN, "--folder", str(parent)], HALF_WRITTEN)
    assert process.stdout.readline() == "writing\n", process.stderr.read()
    ORPHANS.update(descendants(process.pid))
    assert len(ORPHANS) >= 3  # of Ray, and the one that plays
    process.send_signal(signal.SIGKILL)
    process.wait()
    (folder,) = parent.iterdir()
    assert [path for path in folder.iterdir() if path.name.startswith(".checkpoint")]
    assert read_checkpoint(folder)["steps"] == 1024
    again = started(["train", "--resume", str(folder), "--trust", "--json"])
    helpers = set()
    while again.poll() is None:
        helpers |= descendants(again.pid)
        time.sleep(0.2)
    told, noise = again.communicate()
    assert again.returncode == 0, noise
    assert len(helpers) >= 3
    assert left_after(helpers) == {}
    assert json.loads(told)["steps"] == 3072
    assert not re.search("ray|RLlib", noise.replace(str(folder), ""))
    return folder


def test_run__killed_in_the_middle_of_a_write_goes_on_to_its_end(run):
    with (run / "metrics.csv").open() as file:
        steps = [int(row["steps"]) for row in csv.DictReader(file)]
    assert steps == [512 * (1 + i) for i in range(6)]
    with (run / "evaluations.csv").open() as file:
        measured = [int(row["steps"]) for row in csv.DictReader(file)]
    assert measured[::2] == [0, 1024, 2048, 3072]


def test_run__leaves_the_folder_of_other_runs(run):
    assert re.fullmatch(r"Raj-v0__rllib_ppo__0__\d{8}-\d{6}", run.name)
    names = {path.name for path in run.iterdir() if not path.name.startswith(".")}
    assert names == {
        *("config.json", "command.txt", "metrics.csv", "evaluations.csv", "checkpoint.pt"),
        *("best.safetensors", "last.safetensors", "tensorboard", "learning.png"),
    }
    config = json.loads((run / "config.json").read_text())
    assert config["versions"]["ray"]
    assert load_policy(run / "last.safetensors").info["algorithm"] == "rllib_ppo"


@pytest.mark.parametrize(
    "command",
    [
        ["match", "raj", *SMALL, "RUN", "value", "--games", "100"],
        ["exploit", "raj", *SMALL, "RUN"],
        ["evaluate", "RUN", "--games", "20", "--rivals", "value"],
    ],
)
def test_run__is_a_bot_for_every_command(run, command, capsys):
    words = [str(run) if word == "RUN" else word for word in command]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_train__sends_its_opponent_to_the_machines_of_a_cluster(run, cluster, tmp_path, capsys):
    shutil.copy(run / "best.safetensors", tmp_path / "mine.safetensors")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        words = ["--engine", "rllib", "--ray", cluster.address, "--opponent", "mine.safetensors"]
        quick = [*MEASURE, "--set", "env_runners=2", *QUICK[1:]]
        assert main(["train", "raj", *SMALL, *words, "--steps", "1000", *quick, "--json"]) == 0
    finally:
        os.chdir(before)
    assert json.loads(capsys.readouterr().out)["steps"] == 1024
    assert not ray.is_initialized()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--engine", "rlib"], "engine='rlib' is not known: did you mean 'rllib'"),
        (["--algo", "a2c"], "engine='rllib' has no such algorithm, only ppo; leave --algo out"),
        (["--algo", "ppoo"], "algo='ppoo' is not known: did you mean 'ppo'"),
        (["--set", "env_runer=2"], "did you mean 'env_runners'"),
        (["--set", "env_runners=-1"], "env_runners=-1: expected a whole number from 0"),
        (["--set", "minibatch_size=9999"], "minibatch_size=9999: expected a whole number from 1"),
        (["--set", "envs=5000"], "envs=5000: 10000 games side by side .* a larger train_batch"),
        (["--set", "lr=fast"], "lr='fast': expected a number from"),
        (["--set", "net_arch=64"], r"net_arch=64: expected a list such as \[64,64\]"),
        (["--set", "activation=gelu"], "activation='gelu': expected one of 'relu', 'tanh'"),
        (["--opponent", "minmax"], "did you mean 'minimax'"),
        (["--opponent", "self", "--seat", "1"], "one policy plays all seats; leave --seat out"),
        (["--ray=somewhere"], "ray='somewhere': expected HOST:PORT"),
        (["--ray", "127.0.0.1:1"], "ray='127.0.0.1:1': nobody answers there"),
    ],
)
def test_train__refuses_with_what_to_type_instead(args, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    engine = [] if "--engine" in args else ["--engine", "rllib"]
    assert main(["train", "raj", *engine, *args]) == 2
    assert re.search(message, " ".join(capsys.readouterr().err.split()))
    assert not list(tmp_path.glob("runs/*"))


def test_train__interrupted_keeps_where_it_was(tmp_path):
    process = started([*TRAIN, "--folder", str(tmp_path), "--set", "env_runners=0", *QUICK[1:]])
    until = time.monotonic() + 120
    while not list(tmp_path.glob("*/checkpoint.pt")) and time.monotonic() < until:
        time.sleep(0.05)
    helpers = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert left_after(helpers) == {}
    (folder,) = tmp_path.iterdir()
    assert (folder / "last.safetensors").exists()
    assert 0 < read_checkpoint(folder)["steps"] < 3000


def test_run__killed_leaves_no_processes(run):
    assert ORPHANS
    assert left_after(ORPHANS, seconds=120) == {}  # some of Ray's own take their time
