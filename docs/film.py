"""Make the pictures of the arena and the animation of the README from the running page.

    python docs/film.py

An arena is started with a store of its own, a browser (Debian's chromium) plays, and what it shows
is written to docs/images/arena*.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
CHROMIUM = "/usr/bin/chromium"
SIZE = {"width": 1120, "height": 700}
WIDE = 800  # pixels of the animation
MOST = 2 * 2**20  # bytes of the animation
PATIENCE = 120_000


class Film:
    """Pictures of a page, each with the time that it is shown."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[tuple[Image.Image, int]] = []

    def take(self, milliseconds: int) -> None:
        """Add what the page shows now."""
        picture = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        high = round(picture.height * WIDE / picture.width)
        self.frames.append((picture.resize((WIDE, high), Image.Resampling.LANCZOS), milliseconds))

    def save(self, path: Path) -> None:
        """Write the animation; raise if it is too large."""
        first, *rest = [picture for picture, _ in self.frames]
        times = [milliseconds for _, milliseconds in self.frames]
        first.save(
            path, save_all=True, append_images=rest, duration=times, loop=0, quality=72, method=6
        )
        size = path.stat().st_size
        print(f"{path.name}: {sum(times) / 1000:.1f} s, {len(times)} pictures, {size:,} bytes")
        if size > MOST:
            raise SystemExit(f"{path} is larger than {MOST:,} bytes")


def begin(page: Page, game: str, rules: dict[str, str], others: dict[int, str]) -> None:
    """Fill in the form of a game and start it."""
    page.goto(f"/new/{game}")
    if rules:
        page.locator("summary", has_text="Rules").click()
    for rule, text in rules.items():
        page.fill(f"#rule-{rule}", text)
    for seat, bot in others.items():
        page.select_option(f"#seat-{seat}", bot)


def start(page: Page) -> None:
    """Start the game of the form and wait for the first turn."""
    page.get_by_role("button", name="Start").click()
    page.locator(".side > .line", has_text="Your move").wait_for(timeout=PATIENCE)
    page.wait_for_timeout(300)


def over(page: Page) -> bool:
    """Wait until the person is to move or the game is over; return whether it is over."""
    turn = page.locator(".side > .line").first
    while not re.search("Your move|win|lose|drawn", turn.inner_text()):
        page.wait_for_timeout(30)
    page.wait_for_timeout(150)
    return page.locator(".side > .line.result").count() > 0


def open_analysis(page: Page) -> None:
    """Open the analysis of a game that is over, and wait until every move is judged."""
    page.get_by_role("link", name="Analyse").click()
    page.locator(".content[data-judged=all]").wait_for(timeout=PATIENCE)
    page.wait_for_timeout(600)


def film(page: Page) -> None:
    """Play a game of cards for items, analyse it, then show a table of four."""
    made = Film(page)
    page.goto("/")
    page.locator(".card").first.wait_for()
    made.take(1500)
    begin(page, "raj", {}, {1: "greedy"})
    page.locator("summary", has_text="Rules").wait_for()
    made.take(1200)
    start(page)
    made.take(900)
    while not over(page):
        keys = page.locator(".board [data-action]:not([disabled])")
        keys.nth(keys.count() // 2).hover()
        made.take(250)
        keys.nth(keys.count() // 2).click()
        page.wait_for_timeout(200)
        made.take(550)
    made.take(1200)
    open_analysis(page)
    made.take(1200)
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(250)
        made.take(400)
    page.locator(".advice tbody tr:not(.played) button").first.click()
    page.wait_for_timeout(500)
    made.take(1400)
    page.screenshot(path=IMAGES / "arena-analysis.png")
    begin(page, "twentynine", {}, {1: "rules", 2: "rules", 3: "rules"})
    start(page)
    made.take(900)
    for _ in range(9):
        if over(page):
            break
        keys = page.locator(".board [data-action]:not([disabled]):not([aria-disabled=true])")
        keys.last.click()
        page.wait_for_timeout(250)
        over(page)
        made.take(450)
    page.screenshot(path=IMAGES / "arena-table.png")
    made.save(IMAGES / "arena.webp")


def pictures(page: Page) -> None:
    """Take the other pictures of the page of documentation."""
    begin(page, "coins", {"board": "triangle5"}, {1: "surewin"})
    start(page)
    page.keyboard.press("h")
    page.locator(".advice").wait_for()
    page.screenshot(path=IMAGES / "arena-hint.png")
    page.goto("/new/raj?watch")
    page.select_option("#seat-0", "ismcts")
    page.select_option("#seat-1", "learned")
    page.get_by_role("button", name="Start").click()
    page.locator(".thoughts tr").first.wait_for(timeout=PATIENCE)
    page.wait_for_timeout(3000)
    page.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / "arena-watch.png")


def main() -> None:
    """Start an arena and a browser, and make all pictures."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bidarena.cli.main", "arena", "--port", "0"]
        with (
            subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server,
            sync_playwright() as play,
        ):
            try:
                assert server.stdout is not None
                address = server.stdout.readline().split()[-1]
                browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                context = browser.new_context(viewport=SIZE, base_url=address)
                page = context.new_page()
                page.set_default_timeout(PATIENCE)
                film(page)
                pictures(page)
                phone = browser.new_context(
                    viewport={"width": 390, "height": 760}, base_url=address, color_scheme="dark"
                ).new_page()
                phone.set_default_timeout(PATIENCE)
                begin(phone, "scotch", {}, {1: "dp"})
                start(phone)
                phone.screenshot(path=IMAGES / "arena-phone.png")
                browser.close()
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
