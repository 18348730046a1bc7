"""`memo`, the bot of Coins that remembers what it searched, from move to move and game to game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.coins.search import choose
from bidarena.baselines.coins.store import Entry, Store, default_path
from bidarena.baselines.coins.table import (
    FILLED,
    KEY,
    LOSSES,
    MARGIN,
    VERDICT,
    WINS,
    find,
    make_plan,
)
from bidarena.envs.arguments import whole
from bidarena.envs.coins.env import board_of
from bidarena.envs.coins.rules import PLAIN, POINTS, SEEDED, C, S
from bidarena.envs.game import Game, Mask, Observation, State

SMALLEST, LARGEST = 17, 20  # the table in memory: 2**17 entries to begin with, 2**20 at most
SAVED = 3  # a column of the table that only this bot has: 1 if the entry is in the store
WORTH_SAVING = 1000  # a position goes to the store if so many games were counted below it


def memo(
    game: Game,
    ms: float | None = None,
    nodes: int | None = None,
    path: str | None = None,
    seed: int = 0,
) -> Memo:
    """Play `surewin` with a memory that outlives the game: the report's fifth program.

    Args:
        game: Coins.
        ms: milliseconds per move, without the time to save; 50 if neither limit is given.
        nodes: positions per move, a limit that makes games repeatable.
        path: file of the store; by default `bidarena/coins.sqlite` in the user's cache folder.
        seed: seed of the choice between equally good moves.
    """
    return Memo(game, ms, nodes, path, seed)


class Memo:
    """A policy `(observation, mask) -> action` that remembers positions.

    A position is remembered when everything below it has been searched: how many games below it the
    player to move wins and loses, and whether it is a sure win or loss. Symmetric positions are one
    entry. All entries are in memory: they are read from the store before the first move, and after
    every move new ones with many games below them are saved. Where points decide, an entry also has
    the margin by which the player to move is ahead. Drawn colours differ from game to game, so
    nothing goes to the store.
    """

    def __init__(
        self, game: Game, ms: float | None, nodes: int | None, path: str | None, seed: int
    ) -> None:
        self.game = game
        self.path = default_path() if path is None else Path(str(path))
        self._plan = make_plan(game, ms, nodes, sure=True, table=SMALLEST)
        self._words = np.random.default_rng(whole("seed", seed, 0, 2**63)).integers(
            1, 2**64, 2, dtype=np.uint64
        )
        self._passing = bool(game.cfg[C.score] == POINTS and game.cfg[C.colours] == SEEDED)
        self._board = board_of(game)
        self._store: Store | None = None
        self._begun = False
        self._forget(SMALLEST)

    def __call__(self, observation: Observation, mask: Mask) -> int:
        """Return the move in the position that the player to move observes."""
        state = self._state(observation)
        self._prepare(state)
        action = self.game.compiled(choose)(
            self.game.cfg,
            self._plan,
            state,
            0,
            self._words,
            self._entries,
            self._sums,
            self._report,
        )
        self._save()
        return int(action)

    @property
    def positions(self) -> int:
        """Return how many positions are remembered now."""
        return int(self._report[FILLED])

    def close(self) -> None:
        """Close the store; the next move opens it again."""
        if self._store is not None:
            self._store.close()
        self._store, self._begun = None, False

    def __getstate__(self) -> dict[str, Any]:
        left_behind = {"_store": None, "_begun": False}  # the other process opens it anew
        return {**self.__dict__, **left_behind}

    def _state(self, observation: Observation) -> State:
        """Return the state that is observed; the last move is not seen and does not matter."""
        cfg, coins = self.game.cfg, int(self.game.cfg[C.coins])
        state = np.zeros(self.game.state_size, np.int64)
        state[S.board] = sum(1 << coin for coin in np.flatnonzero(observation[:coins]).tolist())
        state[S.last_move] = -1
        if cfg[C.colours] != PLAIN:
            values, totals = observation[coins + 1 : 2 * coins + 1], observation[2 * coins + 1 :]
            state[S.values :] = np.rint(values * float(cfg[C.brightest]))
            state[S.points : S.points + 2] = np.rint(totals * float(cfg[C.unit]))
        return state

    def _prepare(self, state: State) -> None:
        """Open the store before the first move, and make room in memory."""
        if self._passing:
            if not self._same_colours(state):
                self._forget(SMALLEST)
                self._values = state[S.values :].copy()
        elif not self._begun:
            self._store = Store(self.path, self.game)
            self._begun = True
            self._learn(self._store.load(1 << LARGEST - 1))
        size = len(self._entries)
        if 2 * self._report[FILLED] > size and size < 1 << LARGEST:
            entries, sums = self._entries, self._sums
            self._forget(size.bit_length())
            used = np.flatnonzero(entries[:, KEY])
            self._enter(entries[used], sums[used])

    def _same_colours(self, state: State) -> bool:
        """Return whether the coins on the board have the points that were remembered."""
        lying = state[S.values :] != 0
        return bool((self._values[lying] == state[S.values :][lying]).all())

    def _forget(self, bits: int) -> None:
        """Make an empty table with 2**bits entries."""
        self._entries = np.zeros((1 << bits, 4), np.int64)
        self._sums = np.zeros((1 << bits, 2), np.float64)
        self._report = np.zeros(3, np.int64)
        self._values = np.zeros(len(self._board.cells), np.int64)

    def _enter(self, entries: NDArray[np.int64], sums: NDArray[np.float64]) -> None:
        """Enter these positions into the table."""
        args = (self._entries, self._sums, self._report, entries, sums)
        self.game.compiled(enter_all)(*args)

    # --- to and from the store -------------------------------------------------------------------

    def _learn(self, known: list[Entry]) -> None:
        """Enter what the store knows into the table, which grows if needed."""
        if not known:
            return
        rows, margins, wins, losses, verdicts = zip(*known, strict=True)
        entries = np.zeros((len(known), 4), np.int64)
        entries[:, KEY] = self._positions(rows)
        entries[:, MARGIN], entries[:, VERDICT] = margins, verdicts
        entries[:, SAVED] = 1
        while len(self._entries) < 2 * len(known):
            self._forget(len(self._entries).bit_length())
        self._enter(entries, np.array([wins, losses], np.float64).T.copy())

    def _positions(self, rows: tuple[str, ...]) -> NDArray[np.int64]:
        """Return row codes as positions; raise ValueError if they do not fit the board."""
        try:
            numbers = np.array(" ".join(rows).split(), np.int64)
        except (ValueError, OverflowError):
            numbers = np.zeros(0, np.int64)
        positions = np.zeros(len(rows), np.int64)
        if numbers.size == len(rows) * self._board.rows:
            codes = numbers.reshape(len(rows), self._board.rows)
            for coin, (row, column) in enumerate(self._board.cells):
                positions |= (codes[:, row] >> column & 1) << coin
            if positions.all() and np.array_equal(self._codes(positions), codes):
                return positions
        raise ValueError(
            f"path={str(self.path)!r} is damaged: it holds positions that cannot lie on "
            f"{self._board.name!r}; give another path, or remove the file"
        )

    def _codes(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return positions as row codes."""
        codes = np.zeros((len(positions), self._board.rows), np.int64)
        for coin, (row, column) in enumerate(self._board.cells):
            codes[:, row] |= (positions >> coin & 1) << column
        return codes

    def _save(self) -> None:
        """Save the new positions that are worth it."""
        if self._store is None:
            return
        entries = self._entries
        counted = self._sums[:, WINS] + self._sums[:, LOSSES]
        fresh = np.flatnonzero((counted >= WORTH_SAVING) & (entries[:, SAVED] == 0))
        if len(fresh) == 0:
            return
        numbers, sums = entries[fresh], self._sums[fresh]
        columns = (
            [" ".join(map(str, code)) for code in self._codes(numbers[:, KEY]).tolist()],
            numbers[:, MARGIN].tolist(),
            sums[:, WINS].tolist(),
            sums[:, LOSSES].tolist(),
            numbers[:, VERDICT].tolist(),
        )
        self._store.save(list(zip(*columns, strict=True)))
        entries[fresh, SAVED] = 1


def enter_all(
    entries: NDArray[np.int64],
    sums: NDArray[np.float64],
    report: NDArray[np.int64],
    new: NDArray[np.int64],
    new_sums: NDArray[np.float64],
) -> None:
    """Enter positions into a table that has room for them."""
    for k in range(len(new)):
        slot = find(entries, new[k, KEY], new[k, MARGIN])
        if entries[slot, KEY] == 0:
            report[FILLED] += 1
        entries[slot, :] = new[k]
        sums[slot, :] = new_sums[k]
