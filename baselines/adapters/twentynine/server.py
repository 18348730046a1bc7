"""Our bots as players of the Twenty-nine competition: an HTTP server for its protocol.

    serve("twentynine", "ismcts", port=8001)                # until Ctrl-C
    with serving("twentynine", "rules") as address: ...     # in a thread, on a free port

Every request tells all that is needed, so the server remembers nothing between requests. It answers
GET /hi and POST /bid, /chooseTrump and /play.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from bidarena.baselines.adapters.identity import of_file
from bidarena.baselines.adapters.twentynine.chooser import Chooser, make_chooser
from bidarena.baselines.adapters.twentynine.messages import answer_of
from bidarena.baselines.adapters.twentynine.rebuild import rebuild
from bidarena.baselines.adapters.twentynine.web import Server
from bidarena.envs.arguments import whole
from bidarena.envs.game import Game
from bidarena.envs.phrases import legal_actions
from bidarena.envs.registry import Bot, make_game
from bidarena.envs.registry.paths import find_policy
from bidarena.envs.rng import WORDS
from bidarena.envs.twentynine.rules.layout import A, S

Player = str | Bot | Callable[[Any, Any], Any]


def serve(
    game: str | Game,
    bot: Player,
    *,
    host: str = "127.0.0.1",
    port: int = 8001,
    seed: int = 0,
    cors: str = "",
) -> None:
    """Answer the competition's requests until Ctrl-C.

    Args:
        game: "twentynine", or a `Game` with the competition's rules.
        bot: a bot's name with options, a `Bot`, or a callable (observation, mask) -> action.
        host: which of this machine's addresses to listen on; "0.0.0.0" for all of them.
        port: the competition expects 8001; 0 takes a free one.
        seed: seed of the bot's random numbers; equal requests then get equal answers.
        cors: the origin of web pages that may ask from a browser, such as https://sandbox.example;
            "*" for all pages. Without it none may.
    """
    with _listening(game, bot, host, port, seed, cors) as server:
        print(f"bidarena: {bot} answers at {server.address}; Ctrl-C ends it", file=sys.stderr)
        with suppress(KeyboardInterrupt):
            server.serve_forever(poll_interval=0.2)


@contextmanager
def serving(
    game: str | Game,
    bot: Player,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    seed: int = 0,
    cors: str = "",
) -> Iterator[str]:
    """Context manager that answers requests in a thread and yields the address.

    The arguments are those of `serve`.
    """
    with _listening(game, bot, host, port, seed, cors) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server.address
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def _listening(
    game: str | Game, bot: Player, host: str, port: int, seed: int, cors: str
) -> Iterator[Server]:
    """Context manager that yields a server that listens; raise ValueError if it cannot."""
    made = make_game(game)
    if not (cors in ("", "*") or (cors.startswith(("http://", "https://")) and cors.isprintable())):
        raise ValueError(f"cors={cors!r}: expected * or an origin such as https://sandbox.example")
    whole("port", port, 0, 65535)
    chooser = make_chooser(made, bot, whole("seed", seed, 0, 2**63))
    try:
        server = Server(partial(answer, made, chooser), host, port, _about(bot, seed), cors)
    except OSError as wrong:
        raise ValueError(f"host={host!r}, port={port}: cannot listen there: {wrong}") from None
    try:
        yield server
    finally:
        server.server_close()


def _about(bot: Player, seed: int) -> dict[str, str]:
    """Return name and version of what answers, so that results of other bots are told apart."""
    name = bot if isinstance(bot, str) else str(getattr(bot, "name", type(bot).__name__))
    told = f"{version('bidarena')} seed {seed}"
    policy = find_policy(bot) if isinstance(bot, str) else None
    if policy is not None:
        told += f" {of_file(policy[0]).digest[:16]}"
    return {"name": f"bidarena {name}", "version": told}


def answer(game: Game, choose: Chooser, path: str, request: Any, arrived: float) -> dict[str, Any]:
    """Return the answer to a request.

    When the bidder reveals the trump, the answer includes a card. Other players learn the trump
    only then, and are asked again.

    Args:
        game: a game with the competition's rules.
        choose: chooses the action.
        path: "/bid", "/chooseTrump" or "/play".
        request: the body of the request, parsed from JSON.
        arrived: when it arrived, by `time.monotonic`.

    Raises:
        ValueError: if the request is broken; the message names the field.
        RuntimeError: if the bot fails or breaks the rules.
    """
    state, seat, remaining, _ = rebuild(game, path, request)

    def act() -> int:
        passed = (time.monotonic() - arrived) * 1000
        try:
            action = choose(state, seat, remaining - passed)
        except ValueError as wrong:  # the bot's mistake, not the request's
            raise RuntimeError(f"the bot failed: {wrong}") from wrong
        if action not in legal_actions(game, state):
            raise RuntimeError(f"the bot chose {action}, which is not legal")
        return action

    action = act()
    if action == A.reveal and seat == state[S.bidder]:
        game.call("step")(game.cfg, state, action, np.ones(WORDS, np.uint64))
        return {**answer_of(action), **answer_of(act())}
    return answer_of(action)
