"""What a network that judges positions part by part does in all positions of a board, at once.

Asking its bot in every position would judge most positions many times. Here every position is
judged once, and a part of it only where no other position has had it; then all moves are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.coins.keeping import end_of, index_positions
from bidarena.baselines.learned.network import SIZES
from bidarena.baselines.learned.parts import H, judge_parts, parts_act
from bidarena.envs.coins.rules import POINTS, C, S
from bidarena.envs.compile import borrow, keep
from bidarena.envs.game import Cfg, Game, Params
from bidarena.envs.registry import Bot

REMEMBERED = 1 << 16  # parts


def plays_by_parts(game: Game, player: Any) -> bool:
    """Return whether a player is a bot that judges positions part by part."""
    return isinstance(player, Bot) and player.act is parts_act and game.cfg[C.score] != POINTS


class PartsAsker:
    """Answers like an `Asker` for a bot that judges positions part by part, but far sooner."""

    def __init__(self, game: Game, bot: Bot) -> None:
        self.game, self.index = game, index_positions(game)
        self.method = "the network's judgement of every position"
        self.exact = True
        self._told: NDArray[np.float64] | None = None
        self._bot = bot

    def __call__(self, positions: NDArray[np.int64], seat: int) -> NDArray[np.float64]:
        """Return the probabilities (positions, actions) with which the bot moves."""
        game, bot = self.game, self._bot
        if self._told is None:
            self._told = np.zeros(1 << int(game.cfg[C.coins]))
            state = np.zeros(game.state_size, np.int64)
            judge: Any = game.compiled(judge_boards, **bot.more)
            judge(game.cfg, bot.params, state, self._told)
        policy = np.zeros((len(positions), game.actions))
        choose: Any = game.compiled(choose_in)
        choose(game.cfg, end_of(game), self._told, positions, policy)
        return policy


# --- compiled ------------------------------------------------------------------------------------


def judge_boards(
    cfg: Cfg, params: Params, state: NDArray[np.int64], told: NDArray[np.float64]
) -> None:
    """Write what the network says of every position; `state` is room for one."""
    cfg, params, state = borrow(cfg), borrow(params), borrow(state)
    network = params[int(params[H.network_at]) :]
    factors = int(network[SIZES + int(params[H.part_layers])])
    keys = np.zeros(REMEMBERED, np.uint64)
    made = (
        np.empty((int(params[H.most]), int(network[SIZES])), np.float32),
        np.empty((REMEMBERED, factors), params.dtype),
    )
    views, memo = borrow(made[0]), borrow(made[1])
    for board in range(1, len(told)):
        state[S.board] = board
        told[board] = judge_parts(cfg, params, state, views, borrow(keys), memo)
    keep(made)
    keep(keys)


def choose_in(
    cfg: Cfg,
    end: int,
    told: NDArray[np.float64],
    positions: NDArray[np.int64],
    policy: NDArray[np.float64],
) -> None:
    """Write 1 for the first action that leads to the position judged worst for the next mover."""
    cfg, told, policy = borrow(cfg), borrow(told), borrow(policy)
    for k in range(len(positions)):
        board = positions[k]
        best, least = -1, np.inf
        for action in range(cfg[C.segments]):
            take = cfg[C.takes + action]
            if take & ~board != 0:
                continue
            after = board ^ take
            worth = told[after] if after != 0 else (np.inf if end < 0 else -np.inf)
            if best < 0 or worth < least:
                best, least = action, worth
        if best >= 0:
            policy[k, best] = 1.0
