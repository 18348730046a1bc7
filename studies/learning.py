"""The study `learning`: the strength that training reaches, over several seeds.

Each part is some runs of `bidarena train`, the same for every seed, in folders of their own. A run
that was stopped is resumed, and a finished run is not repeated.

On a Ray the files of a run are sent: those in its folder to the worker that resumes it, and those
at its end back.
"""

from __future__ import annotations

import math
import shlex
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from bidarena.baselines.learned.policy_file import policy_bot
from bidarena.envs.arguments import whole
from bidarena.envs.files import write_json
from bidarena.envs.registry import make_game
from bidarena.evaluate.appraisal.strength import against
from bidarena.evaluate.reports.tables import Report, TableSpec
from bidarena.evaluate.workers import Do, workers
from bidarena.evaluate.workers.preparing import turn
from bidarena.train.algorithms import hyperparameters, make_learner
from bidarena.train.folder import CONFIG, LAST, read_config, versions
from bidarena.train.run import Evaluation, run
from bidarena.train.settings import evaluation_settings
from bidarena.train.task import Task
from bidarena.train.travelling import read_files, unpack

# Student's 97.5 % quantile by the number of seeds
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306}

NOT_SHOWN = ("json", "folder", "ray")  # settings that do not change the result


@dataclass(frozen=True)
class Lesson:
    """One line of the study: a game, an algorithm, and the rivals that measure it."""

    name: str
    game: str
    algorithm: str
    rules: tuple[tuple[str, Any], ...] = ()
    opponent: str = "self"
    rivals: tuple[str, ...] = ()
    steps: float | None = None  # decisions to learn from; None: the default of the game
    searches: tuple[str, ...] = ()  # rivals that think for long, met in fewer games
    measured: tuple[int, int] | None = None  # evaluations on the way, games; None: of the game


FIXED = ("random", "value", "valueplus", "minimax")
AT_THE_END = (0, 100)  # bots that look ahead take longer to measure than to learn
SCOTCH, RICHMAN = ("richman", "dp", "uniform", "exact"), ("richman", "safety")
SEARCHES = (  # all of Coins that search, limited alike
    *(f"{bot}:nodes=1000" for bot in ("patterns", "surewin", "bounded", "counting")),
    *(f"{bot}:nodes=1000" for bot in ("greedy", "memo")),
    "mcts:iterations=1000",
)
PARTS: dict[str, list[Lesson]] = {
    "raj-fixed": [
        Lesson(f"raj-against-{bot}", "raj", "maskable_ppo", (), bot, (bot,)) for bot in FIXED
    ],
    "raj-self": [
        Lesson("raj-self", "raj", "minimax_q"),
        Lesson("raj-positions", "raj", "minimax_td", measured=AT_THE_END),
    ],
    "raj-ppo": [Lesson("raj-ppo", "raj", "fast_ppo")],
    "scotch-fixed": [
        Lesson("scotch-fixed", "scotch", "maskable_ppo", (), "uniform dp", ("uniform", "dp"))
    ],
    "scotch": [Lesson("scotch-self", "scotch", "minimax_td", rivals=SCOTCH, measured=AT_THE_END)],
    "richman": [
        Lesson("richman-self", "richman", "minimax_td", rivals=RICHMAN, measured=AT_THE_END)
    ],
    "coins": [
        Lesson(f"coins-{board}", "coins", "td", (("board", board),), "self", ("random",), steps)
        for board, steps in (("triangle4", 5e5), ("triangle5", 6e6))
    ]
    + [
        Lesson("coins-triangle6", "coins", "td_parts", (("board", "triangle6"),), steps=1.2e6),
        Lesson("coins-square6", "coins", "td_parts", rivals=SEARCHES),
    ],
    "twentynine": [
        Lesson(
            "twentynine-self",
            "twentynine",
            "mmd",
            rivals=("random", "rules"),
            searches=("ismcts:iterations=5000,book=formula", "pimc"),
        )
    ],
}


@dataclass
class Settings:
    """The strength that training reaches in every game, over several seeds, with intervals.

    Stop it whenever you like: the same command resumes it.

    Example: bidarena study learning --part raj-fixed --seeds 3
    """

    part: Literal[
        "all",
        "raj-fixed",
        "raj-self",
        "raj-ppo",
        "scotch-fixed",
        "scotch",
        "richman",
        "coins",
        "twentynine",
    ] = "all"
    """the part to run"""

    seeds: int = 3
    """number of runs of every lesson, with the seeds 1, 2, ..."""

    games: int = 20_000
    """games of each match at the end"""

    search_games: int = 4000
    """games of each match at the end against a rival that thinks for long; 0: none"""

    scale: float = 1.0
    """factor on the number of decisions to learn from"""

    processes: int = 2
    """number of runs at the same time"""

    ray: str | None = None
    """learn on a Ray instead of processes: [ADDRESS], without one a Ray of this machine's own"""

    folder: Path = Path("runs/study-learning")
    """folder of the runs"""

    json: bool = False
    """print one JSON object instead of tables"""


@dataclass(frozen=True)
class _Job:
    """One run of a lesson."""

    lesson: Lesson
    seed: int
    games: int
    search_games: int
    scale: float
    folder: Path
    files: dict[str, bytes] = field(default_factory=dict)  # of the run so far, if they are sent

    @property
    def run(self) -> Path:
        """The folder of the run."""
        return self.folder / f"{self.lesson.name}__{self.seed}"

    def __str__(self) -> str:
        return f"{self.lesson.name} with seed {self.seed}"


def study(settings: Settings, begin: Callable[[int, str], Callable[[int], None]]) -> Report:
    """Run the chosen parts; return what was found and write it into the folder.

    `begin(total, what)` shows a progress bar and returns the function that advances it.
    """
    whole("seeds", settings.seeds, 1, 1000)
    whole("games", settings.games, 2, 10**7)
    whole("search_games", settings.search_games, 0, 10**7)
    whole("processes", settings.processes, 1, 256)
    if not 0 < settings.scale <= 1e6:
        raise ValueError(f"scale={settings.scale!r}: expected a number above 0, to 1e6")
    parts = list(PARTS) if settings.part == "all" else [settings.part]
    jobs = [
        _Job(
            *(lesson, seed, settings.games, settings.search_games, settings.scale),
            folder=settings.folder,
        )
        for part in parts
        for seed in range(1, settings.seeds + 1)
        for lesson in PARTS[part]
    ]
    advance = begin(len(jobs), "runs")
    found: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    with workers(settings.processes, settings.ray) as do:
        for job, result in _learned(do, jobs, settings.ray is not None):
            found.setdefault(job.lesson.name, []).append((job.seed, result))
            advance(1)
    lessons = [lesson for part in parts for lesson in PARTS[part]]
    table = {}
    for lesson in lessons:
        by_seed = sorted(found[lesson.name], key=lambda one: one[0])
        table[lesson.name] = _summary(lesson, [result for _, result in by_seed])
    shown = {key: value for key, value in asdict(settings).items() if key not in NOT_SHOWN}
    result = {"study": "learning", "settings": shown, "lessons": table}
    stem = "result" if settings.part == "all" else f"result-{settings.part}"
    path = settings.folder / f"{stem}.json"
    write_json(path, result)
    return Report(result, [_table(table)], [path])


def _learned(do: Do, jobs: list[_Job], away: bool) -> Iterator[tuple[_Job, dict[str, Any]]]:
    """Yield each run with its measurements, made on this machine or away."""
    if not away:
        yield from do(_learn, jobs)
        return
    for job, (result, files) in do(_learn_away, map(_with_files, jobs)):
        unpack(job.run, files)
        yield job, result


def _with_files(job: _Job) -> _Job:
    """Return a run with the files of its folder."""
    _check_folder(job.run, _task(job))
    return replace(job, files=read_files(job.run))


def _learn_away(job: _Job) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Do one run on another machine; return its measurements and the files of its folder.

    A run that was begun on this machine and lost with its process is resumed at its checkpoint.
    """
    from bidarena.evaluate.workers.ray import scratch

    here = replace(job, folder=scratch() / "runs", files={})
    if not (here.run / CONFIG).is_file():
        unpack(here.run, job.files)
    with turn(f"learning {job.lesson}") as first:
        if first:  # compiles the code of training; the others load it
            make_learner(_task(job)).learn()
    return _learn(here), read_files(here.run)


def _task(job: _Job) -> Task:
    """Return the training task of a run."""
    lesson = job.lesson
    values = hyperparameters(lesson.algorithm, lesson.game)
    steps = values.pop("steps")
    rules = {**values.pop("rules", {}), **dict(lesson.rules)}
    return Task(
        game=lesson.game,
        rules=make_game(lesson.game, **rules).options,
        algorithm=lesson.algorithm,
        steps=int((lesson.steps or steps) * job.scale),
        seed=job.seed,
        players={"opponent": _opponents(lesson), "seat": "random"},
        settings=values,
    )


def _learn(job: _Job) -> dict[str, Any]:
    """Do one run to its end; return its measurements, in more games than during training."""
    lesson, folder, task = job.lesson, job.run, _task(job)
    measured = evaluation_settings(lesson.game)
    measured["rivals"] = lesson.rivals or tuple(measured["rivals"])
    if lesson.measured is not None:
        measured["evaluations"], measured["games"] = lesson.measured
    evaluation = Evaluation(**measured)
    command = _command(task)
    config = {
        "command": command,
        "task": task.as_dict(),
        "evaluation": evaluation.as_dict(),
        "versions": versions(),
    }
    resume = _check_folder(folder, task)
    if not resume:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / CONFIG, config)
    learner = make_learner(task)
    found = run(learner, task, evaluation, folder, command=command, resume=resume)
    game = task.make_game()
    last = policy_bot(game, folder / LAST)
    scores = against(game, last, evaluation.rivals, job.games, seed=job.seed)
    if job.search_games:
        scores |= against(game, last, lesson.searches, job.search_games, seed=job.seed)
    return {**found, "scores": {rival: score.as_dict() for rival, score in scores.items()}}


def _check_folder(folder: Path, task: Task) -> bool:
    """Return whether the folder holds a run; raise ValueError if it is of another task."""
    found = (folder / CONFIG).is_file()
    if found and read_config(folder)["task"] != _plain(task.as_dict()):
        raise ValueError(f"{folder}: there is another run in this folder; move it away")
    return found


def _opponents(lesson: Lesson) -> str | list[str]:
    """Return the opponent, or a list from which one is drawn in each game."""
    several = lesson.opponent.split()
    return several if len(several) > 1 else lesson.opponent


def _plain(value: Any) -> Any:
    """Return a value as JSON gives it back, with lists for tuples."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _command(task: Task) -> str:
    """Return the command line that makes the same run."""
    defaults = make_game(task.game).options
    rules = [
        f"--{name.replace('_', '-')} {value}"
        for name, value in task.rules.items()
        if value != defaults[name]
    ]
    parts = ["bidarena train", task.game, f"--algo {task.algorithm}", *rules]
    opponent = task.players["opponent"]
    named = opponent if isinstance(opponent, str) else shlex.quote(" ".join(opponent))
    parts += [f"--opponent {named}", f"--steps {task.steps}"]
    return " ".join([*parts, f"--seed {task.seed}"])


def _summary(lesson: Lesson, runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return means over the seeds with intervals, and the share of the best possible return."""
    told: dict[str, Any] = {
        "steps": runs[0]["steps"],
        "cpu_seconds": interval([one["cpu_seconds"] for one in runs]),
        "decided": {},
        "mean_return": {},
    }
    for rival in runs[0]["scores"]:
        scores = [one["scores"][rival] for one in runs]
        told["decided"][rival] = interval([score["decided_rate"] for score in scores])
        told["mean_return"][rival] = interval([score["mean_return"] for score in scores])
    if runs[0]["truth"] is not None:
        name = runs[0]["truth"]["name"]
        told[name] = interval([one["truth"]["value"] for one in runs])
        for further in runs[0]["truth"].get("also", {}):  # earlier runs have none
            told[further] = interval([one["truth"]["also"][further] for one in runs])
    if lesson.opponent != "self" and isinstance(_opponents(lesson), str):
        told["best_possible_return"] = _best_possible(lesson)
        reached = told["mean_return"][lesson.opponent]["mean"]
        told["reached"] = reached / told["best_possible_return"]
    return told


def _best_possible(lesson: Lesson) -> float:
    """Return what an exact best response wins against the opponent."""
    from bidarena.evaluate.exploit import exploit

    return exploit(lesson.game, lesson.opponent, **dict(lesson.rules)).best_response_value


def interval(values: Sequence[float]) -> dict[str, Any]:
    """Return the mean over seeds and its 95 % interval by Student's distribution."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return {"mean": mean, "half_width": None, "values": list(values)}
    factor = STUDENT.get(len(values), 1.96 if len(values) > 30 else 2.26)
    half = factor * statistics.stdev(values) / math.sqrt(len(values))
    return {"mean": mean, "half_width": half, "values": list(values)}


def _table(table: dict[str, dict[str, Any]]) -> TableSpec:
    """Return the table of all lessons."""
    rows = []
    for name, told in table.items():
        measures = [
            f"{100 * found['mean']:.1f} %{_half(found, 100)} of decided against {rival}"
            for rival, found in told["decided"].items()
        ]
        for truth in ("exploitability", "kept", "kept_everywhere"):
            if truth in told:
                measures.append(f"{truth} {told[truth]['mean']:.3f}{_half(told[truth], 1)}")
        if "reached" in told:
            best = told["best_possible_return"]
            reached = told["reached"]
            measures.append(f"{100 * reached:.1f} % of the best response's {best:+.3f}")
        cpu = told["cpu_seconds"]["mean"]
        rows.append([name, f"{told['steps']:,}", f"{cpu:.0f} s", "\n".join(measures)])
    return TableSpec("mean over seeds ± 95 %", ["lesson", "decisions", "CPU", "measured"], rows)


def _half(found: dict[str, Any], times: float) -> str:
    """Return the half width of an interval as text; "" if it is not known."""
    half = found["half_width"]
    return "" if half is None else f" ± {times * half:.3g}"
