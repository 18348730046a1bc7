"""Read tensors of others: numbers and plain values only, and no more memory than the file has.

`torch.load(weights_only=True)` runs no code from a file, but it believes the sizes that the file
states. So a small file could ask for any amount of memory. Here a file must hold what it states:
its parts are not compressed, and a tensor has no more numbers than are stored for it.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any


def read_tensors(content: bytes) -> Any:
    """Return what `torch.save` wrote: tensors in dicts and lists, and plain values.

    Raises:
        ValueError: the file states more than it holds, or holds other kinds of tensors.
        Exception: torch cannot read it; it fails in many ways.
    """
    import torch

    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        stated = sum(part.file_size for part in parts.infolist())
        if stated > len(content) or any(part.compress_type for part in parts.infolist()):
            raise ValueError(f"its parts state {stated} bytes, the file has {len(content)}")
    value = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    used = 0
    stored: dict[int, int] = {}  # address of what is stored -> its bytes
    for tensor in _tensors(value, torch.Tensor):
        if tensor.layout != torch.strided or tensor.device.type != "cpu" or tensor.is_quantized:
            raise ValueError(f"it has a tensor of another kind: {tensor.layout}, {tensor.device}")
        bytes_stored = tensor.untyped_storage().nbytes()
        stored[tensor.untyped_storage().data_ptr()] = bytes_stored
        if tensor.numel() * tensor.element_size() > bytes_stored:
            raise ValueError(
                f"it has a tensor of shape {tuple(tensor.shape)}, but only {bytes_stored} bytes "
                "are stored for it"
            )
        used += tensor.numel() * tensor.element_size()
    if sum(stored.values()) > len(content) or used > 4 * len(content):
        raise ValueError(f"its tensors have {used} bytes, the file {len(content)}")
    return value


def _tensors(value: Any, kind: type[Any]) -> Iterator[Any]:
    """Yield all tensors inside of a value."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _tensors(part, kind)
    elif isinstance(value, list | tuple | set):
        for part in value:
            yield from _tensors(part, kind)
