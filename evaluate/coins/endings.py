"""The quality of play on boards too large to solve: the endings of games, each solved exactly.

As soon as a game comes down to so few coins that all their subsets can be solved, they are: that
takes some hundredths of a second for 24 coins (`baselines/coins/solver.py`, on the coins that are
left). From there on every decision of the player is judged by the truth.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.coins.solver import solve_left
from bidarena.envs.arguments import whole
from bidarena.envs.batch import Batch, ask_policy
from bidarena.envs.coins.env import takes_of
from bidarena.envs.coins.rules import POINTS, C, S
from bidarena.envs.game import Game
from bidarena.envs.registry import Bot, make_bot
from bidarena.evaluate.match import Z95

COINS = 24  # endings with up to so many coins are solved
MOST_COINS = 28
TOGETHER = 20  # games side by side
OPENING = 2  # random moves before a game of a player with itself, which else might be one game
BUDGET = 120.0  # seconds after which no more games are begun


@dataclass(frozen=True)
class EndingsPlay:
    """How well a player plays the endings of its games.

    A decision matters if some moves keep the value of the position and some lose it.
    """

    player: str
    kept_in_games_where_it_matters: float
    interval: list[float]  # 95 %
    kept_by_coins: dict[str, float]  # by how many coins lie on the board
    decisions: int  # that matter
    games: int
    method: str
    exact: bool
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the result as a dict for JSON."""
        return asdict(self)


def judge_endings(
    game: Game,
    player: Any,
    *,
    opponent: str | None = None,
    coins: int = COINS,
    games: int = 400,
    seed: int = 0,
    name: str = "",
    progress: Callable[[str], None] | None = None,
) -> EndingsPlay:
    """Return how often a player keeps the value of endings that are met in its games.

    Args:
        game: Coins in which the last coin decides, on any board.
        player: a bot, its name, or a callable.
        opponent: the bot that the games are played against, from both seats in turn; None: the
            player itself, after some random moves.
        coins: endings with up to so many coins are judged.
        games: how many games are played, if the time suffices.
        seed: seeds the games.
        name: what the result calls the player.
        progress: called with what is being done.
    """
    if game.cfg[C.score] == POINTS:
        raise ValueError("score='points': only endings that the last coin decides are judged")
    whole("coins", coins, 1, MOST_COINS)
    whole("games", games, 1, 10**7)
    bot = make_bot(game, player) if isinstance(player, str) else player
    other = bot if opponent is None else make_bot(game, opponent)
    began = time.perf_counter()
    found: list[tuple[int, int, bool]] = []  # game, coins, kept; of decisions that matter
    played = 0
    while played < games and (not played or time.perf_counter() - began < BUDGET):
        if progress is not None:
            progress(f"game {played} of {games}")
        count = min(TOGETHER, games - played)
        for number, decisions in _games(game, bot, other, count, seed, played).items():
            found += [(number, *judged) for judged in _judge(game, decisions, coins)]
        played += count
    rows = np.array(found, np.int64).reshape(-1, 3)
    share, interval = _share(rows)
    by_coins = {}
    for low in range(1, coins + 1, 4):
        some = rows[(rows[:, 1] >= low) & (rows[:, 1] < low + 4)]
        if len(some):
            by_coins[f"{low}-{min(low + 3, coins)}"] = float(some[:, 2].mean())
    against = "itself after random first moves" if opponent is None else opponent
    return EndingsPlay(
        player=name or (player if isinstance(player, str) else getattr(bot, "name", "player")),
        kept_in_games_where_it_matters=share,
        interval=interval,
        kept_by_coins=by_coins,
        decisions=len(rows),
        games=played,
        method=f"decisions with up to {coins} coins, solved, in games against {against}",
        exact=False,
        seconds=time.perf_counter() - began,
    )


Decision = tuple[int, int, bool]  # board, action, whether the player chose it


def _games(
    game: Game, bot: Any, other: Any, count: int, seed: int, first: int
) -> dict[int, list[Decision]]:
    """Play games and return all decisions of each, by the number of the game."""
    drawn = np.random.default_rng([seed, first])
    batch = Batch(game, count, seed=int(drawn.integers(2**31)))
    batch.reset()
    alone = other is bot
    seats = (first + np.arange(count)) % 2  # the player's
    told: dict[int, list[Decision]] = {first + k: [] for k in range(count)}
    moves = 0
    while (batch.movers >= 0).any():
        running = batch.movers >= 0
        actions = np.zeros(count, np.int64)
        if alone and moves < OPENING:
            weights = drawn.random(batch.masks.shape) * batch.masks
            actions[:] = weights.argmax(axis=1)
            own = np.zeros(count, np.bool_)
        else:
            own = running & (alone | (batch.movers == seats))
            _ask(batch, bot, own, actions)
            _ask(batch, other, running & ~own, actions)
        for k in np.flatnonzero(running).tolist():
            told[first + k].append((int(batch.states[k, S.board]), int(actions[k]), bool(own[k])))
        batch.step(actions)
        moves += 1
    return told


def _ask(batch: Batch, player: Any, where: NDArray[np.bool_], actions: NDArray[np.int64]) -> None:
    """Write the actions of a bot or a callable in some rows."""
    if not where.any():
        return
    if isinstance(player, Bot):
        batch.ask(player, where, actions)
    else:
        actions[where] = ask_policy(player, batch.observations[where], batch.masks[where])


def _judge(game: Game, decisions: list[Decision], coins: int) -> list[tuple[int, bool]]:
    """Return coins and whether the value was kept, for the player's decisions that matter."""
    takes = takes_of(game)
    ending = None
    judged = []
    for board, action, own in decisions:
        if board.bit_count() > coins:
            continue
        if ending is None:
            ending = solve_left(game, board)
        if not own:
            continue
        wins = [ending(board ^ take) for take in takes if take & ~board == 0]
        if any(wins) and not all(wins):
            judged.append((board.bit_count(), ending(board ^ takes[action])))
    return judged


def _share(rows: NDArray[np.int64]) -> tuple[float, list[float]]:
    """Return the share that is kept and its 95 % interval, by games."""
    if len(rows) == 0:
        return 1.0, [0.0, 1.0]
    share = float(rows[:, 2].mean())
    _, place = np.unique(rows[:, 0], return_inverse=True)
    off = np.bincount(place, rows[:, 2] - share)
    half = Z95 * float(np.sqrt((off**2).sum())) / len(rows)
    return share, [max(share - half, 0.0), min(share + half, 1.0)]
