"""One learner among opponents, in a batch: what the single, vector and SB3 interfaces share.

A compiled loop (loop.py) plays each row from one decision of the learner to the next. If a single
compiled bot plays all other seats, it plays inside that loop. Other opponents (several bots, a
Python callable, a network) are asked between two passes of the loop: each in turn, for all rows
that wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from bidarena.envs.arguments import choice, whole
from bidarena.envs.batch import (
    as_actions,
    ask_bot,
    ask_policy,
    check_generators,
    forfeits,
)
from bidarena.envs.game import Game
from bidarena.envs.loop import (
    ALTERNATE_SEAT,
    ANSWER,
    DEAL,
    EPISODE,
    FOR_DEAL,
    FOR_LEARNER,
    FOR_OPPONENT,
    FOR_RESET,
    LINEUP,
    MOST_REDEALS,
    MOVE,
    OPPONENT_ILLEGAL,
    OUTSIDE,
    RANDOM_SEAT,
    REDEALS,
    SEAT,
    STUCK,
    WAITING,
    movers_of,
    run_rows,
    show_rows,
)
from bidarena.envs.registry import Bot, make_bot
from bidarena.envs.rng import WORDS
from bidarena.envs.rows.seeding import seed_rows
from bidarena.envs.rows.spares import Spares
from bidarena.envs.rows.threads import Threads

Policy = Callable[[Any, Any], Any]  # (observation, mask) -> action
Opponent = str | Bot | Policy
F = TypeVar("F", bound=Policy)

Arrays = tuple[NDArray[Any], ...]
# Observations, masks, rewards and flags of all rows, as the attributes of `LearnerBatch`.
Copies = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]

_ROW_ARRAYS = (
    *("states", "rngs", "meta", "observations", "masks", "rewards", "flags"),
    *("final_observations", "actions"),
)

_BOUND = ("_run", "_before", "_after", "_args", "_spares")  # made by `_bind`, and not pickled

SELF = "self"  # in place of a bot's name: the learner plays the partner's seat too


def batched(policy: F) -> F:
    """Mark a policy that takes arrays of observations and masks, a row per game; return it.

    It returns one action per row. A callable without this mark is called for one row at a time.
    """
    policy.batched = True  # type: ignore[attr-defined]
    return policy


class LearnerBatch:
    """Many games side by side, in each of which the learner has one seat.

    Args:
        game: the game to play.
        rows: the number of games.
        opponents: for each seat after the learner's, in order: a bot, its name, a callable, or a
            list of these of which one is drawn per game; `SELF` for a partner's seat.
        seat: the learner's seat: a number, "random" or "alternate".
        illegal_action: "lose" or "raise", as for `SoloEnv`.
        autoreset: whether the next game is dealt in the step in which a game ends.
        threads: how many threads share the rows; the results do not depend on it.

    Attributes (valid until the next step):
        observations: (rows, observation_size) float32, of the learner.
        masks: (rows, actions) int8, of the learner.
        rewards: (rows,) float64.
        flags: (4, rows) bools: TERMINATED, TRUNCATED, ILLEGAL, OPPONENT_ILLEGAL (loop.py).
        final_observations: (rows, observation_size) the last ones of games that ended in this step;
            written only with `autoreset`.
        meta: (rows, ...) int64, what the loop keeps about each row (loop.py).
        states, rngs: as for `Batch`.
    """

    def __init__(
        self,
        game: Game,
        rows: int,
        *,
        opponents: Sequence[Opponent | Sequence[Opponent]],
        seat: int | str = "random",
        illegal_action: str = "lose",
        autoreset: bool = False,
        threads: int = 1,
    ) -> None:
        self.game = game
        self.rows = whole("num_envs", rows, 1, 2**31 - 1)
        self.threads = Threads(whole("threads", threads, 1, 256))
        self.raise_illegal = choice("illegal_action", illegal_action, ("lose", "raise")) == 1
        self._seat = _seat_rule(seat, game.players)
        self._autoreset = autoreset
        self._broken = False  # True after an opponent has failed in the middle of a step
        self._elsewhere = False  # True if the last step wrote its observations to copies only

        self._seat_opponents(opponents)
        others = game.players - 1
        self.states = np.zeros((rows, game.state_size), np.int64)
        self.rngs = np.zeros((rows, 2 * WORDS), np.uint64)
        self.meta = np.zeros((rows, LINEUP + others), np.int64)
        self.observations = np.zeros((rows, game.observation_size), np.float32)
        self.final_observations = np.zeros_like(self.observations)
        self.masks = np.ones((rows, game.actions), np.int8)
        self.rewards = np.zeros(rows, np.float64)
        self.flags = np.zeros((4, rows), np.bool_)
        self.actions = np.zeros(rows, np.int64)
        self._forfeits = forfeits(game)
        self.meta[:, WAITING] = FOR_RESET
        self._bind()

    def _seat_opponents(self, opponents: Sequence[Opponent | Sequence[Opponent]]) -> None:
        """Set who plays the other seats; `_bind` must follow."""
        self.candidates, self._lineups = _resolve(self.game, opponents)
        only = self.candidates[0] if len(self.candidates) == 1 else None
        # The bot that is compiled into the loop, or OUTSIDE if opponents are asked between passes.
        self._inside = only if isinstance(only, Bot) and only.outside is None else OUTSIDE
        self._own = np.array([True, *(lineup == [] for lineup in self._lineups)])
        self._sizes = np.array([len(lineup) for lineup in self._lineups], np.int64)

    def change_opponents(self, opponents: Sequence[Opponent | Sequence[Opponent]]) -> None:
        """Replace the opponents from the next move on, also in games that have begun.

        The seats that the learner plays stay as they are. In a game that has begun, the candidate
        at index k of a seat is followed by the new candidate at index k, modulo their number.
        """
        own = self._own
        self._seat_opponents(opponents)
        if (own != self._own).any():
            raise ValueError(f"opponents={opponents!r}: the learner's own seats cannot change")
        self.meta[:, LINEUP:] %= np.maximum(self._sizes, 1)
        self._bind()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays that make up the rows, by name and not copied, for `restore`."""
        return {name: getattr(self, name) for name in _ROW_ARRAYS}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Copy `arrays` of a batch of the same shape into this one, which goes on from there."""
        for name, kept in self.arrays().items():
            if arrays[name].shape != kept.shape:
                raise ValueError(f"{name}: expected shape {kept.shape}, got {arrays[name].shape}")
            if not np.can_cast(arrays[name].dtype, kept.dtype, "same_kind"):
                raise ValueError(f"{name}: expected {kept.dtype}, got {arrays[name].dtype}")
        check_generators(arrays["rngs"])
        for name, kept in self.arrays().items():
            kept[...] = arrays[name]
        self._broken = self._elsewhere = False

    def _bind(self) -> None:
        """Get the compiled loop, and collect the arguments that never change."""
        self._run = self.game.compiled(run_rows, **self._inside.stubs)
        rules = (self.game.cfg, self._inside.params, self._sizes, self._own, self._forfeits)
        self._before: tuple[Any, ...] = (*rules, self.states, self.rngs, self.meta)
        self._after: tuple[Any, ...] = (
            *(self.masks, self.rewards, self.flags),
            *(self.final_observations, self.masks.reshape(-1)),
        )
        nowhere = (np.empty(0, np.int8), np.empty(0), np.empty((0, 0), np.bool_))
        last = (self._seat, self._autoreset)
        self._args = (*self._before, self.observations, *self._after, *nowhere, *last)
        self._spares = [Spares(array) for array in self._shown()]

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in _BOUND}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays that grow with the number of rows."""
        games = (self.states, self.rngs, self.meta, self.actions)
        views = (self.observations, self.final_observations, self.masks, self.rewards, self.flags)
        return sum(array.nbytes for array in games + views)

    def seed(
        self,
        seed: Any,
        fallback: np.random.Generator,
        where: NDArray[np.bool_] | None = None,
    ) -> None:
        """Seed rows as `seed_rows` does; the games there do not depend on earlier ones."""
        fresh = seed_rows(self.rngs, seed, fallback, where)
        self.meta[fresh, EPISODE] = 0

    def new_copies(self) -> Copies:
        """Return arrays for copies of observations, masks, rewards and flags, for `step`.

        They are new, or nobody holds them any more.
        """
        observations, masks, rewards, flags = (spares.take() for spares in self._spares)
        return observations, masks, rewards, flags

    def _shown(self) -> Copies:
        return self.observations, self.masks, self.rewards, self.flags

    def reset(self, where: NDArray[np.bool_] | None = None) -> None:
        """Deal new games, in all rows or where `where` is True, and play up to the learner."""
        chosen = slice(None) if where is None else where
        self.meta[chosen, WAITING] = FOR_DEAL
        self.meta[chosen, REDEALS] = 0
        self._broken = self._broken and where is not None
        self._elsewhere = self._elsewhere and where is not None
        self._pass(DEAL, self.actions)

    def step(self, actions: ArrayLike, copies: Copies | None = None) -> None:
        """Apply the learner's actions and play on to the learner's next decisions.

        A row whose game is over ignores its action and is dealt a new game.

        Args:
            actions: one per row.
            copies: where to copy the observations, masks, rewards and flags; see `new_copies`. The
                attribute `observations` then holds older ones until `show` is called.
        """
        chosen = as_actions(actions, self.rows)
        if self._broken:
            raise ResetNeeded("an opponent failed in the last step: reset all rows before the next")
        if self.raise_illegal:
            self._refuse_illegal(chosen, self.meta[:, WAITING] == FOR_LEARNER, "action")
        self._elsewhere = copies is not None and self._inside is not OUTSIDE
        self._pass(MOVE, chosen, copies)

    def step_one(self, action: int) -> None:
        """Do what `step` does for a batch of one row, without its checks and conversions."""
        self.actions[0] = action if -(2**62) < action < 2**62 else -1
        if self.raise_illegal:
            self._refuse_illegal(self.actions, self.meta[:, WAITING] == FOR_LEARNER, "action")
        if self._run(*self._args, MOVE, self.actions, 0, 1):
            self._finish_answers()
        if self.raise_illegal:
            self._refuse_illegal_bot()

    def _pass(self, entry: int, actions: NDArray[np.int64], copies: Copies | None = None) -> None:
        """Run the loop over all rows until each waits for the learner or is over; then copy."""
        inside = self._inside is not OUTSIDE
        args = self._args
        if copies is not None and inside:  # everything is written to its place at once
            observations, masks, rewards, flags = copies
            shown = (masks.reshape(-1), rewards, flags)
            rules = (self._seat, self._autoreset)
            args = (*self._before, observations, *self._after, *shown, *rules)
        open_rows = self.threads.over(self.rows, self._run, *args, entry, actions)
        if open_rows:
            self._finish_answers()
        if copies is not None and not inside:
            self.threads.over(self.rows, _copy_rows, self._shown(), copies)
        if self.raise_illegal:
            self._refuse_illegal_bot()

    def show(self) -> None:
        """Bring `observations` up to date, after a step that wrote them to copies only."""
        if self._elsewhere:
            rows = (self.states, self.meta, self.flags, self.observations)
            self.threads.over(self.rows, self.game.compiled(show_rows), self.game.cfg, *rows)
            self._elsewhere = False

    def _finish_answers(self) -> None:
        """Ask the opponents outside of the loop until no row waits for one.

        If one fails, all rows have to be reset.
        """
        try:
            self._answer_all()
        except BaseException:
            self.meta[:, WAITING] = FOR_RESET  # half-played rows must not be played on
            self._broken = True
            raise

    def _answer_all(self) -> None:
        open_rows = self.rows
        while open_rows:
            waiting = self.meta[:, WAITING]
            if (waiting == STUCK).any():
                row = int(np.argmax(waiting == STUCK))
                raise RuntimeError(
                    f"row {row}: {MOST_REDEALS} games in a row ended before the learner in seat "
                    f"{self.meta[row, SEAT]} could move; choose another seat or board, or an "
                    "opponent whose first move is legal"
                )
            self._ask_opponents(waiting == FOR_OPPONENT)
            open_rows = self.threads.over(self.rows, self._run, *self._args, ANSWER, self.actions)

    def _ask_opponents(self, waiting: NDArray[np.bool_]) -> None:
        """Write the opponents' answers into `actions` in the waiting rows, bot by bot."""
        rows = np.flatnonzero(waiting)
        movers = self.game.compiled(movers_of)(self.game.cfg, self.states, rows)
        seats = (movers - self.meta[rows, SEAT]) % self.game.players - 1
        chosen = self.meta[rows, LINEUP + seats]
        table = np.full((len(self._lineups), self._sizes.max()), -1)  # -1: nobody is asked
        for seat, lineup in enumerate(self._lineups):
            table[seat, : len(lineup)] = lineup
        owner = table[seats, chosen]
        for index in np.unique(owner):
            mine = owner == index
            self._ask_one(self.candidates[index], rows[mine], movers[mine])
        if self.raise_illegal:
            self._refuse_illegal(self.actions, waiting, "the opponent's action")

    def _ask_one(
        self, opponent: Bot | Policy, rows: NDArray[np.int64], movers: NDArray[np.int64]
    ) -> None:
        """Write one opponent's answers into `actions` in `rows`."""
        if isinstance(opponent, Bot):
            where = (self.states, self.rngs, rows, movers, self.actions)
            ask_bot(self.game, opponent, *where, threads=self.threads)
            return
        self.actions[rows] = ask_policy(opponent, self.observations[rows], self.masks[rows])

    def _refuse_illegal(
        self, actions: NDArray[np.int64], rows: NDArray[np.bool_], whose: str
    ) -> None:
        """Raise ValueError if an action is illegal in one of `rows`, before it is played."""
        inside = (actions >= 0) & (actions < self.game.actions)
        allowed = self.masks[np.arange(self.rows), np.where(inside, actions, 0)] == 1
        wrong = np.flatnonzero(rows & ~(inside & allowed))
        if len(wrong):
            row = int(wrong[0])
            options = np.flatnonzero(self.masks[row]).tolist()
            raise ValueError(
                f"row {row}: {whose} {int(actions[row])} is illegal; legal actions are {options}"
            )

    def _refuse_illegal_bot(self) -> None:
        """Raise ValueError if the bot inside the loop has acted illegally in the last pass."""
        wrong = np.flatnonzero(self.flags[OPPONENT_ILLEGAL])
        if len(wrong):
            self.meta[:, WAITING] = FOR_RESET
            self._broken = True
            raise ValueError(f"row {wrong[0]}: {self._inside.name} took an illegal action")


def _copy_rows(arrays: Arrays, copies: Arrays, first: int, last: int) -> None:
    """Copy some rows of arrays, the last of which are the flags."""
    for array, target in zip(arrays[:-1], copies[:-1], strict=True):
        target[first:last] = array[first:last]
    copies[-1][:, first:last] = arrays[-1][:, first:last]


def _resolve(
    game: Game, opponents: Sequence[Opponent | Sequence[Opponent]]
) -> tuple[list[Bot | Policy], list[list[int]]]:
    """Return all different opponents, and for each other seat the indexes of its candidates.

    A seat that the learner plays too has no candidates.

    Raises:
        ValueError: their number or one of them does not fit the game.
    """
    if len(opponents) != game.players - 1:
        raise ValueError(
            f"opponents={opponents!r}: {game.name} has {game.players} players, "
            f"expected {game.players - 1} opponents, in the order they sit after the learner"
        )
    found: list[Bot | Policy] = []
    specs: list[Any] = []
    lineups: list[list[int]] = []
    for place, spec in enumerate(opponents, 1):
        if isinstance(spec, str) and spec == SELF:
            if place not in partner_places(game):
                raise ValueError(
                    f"opponents={opponents!r}: {SELF!r} is for a partner's seat, and the seat "
                    f"{place} after the learner's is an opponent's"
                )
            lineups.append([])
            continue
        several = list(spec) if isinstance(spec, list | tuple) else [spec]
        if not several:
            raise ValueError("opponent=[]: expected at least one opponent to draw from")
        lineup = []
        for one in several:
            # Equal names are one opponent; other objects are compared by identity, because a
            # policy need not be hashable.
            same = [i for i, known in enumerate(specs) if known is one or _same_name(known, one)]
            if not same:
                same = [len(found)]
                specs.append(one)
                found.append(player_of(game, one))
            lineup.append(same[0])
        lineups.append(lineup)
    return found, lineups


def partner_places(game: Game) -> list[int]:
    """Return the places where a partner sits, counted from a player's own seat.

    Only places that are a partner's for every player: [2] for the sides (0, 1, 0, 1).
    """
    seats = range(game.players)
    return [
        place
        for place in range(1, game.players)
        if all(game.teams[(seat + place) % game.players] == game.teams[seat] for seat in seats)
    ]


def _same_name(one: Any, other: Any) -> bool:
    return isinstance(one, str) and isinstance(other, str) and one == other


def player_of(game: Game, spec: Any) -> Bot | Policy:
    """Return the bot of that name; a `Bot` or a callable is returned as it is.

    Raises:
        ValueError: `spec` is none of these, or the bot was made for other rules.
    """
    made = make_bot(game, spec) if isinstance(spec, str) else spec
    if isinstance(made, Bot):
        made.check_fits(game)
    elif not callable(made):
        raise ValueError(
            f"opponent={spec!r}: expected the name of a bot, a Bot, or a callable that takes an "
            "observation and a mask"
        )
    return made


def _seat_rule(seat: int | str, players: int) -> int:
    """Return the number of a seat, RANDOM_SEAT or ALTERNATE_SEAT; raise ValueError for others."""
    if seat == "random":
        return RANDOM_SEAT
    if seat == "alternate":
        return ALTERNATE_SEAT
    try:
        return whole("seat", seat, 0, players - 1)
    except ValueError as wrong:
        raise ValueError(f"{wrong}, 'random' or 'alternate'") from None
