"""The report of a tournament: one HTML file with tables, plots and games to step through."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bidarena.envs.phrases import phrases_of
from bidarena.evaluate.match.record import Moment, Record, replay
from bidarena.evaluate.reports.html import (
    Cell,
    Estimated,
    Section,
    code,
    heat_map,
    interval_plot,
    page,
    paragraphs,
    replays,
    table,
    write_page,
)
from bidarena.evaluate.tournament.standings import Pair, Standing, Standings
from bidarena.evaluate.tournament.store import Replaced

MOST_FRAMES = 40_000  # drawings in a report; further games are left out


def write_report(
    found: Standings, path: str | Path, *, command: str = "", replaced: Sequence[Replaced] = ()
) -> None:
    """Write the report of a tournament.

    Args:
        found: the standings.
        path: the file to write.
        command: the line that makes the report again.
        replaced: games of bots that have changed since, from `replaced_games`.
    """
    write_page(path, report(found, command=command, replaced=replaced))


def report(found: Standings, *, command: str = "", replaced: Sequence[Replaced] = ()) -> str:
    """Return the report of a tournament as HTML; the arguments are those of `write_report`."""
    played = found.tournament
    lead = f"{len(found.bots)} bots, {played.all_games:,} games; every deal from all seats"
    made = sections(found, command=command, replaced=replaced)
    return page(f"{played.game.name}: tournament", made, lead=lead)


def sections(
    found: Standings, *, command: str = "", replaced: Sequence[Replaced] = ()
) -> list[Section]:
    """Return the sections of a report, also for pages that show more than a tournament."""
    made = [_ratings(found), _results(found), _averages(found), _pairs(found), _faults(found)]
    made += [_replaced(replaced), _games(found), _settings(found, command)]
    return [section for section in made if section.body]


def plus_minus(value: float | None, half_width: float | None, digits: int) -> str:
    """Return a number with the half width of its interval as text."""
    if value is None:
        return "-"
    if half_width is None or half_width == float("inf"):
        return f"{value:+.{digits}f}"
    return f"{value:+.{digits}f} ± {half_width:.{digits}f}"


def duration(seconds: float) -> str:
    """Return a short time as text with a fitting unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _ratings(found: Standings) -> Section:
    rows = [
        Estimated(
            *(standing.bot, standing.rating, standing.rating_half_width),
            plus_minus(standing.rating, standing.rating_half_width, 0),
        )
        for standing in found.bots
    ]
    note = (
        "Bradley-Terry on the scale of Elo, around a mean of 0: 400 points are odds of ten to one. "
        "95 % intervals from the spread between deals. A bot that wins or loses everything would "
        "be infinitely far off; one drawn game against an average bot, given to every bot, keeps "
        "ratings finite."
    )
    return Section("Ratings", interval_plot(rows, "rating"), note)


def _results(found: Standings) -> Section:
    names = [standing.bot for standing in found.bots]
    cells = {}
    for i, one in enumerate(names):
        for j, two in enumerate(names):
            if (one, two) in found.pairs:
                pair = found.pairs[one, two]
                cells[i, j] = Cell(pair.share, f"{100 * pair.share:.0f}", _described(pair))
    note = "How often the row did better than the column, in %; a draw counts half."
    return Section("Who beats whom", heat_map(names, cells), note)


def _described(pair: Pair) -> str:
    """Return the result of a pair as a sentence."""
    return (
        f"{pair.one} against {pair.two}: {pair.wins:,} won, {pair.draws:,} drawn, "
        f"{pair.losses:,} lost of {pair.games:,}; mean return "
        f"{plus_minus(pair.mean, pair.half_width, 3)}"
    )


def _averages(found: Standings) -> Section:
    counted = found.tournament.game.score is not None
    columns = ["bot", "won / drawn / lost %", "mean return", *["mean points"] * counted]
    columns += ["exploitability"] * found.exploited
    columns += ["openskill", "time a move", "decisions", "faults"]
    rows = [_average(standing, counted, found.exploited) for standing in found.bots]
    note = (
        f"{found.bots[0].games:,} games each. Means with 95 % intervals by deals. openskill: mean "
        f"and deviation of the Plackett-Luce model after {found.openskill_games:,} games, deal by "
        "deal; unlike the other numbers they depend on the order. Decisions are moves that were "
        "not forced; the time of a move of a compiled bot includes playing it."
    )
    if found.exploited:
        note += (
            " Exploitability: what the best response to a bot wins on average over all seats, "
            "exactly. It does not depend on the other bots; a bot may win much and still be weak."
        )
    return Section("Averages", table(columns, rows), note)


def _average(standing: Standing, counted: bool, exploited: bool) -> list[str]:
    shares = (standing.wins, standing.draws, standing.losses)
    cells = [standing.bot]
    cells.append(" / ".join(f"{100 * n / standing.games:.1f}" for n in shares))
    cells.append(plus_minus(standing.mean, standing.half_width, 3))
    if counted:
        cells.append(plus_minus(standing.points, standing.points_half_width, 3).lstrip("+"))
    if exploited:
        cells.append(plus_minus(standing.exploitability, None, 4))
    cells.append(f"{standing.mu:.1f} ± {standing.sigma:.1f}")
    cells.append(duration(standing.seconds / max(standing.moves, 1)))
    cells.append(f"{standing.decisions:,}")
    cells.append(f"{sum(fault['games'] for fault in standing.faults):,}")
    return cells


def _pairs(found: Standings) -> Section:
    names = [standing.bot for standing in found.bots]
    columns = ["", *(str(place) for place in range(1, len(names) + 1))]
    rows = []
    for place, one in enumerate(names, 1):
        row = [f"{place} {one}"]
        for two in names:
            pair = found.pairs.get((one, two))
            row.append("·" if pair is None else f"{pair.wins}/{pair.draws}/{pair.losses}")
        rows.append(row)
    note = "Games won / drawn / lost by the row against the column."
    return Section("Crosstable", table(columns, rows), note)


def _faults(found: Standings) -> Section:
    rows = [
        [
            *(standing.bot, fault["kind"], fault["reason"], f"{fault['games']:,}"),
            f"deal {fault['deal']} of {' / '.join(fault['lineup'])}",
        ]
        for standing in found.bots
        for fault in standing.faults
    ]
    if not rows:
        return Section("Faults", paragraphs("No bot raised, answered illegally or was too slow."))
    note = "Each of these games was lost by the bot that failed; the others went on."
    columns = ["bot", "kind", "reason", "games", "the first"]
    return Section("Faults", table(columns, rows, text_columns=3), note)


def _replaced(replaced: Sequence[Replaced]) -> Section:
    if not replaced:
        return Section("Bots that have changed", "")
    rows = [[one.bot, f"{one.games:,}", one.date] for one in replaced]
    note = (
        "These bots were others when they played before. Their games were set aside and played "
        "again; they are still in the table set_aside of the database."
    )
    columns = ["bot", "games set aside", "when"]
    return Section("Bots that have changed", table(columns, rows), note)


def _settings(found: Standings, command: str) -> Section:
    told = found.tournament.settings
    rows = [
        ["game", found.tournament.game.name],
        *([name, _plain(value)] for name, value in told["rules"].items()),
        ["games for each line-up", f"{found.tournament.deals * found.tournament.seats:,}"],
        ["seed", str(told["seed"])],
        [
            "seconds per move",
            "no limit" if told["seconds_per_move"] is None else str(told["seconds_per_move"]),
        ],
        ["same results since bidarena", told["bidarena"]],
    ]
    again = code(command) if command else ""
    return Section("Settings", again + table(["setting", "value"], rows, text_columns=2))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


# --- replays -------------------------------------------------------------------------------------


def _games(found: Standings) -> Section:
    samples = (record for meeting in found.meetings for record in meeting.samples)
    room = MOST_FRAMES
    chosen: list[dict[str, Any]] = []
    for game in _shown(found, samples):
        room -= sum(len(view["frames"]) for view in game["views"])
        if room < 0:
            break
        chosen.append(game)
    if not chosen:
        return Section("Games", "")
    note = "Some games of every line-up, move by move. The arrow keys step too."
    return Section("Games", replays(chosen), note)


def _shown(found: Standings, records: Iterator[Record]) -> Iterator[dict[str, Any]]:
    for record in records:
        yield shown_game(found.tournament.game, record)


def shown_game(game: Any, record: Record) -> dict[str, Any]:
    """Return a record for the viewer of `replays`, as the mover and as each seat see it."""
    seats = record["seats"]
    views: list[list[str]] = [[] for _ in range(1 + game.players)]
    captions = []
    total = len(record["actions"])
    phrases, before = phrases_of(game), None
    for moment in replay(record, game):
        drawn = [moment.drawn(seat) for seat in range(game.players)]
        views[0].append(drawn[max(moment.mover, 0)])
        for seat, text in enumerate(drawn, 1):
            views[seat].append(text)
        move = ""
        if before is not None and moment.action is not None:
            move = phrases.name(game, before, moment.action)
        captions.append(_caption(seats, total, moment, move))
        before = moment.state.copy()
    fault = record["fault"]
    if fault is not None:
        captions[-1] += ", and loses by a fault"
    names = ["the seat to move", *(f"seat {seat}: {bot}" for seat, bot in enumerate(seats))]
    return {
        "group": " / ".join(sorted(set(seats))),
        "title": f"deal {record['deal']}: {', '.join(_seated(seats))}",
        "result": _result(record),
        "captions": captions,
        "views": [
            {"name": name, "frames": frames} for name, frames in zip(names, views, strict=True)
        ],
    }


def _seated(seats: list[str]) -> list[str]:
    """Return the bots in the order of the seats; a bot with several seats is named once."""
    return list(dict.fromkeys(seats))


def _caption(seats: list[str], total: int, moment: Moment, move: str) -> str:
    """Return the caption of a moment: the last move as text, and the seat to move next."""
    made = f"the deal, before the first of {total} moves"
    if moment.seat is not None:
        who = f"{seats[moment.seat]} in seat {moment.seat}"
        made = f"move {moment.number} of {total}: {who}: {move}"
    if moment.mover < 0:
        return f"{made}; the game is over"
    return f"{made}; seat {moment.mover} ({seats[moment.mover]}) is to move"


def _result(record: Record) -> str:
    told = ", ".join(
        f"seat {seat} ({bot}) {result:+g}"
        for seat, (bot, result) in enumerate(zip(record["seats"], record["returns"], strict=True))
    )
    fault = record["fault"]
    if fault is None:
        return f"Result: {told}."
    who = record["seats"][fault["seat"]]
    return f"Result: {told}. {who} lost by a fault, {fault['kind']}: {fault['reason']}."
