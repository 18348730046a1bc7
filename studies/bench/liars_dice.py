"""Liar's dice with one die each: bids rise until a player calls the other a liar.

A game that other programs have too, by which solvers are compared; its size grows fourfold with
every face of the dice. It is not registered. As in OpenSpiel's `liars_dice`, a bid is a number of
dice and a face, more dice are higher than higher faces, the highest face counts as any other, and
the caller wins 1 if there are fewer such dice than the last bid said.
"""

from __future__ import annotations

import sys

import numpy as np

from bidarena.envs.game import (
    OVER,
    Cfg,
    Game,
    Mask,
    Observation,
    Returns,
    Rng,
    State,
    layout,
    rules_of,
    starts,
)
from bidarena.envs.rng import below

MOST = 10  # faces

STATE = layout(dice=2, bids=1, last=1, mover=1, called=1)  # bids: a bit for each bid made
S = starts(STATE)
VIEW = layout(die=MOST, seat=1, bids=2 * MOST)
V = starts(VIEW)


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    """Roll a die for each player."""
    for at in range(len(state)):
        state[at] = 0
    state[S.dice] = below(rng, cfg[0])
    state[S.dice + 1] = below(rng, cfg[0])
    state[S.last] = -1


def to_move(cfg: Cfg, state: State) -> int:
    """Return who is to bid or to call; OVER after the call."""
    return OVER if state[S.called] else state[S.mover]


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    """Mark the higher bids, and the call if there is a bid."""
    for bid in range(2 * cfg[0]):
        mask[bid] = 1 if bid > state[S.last] else 0
    mask[2 * cfg[0]] = 1 if state[S.last] >= 0 else 0


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    """Bid, or call the other player a liar."""
    if action == 2 * cfg[0]:
        state[S.called] = 1
        return
    state[S.last] = action
    state[S.bids] |= 1 << action
    state[S.mover] = 1 - state[S.mover]


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write 1 for the winner and -1 for the loser; the caller is the player to move."""
    number, face = state[S.last] // cfg[0] + 1, state[S.last] % cfg[0]
    found = 0
    for player in range(2):
        die = state[S.dice + player]
        found += 1 if die == face or die == cfg[0] - 1 else 0
    caller = state[S.mover]
    out[caller] = 1.0 if found < number else -1.0
    out[1 - caller] = -out[caller]


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    """Write the own die and all bids."""
    for at in range(len(out)):
        out[at] = 0.0
    out[V.die + state[S.dice + player]] = 1.0
    out[V.seat] = player
    for bid in range(2 * cfg[0]):
        out[V.bids + bid] = (state[S.bids] >> bid) & 1


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    """Roll the other player's die again."""
    state[S.dice + 1 - player] = below(rng, cfg[0])


def liars_dice(faces: int = 6) -> Game:
    """Return the game with dice of 2 to 10 faces."""
    return Game(
        name="liars_dice",
        options={"faces": faces},
        rules=rules_of(sys.modules[__name__]),
        cfg=np.array([faces], np.int64),
        players=2,
        actions=2 * faces + 1,
        longest=2 * faces + 1,
        state=STATE,
        observation=VIEW,
    )
