"""Named experiments and the benchmark.

A study is a function `study(settings: Settings, begin) -> Report`. `Settings` is a dataclass: its
fields are the options of `bidarena study NAME`, and `json: bool` is one of them. `begin(total,
what)` shows a progress bar and returns the function that advances it. `Report` is in
`bidarena.evaluate.reports.tables`.
"""

from __future__ import annotations

_studies: dict[str, str] = {}


def register_study(name: str, function: str) -> None:
    """Make a study known to `bidarena study`; `function` is "module:function"."""
    _studies[name] = function


def studies() -> dict[str, str]:
    """Return all known studies: name -> "module:function"."""
    return dict(_studies)


register_study("twentynine-search", "bidarena.studies.twentynine.search:study")
register_study("learning", "bidarena.studies.learning:study")
register_study("suite", "bidarena.studies.suite.benchmark:study")
