"""The study `twentynine-search`: which search plays Twenty-nine best, and were the slides right?

It has three parts, each of which can be run, stopped and resumed alone:

- `iterations`: five techniques with three selection rules each, and the rules bot; every player
  meets every other at the same number of iterations per decision;
- `duels`: one option on against off, with more deals: playouts by the rules bot, beliefs about what
  is hidden, early stopping;
- `time`: the techniques and the rules bot at the same time per decision, chosen so that a deal
  takes each player about the time that the competition allowed.

As in the slides the techniques play the cards only: all of them bid and choose the trump by the
formula of the rules bot (`book=formula`). One of the duels measures what that is worth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Literal

from bidarena.envs.arguments import unknown, whole
from bidarena.envs.files import write_json
from bidarena.envs.registry import beliefs, make_game
from bidarena.envs.system import usable_cores
from bidarena.evaluate.reports.tables import Report
from bidarena.evaluate.tournament import Tournament, run_tournament
from bidarena.evaluate.tournament.paired import Duel, duels_of
from bidarena.studies.twentynine.findings import (
    RULES,
    SELECTIONS,
    TECHNIQUES,
    find_duels,
    find_round_robin,
)
from bidarena.studies.twentynine.tables import tables_of

GAME = "twentynine"
VERSION = 2  # of the result; raised when the same settings play other deals
BOOK = "book=formula"
DECISIONS = 6  # about as many card plays of one player in one deal are not forced
BELIEFS = ("throws", "trump")  # the beliefs of the slides
NOT_SHOWN = ("json", "folder", "ray")  # settings that do not change the result
OLD_FILES = ("manifest.json", "results.jsonl")  # of version 1, in the folder of each part


@dataclass
class Settings:
    """Twenty-nine: which search is best at equal iterations and at equal time, by duplicate deals.

    Stop it whenever you like: the same command resumes it.

    Example: bidarena study twentynine-search --part iterations --deals 100 --processes 2
    """

    part: Literal["all", "iterations", "duels", "time"] = "all"
    """the part to play"""

    iterations: int = 500
    """iterations of each decision in the parts iterations and duels"""

    deals: int = 100
    """deals of each pair in the part iterations; each is played from both sides"""

    duel_deals: int = 500
    """deals of each pair in the part duels"""

    time_deals: int = 20
    """deals of each pair in the part time"""

    ms_per_deal: float = 1500.0
    """milliseconds that a player has for a deal in the part time"""

    players: tuple[str, ...] = ()
    """players of the part iterations, such as ismcts/ucb1 rules; none: all 16"""

    processes: int = 2
    """number of processes that play; in the part time at most one for each core"""

    ray: str | None = None
    """play on a Ray instead of processes: [ADDRESS], without one a Ray of this machine's own"""

    seed: int = 0
    """seed of deals and bots"""

    folder: Path = Path("runs/study-twentynine-search")
    """folder of the results"""

    json: bool = False
    """print one JSON object instead of tables"""


def study(settings: Settings, begin: Callable[[int, str], Callable[[int], None]]) -> Report:
    """Run the chosen parts; return what was found and write it into the folder.

    `begin(total, what)` shows a progress bar and returns the function that advances it.
    """
    parts = make_parts(settings)
    for part in parts:
        _refuse_old(settings.folder / part)
    found: dict[str, Any] = {}
    for part, (tournament, (pairs, names)) in parts.items():
        advance = begin(tournament.all_games, part)
        processes = settings.processes
        if part == "time":  # thinking by the clock on a shared core would be thinking less
            processes = min(processes, usable_cores())
        meetings = run_tournament(
            tournament,
            settings.folder / part,
            processes=processes,
            ray=settings.ray,
            samples=0,
            progress=advance,
        )
        found[part] = _find(part, _labelled(duels_of(meetings, pairs), names), settings)
    shown = {key: value for key, value in asdict(settings).items() if key not in NOT_SHOWN}
    result = {"study": "twentynine-search", "version": VERSION, "settings": shown, "parts": found}
    # A part alone does not overwrite the result of all of them.
    stem = "result" if settings.part == "all" else f"result-{settings.part}"
    path = settings.folder / f"{stem}.json"
    write_json(path, result)
    return Report(result, tables_of(found), [path, *_plot(found, path.with_suffix(".png"))])


Pairs = tuple[tuple[str, str], ...]  # of bots with their options
Plan = tuple[Pairs, dict[str, str]]  # pairs of bots, and the name of each bot in the results
Part = tuple[Tournament, Plan]


def make_parts(settings: Settings) -> dict[str, Part]:
    """Return the tournament and the pairs of each chosen part; raise ValueError if one is wrong."""
    for name in ("iterations", "deals", "duel_deals", "time_deals"):
        whole(name, getattr(settings, name), 1, 10**6)
    whole("processes", settings.processes, 1, 256)
    if not 0 < settings.ms_per_deal <= 1e6:
        raise ValueError(f"ms_per_deal={settings.ms_per_deal!r}: expected a number above 0, to 1e6")
    plans = {
        "iterations": (_round_robin(settings), settings.deals),
        "duels": (_options(settings), settings.duel_deals),
        "time": (_by_the_clock(settings), settings.time_deals),
    }
    chosen = list(plans) if settings.part == "all" else [settings.part]
    game = make_game(GAME)
    parts = {}
    for part in chosen:
        plan, deals = plans[part]
        pairs, _ = plan
        bots = tuple(dict.fromkeys(chain.from_iterable(pairs)))
        parts[part] = (Tournament(game, bots, 2 * deals, settings.seed, only=pairs), plan)
    return parts


def _refuse_old(folder: Path) -> None:
    """Raise ValueError if the folder of a part holds results of the first version."""
    old = [name for name in OLD_FILES if (folder / name).exists()]
    if old:
        raise ValueError(
            f"folder={str(folder)!r}: holds {' and '.join(old)} of an older version, which played "
            "other deals; move the files away to play anew here, or choose another --folder"
        )


def _round_robin(settings: Settings) -> Plan:
    """Return all pairs of the players of the part iterations."""
    counted = f"iterations={settings.iterations}"
    known = {
        f"{technique}/{rule}": f"{technique}:{counted},selection={rule},{BOOK}"
        for technique in TECHNIQUES
        for rule in SELECTIONS
    }
    known[RULES] = RULES
    for name in settings.players:
        if name not in known:
            raise unknown("players", name, known)
    specs = {name: known[name] for name in known if name in (settings.players or known)}
    if len(specs) < 2:
        raise ValueError(f"players={settings.players!r}: expected at least two different ones")
    return tuple(combinations(specs.values(), 2)), {spec: name for name, spec in specs.items()}


def _options(settings: Settings) -> Plan:
    """Return the pairs of one option on against off."""
    names, pairs = {}, []

    def on_off(technique: str, option: str, described: str) -> None:
        off = f"{technique}:iterations={settings.iterations},selection=ucb1,{BOOK}"
        names[off] = technique
        names[f"{off},{option}"] = f"{technique} with {described}"
        pairs.append((f"{off},{option}", off))

    on_off("ismcts", "playout=rules", "playouts by rules")
    on_off("mom", "playout=rules", "playouts by rules")
    for belief in BELIEFS:
        if belief in beliefs(GAME):
            on_off("ismcts", f"belief={belief}", f"belief {belief}")
    on_off("ismcts", "early_stop=true", "early stop")
    bare = f"ismcts:iterations={settings.iterations},selection=ucb1,book=none"
    names[bare] = "ismcts that searches its bids"
    pairs.append((f"{bare},{BOOK}", bare))
    return tuple(pairs), names


def _by_the_clock(settings: Settings) -> Plan:
    """Return all pairs of techniques that think by the clock, and of the rules bot."""
    ms = settings.ms_per_deal / DECISIONS
    specs = {name: f"{name}:ms={ms:.4g},selection=ucb1,{BOOK}" for name in TECHNIQUES}
    specs[RULES] = RULES
    return tuple(combinations(specs.values(), 2)), {spec: name for name, spec in specs.items()}


def _labelled(
    duels: dict[tuple[str, str], Duel], names: dict[str, str]
) -> dict[tuple[str, str], Duel]:
    """Return the duels by the names of their bots in the results."""
    return {(names[one], names[two]): duel for (one, two), duel in duels.items()}


def _find(part: str, played: dict[tuple[str, str], Duel], settings: Settings) -> dict[str, Any]:
    """Return the findings of a part."""
    if part == "duels":
        missing = [belief for belief in BELIEFS if belief not in beliefs(GAME)]
        return {**find_duels(played), "beliefs_missing": missing}
    iterations = settings.iterations if part == "iterations" else None
    return find_round_robin(played, iterations)


def _plot(found: dict[str, Any], path: Path) -> list[Path]:
    """Draw the round robins and return the file; return nothing without them or matplotlib."""
    if not {"iterations", "time"} & set(found):
        return []
    from bidarena.studies.twentynine.plot import draw

    try:
        return [draw(found, path)]
    except ImportError as missing:
        print(f"no plot: {missing}", file=sys.stderr)
        return []
