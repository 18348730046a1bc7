"""Solve a small game with hidden information in plain Python: all histories, one dense program.

It shares nothing with the solvers of the package but the rules of the game. What a player knows is
kept as it is, the bytes of all observations and the own actions, without numbers or hashes.
"""

import numpy as np
from scipy.optimize import linprog

from bidarena.envs.outcomes import outcomes


def sequence_value(game):
    """Return the value to player 0 of a game of two players whose results add to 0."""
    ends, sets = {}, ({}, {})
    for weight, state in outcomes(game):
        _follow(game, state, weight, ((), ()), ((), ()), ends, sets)
    sequences = [{(): 0} for _ in range(2)]
    for player in range(2):
        for (_, _), (_, choices) in sorted(sets[player].items(), key=lambda kv: len(kv[0][1])):
            for choice in choices:
                sequences[player][choice] = len(sequences[player])
    first, second = sequences
    payoff = np.zeros((len(first), len(second)))
    for (one, two), gain in ends.items():
        payoff[first[one], second[two]] += gain
    constraints = [_constraints(sets[player], sequences[player]) for player in range(2)]
    (own, ones), (theirs, their_ones) = constraints
    # maximise what the second player's dual variables promise: payoff' x >= theirs' v
    rows, duals = len(first), len(their_ones)
    found = linprog(
        np.r_[np.zeros(rows), -their_ones],
        A_ub=np.c_[-payoff.T, theirs.T],
        b_ub=np.zeros(len(second)),
        A_eq=np.c_[own, np.zeros((len(ones), duals))],
        b_eq=ones,
        bounds=[(0, None)] * rows + [(None, None)] * duals,
        method="highs",
    )
    assert found.success
    return -found.fun


def _constraints(sets, sequences):
    """Return E and e of E x = e: the empty sequence is 1, each set adds up to the one before."""
    matrix = np.zeros((1 + len(sets), len(sequences)))
    matrix[0, 0] = 1.0
    for row, (before, choices) in enumerate(sets.values(), 1):
        matrix[row, sequences[before]] = -1.0
        for choice in choices:
            matrix[row, sequences[choice]] = 1.0
    right = np.zeros(1 + len(sets))
    right[0] = 1.0
    return matrix, right


def _follow(game, state, weight, seen, done, ends, sets):
    """Walk through all histories after a state.

    Args:
        game: the game.
        state: where the history stands.
        weight: the probability of chance on the way.
        seen: for each player what was observed and done so far.
        done: for each player the sequence of (what was known, action).
        ends: gains of player 0 by the sequences of both players.
        sets: for each player the information sets: the sequence before, and those that follow.
    """
    mover = int(game.call("to_move")(game.cfg, state))
    if mover < 0:
        out = np.zeros(2)
        game.call("returns")(game.cfg, state, out)
        assert out.sum() == 0.0
        ends[done] = ends.get(done, 0.0) + weight * out[0]
        return
    known = []
    for player in range(2):
        view = np.zeros(game.observation_size, np.float32)
        game.call("observe")(game.cfg, state, player, view)
        told = (view + np.float32(0.0)).tobytes()
        last = [each for each in seen[player] if isinstance(each, bytes)][-1:]
        known.append(seen[player] if last == [told] else (*seen[player], told))
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, state, mask)
    actions = np.flatnonzero(mask).tolist()
    here, before = known[mover], done[mover]
    choices = [(*before, (here, action)) for action in actions]
    assert sets[mover].setdefault((here, before), (before, choices)) == (before, choices)
    for action, choice in zip(actions, choices, strict=True):
        later_seen, later_done = list(known), list(done)
        later_seen[mover] = (*here, action)
        later_done[mover] = choice
        for chance, after in outcomes(game, state, action):
            _follow(game, after, weight * chance, tuple(later_seen), tuple(later_done), ends, sets)
