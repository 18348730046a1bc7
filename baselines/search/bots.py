"""The bots of the search family: their options, checked, and written into `params`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from bidarena.baselines.search import layout
from bidarena.baselines.search.explore import always_plausible, no_book, withdraw_nothing
from bidarena.baselines.search.keys import seen_by_observation, seen_by_signature
from bidarena.baselines.search.layout import (
    DMCTS,
    EXPLORATION,
    FINALS,
    MCTS,
    MOM,
    REGRET,
    SELECTIONS,
    TECHNIQUES,
)
from bidarena.baselines.search.think import Thinker, search_act
from bidarena.baselines.search.tree import BYTES_PER_EDGE, BYTES_PER_SLOT
from bidarena.envs.check import choice, flag, whole
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot, load_book, make_belief, make_bot

FASTEST = 1000  # iterations a millisecond: what a tree under a clock has room for
PUNCTUAL = 0.95  # of the time is used: a loaded machine may stop anybody for some milliseconds
ENDLESS = 10**15  # iterations, for searches that a clock ends


@dataclass
class Options:
    """What all techniques can be told; `trees`, `reuse` and `belief` only those that it fits."""

    iterations: int | None = None  # 1000 if nothing is given
    ms: float | None = None  # milliseconds instead, by a real clock; with both, what ends first
    selection: str = "ucb1"  # or "ucb_tuned", "thompson", "regret"
    c: float | None = None  # its constant of exploration
    simultaneous: str = "regret"  # the rule at moves made at the same time
    simultaneous_c: float | None = None
    playout: str = "random"  # the bot that plays beyond the tree; its options after ":", with ";"
    final: str = "auto"  # "visits", "sample", or by the kind of decision
    early_stop: bool = False  # drop a move that lost 90 of its first 100 visits
    memory: float = 64.0  # MiB that a tree may take
    threads: int = 1  # independent searches side by side, added up
    trees: int = 20  # dmcts: guesses
    reuse: bool = False  # mcts: keep the tree for the next move
    book: str | None = None  # decides what is not worth searching: a name registered for the game
    belief: str | None = None  # how believable a guess is: a name registered for the game


_ONLY = {"trees": (DMCTS,), "reuse": (MCTS,), "belief": tuple(range(1, len(TECHNIQUES)))}


def _make(technique: int, game: Game, given: dict[str, Any]) -> Bot:
    name = TECHNIQUES[technique]
    options = Options(**given)
    if technique == MCTS and game.hidden:
        raise ValueError(f"mcts needs a game that hides nothing; for {game.name} use ismcts")
    if options.ms is None and options.iterations is None:
        options.iterations = 1000
    iterations, seconds = ENDLESS, -1.0
    if options.iterations is not None:
        iterations = whole("iterations", options.iterations, 1, 10**9)
    if options.ms is not None:
        seconds = _number("ms", options.ms, 0.0, 1e7) * PUNCTUAL / 1000.0
    threads = whole("threads", options.threads, 1, 256)
    memory = _number("memory", options.memory, 0.01, 2.0**20)
    trees = whole("trees", options.trees, 1, 10_000)
    if not game.hidden and (game.simultaneous is None or "withdraw" in game.rules):
        trees = 1  # all guesses would be the same
    reuse = flag("reuse", options.reuse)
    if reuse and game.simultaneous is not None:
        raise ValueError("reuse=True: expected a game without moves made at the same time")

    # An iteration grows by a move, or by one of each player.
    growth = game.players if technique == MOM or game.simultaneous is not None else 1
    wanted = min(iterations, math.ceil(seconds * 1000 * FASTEST) if seconds >= 0 else iterations)
    wanted = max(16, growth * wanted * (4 if reuse else 1))
    slots, capacity = sizes(wanted, int(memory * 2**20 / threads))

    moment = slice(0, 0) if game.simultaneous is None else game.state[game.simultaneous]
    low, high = game.return_range
    player = _playing_bot(game, options.playout)
    belief = None if options.belief is None else make_belief(game, _nested(options.belief))
    belief_params = np.zeros(0) if belief is None else _flat("belief", belief.name, belief.params)
    selection = choice("selection", options.selection, SELECTIONS)
    together = choice("simultaneous", options.simultaneous, SELECTIONS)

    head = np.zeros(layout.HEAD)
    head[layout.TECHNIQUE] = technique
    head[layout.SELECTION], head[layout.TOGETHER] = selection, together
    head[layout.C] = _exploration("c", options.c, selection)
    head[layout.TOGETHER_C] = _exploration("simultaneous_c", options.simultaneous_c, together)
    head[layout.ITERATIONS], head[layout.SECONDS] = iterations, seconds
    head[layout.CAPACITY], head[layout.SLOTS] = capacity, slots
    head[layout.TREES] = trees
    head[layout.FINAL] = choice("final", options.final, FINALS)
    head[layout.EARLY_STOP] = flag("early_stop", options.early_stop)
    head[layout.PLAYERS], head[layout.VIEW] = game.players, game.observation_size
    head[layout.LOW], head[layout.SCALE] = low, 1.0 / (high - low)
    head[layout.MOMENT], head[layout.MOMENT_END] = moment.start, moment.stop
    head[layout.BELIEF_AT] = layout.HEAD
    head[layout.BELIEF_END] = layout.HEAD + len(belief_params)
    more = {
        "playout": player.act,
        "book": no_book if options.book is None else load_book(game, options.book),
        "plausible": always_plausible if belief is None else belief.plausible,
        "withdraw": game.rules.get("withdraw", withdraw_nothing),
        "seen": seen_by_signature if "signature" in game.rules else seen_by_observation,
    }
    params = np.concatenate([head, belief_params, player.params])
    bot = Bot(name, search_act, params, game.key, more)
    if threads > 1 or reuse:
        bot = replace(bot, outside=Thinker(game, bot, threads, reuse))
    return bot


def sizes(wanted: int, memory: int) -> tuple[int, int]:
    """Places in the table, and edges: for `wanted` tried moves, or what `memory` bytes allow.

    Blocks of edges may be half empty, so there is room for twice as many.
    """
    best = (2, 1)
    slots = 2
    while slots * BYTES_PER_SLOT < memory:
        room = (memory - slots * BYTES_PER_SLOT) // BYTES_PER_EDGE
        capacity = min(2 * wanted, slots, room)
        if capacity > best[1]:
            best = (slots, capacity)
        slots *= 2
    return best


def _playing_bot(game: Game, spec: str) -> Bot:
    """The bot that plays beyond the tree, which must be one that can be compiled into it."""
    if not isinstance(spec, str):
        raise ValueError(f"playout={spec!r}: expected the name of a bot")
    try:
        bot = make_bot(game, _nested(spec))
    except ValueError as wrong:
        raise ValueError(f"playout={spec!r}: {wrong}") from None
    if not isinstance(bot, Bot) or bot.outside is not None or bot.more:
        raise ValueError(f"playout={spec!r}: expected a compiled bot that does not search itself")
    return replace(bot, params=_flat("playout", spec, bot.params))


def _nested(spec: str) -> str:
    """Options inside an option are written with semicolons."""
    return str(spec).replace(";", ",")


def _flat(what: str, name: str, params: Any) -> Any:
    if params.dtype not in (np.float64, np.float32) or params.ndim != 1:
        raise ValueError(
            f"{what}={name!r}: its numbers are {params.dtype} {params.shape}; a search can only "
            "take flat float64 or float32 ones along"
        )
    return params.astype(np.float64)


def _exploration(name: str, value: Any, rule: int) -> float:
    if value is None:
        return EXPLORATION[rule]
    if rule == REGRET:
        return _number(name, value, 0.001, 1.0)
    return _number(name, value, 0.0, 1000.0)


def _number(name: str, value: Any, low: float, high: float) -> float:
    known = isinstance(value, int | float | np.integer | np.floating)
    if not known or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name}={value!r}: expected a number from {low:g} to {high:g}")
    return float(value)


def _factory(technique: int, doc: str) -> Callable[..., Bot]:
    """The factory of one technique; its signature tells the options that fit it."""

    def make(game: Game, **options: Any) -> Bot:
        return _make(technique, game, options)

    fitting = [o for o in fields(Options) if technique in _ONLY.get(o.name, (technique,))]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    game = inspect.Parameter("game", kind)
    keywords = [inspect.Parameter(o.name, kind, default=o.default) for o in fitting]
    make.__signature__ = inspect.Signature([game, *keywords])  # type: ignore[attr-defined]
    make.__name__ = make.__qualname__ = TECHNIQUES[technique]
    make.__doc__ = doc
    return make


mcts = _factory(MCTS, "Monte Carlo tree search, for games in which nothing is hidden.")
dmcts = _factory(DMCTS, "An ensemble: several guesses of what is hidden, a tree each, votes added.")
ismcts = _factory(
    layout.ISMCTS, "One tree over what the searching player sees, a new guess in every iteration."
)
mom = _factory(MOM, "A tree for each player over what he sees, all of them descended together.")
pom = _factory(layout.POM, "Nodes for own decisions only; the others play by the playing bot.")
bandit = _factory(layout.BANDIT, "Flat Monte Carlo: a bandit over the moves of this decision.")
