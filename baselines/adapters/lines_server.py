"""Our bots behind the line protocol of docs/protocol.md: the other side of `lines.py`."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

import numpy as np

from bidarena.baselines.adapters.lines import PROTOCOL
from bidarena.baselines.adapters.own import Chooser, chooser, words_from
from bidarena.envs.game import Game, State
from bidarena.envs.registry import make_game


def serve(
    game: str,
    bot: str,
    *,
    seed: int = 0,
    questions: TextIO | None = None,
    answers: TextIO | None = None,
) -> None:
    """Answer messages until there are no more; the rules of the game come with the first one.

    Args:
        game: the name of the game that is expected.
        bot: its name with options.
        seed: mixed into the random numbers that come with each position.
        questions: where messages are read, by default stdin.
        answers: where answers go, by default stdout.
    """
    answers = answers or sys.stdout
    choose: Chooser | None = None
    played: Game | None = None
    for line in questions or sys.stdin:
        message = _read(line)
        if message["type"] == "hello":
            played = _meet(game, message)
            choose = chooser(played, bot)
            _warm_up(played, choose)
            reply: dict[str, Any] = {"type": "hello", "protocol": PROTOCOL, "name": bot}
        elif message["type"] == "move":
            if played is None or choose is None:
                raise ValueError("a move was asked for before the hello")
            words = words_from(seed, message.get("seed", 0))
            reply = {"action": choose(state_from(played, message), message["seat"], words)}
        else:  # the end of a game, and whatever later versions tell: our bots need not know
            continue
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


def state_from(game: Game, message: dict[str, Any]) -> State:
    """The state that a message tells."""
    state = np.zeros(game.state_size, np.int64)
    for name, part in game.state.items():
        state[part] = message["state"][name]
    return state


def _warm_up(game: Game, choose: Chooser) -> None:
    """Have everything compiled before the clock runs: one decision in a game that is not played."""
    state = game.new_state(words_from(0))
    choose(state, int(game.call("to_move")(game.cfg, state)), words_from(1))


def _read(line: str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        message = None
    if not isinstance(message, dict) or "type" not in message:
        raise ValueError(f"expected a JSON object with a type, got {line[:80]!r}")
    return message


def _meet(game: str, message: dict[str, Any]) -> Game:
    if message.get("protocol") != PROTOCOL:
        raise ValueError(f"protocol={message.get('protocol')!r}: expected {PROTOCOL}")
    if message.get("game") != game.rpartition(":")[2]:
        raise ValueError(f"game={message.get('game')!r}: this bot plays {game}")
    return make_game(game, **message.get("rules", {}))
