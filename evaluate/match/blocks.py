"""Plays a block of deals from start to end, each from every rotation of the seats.

A compiled bot makes all its moves until another bot's turn inside one compiled pass over the games,
so that a match between compiled bots costs little more than the games themselves. Bots that need
Python are asked in between, for all games that wait for them. The games depend on the words of the
generators alone, and not on how deals are cut into blocks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.adapters.faults import Breakdown
from bidarena.envs.batch import CHANCE, LUCK, forfeits
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot
from bidarena.envs.rng import WORDS
from bidarena.envs.stopping import interruptible
from bidarena.evaluate.match.asking import (
    ILLEGAL,
    Answer,
    Clock,
    Fault,
    as_answer,
    ask_rows,
    is_ours,
    raised,
)
from bidarena.evaluate.match.passes import (
    LATE,
    MOVES_AND_CHOICES,
    answer_rows,
    begin_rows,
    look_rows,
    play_rows,
)

Player = Bot | Callable[[Any, Any], Any]
Words = NDArray[np.uint64]  # states of generators, a row each

SLICE = 0.2  # seconds that a compiled bot may think before Ctrl-C is looked at
MOST_REASONS = 50  # different faults that a block keeps apart; the others count as one
OTHERS = "other reasons"  # what those are called
FIRST_LOG = 64  # moves of a game for which there is room at first


@dataclass(frozen=True)
class Block:
    """The games of a block. Arrays are (deals, rotations, ...); bots in the order given."""

    # (deals, rotations, players): the result of bot k in [.., .., k]; beyond the number of bots
    # come the results of the same bots in their other seats, in order
    returns: NDArray[np.float64]
    points: NDArray[np.float64] | None  # points that the game counts; NaN: forfeited
    lengths: NDArray[np.int64]  # moves of each game, without a move that was a fault
    actions: NDArray[np.int32] | None  # actions of all games one after another, if kept
    losers: NDArray[np.int64]  # the seat that lost by a fault, else -1
    reasons: NDArray[np.int64]  # index into `faults`, else -1
    faults: list[Fault]  # all different faults
    asked: list[int]  # moves of each bot
    decisions: list[int]  # moves of each bot that were not forced
    thinking: list[float]  # seconds of all moves of each bot
    # seconds of CPU time of this process in them, all threads together
    cpu: list[float] = field(default_factory=list)

    @property
    def moves(self) -> int:
        """The number of moves in all games, with those that were faults."""
        return sum(self.asked)


def seat_owners(players: int, rotations: int) -> NDArray[np.int64]:
    """Return (rotations, seats) the bot in each seat: bot k sits in (k + rotation) % players.

    With fewer bots than seats each bot plays all seats of its side.
    """
    seats = np.arange(players)
    return np.array([(seats - turn) % players % rotations for turn in range(rotations)])


def play_deals(
    game: Game,
    bots: Sequence[Player],
    chance: Words,
    luck: Words,
    *,
    limit: float | None = None,
    keep_actions: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Block:
    """Play deals from all rotations and return the games.

    Args:
        game: the game to play.
        bots: one for each seat, or one for each side.
        chance: (deals, 2) words of the generators of the deals, the same for all rotations.
        luck: (deals * rotations, 2) words of the generators from which compiled bots draw.
        limit: seconds that a move may take; a longer move loses the game.
        keep_actions: whether to keep the actions.
        progress: called with the number of games just finished.
    """
    table = _Table(game, bots, chance, luck, limit, keep_actions)
    left = table.rows
    with table.clock.ready():
        while left:
            waiting = np.where(table.movers >= 0, table.owners[table.rotation, table.movers], -1)
            for k, bot in enumerate(bots):
                rows = np.flatnonzero(waiting == k)
                if len(rows):
                    began, worked = time.perf_counter(), time.process_time()
                    if not isinstance(bot, Bot):
                        table.ask_callable(k, bot, rows)
                    elif bot.outside is not None:
                        table.ask_outside(k, bot, rows)
                    else:
                        table.play_compiled(k, bot, rows)
                    table.thinking[k] += time.perf_counter() - began
                    table.cpu[k] += time.process_time() - worked
            table.make_room()
            alive = int((table.movers >= 0).sum())
            if progress is not None and alive < left:
                progress(left - alive)
            left = alive
    return table.block()


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending whole numbers as text, with "to" for those that follow one another."""
    parts: list[tuple[int, int]] = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1] = (parts[-1][0], number)
        else:
            parts.append((number, number))
    return ", ".join(
        f"{a} to {b}" if b > a + 1 else f"{a}, {b}" if b > a else f"{a}" for a, b in parts
    )


def prepare(game: Game, bots: Sequence[Player]) -> None:
    """Compile or load the code of these bots, so that this time does not count as thinking."""
    none = np.zeros((0, WORDS), np.uint64)
    table = _Table(game, bots, none, none, None, False)
    for k, bot in enumerate(bots):
        if isinstance(bot, Bot) and bot.outside is None:
            table.play_compiled(k, bot, np.zeros(0, np.int64))


class _Table:
    """The games of a block while they are played, a row each."""

    def __init__(
        self,
        game: Game,
        bots: Sequence[Player],
        chance: Words,
        luck: Words,
        limit: float | None,
        keep_actions: bool,
    ) -> None:
        self.game = game
        self.deals, self.rotations = len(chance), len(bots)
        self.rows = rows = self.deals * self.rotations
        self.clock = Clock(limit)
        self.ours = [is_ours(bot) for bot in bots]
        self.owners = seat_owners(game.players, self.rotations)
        self.rotation = np.tile(np.arange(self.rotations), self.deals)
        self.states = np.zeros((rows, game.state_size), np.int64)
        self.rngs = np.zeros((rows, 2 * WORDS), np.uint64)
        self.rngs[:, CHANCE] = np.repeat(chance, self.rotations, axis=0)
        self.rngs[:, LUCK] = luck
        self.movers = np.zeros(rows, np.int64)
        self.results = np.zeros((rows, game.players))
        self.losers = np.full(rows, -1, np.int64)
        self.kinds = np.zeros(rows, np.int64)  # of faults in compiled code
        self.wrong = np.zeros(rows, np.int64)  # illegal answers
        self.reasons = np.full(rows, -1, np.int64)
        self.faults: dict[Fault, int] = {}
        self.log = np.zeros((rows, min(FIRST_LOG, game.longest) if keep_actions else 0), np.int32)
        self.lengths = np.zeros(rows, np.int64)
        self.forfeits = forfeits(game)
        self.asked = [0] * self.rotations
        self.decisions = [0] * self.rotations
        self.thinking = [0.0] * self.rotations
        self.cpu = [0.0] * self.rotations
        self.sizes = [8] * self.rotations  # rows of one call of each compiled bot
        self.paces = [inf] * self.rotations  # seconds that a row took in the last call
        game.compiled(begin_rows)(game.cfg, self.states, self.rngs, self.movers, self.results)
        for bot in bots:
            if isinstance(bot, Bot) and bot.outside is not None:
                bot.outside.forget()  # its memory depends on the blocks played before

    def play_compiled(self, k: int, bot: Bot, rows: NDArray[np.int64]) -> None:
        """Make all moves of a compiled bot until another bot's turn.

        A bot that may take long is called for few rows at a time, and in a thread, so that Ctrl-C
        is heard while it thinks.
        """
        game = self.game
        play = game.compiled(play_rows, **bot.stubs)
        counts = np.zeros(MOVES_AND_CHOICES, np.int64)
        at = np.zeros(1, np.int64)
        limit = -1.0 if self.clock.limit is None else self.clock.limit
        args = (
            *(game.cfg, bot.params, self.states, self.rngs, self.forfeits, self.owners),
            *(self.rotation, k, limit, self.movers, self.results, self.losers, self.kinds),
            *(self.wrong, self.log, self.lengths, counts, at, game.actions, rows),
        )
        first = 0
        while first < len(rows) or not len(rows):
            last = min(first + self.sizes[k], len(rows))
            began = time.perf_counter()
            slow = len(rows) > 0 and self.paces[k] * (last - first) > SLICE / 4
            try:
                if slow:
                    interruptible(play, *args, first, last)
                else:
                    play(*args, first, last)
            except Exception as reason:  # compiled code can raise too
                last = int(at[0]) + 1
                self.forfeit(int(rows[at[0]]), raised(reason, own=is_ours(bot)))
            if not len(rows):
                return
            self.paces[k] = pace = (time.perf_counter() - began) / (last - first)
            self.sizes[k] = max(1, min(4 * self.sizes[k], int(SLICE / max(pace, 1e-9))))
            first = last
        self.asked[k] += int(counts[0])
        self.decisions[k] += int(counts[1])

    def ask_callable(self, k: int, policy: Callable[[Any, Any], Any], rows: Any) -> None:
        """Make one move of a callable in each of the rows."""
        observations, masks = self.look(k, rows)
        self.answer(rows, ask_rows(policy, observations, masks, self.clock))

    def ask_outside(self, k: int, bot: Bot, rows: Any) -> None:
        """Make one move of a bot that has threads or a memory of its own, in each of the rows."""
        self.look(k, rows)
        ask: Any = bot.outside
        answers: list[Answer] = []
        for row in rows:
            state, words = self.states[row].copy(), self.rngs[row, LUCK]
            move = partial(ask, state, int(self.movers[row]), words)
            answer, fault = self.clock.ask(move, own=is_ours(bot))
            answers.append(as_answer(answer) if fault is None else fault)
        self.answer(rows, answers)

    def look(self, k: int, rows: Any) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Return observations and masks of the movers; count their moves and decisions."""
        game = self.game
        observations = np.zeros((len(rows), game.observation_size), np.float32)
        masks = np.zeros((len(rows), game.actions), np.int8)
        look = game.compiled(look_rows)
        look(game.cfg, self.states, self.movers, rows, observations, masks)
        self.asked[k] += len(rows)
        self.decisions[k] += int((masks.sum(axis=1, dtype=np.int64) > 1).sum())
        return observations, masks

    def answer(self, rows: Any, answers: list[Answer]) -> None:
        """Play the actions; the mover of a row with a fault loses."""
        actions = np.zeros(len(rows), np.int64)
        for place, said in enumerate(answers):
            if isinstance(said, tuple):
                self.forfeit(int(rows[place]), said)
            else:
                actions[place] = said
        game = self.game
        game.compiled(answer_rows)(
            *(game.cfg, self.states, self.rngs, self.forfeits, self.movers, self.results),
            *(self.losers, self.kinds, self.wrong, self.log, self.lengths, game.actions),
            *(rows, actions),
        )

    def forfeit(self, row: int, fault: Fault) -> None:
        """End the game of a row: its mover loses by a fault."""
        self.losers[row] = self.movers[row]
        self.results[row] = self.forfeits[self.movers[row]]
        self.movers[row] = -1
        self.reasons[row] = self.reason(row, fault)

    def reason(self, row: int, fault: Fault) -> int:
        """Return the index of the fault that ended a row; beyond `MOST_REASONS` they share one."""
        if fault[0] == ILLEGAL and self.ours[self.owners[self.rotation[row], self.losers[row]]]:
            raise Breakdown(f"one of our own bots broke the rules, please report it: {fault[1]}")
        if fault not in self.faults and len(self.faults) >= MOST_REASONS:
            fault = (fault[0], OTHERS)
        return self.faults.setdefault(fault, len(self.faults))

    def illegally(self, row: int) -> str:
        """Return what was answered in a row instead of which legal actions."""
        game = self.game
        mask = np.zeros(game.actions, np.int8)
        game.call("legal")(game.cfg, self.states[row], mask)
        return f"answered {self.wrong[row]}; legal: {ranges(np.flatnonzero(mask).tolist())}"

    def make_room(self) -> None:
        """Widen the log where the next moves would not fit."""
        width = self.log.shape[1]
        if width and self.rows and self.lengths.max() >= width:
            self.log = np.hstack([self.log, np.zeros_like(self.log)])

    def block(self) -> Block:
        """Return the finished games."""
        for row in np.flatnonzero((self.kinds > 0) & (self.reasons < 0)):
            late = self.kinds[row] == LATE
            told = self.clock.too_long() if late else (ILLEGAL, self.illegally(int(row)))
            self.reasons[row] = self.reason(int(row), told)
        shape = (self.deals, self.rotations)
        players = self.game.players
        seats = (np.arange(players) + self.rotation[:, None]) % players  # of bot k in each row
        counted: Any = None
        if self.game.score is not None:
            table = self.states[:, self.game.state[self.game.score]] * self.game.score_unit
            table[self.losers >= 0] = np.nan  # the game was not counted to its end
            counted = np.take_along_axis(table, seats, axis=1).reshape(*shape, players)
        actions = None
        if self.log.shape[1]:
            actions = self.log[np.arange(self.log.shape[1]) < self.lengths[:, None]]
        return Block(
            returns=np.take_along_axis(self.results, seats, axis=1).reshape(*shape, players),
            points=counted,
            lengths=self.lengths.reshape(shape),
            actions=actions,
            losers=self.losers.reshape(shape),
            reasons=self.reasons.reshape(shape),
            faults=list(self.faults),
            asked=self.asked,
            decisions=self.decisions,
            thinking=self.thinking,
            cpu=self.cpu,
        )
