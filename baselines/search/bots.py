"""Make the bots of the search family: check their options and write them into `params`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from bidarena.baselines.search import layout
from bidarena.baselines.search.books import guide_for, nested, open_book
from bidarena.baselines.search.keys import seen_by_observation, seen_by_signature
from bidarena.baselines.search.layout import (
    DMCTS,
    EXPLORATION,
    FINALS,
    MCTS,
    MOM,
    PUCT,
    REGRET,
    SELECTIONS,
    TECHNIQUES,
)
from bidarena.baselines.search.stubs import (
    always_plausible,
    no_judge,
    no_priors,
    withdraw_nothing,
)
from bidarena.baselines.search.think import Thinker, search_act
from bidarena.baselines.search.tree import BYTES_PER_EDGE, BYTES_PER_SLOT
from bidarena.envs.arguments import choice, flag, whole
from bidarena.envs.game import Game
from bidarena.envs.registry import SEARCH, Bot, make_belief, make_bot

FASTEST = 1000  # iterations per millisecond: a tree under a clock has room for as many
PUNCTUAL = 0.95  # share of the time that is used: a busy machine may pause us for milliseconds
ENDLESS = 10**15  # iterations of a search that a clock ends


@dataclass
class Options:
    """Options of a search. `_ONLY` says which techniques have `trees`, `reuse` and `belief`."""

    iterations: int | None = None  # 1000 if neither `iterations` nor `ms` is given
    ms: float | None = None  # milliseconds of real time; with both, whichever limit comes first
    selection: str | None = None  # "ucb1", "ucb_tuned", "thompson", "regret"; "puct" with a policy
    c: float | None = None  # exploration constant of `selection`
    simultaneous: str = "regret"  # the rule at moves made at the same time
    simultaneous_c: float | None = None  # exploration constant of `simultaneous`
    playout: str = "random"  # the bot that plays beyond the tree; its options after ":", with ";"
    policy: str | None = None  # a learned policy that guides the search: a file, a run, or a bot
    noise: float = 0.0  # with a policy: share of the priors at the root that is drawn at random
    final: str = "auto"  # "visits" takes the most visited move, "sample" draws one; see `decide`
    early_stop: bool = False  # drop a move that lost 90 of its first 100 visits
    memory: float = 64.0  # MiB for the trees of all threads together
    threads: int = 1  # independent searches in parallel; their results are added up
    trees: int = 20  # dmcts: number of guesses, with a tree for each
    reuse: bool = False  # mcts: keep the tree for the next move
    book: str | None = None  # opening book, "policy" or "none"; None: see `open_book`
    belief: str | None = None  # how likely a guess is: the name of one registered for the game


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
        trees = 1  # nothing is hidden, so all guesses would be equal
    reuse = flag("reuse", options.reuse)
    if reuse and game.simultaneous is not None:
        raise ValueError("reuse=True: expected a game without moves made at the same time")

    # An iteration adds one move to the tree, or one move of each player.
    growth = game.players if technique == MOM or game.simultaneous is not None else 1
    wanted = min(iterations, math.ceil(seconds * 1000 * FASTEST) if seconds >= 0 else iterations)
    wanted = max(16, growth * wanted * (4 if reuse else 1))
    slots, capacity = sizes(wanted, int(memory * 2**20 / threads))

    moment = slice(0, 0) if game.simultaneous is None else game.state[game.simultaneous]
    low, high = game.return_range
    spec = options.playout
    if spec == "policy" and isinstance(options.policy, str):
        spec = options.policy
    playout = _playout_bot(game, spec)
    belief = None if options.belief is None else make_belief(game, nested(options.belief))
    belief_params = np.zeros(0) if belief is None else _flat("belief", belief.name, belief.params)
    guide = None if options.policy is None else guide_for(game, options.policy)
    usual = "ucb1" if guide is None else "puct"
    selection = choice("selection", options.selection or usual, SELECTIONS)
    together = choice("simultaneous", options.simultaneous, SELECTIONS)
    share = _number("noise", options.noise, 0.0, 1.0)
    if guide is None and (PUCT in (selection, together) or share):
        raise ValueError("selection='puct', noise: need priors; expected policy=PATH too")
    if PUCT in (selection, together):  # a node has edges for all its moves at once
        room = (int(memory * 2**20 / threads) - slots * BYTES_PER_SLOT) // BYTES_PER_EDGE
        capacity = max(capacity, min(2 * wanted * game.actions, room))
    most_nodes = slots // 2
    if capacity >= 2 * wanted and not reuse:  # room for all: no more nodes than tried moves
        while 3 * slots > 8 * wanted:
            slots //= 2  # up to three quarters are used; a small table is found in the cache
        most_nodes = min(most_nodes, slots - slots // 8)
    guided = np.zeros(0) if guide is None else np.concatenate([game.teams, guide.params])

    book, by_policy = open_book(game, options.book, guide)

    head = np.zeros(layout.HEAD)
    head[layout.BY_POLICY] = by_policy
    head[layout.TECHNIQUE] = technique
    head[layout.SELECTION], head[layout.TOGETHER] = selection, together
    head[layout.C] = _exploration("c", options.c, selection)
    head[layout.TOGETHER_C] = _exploration("simultaneous_c", options.simultaneous_c, together)
    head[layout.ITERATIONS], head[layout.SECONDS] = iterations, seconds
    head[layout.CAPACITY], head[layout.SLOTS] = capacity, slots
    head[layout.NODES_ALLOWED] = most_nodes
    head[layout.TREES] = trees
    head[layout.FINAL] = choice("final", options.final, FINALS)
    head[layout.EARLY_STOP] = flag("early_stop", options.early_stop)
    head[layout.PLAYERS], head[layout.VIEW] = game.players, game.observation_size
    head[layout.LOW], head[layout.SCALE] = low, 1.0 / (high - low)
    head[layout.MOMENT], head[layout.MOMENT_END] = moment.start, moment.stop
    head[layout.BELIEF_AT] = layout.HEAD
    head[layout.BELIEF_END] = layout.HEAD + len(belief_params)
    head[layout.POLICY_END] = head[layout.BELIEF_END] + len(guided)
    head[layout.VALUES] = guide is not None and guide.judge is not None
    head[layout.NOISE] = share
    more = {
        "playout": playout.act,
        "book": book,
        "plausible": always_plausible if belief is None else belief.plausible,
        "withdraw": game.rules.get("withdraw", withdraw_nothing),
        "seen": seen_by_signature if "signature" in game.rules else seen_by_observation,
        "priors": no_priors if guide is None or guide.priors is None else guide.priors,
        "judge": no_judge if guide is None or guide.judge is None else guide.judge,
        **({} if guide is None else guide.more),
    }
    params = np.concatenate([head, belief_params, guided, playout.params])
    bot = Bot(name, search_act, params, game.key, more, kind=SEARCH)
    if threads > 1 or reuse:
        bot = replace(bot, outside=Thinker(game, bot, threads, reuse))
    return bot


def sizes(wanted: int, memory: int) -> tuple[int, int]:
    """Return the rows of the table and the number of edges for `wanted` tried moves.

    Blocks of edges may be half empty, so there is room for twice as many edges. Both numbers are
    smaller if the tree would need more than `memory` bytes.
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


def _playout_bot(game: Game, spec: str) -> Bot:
    """Return the bot that plays beyond the tree; ValueError unless a search can compile it in."""
    if not isinstance(spec, str):
        raise ValueError(f"playout={spec!r}: expected the name of a bot")
    try:
        bot = make_bot(game, nested(spec))
    except ValueError as wrong:
        raise ValueError(f"playout={spec!r}: {wrong}") from None
    if not isinstance(bot, Bot) or bot.outside is not None or bot.more:
        raise ValueError(f"playout={spec!r}: expected a compiled bot that does not search itself")
    return replace(bot, params=_flat("playout", spec, bot.params))


def _flat(what: str, name: str, params: Any) -> Any:
    """Return the params of a nested bot or belief as float64; ValueError unless they are flat."""
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
    """Return the bot factory of one technique; its signature lists the options that it has."""

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
dmcts = _factory(
    DMCTS, "Several guesses of what is hidden, with a tree for each; their visits are added up."
)
ismcts = _factory(
    layout.ISMCTS, "One tree over what the searching player sees; a new guess in every iteration."
)
mom = _factory(MOM, "A tree for each player over what they see; an iteration walks down all trees.")
pom = _factory(layout.POM, "A tree of own decisions only; the playout bot plays for the others.")
bandit = _factory(layout.BANDIT, "Flat Monte Carlo: a bandit over the moves of this decision.")
