"""Bots, hints and reports from the solutions of any game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from bidarena.baselines.solvers.advice import Advice, Hint, best_first
from bidarena.baselines.solvers.generic.plan import line_of, plan_bot
from bidarena.baselines.solvers.generic.respond import index_of, refuse_to_play, responses_to
from bidarena.baselines.solvers.generic.solve import (
    SEATS,
    Answer,
    Begin,
    Limits,
    check_size,
    keep_answer,
    reading_of,
    refuse_seats,
    solve_anew,
    solve_game,
    start_states,
    way_of,
)
from bidarena.baselines.solvers.probabilities import Asker
from bidarena.envs.arguments import whole
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import legal_actions, mover_of, phrases_of
from bidarena.envs.registry import Bot, make_bot

QUICK = Limits(memory=1 << 28, seconds=10.0, gap=1e-3)  # where somebody waits for a hint
MOST_TRIED = 8

_tried: dict[bytes, Answer | None] = {}  # solutions that were found at once, by `Game.key`


def limits_from(memory: float, seconds: float, gap: float) -> Limits:
    """Return limits from options in GiB, seconds and units of the result."""
    if not 0 < memory <= 1 << 20:
        raise ValueError(f"memory={memory!r}: expected GiB, more than 0")
    if not seconds > 0:
        raise ValueError(f"seconds={seconds!r}: expected more than 0")
    if not gap > 0:
        raise ValueError(f"gap={gap!r}: expected more than 0")
    return Limits(int(memory * 2**30), float(seconds), float(gap))


def exact(game: Game, gap: float = 1e-4, memory: float = 1.0, seconds: float = 60.0) -> Bot:
    """Plays the exact solution of any game that is small enough; it is kept on disk.

    Args:
        game: a game of two sides whose results add to 0; with hidden cards, of two players.
        gap: the most that best responses may win from both sides together, where the solution is
            not exact.
        memory: GiB that solving may take.
        seconds: that solving may take.
    """
    answer = solve_game(game, limits_from(memory, seconds, gap))
    if not answer.playable:
        refuse_to_play(game)
    if answer.gap > gap:
        raise ValueError(
            f"seconds={seconds:g}: best responses still win {answer.gap:.2g} from the solution of "
            f"{game.name} then, more than gap={gap:g}. Give more seconds, or a larger gap"
        )
    reading = reading_of(game)
    return plan_bot(game, answer.plan, reading.idle, reading.clock, "exact")


def best_response(
    game: Game, of: str = "", samples: int = 100, seed: int = 0, memory: float = 1.0
) -> Bot:
    """The best response to another bot; exact if that bot's distribution is known.

    Args:
        game: any game that is small enough.
        of: the name of the other bot, such as "random".
        samples: samples per situation, for a bot that draws its actions and has no distribution.
        seed: seed of these samples.
        memory: GiB that it may take.
    """
    if not of:
        raise ValueError(
            f"of={of!r}: expected the bot to respond to, as in best_response:of=random"
        )
    rival = make_bot(game, str(of))
    index = index_of(game, limits_from(memory, 600.0, 1.0))
    asker = Asker(index, rival, samples=whole("samples", samples, 1, 1_000_000), seed=seed)
    return responses_to(asker).bot(game, f"best_response:of={of}")


def exact_hint(game: Game, state: State, patient: bool) -> Hint | None:
    """Return the exact worth of every move; None if it is not known quickly and not `patient`."""
    if not patient and way_of(game) == SEATS:
        return None
    answer = solve_game(game) if patient else _solved_quickly(game)
    if answer is None:
        return None
    reading = reading_of(game)
    line = line_of(game, answer.plan, reading.idle, reading.clock, state)
    if line < 0 or not answer.playable:
        return None
    begin, end = int(answer.plan.first[line]), int(answer.plan.first[line + 1])
    plan = answer.plan
    moves = []
    for at, action in zip(range(begin, end), legal_actions(game, state), strict=True):
        worth = plan.worths[at] if len(plan.worths) else np.nan
        worst = float(plan.worsts[at]) if len(plan.worsts) and game.simultaneous else None
        value = None if np.isnan(worth) else float(worth)
        moves.append(Advice(action, value, worst, float(plan.chances[at])))
    exactly = "the exact solution" if answer.gap < 1e-6 else f"a solution up to {answer.gap:.1g}"
    return Hint(exactly, "against perfect play", "probability in perfect play", best_first(moves))


def _solved_quickly(game: Game) -> Answer | None:
    """Return the solution of a game if it is found at once; None, and no second try, if not."""
    if game.key not in _tried:
        if len(_tried) >= MOST_TRIED:
            _tried.clear()
        _tried[game.key] = None
        with suppress(ValueError):
            answer = solve_game(game, QUICK)
            _tried[game.key] = answer if answer.gap <= QUICK.gap else None
    return _tried[game.key]


def report(game: Game, limits: Limits, begin: Begin, tell: Callable[[str], None]) -> dict[str, Any]:
    """Solve a game and return what `bidarena solve` shows.

    Args:
        game: the game.
        limits: what it may take.
        begin: `begin(total, what)` starts a progress bar; see `solve_game`.
        tell: called with the estimated cost before anything is spent.
    """
    if way_of(game) == SEATS:
        refuse_seats(game)
    tell(f"{game.name}: {check_size(game, limits)}")
    answer = solve_anew(game, limits, begin)
    keep_answer(game, limits, answer)
    return {
        "value": answer.value,
        "gap": answer.gap,
        "exact": answer.gap < 1e-6,
        "method": answer.method,
        "openings": openings(game, answer),
        **answer.figures,
        "seconds": answer.seconds,
    }


def openings(game: Game, answer: Answer) -> dict[str, float] | None:
    """Return the moves of perfect play after the deal and their probabilities; None if many deals.

    Only the player to move first is told.
    """
    starts = start_states(game)
    if not starts or not answer.playable:
        return None
    reading = reading_of(game)
    hint_line = line_of(game, answer.plan, reading.idle, reading.clock, starts[0])
    if hint_line < 0 or mover_of(game, starts[0]) < 0:
        return None
    begin = int(answer.plan.first[hint_line])
    phrases = phrases_of(game)
    told = {}
    for at, action in enumerate(legal_actions(game, starts[0]), begin):
        if answer.plan.chances[at] > 1e-9:
            told[phrases.name(game, starts[0], action)] = round(float(answer.plan.chances[at]), 9)
    return told
