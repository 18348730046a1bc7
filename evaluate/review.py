"""A game looked at move by move: the value of each position, what each move lost, its mark.

    for judgement in (judge(game, state, action) for ...):
        print(judgement.loss, judgement.mark)
    accuracy([judgement.loss, ...], scale)

A move is judged by what its player could know. The loss of a move is the value of the best move
less the value of the move that was played, in the unit of the results (from -1 to 1 in most games).
Marks follow the loss: an inaccuracy loses a tenth of the distance from a draw to a win, a mistake
two tenths, a blunder three. A search only estimates values; a move is marked only if its loss is
greater than the mark's limit by more than the spread of the two estimates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bidarena.baselines.solvers.advice import Advice, Hint
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import mover_of, phrases_of
from bidarena.evaluate.hint import hint

MARKS = (("blunder", 0.3), ("mistake", 0.2), ("inaccuracy", 0.1))  # the least loss of each
NORMAL_95 = 1.96  # standard errors of a 95 % interval
FEWEST = 20  # visits of a move before its mean says anything


@dataclass(frozen=True)
class Judgement:
    """What the exact solution or a search thinks of a position and of the move played there."""

    seat: int  # the player to move
    hint: Hint
    value: float | None  # of the position for that player; None if the source gives no values
    spread: float  # half of the 95 % interval of the value; 0 if it is exact
    best: int  # the best action
    loss: float | None  # of the move that was played; None if there is none or it is not known
    mark: str  # "", "inaccuracy", "mistake" or "blunder"
    scale: float  # the distance from a draw to a win in the unit of the values

    def as_dict(self, game: Game, state: State) -> dict[str, Any]:
        """Return the judgement for JSON, with all moves in words."""
        phrases = phrases_of(game)
        told = self.hint.as_dict()
        for move in told["moves"]:
            move["words"] = phrases.name(game, state, move["action"])
            move["spread"] = _spread(move["value"], move["visits"], self.scale)
        return {
            "seat": self.seat,
            "value": self.value,
            "spread": self.spread,
            "best": self.best,
            "loss": self.loss,
            "mark": self.mark,
            "accuracy": None if self.loss is None else accuracy([(self.loss, self.scale)]),
            "scale": self.scale,
            "hint": told,
        }


def judge(
    game: Game, state: State, action: int | None = None, spec: str | None = None
) -> Judgement:
    """Return the judgement of a position and of the action that was played in it.

    Args:
        game: any game.
        state: a position that is not over.
        action: the move that was played; None: only the position is judged.
        spec: what judges, as in `hint`.
    """
    return judged_by(hint(game, state, spec), game, state, action)


def judged_by(found: Hint, game: Game, state: State, action: int | None = None) -> Judgement:
    """Return the judgement that follows from a hint for this position; see `judge`."""
    valued = [advice for advice in found.moves if _known(advice)]
    low, high = game.return_range
    scale = max([(high - low) / 2, *(abs(advice.value or 0.0) for advice in valued)])
    seat, first = mover_of(game, state), found.moves[0]
    if not valued:
        return Judgement(seat, found, None, 0.0, first.action, None, "", scale)
    best = max(valued, key=lambda advice: advice.value or 0.0) if found.exact else valued[0]
    value = float(best.value or 0.0)
    spread = _spread(best.value, best.visits, scale)
    played = next((advice for advice in valued if advice.action == action), None)
    loss, mark = None, ""
    if played is not None:
        loss = max(0.0, value - float(played.value or 0.0))
        doubt = math.hypot(spread, _spread(played.value, played.visits, scale))
        if played is not best:
            mark = next((m for m, least in MARKS if loss - doubt >= least * scale), "")
    return Judgement(
        seat, found, value, spread, best.action if found.exact else first.action, loss, mark, scale
    )


def _known(advice: Advice) -> bool:
    return advice.value is not None and (advice.visits is None or advice.visits >= FEWEST)


def _spread(value: float | None, visits: int | None, scale: float) -> float:
    """Return half of the 95 % interval of a mean of results between -scale and scale."""
    if value is None or not visits:
        return 0.0
    return NORMAL_95 * math.sqrt(max(scale**2 - value**2, 0.01 * scale**2) / visits)


def accuracy(losses: Iterable[tuple[float, float]]) -> float | None:
    """Return how well a player played, from 0 to 100; None without a judged move.

    The accuracy of a move falls exponentially with the share of winning chances that it lost, as on
    chess sites: 100 without a loss, 64 for a tenth of the way from loss to win, 8 for a half. The
    player's accuracy is the mean over all moves.

    Args:
        losses: the loss and the scale of every move.
    """
    each = [
        min(100.0, max(0.0, 103.1668 * math.exp(-0.04354 * 50.0 * loss / scale) - 3.1669))
        for loss, scale in losses
    ]
    return sum(each) / len(each) if each else None
