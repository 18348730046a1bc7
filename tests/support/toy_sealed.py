"""A game of sealed cards for two to four players, alone or in sides, as a third party would add it.

Every player holds the cards 0, 1, 2, ... For each prize all play a card at the same time. The side
with the larger sum gets the prize; on a tie no side does. The side with more points wins.
"""

from __future__ import annotations

import sys

import numpy as np

from bidarena.envs import Bot, register_bot, register_game
from bidarena.envs.game import (
    OVER,
    Cfg,
    Game,
    Mask,
    Observation,
    Params,
    Returns,
    Rng,
    State,
    layout,
    rules_of,
)
from bidarena.envs.rng import below

PLAYERS, ROUNDS, CARDS, SIDES = 0, 1, 2, 3  # cfg; SIDES: four numbers
SEATS, DECK, PRIZES = 4, 4, 3  # at most so many players, cards; prizes are 1 to 3

STATE = layout(hands=SEATS, played=SEATS, score=SEATS, prize=1, round=1)
HANDS = STATE["hands"].start  # bit c is set while card c is held; played cards leave when shown
PLAYED = STATE["played"].start  # the card committed for this prize, -1 before
SCORE = STATE["score"].start
PRIZE = STATE["prize"].start
ROUND = STATE["round"].start

OBSERVATION = layout(hands=SEATS * DECK, score=SEATS, prize=1, round=1)  # own seat first


def reset(cfg: Cfg, state: State, rng: Rng) -> None:
    for seat in range(SEATS):
        state[HANDS + seat] = (1 << cfg[CARDS]) - 1 if seat < cfg[PLAYERS] else 0
        state[PLAYED + seat] = -1
        state[SCORE + seat] = 0
    state[PRIZE] = 1 + below(rng, PRIZES)
    state[ROUND] = 0


def to_move(cfg: Cfg, state: State) -> int:
    if state[ROUND] >= cfg[ROUNDS]:
        return OVER
    for seat in range(cfg[PLAYERS]):
        if state[PLAYED + seat] < 0:
            return seat
    return OVER


def legal(cfg: Cfg, state: State, mask: Mask) -> None:
    hand = state[HANDS + to_move(cfg, state)]
    for card in range(len(mask)):
        mask[card] = (hand >> card) & 1


def step(cfg: Cfg, state: State, action: int, rng: Rng) -> None:
    seat = to_move(cfg, state)
    state[PLAYED + seat] = action
    if seat == cfg[PLAYERS] - 1:
        award(cfg, state, rng)


def award(cfg: Cfg, state: State, rng: Rng) -> None:
    best = -1
    winner = -1
    for side in range(cfg[PLAYERS]):
        total = -1
        for seat in range(cfg[PLAYERS]):
            if cfg[SIDES + seat] == side:
                total = max(total, 0) + state[PLAYED + seat]
        if total > best:
            best, winner = total, side
        elif total == best:
            winner = -1
    for seat in range(cfg[PLAYERS]):
        if cfg[SIDES + seat] == winner:
            state[SCORE + seat] += state[PRIZE]
        state[HANDS + seat] -= 1 << state[PLAYED + seat]
        state[PLAYED + seat] = -1
    state[PRIZE] = 1 + below(rng, PRIZES)
    state[ROUND] += 1


def returns(cfg: Cfg, state: State, out: Returns) -> None:
    """Write the results: the winners share what the others lose; 0 if no side leads alone."""
    players = cfg[PLAYERS]
    best = 0
    for seat in range(players):
        best = max(best, state[SCORE + seat])
    winners = 0
    side = -1
    alone = True
    for seat in range(players):
        if state[SCORE + seat] == best:
            winners += 1
            alone = alone and side in (-1, cfg[SIDES + seat])
            side = cfg[SIDES + seat]
    losers = players - winners
    for seat in range(players):
        if not alone:
            out[seat] = 0.0
        elif cfg[SIDES + seat] == side:
            out[seat] = losers / max(winners, losers)
        else:
            out[seat] = -winners / max(winners, losers)


def observe(cfg: Cfg, state: State, player: int, out: Observation) -> None:
    out[:] = 0.0
    for other in range(cfg[PLAYERS]):
        seat = (player + other) % cfg[PLAYERS]
        for card in range(cfg[CARDS]):
            out[other * DECK + card] = (state[HANDS + seat] >> card) & 1
        out[SEATS * DECK + other] = state[SCORE + seat] / (PRIZES * cfg[ROUNDS])
    out[SEATS * DECK + SEATS] = state[PRIZE] / PRIZES
    out[SEATS * DECK + SEATS + 1] = state[ROUND] / cfg[ROUNDS]


def determinize(cfg: Cfg, state: State, player: int, rng: Rng) -> None:
    for seat in range(cfg[PLAYERS]):
        if seat != player and state[PLAYED + seat] >= 0:
            guess = -1
            held = 0
            for card in range(cfg[CARDS]):
                if (state[HANDS + seat] >> card) & 1:
                    held += 1
                    if below(rng, held) == 0:
                        guess = card
            state[PLAYED + seat] = guess


def withdraw(cfg: Cfg, state: State) -> None:
    for seat in range(SEATS):
        state[PLAYED + seat] = -1


def sealed(
    *,
    players: int = 4,
    rounds: int = 2,
    cards: int = 3,
    sides: tuple[int, ...] = (0, 1, 0, 1),
) -> Game:
    return Game(
        name="toy_sealed",
        options={"players": players, "rounds": rounds, "cards": cards, "sides": list(sides)},
        rules=rules_of(sys.modules[__name__]),
        cfg=np.array([players, rounds, cards, *sides, *[0] * (SEATS - players)], np.int64),
        players=players,
        actions=cards,
        longest=players * rounds,
        state=STATE,
        observation=OBSERVATION,
        simultaneous="round",
        hidden=False,
        teams=tuple(sides),
        score="score",
    )


def highest(game: Game) -> Bot:
    return Bot("highest", _highest_act, np.zeros(1))


def _highest_act(
    cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask
) -> int:
    legal(cfg, state, scratch)
    best = 0
    for card in range(len(scratch)):
        if scratch[card]:
            best = card
    return best


register_game("toy_sealed", "toy_sealed:sealed", "toy/Sealed-v0")
register_bot("toy_sealed/highest", "toy_sealed:highest")
