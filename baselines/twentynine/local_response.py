"""A local best response in Twenty-nine: one step of improvement against a known bot.

Before every card it guesses what its seat cannot know, and plays each legal action out to the end
of the deal: the known bot plays for the opponents, `rules` for its own side. It chooses the action
with the best mean. A best response wins at least as much as this one, so what this one wins in a
match is a lower bound of how far the bot can be exploited.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bidarena.baselines.twentynine.bots import rules_act
from bidarena.baselines.twentynine.pimc import worth_trying
from bidarena.envs.arguments import whole
from bidarena.envs.compile import apart, rule
from bidarena.envs.game import Cfg, Game, Mask, Params, Rng, State, determinize, returns, step
from bidarena.envs.registry import Bot, make_bot
from bidarena.envs.twentynine.rules.layout import NOBODY, PLAYING, SEATS, C, S

SAMPLES = 100  # guesses for each decision

# params
JUMP = 0  # read by `rules_act`
GUESSES = 1
THEIRS = 2  # from here on, the params of the opponents' bot


@rule
def opponent(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return the action of the known bot, which plays for the opponents."""
    raise NotImplementedError


def local_response(game: Game, of: str = "rules", samples: int = SAMPLES) -> Bot:
    """Plays against the bot `of`, knowing how that bot plays but not its cards.

    Args:
        game: Twenty-nine, a single deal.
        of: a compiled bot that does not search, by name; its options are separated by semicolons.
        samples: guesses of the hidden cards for each decision.
    """
    known = make_bot(game, str(of).replace(";", ","))
    if not can_be_played_out(known):
        raise ValueError(f"of={of!r}: expected a compiled bot that does not search itself")
    return response_to(game, known, samples)


def can_be_played_out(bot: object) -> bool:
    """Return whether a bot is compiled, does not search, and has params in one float array."""
    if not isinstance(bot, Bot) or bot.outside is not None or bot.more or not bot.fair:
        return False
    return bot.params.ndim == 1 and bot.params.dtype in (np.float64, np.float32)


def response_to(game: Game, known: Bot, samples: int) -> Bot:
    """Return the local best response to a bot.

    Args:
        game: Twenty-nine, a single deal.
        known: a bot for which `can_be_played_out` is True.
        samples: guesses of the hidden cards for each decision.
    """
    if game.cfg[C.match_to]:
        raise ValueError(
            f"match_to={game.cfg[C.match_to]}: expected None, responses are to one deal"
        )
    samples = whole("samples", samples, 1, 1_000_000)
    params = np.concatenate([[0.0, samples], known.params])
    bot = Bot("local_response", _respond, params, more={"opponent": known.act})
    return replace(bot, made_for=game.key)


def _respond(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Return the best action in the play, and that of `rules` before it and in a single hand."""
    usual = rules_act(cfg, params, state, player, rng, scratch)
    if state[S.phase] != PLAYING or state[S.single] != NOBODY:
        return usual
    allowed = worth_trying(cfg, state, player) | 1 << usual
    if allowed & (allowed - 1) == 0:
        return usual
    return _best_played_out(cfg, params, state, player, rng, scratch, usual, allowed)


@apart
def _best_played_out(
    cfg: Cfg,
    params: Params,
    state: State,
    player: int,
    rng: Rng,
    scratch: Mask,
    usual: int,
    allowed: int,
) -> int:
    """Return the action with the best mean over guesses that all share; of equals, `usual`."""
    totals = np.zeros(len(scratch))
    guess, after = state.copy(), state.copy()
    results = np.zeros(SEATS)
    theirs = params[THEIRS:]
    for _ in range(int(params[GUESSES])):
        guess[:] = state
        determinize(cfg, guess, player, rng)
        for action in range(len(scratch)):
            if (allowed >> action) & 1 == 0:
                continue
            after[:] = guess
            step(cfg, after, action, rng)
            while after[S.mover] >= 0:
                seat = after[S.mover]
                if (seat ^ player) & 1:
                    choice = opponent(cfg, theirs, after, seat, rng, scratch)
                else:
                    choice = rules_act(cfg, params, after, seat, rng, scratch)
                step(cfg, after, choice, rng)
            returns(cfg, after, results)
            totals[action] += results[player]
    best = usual
    for action in range(len(scratch)):
        if (allowed >> action) & 1 and totals[action] > totals[best]:
            best = action
    return best
