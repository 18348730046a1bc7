"""Hyperparameters as tables, by environment id.

A table is a YAML file, or a dict of the same form. What it says under `default` holds for every
game; what it says under the id of an environment comes on top:

    default: {steps: 1.0e+6, learning_rate: 1.0e-3}
    mine/Kuhn-v0: {learning_rate: 3.0e-3}

Beside what the algorithm reads there may be `steps`, how many decisions to learn from, and `rules`,
if another reward than the usual one is better to learn from.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bidarena.envs.arguments import unknown, whole
from bidarena.envs.registry import env_id

FOLDER = Path(__file__).parent / "hyperparameters"
MOST_LAYERS = 100

SettingsTable = Mapping[str, Mapping[str, Any]]  # environment id, or "default" -> settings


def settings_of(table: str | Path | SettingsTable, game: str) -> dict[str, Any]:
    """Return what a table says for a game.

    Args:
        table: the path of a YAML file, or a dict of the same form.
        game: the name of a registered game.
    """
    if not isinstance(table, Mapping):
        import yaml

        table = yaml.safe_load(Path(table).read_text())
    if not isinstance(table, Mapping) or "default" not in table:
        raise ValueError("hyperparameters: expected a table with the key `default`")
    return {**table["default"], **table.get(env_id(game), {})}


def evaluation_settings(game: str) -> dict[str, Any]:
    """Return how a game is measured while it is learned, from `hyperparameters/evaluation.yml`."""
    return settings_of(FOLDER / "evaluation.yml", game)


def changed(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with some of them replaced; raise ValueError if one of these is unknown."""
    for name in changes:
        if name not in settings:
            raise unknown("setting", name, settings)
    return {**settings, **changes}


def layer_sizes(name: str, value: Any) -> list[int]:
    """Return the units of hidden layers; raise ValueError unless it is a list such as [64, 64]."""
    if not isinstance(value, list | tuple) or len(value) > MOST_LAYERS:
        raise ValueError(f"{name}={value!r:.200}: expected a list such as [64,64]")
    return [whole(f"{name}[{k}]", units, 1, 10**5) for k, units in enumerate(value)]
