"""Let one of our bots answer the line protocol of docs/protocol.md: the other side of bot.py.

This runs in a process that somebody else, or a test, has started by `bidarena serve`.
"""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

import numpy as np

from bidarena.baselines.adapters.lines.bot import PROTOCOL
from bidarena.baselines.adapters.own import Chooser, chooser, words_from
from bidarena.envs.arguments import whole, wholes
from bidarena.envs.game import Game, State
from bidarena.envs.registry import make_game
from bidarena.envs.stopping import finish_first


def serve(
    game: str,
    bot: str,
    *,
    seed: int = 0,
    questions: TextIO | None = None,
    answers: TextIO | None = None,
) -> None:
    """Answer messages until there are no more; the first one brings the rules of the game.

    Args:
        game: the name of the expected game.
        bot: the name of the bot, with options.
        seed: is mixed with the seed that comes with each position.
        questions: the messages, by default stdin.
        answers: where answers are written, by default stdout.
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
            with finish_first():
                rng = words_from(seed, message.get("seed", 0))
                state = state_from(played, message)
                seat = whole("seat", message.get("seat"), 0, played.players - 1)
                _tell(answers, {"action": choose(state, seat, rng)})
            continue
        else:  # the end of a game, or a message of a later version: our bots do not need it
            continue
        _tell(answers, reply)


def _tell(answers: TextIO, reply: dict[str, Any]) -> None:
    answers.write(json.dumps(reply) + "\n")
    answers.flush()


def state_from(game: Game, message: dict[str, Any]) -> State:
    """Return the state in a message of type "move"."""
    told = message.get("state")
    if not isinstance(told, dict):
        raise ValueError(f"state: expected an object with the keys {', '.join(game.state)}")
    state = np.zeros(game.state_size, np.int64)
    for name, part in game.state.items():
        value, size = told.get(name), part.stop - part.start
        values = [value] if size == 1 and not isinstance(value, list) else value
        state[part] = wholes(f"state.{name}", values, size, -(2**63), 2**63 - 1)
    return game.checked_state(state)


def _warm_up(game: Game, choose: Chooser) -> None:
    """Make one decision in a new game, so that everything is compiled before the clock runs."""
    state = game.new_state(words_from(0))
    choose(state, int(game.call("to_move")(game.cfg, state)), words_from(1))


def _read(line: str) -> dict[str, Any]:
    """Return a message; ValueError unless it is a JSON object with a type."""
    try:
        message = json.loads(line)
    except ValueError:
        message = None
    if not isinstance(message, dict) or "type" not in message:
        raise ValueError(f"expected a JSON object with a type, got {line[:80]!r}")
    return message


def _meet(game: str, message: dict[str, Any]) -> Game:
    """Return the game of a hello; ValueError unless protocol and game are the expected ones."""
    if message.get("protocol") != PROTOCOL:
        raise ValueError(f"protocol={message.get('protocol')!r}: expected {PROTOCOL}")
    if message.get("game") != game.rpartition(":")[2]:
        raise ValueError(f"game={message.get('game')!r}: this bot plays {game}")
    return make_game(game, **message.get("rules", {}))
