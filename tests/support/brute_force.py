"""Solve simultaneous games by linear programs and plain recursion: slow, but independent.

Values are what player 0 wins. What chance can do is found by repeating a step with many generators;
all different results count as equally likely, which is true for distinct items and for one coin.
"""

import numpy as np
from scipy.optimize import linprog

RNGS = [np.random.default_rng(k).integers(1, 2**64, 2, dtype=np.uint64) for k in range(24)]


def equilibrium(matrix):
    """Return an optimal strategy of the row player and the value of a matrix game, by HiGHS."""
    m, n = matrix.shape
    found = linprog(
        np.r_[np.zeros(m), -1.0],
        A_ub=np.c_[-matrix.T, np.ones(n)],
        b_ub=np.zeros(n),
        A_eq=[[1.0] * m + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
        method="highs",
    )
    assert found.success
    return found.x[:m], -found.fun


def matrix_value(matrix):
    """Return the value of a matrix game; a single row or column needs no linear program."""
    if matrix.shape[0] == 1:
        return matrix.min()
    if matrix.shape[1] == 1:
        return matrix.max()
    return equilibrium(matrix)[1]


class Tree:
    """All positions of a small game, from its starts on.

    Args:
        game: the game.
        forget: names of parts of the state that do not matter for what follows.
    """

    def __init__(self, game, forget=()):
        self.game, self.known = game, {}
        self.call = {name: game.call(name) for name in ("to_move", "legal", "step", "returns")}
        self.kept = np.ones(game.state_size, bool)
        for part in forget:
            self.kept[game.state[part]] = False

    def legal(self, state):
        mask = np.zeros(self.game.actions, np.int8)
        self.call["legal"](self.game.cfg, state, mask)
        return np.flatnonzero(mask).tolist()

    def after(self, state, action):
        """Return the different states that an action may lead to."""
        found = {}
        for rng in RNGS:
            copy = state.copy()
            self.call["step"](self.game.cfg, copy, action, rng.copy())
            found[tuple(copy[self.kept].tolist())] = copy
        return list(found.values())

    def starts(self):
        found = {}
        for rng in RNGS:
            state = self.game.new_state(rng.copy())
            found[tuple(state.tolist())] = state
        return list(found.values())

    def result(self, state):
        if self.call["to_move"](self.game.cfg, state) >= 0:
            return None
        out = np.zeros(2)
        self.call["returns"](self.game.cfg, state, out)
        return float(out[0])

    def value(self, state, first=None, second=None):
        """Return the value of a state with perfect play, or with the best response to a given law.

        A law is a function (state, player) -> probabilities, see `law_of`. `first` is that of
        player 0, `second` that of player 1; at most one may be given.
        """
        result = self.result(state)
        if result is not None:
            return result
        key = tuple(state[self.kept].tolist())
        if key not in self.known:
            self.known[key] = self._value(state, first, second)
        return self.known[key]

    def _value(self, state, first, second):
        own = self.legal(state)
        rows = []
        for action in own:
            (committed,) = self.after(state, action)
            replies = self.legal(committed)
            row = []
            for reply in replies:
                ends = self.after(committed, reply)
                row.append(np.mean([self.value(end, first, second) for end in ends]))
            rows.append(row)
        matrix = np.array(rows)
        if first is None and second is None:
            return matrix_value(matrix)
        if second is not None:
            law = second(committed, 1)[replies]
            return float((matrix @ law).max())
        return float((first(state, 0)[own] @ matrix).min())


def law_of(game, bot):
    """Return the law of a compiled bot: a function (state, player) -> probabilities."""
    ask = game.compiled(bot.distribution or bot.act)

    def law(state, player):
        out, scratch = np.zeros(game.actions), np.zeros(game.actions, np.int8)
        if bot.distribution is not None:
            ask(game.cfg, bot.params, state, player, scratch, out)
        else:
            assert bot.deterministic
            out[ask(game.cfg, bot.params, state, player, RNGS[0].copy(), scratch)] = 1.0
        return out

    return law
