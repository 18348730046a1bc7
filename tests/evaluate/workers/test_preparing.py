"""The folder that the processes of a machine share: private, and never a way to others' files."""

import os
import time

import pytest

from bidarena.envs import files
from bidarena.evaluate.workers.preparing import STALE, machine_folder


def long_ago(path):
    os.utime(path, (time.time() - 2 * STALE,) * 2, follow_symlinks=False)


def test_machine_folder__removes_old_runs_but_follows_no_link(tmp_path, monkeypatch):
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path))
    folder = machine_folder("mine")
    victim = tmp_path / "victim"
    (victim / "inside").mkdir(parents=True)
    for name in ("old", "cache"):
        (folder.parent / name).mkdir()
        long_ago(folder.parent / name)
    (folder.parent / "link").symlink_to(victim)
    long_ago(folder.parent / "link")
    long_ago(victim)
    assert machine_folder("mine") == folder
    assert (victim / "inside").is_dir()
    assert not (folder.parent / "old").exists() and (folder.parent / "cache").exists()


def test_machine_folder__a_link_of_somebody_else_in_its_place_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path))
    victim = tmp_path / "victim"
    (victim / "documents").mkdir(parents=True)
    long_ago(victim / "documents")
    (tmp_path / f"bidarena-{os.getuid()}").symlink_to(victim)
    with pytest.raises(ValueError, match="link"):
        machine_folder("mine")
    assert [path.name for path in victim.iterdir()] == ["documents"]
