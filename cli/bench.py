"""`bidarena bench`: speeds, beside something real."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tyro
from rich.console import Console
from rich.table import Table

from bidarena.cli.options import parse, show_json
from bidarena.studies.bench import (
    BATCHES,
    EXACT,
    LARGE,
    SCALING,
    THREADED,
    TRAINING,
    bench,
)


@dataclass
class Arguments:
    """Measure the steps per second of every game, beside those of CartPole and a SyncVectorEnv.

    Then measure the generic exact solver beside OpenSpiel's, and how a tournament of search bots
    scales from one worker of a Ray to two.

    Example: bidarena bench scotch --seconds 2
    """

    games: tyro.conf.Positional[tuple[str, ...]] = ()
    """The games to measure, `exact` for the generic solver beside OpenSpiel's, `large` for it on a
    game with millions of information sets (half a minute and 2 GiB), `scaling` for tournaments on a
    Ray, or `training` for where the time of every learner goes. Without it everything."""

    seconds: float = 0.4
    """How long to measure each figure."""

    json: bool = False
    """Print one JSON object instead of a table."""


def main(argv: list[str]) -> None:
    """Run the command."""
    args = parse("bench", Arguments, argv)
    if not args.seconds > 0:
        raise ValueError(f"seconds={args.seconds}: expected more than 0")
    console = Console(stderr=True)
    with console.status("measuring") as status:
        result = bench(
            list(args.games) or None,
            seconds=args.seconds,
            progress=lambda what: status.update(f"measuring {what}"),
        )
    if args.json:
        show_json(result)
        return
    if "games" in result:
        Console().print(_table(result))
    if EXACT in result:
        Console().print(_exact_table(result[EXACT]))
    if LARGE in result:
        Console().print(_large_table(result[LARGE]))
    if SCALING in result:
        _show_scaling(result[SCALING])
    if TRAINING in result:
        _show_training(result[TRAINING])


def _show_training(found: dict[str, Any] | None) -> None:
    """Print the decisions per CPU second of every learner, and where the time goes."""
    if found is None:
        print('training: left out, torch is not installed; pip install "bidarena[train]"')
        return
    for game, rows in found.items():
        title = f"learning {game}: decisions per CPU second in one thread, and shares of that time"
        table = Table(title=title)
        table.add_column("", no_wrap=True)
        table.add_column("against")
        for heading in ("decisions/s", "times", "environment", "inference", "update"):
            table.add_column(heading, justify="right", no_wrap=True)
        for row in rows:
            shares = (f"{100 * row[what]:.0f} %" for what in ("environment", "inference", "update"))
            times = f"{row['times_first']:.1f}"
            speed = _number(row["decisions_per_cpu_s"])
            table.add_row(row["algorithm"], row["opponent"], speed, times, *shares)
        table.caption = f"times: that of {rows[0]['algorithm']} against the same"
        Console().print(table)


def _show_scaling(found: dict[str, Any] | None) -> None:
    """Print how tournaments scale, what a piece of work costs, and what to expect of more cores."""
    console = Console()
    if found is None:
        print('scaling: left out, Ray is not installed; pip install "bidarena[ray]"')
        return
    ratios, costs = found["ratios"], found["costs"]
    title = f"a tournament of {found['game']}, {found['games_per_pair']} games a pair"
    table = Table("", "games/s", "times", "that of", title=title)
    table.add_row("without Ray", f"{found['local_games_per_s']:.1f}")
    one, two = (f"{found['ray_games_per_s'][workers]:.1f}" for workers in "12")
    table.add_row("1 worker", one, f"{ratios['ray_1_worker_to_local']:.2f}", "without Ray")
    table.add_row("2 workers", two, f"{ratios['ray_2_workers_to_1']:.2f}", "1 worker")
    limit = f"{ratios['machine_2_processes_to_1']:.2f}"
    table.add_row("2 empty loops, the most there is", "", limit, "1 loop")
    console.print(table)
    table = Table(f"besides playing, for a piece of {costs['piece_seconds']:g} s", "")
    for ahead, spent in costs["driver_cpu_ms_per_piece"].items():
        table.add_row(f"the driver's CPU time, {ahead} under way", f"{spent:.2f} ms")
    table.add_row("the database", f"{costs['store_ms_per_piece']:.2f} ms")
    table.add_row("bytes to a worker", f"{costs['bytes_sent_per_piece']:,}")
    table.add_row("bytes back", f"{costs['bytes_returned_per_piece']:,}")
    table.add_row("empty pieces a second", f"{costs['empty_pieces_per_s']:,.0f}")
    table.add_row("bytes a second to the driver", f"{costs['bytes_to_driver_per_s'] / 1e6:,.0f} M")
    table.add_row("start of Ray and its workers", f"{costs['start_seconds']:.1f} s")
    console.print(table)
    table = Table("predicted", "cores", "pieces of", "seconds", "times one core", "first limit")
    for work, by_cores in found["predicted"].items():
        for cores, told in by_cores.items():
            length = f"{told['piece_seconds']:.3g} s"
            numbers = (f"{told['seconds']:,.0f}", f"{told['speed_up']:.1f}")
            table.add_row(work, cores, length, *numbers, told["first_limit"])
    console.print(table)


def _exact_table(found: dict[str, Any]) -> Table:
    """Return a table of the times of the generic solver, and how many times faster they are."""
    table = Table(title="exact solving: our time, and how many times as long OpenSpiel takes")
    table.add_column("", no_wrap=True)
    for heading in ("time", "Python", "C++"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, row in found.items():
        table.add_section()
        table.add_row(f"[bold]{name}[/bold]")
        table.add_row("information sets", f"{row['information_sets']:,}")
        ratios = row["ratios"] or {}
        for what, time, python, cpp in (
            ("exploitability", "nash_conv_seconds", "nash_conv_to_python", "nash_conv_to_cpp"),
            (
                "best responses alone",
                "best_responses_seconds",
                "best_responses_to_python",
                "best_responses_to_cpp",
            ),
            ("an iteration, beside CFR", "cfr_iteration_seconds", "", "iteration_to_cpp_cfr"),
            ("beside CFR+", "", "", "iteration_to_cpp_cfr_plus"),
        ):
            times = (f"{ratios[key]:,.0f}" if key in ratios else "" for key in (python, cpp))
            table.add_row(what, f"{1000 * row[time]:.3g} ms" if time else "", *times)
    if any(row["ratios"] is None for row in found.values()):
        table.caption = "OpenSpiel is not installed; pip install open_spiel"
    return table


def _large_table(row: dict[str, Any]) -> Table:
    """Return a table of what a large game costs."""
    table = Table("exact solving of a large game", row["game"])
    table.add_row("information sets", f"{row['information_sets']:,}")
    table.add_row("histories", f"{row['histories']:,}")
    table.add_row("listing them", f"{row['listing_seconds']:.1f} s")
    table.add_row("best responses", f"{row['best_responses_seconds']:.2f} s")
    table.add_row("exploitability of random play", f"{row['nash_conv_of_uniform']:.6f}")
    if row["most_memory"] is not None:
        table.add_row("memory", f"{row['most_memory'] / 2**30:.2f} GiB")
    return table


def _table(result: dict[str, Any]) -> Table:
    """Return a table with a line for each figure, and how many times a reference it is."""
    reference = result["reference"]
    table = Table(title="steps in which a learner decides, per second")
    table.add_column("", no_wrap=True)
    table.add_column("interface")  # in a narrow terminal words are broken, numbers never
    table.add_column("steps/s", justify="right", no_wrap=True)
    table.add_column("times", justify="right", no_wrap=True)
    table.add_column("that of")
    vector = reference["cartpole_vector_steps_per_s"]
    table.add_row("CartPole-v1", "gym.make", _number(reference["cartpole_single_steps_per_s"]))
    for n in BATCHES:
        table.add_row("", f"make_vec, {n}", _number(vector[str(n)]))
    for name, row in result["games"].items():
        table.add_section()
        ratios = row["ratios"]
        single = _number(row["single_steps_per_s"])
        table.add_row(name, "gym.make", single, f"{ratios['single_to_cartpole']:.1f}", "CartPole")
        for n in BATCHES:
            speed = _number(row["vector_steps_per_s"][str(n)])
            times = f"{ratios['vector_to_cartpole'][str(n)]:.1f}"
            table.add_row("", f"make_vec, {n}", speed, times, "CartPole")
        large = BATCHES[-1]
        times = f"{ratios['vector_to_sync']:.0f}"
        table.add_row("", "", "", times, "a SyncVectorEnv")
        for n in THREADED:
            two = _number(row["vector_2_threads_steps_per_s"][str(n)])
            times = f"{ratios['two_threads_to_one'][str(n)]:.2f}"
            table.add_row("", f"make_vec, {n}, 2 threads", two, times, "one thread")
        spiel = row["reference"].get("openspiel")
        if spiel:
            theirs = f"OpenSpiel's {spiel['game'].partition('(')[0]} from Python"
            speed = spiel["with_observation_steps_per_s"]
            times = f"{row['vector_steps_per_s'][str(large)] / speed:.0f}"
            table.add_row("", "", "", times, theirs)
        table.add_row("", "random games", _number(row["random_games_per_s"]))
        if spiel:
            times = f"{row['random_games_per_s'] / spiel['random_games_per_s']:.0f}"
            table.add_row("", "", "", times, theirs)
        table.add_row("", "memory per game", f"{row['bytes_per_env']} B")
        if row["most_memory"] is not None:
            memory = f"{row['most_memory'] / 2**20:.0f} MiB"
            table.add_row("", "memory of a process", memory)
        for kind, cache in (("cold", "empty"), ("warm", "filled")):
            spent = f"{row[f'{kind}_start_cpu_seconds']:.1f} s CPU"
            table.add_row("", f"first step, {cache} cache", spent)
        _add_search(table, row)
        if row["train_steps_per_s"] is not None:
            share = f"MaskablePPO learning ({100 * row['train_env_share']:.0f} % env)"
            times = f"{ratios['train_to_sb3_defaults']:.0f}"
            table.add_row("", share, _number(row["train_steps_per_s"]), times, "SB3's defaults")
        if row["solve_seconds"] is not None:
            board = row["solved_rules"].get("board", "")
            table.add_row("", f"solved {board}".strip(), f"{1000 * row['solve_seconds']:.0f} ms")
        if "double_dummy_ms" in row:
            table.add_row("", "a deal, double dummy", f"{row['double_dummy_ms']:.1f} ms")
        for bot, time in row["bot_microseconds_per_move"].items():
            if time is not None:
                table.add_row("", f"a move of {bot}", f"{time:,.1f} µs")
    return table


def _add_search(table: Table, row: dict[str, Any]) -> None:
    """Add the iterations of the searches per second, and the memory that a long search takes."""
    search, ratios = row["search"], row["ratios"]["search_to_openspiel"]
    for technique in ("mcts", "ismcts"):
        speed = search.get(f"{technique}_iterations_per_s")
        if speed is not None:
            table.add_row("", f"{technique}, iterations", _number(speed))
            for game, times in ratios.get(technique, {}).items():
                theirs = f"OpenSpiel's on {game.partition('(')[0]}"
                table.add_row("", "", "", f"{times:.1f}", theirs)
    long = search["long_search"]
    memory = f"{long['bytes_used'] / 2**20:.0f} of {long['bytes_reserved'] / 2**20:.0f} MiB"
    table.add_row("", f"{long['technique']}, memory of {long['ms']} ms", memory)


def _number(value: float) -> str:
    return f"{value / 1e6:.2f} M" if value >= 1e6 else f"{value:,.0f}"
