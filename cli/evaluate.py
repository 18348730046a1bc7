"""`bidarena evaluate`: saved policies against every bot of their game and against the truth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import tyro
from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse, show_json
from bidarena.cli.tables import shares, with_interval
from bidarena.envs.arguments import whole
from bidarena.envs.progress import one_bar_at_a_time
from bidarena.evaluate.appraisal import Appraisal, appraise


@dataclass
class Arguments:
    """Play policies against all bots of their game, and measure them exactly where possible.

    Example: bidarena evaluate runs/Raj-v0__mmd__1__20260131-120000 --games 5000
    """

    policies: tyro.conf.Positional[tuple[Path, ...]]
    """Folders of runs or policy files, all of the same game."""

    rivals: tuple[str, ...] = ()
    """The bots to play against, with options. Without it all fair bots of the game."""

    games: int = 2000
    """How many games each match has."""

    exact: bool = True
    """Also measure exploitability, or the share of right moves, where that can be computed."""

    deterministic: bool = False
    """Let the policies always take their likeliest action."""

    seed: int = 0
    """Seeds all matches."""

    picture: Path | None = None
    """The picture to draw of the result. Its name ends in .png."""

    html: Path | None = None
    """The page to write with all results. Its name ends in .html."""

    json: bool = False
    """Print one JSON object instead of a table."""


def main(argv: list[str]) -> None:
    """Run the command."""
    args = parse("evaluate", Arguments, argv)
    if not args.policies:
        raise ValueError("policies: name a run folder or a policy file; runs are in runs/")
    for name, path, ending in (("picture", args.picture, ".png"), ("html", args.html, ".html")):
        if path is not None and path.suffix != ending:
            raise ValueError(f"{name}={str(path)!r}: expected a name that ends in {ending}")
    whole("games", args.games, 2, 10**7)
    with one_bar_at_a_time() as begin, warnings.catch_warnings():
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
        from bidarena.evaluate.appraisal.plot import draw

        written.append(draw(found, args.picture))
    if args.html is not None:
        from bidarena.evaluate.appraisal.page import write_report

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
    """Return a table with a line for each rival and measure and a column for each policy."""
    table = Table("against", *(one.name for one in found))
    table.title = "won / drawn / lost in %, and the mean return with its 95 % interval"
    for rival in found[0].scores:
        cells = []
        for one in found:
            score = one.scores[rival]
            cells.append(f"{shares(score)}   {with_interval(score.mean, score.half_width)}")
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
