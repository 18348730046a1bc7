"""`bidarena train`: learn a policy; resumable."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse, parse_with_game, show_json, typed_rules
from bidarena.cli.tables import percent, percents, with_interval
from bidarena.envs.progress import progress_bars

if TYPE_CHECKING:
    from bidarena.train import FinishedRun, RunProgress


@dataclass
class Arguments:
    """Learn a policy for a game, and measure it on the way against bots and the truth.

    Stop it whenever you like: `bidarena train --resume RUN` goes on where it was.

    Example: bidarena train raj --algo ppo --opponent minimax --steps 2e6 --seed 1
    """

    engine: str = "native"
    """What learns. native: all algorithms, in one process on the batched environment. rllib: PPO of
    Ray's RLlib, in several processes on one machine or many."""

    algo: str | None = None
    """The algorithm. Against opponents: maskable_ppo (the default), ppo, a2c, dqn, and
    fast_ppo, our own, several times as fast and with all seats if the opponent is self. By
    self-play of all seats, toward perfect play: mmd (any game), minimax_q (both players always
    move at the same time), td (nothing is hidden, players move in turn). The engine rllib has
    ppo only. MODULE:NAME is an algorithm of your own."""

    opponent: str | None = None
    """Who plays the other seats: a bot with options, the path of a policy, several of these
    separated by blanks, or self, the learner's own past (with --engine rllib its present). The
    default is random, or self for algorithms that play all seats."""

    partner: str | None = None
    """Who plays the partner's seat, where there is one. self: the learner plays both seats."""

    seat: str = "random"
    """The learner's seat: a number, random or alternate."""

    steps: float | None = None
    """How many decisions to learn from, such as 2e6. The default suits the game."""

    seed: int = 0
    """Seeds the network, the games and everything else that is drawn."""

    set: tuple[str, ...] = ()
    """Hyperparameters to change, such as learning_rate=1e-4 net_arch=[32,32]."""

    device: str | None = None
    """Where torch computes: cpu (the default), cuda, cuda:1, mps ... Small networks are faster on
    the CPU."""

    rivals: tuple[str, ...] = ()
    """The bots to be measured against while learning. The default is some that answer quickly."""

    games: int | None = None
    """How many games each match of an evaluation has."""

    evaluations: int | None = None
    """How many times the run is measured, the last time at its end; 1 means only there."""

    checkpoint_seconds: float = 30.0
    """How many seconds pass at least between two checkpoints."""

    ray: str | None = None
    """With --engine rllib: the address of a Ray to play on, such as 10.0.0.1:6379. The default is a
    Ray on this machine that ends with the run."""

    folder: Path = Path("runs")
    """Where the folder of the run is made."""

    json: bool = False
    """Print one JSON object instead of a table."""


@dataclass
class Resume:
    """Go on with a run from its last checkpoint."""

    resume: Path
    """The folder of the run."""

    checkpoint_seconds: float = 30.0
    """How many seconds pass at least between two checkpoints."""

    device: str | None = None
    """Where torch computes from now on. The default is where the run began."""

    ray: str | None = None
    """For a run of --engine rllib: the address of a Ray to play on from now on."""

    trust: bool = False
    """Let the run start the programs and import the modules that its config.json names."""

    json: bool = False
    """Print one JSON object instead of a table."""


def main(argv: list[str]) -> None:
    """Run the command."""
    if any(word == "--resume" or word.startswith("--resume=") for word in argv):
        _resume(parse("train", Resume, argv))
    else:
        _start(argv)


def _start(argv: list[str]) -> None:
    game, args = parse_with_game("train", Arguments, argv)
    from bidarena.train import start
    from bidarena.train.algorithms import algorithm_name

    several = (args.opponent or "").split()
    with _shown_progress() as progress:
        found = start(
            argv[0],
            algorithm_name(args.engine, args.algo),
            opponent=several if len(several) > 1 else args.opponent,
            partner=args.partner,
            seat=int(args.seat) if args.seat.isdecimal() else args.seat,
            steps=args.steps,
            seed=args.seed,
            settings=_settings(args.set),
            device=args.device,
            rivals=args.rivals,
            games=args.games,
            evaluations=args.evaluations,
            folder=args.folder,
            checkpoint_seconds=args.checkpoint_seconds,
            progress=progress,
            ray=args.ray,
            command=shlex.join(["bidarena", "train", *argv]),
            **typed_rules(argv[0], args),
        )
    _show(found, game.name, args.json)


def _resume(args: Resume) -> None:
    from bidarena.train import resume
    from bidarena.train.folder import read_config

    with _shown_progress() as progress:
        found = resume(
            args.resume,
            checkpoint_seconds=args.checkpoint_seconds,
            progress=progress,
            device=args.device,
            ray=args.ray,
            trust=args.trust,
        )
    _show(found, read_config(args.resume)["task"]["game"], args.json)


def _settings(words: tuple[str, ...]) -> dict[str, Any]:
    """Return hyperparameters from words such as name=value; a value is JSON if it can be."""
    settings: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"set={word!r}: write hyperparameters as name=value")
        try:
            settings[name] = json.loads(value)
        except ValueError:
            settings[name] = value
    return settings


def _show(found: FinishedRun, game: str, as_json: bool) -> None:
    """Print what a run has found at its end."""
    if as_json:
        show_json(
            {
                "folder": str(found.folder),
                "picture": found.picture and str(found.picture),
                "steps": found.steps,
                "cpu_seconds": found.cpu_seconds,
                "scores": found.scores,
                "truth": found.truth,
            }
        )
        return
    table = Table("against", "won", "drawn", "lost", "of decided", "mean return (95 %)")
    for rival, numbers in found.scores.items():
        score: Any = SimpleNamespace(**numbers)
        low, high = score.mean_return_95 or (-math.inf, math.inf)
        mean = with_interval(score.mean_return, (high - low) / 2)
        table.add_row(rival, *percents(score), percent(score.decided_rate), mean)
    console = Console()
    console.print(table)
    if found.truth is not None:
        truth = found.truth
        for name, value in {truth["name"]: truth["value"], **truth.get("also", {})}.items():
            console.print(f"{name}: {value:.4f}")
    drawn = f", drawn in {found.picture.name}" if found.picture else ""
    console.print(f"kept in {found.folder}{drawn}", soft_wrap=True)
    console.print(f"next: bidarena match {game} {found.policy} random", soft_wrap=True)


@contextmanager
def _shown_progress() -> Iterator[Callable[[RunProgress], None]]:
    """Show a bar with the speed and the last evaluation; yield the function that moves it.

    A run that is stopped says how to go on with it.
    """
    try:
        with progress_bars() as show:

            def progress(run: RunProgress) -> None:
                news = [f"{run.steps_per_s:,.0f} steps/s ({100 * run.env_share:.0f} % env)"]
                news += [f"{name} {_short(name, value)}" for name, value in run.measured.items()]
                what = f"{run.task.game} {run.task.algorithm}"
                show(what, run.steps, run.task.steps, "  ".join(news))

            yield progress
    except KeyboardInterrupt as stopped:
        print(*stopped.args, file=sys.stderr)
        raise


def _short(name: str, value: float) -> str:
    return f"{value:.3f}" if name == "exploitability" else f"{100 * value:.0f} %"
