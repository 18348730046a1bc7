"""Let documented import paths of version 0.1 work until version 0.3.

The first import of an old path warns, imports the module at its new path, and puts that module into
`sys.modules` under the old path as well. So `import` finds it, and so does pickle.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {  # old path -> new path
    "bidarena.baselines.adapters.raj_series": "bidarena.baselines.adapters.raj.series",
    "bidarena.baselines.adapters.twentynine_server": (
        "bidarena.baselines.adapters.twentynine.server"
    ),
    "bidarena.baselines.network": "bidarena.baselines.learned.network",
    "bidarena.baselines.policy_file": "bidarena.baselines.learned.policy_file",
    "bidarena.baselines.solvers.double_dummy": "bidarena.baselines.twentynine.double_dummy",
    "bidarena.baselines.solvers.policies": "bidarena.baselines.solvers.probabilities",
    "bidarena.envs.check": "bidarena.envs.arguments",
    "bidarena.envs.words": "bidarena.envs.phrases",
    "bidarena.evaluate.bench_ray": "bidarena.studies.bench.scaling",
    "bidarena.evaluate.html": "bidarena.evaluate.reports.html",
    "bidarena.evaluate.meetings": "bidarena.evaluate.tournament.meetings",
    "bidarena.evaluate.record": "bidarena.evaluate.match.record",
    "bidarena.evaluate.standings": "bidarena.evaluate.tournament.standings",
    "bidarena.evaluate.tournament_report": "bidarena.evaluate.tournament.report",
    # Checkpoints that RLlib has pickled name classes of these two.
    "bidarena.train.rllib_learner": "bidarena.train.rllib.learner",
    "bidarena.train.rllib_module": "bidarena.train.rllib.module",
}

RENAMED = {  # old path -> old name in it -> new name
    "bidarena.envs.words": {"Words": "Phrasebook", "words_of": "phrases_of"},
}


class MovedFinder(MetaPathFinder, Loader):
    """An import hook for the paths in `MOVED`. Python asks it when no file has the path."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec that this object loads if the path is an old one, else None."""
        return ModuleSpec(fullname, self) if fullname in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        """Replace `module`, which Python has made for the old path, by the one at the new path."""
        old, new = module.__name__, MOVED[module.__name__]
        warnings.warn(
            f"{old} has moved to {new}; the old path works until version 0.3",
            DeprecationWarning,
            stacklevel=2,  # the line that imports: frames of importlib do not count
        )
        found = importlib.import_module(new)
        for name, renamed in RENAMED.get(old, {}).items():
            setattr(found, name, getattr(found, renamed))
        sys.modules[old] = found


sys.meta_path.append(MovedFinder())
