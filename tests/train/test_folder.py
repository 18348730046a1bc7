"""Run folders: tables that grow, and checkpoints that are read without running code."""

import os
from pathlib import Path

import pytest

from bidarena.train.folder import CsvTable, read_checkpoint, write_checkpoint


def test_csv_table__grows_by_columns(tmp_path):
    table = CsvTable(tmp_path / "table.csv")
    table.add({"steps": 1, "loss": 0.5})
    table.add({"steps": 2, "loss": 0.4, "entropy": 3})
    assert table.rows() == [
        {"steps": "1", "loss": "0.5", "entropy": ""},
        {"steps": "2", "loss": "0.4", "entropy": "3"},
    ]


def test_csv_table__takes_back_newer_and_broken_lines(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("steps,loss\n1,0.5\n2,0.4\n3,0")
    table = CsvTable(path)
    table.keep_to(2)
    assert path.read_text() == "steps,loss\n1,0.5\n2,0.4\n"
    table.keep_to(0)
    assert not path.exists()
    table.add({"steps": 1, "other": 2})
    assert path.read_text() == "steps,other\n1,2\n"


def test_checkpoint__is_read_without_running_code(tmp_path):
    import torch

    class Evil:
        def __reduce__(self):
            return (os.system, (f"touch {tmp_path}/ran",))

    write_checkpoint(tmp_path, {"steps": 3})
    assert read_checkpoint(tmp_path) == {"steps": 3}
    torch.save({"steps": Evil()}, tmp_path / "checkpoint.pt")
    with pytest.raises(ValueError, match="not a checkpoint"):
        read_checkpoint(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_run_folder__checkpoints_and_lines_of_tables_are_on_the_disk(tmp_path, monkeypatch):
    """With every fsync traced: the content of each file, and the names in the folder."""
    synced = []
    fsync = os.fsync

    def watched(number):
        synced.append(Path(f"/proc/self/fd/{number}").readlink())
        fsync(number)

    monkeypatch.setattr(os, "fsync", watched)
    write_checkpoint(tmp_path, {"steps": 1})
    draft, folder = synced
    assert draft.name.startswith(".checkpoint.pt.") and folder == tmp_path
    table = CsvTable(tmp_path / "metrics.csv")
    for steps in (1, 2, 3):
        synced.clear()
        table.add({"steps": steps})
        assert synced[-1] == tmp_path / "metrics.csv"
