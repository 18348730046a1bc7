"""The search itself: one loop of iterations for all techniques, compiled for each game.

An iteration guesses what the searching player cannot know, walks down the tree by the selection
rules (bandits.py), adds an untried move, lets the playout bot play to the end of the game, and adds
the result to the edges of its path. The techniques differ in two things: which decisions have
nodes, and whose key finds these nodes (keys.py).

**Policies.** A learned policy can guide the search in two ways. Its probabilities are priors of the
rule `puct`: a node then has an edge for every move from its first visit on. And if the policy says
what positions are worth, nothing is played out: an iteration ends at the first new node, or where
the tree ends, with the value that the player to move there expects by what that player sees in the
guess.

**Keys.** The key of a player is made from everything the player sees and from their own moves, in
order. `mcts` and `dmcts` have one key for all players, that of the state, because nothing is hidden
or everything has been guessed.

**Moves made at the same time.** A moment lasts while the part of the state that `Game.simultaneous`
names keeps its value. During a moment the nodes of all players are found by the keys from its
beginning, so nobody can react to a move that they have not seen. Moves that are already committed
when the search begins are withdrawn first; then the selection rules choose them again.

**Growth.** An iteration adds one move to the tree, at the first decision that has an untried one.
At a moment with several players it adds one for each of them; in `mom`, one in each player's tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.search.bandits import (
    learn_regret,
    noise,
    select,
    select_puct,
    select_regret,
)
from bidarena.baselines.search.keys import Key, mix, node_key, seen, state_key
from bidarena.baselines.search.layout import (
    AVAILABLE,
    BANDIT,
    BELIEF_AT,
    BELIEF_END,
    DMCTS,
    DONE,
    DROPPED,
    EARLY_STOP,
    EDGES,
    ITERATIONS,
    LOW,
    MCTS,
    MIXED,
    MOM,
    MOMENT,
    MOMENT_END,
    NODES,
    NODES_ALLOWED,
    NOISE,
    PLAYERS,
    POLICY_END,
    POM,
    PUCT,
    REGRET,
    SCALE,
    SECONDS,
    SELECTION,
    TECHNIQUE,
    TOGETHER,
    TOGETHER_C,
    TOTAL,
    TREES,
    VALUES,
    VIEW,
    VISITS,
    WEIGHT,
    C,
)
from bidarena.baselines.search.stubs import judge, plausible, playout, priors
from bidarena.baselines.search.tree import (
    ACTION,
    CHANCES,
    COUNT,
    EDGE_SIZE,
    MOST_NODES,
    PLAN,
    PRIOR,
    SQUARES,
    SUM,
    USED_EDGES,
    USED_NODES,
    Edges,
    Table,
    Used,
    add_edge,
    edge_count,
    exists,
    find,
    first_edge,
    is_alone,
    mark_alone,
    row_of,
)
from bidarena.envs.bits import count, nth
from bidarena.envs.compile import apart, borrow, keep, seconds
from bidarena.envs.game import (
    Cfg,
    Mask,
    Params,
    Rng,
    State,
    determinize,
    legal,
    returns,
    step,
    to_move,
    withdraw,
)
from bidarena.envs.rng import WORDS, below, uniform

DEEPEST = 512  # most decisions of one iteration that can be in the tree
LOOK = 3  # bit mask: the clock is read at every fourth iteration
TRIES = 16  # most guesses that are drawn until the belief accepts one
TRIAL = 100.0  # visits after which `early_stop` judges a move
HOPELESS = 90.0  # lost visits among these with which the move is dropped

_BASIS = np.uint64(0xA0761D6478BD642F)


@apart
def explore(
    cfg: Cfg,
    params: Params,
    asked: State,
    player: int,
    rng: Rng,
    actions: int,
    table: Table,
    edges: Edges,
    used: Used,
    began: float,
    out: NDArray[np.float64],
    report: NDArray[np.int64],
) -> None:
    """Search for the best move of `player` in the state `asked`.

    Writes what was found into `out` and `report`, whose entries layout.py names. The tree grows in
    `table`, `edges` and `used`; with `MCTS` these may hold the tree of an earlier search. `began`
    is the time at which the clock of this move was started.
    """
    cfg, params, rng = borrow(cfg), borrow(params), borrow(rng)
    table, edges, used, out = borrow(table), borrow(edges), borrow(used), borrow(out)
    technique, players = int(params[TECHNIQUE]), int(params[PLAYERS])
    moment, moment_end = int(params[MOMENT]), int(params[MOMENT_END])
    belief = params[int(params[BELIEF_AT]) : int(params[BELIEF_END])]
    own = params[int(params[POLICY_END]) :]  # the params of the playout bot
    sides = params[int(params[BELIEF_END]) : int(params[BELIEF_END]) + players]
    policy = params[int(params[BELIEF_END]) + players : int(params[POLICY_END])]
    judging, dropping = params[VALUES] != 0.0, params[EARLY_STOP] != 0.0
    usual_rule, usual_c = int(params[SELECTION]), params[C]
    together_rule, together_c = int(params[TOGETHER]), params[TOGETHER_C]
    low, scale = params[LOW], params[SCALE]
    trees = int(params[TREES]) if technique == DMCTS else 1
    all_seen = technique in (MCTS, DMCTS)  # one key for all players, that of the state
    first_viewer = 0 if technique == MOM else player
    last_viewer = players if technique == MOM else player + 1
    groups = players if technique == MOM else 1  # an iteration adds a move for each of them

    size = len(asked)
    made = (
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty((trees, size), np.int64),
        np.empty(int(params[VIEW]), np.float32),
        np.empty(players),
        np.empty((2, players), np.uint64),
        np.empty((2, players), np.int64),
        np.empty((4, DEEPEST), np.int64),
        np.empty((2, DEEPEST)),
        np.zeros(actions),
        np.empty(moment_end - moment, np.int64),
        np.empty((2, actions)),
        np.zeros((actions + 7) // 8, np.int64),
        np.empty(WORDS, np.uint64),
    )
    start, state, guesses, view = borrow(made[0]), borrow(made[1]), borrow(made[2]), borrow(made[3])
    results, losses = borrow(made[4]), borrow(made[9])
    probabilities, usuals = borrow(made[8])[0], borrow(made[8])[1]
    chances, luck = borrow(made[11])[0], borrow(made[11])[1]  # priors, and noise among them
    before = borrow(made[10])  # the part of the state that names the moment, before a step
    # by player: the key from the beginning of the moment, which finds nodes, and the key that is
    # made meanwhile for the next moment
    keys, coming = borrow(made[5])[0], borrow(made[5])[1]
    # by group: has it grown in this iteration, at an earlier moment or at the present one?
    closed, growing = borrow(made[6])[0], borrow(made[6])[1]
    way = borrow(made[7])
    way_edges, way_firsts, way_movers, way_regrets = way[0], way[1], way[2], way[3]
    eights = borrow(made[12])  # the mask, eight bytes at a time
    mask = eights.view(np.int8)[:actions]
    lent, rng = rng, borrow(made[13])  # threads must not write to words that lie side by side
    for i in range(WORDS):
        rng[i] = lent[i]

    used[MOST_NODES] = int(params[NODES_ALLOWED])
    copy(asked, start)
    withdraw(cfg, start)
    position = state_key(start, mix(_BASIS, np.uint64(0)))

    timed = params[SECONDS] >= 0.0
    limit = int(params[ITERATIONS])
    done = 0
    while done < limit:
        # The limit is read anew each time: `Thinker` lowers it to stop a search.
        if timed and (done & LOOK) == 0 and seconds() >= began + params[SECONDS]:
            break
        tree = done % trees
        guess = guesses[tree] if technique == DMCTS else state
        if technique != DMCTS or done < trees:
            guess_hidden(cfg, belief, start, player, rng, guess)
        if technique == DMCTS:
            copy(guess, state)
        root_key = position if technique == MCTS else mix(_BASIS, np.uint64(tree))
        root = node_key(root_key, player)
        for i in range(players):
            keys[i], coming[i] = root_key, root_key
            closed[i], growing[i] = 0, 0
        open_groups, depth, committed = groups, 0, 0
        root_edge = -1
        judged_for = -1  # the player for whom the position was judged at which the tree ends
        while True:
            mover = to_move(cfg, state)
            if mover < 0:
                break
            if judging and open_groups == 0:
                judged_for = mover
                break
            action, node = -1, -1
            group = mover if technique == MOM else 0
            has_node = technique not in (POM, BANDIT) or mover == player
            if open_groups > 0 and has_node and closed[group] == 0 and depth < DEEPEST:
                key = node_key(keys[mover if technique == MOM else player], mover)
                node = find(table, key)
                at_root = mover == player and key == root
                legal(cfg, state, mask)
                if at_root and dropping:
                    for i in range(actions):
                        if out[i, DROPPED] != 0.0:
                            mask[i] = 0
                together = moment < moment_end and not is_alone(table, node)
                chosen_rule = together_rule if together else usual_rule
                c = together_c if together else usual_c
                first = first_edge(table, node)
                last = first + edge_count(table, node)
                probability, usual = 0.0, -1.0
                if chosen_rule == PUCT:
                    fresh = last == first
                    if _lacks_edges(edges, first, last, mask):
                        priors(cfg, policy, state, mover, mask, chances)
                        if at_root and params[NOISE] > 0.0:
                            _disturb(params[NOISE], rng, mask, chances, luck)
                        _add_edges(table, edges, used, node, key, mask, chances)
                    if fresh:
                        growing[group] = 1
                        if judging and groups == 1 and committed == 0 and depth > 0:
                            judged_for = mover
                            break
                    first = first_edge(table, node)
                    edge = select_puct(edges, first, first + edge_count(table, node), mask, c)
                else:
                    if chosen_rule == REGRET:
                        edge, probability, usual = select_regret(edges, first, last, mask, c, rng)
                    else:
                        edge = select(edges, first, last, mask, chosen_rule, c, rng)
                    untried = pick_eights(rng, eights)
                    if untried >= 0:
                        grown = add_edge(table, edges, used, node, key, untried)
                        if grown >= 0:
                            edge, probability = grown, 0.0
                            growing[group] = 1
                if edge >= 0:
                    action = int(edges[row_of(edge) + ACTION])
                    way_edges[depth], way_firsts[depth] = edge, first
                    way_movers[depth] = mover
                    way_regrets[depth] = chosen_rule == REGRET
                    probabilities[depth], usuals[depth] = probability, usual
                    depth += 1
                    if at_root:
                        root_edge = edge
                else:  # the tree is full
                    growing[group] = 1
            if action < 0:
                action = playout(cfg, own, state, mover, rng, mask)
            if open_groups > 0:
                for i in range(moment, moment_end):
                    before[i - moment] = state[i]
            step(cfg, state, action, rng)
            if open_groups == 0:
                continue
            passed = moment == moment_end
            for i in range(moment, moment_end):
                passed = passed or state[i] != before[i - moment]
            coming[mover] = mix(coming[mover], np.uint64(action + 1))
            committed += 1
            if not passed:
                continue

            # --- a moment has passed
            if committed == 1 and node >= 0 and moment < moment_end and exists(table, node):
                mark_alone(table, node)
            committed = 0
            if technique == BANDIT and root_edge >= 0:
                growing[0] = 1
            for i in range(groups):
                if growing[i] != 0:
                    growing[i], closed[i] = 0, 1
                    open_groups -= 1
            if open_groups > 0:
                if all_seen:
                    keys[player] = state_key(state, mix(_BASIS, np.uint64(tree)))
                else:
                    for i in range(first_viewer, last_viewer):
                        if closed[i] == 0:  # else no more nodes of this player will be found
                            coming[i] = mix(coming[i], seen(cfg, state, i, view))
                            keys[i] = coming[i]

        if judged_for >= 0:
            expected = judge(cfg, policy, state, judged_for)
            for i in range(players):
                results[i] = expected if sides[i] == sides[judged_for] else -expected
        else:
            returns(cfg, state, results)
        for i in range(depth):
            edge = way_edges[i]
            row = row_of(edge)
            result = (results[way_movers[i]] - low) * scale
            if way_regrets[i] != 0:
                if probabilities[i] > 0.0:
                    learn_regret(edges, way_firsts[i], edge, probabilities[i], usuals[i], result)
            else:
                edges[row + SQUARES] += result * result
            edges[row + COUNT] += 1.0
            edges[row + SUM] += result
        if dropping and root_edge >= 0:
            _judge(edges, np.uint64(EDGE_SIZE * root_edge), results, player, losses, out)
        done += 1

    alone = False
    for i in range(actions):
        out[i, AVAILABLE] = 0.0
    for tree in range(trees):
        root_key = position if technique == MCTS else mix(_BASIS, np.uint64(tree))
        alone = _collect(table, edges, node_key(root_key, player), out)
    report[MIXED] = 0 if alone or moment == moment_end else 1
    report[DONE] = done
    report[NODES], report[EDGES] = used[USED_NODES], used[USED_EDGES]
    for i in range(WORDS):
        lent[i] = rng[i]
    keep(made)


def guess_hidden(
    cfg: Cfg, belief: Params, start: State, player: int, rng: Rng, state: State
) -> None:
    """Write a guess of the hidden parts of `start` into `state`.

    Draws guesses until the belief accepts one, at most `TRIES`; then it takes the last one.
    """
    for _ in range(TRIES):
        copy(start, state)
        determinize(cfg, state, player, rng)
        if len(belief) == 0 or uniform(rng) < plausible(cfg, belief, state, player):
            break


def copy(source: State, target: State) -> None:
    """Copy a state into another array."""
    for i in range(len(source)):
        target[i] = source[i]


def pick_eights(rng: Rng, eights: NDArray[np.int64]) -> int:
    """Return what `pick` returns for a mask of which each number holds eight bytes, but faster."""
    total = 0
    for i in range(len(eights)):
        total += count(eights[i])
    if total == 0:
        return -1
    left = below(rng, total)
    for i in range(len(eights)):
        here = count(eights[i])
        if left < here:
            return 8 * i + (nth(eights[i], left) >> 3)
        left -= here
    return -1


def _lacks_edges(edges: Edges, first: int, end: int, mask: Mask) -> bool:
    """Return whether some action in `mask` has no edge."""
    wanted = 0
    for i in range(len(mask)):
        wanted += mask[i]
    for edge in range(first, end):
        wanted -= mask[int(edges[row_of(edge) + ACTION])]
    return wanted > 0


@apart
def _add_edges(
    table: Table,
    edges: Edges,
    used: Used,
    node: int,
    key: Key,
    mask: Mask,
    chances: NDArray[np.float64],
) -> None:
    """Add an edge for every action in `mask` that has none, with its prior, while there is room."""
    for edge in range(first_edge(table, node), first_edge(table, node) + edge_count(table, node)):
        chances[int(edges[row_of(edge) + ACTION])] = -1.0  # has an edge
    for action in range(len(mask)):
        if mask[action] and chances[action] >= 0.0:
            edge = add_edge(table, edges, used, node, key, action)
            if edge < 0:
                return
            edges[row_of(edge) + CHANCES] = 0.0
            edges[row_of(edge) + PRIOR] = chances[action]


@apart
def _disturb(
    share: float,
    rng: Rng,
    mask: Mask,
    chances: NDArray[np.float64],
    luck: NDArray[np.float64],
) -> None:
    """Replace a share of the priors by random ones."""
    noise(rng, luck)
    total, drawn = 0.0, 0.0
    for i in range(len(mask)):
        if mask[i]:
            total += chances[i]
            drawn += luck[i]
    for i in range(len(mask)):
        if mask[i]:
            chances[i] = (1.0 - share) * chances[i] / max(total, 1e-9)
            chances[i] += share * luck[i] / max(drawn, 1e-300)


@apart
def _judge(
    edges: Edges,
    row: Any,
    results: NDArray[np.float64],
    player: int,
    losses: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Drop the move of an edge if it lost most of its first visits, unless no other is left.

    `row` is the index of the first number of the edge.
    """
    action = int(edges[row + ACTION])
    for i in range(len(results)):
        if results[i] > results[player]:
            losses[action] += 1.0
            break
    if edges[row + COUNT] == TRIAL and losses[action] >= HOPELESS:
        left = 0
        for i in range(len(out)):
            left += out[i, DROPPED] == 0.0 and out[i, AVAILABLE] != 0.0
        if left > 1:
            out[action, DROPPED] = 1.0


@apart
def _collect(table: Table, edges: Edges, root: Key, out: NDArray[np.float64]) -> bool:
    """Add the edges of a root to `out`.

    Returns whether the searching player decides alone at the root.
    """
    node = find(table, root)
    first = first_edge(table, node)
    for edge in range(first, first + edge_count(table, node)):
        row = row_of(edge)
        action = int(edges[row + ACTION])
        out[action, VISITS] += edges[row + COUNT]
        out[action, AVAILABLE] += edges[row + CHANCES]
        out[action, TOTAL] += edges[row + SUM]
        out[action, WEIGHT] += edges[row + PLAN]
    return is_alone(table, node)
