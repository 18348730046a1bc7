"""The console script `bidarena`: finds the command and passes the rest of the line to it."""

from __future__ import annotations

import importlib
import os
import sys

from bidarena.cli import resident

# command -> (module, one line for the overview); a module is imported only when it is used
COMMANDS = {
    "arena": ("bidarena.cli.arena", "play, watch and analyse every game in the browser"),
    "list": ("bidarena.cli.list", "list games, their environments, their rules and bots"),
    "play": ("bidarena.cli.play.command", "play against a bot in the terminal"),
    "match": ("bidarena.cli.match", "play games between bots"),
    "tournament": ("bidarena.cli.tournament", "play every bot against every other"),
    "solve": ("bidarena.cli.solve", "compute the exact value of a game and its best openings"),
    "exploit": ("bidarena.cli.exploit", "compute the best response to a bot or a saved policy"),
    "train": ("bidarena.cli.train", "learn a policy; resumable"),
    "evaluate": ("bidarena.cli.evaluate", "measure a policy against every bot and the truth"),
    "serve": ("bidarena.cli.serve", "let a bot answer in another program's protocol"),
    "study": ("bidarena.cli.study", "repeat a named experiment of the docs; resumable"),
    "prepare": ("bidarena.cli.prepare", "compile what games need, before somebody waits for it"),
    "bench": ("bidarena.cli.bench", "measure speeds, beside well-known environments"),
    "completion": ("bidarena.cli.completion", "print a script for bash, zsh or fish"),
}


def commands() -> dict[str, tuple[str, str]]:
    """Return all commands, those that games bring included: name -> (module, one line of help)."""
    from bidarena import envs  # registers the games

    return {**COMMANDS, **envs.registry.extra_commands()}


def main(argv: list[str] | None = None) -> int:
    """Run one command and return the exit code."""
    args = sys.argv[1:] if argv is None else argv
    try:
        if args[:1] == [resident.STAY]:
            resident.stay(args[1:], _run)
            return 0
        if resident.wanted(args):  # before anything that takes long to import
            code = resident.ask(args)
            if code is not None:
                return code
    except ValueError as wrong:
        print(f"bidarena: {wrong}", file=sys.stderr)
        return 2
    return _run(args)


def _run(args: list[str]) -> int:
    """Run one command in this process and return the exit code."""
    from importlib.metadata import version

    from bidarena.baselines.adapters.faults import Breakdown, Fault
    from bidarena.envs.arguments import unknown
    from bidarena.envs.stopping import Terminated, stop_at_sigterm

    if not args or args[0] in ("-h", "--help"):
        print(_overview())
        return 0
    if args[0] == "--version":
        print(version("bidarena"))
        return 0
    try:
        known = COMMANDS if args[0] in COMMANDS else commands()
        if args[0] not in known:
            raise unknown("command", args[0], known)
        command = importlib.import_module(known[args[0]][0])
        with stop_at_sigterm():
            command.main(args[1:])
    except (ValueError, TypeError) as wrong:
        print(f"bidarena: {wrong}", file=sys.stderr)
        return 2
    except Breakdown as reason:
        print(f"bidarena: {reason}", file=sys.stderr)
        return 1
    except Fault as fault:  # a bot from outside failed where there is no game to lose
        print(f"bidarena: a bot failed: it {fault}", file=sys.stderr)
        return 1
    except Terminated:
        return 143
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the program that read our output has stopped, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (OSError, MemoryError) as wrong:  # a full disk, a folder that may not be written, ...
        print(f"bidarena: {wrong or 'there is not enough memory'}", file=sys.stderr)
        return 1
    except RecursionError:
        print("bidarena: what was given is nested too deeply", file=sys.stderr)
        return 2
    return 0


def _overview() -> str:
    lines = ["usage: bidarena COMMAND ...", "", "commands:"]
    lines += [f"  {name:<12}{text}" for name, (_, text) in commands().items()]
    lines += ["", "`bidarena COMMAND --help` explains one of them."]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
