"""Chance that is told: a draw follows a list of outcomes, and the first draw beyond it is noted.

OpenSpiel asks for the outcomes of a chance event before it chooses one. So a deal or a move is run
with the outcomes that were chosen so far. If it needs one more, that draw is the next chance node,
and the run begins anew with one more outcome. A shuffled deck is dealt card by card in this way,
and no game has to list all its deals.

A tape is an array of uint64 that stands in place of the words of a generator, as the scripts of
`outcomes.py` do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import Function
from bidarena.envs.game import Cfg, Game, State, layout, reset, starts, step
from bidarena.envs.outcomes import DRAWS, MANY, REAL, check_listed
from bidarena.envs.rng import Words

Tape = NDArray[np.uint64]  # (TAPE,)
Chances = NDArray[np.float64]  # the probability of each outcome of one draw
Told = tuple[int, ...]  # the outcomes of the draws of a deal or a move, in order

_LAYOUT = layout(
    cursor=1,  # draws made so far in this run
    told=1,  # draws whose outcome is told
    trouble=1,  # 0, REAL or MANY, as in a script
    weight=1,  # the probability of the told outcomes, a float64
    outcomes=1,  # how many outcomes the first draw has that is not told; 0: all draws are told
    even=1,  # 1: these outcomes are equally likely
    choices=DRAWS,  # the told outcomes
)
_CURSOR, _TOLD, _TROUBLE, _WEIGHT, _OUTCOMES, _EVEN, _CHOICES = starts(_LAYOUT)
_TAPE = _CHOICES + DRAWS

_NONE = np.uint64(0)


def _follow(tape: Tape, outcomes: int, even: int) -> int:
    """Return the told outcome of this draw, the first one if none is told."""
    at = np.int64(tape[_CURSOR])
    if at >= DRAWS:
        tape[_TROUBLE] = np.uint64(MANY)
        return 0
    tape[_CURSOR] = np.uint64(at + 1)
    told = np.int64(tape[_TOLD])
    if at == told:
        tape[_OUTCOMES] = np.uint64(outcomes)
        tape[_EVEN] = np.uint64(even)
    return np.int64(tape[_CHOICES + at]) if at < told else 0  # type: ignore[return-value]


def _weigh(tape: Tape, chance: float) -> None:
    """Multiply the probability of the told outcomes, if the last draw is told."""
    if tape[_CURSOR] <= tape[_TOLD]:
        tape[_WEIGHT : _WEIGHT + 1].view(np.float64)[0] *= chance


def told_below(rng: Words, n: int) -> int:
    """Return the told outcome, each of 0 to n-1 equally likely; see `below`."""
    if n <= 1:
        return 0
    outcome = _follow(rng, n, 1)
    _weigh(rng, 1.0 / n)
    return outcome


def told_draw(rng: Words, chances: NDArray[np.float64]) -> int:
    """Return the told one of the indexes of positive probability; see `draw`."""
    possible = 0
    for index in range(len(chances)):
        possible += chances[index] > 0.0
    wanted = _follow(rng, possible, 0) if possible > 1 else 0
    before, found = 0.0, -1
    for index in range(len(chances)):
        if chances[index] > 0.0:
            found = index
            possible -= 1
            if wanted == 0:
                break
            before += chances[index]
            wanted -= 1
    # What rounding leaves of 1 goes to the last possible index
    _weigh(rng, chances[found] if possible > 0 else max(1.0 - before, 0.0))
    return found


def told_uniform(rng: Words) -> float:
    """Note that a real number was drawn; it has too many outcomes for a chance node."""
    rng[_TROUBLE] = np.uint64(REAL)
    return 0.0


def told_word(rng: Words) -> Any:
    """Note that bits were drawn directly; they have too many outcomes for a chance node."""
    rng[_TROUBLE] = np.uint64(REAL)
    return _NONE


_GENERATOR: dict[str, Function] = {
    "below": told_below,
    "draw": told_draw,
    "uniform": told_uniform,
    "word": told_word,
}


def _run(cfg: Cfg, state: State, actions: NDArray[np.int64], rng: Words) -> None:
    """Apply actions one after another; deal a new game if there are none."""
    if len(actions) == 0:
        reset(cfg, state, rng)
    for action in actions:
        step(cfg, state, action, rng)


class Run(NamedTuple):
    """A deal or moves with the outcomes of chance that are told so far."""

    state: State  # what follows; meaningless while a draw is left
    outcomes: int  # how many outcomes the next draw has; 0: no draw is left
    even: bool  # whether these are equally likely
    weight: float  # the probability of the told outcomes


def run(game: Game, state: State | None, actions: tuple[int, ...], told: Told) -> Run:
    """Deal a game, or apply actions one after another, with told outcomes of chance.

    Args:
        game: the game.
        state: the state before the actions; None: a new game is dealt.
        actions: of the players, in the order in which they move. They must be legal.
        told: the outcomes of the first draws.

    Raises:
        ValueError: the game draws real numbers, or draws too often in one move.
    """
    tape = np.zeros(_TAPE, np.uint64)
    tape[_TOLD] = len(told)
    tape[_WEIGHT : _WEIGHT + 1].view(np.float64)[0] = 1.0
    tape[_CHOICES : _CHOICES + len(told)] = told
    after = np.zeros(game.state_size, np.int64) if state is None else state.copy()
    go = game.compiled(_run, **_GENERATOR)
    go(game.cfg, after, np.array(actions, np.int64), tape)
    check_listed(game, int(tape[_TROUBLE]))
    weight = float(tape[_WEIGHT : _WEIGHT + 1].view(np.float64)[0])
    return Run(after, int(tape[_OUTCOMES]), bool(tape[_EVEN]), weight)


def next_chances(
    game: Game, state: State | None, actions: tuple[int, ...], told: Told, at: Run
) -> Chances:
    """Return the probability of each outcome of the next draw of the run `at`; see `run`."""
    each = [run(game, state, actions, (*told, k)).weight for k in range(at.outcomes)]
    return np.array(each) / sum(each)
