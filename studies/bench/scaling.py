"""The scaling of tournaments over the workers of a Ray, and the costs of a piece besides playing.

All is measured on this machine: a tournament of search bots with one worker and with two, beside
the same tournament without Ray; the driver's time for a piece with few and with many under way; the
database's time for a piece; the bytes sent. `predicted` computes the speed on more cores from that.
"""

from __future__ import annotations

import importlib.util
import math
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bidarena.envs.registry import make_game
from bidarena.evaluate.tournament import Tournament, run_tournament
from bidarena.evaluate.tournament.run import PIECE, SHORTEST, Job, piece_seconds, play_job
from bidarena.evaluate.tournament.store import open_store
from bidarena.evaluate.workers import Do, in_processes
from bidarena.evaluate.workers.ray import AHEAD, ray_team
from bidarena.evaluate.workers.ray_connection import LOCAL, connected, import_ray

GAME = "twentynine"
BOTS = ("ismcts:iterations=500,book=formula", "mom:iterations=500,book=formula", "rules")
WARM = 24  # games of each pair before anything is timed
LENGTH = 15.0  # seconds that one worker plays, times the `seconds` of the command
ROUNDS = 2  # with one worker and with two; the best counts, as other programs only slow it down
EMPTY = 3000  # pieces without games
UNDER_WAY = (4, 200, 2000)  # pieces under way with 2, 100 and 1,000 cores
WRITES = 300  # blocks written to time the database
LARGE = 8 * 2**20  # bytes of a result that is sent to the driver

# Predictions: CPU seconds of a tournament, and numbers of cores
WORKLOADS = {"19 CPU minutes": 19 * 60.0, "100 CPU hours": 100 * 3600.0}
CORES = (1, 2, 10, 100, 1000)


def scaling(
    seconds: float = 1.0, progress: Callable[[str], None] | None = None
) -> dict[str, Any] | None:
    """Measure all of it and return a JSON-able dict; None if Ray is not installed."""
    if importlib.util.find_spec("ray") is None:
        return None
    say = progress or (lambda what: None)
    game = make_game(GAME)
    say("a tournament without Ray")
    rays: dict[int, list[float]] = {1: [], 2: []}
    starts = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for again in range(2):  # the first one compiles
            local = _rate(game, WARM, place / f"warm{again}")
        games = max(WARM, 2 * math.ceil(local * LENGTH * seconds / 2 / len(BOTS)))
        local = _rate(game, games, place / "local")
        for again in range(ROUNDS):
            for cores, rates in rays.items():
                say(f"a tournament on a Ray, workers: {cores}")
                began = time.perf_counter()
                with _local_ray(cores):
                    told: list[float] = []
                    here = place / f"{cores}-{again}"
                    note = partial(_note, told)
                    _rate(game, WARM, here / "warm", ray="local", progress=note)
                    starts.append(told[1] - began)  # told[0] is of the games in the folder
                    rates.append(_rate(game, games, here / "timed", ray="local"))
        best = {cores: max(rates) for cores, rates in rays.items()}
        say("the machine itself")
        machine = _machine(3.0 * seconds)
        say("what a piece costs")
        costs = _costs(game, best[1], place)
    found: dict[str, Any] = {
        "game": GAME,
        "bots": list(BOTS),
        "games_per_pair": games,
        "local_games_per_s": local,
        "ray_games_per_s": {str(cores): rate for cores, rate in best.items()},
        "ratios": {
            "ray_2_workers_to_1": best[2] / best[1],
            "ray_1_worker_to_local": best[1] / local,
            "machine_2_processes_to_1": machine,
        },
        "costs": {**costs, "start_seconds": min(starts)},
    }
    found["predicted"] = predicted(found["costs"])
    return found


def _note(times: list[float], games: int) -> None:
    """Append the time to `times`; the progress function of a tournament."""
    times.append(time.perf_counter())


def spin(seconds: float) -> float:
    """Return the turns per second of a loop that needs nothing but a core."""
    turns, ends = 0, time.perf_counter() + seconds
    while time.perf_counter() < ends:
        turns += sum(range(1000)) > 0
    return turns / seconds


def _machine(seconds: float) -> float:
    """Return the speed of two processes over that of one on this machine: the best possible."""
    alone = spin(seconds)
    return sum(rate for _, rate in in_processes(spin, [seconds, seconds], 2)) / alone


def _rate(game: Any, games: int, folder: Path, **how: Any) -> float:
    """Return the games per second of a tournament."""
    plan = Tournament(game, BOTS, games)
    began = time.perf_counter()
    run_tournament(plan, folder, **how)
    return games * len(plan.lineups) / (time.perf_counter() - began)


@contextmanager
def _local_ray(cores: int) -> Iterator[None]:
    """Context manager with a Ray on this machine, which is used where a local one is wanted."""
    with connected(import_ray(), LOCAL, cores):
        yield


# --- the costs of a piece ------------------------------------------------------------------------


def nothing(size: int) -> bytes:
    """Return `size` bytes: a piece without games."""
    return bytes(size)


def _costs(game: Any, rate: float, folder: Path) -> dict[str, Any]:
    """Return the bytes and seconds of a piece besides playing it."""
    deals = max(1, round(PIECE * rate / 2))
    job = Job(game, BOTS[:2], 0, 0, deals, None)
    block, _ = play_job(job)
    sent, back = len(pickle.dumps((play_job, job), 5)), len(pickle.dumps((block, 0.0), 5))
    with ray_team("local", 2) as do:
        for _ in do(nothing, [0] * 50):  # starts the workers
            pass
        driver = {str(ahead): _driver_seconds(do, ahead, back) for ahead in UNDER_WAY}
        began = time.perf_counter()
        for _ in do(nothing, [back] * 500):
            pass
        whole = time.perf_counter() - began
        began = time.perf_counter()
        for _ in do(nothing, [LARGE] * 20):
            pass
        flow = 20 * LARGE / (time.perf_counter() - began)
    return {
        "piece_seconds": PIECE,
        "deals_per_core_second": rate / 2,
        "bytes_sent_per_piece": sent,
        "bytes_returned_per_piece": back,
        "empty_pieces_per_s": 500 / whole,
        "driver_cpu_ms_per_piece": {ahead: 1000 * spent for ahead, spent in driver.items()},
        "store_ms_per_piece": 1000 * _store_seconds(game, job, block, folder / "store"),
        "bytes_to_driver_per_s": flow,
    }


def _driver_seconds(do: Do, ahead: int, size: int) -> float:
    """Return the CPU seconds of this process for a piece, with `ahead` under way."""
    team: Any = getattr(do, "__self__")  # noqa: B009 - what `do` belongs to is not in its type
    team.ahead = ahead
    try:
        began = time.process_time()
        for _ in do(nothing, [size] * EMPTY):
            pass
        return (time.process_time() - began) / EMPTY
    finally:
        team.ahead = None


def _store_seconds(game: Any, job: Job, block: Any, folder: Path) -> float:
    """Return the seconds until a piece is on the disk."""
    plan = Tournament(game, BOTS)
    with open_store(folder, plan.settings) as store:
        began = time.perf_counter()
        for number in range(WRITES):
            store.add(job.lineup, number * job.deals, block, 0.0)
        return (time.perf_counter() - began) / WRITES


# --- predictions for more cores ------------------------------------------------------------------


def predicted(costs: dict[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return seconds, speed-up and the first limit of each workload on each number of cores.

    Pieces are played side by side; the driver and the database handle them one after another. At
    the beginning all cores wait for Ray and for code to load, at the end for the last piece.
    """
    return {
        name: {str(cores): _predict(costs, work, cores) for cores in CORES}
        for name, work in WORKLOADS.items()
    }


def _predict(costs: dict[str, Any], work: float, cores: int) -> dict[str, Any]:
    """Return the prediction for a tournament of `work` CPU seconds on some cores."""
    under_way = AHEAD * cores
    length = min(piece_seconds(under_way), max(SHORTEST, work / under_way))
    pieces = work / length
    driver = _between(costs["driver_cpu_ms_per_piece"], under_way) / 1000
    larger = length / costs["piece_seconds"]  # a longer piece has a larger result
    arriving = larger * costs["bytes_returned_per_piece"] / costs["bytes_to_driver_per_s"]
    parts = {
        "playing": work / cores,
        "driver": pieces * driver,
        "database": pieces * costs["store_ms_per_piece"] / 1000,
        "bytes to the driver": pieces * arriving,
    }
    fixed = {"start": costs["start_seconds"], "last pieces": length / 2}
    serial = parts["driver"] + parts["database"]  # done by one process
    seconds = max(parts["playing"], serial, parts["bytes to the driver"]) + sum(fixed.values())
    lost = {
        "driver": parts["driver"] if serial > parts["playing"] else 0.0,
        "database": parts["database"] if serial > parts["playing"] else 0.0,
        "bytes to the driver": max(0.0, parts["bytes to the driver"] - parts["playing"]),
        **fixed,
    }
    return {
        "piece_seconds": length,
        "seconds": seconds,
        "speed_up": work / seconds,
        "first_limit": max(lost, key=lambda name: lost[name]),
    }


def _between(measured: dict[str, float], wanted: int) -> float:
    """Return what was measured for the next number from `wanted` on, or for the largest."""
    known = sorted((int(number), value) for number, value in measured.items())
    return next((value for number, value in known if number >= wanted), known[-1][1])
