"""The arena's boards on a page of their own, in a real browser, with positions of real games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from playwright.sync_api import ConsoleMessage, Page, sync_playwright

from bidarena.envs.game import Game, State
from bidarena.envs.phrases import legal_actions, mover_of, phrases_of
from bidarena.envs.registry import find_tool

STATIC = Path(__file__).parents[2] / "arena" / "static"
CHROMIUM = "/usr/bin/chromium"
PAGE = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>boards</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/boards/boards.css"></head>
<body><main id="place"></main></body></html>"""
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
def board_pages() -> Iterator[Callable[..., Page]]:
    """Yield a function that opens an empty page, on which `show` puts boards.

    It takes the width and height of the page, and options of Playwright's `new_page`. Errors on any
    of the pages fail at the end.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(STATIC)))
    Thread(target=server.serve_forever, daemon=True).start()
    problems: list[str] = []

    def note(said: ConsoleMessage) -> None:
        if said.type == "error" and not said.location["url"].endswith("favicon.ico"):
            problems.append(said.text)

    try:
        with sync_playwright() as play:
            browser = play.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )

            def open_page(width: int = 900, height: int = 900, **options: Any) -> Page:
                page = browser.new_page(viewport={"width": width, "height": height}, **options)
                page.on("pageerror", lambda error: problems.append(str(error)))
                page.on("console", note)
                page.goto(f"http://127.0.0.1:{server.server_port}/")
                return page

            yield open_page
            browser.close()
    finally:
        server.shutdown()
        server.server_close()
    assert not problems


def props_of(game: Game, state: State, seat: int | None, *, enabled: bool = True) -> dict[str, Any]:
    """Return what a board is given for this position: view, legal moves and their names.

    A spectator, who sees everything, may try the moves of all players if the board is `enabled`.
    """
    view = find_tool(game.name, "view")
    mover = mover_of(game, state)
    legal = legal_actions(game, state) if mover >= 0 and seat in (None, mover) else []
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
  window.takes = props.view.takes;
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


# Chooses every action in turn: a bid by the form, coins by pressing them, others by their element
CHOOSE = """(legal) => {
  const find = (selector) => document.querySelector(selector);
  const press = (coin) => {
    const box = find(`[data-coin="${coin}"] .coin-rim`).getBoundingClientRect();
    const at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true };
    find(`[data-coin="${coin}"]`).dispatchEvent(new PointerEvent("pointerdown", at));
    window.dispatchEvent(new PointerEvent("pointerup", at));
  };
  for (const action of legal) {
    const field = find("[data-bid-input]");
    if (field) {
      field.value = String(action);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      find("[data-bid-submit]").click();
    } else if (find("[data-take-submit]")) {
      find("[data-take-clear]").click();
      window.takes[action].forEach(press);
      const send = find("[data-take-submit]");
      if (send.dataset.action !== String(action)) window.calls.push(`not ${action}`);
      send.click();
    } else {
      const all = document.querySelectorAll(`[data-action="${action}"]`);
      if (all.length !== 1) window.calls.push(`${all.length} elements for ${action}`);
      all[0]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    }
  }
  return window.calls.splice(0);
}"""

# Uses all elements of the board, those that match `but` and what they contain aside
TOUCH = """(but) => {
  for (const element of document.querySelectorAll("#place *")) {
    if (but && element.closest(but)) continue;
    const box = element.getBoundingClientRect();
    const at = { clientX: box.x + 2, clientY: box.y + 2, bubbles: true };
    element.dispatchEvent(new PointerEvent("pointerdown", at));
    window.dispatchEvent(new PointerEvent("pointerup", at));
    element.dispatchEvent(new MouseEvent("click", at));
    for (const key of ["Enter", " ", "ArrowRight"]) {
      element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }
    if (element instanceof HTMLFormElement) element.requestSubmit();
  }
  return window.calls.splice(0);
}"""


def choose_all(page: Page, legal: list[int]) -> list[Any]:
    """Choose each of these actions through the board; return the actions that it called."""
    chosen: list[Any] = page.evaluate(CHOOSE, legal)
    return chosen


def touch_everything(page: Page, but: str = "") -> list[int]:
    """Use all elements except those that match `but`; return the actions that were called."""
    called: list[int] = page.evaluate(TOUCH, but)
    return called
