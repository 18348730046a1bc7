"""Tensors of others: what torch saved is read, what states more than it holds is refused."""

import io
import zipfile

import numpy as np
import pytest
import torch

from bidarena.baselines.learned.sb3 import import_sb3
from bidarena.baselines.learned.tensors import read_tensors
from bidarena.envs import make_game
from bidarena.train.folder import CHECKPOINT, read_checkpoint


def saved(value, **how):
    memory = io.BytesIO()
    torch.save(value, memory, **how)
    return memory.getvalue()


def test_read_tensors__reads_what_torch_saved():
    one = torch.arange(12.0).reshape(3, 4)
    told = {"a": one, "b": [one.T, one[1:], torch.zeros(0)], "n": 5, "s": "text", "i": np.pi}
    found = read_tensors(saved(told))
    assert torch.equal(found["a"], one) and torch.equal(found["b"][0], one.T)
    assert found["n"] == 5 and found["s"] == "text"


def packed(content):
    """The same parts, compressed."""
    memory = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as parts,
        zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as other,
    ):
        for part in parts.infolist():
            other.writestr(part.filename, parts.read(part))
    return memory.getvalue()


SHARED = torch.zeros(100, 1000)
HUGE = {
    "views": lambda: saved({"w": torch.zeros(1).expand(200_000, 250_000)}),
    "many views": lambda: saved([SHARED[:, k:] for k in range(100)]),
    "compressed": lambda: packed(saved({"w": torch.zeros(10_000_000)})),
    "old format": lambda: saved({"w": torch.zeros(10)}, _use_new_zipfile_serialization=False),
    "sparse": lambda: saved({"w": torch.zeros(2, 2).to_sparse()}),
    "meta": lambda: saved({"w": torch.zeros(10**9, device="meta")}),
}


@pytest.mark.parametrize("kind", HUGE)
def test_read_tensors__refuses_what_states_more_than_it_holds(kind):
    content = HUGE[kind]()
    assert len(content) < 10_000_000
    with pytest.raises((ValueError, zipfile.BadZipFile)):
        read_tensors(content)


def test_small_files_that_ask_for_much__are_refused_by_name(tmp_path):
    bomb = HUGE["views"]()
    assert len(bomb) < 49_000
    (tmp_path / CHECKPOINT).write_bytes(bomb)
    with pytest.raises(ValueError, match=r"not a checkpoint .*only 4 bytes are stored"):
        read_checkpoint(tmp_path)
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as parts:
        parts.writestr("data", "{}")
        parts.writestr("policy.pth", bomb)
    with pytest.raises(ValueError, match=r"model.zip: .*only 4 bytes are stored"):
        import_sb3(tmp_path / "model.zip", make_game("raj"))
