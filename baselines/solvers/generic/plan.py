"""A plan: how a player chooses in every situation of a game, found by what that player knows.

Solvers write plans; bots and hints read them. A situation is a player and a state from which all
that the player cannot know was removed: moves still hidden are withdrawn, hidden cards are guessed,
always by the same random numbers, and idle parts and the clock are set to 0. Its key is a pair of
53-bit numbers made from that. Two situations share a key by accident in about one of 2**106 pairs.

A plan has lines. A line holds the probabilities of all legal actions of a situation, in the order
of their numbers. If a game is cut short by a clock, a situation may have several lines, each for a
number of ticks that must be left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.common import draw_act
from bidarena.baselines.search.keys import mix
from bidarena.baselines.solvers.graph.facts import nothing
from bidarena.envs.compile import Function, borrow, compiled, fill_in, keep, rule
from bidarena.envs.game import (
    Cfg,
    Game,
    Mask,
    Params,
    Rng,
    State,
    determinize,
    layout,
    legal,
    starts,
    withdraw,
)
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# params of a bot: these numbers, 1 for each idle number of the state, slots, lines, probabilities
_HEAD = layout(clock=1, limit=1, slots=1, lines=1)
P = starts(_HEAD)
HEAD = len(_HEAD)
LINE = 5  # numbers of a line: two of its key, ticks, its first probability, the line before it + 1

_SEEDS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_SHIFT = np.uint64(11)


@dataclass(frozen=True, eq=False)
class Plan:
    """The lines of a plan.

    Attributes:
        keys: (lines, 2) the key of each line's situation.
        since: how many ticks must be left for a line; 0: it always holds.
        first: (lines + 1) where the numbers of each line begin in the arrays below.
        chances: the probability of each legal action.
        worths: what the player wins on average with each action, if it is known; else empty.
        worsts: what the player wins against the worst move made at the same time; may be empty.
    """

    keys: Floats
    since: Floats
    first: Floats
    chances: Floats
    worths: Floats
    worsts: Floats

    def arrays(self) -> dict[str, Floats]:
        """Return all arrays by name, to be kept on disk."""
        return dict(vars(self))

    def params(self, game: Game, idle: NDArray[np.int8], clock: int) -> Floats:
        """Return the plan as the params of a bot.

        Args:
            game: the game.
            idle: 1 for each number of the state that does not matter.
            clock: where the clock is in the state; -1 if there is none.
        """
        lines = len(self.since)
        slots = 1 << max(3, (2 * lines).bit_length())
        head = np.array([clock, game.limit, slots, lines], np.float64)
        table = np.zeros(slots)
        rows = np.zeros((lines, LINE))
        rows[:, :2] = self.keys
        rows[:, 2] = self.since
        rows[:, 3] = self.first[:-1]
        compiled(link_lines, {}, "plans")(table, rows)
        return np.concatenate([head, idle, table, rows.ravel(), self.chances])


def link_lines(table: Floats, rows: Floats) -> None:
    """Write each line into the hash table; lines of one situation are linked, the last one first.

    Lines of one situation come in the order of their ticks.
    """
    for line in range(len(rows)):
        slot = int(rows[line, 0]) % len(table)
        while table[slot] > 0.0:
            other = int(table[slot]) - 1
            if rows[other, 0] == rows[line, 0] and rows[other, 1] == rows[line, 1]:
                rows[line, 4] = table[slot]
                break
            slot = (slot + 1) % len(table)
        table[slot] = line + 1


@rule
def guess(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Replace what `player` cannot know; `determinize`, or nothing where nothing is hidden."""
    raise NotImplementedError


def no_guess(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Do nothing: nothing is hidden."""


def _determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    determinize(cfg, state, player, rng)


def knowledge(game: Game) -> dict[str, Function]:
    """Return the functions that remove from a state what a player cannot know, by stub."""
    hidden = game.hidden or (game.simultaneous is not None and "withdraw" not in game.rules)
    own = {} if "withdraw" in game.rules else {"withdraw": nothing}
    return {**own, "guess": _determinize if hidden else no_guess}


def situation_key(
    cfg: Cfg, state: State, player: int, idle: NDArray[np.float64], out: Floats
) -> None:
    """Write the key of the situation of `player` in a state."""
    # two words, and one that counts outcomes where rules are compiled to do that (size.py)
    copy, words = np.empty(len(state), np.int64), np.zeros(WORDS + 1, np.uint64)
    known, rng = borrow(copy), borrow(words)
    for at in range(len(state)):
        known[at] = state[at]
    rng[0], rng[1] = _SEEDS[0], _SEEDS[1]
    withdraw(cfg, known)
    guess(cfg, known, player, rng)
    for part in range(2):
        key = mix(_SEEDS[part], np.uint64(player))
        for at in range(len(known)):
            if not idle[at]:
                key = mix(key, np.uint64(known[at]))
        out[part] = np.float64(key >> _SHIFT)
    keep(copy)
    keep(words)


def situation_keys(
    cfg: Cfg, states: Integers, players: Integers, idle: Floats, out: Floats
) -> None:
    """Write the key of every situation: a row of `states` and the player who knows it."""
    for k in range(len(states)):
        situation_key(cfg, states[k], players[k], idle, out[k])


def keys_of(game: Game, states: Integers, players: Integers, idle: NDArray[np.int8]) -> Floats:
    """Return the keys (situations, 2) of states, each seen by its player."""
    out = np.zeros((len(states), 2))
    fill = game.compiled(situation_keys, **knowledge(game))
    fill(game.cfg, states, players.astype(np.int64), idle.astype(np.float64), out)
    return out


# --- as a bot ------------------------------------------------------------------------------------


def find_line(cfg: Cfg, params: Params, state: State, player: int) -> int:
    """Return where in `params` the probabilities of a situation begin; -1 if it has no line."""
    size, slots, lines = len(state), int(params[P.slots]), int(params[P.lines])
    made = np.empty(2)
    key = borrow(made)
    situation_key(cfg, state, player, params[HEAD : HEAD + size], key)
    table = params[HEAD + size : HEAD + size + slots]
    base = HEAD + size + slots
    rows = params[base : base + LINE * lines]
    ticks = np.inf
    if params[P.clock] >= 0:
        ticks = params[P.limit] - state[int(params[P.clock])]
    slot = int(key[0]) % slots
    found = -1
    while table[slot] > 0.0:
        line = int(table[slot]) - 1
        if rows[LINE * line] == key[0] and rows[LINE * line + 1] == key[1]:
            while rows[LINE * line + 2] > ticks and rows[LINE * line + 4] > 0.0:
                line = int(rows[LINE * line + 4]) - 1
            found = base + LINE * lines + int(rows[LINE * line + 3])
            break
        slot = (slot + 1) % slots
    keep(made)
    return found


def plan_distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: Floats
) -> None:
    """Write the probabilities of a plan; all legal actions alike where it has no line."""
    legal(cfg, state, scratch)
    at = find_line(cfg, params, state, player)
    allowed = 0
    for action in range(len(scratch)):
        allowed += scratch[action]
    for action in range(len(scratch)):
        out[action] = 0.0
        if scratch[action]:
            out[action] = 1.0 / allowed
            if at >= 0:
                out[action] = params[at]
                at += 1


plan_act = fill_in(draw_act, __name__, "plan_act", distribution=plan_distribution)


def plan_bot(game: Game, plan: Plan, idle: NDArray[np.int8], clock: int, name: str) -> Bot:
    """Return the bot that plays a plan."""
    return Bot(
        name,
        plan_act,
        plan.params(game, idle, clock),
        game.key,
        more=knowledge(game),
        distribution=plan_distribution,
        foresight=_foresight(game, plan, idle, clock),
    )


def _foresight(game: Game, plan: Plan, idle: NDArray[np.int8], clock: int) -> int | None:
    """Return how many ticks of the clock the bot of a plan foresees; None if not known.

    With the clock a part of its keys, as over information sets, a plan may change at any time.
    """
    if game.clock is not None and not idle[game.state[game.clock]].all():
        return None
    if clock < 0:
        return 0
    return max(0, int(plan.since.max(initial=0.0)) - 1)


def line_of(game: Game, plan: Plan, idle: NDArray[np.int8], clock: int, state: State) -> int:
    """Return the number of the line for the player to move; -1 if there is none."""
    player = int(game.call("to_move")(game.cfg, state))
    key = keys_of(game, state[None], np.array([player]), idle)[0]
    found = np.flatnonzero((plan.keys == key).all(axis=1))
    if not len(found):
        return -1
    ticks = np.inf if clock < 0 else game.limit - int(state[clock])
    held = [line for line in found if plan.since[line] <= ticks]
    return int(held[-1] if held else found[0])
