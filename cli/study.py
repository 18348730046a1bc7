"""`bidarena study`: a named experiment, reproduced."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import get_type_hints

from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse, progress_bar, show_json
from bidarena.envs.check import unknown
from bidarena.envs.registry import load
from bidarena.evaluate.report import Report

# name -> "module:function". The function is called with its settings, a dataclass which is the type
# of its first argument and becomes the options of the command, and with `begin(total, what)`, which
# shows a progress bar and returns the function that moves it on. It returns a `Report`.
STUDIES = {
    "twentynine-search": "bidarena.evaluate.twentynine_search:study",
    "learning": "bidarena.train.study:study",
}


def main(argv: list[str]) -> None:
    """Run the command."""
    if not argv or argv[0].startswith("-"):
        asked = bool(set(argv) & {"-h", "--help"})
        print(_usage(), file=sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 2)
    name = argv[0]
    if name not in STUDIES:
        raise unknown("study", name, STUDIES)
    run = load(STUDIES[name])
    settings = parse(f"study {name}", get_type_hints(run)["settings"], argv[1:])
    try:
        with ExitStack() as bars:

            def begin(total: int, what: str) -> Callable[[int], None]:
                bars.close()  # one bar at a time
                advance: Callable[[int], None] = bars.enter_context(progress_bar(total, what))
                return advance

            report: Report = run(settings, begin)
    except KeyboardInterrupt:
        print("stopped; the same command goes on where it was", file=sys.stderr)
        raise
    if settings.json:
        show_json(report.result)
        return
    console = Console()
    for sheet in report.sheets:
        table = Table(*sheet.columns, title=sheet.title, title_justify="left")
        for row in sheet.rows:
            table.add_row(*row)
        console.print(table)
    for file in report.files:
        console.print(f"written: {file}")


def _usage() -> str:
    lines = [
        "usage: bidarena study NAME ...",
        "",
        "A named experiment, reproduced. It can be stopped; the same command goes on where it was.",
        "",
        "Example: bidarena study twentynine-search --part iterations",
        "",
        f"NAME comes first and is one of {', '.join(STUDIES)}.",
        "`bidarena study NAME --help` shows its options.",
    ]
    return "\n".join(lines)
