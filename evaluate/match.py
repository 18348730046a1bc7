"""Games between bots: every line-up on the same deals from every seat, with intervals."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.batch import CHANCE, LUCK, Batch, ask_policy
from bidarena.envs.check import whole
from bidarena.envs.game import Game
from bidarena.envs.learner import player_of
from bidarena.envs.registry import Bot, make_game
from bidarena.envs.rng import WORDS

Player = Bot | Callable[[Any, Any], Any]

ROWS = 4096  # games side by side
SLICE = 0.2  # seconds that a compiled bot may think without a chance to interrupt it
Z95 = 1.959963984540054  # half width of a 95 % interval, in standard errors


@dataclass(frozen=True)
class Score:
    """How one bot of a match fared."""

    bot: str
    games: int
    wins: int
    draws: int
    losses: int
    mean: float  # mean return
    half_width: float  # of the 95 % interval of the mean return, by deals
    points: float | None  # mean of what the game counts (Raj's bank), where it counts something

    @property
    def win_rate(self) -> float:
        """Share of all games won."""
        return self.wins / self.games

    @property
    def decided_rate(self) -> float:
        """Share of the decided games won; 0.5 if none was decided."""
        decided = self.wins + self.losses
        return self.wins / decided if decided else 0.5

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        interval = [self.mean - self.half_width, self.mean + self.half_width]
        known = np.isfinite(self.half_width)  # not from a single deal
        return {
            "bot": self.bot,
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "win_rate": self.win_rate,
            "decided_rate": self.decided_rate,
            "mean_return": self.mean,
            "mean_return_95": interval if known else None,
            "mean_points": self.points,
        }


@dataclass(frozen=True)
class Match:
    """The result of a match."""

    scores: list[Score]
    games: int
    moves: int
    seconds: float
    results: NDArray[np.float64]  # (deals, rotations, bots) the return of each bot in each game
    decisions: list[int]  # of each bot: how often it had a choice
    thinking: list[float]  # of each bot: the seconds that all its moves took


def play_match(
    game: str | Game,
    bots: Sequence[str | Player],
    games: int = 1000,
    *,
    seed: int = 0,
    names: Sequence[str] | None = None,
    progress: Callable[[int], None] | None = None,
    **rules: Any,
) -> Match:
    """Play `games` games between `bots`, one for each seat or, with partners, one for each side.

    Every deal is played once from each rotation of the seats, with the same chance; the number of
    games is rounded up to whole deals. A bot for a side plays all its seats, and each deal is
    played once from each side. The result depends on the seed only, unless a bot thinks by the
    clock, remembers earlier games, or draws random numbers of its own.

    Args:
        game: a name, as `bidarena list` shows them, or a `Game`.
        bots: as many as the game has players, or sides: names with options, `Bot`s, or callables.
        games: how many games.
        seed: of deals and bots.
        names: what to call the bots; by default what they call themselves.
        progress: called with the number of games just finished.
        **rules: the rules of the game.
    """
    game = make_game(game, **rules)
    if isinstance(bots, str):
        raise ValueError(f"bots={bots!r}: expected a list, one for each seat")
    sides = len(set(game.teams))
    if len(bots) not in (game.players, sides):
        wanted = f"{game.players} players" + f" on {sides} sides" * (sides < game.players)
        raise ValueError(f"bots: {game.name} has {wanted}, got {len(bots)}: {list(bots)}")
    if any(game.teams[seat] != game.teams[seat % len(bots)] for seat in range(game.players)):
        raise ValueError(f"bots: give one for each of the {game.players} seats of {game.name}")
    games = whole("games", games, 1, 10**7)
    whole("seed", seed, 0, 2**63)
    rotations = len(bots)
    given = [player_of(game, bot) for bot in bots]
    players = [given[seat % rotations] for seat in range(game.players)]
    deals = -(-games // rotations)
    began = time.perf_counter()
    results = np.zeros((deals, rotations, game.players))  # by bot, not by seat
    points = np.zeros_like(results)
    moves = 0
    decisions, thinking = [0] * rotations, [0.0] * rotations
    per_batch = max(1, ROWS // rotations)
    for first in range(0, deals, per_batch):
        count = min(per_batch, deals - first)
        part = slice(first, first + count)
        made, chosen, thought = _play_deals(
            game, players, seed, first, results[part], points[part], progress
        )
        moves += made
        for k in range(rotations):
            decisions[k] += chosen[k]
            thinking[k] += thought[k]
    seconds = time.perf_counter() - began
    if names is None:
        names = [_name(bot, player) for bot, player in zip(bots, given, strict=True)]
    scores = [_score(game, k, names[k], results, points) for k in range(rotations)]
    by_bot = results[:, :, :rotations]  # the others are the same bots in their other seats
    return Match(scores, deals * rotations, moves, seconds, by_bot, decisions, thinking)


def _play_deals(
    game: Game,
    players: list[Player],
    seed: int,
    first: int,
    results: NDArray[np.float64],
    points: NDArray[np.float64],
    progress: Callable[[int], None] | None,
) -> tuple[int, list[int], list[float]]:
    """Play a block of deals from all rotations; fill the results by bot.

    Returns the number of moves and, for each bot, how many were decisions and how long it thought.
    """
    deals, rotations = results.shape[:2]
    rows = deals * rotations
    batch = Batch(game, rows)
    rotation = np.tile(np.arange(rotations), deals)  # bot k sits in seat (k + rotation) % players
    chance = np.random.default_rng([seed, 0, first])
    luck = np.random.default_rng([seed, 1, first])
    same = chance.integers(1, 2**64, size=(deals, WORDS), dtype=np.uint64)
    batch.rngs[:, CHANCE] = np.repeat(same, rotations, axis=0)
    batch.rngs[:, LUCK] = luck.integers(1, 2**64, size=(rows, WORDS), dtype=np.uint64)
    batch.reset()
    actions = np.zeros(rows, np.int64)
    pace = [0.01] * len(players)  # seconds that each bot takes for a row
    moves = finished = 0
    decisions, thinking = [0] * rotations, [0.0] * rotations
    while True:
        alive = batch.movers >= 0
        if progress is not None and rows - alive.sum() > finished:
            progress(int(rows - alive.sum()) - finished)
            finished = int(rows - alive.sum())
        if not alive.any():
            break
        moves += int(alive.sum())
        choice = batch.masks.sum(axis=1, dtype=np.int64) > 1
        owner = (batch.movers - rotation) % game.players
        for k, player in enumerate(players[:rotations]):
            mine = alive & (owner % rotations == k)
            if mine.any():
                pace[k] = _ask(batch, player, mine, actions, pace[k])
                thinking[k] += pace[k] * int(mine.sum())
                decisions[k] += int((mine & choice).sum())
        batch.step(actions)
    counted = game.score is not None
    for k in range(game.players):
        seat = (k + rotation) % game.players
        results[:, :, k] = batch.returns[np.arange(rows), seat].reshape(deals, rotations)
        if counted:
            table = batch.states[:, game.state[game.score]] * game.score_unit  # type: ignore[index]
            table[batch.illegal] = np.nan  # nothing was counted to the end
            points[:, :, k] = table[np.arange(rows), seat].reshape(deals, rotations)
    return moves, decisions, thinking


def _ask(
    batch: Batch,
    player: Player,
    mine: NDArray[np.bool_],
    actions: NDArray[np.int64],
    pace: float,
) -> float:
    """Fill `actions` where it is the player's turn; the seconds that a row took.

    A compiled bot cannot be interrupted, so one that thinks long is asked in slices.
    """
    began = time.perf_counter()
    if isinstance(player, Bot):
        rows = np.flatnonzero(mine)
        size = max(1, int(SLICE / pace))
        for first in range(0, len(rows), size):
            part = np.zeros_like(mine)
            part[rows[first : first + size]] = True
            batch.ask(player, part, actions)
    else:
        actions[mine] = ask_policy(player, batch.observations[mine], batch.masks[mine])
    return (time.perf_counter() - began) / int(mine.sum())


def _score(
    game: Game,
    k: int,
    name: str,
    results: NDArray[np.float64],
    points: NDArray[np.float64],
) -> Score:
    mine = results[:, :, k]
    # A game is won when no other side did as well; who is on which side depends on the seats.
    best_rival = np.empty_like(mine)
    for rotation in range(mine.shape[1]):
        side = [game.teams[(j + rotation) % game.players] for j in range(game.players)]
        rivals = [j for j in range(game.players) if side[j] != side[k]]
        best_rival[:, rotation] = results[:, rotation, rivals].max(axis=1)
    wins = int((mine > best_rival).sum())
    losses = int((mine < best_rival).sum())
    counted = points[:, :, k][~np.isnan(points[:, :, k])] if game.score is not None else np.empty(0)
    per_deal = mine.mean(axis=1)
    spread = per_deal.std(ddof=1) / np.sqrt(len(per_deal)) if len(per_deal) > 1 else np.inf
    return Score(
        bot=name,
        games=mine.size,
        wins=wins,
        draws=mine.size - wins - losses,
        losses=losses,
        mean=float(mine.mean()),
        half_width=float(Z95 * spread),
        points=float(counted.mean()) if counted.size else None,
    )


def _name(spec: str | Player, player: Player) -> str:
    if isinstance(spec, str):
        return spec
    return str(getattr(player, "name", None) or getattr(player, "__name__", type(player).__name__))
