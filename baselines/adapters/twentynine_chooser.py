"""One of our bots as somebody who answers single questions about Twenty-nine, in time.

A bot is asked about a state that was rebuilt from a request, so it knows nothing of earlier ones,
and its random numbers come from what its player sees: same question, same seed, same answer. That
holds for every bot that does not think by the clock.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bidarena.baselines.adapters.twentynine_messages import CLOCK, check_rules, question
from bidarena.baselines.adapters.twentynine_rebuild import legal_actions, rebuild
from bidarena.baselines.search.layout import SECONDS
from bidarena.baselines.search.think import search_act
from bidarena.baselines.twentynine_pimc import SAMPLES, pimc
from bidarena.envs.batch import ask_policy
from bidarena.envs.game import Game, Params, Rng, State
from bidarena.envs.learner import player_of
from bidarena.envs.registry import Bot, make_bot
from bidarena.envs.rng import WORDS
from bidarena.envs.twentynine.layout import BIDDING, HANDS, MOVER, PHASE, TRUMPING

Chooser = Callable[[State, int, float], int]  # (state, seat, milliseconds left) -> action

ON_THE_WAY = 4.0  # milliseconds of each answer that are not for thinking
PUNCTUAL = 0.95  # of the time is used, as by the searches themselves
SIZED_FOR = 500  # milliseconds for which a tree has room, if the bot is not told otherwise
MARGIN = 1.5  # how much longer than expected the next samples may take
TOO_LATE = 20.0  # milliseconds: with less for the rest of the deal, nobody thinks any more


def luck(game: Game, state: State, player: int, seed: int) -> Rng:
    """The random words for a decision: from what the player sees, and the seed."""
    view = np.zeros(game.observation_size, np.float32)
    game.call("observe")(game.cfg, state, player, view)
    digest = hashlib.blake2b(view.tobytes(), digest_size=8 * WORDS, key=str(seed).encode()).digest()
    return np.maximum(np.frombuffer(digest, "<u8").astype(np.uint64), np.uint64(1))


def budget(state: State, player: int, remaining: float) -> float:
    """Milliseconds for this decision: an equal share of the clock for each one to come.

    For the rest of the auction two answers are reckoned with. A reveal is one more decision, but
    the last card is none.
    """
    cards = int(state[HANDS + player]).bit_count()
    if state[PHASE] == BIDDING:
        decisions = 2 + 1 + 8
    elif state[PHASE] == TRUMPING:
        decisions = 1 + 8
    else:
        decisions = cards
    return max(0.0, min(remaining, CLOCK) / decisions - ON_THE_WAY)


def make_chooser(game: Game, bot: str | Bot | Callable[[Any, Any], Any], seed: int = 0) -> Chooser:
    """A function that answers for a bot: (state, seat, milliseconds left) -> action.

    A bot that searches is held to its `budget` of the clock; one that is named without a number of
    iterations or milliseconds uses all of it. `pimc` takes fewer samples when they would take too
    long. Others take the time they take. When next to nothing is left, `rules` answers instead.

    Raises:
        ValueError: if the rules are not the competition's, or the bot sees what is hidden.
    """
    check_rules(game)
    if game.options["match_to"] is not None:
        raise ValueError(
            f"match_to={game.options['match_to']!r}: requests do not tell the score of a match"
        )
    player = player_of(game, _given_time(game, bot) if isinstance(bot, str) else bot)
    if isinstance(player, Bot) and not player.fair:
        raise ValueError(f"bot={bot!r}: it sees what is hidden, and a request does not tell that")
    quick = make_bot(game, "rules")
    samples_act = pimc(game).act
    searches = isinstance(player, Bot) and player.act is search_act
    limit = float(player.params[SECONDS]) if searches else -1.0  # type: ignore[union-attr]
    one_at_a_time = threading.Lock()  # for bots with a memory or threads of their own

    def choose(state: State, seat: int, remaining: float) -> int:
        words = luck(game, state, seat, seed)
        if remaining < TOO_LATE:
            return _ask(game, quick, quick.params, state, seat, words)
        if not isinstance(player, Bot):
            view = np.zeros(game.observation_size, np.float32)
            game.call("observe")(game.cfg, state, seat, view)
            mask = np.zeros(game.actions, np.int8)
            game.call("legal")(game.cfg, state, mask)
            with one_at_a_time:
                return int(ask_policy(player, view[None], mask[None])[0])
        seconds = budget(state, seat, remaining) * PUNCTUAL / 1000
        if player.outside is not None:
            with one_at_a_time:
                if searches:
                    player.params[SECONDS] = _less(seconds, limit)
                player.outside.forget()
                return int(player.outside(state, seat, words))
        if player.act is samples_act:
            return _ask_in_time(game, player, state, seat, words, seconds)
        params = player.params
        if searches:
            params = params.copy()
            params[SECONDS] = _less(seconds, limit)
        return _ask(game, player, params, state, seat, words)

    _rehearse(game, choose)
    return choose


def _given_time(game: Game, spec: str) -> str:
    """A search that is told neither how long nor how much, told to go by the clock."""
    bot = make_bot(game, spec)
    told = re.search(r"[:,]\s*(iterations|ms)\s*=", spec)
    if not isinstance(bot, Bot) or bot.act is not search_act or not bot.fair or told:
        return spec
    return f"{spec}{',' if ':' in spec else ':'}ms={SIZED_FOR}"


def _less(seconds: float, limit: float) -> float:
    """The shorter of two times; a limit below 0 is none. Never 0, which means not to think."""
    return max(seconds if limit < 0 else min(seconds, limit), 1e-4)


def _ask(game: Game, bot: Bot, params: Params, state: State, seat: int, words: Rng) -> int:
    act = game.compiled(bot.act, **bot.more)
    return int(act(game.cfg, params, state, seat, words, np.zeros(game.actions, np.int8)))


def _ask_in_time(game: Game, bot: Bot, state: State, seat: int, words: Rng, seconds: float) -> int:
    """`pimc`, which knows no clock, with as many of its samples as there is time for.

    First one sample, which tells how long they take; then all of them, or twice as many as before
    for as long as that fits. It starts anew each time, so that with time enough the answer is the
    same as without a clock.
    """
    end, wanted, samples = time.monotonic() + seconds, int(bot.params[SAMPLES]), 1
    while True:
        began, params = time.monotonic(), bot.params.copy()
        params[SAMPLES] = samples
        action = _ask(game, bot, params, state, seat, words.copy())
        now = time.monotonic()
        most = int((end - now) / max(MARGIN * (now - began) / samples, 1e-9))
        if samples == wanted or most < min(2 * samples, wanted):
            return action
        samples = wanted if most >= wanted else 2 * samples


def _rehearse(game: Game, choose: Chooser) -> None:
    """Go through a deal, so that everything is compiled before a clock runs."""
    words = np.array([1, 2], np.uint64)
    state = game.new_state(words)
    while state[MOVER] >= 0:
        seat = int(state[MOVER])
        asked = rebuild(game, *question(state, seat))
        choose(asked.state, asked.seat, 0.0)
        action = choose(asked.state, asked.seat, TOO_LATE)
        legal = legal_actions(game, state)
        if action not in legal:
            raise ValueError(f"bot: it chose {action}, which is not legal; expected one of {legal}")
        game.call("step")(game.cfg, state, action, words)
