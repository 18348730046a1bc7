"""`bidarena train`: errors that say what to type, hyperparameters, what is printed."""

import errno
import os
import re
import sys
from pathlib import Path

import pytest

from bidarena.cli.main import main


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["raj", "--algo", "ppoo"], "algo='ppoo'.*did you mean 'ppo'"),
        (["raj", "--opponent", "minmax"], "did you mean 'minimax'"),
        (["raj", "--set", "learning_rat=1"], "learning_rat.*did you mean .learning_rate"),
        (["raj", "--set", "learning_rate"], "write hyperparameters as name=value"),
        (["raj", "--rivals", "greedyy"], "did you mean 'greedy'"),
        (["raj", "--steps", "0"], "steps=0"),
        (["raj", "--steps", "inf"], "steps=inf: expected a number from 1 to"),
        (["raj", "--steps", "nan"], "steps=nan: expected a number from 1 to"),
        (["raj", "--set", "net_arch=[-1]"], r"net_arch\[0\]=-1: expected a whole number"),
        (["raj", "--set", "net_arch=5"], r"net_arch=5: expected a list such as \[64,64\]"),
        (["raj", "--algo", "mmd", "--set", "hidden=[0]"], r"hidden\[0\]=0: expected"),
        (["raj", "--set", f"net_arch={'[' * 100_000}"], "nested too deeply|net_arch"),
        (["raj", "--partner", "self"], "raj has no partners"),
        (["raj", "--algo", "mmd", "--opponent", "greedy"], "mmd plays all seats itself"),
        (["raj", "--algo", "mmd", "--players", "3"], "zero-sum game of two sides"),
        (["raj", "--cards", "1,2"], "items"),
        (["raj", "--engine", "rlib"], "engine='rlib' is not known: did you mean 'rllib'"),
        (["raj", "--engine", "rllib", "--algo", "dqn"], "only ppo; leave --algo out"),
        (["raj", "--ray", "auto"], "ray='auto': .* leave --ray out, or type --engine rllib"),
        (["--resume", "nowhere"], "resume='nowhere': not the folder of a run"),
    ],
)
def test_train__refuses_with_what_to_type_instead(args, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["train", *args]) == 2
    assert re.search(message, " ".join(capsys.readouterr().err.split()))
    assert not list(tmp_path.glob("runs/*"))  # nothing is left of a run that never began


def test_train__says_how_to_install_ray(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["train", "raj", "--engine", "rllib"]) == 2
    assert 'pip install "bidarena[ray]"' in capsys.readouterr().err
    assert not list(tmp_path.glob("runs/*"))


def test_train__prints_a_table_and_what_to_type_next(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    quick = ["--set", "rows=32", "hidden=[8]", "--rivals", "value", "--evaluations", "1"]
    words = ["raj", "--cards", "1,2,3", "--items", "1,2,3", "--algo", "mmd", "--steps", "100"]
    assert main(["train", *words, *quick, "--games", "2"]) == 0  # one deal: there is no interval
    out = capsys.readouterr().out
    assert "│ value " in out and "exploitability: " in out and " ± " not in out
    (folder,) = tmp_path.glob("runs/*")
    line = f"next: bidarena match raj runs/{folder.name}/best.safetensors random"
    assert line in out.splitlines()


def test_train__a_full_disk_is_told_with_how_to_go_on(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    quick = ["--set", "rows=32", "hidden=[8]", "--rivals", "value", "--evaluations", "1"]
    words = ["raj", "--cards", "1,2,3", "--items", "1,2,3", "--algo", "mmd", "--steps", "100"]
    fsync = os.fsync

    def full(number):
        if "checkpoint" in str(Path(f"/proc/self/fd/{number}").readlink()):
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(number)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert main(["train", *words, *quick, "--games", "2"]) == 1
    said = " ".join(capsys.readouterr().err.split())
    (folder,) = tmp_path.glob("runs/*")
    assert "No space left on device; mend that, then bidarena train --resume" in said
    assert main(["train", "--resume", str(folder)]) == 0
