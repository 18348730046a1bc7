"""Where torch computes: the setting `device` of every learner with torch networks."""

from __future__ import annotations

import torch


def find_device(name: str) -> torch.device:
    """Return a device of torch by its name: cpu, cuda, cuda:1, mps ...

    Raise ValueError if torch knows no such device, or if this machine does not have it.
    """
    here = f"expected one of this machine's devices: {', '.join(map(repr, devices()))}"
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError):
        raise ValueError(f"device={name!r}: torch knows no such device; {here}") from None
    try:
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError):
        raise ValueError(f"device={name!r}: torch cannot compute there; {here}") from None
    return device


def devices() -> list[str]:
    """Return the names of the devices on which torch can compute on this machine."""
    found = ["cpu"]
    if torch.cuda.is_available():
        found += ["cuda", *(f"cuda:{k}" for k in range(torch.cuda.device_count()))]
    if torch.backends.mps.is_available():
        found.append("mps")
    return found
