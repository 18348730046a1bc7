"""Training from Python: start a run, or go on with one. `bidarena train` does it with these two.

    from bidarena.train import resume, start

    run = start("raj", "maskable_ppo", opponent="greedy", steps=1e6, seed=1)
    print(run.scores["greedy"]["mean_return"], run.truth)
    match = play_match("raj", [str(run.policy), "greedy"], games=1000)

Everything about a run is in its folder (folder.py). A run that was stopped or killed goes on with
`resume(folder)` and ends with the same weights as one that was not.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bidarena.envs.arguments import whole
from bidarena.envs.files import write_json, write_whole
from bidarena.envs.game import Game
from bidarena.envs.registry import env_id, make_bot, make_game
from bidarena.envs.registry.trust import check_name, distrust, names_from_file
from bidarena.train.algorithms import (
    find_algorithm,
    hyperparameters,
    look_in_present_folder,
    make_learner,
)
from bidarena.train.folder import BEST, COMMAND, CONFIG, new_folder, read_config, versions
from bidarena.train.plot import draw
from bidarena.train.run import Evaluation, RunProgress, run
from bidarena.train.settings import changed, evaluation_settings
from bidarena.train.task import Learner, Task
from bidarena.train.trust import effects, needs_trust

CHECKPOINT_SECONDS = 30.0


@dataclass(frozen=True)
class FinishedRun:
    """What a run leaves, and what its last evaluation found.

    Attributes:
        folder: the folder of the run.
        policy: the file of the best policy, which is a bot by its path.
        picture: the learning curves; None without matplotlib.
        steps: how many decisions the run has learned from.
        cpu_seconds: the CPU time of learning.
        scores: by rival, what `Score.as_dict` returns: games, wins, draws, losses, mean_return ...
        truth: the exact measure with its "name" and "value", and further ones in "also"; None if
            the game has no exact measure under these rules.
    """

    folder: Path
    policy: Path
    picture: Path | None
    steps: int
    cpu_seconds: float
    scores: dict[str, dict[str, Any]]
    truth: dict[str, Any] | None


def start(
    game: str | Game,
    algo: str = "maskable_ppo",
    *,
    opponent: str | Sequence[str] | None = None,
    partner: str | None = None,
    seat: int | str = "random",
    steps: float | None = None,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    device: str | None = None,
    rivals: Sequence[str] | None = None,
    games: int | None = None,
    evaluations: int | None = None,
    folder: str | Path = "runs",
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    progress: Callable[[RunProgress], None] | None = None,
    ray: str | None = None,
    command: str | None = None,
    **rules: Any,
) -> FinishedRun:
    """Learn a policy for a game, measure it on the way, and return the finished run.

    Ctrl-C or SIGTERM stops the run after the present round, with a KeyboardInterrupt that says how
    to go on.

    Args:
        game: the name of a game, or a ready `Game`, which is learned with exactly its rules.
            A name can be "module:name"; the module is imported first, here and by `resume`.
        algo: the name of an algorithm, likewise with or without a module.
        opponent: who plays the other seats: a bot with options, the path of a policy, a list of
            these, or "self", the learner's own past; by default "random", or "self" where the
            algorithm plays all seats.
        partner: who plays the partner's seat, where there is one; "self": the learner.
        seat: the learner's seat: a number, "random" or "alternate".
        steps: how many decisions to learn from; by default what suits the game.
        seed: seeds the network, the games and everything else that is drawn.
        settings: hyperparameters to change; the others are those of the algorithm for this game.
        device: where torch computes: "cpu" (the default), "cuda", "cuda:1", "mps" ...; the same as
            the hyperparameter `device`.
        rivals: the bots to be measured against; by default some that answer quickly.
        games: how many games each match of an evaluation has.
        evaluations: how many times the run is measured, the last time at its end; 1: only there.
        folder: where the folder of the run is made.
        checkpoint_seconds: how much time passes at least between two checkpoints.
        progress: called with a `RunProgress` at the beginning and after every round.
        ray: the address of a Ray to play on, for algorithms of RLlib.
        command: the command line to keep in the folder; by default one that starts such a run.
        rules: the rules of the game.
    """
    algorithm = find_algorithm(algo)
    if isinstance(game, Game):
        make_game(game, **rules)  # refuses rules
        name, given = game.name, game.options
    else:
        name, given = game, rules
    table = hyperparameters(algo, name)
    planned = table.pop("steps", None) if steps is None else steps
    table.pop("steps", None)
    if planned is None:
        raise ValueError(f"steps: {algo} has no usual number of steps; say how many")
    suited = {key: value for key, value in table.pop("rules", {}).items() if key not in given}
    all_rules = {**make_game(name, **given).options, **suited}
    measured = evaluation_settings(name)
    measured["games"] = measured["games"] if games is None else games
    measured["evaluations"] = measured["evaluations"] if evaluations is None else evaluations
    measured["rivals"] = tuple(rivals or ()) or tuple(
        rival for rival in measured["rivals"] if _plays(make_game(name, **all_rules), rival)
    )
    whole("games", measured["games"], 2, 10**7)
    whole("evaluations", measured["evaluations"], 0, 10**6)
    whole("seed", seed, 0, 2**32 - 1)
    changes = _plain("settings", dict(settings or {}))
    if device is not None:
        changes["device"] = device
    players = {
        "opponent": opponent or ("self" if algorithm.self_play else "random"),
        **({} if partner is None else {"partner": partner}),
        "seat": seat,
    }
    task = Task(
        game=name,
        rules=all_rules,
        algorithm=algo,
        steps=_whole_steps(planned),
        seed=seed,
        players=_plain("players", players),
        settings=changed(table, changes),
    )
    evaluation = Evaluation(**measured)
    for rival in evaluation.rivals:
        make_bot(task.make_game(), rival)
    learner = make_learner(task)  # before there is a folder: what is refused leaves none
    if command is None:
        command = _command(task, evaluation, given, changes)
    with _engine(task, ray):
        made = _new_folder(task, evaluation, Path(folder), command)
        return _learn(made, learner, checkpoint_seconds, progress)


def resume(
    folder: str | Path,
    *,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    progress: Callable[[RunProgress], None] | None = None,
    device: str | None = None,
    ray: str | None = None,
    trust: bool = False,
) -> FinishedRun:
    """Go on with a run from its last checkpoint to its end.

    A folder that somebody else has made runs no code: names in its configuration that would start
    a program or import a module are refused, and so are checkpoints of RLlib.

    Args:
        folder: the folder of the run.
        checkpoint_seconds: how much time passes at least between two checkpoints.
        progress: called with a `RunProgress` at the beginning and after every round.
        device: where torch computes from now on; by default where the run began.
        ray: the address of a Ray to play on from now on, for algorithms of RLlib.
        trust: whether the run may start the programs and import the modules that it names.
    """
    config = read_config(Path(folder))
    task = Task(**config["task"])
    where = str(Path(folder) / CONFIG)
    if not trust and (found := effects(config)):
        raise distrust(where, found)
    with names_from_file(where, trust=trust):
        if ":" in task.game:
            look_in_present_folder()
        if find_algorithm(task.algorithm).engine == "rllib":
            check_name("algorithm", task.algorithm, "has checkpoints of pickled objects")
        with _engine(task, ray):
            return _learn(Path(folder), None, checkpoint_seconds, progress, device)


def _whole_steps(planned: Any) -> int:
    """Return the number of steps, which may be written as 2e6; raise ValueError if it is none."""
    if isinstance(planned, float) and not 1 <= planned <= 10**12:  # neither is nan
        raise ValueError(f"steps={planned!r}: expected a number from 1 to {10**12}")
    return whole("steps", int(planned) if isinstance(planned, float) else planned, 1, 10**12)


def _plays(game: Game, rival: str) -> bool:
    """Return whether a bot accepts these rules; some refuse more players or other boards."""
    try:
        make_bot(game, rival)
    except ValueError:
        return False
    return True


def _plain(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return values as `resume` will read them from config.json; raise ValueError if it cannot."""
    try:
        return dict(json.loads(json.dumps(values)))
    except TypeError as wrong:
        raise ValueError(
            f"{name}={values!r}: a run is kept as JSON, so expected names and numbers ({wrong})"
        ) from None


def _new_folder(task: Task, evaluation: Evaluation, parent: Path, command: str) -> Path:
    """Make the folder of a run, write into it what is to be done, and return it."""
    name = find_algorithm(task.algorithm).name
    folder = new_folder(parent, env_id(task.game), name, task.seed)
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


def _learn(
    folder: Path,
    learner: Learner | None,
    checkpoint_seconds: float,
    progress: Callable[[RunProgress], None] | None,
    device: str | None = None,
) -> FinishedRun:
    """Run what is in a folder, with a fresh learner or, without one, from its checkpoint."""
    config = read_config(folder)
    task = Task(**config["task"])
    if device is not None:
        task = replace(task, settings={**task.settings, "device": device})
    measured = {**config["evaluation"], "rivals": tuple(config["evaluation"]["rivals"])}
    try:
        found = run(
            learner or make_learner(task),
            task,
            Evaluation(**measured),
            folder,
            command=config["command"],
            resume=learner is None,
            checkpoint_seconds=checkpoint_seconds,
            progress=progress,
        )
    except KeyboardInterrupt as stop:
        raise type(stop)(f"stopped; {_go_on(folder, config)} goes on where it was") from None
    except OSError as wrong:  # a full disk, for example
        raise OSError(f"{wrong}; mend that, then {_go_on(folder, config)} goes on") from wrong
    return FinishedRun(folder, folder / BEST, draw(folder), **found)


def _go_on(folder: Path, config: dict[str, Any]) -> str:
    """Return the command that goes on with a run."""
    trusted = " --trust" if needs_trust(config) else ""
    return f"bidarena train --resume {shlex.quote(str(folder))}{trusted}"


@contextmanager
def _engine(task: Task, address: str | None) -> Iterator[None]:
    """Have what a task needs around it while it is learned: Ray, if RLlib learns it."""
    if find_algorithm(task.algorithm).engine != "rllib":
        if address is not None:
            raise ValueError(
                f"ray={address!r}: the algorithm {task.algorithm} works in this process; leave "
                "--ray out, or type --engine rllib"
            )
        yield
        return
    from bidarena.train.rllib.ray import ray_running

    with ray_running(address, task.settings["env_runners"]):
        yield


def _command(
    task: Task, evaluation: Evaluation, rules: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    """Return the command line that starts such a run."""
    algorithm, players = find_algorithm(task.algorithm), task.players
    module = task.algorithm.rpartition(":")[0]
    words = ["bidarena", "train", task.game]
    words += [] if algorithm.engine == "native" else ["--engine", algorithm.engine]
    words += ["--algo", f"{module}:{algorithm.algo}" if module else algorithm.algo]
    for rule, value in rules.items():
        words += [f"--{rule.replace('_', '-')}", _typed(value)]
    opponent = players["opponent"]
    words += ["--opponent", opponent if isinstance(opponent, str) else " ".join(opponent)]
    words += ["--partner", players["partner"]] if "partner" in players else []
    words += ["--seat", str(players["seat"]), "--steps", str(task.steps), "--seed", str(task.seed)]
    if settings:
        words += ["--set", *(f"{name}={_typed(value)}" for name, value in settings.items())]
    words += ["--rivals", *evaluation.rivals] if evaluation.rivals else []
    words += ["--games", str(evaluation.games), "--evaluations", str(evaluation.evaluations)]
    return shlex.join(words)


def _typed(value: Any) -> str:
    """Return a value as it is typed on the command line: a plain word if that is read as one."""
    if isinstance(value, str) and not any(map(_is_json, (value, f"[{value}]", value.lower()))):
        return value
    return json.dumps(value)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
