"""Let one of our bots answer single questions about Twenty-nine in time.

A bot is asked about a state that was rebuilt from a request, so it knows nothing of earlier
requests. Its random numbers come from what its player sees and from the seed. So equal questions
get equal answers, unless the bot thinks by the clock.

Nothing that a bot does makes an answer late. Searches and `pimc` stop when their share of the clock
is over. `rules` has answered before a bot begins to think, and its answer is given when the bot has
not answered some time later. A part of the clock is kept in reserve, for a machine that is busy
with other things.
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
from bidarena.baselines.adapters.twentynine.patience import Patience
from bidarena.baselines.adapters.twentynine.rebuild import rebuild
from bidarena.baselines.search.layout import SECONDS
from bidarena.baselines.twentynine.pimc import PIMC, UNTIL
from bidarena.envs.batch import ask_policy
from bidarena.envs.compile import seconds
from bidarena.envs.game import Game, Params, Rng, State
from bidarena.envs.learner import player_of
from bidarena.envs.phrases import legal_actions
from bidarena.envs.registry import SEARCH, Bot, make_bot
from bidarena.envs.rng import WORDS
from bidarena.envs.twentynine.rules.layout import BIDDING, TRUMPING, S

Chooser = Callable[[State, int, float], int]  # (state, seat, milliseconds left) -> action

ON_THE_WAY = 4.0  # milliseconds that each answer takes on its way
RESERVE = 150.0  # milliseconds of the clock that no bot plans to use
OVERRUN = 0.25  # share of the time left, and at most of the reserve, that a bot may take too long
PUNCTUAL = 0.95  # share of the time that is used, as in the searches
SIZED_FOR = 500  # milliseconds for which a tree has room, unless the bot has options for it
REHEARSAL = 0.001  # seconds for each decision of a deal that is played before all others
TOO_LATE = 20.0  # milliseconds: with less for the rest of the deal, `rules` answers


def luck(game: Game, state: State, player: int, seed: int) -> Rng:
    """Return the random words for a decision, derived from the seed and what the player sees."""
    view = np.zeros(game.observation_size, np.float32)
    game.call("observe")(game.cfg, state, player, view)
    digest = hashlib.blake2b(view.tobytes(), digest_size=8 * WORDS, key=str(seed).encode()).digest()
    return np.maximum(np.frombuffer(digest, "<u8").astype(np.uint64), np.uint64(1))


def budget(state: State, player: int, remaining: float) -> float:
    """Return the milliseconds for this decision: an equal share of the clock without the reserve.

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
    return max(0.0, (min(remaining, CLOCK) - RESERVE) / decisions - ON_THE_WAY)


def make_chooser(game: Game, bot: str | Bot | Callable[[Any, Any], Any], seed: int = 0) -> Chooser:
    """Return a function that answers for a bot: (state, seat, milliseconds left) -> action.

    A bot that searches stops after its `budget`; without a number of iterations or milliseconds in
    its name it uses all of it. `pimc` then chooses by the samples taken so far. Other bots have no
    clock of their own. `rules` answers instead of a bot that has not answered soon after its
    budget, instead of a bot that needs time when only the reserve is left, and instead of any bot
    when almost no time is left.

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
    needs_time = isinstance(player, Bot) and player.kind in (SEARCH, PIMC)
    one_at_a_time = threading.Lock()  # for bots with a memory or threads of their own
    patience = Patience()

    def think(state: State, seat: int, words: Rng, end: float) -> int:
        """Return the bot's action; a bot with a clock answers at `end`."""
        if not isinstance(player, Bot):
            view = np.zeros(game.observation_size, np.float32)
            game.call("observe")(game.cfg, state, seat, view)
            mask = np.zeros(game.actions, np.int8)
            game.call("legal")(game.cfg, state, mask)
            with one_at_a_time:
                return int(ask_policy(player, view[None], mask[None])[0])
        if player.outside is not None:
            with one_at_a_time:
                if searches:
                    player.params[SECONDS] = _less(end - time.monotonic(), limit)
                player.outside.forget()
                return int(player.outside(state, seat, words))
        params = player.params.copy()
        if searches:
            params[SECONDS] = _less(end - time.monotonic(), limit)
        if player.kind == PIMC:
            params[UNTIL] = seconds() + end - time.monotonic()  # by the clock of compiled code
        return _ask(game, player, params, state, seat, words)

    def choose(state: State, seat: int, remaining: float) -> int:
        now = time.monotonic()
        words = luck(game, state, seat, seed)
        ready = _ask(game, quick, quick.params, state, seat, words.copy())
        milliseconds = budget(state, seat, remaining)
        if remaining < TOO_LATE or (needs_time and milliseconds <= 0.0):
            return ready
        end = now + milliseconds * PUNCTUAL / 1000
        latest = now + (milliseconds + OVERRUN * min(remaining, 2 * RESERVE)) / 1000
        answer = patience.ask(lambda: think(state, seat, words, end), latest)
        return ready if answer is None else answer

    _rehearse(game, think)
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


def _rehearse(game: Game, think: Callable[[State, int, Rng, float], int]) -> None:
    """Play a deal, so that everything is compiled before a clock runs.

    Raise ValueError if the bot chooses an illegal action.
    """
    words = np.array([1, 2], np.uint64)
    quick = make_bot(game, "rules")
    state = game.new_state(words)
    while state[S.mover] >= 0:
        seat = int(state[S.mover])
        asked = rebuild(game, *question(state, seat))
        legal = legal_actions(game, state)
        _ask(game, quick, quick.params, asked.state, asked.seat, words.copy())
        own = luck(game, asked.state, asked.seat, 0)
        action = think(asked.state, asked.seat, own, time.monotonic() + REHEARSAL)
        if action not in legal:
            raise ValueError(f"bot: it chose {action}, which is not legal; expected one of {legal}")
        game.call("step")(game.cfg, state, action, words)
