"""Ask programs in any language that speak lines of JSON on stdin and stdout (docs/protocol.md).

This runs in our process; the program runs in a `Sandbox`.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

from bidarena.baselines.adapters.asked import Asked, as_bot, whole_number
from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.sandbox import Sandbox
from bidarena.baselines.adapters.seats import Seat
from bidarena.envs.game import Game, Rng, State
from bidarena.envs.phrases import phrases_of
from bidarena.envs.registry import Bot

PROTOCOL = 1
GUESS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)  # generator of every guess: guesses repeat


def hello(game: Game, limits: Limits) -> dict[str, Any]:
    """Return the first message to a program: the game, its rules and the limits."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "game": game.name,
        "rules": game.options,
        "players": game.players,
        "actions": game.actions,
        "seconds": limits.seconds,
        "seconds_per_game": limits.game,
    }


def guess_for(game: Game, state: State, player: int) -> State:
    """Return a state in which all that a player cannot know is replaced by something possible.

    Two positions that the player cannot tell apart give the same guess.
    """
    guess = state.copy()
    game.call("determinize")(game.cfg, guess, player, np.array(GUESS, np.uint64))
    return guess


def decision(game: Game, state: State, player: int) -> dict[str, Any]:
    """Return what a player may know of a position, and the legal actions, as parts of a message.

    The state in it is a guess: what the player cannot know is replaced by something possible. Two
    positions that the player cannot tell apart give equal messages, so nothing hidden gets out.
    """
    guess = guess_for(game, state, player)
    seen = np.zeros(game.observation_size, np.float32)
    game.call("observe")(game.cfg, guess, player, seen)
    mask = np.zeros(game.actions, np.int8)
    game.call("legal")(game.cfg, guess, mask)
    legal = np.flatnonzero(mask).tolist()
    message = {
        "observation": _parts(game.observation, seen),
        "state": _parts(game.state, guess),
        "legal": legal,
    }
    if game.phrases:
        name = phrases_of(game).name
        message["names"] = [name(game, guess, action) for action in legal]
    return message


def _parts(layout: Mapping[str, slice], values: Any) -> dict[str, list[Any]]:
    return {name: values[part].tolist() for name, part in layout.items()}


def seed_for(game: Game, rng: Rng) -> int:
    """Return a random number below 2**53 for a bot's own generator, drawn from that of the game.

    It is hashed, because the game and other bots draw from that generator too: from the hash, a bot
    cannot compute their numbers.
    """
    from bidarena.envs.rng import word

    drawn = int(game.compiled(word)(rng))
    return int.from_bytes(blake2b(drawn.to_bytes(8, "little"), digest_size=8).digest()) >> 11


class Speaker(Asked):
    """Asks a program that keeps running and answers line by line.

    A subclass may tell the position in another way (`told`) and read the answer (`action_in`).
    """

    def __init__(self, game: Game, program: Sandbox) -> None:
        super().__init__(game, program)
        self._news: list[dict[str, Any]] = []  # need no answer; sent with the next question

    def get_ready(self) -> None:
        """Start the program and exchange hello messages, unless it runs already."""
        if self.program.running:
            return
        self._news.clear()
        self.program.start()
        greeting = self._ask(hello(self.game, self.limits), self.limits.start)
        if greeting.get("protocol") != PROTOCOL:
            self.program.end()
            raise Fault(
                f'answered the hello with {str(greeting)[:80]}, expected {{"protocol": {PROTOCOL}}}'
            )

    def move(self, seat: Seat, state: State, rng: Rng, seconds: float) -> int:
        """Tell the position, and return the action that the program answers."""
        message = {
            "type": "move",
            "game": seat.number,
            "seat": seat.player,
            **self.told(state, seat.player),
            "seed": seed_for(self.game, rng),
            "seconds": round(seconds, 3),
        }
        return self.action_in(self._ask(message, seconds), state, seat.player)

    def told(self, state: State, player: int) -> dict[str, Any]:
        """Return what the program is told of a position, as parts of a message."""
        return decision(self.game, state, player)

    def action_in(self, answer: dict[str, Any], state: State, player: int) -> int:
        """Return the action in an answer; raise `Fault` if there is none."""
        if "action" not in answer:
            raise Fault(f'answered {str(answer)[:80]}, expected {{"action": number}}')
        return whole_number(answer["action"])

    def game_over(self, seat: Seat) -> None:
        """Tell the program with the next question that a game has ended."""
        self._news.append({"type": "end", "game": seat.number})

    def _ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send the news and a message, and return the answer; raise `Fault` unless it is JSON."""
        lines = [json.dumps(one).encode() for one in (*self._news, message)]
        self._news.clear()
        line = self.program.ask(b"\n".join(lines), seconds)
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            self.program.end()  # its next line might not be an answer either
            raise Fault(f"wrote {line[:60].decode(errors='replace')!r}, expected a JSON object")
        return answer


def lines_bot(game: Game, command: str, limits: Limits) -> Bot:
    """Return the bot of a program that speaks lines of JSON.

    Args:
        game: the game that is played.
        command: starts the program; split into words as by a shell.
        limits: the limits of the program.
    """
    return as_bot(f"json:{command}", Speaker(game, Sandbox(shlex.split(command), limits)))
