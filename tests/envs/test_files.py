"""Files: whole or absent, on the disk before the program goes on, in folders of one's own."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bidarena.envs import files
from bidarena.envs.files import (
    append,
    cache_folder,
    lock,
    private_folder,
    remove_drafts,
    whole_file,
    write_json,
    write_whole,
)


@pytest.fixture
def traced(monkeypatch):
    """The calls that matter if the power fails, in order: what was brought to the disk, renamed."""
    calls = []
    fsync, replace = os.fsync, os.replace

    def watched_fsync(number):
        calls.append(("fsync", str(Path(f"/proc/self/fd/{number}").readlink())))
        fsync(number)

    def watched_replace(old, new, **how):
        calls.append(("rename", str(new)))
        replace(old, new, **how)

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "replace", watched_replace)
    return calls


def test_write_whole__content_then_name_are_on_the_disk_in_that_order(tmp_path, traced):
    path = tmp_path / "new" / "file.bin"
    write_whole(path, b"content")
    assert path.read_bytes() == b"content"
    first, second, third = traced
    assert first[0] == "fsync" and first[1].startswith(str(path.parent / ".file.bin."))
    assert second == ("rename", str(path))
    assert third == ("fsync", str(path.parent))


def test_append__the_line_and_a_new_name_are_on_the_disk(tmp_path, traced):
    path = tmp_path / "table.csv"
    append(path, "a,b\n")
    assert traced == [("fsync", str(path)), ("fsync", str(tmp_path))]
    append(path, "1,2\n")
    assert traced[2:] == [("fsync", str(path))]
    assert path.read_text() == "a,b\n1,2\n"


def test_whole_file__what_fails_leaves_the_old_file_and_no_draft(tmp_path):
    path = tmp_path / "file"
    write_json(path, {"old": 1})
    with pytest.raises(OSError, match="disk"), whole_file(path) as file:
        file.write(b"half")
        raise OSError("disk full")
    assert "old" in path.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_remove_drafts__of_killed_writers_only(tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from bidarena.envs.files import whole_file\n"
        "with whole_file(Path(sys.argv[1]) / 'kept') as file: file.write(b'x'); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    (draft,) = tmp_path.iterdir()
    (tmp_path / ".hidden").touch()
    remove_drafts(tmp_path)
    assert draft.exists()  # it may still be written
    os.utime(draft, (time.time() - 4000,) * 2)
    remove_drafts(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".hidden"]


def test_lock__waits_for_an_owner_who_is_just_ending(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from bidarena.envs.files import lock\n"
        "file = open(sys.argv[1], 'a'); lock(file, Path('.')); print('mine', flush=True)\n"
        "time.sleep(1)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "lock")], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"mine\n"
        with (tmp_path / "lock").open("a") as file:
            with pytest.raises(ValueError, match="another run is writing there"):
                lock(file, tmp_path, patience=0.1)
            lock(file, tmp_path)


# --- folders -------------------------------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"bidarena-{os.getuid()}"


def test_private_folder__is_made_for_its_owner_alone(temporary):
    assert private_folder() == temporary
    assert stat.S_IMODE(temporary.lstat().st_mode) == 0o700
    temporary.chmod(0o777)
    private_folder()
    assert stat.S_IMODE(temporary.lstat().st_mode) == 0o700


def test_private_folder__a_link_or_a_file_in_its_place_is_refused(temporary, tmp_path):
    (tmp_path / "victim").mkdir()
    temporary.symlink_to(tmp_path / "victim")
    with pytest.raises(ValueError, match="is a link or a file; set TMPDIR"):
        private_folder()
    temporary.unlink()
    temporary.write_text("")
    with pytest.raises(ValueError, match="is a link or a file; set TMPDIR"):
        private_folder()


def test_private_folder__of_somebody_else_is_refused(temporary, monkeypatch):
    temporary.mkdir()
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    temporary.rename(temporary.with_name(f"bidarena-{me + 1}"))
    with pytest.raises(ValueError, match="belongs to somebody else"):
        private_folder()


def test_cache_folder__a_user_without_a_home_has_one_too(temporary, monkeypatch):
    for name in ("BIDARENA_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    import pwd

    def unknown(_):
        raise KeyError("uid not found")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert cache_folder() == temporary / "cache"
