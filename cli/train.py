"""`bidarena train`: learn a policy; resumable."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse, parse_with_game, show_json
from bidarena.envs.check import whole
from bidarena.envs.files import write_json, write_whole
from bidarena.envs.game import Game
from bidarena.envs.registry import env_id, make_bot, make_game


@dataclass
class Arguments:
    """Learn a policy for a game, and measure it on the way against bots and the truth.

    Stop it whenever you like: `bidarena train --resume RUN` goes on where it was.

    Example: bidarena train raj --algo ppo --opponent minimax --steps 2e6 --seed 1
    """

    engine: str = "native"
    """native: all algorithms, in one process on the batched environment; rllib: PPO of Ray's RLlib,
    in several processes on one machine or many"""

    algo: str | None = None
    """maskable_ppo (by default), ppo, a2c, dqn; or by self-play of all seats, toward perfect play:
    mmd (any game), minimax_q (moves made at the same time, as in Raj), td (nothing hidden, as in
    Coins); --engine rllib has ppo only"""

    opponent: str | None = None
    """who plays the other seats: a bot with options, the path of a policy, several separated by
    blanks, or self: the learner's own past (with --engine rllib: its present); by default random,
    or self where all seats learn"""

    partner: str | None = None
    """who plays the partner's seat where there is one; self: the learner plays both seats"""

    seat: str = "random"
    """the learner's: a number, random or alternate"""

    steps: float | None = None
    """decisions to learn from, such as 2e6; by default what suits the game"""

    seed: int = 0
    """of the network, the games and everything drawn"""

    set: tuple[str, ...] = ()
    """hyperparameters, such as learning_rate=1e-4 net_arch=[32,32]"""

    rivals: tuple[str, ...] = ()
    """bots to be measured against on the way; by default some that answer quickly"""

    games: int | None = None
    """of each match on the way"""

    evaluations: int | None = None
    """how many times in the run it is measured"""

    checkpoint_seconds: float = 30.0
    """at least so long between two checkpoints"""

    ray: str | None = None
    """with --engine rllib: play on this Ray, [ADDRESS], such as 10.0.0.1:6379; by default one of
    this machine's own, for the time of the run"""

    folder: Path = Path("runs")
    """where run folders are made"""

    json: bool = False
    """print one JSON object instead of a table"""


@dataclass
class Resume:
    """Go on with a run where its last checkpoint is."""

    resume: Path
    """the folder of the run"""

    checkpoint_seconds: float = 30.0
    """at least so long between two checkpoints"""

    ray: str | None = None
    """of a run of --engine rllib: play on this Ray, [ADDRESS], from now on"""

    json: bool = False
    """print one JSON object instead of a table"""


def main(argv: list[str]) -> None:
    """Run the command."""
    if any(word == "--resume" or word.startswith("--resume=") for word in argv):
        _resume(parse("train", Resume, argv))
        return
    game, args = parse_with_game("train", Arguments, argv)
    task, evaluation = _plan(game, args, _given_rules(argv))
    learner = _checked(task, evaluation)  # before there is a folder: what is refused leaves none
    with _engine(task, args.ray):
        folder = _new_run(task, evaluation, args.folder, argv)
        _learn(folder, learner, pause=args.checkpoint_seconds, as_json=args.json)


def _resume(again: Resume) -> None:
    from bidarena.train.folder import read_config
    from bidarena.train.task import Task

    with _engine(Task(**read_config(again.resume)["task"]), again.ray):
        _learn(again.resume, None, pause=again.checkpoint_seconds, as_json=again.json)


@contextmanager
def _engine(task: Any, address: str | None) -> Iterator[None]:
    """What a task needs around it while it is learned: Ray, if RLlib learns it."""
    from bidarena.train.task import ENGINES

    if task.algorithm not in ENGINES["rllib"].values():
        if address is not None:
            raise ValueError(
                f"ray={address!r}: the algorithm {task.algorithm} works in this process; leave "
                "--ray out, or type --engine rllib"
            )
        yield
        return
    from bidarena.train.rllib_ray import ray_running

    with ray_running(address, task.settings["env_runners"]):
        yield


def _new_run(task: Any, evaluation: Any, parent: Path, argv: list[str]) -> Path:
    """A folder that says what is to be done in it."""
    from bidarena.train.folder import COMMAND, CONFIG, new_folder, versions

    folder = new_folder(parent, env_id(task.game), task.algorithm, task.seed)
    command = shlex.join(["bidarena", "train", *argv])
    write_whole(folder / COMMAND, f"{command}\n".encode())
    write_json(
        folder / CONFIG,
        {
            "command": command,
            "task": task.as_dict(),
            "evaluation": evaluation.as_dict(),
            "versions": versions(),
        },
    )
    return folder


def _checked(task: Any, evaluation: Any) -> Any:
    """The learner of a task, if the task and its evaluation make sense."""
    from bidarena.train.task import make_learner

    for rival in evaluation.rivals:
        make_bot(task.make_game(), rival)
    return make_learner(task)


def _given_rules(argv: list[str]) -> set[str]:
    """The names of all options that were typed."""
    names = (word.partition("=")[0] for word in argv if word.startswith("--"))
    return {name[2:].replace("-", "_") for name in names}


def _plan(game: Game, args: Arguments, given: set[str]) -> tuple[Any, Any]:
    """The task and its evaluation, from what was typed and the tables of hyperparameters."""
    from bidarena.train.loop import Evaluation
    from bidarena.train.task import (
        Task,
        algorithm_name,
        changed,
        evaluation_settings,
        hyperparameters,
    )

    algorithm = algorithm_name(args.engine, args.algo)
    settings = hyperparameters(algorithm, game.name)
    steps = settings.pop("steps") if args.steps is None else args.steps
    settings.pop("steps", None)
    rules = dict(game.options)
    for name, value in settings.pop("rules", {}).items():
        if name not in given:  # what the user says comes first
            rules[name] = value
    measured = evaluation_settings(game.name)
    for name in ("games", "evaluations"):
        if getattr(args, name) is not None:
            measured[name] = getattr(args, name)
    measured["rivals"] = args.rivals or tuple(
        rival for rival in measured["rivals"] if _plays(make_game(game.name, **rules), rival)
    )
    whole("games", measured["games"], 2, 10**7)
    whole("evaluations", measured["evaluations"], 0, 10**6)
    whole("seed", args.seed, 0, 2**32 - 1)
    task = Task(
        game=game.name,
        rules=rules,
        algorithm=algorithm,
        steps=whole("steps", int(steps), 1, 10**12),
        seed=args.seed,
        players=_players(args),
        settings=changed(settings, _typed(args.set)),
    )
    return task, Evaluation(**measured)


def _plays(game: Game, rival: str) -> bool:
    """Does a bot play under these rules? Some refuse more than two players, or other boards."""
    try:
        make_bot(game, rival)
    except ValueError:
        return False
    return True


def _players(args: Arguments) -> dict[str, Any]:
    """The keywords of the environment that say who plays where."""
    from bidarena.train.task import SELF_PLAY

    named = args.opponent or ("self" if args.algo in SELF_PLAY else "random")
    several = named.split()
    players: dict[str, Any] = {"opponent": several if len(several) > 1 else named}
    if args.partner is not None:
        players["partner"] = args.partner
    seat = args.seat
    players["seat"] = int(seat) if seat.isdecimal() else seat
    return players


def _typed(words: tuple[str, ...]) -> dict[str, Any]:
    """name=value words; values are JSON where they can be."""
    typed: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"set={word!r}: write hyperparameters as name=value")
        try:
            typed[name] = json.loads(value)
        except ValueError:
            typed[name] = value
    return typed


def _learn(folder: Path, learner: Any, *, pause: float, as_json: bool) -> None:
    """Run what is in a folder, with a fresh learner or, without one, from its checkpoint."""
    from bidarena.train.folder import read_config
    from bidarena.train.loop import Evaluation, run
    from bidarena.train.plot import draw
    from bidarena.train.task import Task, make_learner

    config = read_config(folder)
    task = Task(**config["task"])
    measured = {**config["evaluation"], "rivals": tuple(config["evaluation"]["rivals"])}
    again = f"bidarena train --resume {shlex.quote(str(folder))}"
    try:
        with _bar(task.steps, f"{task.game} {task.algorithm}") as tell:
            found = run(
                learner or make_learner(task),
                task,
                Evaluation(**measured),
                folder,
                command=config["command"],
                resume=learner is None,
                checkpoint_seconds=pause,
                tell=tell,
            )
    except KeyboardInterrupt:
        print(f"stopped; {again} goes on where it was", file=sys.stderr)
        raise
    picture = draw(folder)
    if as_json:
        show_json({"folder": str(folder), "picture": picture and str(picture), **found})
        return
    _show(task.game, folder, found, picture)


def _show(game: str, folder: Path, found: dict[str, Any], picture: Path | None) -> None:
    table = Table("against", "won / drawn / lost", "of decided", "mean return (95 %)")
    for rival, score in found["scores"].items():
        shares = [100 * score[key] / score["games"] for key in ("wins", "draws", "losses")]
        low, high = score["mean_return_95"]
        table.add_row(
            rival,
            " / ".join(f"{share:.1f}" for share in shares) + " %",
            f"{100 * score['decided_rate']:.1f} %",
            f"{score['mean_return']:+.3f} [{low:+.3f}, {high:+.3f}]",
        )
    console = Console()
    console.print(table)
    if found["truth"] is not None:
        truth = found["truth"]
        for name, value in {truth["name"]: truth["value"], **truth.get("also", {})}.items():
            console.print(f"{name}: {value:.4f}")
    console.print(f"kept in {folder}" + (f", drawn in {picture.name}" if picture else ""))
    console.print(f"next: bidarena match {game} {folder}/best.safetensors random")


@contextmanager
def _bar(total: int, what: str) -> Iterator[Any]:
    """A progress bar with the speed and what was measured last."""
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    news = TextColumn("{task.fields[news]}")
    bars = Bars(*columns, TimeRemainingColumn(), news, console=Console(stderr=True), transient=True)
    with bars:
        task = bars.add_task(what, total=total, news="")

        def tell(progress: Any) -> None:
            shown = [f"{progress.steps_per_s:,.0f} steps/s ({100 * progress.env_share:.0f} % env)"]
            shown += [f"{name} {_short(name, x)}" for name, x in progress.measured.items()]
            bars.update(task, completed=min(progress.steps, total), news="  ".join(shown))

        yield tell


def _short(name: str, value: float) -> str:
    return f"{value:.3f}" if name == "exploitability" else f"{100 * value:.0f} %"
