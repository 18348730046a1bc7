"""Our Scotch bots as programs for the contest: they read four lines and print a bid."""

from __future__ import annotations

import sys

import numpy as np

from bidarena.baselines.adapters.own import chooser, words_from
from bidarena.baselines.adapters.scotch.programs import check_rules
from bidarena.envs.game import Game, State
from bidarena.envs.registry import make_game
from bidarena.envs.scotch.rules import S


def serve(game: str | Game, bot: str, *, seed: int = 0, resident: float = 0.0) -> None:
    """Print the bid for the four lines on stdin.

    Args:
        game: Scotch, or its name.
        bot: the bot's name with options.
        seed: seed of the bot's random numbers.
        resident: leave a process behind that answers the next bids of this command quickly, until
            nobody has asked for so many seconds. The command line does that; nothing happens here.
    """
    print(bid_for(make_game(game), bot, sys.stdin.read(), seed=seed))


def bid_for(game: Game, bot: str, text: str, *, seed: int = 0) -> int:
    """Return what a bot bids in the position of these four lines; it depends on the seed only."""
    check_rules(game)
    player, position, bids = read_lines(text)
    state = replayed(game, player, position, bids)
    return chooser(game, bot)(state, player, words_from(seed, player, len(bids)))


def read_lines(text: str) -> tuple[int, int, list[tuple[int, int]]]:
    """Return player (0 or 1), position and the bids of all rounds; raise ValueError if wrong."""
    lines = text.splitlines()
    lines += [""] * (4 - len(lines))
    try:
        numbers = [[int(word) for word in line.split()] for line in lines]
    except ValueError:
        raise ValueError(f"stdin={text[:80]!r}: expected whole numbers") from None
    if len(numbers[0]) != 1 or numbers[0][0] not in (1, 2):
        raise ValueError(f"line 1={lines[0]!r}: expected the player, 1 or 2")
    if len(numbers[1]) != 1:
        raise ValueError(f"line 2={lines[1]!r}: expected the position of the bottle")
    if len(numbers[2]) != len(numbers[3]):
        raise ValueError(
            f"lines 3 and 4: expected as many bids of both, got {len(numbers[2])} and "
            f"{len(numbers[3])}"
        )
    if any(map(any, numbers[4:])):
        raise ValueError(f"line 5={lines[4]!r}: expected four lines")
    return numbers[0][0] - 1, numbers[1][0], list(zip(numbers[2], numbers[3], strict=True))


def replayed(game: Game, player: int, position: int, bids: list[tuple[int, int]]) -> State:
    """Return the state after these rounds with `player` to move; raise ValueError if impossible."""
    unused = np.ones(2, np.uint64)
    state = game.new_state(unused)
    step, to_move = game.call("step"), game.call("to_move")
    for count, pair in enumerate(bids, 1):
        if to_move(game.cfg, state) != 0:
            raise ValueError(f"lines 3 and 4: the game was over before round {count}")
        for bidder, bid in enumerate(pair):
            money = int(state[S.money + bidder])
            if not 0 <= bid <= money:
                raise ValueError(
                    f"lines 3 and 4: player {bidder + 1} had {money} in round {count}, and "
                    f"cannot have bid {bid}"
                )
            step(game.cfg, state, bid, unused)
    if to_move(game.cfg, state) != 0:
        raise ValueError("lines 3 and 4: the game is over")
    if int(state[S.position]) != position:
        raise ValueError(
            f"line 2: the bottle cannot stand at {position}, the bids bring it to "
            f"{state[S.position]}"
        )
    if player == 1:  # player 0 has bid, and player 1 does not know what
        step(game.cfg, state, min(1, int(state[S.money])), unused)
    return state
