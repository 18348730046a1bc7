"""`bidarena study`: repeat a named experiment of the docs."""

from __future__ import annotations

import sys
from typing import get_type_hints

from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse, show_json
from bidarena.envs.arguments import unknown
from bidarena.envs.progress import one_bar_at_a_time
from bidarena.envs.registry import load
from bidarena.evaluate.reports.tables import Report
from bidarena.studies import studies


def main(argv: list[str]) -> None:
    """Run the command."""
    if not argv or argv[0].startswith("-"):
        asked = bool(set(argv) & {"-h", "--help"})
        print(_usage(), file=sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 2)
    name = argv[0]
    known = studies()
    if name not in known:
        raise unknown("study", name, known)
    run = load(known[name])
    settings = parse(f"study {name}", get_type_hints(run)["settings"], argv[1:])
    try:
        with one_bar_at_a_time() as begin:
            report: Report = run(settings, begin)
    except KeyboardInterrupt:
        print("stopped; the same command goes on where it was", file=sys.stderr)
        raise
    if settings.json:
        show_json(report.result)
        return
    console = Console()
    for spec in report.tables:
        table = Table(*spec.columns, title=spec.title, title_justify="left")
        for row in spec.rows:
            table.add_row(*row)
        console.print(table)
    for file in report.files:
        console.print(f"written: {file}")


def _usage() -> str:
    lines = [
        "usage: bidarena study NAME ...",
        "",
        "Repeat a named experiment of the docs. It can be stopped; the same command goes on.",
        "",
        f"Example: bidarena study {next(iter(studies()))} --help",
        "",
        f"NAME comes first and is one of {', '.join(studies())}.",
        "`bidarena study NAME --help` shows its options.",
    ]
    return "\n".join(lines)
