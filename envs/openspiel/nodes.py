"""The nodes of a game's tree as OpenSpiel wants them: who chooses, among what, and who knows what.

A `Line` is the way from the deal to a settled state, one in which no chance is left to be drawn. A
`Draw` is a chance node that follows a settled state. Both never change, so that copies of a state
share them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bidarena.envs.game import Game, Observation, Rng, State
from bidarena.envs.openspiel.chance import Chances, Told, next_chances, run
from bidarena.envs.phrases import legal_actions, mover_of

Moves = tuple[tuple[int, int], ...]  # (player, action) in the order in which the players move

_known: dict[bytes, Game] = {}  # games of lines that were unpickled, by `Game.key`


class _Shared:
    """An object that never changes: its copies are the object itself."""

    def __deepcopy__(self, memo: Any) -> Any:
        return self


class Choice(NamedTuple):
    """What one player may choose in a node."""

    player: int
    state: State  # in which this player is to move
    actions: list[int]


class Step(_Shared):
    """A settled state, and the moves that led to it from the one before.

    Args:
        game: the game.
        state: the state.
        moves: none after the deal.
    """

    def __init__(self, game: Game, state: State, moves: Moves) -> None:
        self.game = game
        self.state = state
        self.moves = moves
        self._views: dict[int, Observation] = {}
        self._texts: dict[int, str] = {}

    @cached_property
    def choices(self) -> dict[int, Choice]:
        """What each player chooses who chooses now, by player; none if the game is over.

        Several players choose while the part of the state that `Game.simultaneous` names keeps its
        value. What they may choose does not depend on the moves of the others.
        """
        game, state = self.game, self.state
        moment = slice(0, 0) if game.simultaneous is None else game.state[game.simultaneous]
        found: dict[int, Choice] = {}
        while (mover := mover_of(game, state)) >= 0 and mover not in found:
            found[mover] = Choice(mover, state, legal_actions(game, state))
            if game.simultaneous is None:
                break
            state = run(game, state, (found[mover].actions[0],), ()).state
            if not np.array_equal(state[moment], self.state[moment]):
                break
        return found

    def view(self, player: int) -> Observation:
        """Return what a player sees in this state."""
        if player not in self._views:
            view = np.zeros(self.game.observation_size, np.float32)
            self.game.call("observe")(self.game.cfg, self.state, player, view)
            self._views[player] = view + np.float32(0.0)  # one zero only: -0.0 looks like 0.0
        return self._views[player]

    def text(self, player: int) -> str:
        """Return what a player sees in this state as text; different views differ in it."""
        if player not in self._texts:
            values = [f"{value:.9g}" for value in self.view(player).tolist()]
            self._texts[player] = " ".join(
                f"{name}={','.join(values[part])}" for name, part in self.game.observation.items()
            )
        return self._texts[player]


class Line(_Shared):
    """The way from the deal to a settled state, step by step.

    Args:
        game: the game.
        steps: all settled states so far.
        most: a chance node has at most so many outcomes, see `Draw`.
        guess: (player, step): from this step on the states are a guess of what is hidden from that
            player; what others saw before it is not known. None: all is as it was.
    """

    def __init__(
        self,
        game: Game,
        steps: tuple[Step, ...],
        most: int,
        guess: tuple[int, int] | None = None,
    ) -> None:
        self.game, self.steps, self.most, self.guess = game, steps, most, guess

    def __reduce__(self) -> Any:
        steps = [(step.state, step.moves) for step in self.steps]
        return _line, (self.game, steps, self.most, self.guess)

    @property
    def last(self) -> Step | None:
        """The settled state at the end; None before the deal."""
        return self.steps[-1] if self.steps else None

    def known(self, player: int) -> Iterator[tuple[Step, int]]:
        """Yield what a player knows: each view with the action that the player took on it, or -1.

        A view is new when it differs from the last one or the player has moved since. So the player
        cannot count moves of others that cannot be seen.
        """
        shown: Step | None = None
        begin = 0 if self.guess is None or self.guess[0] == player else self.guess[1]
        for step in self.steps[begin:]:
            action = next((action for mover, action in step.moves if mover == player), -1)
            if shown is None:
                shown = step
            elif action >= 0 or not np.array_equal(shown.view(player), step.view(player)):
                yield shown, action
                shown = step
        if shown is not None:
            yield shown, -1

    def guessed(self, player: int, rng: Rng) -> Line:
        """Return the line with what a player cannot know replaced by a random guess that fits.

        The player knows the same as before. Of the others it is forgotten what they saw on the way,
        which would give away what is hidden.
        """
        assert self.last is not None, "nothing is dealt"
        state = self.last.state.copy()
        self.game.call("determinize")(self.game.cfg, state, player, rng)
        steps = (*self.steps[:-1], Step(self.game, state, self.last.moves))
        return Line(self.game, steps, self.most, (player, len(steps) - 1))

    def after(self, moves: Moves, told: Told) -> Line | Draw:
        """Return what follows moves with told outcomes of chance: a settled state, or a draw.

        Args:
            moves: of the players who choose now; none: the game is dealt.
            told: the outcomes of chance so far.
        """
        before = None if self.last is None else self.last.state
        actions = tuple(action for _, action in moves)
        went = run(self.game, before, actions, told)
        if not went.outcomes:
            steps = (*self.steps, Step(self.game, went.state, moves))
            return Line(self.game, steps, self.most, self.guess)
        chances = None if went.even else next_chances(self.game, before, actions, told, went)
        return Draw(self, moves, told, (0, went.outcomes), chances)


def _line(
    game: Game, steps: list[tuple[State, Moves]], most: int, guess: tuple[int, int] | None
) -> Line:
    """Return a line that was pickled. Lines of one game share the record, and what is compiled."""
    game = _known.setdefault(game.key, game)
    return Line(game, tuple(Step(game, state, moves) for state, moves in steps), most, guess)


class Draw(_Shared):
    """A chance node: one of the outcomes of a draw is to be chosen.

    A draw with more than `Line.most` outcomes is made in several nodes, the first of which choose
    among ranges of outcomes.

    Args:
        line: the way to the settled state before it.
        moves: the moves since then.
        told: the outcomes of the draws since then.
        among: the outcomes that can still be chosen, (first, last + 1).
        chances: the probability of each outcome of the draw; None: all are equally likely.
    """

    def __init__(
        self, line: Line, moves: Moves, told: Told, among: tuple[int, int], chances: Chances | None
    ) -> None:
        self.line, self.moves, self.told = line, moves, told
        self.among, self.chances = among, chances

    @property
    def _parts(self) -> list[tuple[int, int]]:
        """What the outcomes of this node stand for: outcomes of the draw, (first, last + 1)."""
        begin, end = self.among
        size = 1
        while size * self.line.most < end - begin:
            size *= self.line.most
        return [(first, min(first + size, end)) for first in range(begin, end, size)]

    @property
    def outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of this node, numbered from 0, with their probabilities."""
        weights = [
            float(last - first if self.chances is None else self.chances[first:last].sum())
            for first, last in self._parts
        ]
        total = sum(weights)
        return [(number, weight / total) for number, weight in enumerate(weights)]

    def chosen(self, outcome: int) -> Line | Draw:
        """Return what follows an outcome: a settled state, or the next draw."""
        first, last = self._parts[outcome]
        if last - first > 1:
            return Draw(self.line, self.moves, self.told, (first, last), self.chances)
        return self.line.after(self.moves, (*self.told, first))
