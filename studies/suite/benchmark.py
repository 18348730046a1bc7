"""The study `suite`: the benchmark of all algorithms on all cells."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from bidarena.envs.arguments import whole
from bidarena.envs.files import write_json, write_whole
from bidarena.evaluate.reports.tables import Report
from bidarena.evaluate.workers import workers
from bidarena.studies.suite.budget import Budget, choose_budget
from bidarena.studies.suite.cells import Suite, read_suite
from bidarena.studies.suite.page import write_report
from bidarena.studies.suite.plot import draw
from bidarena.studies.suite.runs import MEASURED, Job, do_all, read_measured
from bidarena.studies.suite.summary import Refusals, markdown, summarise, tables_of
from bidarena.train.algorithms import algorithms, find_algorithm

REFUSALS = "refusals.json"


@dataclass
class Settings:
    """Every algorithm on every game of a fixed list, at equal budgets of decisions and CPU time.

    One figure for each: 0 is uniformly random play, 1 is perfect play. Stop it whenever you like:
    the same command resumes it. Runs of other algorithms in the same folder are reported too.

    Example: bidarena study suite --algo mmd minimax_td --cells leduc raj-small --budget tiny
    """

    algo: tuple[str, ...] = ()
    """algorithms to run, such as mmd my_algorithm:climb; none: all that are registered"""

    cells: tuple[str, ...] = ()
    """cells to run, such as raj-small leduc; none: all"""

    budget: Literal["tiny", "small", "medium", "full"] = "small"
    """limits of each run: 0.2, 5, 30 or 300 CPU seconds and 4e3, 1e6, 1e7 or 1e8 decisions"""

    decisions: float | None = None
    """another limit of decisions"""

    cpu_seconds: float | None = None
    """another limit of CPU seconds"""

    seeds: int = 3
    """number of runs of each algorithm on each cell, with the seeds 1, 2, ..."""

    suite: Path | None = None
    """YAML file with other cells; by default those of suite-v1"""

    processes: int = 1
    """number of runs at the same time"""

    ray: str | None = None
    """learn on a Ray instead of processes: [ADDRESS], without one a Ray of this machine's own"""

    folder: Path = Path("runs/study-suite")
    """folder of the runs, with a folder in it for each suite and budget"""

    json: bool = False
    """print one JSON object instead of tables"""


def study(
    settings: Settings, begin: Callable[[int, str], Callable[[int], None]] | None = None
) -> Report:
    """Run what is not yet in the folder, and return a report of all that is then in it.

    `begin(total, what)` shows a progress bar and returns the function that advances it.
    """
    whole("seeds", settings.seeds, 1, 1000)
    whole("processes", settings.processes, 1, 256)
    suite = read_suite(settings.suite)
    budget = choose_budget(settings.budget, settings.decisions, settings.cpu_seconds)
    folder = settings.folder / f"{suite.name}-{budget.name}"
    chosen = list(settings.algo) or algorithms()
    for name in chosen:
        find_algorithm(name)  # raises before anything is learned
    jobs = [
        Job(suite.name, cell, algorithm, seed, budget, folder)
        for seed in range(1, settings.seeds + 1)
        for cell in suite.choose(settings.cells)
        for algorithm in chosen
    ]
    advance = begin(len(jobs), "runs") if begin is not None else lambda count: None
    refusals = _read_refusals(folder)
    with workers(settings.processes, settings.ray) as do:
        for job, result in do_all(do, jobs, settings.ray is not None):
            own = refusals.setdefault(job.short, {})
            if "refused" in result:
                own[job.cell.name] = result["refused"]
            else:
                own.pop(job.cell.name, None)
            advance(1)
    write_json(folder / REFUSALS, refusals)
    return report(suite, budget, folder)


def report(suite: Suite, budget: Budget, folder: Path) -> Report:
    """Write what all runs in a folder have reached, and return it."""
    names = {cell.name for cell in suite.cells}
    runs = [read_measured(path.parent) for path in sorted(folder.glob(f"*/{MEASURED}"))]
    runs = [one for one in runs if one["suite"] == suite.name and one["cell"] in names]
    refusals = _read_refusals(folder)
    result = {
        "study": "suite",
        "suite": suite.name,
        "budget": asdict(budget),
        **summarise(suite, runs, refusals),
    }
    path = folder / "result.json"
    write_json(path, result)
    write_whole(path.with_suffix(".md"), markdown(result).encode())
    files = [path, path.with_suffix(".md"), *_picture(result, path.with_suffix(".png"))]
    files.append(write_report(result, path.with_suffix(".html")))
    return Report(result, tables_of(result), files)


def _read_refusals(folder: Path) -> Refusals:
    """Return why algorithms could not learn cells, as the last commands were told."""
    path = folder / REFUSALS
    if not path.is_file():
        return {}
    try:
        return {algorithm: dict(cells) for algorithm, cells in json.loads(path.read_text()).items()}
    except (ValueError, TypeError, AttributeError) as wrong:
        raise ValueError(f"{path}: not a list of refusals ({wrong!r:.200})") from None


def _picture(result: dict[str, Any], path: Path) -> list[Path]:
    """Draw the picture and return its file; nothing without matplotlib."""
    try:
        return [draw(result, path)]
    except ImportError as missing:
        print(f"no picture: {missing}", file=sys.stderr)
        return []
