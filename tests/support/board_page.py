"""The arena's boards on a page of their own, in a real browser, with positions of real games."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bidarena.envs.game import Game, State
from bidarena.envs.phrases import legal_actions, mover_of, phrases_of
from bidarena.envs.registry import find_tool

STATIC = Path(__file__).parents[2] / "arena" / "static"
CHROMIUM = "/usr/bin/chromium"
PAGE = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>boards</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/boards/boards.css"></head><body><main id="place"></main></body></html>"""
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"


class _Files(SimpleHTTPRequestHandler):
    """Serves the static files, and an empty page with a strict policy."""

    def do_GET(self) -> None:
        if self.path != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def board_page(width: int = 900, height: int = 900, **options: Any) -> Iterator[Page]:
    """Yield an empty page of a browser on which `show` puts boards; errors on it fail the test."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(STATIC)))
    Thread(target=server.serve_forever, daemon=True).start()
    problems: list[str] = []
    try:
        with sync_playwright() as play:
            browser = play.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": width, "height": height}, **options)
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("console", lambda said: problems.append(said.text) if said.type == "error" else 0)
            page.goto(f"http://127.0.0.1:{server.server_port}/")
            yield page
            browser.close()
    finally:
        server.shutdown()
        server.server_close()
    problems = [text for text in problems if not re.search("favicon|404", text)]
    assert not problems


def props_of(
    game: Game, state: State, seat: int | None, *, enabled: bool = True
) -> dict[str, Any]:
    """Return what a board is given for this position: view, legal moves and their names."""
    view = find_tool(game.name, "view")
    mover = mover_of(game, state)
    legal = legal_actions(game, state) if mover >= 0 and mover == seat else []
    book = phrases_of(game)
    return {
        "view": view(game, state, seat),
        "legal": legal,
        "phrases": {str(action): book.name(game, state, action) for action in legal},
        "enabled": enabled,
        "lastMove": None,
    }


MOUNT = """async ([name, props]) => {
  window.shown?.destroy();
  window.calls = [];
  const { mount } = await import(`/boards/${name}.js`);
  const onAction = (action) => window.calls.push(action);
  window.shown = mount(document.querySelector("#place"), { ...props, onAction });
}"""


def show(page: Page, board: str, props: dict[str, Any]) -> None:
    """Put a new board on the page."""
    page.evaluate(MOUNT, [board, props])


def update(page: Page, props: dict[str, Any]) -> None:
    """Show another position on the board that is there."""
    page.evaluate("(props) => { window.calls = []; window.shown.update(props); }", props)


def calls(page: Page) -> list[int]:
    """Return the actions that were chosen since the last call, and forget them."""
    chosen: list[int] = page.evaluate("() => window.calls.splice(0)")
    return chosen
