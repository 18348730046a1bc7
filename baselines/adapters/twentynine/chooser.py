"""Let one of our bots answer single questions about Twenty-nine in time.

A bot is asked about a state that was rebuilt from a request, so it knows nothing of earlier
requests. Its random numbers come from what its player sees and from the seed. So equal questions
get equal answers, unless the bot thinks by the clock.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bidarena.baselines.adapters.twentynine.messages import CLOCK, check_rules, question
from bidarena.baselines.adapters.twentynine.rebuild import rebuild
from bidarena.baselines.search.layout import SECONDS
from bidarena.baselines.twentynine.pimc import PIMC, SAMPLES
from bidarena.envs.batch import ask_policy
from bidarena.envs.game import Game, Params, Rng, State
from bidarena.envs.learner import player_of
from bidarena.envs.phrases import legal_actions
from bidarena.envs.registry import SEARCH, Bot, make_bot
from bidarena.envs.rng import WORDS
from bidarena.envs.twentynine.rules.layout import BIDDING, TRUMPING, S

Chooser = Callable[[State, int, float], int]  # (state, seat, milliseconds left) -> action

ON_THE_WAY = 4.0  # milliseconds that each answer takes on its way
PUNCTUAL = 0.95  # share of the time that is used, as in the searches
SIZED_FOR = 500  # milliseconds for which a tree has room, unless the bot has options for it
MARGIN = 1.5  # how many times longer than expected the next samples may take
TOO_LATE = 20.0  # milliseconds: with less for the rest of the deal, `rules` answers


def luck(game: Game, state: State, player: int, seed: int) -> Rng:
    """Return the random words for a decision, derived from the seed and what the player sees."""
    view = np.zeros(game.observation_size, np.float32)
    game.call("observe")(game.cfg, state, player, view)
    digest = hashlib.blake2b(view.tobytes(), digest_size=8 * WORDS, key=str(seed).encode()).digest()
    return np.maximum(np.frombuffer(digest, "<u8").astype(np.uint64), np.uint64(1))


def budget(state: State, player: int, remaining: float) -> float:
    """Return the milliseconds for this decision: an equal share of the clock.

    The clock is shared by all decisions to come. The rest of the auction counts as two. A reveal is
    one more decision, but the last card is none.
    """
    cards = int(state[S.hands + player]).bit_count()
    if state[S.phase] == BIDDING:
        decisions = 2 + 1 + 8
    elif state[S.phase] == TRUMPING:
        decisions = 1 + 8
    else:
        decisions = cards
    return max(0.0, min(remaining, CLOCK) / decisions - ON_THE_WAY)


def make_chooser(game: Game, bot: str | Bot | Callable[[Any, Any], Any], seed: int = 0) -> Chooser:
    """Return a function that answers for a bot: (state, seat, milliseconds left) -> action.

    A bot that searches stops after its `budget`; without a number of iterations or milliseconds in
    its name it uses all of it. `pimc` takes fewer samples if they would take too long. Other bots
    have no limit. When almost no time is left, `rules` answers instead.

    Args:
        game: a game with the competition's rules, one deal.
        bot: a bot's name with options, a `Bot`, or a callable (observation, mask) -> action.
        seed: seed of the random numbers.

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
    searches = isinstance(player, Bot) and player.kind == SEARCH
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
        if player.kind == PIMC:
            return _ask_in_time(game, player, state, seat, words, seconds)
        params = player.params
        if searches:
            params = params.copy()
            params[SECONDS] = _less(seconds, limit)
        return _ask(game, player, params, state, seat, words)

    _rehearse(game, choose)
    return choose


def _given_time(game: Game, spec: str) -> str:
    """Return the name of a bot; a search without iterations or milliseconds gets milliseconds."""
    bot = make_bot(game, spec)
    told = re.search(r"[:,]\s*(iterations|ms)\s*=", spec)
    if not isinstance(bot, Bot) or bot.kind != SEARCH or not bot.fair or told:
        return spec
    return f"{spec}{',' if ':' in spec else ':'}ms={SIZED_FOR}"


def _less(seconds: float, limit: float) -> float:
    """Return the shorter of two times; a limit below 0 is none. Never 0, which means no search."""
    return max(seconds if limit < 0 else min(seconds, limit), 1e-4)


def _ask(game: Game, bot: Bot, params: Params, state: State, seat: int, words: Rng) -> int:
    """Return the action of a compiled bot."""
    act = game.compiled(bot.act, **bot.more)
    return int(act(game.cfg, params, state, seat, words, np.zeros(game.actions, np.int8)))


def _ask_in_time(game: Game, bot: Bot, state: State, seat: int, words: Rng, seconds: float) -> int:
    """Return the action of `pimc`, which has no clock, with as many samples as time allows.

    The first run takes one sample, to learn how long a sample takes. Each next run takes all
    samples, or twice as many as the last, as long as there is time. Every run starts again with the
    same random words, so that with enough time the answer is that without a clock.
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
    """Play a deal, so that everything is compiled before a clock runs.

    Raise ValueError if the bot chooses an illegal action.
    """
    words = np.array([1, 2], np.uint64)
    state = game.new_state(words)
    while state[S.mover] >= 0:
        seat = int(state[S.mover])
        asked = rebuild(game, *question(state, seat))
        choose(asked.state, asked.seat, 0.0)
        action = choose(asked.state, asked.seat, TOO_LATE)
        legal = legal_actions(game, state)
        if action not in legal:
            raise ValueError(f"bot: it chose {action}, which is not legal; expected one of {legal}")
        game.call("step")(game.cfg, state, action, words)
