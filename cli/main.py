"""The console script `bidarena`: finds the command and hands the rest of the line to it."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.metadata import version

from bidarena.baselines.adapters.faults import Fault
from bidarena.envs.check import unknown

# command -> (module, one line for the overview); a module is imported only when it is used
COMMANDS = {
    "list": ("bidarena.cli.list_games", "games, their environments, their bots"),
    "play": ("bidarena.cli.play", "a person against a bot, in the terminal"),
    "match": ("bidarena.cli.match", "games between bots; seats rotated, intervals shown"),
    "tournament": ("bidarena.cli.tournament", "every bot against every other"),
    "solve": ("bidarena.cli.solve", "the exact value of a game, best openings, time taken"),
    "exploit": ("bidarena.cli.exploit", "the best response to a bot or a saved policy"),
    "train": ("bidarena.cli.train", "learn a policy; resumable"),
    "evaluate": ("bidarena.cli.evaluate", "a trained policy against every bot and the truth"),
    "serve": ("bidarena.cli.serve", "our bots behind other people's protocols"),
    "series": ("bidarena.cli.series", "the games of a Raj settings.py, as its own program plays"),
    "study": ("bidarena.cli.study", "a named experiment, reproduced; resumable"),
    "bench": ("bidarena.cli.bench", "speeds, beside something real"),
    "completion": ("bidarena.cli.completion", "a script for bash, zsh or fish"),
}


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit code."""
    args = sys.argv[1:] if argv is None else argv
    if not args or args[0] in ("-h", "--help"):
        print(_overview())
        return 0
    if args[0] == "--version":
        print(version("bidarena"))
        return 0
    try:
        if args[0] not in COMMANDS:
            raise unknown("command", args[0], COMMANDS)
        command = importlib.import_module(COMMANDS[args[0]][0])
        command.main(args[1:])
    except (ValueError, TypeError) as wrong:
        print(f"bidarena: {wrong}", file=sys.stderr)
        return 2
    except Fault as fault:  # of a bot from outside, where no game can be lost by it
        print(f"bidarena: a bot failed: it {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0


def _overview() -> str:
    lines = ["usage: bidarena COMMAND ...", "", "commands:"]
    lines += [f"  {name:<12}{text}" for name, (_, text) in COMMANDS.items()]
    lines += ["", "`bidarena COMMAND --help` explains one of them."]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
