"""What the line-ups of a tournament have played, read from its store, as results and as records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.evaluate.playing import Block, seat_owners
from bidarena.evaluate.record import Record, block_records
from bidarena.evaluate.store import Store, open_store
from bidarena.evaluate.tournament_plan import LineUp, Tournament, deal_words, digest


@dataclass(frozen=True)
class Meeting:
    """What a line-up has played. Arrays are (deals, rotations, ...), as in `Block`."""

    bots: LineUp
    returns: NDArray[np.float64]
    points: NDArray[np.float64] | None
    lengths: NDArray[np.int64]
    asked: list[int]  # of each bot: its moves
    decisions: list[int]
    thinking: list[float]
    faults: list[tuple[int, int, int, str, str]]  # deal, rotation, bot, kind, reason
    samples: list[Record] = field(default_factory=list)  # games to look at


def meeting(tournament: Tournament, store: Store, lineup: LineUp, samples: int) -> Meeting:
    """All deals of a line-up together, as many as the tournament has."""
    game, wanted = tournament.game, tournament.deals
    blocks = list(store.blocks(lineup, wanted))
    rotations = len(lineup)

    def joined(name: str) -> Any:
        return np.concatenate([getattr(block, name) for _, block in blocks])[:wanted]

    owners = seat_owners(game.players, rotations)
    faults = []
    for first, block in blocks:
        for deal, rotation in np.argwhere(block.losers >= 0).tolist():
            if first + deal < wanted:
                bot = int(owners[rotation, block.losers[deal, rotation]])
                why = block.faults[block.reasons[deal, rotation]]
                faults.append((first + deal, rotation, bot, *why))
    return Meeting(
        bots=lineup,
        returns=joined("returns"),
        points=None if game.score is None else joined("points"),
        lengths=joined("lengths"),
        asked=[sum(block.asked[k] for _, block in blocks) for k in range(rotations)],
        decisions=[sum(block.decisions[k] for _, block in blocks) for k in range(rotations)],
        thinking=[sum(block.thinking[k] for _, block in blocks) for k in range(rotations)],
        faults=faults,
        samples=_samples(tournament, lineup, blocks, faults, samples),
    )


def _samples(
    tournament: Tournament,
    lineup: LineUp,
    blocks: list[tuple[int, Block]],
    faults: list[tuple[int, int, int, str, str]],
    samples: int,
) -> list[Record]:
    """Games to look at: one with a fault if there is any, then the first ones."""
    rotations = len(lineup)
    chosen = [(deal, rotation) for deal, rotation, *_ in faults[:1]]
    chosen += [
        divmod(number, rotations) for number in range(tournament.deals * rotations)[:samples]
    ]
    found = []
    for deal, rotation in list(dict.fromkeys(chosen))[:samples]:
        found += [
            record
            for record in game_records(tournament, lineup, blocks, deal)
            if record["rotation"] == rotation
        ]
    return found


def game_records(
    tournament: Tournament, lineup: LineUp, blocks: list[tuple[int, Block]], deal: int
) -> list[Record]:
    """The records of a deal of a line-up, one for each rotation."""
    for first, block in blocks:
        if first <= deal < first + len(block.returns):
            chance, _ = deal_words(tournament.seed, lineup, first, len(block.returns))
            some = block_records(
                tournament.game, lineup, tournament.seed, first, chance, block, [deal - first]
            )
            return list(some)
    raise ValueError(f"deal={deal}: {' against '.join(lineup)} has not played it")


def read_games(tournament: Tournament, folder: str | Path) -> Iterator[Record]:
    """The records of all games in a folder, line-up by line-up, for `replay`."""
    bots: Mapping[str, str] = {bot: digest(tournament.game, bot) for bot in tournament.bots}
    with open_store(Path(folder), tournament.settings, bots) as store:
        for lineup in tournament.lineups:
            for first, block in store.blocks(lineup, tournament.deals):
                chance, _ = deal_words(tournament.seed, lineup, first, len(block.returns))
                for record in block_records(
                    tournament.game, lineup, tournament.seed, first, chance, block
                ):
                    if record["deal"] < tournament.deals:
                        yield record
