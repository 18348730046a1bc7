"""Register games with PettingZoo, which has a registry since version 1.27.

Importing this package must not import PettingZoo, which few programs need. So games are registered
there at once if PettingZoo is imported already, and otherwise as soon as somebody imports it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_waiting: dict[str, str] = {}  # the name of the game for each id, until PettingZoo is imported


def register_with_pettingzoo(name: str, env_id: str) -> None:
    """Register the multi-player environments of a game under the id, now or later."""
    _waiting[env_id] = name
    if sys.modules.get("pettingzoo") is not None:
        _register_waiting(sys.modules["pettingzoo"])
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _register_waiting(pettingzoo: Any) -> None:
    """Register all games that wait, unless this PettingZoo is older than its registry."""
    if not hasattr(pettingzoo, "register"):
        return
    for env_id, name in _waiting.items():
        for kind in ("aec", "parallel"):
            entry_point = f"bidarena.envs.multi:{kind}_env"
            pettingzoo.register(kind, env_id, entry_point=entry_point, kwargs={"game": name})
    _waiting.clear()


class _Finder(MetaPathFinder):
    """Finds PettingZoo as everybody does, and registers the games after it is loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "pettingzoo":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:  # not installed
            return spec
        load = spec.loader.exec_module

        def load_and_register(module: ModuleType) -> None:
            load(module)
            _register_waiting(module)

        spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec
