"""The games of each line-up of a tournament, read from its store: as results and as records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.evaluate.match.blocks import Block, seat_owners
from bidarena.evaluate.match.record import Record, block_records
from bidarena.evaluate.tournament.plan import LineUp, Tournament, deal_words
from bidarena.evaluate.tournament.store import Replaced, Store, open_store


@dataclass(frozen=True)
class Meeting:
    """The games of a line-up. Arrays are (deals, rotations, ...), as in `Block`."""

    bots: LineUp
    returns: NDArray[np.float64]
    points: NDArray[np.float64] | None
    lengths: NDArray[np.int64]
    asked: list[int]  # moves of each bot
    decisions: list[int]  # moves of each bot that were not forced
    thinking: list[float]  # seconds of all moves of each bot
    faults: list[tuple[int, int, int, str, str]]  # deal, rotation, bot, kind, reason
    samples: list[Record] = field(default_factory=list)  # some games


def meeting(tournament: Tournament, store: Store, lineup: LineUp, samples: int) -> Meeting:
    """Return the games of a line-up, as many deals as the tournament has."""
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
    """Return the records of some games: one with a fault if there is any, then the first ones."""
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
    """Return the records of a deal of a line-up, one for each rotation."""
    for first, block in blocks:
        if first <= deal < first + len(block.returns):
            chance, _ = deal_words(tournament.seed, lineup, first, len(block.returns))
            some = block_records(
                tournament.game, lineup, tournament.seed, first, chance, block, [deal - first]
            )
            return list(some)
    raise ValueError(f"deal={deal}: {' against '.join(lineup)} has not played it")


def read_games(tournament: Tournament, folder: str | Path) -> Iterator[Record]:
    """Yield the records of all games in a folder, line-up by line-up, for `replay`.

    The bots need not exist any more.
    """
    with open_store(Path(folder), tournament.settings) as store:
        for lineup in tournament.lineups:
            for first, block in store.blocks(lineup, tournament.deals):
                chance, _ = deal_words(tournament.seed, lineup, first, len(block.returns))
                for record in block_records(
                    tournament.game, lineup, tournament.seed, first, chance, block
                ):
                    if record["deal"] < tournament.deals:
                        yield record


def replaced_games(tournament: Tournament, folder: str | Path) -> list[Replaced]:
    """Return which games in a folder were set aside, because a bot has changed since."""
    with open_store(Path(folder), tournament.settings) as store:
        return store.replaced()
