"""List every outcome of chance in a game, with its probability.

All chance of a game goes through `rng.py`. Here the same rules are compiled once more with a
generator that follows a script: at its first draw it takes the first outcome and writes down how
many there are, and `next_outcome` changes the script so that the next run takes another one. So
`reset` and `step` are run once for each of their outcomes, and no further function of the game is
needed. Rules that draw real numbers have too many outcomes to list; they are refused.

A script is an array of uint64 that stands in place of the words of a generator.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.compile import Function
from bidarena.envs.game import Cfg, Game, State, layout, reset, starts, step
from bidarena.envs.rng import Words

Script = NDArray[np.uint64]  # (SCRIPT,)

DRAWS = 256  # the most draws in one run
_LAYOUT = layout(
    cursor=1,  # draws made so far in this run
    length=1,  # draws that the script knows
    trouble=1,  # 0, REAL or MANY
    weight=1,  # the probability of this run, a float64
    draws=2 * DRAWS,  # for each draw the outcome to take, and how many there are
)
_S = starts(_LAYOUT)
SCRIPT = 4 + 2 * DRAWS

REAL, MANY = 1, 2  # troubles: a real number was drawn; more than DRAWS draws

_CURSOR, _LENGTH, _TROUBLE, _WEIGHT, _DRAWS = _S
_NONE, _ONE = np.uint64(0), np.uint64(1)


def begin_outcomes(script: Script) -> None:
    """Make the script ready for the first outcome of a new run."""
    script[_LENGTH] = _NONE
    script[_TROUBLE] = _NONE
    rewind(script)


def rewind(script: Script) -> None:
    """Go back to the first draw, so that the next run takes the same outcome again."""
    script[_CURSOR] = _NONE
    script[_WEIGHT : _WEIGHT + 1].view(np.float64)[0] = 1.0


def next_outcome(script: Script) -> bool:
    """Change the script so that the next run takes the next outcome; return False at the end."""
    length = np.int64(script[_LENGTH])
    rewind(script)
    while length > 0:
        at = _DRAWS + 2 * (length - 1)
        if script[at] + _ONE < script[at + 1]:
            script[at] += _ONE
            script[_LENGTH] = np.uint64(length)
            return True
        length -= 1
    script[_LENGTH] = _NONE
    return False


def weight_of(script: Script) -> float:
    """Return the probability of the outcomes that were taken in the last run."""
    return script[_WEIGHT : _WEIGHT + 1].view(np.float64)[0]


def trouble_of(script: Script) -> int:
    """Return 0, REAL or MANY."""
    return int(script[_TROUBLE])


def _take(script: Script, outcomes: int) -> int:
    """Return the outcome that the script wants at this draw, the first one if it has none yet."""
    at = np.int64(script[_CURSOR])
    if at >= DRAWS:
        script[_TROUBLE] = np.uint64(MANY)
        return 0
    place = _DRAWS + 2 * at
    if at >= np.int64(script[_LENGTH]):
        script[place] = _NONE
        script[place + 1] = np.uint64(outcomes)
        script[_LENGTH] = np.uint64(at + 1)
    script[_CURSOR] = np.uint64(at + 1)
    return np.int64(script[place])  # type: ignore[return-value]


def scripted_below(rng: Words, n: int) -> int:
    """Return the outcome that the script wants, each of 0 to n-1 equally likely; see `below`."""
    if n <= 1:
        return 0
    rng[_WEIGHT : _WEIGHT + 1].view(np.float64)[0] /= n
    return _take(rng, n)


def scripted_draw(rng: Words, chances: NDArray[np.float64]) -> int:
    """Return the index that the script wants, among those of positive probability; see `draw`."""
    possible = 0
    for index in range(len(chances)):
        possible += chances[index] > 0.0
    wanted = _take(rng, possible) if possible > 1 else 0
    before, found = 0.0, -1
    for index in range(len(chances)):
        if chances[index] > 0.0:
            found = index
            if wanted == 0:
                break
            before += chances[index]
            wanted -= 1
    last = 1
    for index in range(found + 1, len(chances)):
        if chances[index] > 0.0:
            last = 0
    chance = max(1.0 - before, 0.0) if last else chances[found]
    rng[_WEIGHT : _WEIGHT + 1].view(np.float64)[0] *= chance
    return found


def scripted_uniform(rng: Words) -> float:
    """Note that a real number was drawn; such chance cannot be listed."""
    rng[_TROUBLE] = np.uint64(REAL)
    return 0.0


def scripted_word(rng: Words) -> Any:
    """Note that bits were drawn directly; such chance cannot be listed."""
    rng[_TROUBLE] = np.uint64(REAL)
    return _NONE


SCRIPTED: dict[str, Function] = {
    "below": scripted_below,
    "draw": scripted_draw,
    "uniform": scripted_uniform,
    "word": scripted_word,
}


def compiled_with_script(game: Game, body: Function, **more: Function) -> Function:
    """Return `body` compiled for a game whose chance follows scripts; see `Game.compiled`."""
    return game.compiled(body, **SCRIPTED, **more)


def check_listed(game: Game, trouble: int) -> None:
    """Raise ValueError if the chance of a game cannot be listed; `trouble` is of a script."""
    if trouble == REAL:
        raise ValueError(
            f"{game.name} draws real numbers (uniform or word of bidarena.envs.rng), so its chance "
            "has too many outcomes to list; draw with below, pick, shuffle or draw instead"
        )
    if trouble == MANY:
        raise ValueError(f"{game.name} draws more than {DRAWS} times in one move: too many to list")


def outcomes(
    game: Game, state: State | None = None, action: int | None = None, *, most: int = 100_000
) -> list[tuple[float, State]]:
    """Return the probability and the state of every outcome of a deal or of a move.

    Outcomes that lead to the same state are one.

    Args:
        game: any game that does not draw real numbers.
        state: the state before the move; None: a new game is dealt.
        action: the move; it must be legal.
        most: raise a ValueError if there are more outcomes than this.
    """
    if (state is None) != (action is None):
        raise ValueError("state, action: give both for a move, none for a deal")
    script = np.zeros(SCRIPT, np.uint64)
    begin_outcomes(script)
    run = compiled_with_script(game, _deal if state is None else _move)
    begun = np.zeros(game.state_size, np.int64) if state is None else state
    found: dict[bytes, tuple[float, State]] = {}
    for _ in range(most):
        after = begun.copy()
        run(game.cfg, after, -1 if action is None else action, script)
        check_listed(game, trouble_of(script))
        before = found.get(after.tobytes(), (0.0, after))[0]
        found[after.tobytes()] = (before + float(weight_of(script)), after)
        if not next_outcome(script):
            return list(found.values())
    raise ValueError(f"{game.name}: more than most={most} outcomes")


def _deal(cfg: Cfg, state: State, action: int, rng: Words) -> None:
    reset(cfg, state, rng)


def _move(cfg: Cfg, state: State, action: int, rng: Words) -> None:
    step(cfg, state, action, rng)
