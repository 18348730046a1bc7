"""`bidarena prepare`: compile what games need."""

from __future__ import annotations

from dataclasses import dataclass

import tyro
from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse, show_json
from bidarena.envs.arguments import whole
from bidarena.envs.progress import progress_bars
from bidarena.train.prepare import Prepared, prepare


@dataclass
class Arguments:
    """Compile what games need, before somebody waits for it: environments, bots, solvers, learners.

    Nothing has to be prepared: what is missing is compiled when it is first used. The compiled code
    is kept in the user's cache folder, or in the folder that NUMBA_CACHE_DIR names.

    Example: bidarena prepare raj scotch
    """

    games: tyro.conf.Positional[tuple[str, ...]] = ()
    """The games to prepare. Without it all."""

    processes: int | None = None
    """How many processes compile side by side; one per core if this is left out."""

    clean: bool = False
    """Remove all code that was compiled earlier first, that of older versions included."""

    json: bool = False
    """Print one JSON object instead of a table."""


def main(argv: list[str]) -> None:
    """Run the command."""
    args = parse("prepare", Arguments, argv)
    if args.processes is not None:
        whole("processes", args.processes, 1, 256)
    with progress_bars() as show:
        done = prepare(list(args.games), processes=args.processes, clean=args.clean, show=show)
    if args.json:
        show_json({"prepared": [one.as_dict() for one in done]})
        return
    table = Table("game", "prepared", "seconds", "cannot be done")
    for game in dict.fromkeys(one.errand.game for one in done):
        _add_rows(table, [one for one in done if one.errand.game == game])
    Console().print(table)


def _add_rows(table: Table, done: list[Prepared]) -> None:
    """Add what was prepared of one game, and a row for each thing that cannot be done."""
    ready = [one for one in done if not one.refusal]
    seconds = sum(one.seconds for one in done)
    names = ", ".join(sorted(one.errand.name or one.errand.kind for one in ready))
    table.add_row(done[0].errand.game, names, f"{seconds:.1f}", "")
    for one in done:
        if one.refusal:
            table.add_row("", one.errand.name or one.errand.kind, "", one.refusal)
    table.add_section()
