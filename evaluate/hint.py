"""Hints: every move of a position judged by the exact solution, by a search, or by a bot.

A hint uses nothing that the player to move cannot know, so it may be shown to them.
"""

from __future__ import annotations

import numpy as np

from bidarena.baselines.solvers.advice import Advice, Hint, best_first, distribution_of
from bidarena.baselines.solvers.generic.bots import exact_hint
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import legal_actions, mover_of
from bidarena.envs.registry import SEARCH, Bot, find_tool, make_bot

ITERATIONS = 20_000  # iterations of the search if no bot is chosen


def hint(game: Game, state: State, spec: str | None = None, *, seed: int = 0) -> Hint:
    """Return a judgement of every move of the player to move.

    Args:
        game: any game.
        state: a position that is not over.
        spec: "exact", a search with its options, or another bot that says how likely its moves are;
            None: the exact solution where it is found at once, else a search.
        seed: seed of a search.
    """
    state = game.checked_state(state)
    if mover_of(game, state) < 0:
        raise ValueError("state: the game is over, there is nothing to choose")
    if len(only := legal_actions(game, state)) == 1:
        return Hint("the rules: there is only one move", "", "", [Advice(only[0], None)])
    if spec == "exact":
        found = _exact(game, state, patient=True)
        if found is None:
            raise ValueError(
                f"hints='exact': the solution of {game.name} does not cover this state"
            )
        return found
    if spec is None:
        found = _exact(game, state, patient=False)
        if found is not None:
            return found
        open_game = not game.hidden and game.simultaneous is None
        spec = f"{'mcts' if open_game else 'ismcts'}:iterations={ITERATIONS}"
    return _of_bot(game, state, spec, seed)


# --- a search, or any bot ------------------------------------------------------------------------


def _of_bot(game: Game, state: State, spec: str, seed: int) -> Hint:
    """Return the hint of a search, or of a bot with known probabilities."""
    from bidarena.baselines.search.analyse import analyse

    bot = make_bot(game, spec)
    if isinstance(bot, Bot) and bot.kind == SEARCH:
        found = analyse(game, state, mover_of(game, state), bot, seed)
        if not found.visits.sum():  # an opening book of the bot knew the move
            return _only(game, state, found.action, f"{spec}, from its book")
        moves = [
            Advice(
                action,
                None if np.isnan(found.values[action]) else float(found.values[action]),
                share=float(found.plan[action]),
                visits=int(found.visits[action]),
            )
            for action in legal_actions(game, state)
        ]
        source = f"{spec}: {found.iterations:,} iterations in {found.seconds:.2f} s"
        return Hint(
            source,
            "mean result in the search",
            "share of the search",
            best_first(moves),
            exact=False,
            iterations=found.iterations,
        )
    if not isinstance(bot, Bot) or bot.distribution is None:
        raise ValueError(
            f"hints={spec!r}: expected 'exact', a search such as 'ismcts:iterations=5000', or a "
            "bot that says how likely its moves are"
        )
    chances = distribution_of(game, bot, state, mover_of(game, state))
    moves = [Advice(a, None, share=float(chances[a])) for a in legal_actions(game, state)]
    return Hint(f"the bot {spec}", "", "probability", best_first(moves), exact=False)


def _only(game: Game, state: State, action: int, source: str) -> Hint:
    """Return a hint that names one action."""
    moves = [Advice(a, None, share=float(a == action)) for a in legal_actions(game, state)]
    return Hint(source, "", "chosen", best_first(moves), exact=False)


# --- exact solutions -----------------------------------------------------------------------------


def _exact(game: Game, state: State, *, patient: bool) -> Hint | None:
    """Return the hint of the exact solution; None if there is none, or it is slow and not wanted.

    With `patient`, wait for a slow solution, and raise ValueError where it cannot be found.
    """
    tool = find_tool(game.name, "hint") or exact_hint
    try:
        found: Hint | None = tool(game, state, patient)
        return found
    except ValueError:
        if patient:
            raise
        return None
