"""Tournaments and training runs in the folders named at start, for the page. Nothing is changed.

A browser names a folder by its key in these lists, never by its path.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from bidarena.arena.catalogue import Catalogue, title
from bidarena.arena.settings import Settings
from bidarena.envs.registry import games, make_bot, tools_of
from bidarena.evaluate.appraisal.strength import truth_of
from bidarena.evaluate.tournament.reading import reading
from bidarena.evaluate.tournament.store import DATABASE
from bidarena.train.folder import CONFIG, EVALUATIONS, METRICS, CsvTable, read_config

DEPTH = 2  # folders below those named at start
MOST = 300  # folders in a list
SHOWN = 200  # games of a tournament in its list
POINTS = 600  # of a curve
LIVE = 120.0  # seconds after its last line in which a run counts as running


class Archive:
    """What lies in the folders named at start."""

    def __init__(self, settings: Settings, catalogue: Catalogue) -> None:
        self._settings, self._catalogue = settings, catalogue
        self._truths: dict[tuple[str, str], dict[str, Any]] = {}
        self._measuring = threading.Lock()

    def _folders(self, holding: str) -> dict[str, Path]:
        """Return the folders that hold a file, by key, the latest first."""
        found: list[Path] = []
        for root in self._settings.runs:
            for depth in range(DEPTH + 1):
                found += [path.parent for path in root.glob("/".join(["*"] * depth + [holding]))]
        found.sort(key=lambda folder: -(folder / holding).stat().st_mtime)
        return {_key(folder): folder for folder in found[:MOST]}

    def _folder(self, key: str, holding: str) -> Path:
        folders = self._folders(holding)
        if key not in folders:
            raise ValueError("there is no such folder")
        return folders[key]

    def name(self, key: str) -> str:
        """Return the name of the folder of a tournament."""
        return self._folder(key, DATABASE).name

    # --- tournaments ---

    def tournaments(self) -> list[dict[str, Any]]:
        """Return all tournaments in short."""
        found = []
        for key, folder in self._folders(DATABASE).items():
            try:
                told = _settings_of(folder)
            except (sqlite3.Error, ValueError, KeyError):
                continue
            if told["game"] in games():
                changed = (folder / DATABASE).stat().st_mtime
                short = {"key": key, "name": folder.name, "changed": changed, **told}
                found.append({**short, "title": title(told["game"])})
        return found

    def tournament(self, key: str) -> dict[str, Any]:
        """Return the standings of a tournament, and its first games."""
        with reading(self._folder(key, DATABASE)) as stored:
            found, plan = stored.standings().as_dict(), stored.tournament
            tools = tools_of(plan.game.name)
            listed = []
            for number in range(len(plan.lineups)):
                most = max(1, SHOWN // len(plan.lineups))
                for k in range(min(most, plan.deals * plan.seats)):
                    deal, rotation = divmod(k, plan.seats)
                    listed.append({"lineup": number, "deal": deal, "rotation": rotation})
            return {
                "key": key,
                "name": self._folder(key, DATABASE).name,
                "title": title(plan.game.name),
                "lineups": [list(lineup) for lineup in plan.lineups],
                "listed": listed,
                "order": list(plan.bots),
                "measurable": bool(tools.measure or tools.positions),
                **found,
            }

    def game(self, key: str, lineup: int, deal: int, rotation: int) -> dict[str, Any]:
        """Return the record of one game of a tournament."""
        with reading(self._folder(key, DATABASE)) as stored:
            plan = stored.tournament
            if not (0 <= lineup < len(plan.lineups) and 0 <= deal < plan.deals):
                raise ValueError("there is no such game")
            return stored.game(plan.lineups[lineup], deal, rotation)

    def truth(self, key: str, place: int) -> dict[str, Any]:
        """Return the exact measure of a bot of a tournament, where its game has one.

        Policies are measured only if they lie in the folders named at start, and bots from outside
        only if they were named at start.
        """
        with reading(self._folder(key, DATABASE)) as stored:
            plan = stored.tournament
        if not 0 <= place < len(plan.bots):
            raise ValueError("there is no such bot")
        bot = plan.bots[place]
        if not self._catalogue.allowed(plan.game, bot):
            return {"bot": bot, "truth": None}
        with self._measuring:
            if (key, bot) not in self._truths:
                found = truth_of(plan.game, make_bot(plan.game, bot))
                self._truths[key, bot] = {
                    "bot": bot,
                    "truth": found
                    and {"name": found.name, "value": found.value, "exact": found.exact},
                }
            return self._truths[key, bot]

    # --- runs ---

    def runs(self) -> list[dict[str, Any]]:
        """Return all training runs in short."""
        found = []
        for key, folder in self._folders(CONFIG).items():
            try:
                task = read_config(folder)["task"]
            except ValueError:
                continue
            name = str(task.get("game", "")).rpartition(":")[2]
            if name in games():
                found.append({"key": key, "name": folder.name, **_short(folder, name, task)})
        return found

    def run(self, key: str) -> dict[str, Any]:
        """Return the curves of a run and the policies that it keeps."""
        folder = self._folder(key, CONFIG)
        task = read_config(folder)["task"]
        name = str(task["game"]).rpartition(":")[2]
        policies = [
            {"id": entry["id"], "label": entry["label"].rpartition("/")[2]}
            for entry in self._catalogue.opponents(name)
            if entry["kind"] == "policy" and self._catalogue.lies_in(entry["id"], folder)
        ]
        return {
            "key": key,
            "name": folder.name,
            **_short(folder, name, task),
            "rules": task["rules"],
            "settings": task.get("settings", {}),
            "evaluations": _evaluations(folder / EVALUATIONS),
            "metrics": _metrics(folder / METRICS),
            "policies": policies,
        }


def _key(folder: Path) -> str:
    return hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]


def _settings_of(folder: Path) -> dict[str, Any]:
    base = sqlite3.connect(f"{(folder / DATABASE).resolve().as_uri()}?mode=ro", uri=True)
    try:
        settings = {key: json.loads(value) for key, value in base.execute("select * from settings")}
        lineups = [json.loads(row[0]) for row in base.execute("select distinct lineup from blocks")]
        deals = base.execute("select coalesce(sum(deals), 0) from blocks").fetchone()[0]
    finally:
        base.close()
    bots = sorted({str(bot) for lineup in lineups for bot in lineup})
    seats = max((len(lineup) for lineup in lineups), default=0)
    return {"game": settings["game"], "bots": bots, "games": int(deals) * seats}


def _short(folder: Path, name: str, task: dict[str, Any]) -> dict[str, Any]:
    metrics = folder / METRICS
    changed = metrics.stat().st_mtime if metrics.is_file() else (folder / CONFIG).stat().st_mtime
    steps = _last_steps(metrics)
    return {
        "game": name,
        "title": title(name),
        "algorithm": str(task.get("algorithm", "")),
        "steps": steps,
        "planned": task.get("steps"),
        "seed": task.get("seed"),
        "changed": changed,
        "live": time.time() - changed < LIVE and steps < int(task.get("steps") or 0),
    }


def _last_steps(path: Path) -> int:
    try:
        return int(float(CsvTable(path).rows()[-1]["steps"]))
    except (IndexError, KeyError, TypeError, ValueError):
        return 0


def _number(text: Any) -> float | None:
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def _thinned(points: list[list[float]]) -> list[list[float]]:
    every = max(1, len(points) // POINTS)
    return points[::every] + (points[-1:] if (len(points) - 1) % every else [])


def _metrics(path: Path) -> dict[str, list[list[float]]]:
    """Return every column of the metrics as a curve over steps."""
    curves: dict[str, list[list[float]]] = {}
    for row in CsvTable(path).rows():
        steps = _number(row.get("steps"))
        for name, text in row.items():
            value = _number(text)
            if name != "steps" and steps is not None and value is not None:
                curves.setdefault(name, []).append([steps, value])
    return {name: _thinned(points) for name, points in curves.items()}


def _evaluations(path: Path) -> dict[str, list[list[float]]]:
    """Return the mean return against every rival, and every exact measure, as curves over steps."""
    curves: dict[str, list[list[float]]] = {}
    for row in CsvTable(path).rows():
        steps = _number(row.get("steps"))
        value, name = _number(row.get("value")), str(row.get("measure"))
        if steps is not None and value is not None:
            curves.setdefault(name, []).append([steps, value])
    return {name: _thinned(points) for name, points in curves.items()}
