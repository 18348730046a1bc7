"""Games of a policy against itself, many side by side, with every decision kept for learning.

All seats are played by one policy. Games run from the deal to the end in lockstep; a row whose game
is over waits for the others. Nothing here is done row by row, and nothing needs torch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.arguments import unknown
from bidarena.envs.batch import Batch
from bidarena.envs.compile import borrow
from bidarena.envs.game import Cfg, Game, observe
from bidarena.envs.registry import Bot

Floats = NDArray[np.float32]
# (cfg, states, rows, movers, values, known): the tool `open_values` of a game, compiled
OpenValues = Callable[..., None]
# (observations, what the critic sees, legal) -> log-probabilities and values, each (rows, actions)
Judge = Callable[[Floats, Floats, NDArray[np.bool_]], tuple[Floats, Floats]]

MOST_BYTES = 1 << 30  # limit for the decisions of one batch of games


@dataclass(frozen=True, eq=False)
class Decisions:
    """All decisions of a batch of games, moment after moment.

    Decisions with one legal action only, and those of a game's random beginning, are left out.
    """

    observations: Floats  # (decisions, observation_size)
    seen_by_critic: Floats  # (decisions, observation_size + what it sees of the other players)
    solved: NDArray[np.bool_]  # (decisions,) whether `values` are those of `open_values`
    legal: NDArray[np.bool_]  # (decisions, actions)
    actions: NDArray[np.int64]  # (decisions,) what was chosen
    log_chances: Floats  # (decisions, actions) by the policy that played
    values: Floats  # (decisions, actions) what the policy expected of each action
    targets: Floats  # (decisions,) what came of the choice, see `play`
    games: int
    env_seconds: float  # spent in the environment


def play(
    batch: Batch,
    judge: Judge,
    luck: np.random.Generator,
    *,
    decay: float,
    explore: float,
    teacher: Bot | None = None,
    oracle: Sequence[str] = (),
    rivals: Sequence[Bot] = (),
    rival_share: float = 0.0,
    open_values: OpenValues | None = None,
) -> Decisions:
    """Deal a new game in every row and play all of them to their ends.

    The target of a decision is a mixture of what the same player expected at later decisions and
    of that player's result in the end, as in TD(lambda) without discount. Results are scaled so
    that the largest is 1.

    Args:
        batch: the games; its random generators go on from where they are.
        judge: gives the policy's probabilities and values for some rows.
        luck: draws the actions.
        decay: lambda: 1 looks at the result only, 0 at the next decision only.
        explore: how likely a game starts at random, and goes on at random after each move (or each
            round of moves at the same time). Then one side takes any legal action, so that the
            policy also learns what to do where it would never go by itself. Nothing is learned
            from decisions before the random moves end, because then the other side does not play
            as it really does.
        teacher: a bot that plays all seats in place of the policy, to be learned from.
        oracle: parts of the observation that the critic sees of all players. The critic is used
            while learning only; what it knows in addition takes noise out of the targets.
        rivals: bots that play one side in some of the games; nothing is learned from their moves.
        rival_share: how likely a game is one against a rival; all rivals are equally likely.
        open_values: says what actions are worth where it can, in place of the critic and of what
            came of the choice; it sees all that is hidden.
    """
    game, rows = batch.game, batch.rows
    sides = np.unique(game.teams, return_inverse=True)[1]
    # what keeps its value while players commit moves they make at the same time
    together = slice(None) if game.simultaneous is None else game.state[game.simultaneous]
    began = time.process_time()
    batch.reset()
    env_seconds = time.process_time() - began
    exploring = luck.random(rows) < explore
    explorer = luck.integers(0, 2, rows)  # the side
    rival = np.full(rows, -1)  # the bot that plays one side, if any
    if rivals:
        rival = np.where(luck.random(rows) < rival_share, luck.integers(0, len(rivals), rows), -1)
    rival_side = luck.integers(0, 2, rows) if rivals else rival
    moments = []
    kept = 0
    while True:
        running = np.flatnonzero(batch.movers >= 0)
        if len(running) == 0:
            break
        actions = np.zeros(rows, np.int64)
        actions[running] = batch.masks[running].argmax(axis=1)
        choice = (batch.movers >= 0) & (batch.masks.sum(axis=1) > 1)
        theirs = choice & (rival >= 0) & (sides[batch.movers] == rival_side)
        for i, bot in enumerate(rivals):
            batch.ask(bot, theirs & (rival == i), actions)
        free = np.flatnonzero(choice & ~theirs)
        if len(free) > 0:
            movers = batch.movers[free]
            observations, legal = batch.observations[free], batch.masks[free] == 1
            known = observations
            if oracle:
                others = _seen_by_others(batch, free, movers, oracle)
                known = np.concatenate([observations, others], axis=1)
            log_chances, values = judge(observations, known, legal)
            if teacher is None:
                actions[free] = draw(np.exp(log_chances), luck)
            else:
                batch.ask(teacher, choice & ~theirs, actions)
            chosen = actions[free]
            solved = np.zeros(len(free), np.bool_)
            if open_values is not None:
                open_values(game.cfg, batch.states, free, movers, values, solved)
            astray = exploring[free]
            if astray.any():
                anything = ((1 - luck.random(legal.shape, np.float32)) * legal).argmax(axis=1)
                wanders = astray & (sides[movers] == explorer[free])
                actions[free] = np.where(wanders, anything, chosen)
            at = np.flatnonzero(~astray)
            parts = (observations, known, solved, legal, chosen, log_chances, values)
            moments.append((free[at], movers[at], *(part[at] for part in parts)))
            kept += sum(part.nbytes for part in moments[-1])
            if kept > MOST_BYTES:
                raise ValueError(
                    f"rows={rows}: games of {game!r} are so long that their decisions fill "
                    f"{MOST_BYTES / 2**30:g} GiB; expected fewer rows, or rules under which games "
                    "end sooner"
                )
        before = batch.states[:, together].copy() if explore > 0 else None
        began = time.process_time()
        batch.step(actions)
        env_seconds += time.process_time() - began
        if before is not None:
            done = (batch.states[:, together] != before).any(axis=1)
            exploring &= ~done | (luck.random(rows) < explore)

    result = (batch.returns / np.abs(game.return_range).max()).astype(np.float32)
    expected, outlook = result.copy(), result  # (rows, players) at the player's next decision
    targets = []
    same_side = np.equal.outer(sides, sides)  # (player, player)
    for row, mover, _, _, solved, _, chosen, log_chances, values in reversed(moments):
        target = (1 - decay) * expected[row, mover] + decay * outlook[row, mover]
        mean = (np.exp(log_chances) * values).sum(axis=1)
        target[solved] = values[solved, chosen[solved]]
        outlook[row, mover] = target
        expected[row, mover] = mean
        if solved.any():  # what is known of one player is known of all
            for_all = np.where(same_side[mover[solved]], 1, -1) * mean[solved, None]
            outlook[row[solved]] = expected[row[solved]] = for_all
        targets.append(target)
    if sum(len(target) for target in targets) == 0:
        raise ValueError(
            f"rows={rows}, explore={explore}: no decision was left to learn from in {game!r}; "
            "expected more rows or less exploring"
        )
    _, _, views, known, *rest = zip(*moments, strict=True)
    seen = np.concatenate(views)
    seen_by_critic = np.concatenate(known) if oracle else seen
    solves, legals, choices, logs, worths = (np.concatenate(part) for part in rest)
    decided = (solves, legals, choices, logs, worths, np.concatenate(targets[::-1]))
    return Decisions(seen, seen_by_critic, *decided, rows, env_seconds)


def oracle_size(game: Game, oracle: Sequence[str]) -> int:
    """Return how many numbers the critic sees beside the observation.

    Raise ValueError if a part is not in the observation of the game.
    """
    for part in oracle:
        if part not in game.observation:
            raise unknown("oracle", part, game.observation)
    return len(oracle_places(game, oracle)) * (game.players - 1)


def oracle_places(game: Game, oracle: Sequence[str]) -> NDArray[np.int64]:
    """Return the indexes of some parts of the observation."""
    return np.concatenate(
        [
            np.zeros(0, np.int64),
            *(np.arange(game.observation_size)[game.observation[part]] for part in oracle),
        ]
    )


def _seen_by_others(
    batch: Batch, rows: NDArray[np.int64], movers: NDArray[np.int64], parts: Sequence[str]
) -> Floats:
    """Return parts of what the other players see, in the order of the seats after the mover."""
    game = batch.game
    places = oracle_places(game, parts)
    views = np.zeros((len(rows), game.observation_size), np.float32)
    seen = []
    for place in range(1, game.players):
        game.compiled(observe_rows)(
            game.cfg, batch.states, rows, (movers + place) % game.players, views
        )
        seen.append(views[:, places])
    return np.concatenate(seen, axis=1)


def observe_rows(
    cfg: Cfg,
    states: NDArray[np.int64],
    rows: NDArray[np.int64],
    players: NDArray[np.int64],
    views: Floats,
) -> None:
    """Write what a player sees into `views`, for each of some rows; compiled."""
    cfg, states, views = borrow(cfg), borrow(states), borrow(views)
    for k in range(len(rows)):
        observe(cfg, states[rows[k]], players[k], views[k])


def draw(chances: Floats, luck: np.random.Generator) -> NDArray[np.int64]:
    """Return one action per row, drawn by probabilities; never one whose probability is 0."""
    passed = chances.cumsum(axis=1)
    goal = luck.random((len(chances), 1), np.float32) * passed[:, -1:]
    last = chances.shape[1] - 1 - (chances[:, ::-1] > 0).argmax(axis=1)
    return np.minimum((passed <= goal).sum(axis=1), last)
