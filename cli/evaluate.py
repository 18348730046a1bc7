"""`bidarena evaluate`: saved policies against every bot of their game and against the truth."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import tyro
from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse, progress_bar, show_json
from bidarena.envs.check import whole
from bidarena.evaluate.appraisal import Appraisal, appraise


@dataclass
class Arguments:
    """Policies against all bots of their game, and their exact measure; several on one page.

    Example: bidarena evaluate runs/Raj-v0__mmd__1__20260131-120000 --games 5000
    """

    policies: tyro.conf.Positional[tuple[Path, ...]]
    """run folders or policy files, all of one game"""

    rivals: tuple[str, ...] = ()
    """bots with options; none: all fair bots of the game"""

    games: int = 2000
    """of each match"""

    exact: bool = True
    """also measure exploitability, or the share of right moves, where that can be computed"""

    deterministic: bool = False
    """let the policies always take their likeliest action"""

    seed: int = 0
    """of all matches"""

    picture: Path | None = None
    """where to draw the result, a name that ends in .png"""

    html: Path | None = None
    """where to write a page with everything, a name that ends in .html"""

    json: bool = False
    """print one JSON object instead of a table"""


def main(argv: list[str]) -> None:
    """Run the command."""
    args = parse("evaluate", Arguments, argv)
    if not args.policies:
        raise ValueError("policies: name a run folder or a policy file; runs are in runs/")
    for name, path, ending in (("picture", args.picture, ".png"), ("html", args.html, ".html")):
        if path is not None and path.suffix != ending:
            raise ValueError(f"{name}={str(path)!r}: expected a name that ends in {ending}")
    whole("games", args.games, 2, 10**7)
    with ExitStack() as bars, warnings.catch_warnings():

        def begin(total: int, what: str) -> Callable[[int], None]:
            bars.close()  # one bar at a time
            advance: Callable[[int], None] = bars.enter_context(progress_bar(total, what))
            return advance

        found = appraise(
            args.policies,
            rivals=args.rivals,
            games=args.games,
            seed=args.seed,
            exact=args.exact,
            deterministic=args.deterministic,
            begin=begin,
        )
    written = []
    if args.picture is not None:
        from bidarena.evaluate.appraisal_plot import draw

        written.append(draw(found, args.picture))
    if args.html is not None:
        from bidarena.evaluate.appraisal_report import write_report

        written.append(write_report(found, args.html))
    if args.json:
        show_json(
            {
                "seed": args.seed,
                "games": args.games,
                "policies": [one.as_dict() for one in found],
                "files": list(map(str, written)),
            }
        )
        return
    console = Console()
    console.print(_table(found))
    for path in written:
        console.print(f"written: {path}")


def _table(found: list[Appraisal]) -> Table:
    """A line per rival and measure, a column per policy."""
    table = Table("against", *(one.name for one in found))
    table.title = "won / drawn / lost in %, and the mean return with its 95 % interval"
    for rival in found[0].scores:
        cells = []
        for one in found:
            score = one.scores[rival]
            counts = (score.wins, score.draws, score.losses)
            shares = " / ".join(f"{100 * count / score.games:.0f}" for count in counts)
            cells.append(f"{shares}   {score.mean:+.3f} ± {score.half_width:.3f}")
        table.add_row(rival, *cells)
    if any(one.truth is not None for one in found):
        table.add_section()
        named = next(one.truth.name for one in found if one.truth is not None)
        table.add_row(named, *(_truth(one) for one in found))
    return table


def _truth(one: Appraisal) -> str:
    if one.truth is None:
        return "not known"
    before = one.untrained().get(one.truth.name)
    return f"{one.truth.value:.4f}" + (f" (untrained {before:.4f})" if before is not None else "")
