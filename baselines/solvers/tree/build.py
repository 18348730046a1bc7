"""Walk through all histories of a game, and note its information sets and its ends.

The walk goes into the depth and keeps one path only, so that the memory it takes does not grow with
the number of histories. If an array is full, the code returns, Python makes it larger, and the walk
goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.keys import mix
from bidarena.baselines.solvers.graph.tables import clear_row, copy_row
from bidarena.baselines.solvers.tree.tables import (
    N,
    Stack,
    Tables,
    grown,
    new_stack,
    new_tables,
    trimmed,
)
from bidarena.envs.compile import apart, borrow, keep
from bidarena.envs.game import Cfg, Game, legal, observe, reset, returns, step, to_move
from bidarena.envs.outcomes import (
    SCRIPT,
    begin_outcomes,
    check_listed,
    compiled_with_script,
    next_outcome,
    trouble_of,
    weight_of,
)

DONE, NO_ROOM, PAUSED, TROUBLE = 0, 1, 2, 3  # what `walk` returns
GENERAL_SUM, UNEVEN, LONG = 3, 4, 5  # troubles, beside those of a script

PART = 500_000  # nodes between two looks at limits and progress

_SEEDS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_ONE, _HALF = np.uint64(1), np.uint64(32)


def build_tree(
    game: Game,
    memory: int,
    *,
    opposed: bool,
    seconds: float = np.inf,
    progress: Callable[[int], None] | None = None,
) -> Tables:
    """Return the information sets and ends of a game.

    Args:
        game: any game.
        memory: raise ValueError if the arrays take more bytes.
        opposed: whether there are two players whose results must add to 0. Then only the results
            of player 0 are kept.
        seconds: raise ValueError if it takes longer.
        progress: called with the number of histories seen so far.
    """
    walk = compiled_with_script(game, walk_histories)
    tables = new_tables(game, 1 if opposed else game.players)
    stack = new_stack(game, SCRIPT)
    until, began = PART, time.perf_counter()
    while True:
        status = int(walk(game.cfg, tables, stack, game.actions, game.observation_size, until))
        seen = f"{int(tables.counts[N.sets]):,} information sets were found so far"
        if status == NO_ROOM:
            tables = grown(tables)
            if tables.bytes > memory:
                raise ValueError(
                    f"memory: more than {memory / 2**30:.3g} GiB are needed for the information "
                    f"sets of {game.name}; {seen}. Give more memory or smaller rules"
                )
            if not tables.hashed.any():
                game.compiled(refill)(tables)
        elif status == TROUBLE:
            _refuse(game, int(tables.counts[N.trouble]))
        elif status == PAUSED:
            until += PART
            if time.perf_counter() - began > seconds:
                raise ValueError(
                    f"seconds: walking through the histories of {game.name} takes more than "
                    f"{seconds:.3g} s; {seen}. Give more time or smaller rules"
                )
        if progress is not None:
            progress(int(tables.counts[N.nodes]))
        if status == DONE:
            return trimmed(tables)


def _refuse(game: Game, trouble: int) -> None:
    """Raise the ValueError for a game through which one cannot walk."""
    told = {
        GENERAL_SUM: "the results of the two players do not add to 0, so there is no value to "
        "solve for; a best response to given players can be computed",
        UNEVEN: "a player has other legal moves in two histories that look alike to this player",
        LONG: f"a game has more decisions than longest={game.longest}",
    }
    if trouble not in told:
        check_listed(game, trouble)
    raise ValueError(f"{game.name}: {told[trouble]}")


# --- compiled for each game ----------------------------------------------------------------------


def walk_histories(
    cfg: Cfg, tables: Tables, stack: Stack, actions: int, observation_size: int, until: int
) -> int:
    """Walk on until all histories, or `until` nodes, were seen; return how it ended."""
    mask = np.zeros(actions, np.int8)
    view = np.zeros(observation_size, np.float32)
    results = np.zeros(stack.last.shape[1])
    lent = (borrow(mask), borrow(view), borrow(results))
    status = _walk(borrow(cfg), _lent_tables(tables), _lent_stack(stack), until, *lent)
    keep(mask)
    keep(view)
    keep(results)
    return status


def _lent_tables(tables: Tables) -> Tables:
    """Return the same arrays without their reference counts; see `borrow`."""
    return Tables(
        borrow(tables.counts),
        borrow(tables.hashed),
        borrow(tables.keys),
        borrow(tables.states),
        borrow(tables.players),
        borrow(tables.parents),
        borrow(tables.first),
        borrow(tables.last),
        borrow(tables.gains),
    )


def _lent_stack(stack: Stack) -> Stack:
    """Return the same arrays without their reference counts; see `borrow`."""
    return Stack(
        borrow(stack.states),
        borrow(stack.movers),
        borrow(stack.actions),
        borrow(stack.tried),
        borrow(stack.open),
        borrow(stack.sets),
        borrow(stack.scripts),
        borrow(stack.known),
        borrow(stack.seen),
        borrow(stack.last),
        borrow(stack.weights),
    )


def _walk(
    cfg: Cfg,
    tables: Tables,
    stack: Stack,
    until: int,
    mask: NDArray[np.int8],
    view: NDArray[np.float32],
    results: NDArray[np.float64],
) -> int:
    """Walk on, see `walk_histories`; all arrays are borrowed."""
    counts = tables.counts
    while counts[N.depth] >= 0:
        if counts[N.nodes] >= until:
            return PAUSED
        full = counts[N.sets] + 2 >= len(tables.players) or counts[N.ends] >= len(tables.gains)
        if full:
            return NO_ROOM
        depth = counts[N.depth]
        if not stack.open[depth] and not _next_action(cfg, stack, depth, mask):
            counts[N.depth] -= 1
            continue
        if depth + 1 >= len(stack.movers):
            counts[N.trouble] = LONG
            return TROUBLE
        counts[N.nodes] += 1
        if not _descend(cfg, tables, stack, depth, mask, view, results):
            return TROUBLE
    return DONE


def _next_action(cfg: Cfg, stack: Stack, depth: int, mask: NDArray[np.int8]) -> bool:
    """Choose the next action to try at a node of the path; return False if there is none."""
    if stack.movers[depth] < 0:
        if stack.tried[depth] > 0:
            return False
        stack.tried[depth] = 1
    else:
        legal(cfg, stack.states[depth], mask)
        action = stack.actions[depth] + 1
        while action < len(mask) and not mask[action]:
            action += 1
        if action == len(mask):
            return False
        if stack.actions[depth] >= 0:
            stack.tried[depth] += 1
        stack.actions[depth] = action
    begin_outcomes(stack.scripts[depth])
    return True


def _descend(
    cfg: Cfg,
    tables: Tables,
    stack: Stack,
    depth: int,
    mask: NDArray[np.int8],
    view: NDArray[np.float32],
    results: NDArray[np.float64],
) -> bool:
    """Follow the next outcome of the action that is tried; return False if there is trouble."""
    counts, players = tables.counts, stack.last.shape[1]
    mover, action, script = stack.movers[depth], stack.actions[depth], stack.scripts[depth]
    state = stack.states[depth + 1]
    if mover < 0:
        clear_row(state)
        reset(cfg, state, script)
    else:
        copy_row(stack.states[depth], state)
        step(cfg, state, action, script)
    if trouble_of(script) != 0:
        counts[N.trouble] = trouble_of(script)
        return False
    stack.weights[depth + 1] = stack.weights[depth] * weight_of(script)
    stack.open[depth] = next_outcome(script)
    for player in range(players):
        stack.last[depth + 1, player] = stack.last[depth, player]
        for part in range(2):
            stack.known[depth + 1, player, part] = stack.known[depth, player, part]
        stack.seen[depth + 1, player] = stack.seen[depth, player]
    if mover >= 0:
        known = stack.known[depth + 1, mover]
        for part in range(2):
            known[part] = mix(known[part] ^ _SEEDS[part], np.uint64(action + 1))
        stack.last[depth + 1, mover] = tables.first[stack.sets[depth]] + stack.tried[depth]
    next_mover = to_move(cfg, state)
    if next_mover < 0:
        return _put_end(cfg, tables, stack, depth + 1, results)
    for player in range(players):
        _look(cfg, stack, depth + 1, player, view)
    found = _find_set(cfg, tables, stack, depth + 1, next_mover, mask)
    if found < 0:
        counts[N.trouble] = UNEVEN
        return False
    stack.movers[depth + 1] = next_mover
    stack.sets[depth + 1] = found
    stack.actions[depth + 1] = -1
    stack.tried[depth + 1] = 0
    stack.open[depth + 1] = 0
    counts[N.depth] += 1
    return True


@apart
def _look(cfg: Cfg, stack: Stack, depth: int, player: int, view: NDArray[np.float32]) -> None:
    """Add to what a player knows the present observation, if it differs from the last one."""
    observe(cfg, stack.states[depth], player, view)
    key = _SEEDS[0]
    for at in range(len(view)):
        view[at] += np.float32(0.0)  # one zero only: -0.0 looks like 0.0
    bits = view.view(np.uint32)
    for at in range(0, len(bits) - 1, 2):  # two at a time: mixing is what takes long here
        key = mix(key, np.uint64(bits[at]) | np.uint64(bits[at + 1]) << _HALF)
    if len(bits) % 2:
        key = mix(key, np.uint64(bits[len(bits) - 1]))
    if key != stack.seen[depth, player]:
        stack.seen[depth, player] = key
        for part in range(2):
            known = stack.known[depth, player, part]
            stack.known[depth, player, part] = mix(known ^ _SEEDS[part], key ^ _SEEDS[1 - part])


@apart
def _put_end(
    cfg: Cfg, tables: Tables, stack: Stack, depth: int, results: NDArray[np.float64]
) -> bool:
    """Append the end of a history; return False if results do not add to 0 where they should."""
    counts = tables.counts
    returns(cfg, stack.states[depth], results)
    columns = tables.gains.shape[1] - 1
    if columns == 1 and abs(results[0] + results[1]) > 1e-9:
        counts[N.trouble] = GENERAL_SUM
        return False
    for player in range(len(results)):
        tables.last[counts[N.ends], player] = stack.last[depth, player]
        if player < columns:
            tables.gains[counts[N.ends], player] = stack.weights[depth] * results[player]
    tables.gains[counts[N.ends], columns] = stack.weights[depth]
    counts[N.ends] += 1
    return True


@apart
def _find_set(
    cfg: Cfg, tables: Tables, stack: Stack, depth: int, mover: int, mask: NDArray[np.int8]
) -> int:
    """Return the information set of the player to move, as a new one if it is; -1: trouble."""
    counts, state = tables.counts, stack.states[depth]
    legal(cfg, state, mask)
    moves, allowed = _SEEDS[1], 0
    for action in range(len(mask)):
        if mask[action]:
            moves = mix(moves, np.uint64(action))
            allowed += 1
    one = mix(stack.known[depth, mover, 0], np.uint64(mover))
    two = mix(stack.known[depth, mover, 1], np.uint64(mover))
    slot = _slot_of(tables, one, two)
    if tables.hashed[slot] > 0:
        found = tables.hashed[slot] - 1
        return found if tables.keys[found, 2] == moves else -1
    found = counts[N.sets]
    tables.hashed[slot] = found + 1
    tables.keys[found, 0], tables.keys[found, 1], tables.keys[found, 2] = one, two, moves
    copy_row(state, tables.states[found])
    tables.players[found] = mover
    tables.parents[found] = stack.last[depth, mover]
    tables.first[found] = counts[N.slots]
    tables.first[found + 1] = counts[N.slots] + allowed
    counts[N.slots] += allowed
    counts[N.sets] += 1
    return found


def _slot_of(tables: Tables, one: int, two: int) -> int:
    """Return the slot of an information set in the hash table, or the free one for it."""
    mask = len(tables.hashed) - 1
    slot = np.int64(one >> _ONE) & mask
    while tables.hashed[slot] > 0:
        found = tables.hashed[slot] - 1
        if tables.keys[found, 0] == one and tables.keys[found, 1] == two:
            break
        slot = (slot + 1) & mask
    return slot  # type: ignore[return-value]


def refill(tables: Tables) -> None:
    """Write all information sets into an empty hash table."""
    for found in range(tables.counts[N.sets]):
        slot = _slot_of(tables, tables.keys[found, 0], tables.keys[found, 1])
        tables.hashed[slot] = found + 1
