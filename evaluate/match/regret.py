"""Regret: what the moves of bots lose against perfect play, where the game is solved.

    play_match("raj", ["value", "random"], 100, record="games.jsonl")
    for regret in regrets(game, read_records("games.jsonl"), bots=2):
        print(regret.mean)

The loss of a move is the exact value of the best move less that of the move, if all others play
perfectly from then on (see `evaluate/review.py`). It needs far fewer games than results to tell two
bots apart, because it does not depend on what the others do. A bot without regret may still be
exploited: any move that perfect play mixes loses nothing, also if it is always the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bidarena.baselines.adapters.lines.bot import guess_for
from bidarena.baselines.solvers.advice import Hint
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import legal_actions
from bidarena.evaluate.hint import hint
from bidarena.evaluate.match.blocks import seat_owners
from bidarena.evaluate.match.record import Record, replay
from bidarena.evaluate.match.scores import half_width, interval
from bidarena.evaluate.review import judged_by


@dataclass(frozen=True)
class Regret:
    """What the moves of one bot lost."""

    decisions: int  # moves that were judged: those that were not forced and have known values
    mean: float | None  # mean loss of a decision, in the unit of the results; None: none was judged
    half_width: float | None  # of the 95 % interval of the mean, by deals

    def as_dict(self) -> dict[str, Any]:
        """Return the regret as a dict for JSON."""
        return {
            "decisions": self.decisions,
            "mean": self.mean,
            "mean_95": interval(self.mean, self.half_width),
        }


def check_solved(game: Game) -> None:
    """Raise ValueError unless the exact solution of a game values its moves after a deal."""
    try:
        hint(game, game.new_state(np.ones(2, np.uint64)), "exact")
    except ValueError as wrong:
        raise ValueError(f"regret: there is no exact solution to compare with; {wrong}") from wrong


def regrets(
    game: Game,
    records: Iterable[Record],
    bots: int,
    *,
    progress: Callable[[int], None] | None = None,
) -> list[Regret]:
    """Return the regret of every bot in recorded games, in the order of the bots of the match.

    Each position is valued once. That takes about a millisecond; in a game whose solver values
    every position anew it may take seconds.

    Args:
        game: the game, which must be solved; see `check_solved`.
        records: of one match.
        bots: the number of bots of the match.
        progress: called with the number of games just judged.
    """
    owners = seat_owners(game.players, bots)
    known: dict[bytes, Hint | None] = {}
    lost: dict[tuple[int, int], list[float]] = {}  # by bot and deal
    for record in records:
        before: State | None = None
        for moment in replay(record, game):
            if before is not None and moment.seat is not None:
                loss = _loss(game, before, moment.seat, moment.action, known)
                if loss is not None:
                    bot = int(owners[record["rotation"], moment.seat])
                    lost.setdefault((bot, record["deal"]), []).append(loss)
            before = moment.state
        if progress is not None:
            progress(1)
    return [_summed([each for (bot, _), each in lost.items() if bot == k]) for k in range(bots)]


def _loss(
    game: Game, state: State, player: int, action: int | None, known: dict[bytes, Hint | None]
) -> float | None:
    """Return what a move lost; None if it was forced or its value is not known."""
    if len(legal_actions(game, state)) == 1:
        return None
    key = guess_for(game, state, player).tobytes()
    if key not in known:
        try:
            known[key] = hint(game, state, "exact")
        except ValueError:  # the solution does not cover this position
            known[key] = None
    found = known[key]
    return None if found is None else judged_by(found, game, state, action).loss


def _summed(deals: list[list[float]]) -> Regret:
    """Return the regret of one bot from its losses, deal by deal."""
    counts = np.array([len(losses) for losses in deals], np.float64)
    if not counts.sum():
        return Regret(0, None, None)
    totals = np.array([sum(losses) for losses in deals])
    mean = float(totals.sum() / counts.sum())
    width = half_width((totals - mean * counts) / counts.mean())  # of a ratio
    return Regret(int(counts.sum()), mean, width)
