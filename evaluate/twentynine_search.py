"""The study `twentynine-search`: which search plays Twenty-nine best, and were the slides right?

Three parts, each of which can be run, stopped and gone on with alone:

- `iterations`: five techniques with three selection rules each, and the rules bot, everybody
  against everybody at the same number of iterations a decision;
- `duels`: one option on against off, with more deals: playouts by the rules bot, beliefs about what
  is hidden, early stopping;
- `time`: the techniques and the rules bot at the same time a decision, such that a deal takes each
  player about what the competition allowed.

As in the slides the techniques are for the play of the cards: all of them bid and choose the trump
by the formula of the rules bot (`book=formula`). What that is worth is one of the duels.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from bidarena.envs.check import unknown, whole
from bidarena.envs.files import write_json
from bidarena.envs.registry import beliefs
from bidarena.evaluate.duels import Duel, Duels, run_duels
from bidarena.evaluate.ray_connection import usable_cores
from bidarena.evaluate.report import Report
from bidarena.evaluate.twentynine_findings import (
    RULES,
    SELECTIONS,
    TECHNIQUES,
    find_duels,
    find_round_robin,
)
from bidarena.evaluate.twentynine_tables import sheets_of

GAME = "twentynine"
VERSION = 1
BOOK = "book=formula"
DECISIONS = 6  # with cards that are not forced, of one player in one deal, about
BLOCK = {"iterations": 5, "duels": 5, "time": 1}  # deals of a job: some seconds each
BELIEFS = ("throws", "trump")  # of the slides
NOT_SHOWN = ("json", "folder", "ray")  # settings that change nothing in the result


@dataclass
class Settings:
    """Twenty-nine: which search is best at equal iterations and at equal time, by duplicate deals.

    Stop it whenever you like: the same command goes on where it was.

    Example: bidarena study twentynine-search --part iterations --deals 100 --processes 2
    """

    part: Literal["all", "iterations", "duels", "time"] = "all"
    """what to play"""

    iterations: int = 500
    """for each decision, in the parts iterations and duels"""

    deals: int = 100
    """for each pair in the part iterations; each is played from both sides"""

    duel_deals: int = 500
    """for each pair in the part duels"""

    time_deals: int = 20
    """for each pair in the part time"""

    ms_per_deal: float = 1500.0
    """milliseconds that a player has for a deal in the part time"""

    players: tuple[str, ...] = ()
    """only these in the part iterations, such as ismcts/ucb1 rules; none: all 16"""

    processes: int = 2
    """how many games are played at the same time; in the part time never more than cores"""

    ray: str | None = None
    """play on a Ray instead of processes: [ADDRESS], without one a Ray of this machine's own"""

    seed: int = 0
    """of deals and bots"""

    folder: Path = Path("runs/study-twentynine-search")
    """where results are kept"""

    json: bool = False
    """print one JSON object instead of tables"""


def study(settings: Settings, begin: Callable[[int, str], Callable[[int], None]]) -> Report:
    """Run the parts that were asked for; what was found, also written into the folder.

    `begin(total, what)` shows a progress bar and returns the function that moves it on.
    """
    parts = _checked(settings)
    found: dict[str, Any] = {}
    for part, (duels, names) in parts.items():
        advance = begin(len(duels.jobs), part)
        processes = settings.processes
        if part == "time":  # thinking by the clock on a shared core would be thinking less
            processes = min(processes, usable_cores())
        played = run_duels(
            duels,
            settings.folder / part,
            processes=processes,
            ray=settings.ray,
            progress=advance,
        )
        labelled = {(names[a], names[b]): duel for (a, b), duel in played.items()}
        found[part] = _find(part, labelled, settings)
    shown = {key: value for key, value in asdict(settings).items() if key not in NOT_SHOWN}
    result = {"study": "twentynine-search", "version": VERSION, "settings": shown, "parts": found}
    # A part alone does not overwrite the result of all of them.
    stem = "result" if settings.part == "all" else f"result-{settings.part}"
    path = settings.folder / f"{stem}.json"
    write_json(path, result)
    return Report(result, sheets_of(found), [path, *_plot(found, path.with_suffix(".png"))])


def _checked(settings: Settings) -> dict[str, tuple[Duels, dict[str, str]]]:
    """The parts that are asked for: their duels, and what the specs are called."""
    for name in ("iterations", "deals", "duel_deals", "time_deals"):
        whole(name, getattr(settings, name), 1, 10**6)
    whole("processes", settings.processes, 1, 256)
    if not 0 < settings.ms_per_deal <= 1e6:
        raise ValueError(f"ms_per_deal={settings.ms_per_deal!r}: expected a number above 0, to 1e6")
    plans = {
        "iterations": (_everybody(settings), settings.deals),
        "duels": (_options(settings), settings.duel_deals),
        "time": (_by_the_clock(settings), settings.time_deals),
    }
    chosen = list(plans) if settings.part == "all" else [settings.part]
    parts = {}
    for part in chosen:
        (pairs, names), deals = plans[part]
        duels = Duels(GAME, pairs, deals, BLOCK[part], settings.seed, VERSION)
        parts[part] = (duels, names)
    return parts


Plan = tuple[tuple[tuple[str, str], ...], dict[str, str]]  # pairs of specs, spec -> name


def _everybody(settings: Settings) -> Plan:
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
    names, pairs = {}, []

    def on_off(technique: str, option: str, words: str) -> None:
        off = f"{technique}:iterations={settings.iterations},selection=ucb1,{BOOK}"
        names[off] = technique
        names[f"{off},{option}"] = f"{technique} with {words}"
        pairs.append((f"{off},{option}", off))

    on_off("ismcts", "playout=rules", "playouts by rules")
    on_off("mom", "playout=rules", "playouts by rules")
    for belief in BELIEFS:
        if belief in beliefs(GAME):
            on_off("ismcts", f"belief={belief}", f"belief {belief}")
    on_off("ismcts", "early_stop=true", "early stop")
    bare = f"ismcts:iterations={settings.iterations},selection=ucb1"
    names[bare] = "ismcts that searches its bids"
    pairs.append((f"{bare},{BOOK}", bare))
    return tuple(pairs), names


def _by_the_clock(settings: Settings) -> Plan:
    ms = settings.ms_per_deal / DECISIONS
    specs = {name: f"{name}:ms={ms:.4g},selection=ucb1,{BOOK}" for name in TECHNIQUES}
    specs[RULES] = RULES
    return tuple(combinations(specs.values(), 2)), {spec: name for name, spec in specs.items()}


def _find(part: str, played: dict[tuple[str, str], Duel], settings: Settings) -> dict[str, Any]:
    if part == "duels":
        missing = [belief for belief in BELIEFS if belief not in beliefs(GAME)]
        return {**find_duels(played), "beliefs_missing": missing}
    iterations = settings.iterations if part == "iterations" else None
    return find_round_robin(played, iterations)


def _plot(found: dict[str, Any], path: Path) -> list[Path]:
    """The picture, if there is something to draw and something to draw it with."""
    if not {"iterations", "time"} & set(found):
        return []
    from bidarena.evaluate.twentynine_plot import draw

    try:
        return [draw(found, path)]
    except ImportError as missing:
        print(f"no plot: {missing}", file=sys.stderr)
        return []
