"""`bidarena arena`: play, watch and analyse every game in the browser."""

from __future__ import annotations

import socket
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from bidarena.cli.options import parse
from bidarena.envs.arguments import whole
from bidarena.envs.registry import factory


@dataclass
class Arguments:
    """Serve a web page on which all games are played, watched and analysed.

    Only this machine can reach it unless --host says otherwise; then the printed address holds a
    token that browsers must know. All games are kept in one file, also when the server is killed.

    Example: bidarena arena --open
    """

    port: int = 8000
    """The port; 0 takes any free one."""

    host: str = "127.0.0.1"
    """The address to listen on; 0.0.0.0 for all addresses of this machine."""

    open: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Open the page in a browser."""

    games: tuple[str, ...] = ()
    """Further games, as module:name; the module, which registers the game, is imported."""

    bots: tuple[str, ...] = ()
    """Further bots to choose from, also from outside: cmd:..., file:..., http://..."""

    runs: tuple[Path, ...] = (Path("runs"),)
    """Folders whose policies, tournaments and training runs are shown."""

    store: Path = Path("runs/arena.sqlite")
    """The file in which all games are kept."""


def main(argv: list[str]) -> None:
    """Run the command."""
    args = parse("arena", Arguments, argv)
    whole("port", args.port, 0, 65535)
    if args.games:
        sys.path.insert(0, str(Path.cwd()))
        for name in args.games:
            factory(name)
    try:
        import uvicorn

        from bidarena.arena.app import listen, make_app
        from bidarena.arena.settings import Settings, new_token
    except ModuleNotFoundError as missing:
        raise ValueError(
            f"the arena needs {missing.name}: pip install 'bidarena[arena]'"
        ) from missing
    settings = Settings(args.host, args.port, args.runs, args.store, args.bots)
    if not settings.local:
        settings = Settings(
            args.host, args.port, args.runs, args.store, args.bots, token=new_token()
        )
    listening = listen(args.host, args.port)
    address = _address(listening, settings.token)
    print(f"the arena is at {address}", flush=True)
    if args.open:
        webbrowser.open(address)
    server: Any = uvicorn.Server(
        uvicorn.Config(
            make_app(settings),
            log_level="warning",
            access_log=False,
            limit_concurrency=1000,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=32 * 1024,
        )
    )
    server.run(sockets=[listening])


def _address(listening: socket.socket, token: str) -> str:
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
