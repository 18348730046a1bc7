"""Report pages in a real browser: they open from a file, alone, and their games can be stepped."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bidarena.envs import make_game
from bidarena.evaluate.tournament import run_tournament
from bidarena.evaluate.tournament.plan import Tournament
from bidarena.evaluate.tournament.report import report
from bidarena.evaluate.tournament.standings import standings

BROWSER = shutil.which("chromium")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs chromium on the PATH")

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars"),
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    plan = Tournament(make_game("raj"), ("random", "value", "valueplus"), 20, 2)
    met = run_tournament(plan, tmp_path_factory.mktemp("run"))
    return report(standings(plan, met), command="bidarena tournament raj")


def opened(folder: Path, page: str, script: str, size: str = "1100,900") -> str:
    """The page after a script ran in it, as the browser has it then."""
    file = folder / "report.html"
    file.write_text(page.replace("</body>", f"<script>{script}</script></body>"))
    how = (f"--window-size={size}", "--dump-dom")
    return browse(folder, *how, file.as_uri())


def browse(folder: Path, *words: str) -> str:
    """Run the browser with a profile of its own; what it prints."""
    command = [str(BROWSER), *FLAGS, f"--user-data-dir={folder / 'profile'}", *words]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return run.stdout


def told(dom: str) -> dict:
    """What the script left behind."""
    found = re.search(r'<output id="told">(.*?)</output>', dom, re.S)
    assert found, dom[-2000:]
    return json.loads(html.unescape(found.group(1)))


TELL = """
const find = name => document.querySelector(".replay ." + name);
const state = () => ({caption: find("caption").textContent, frame: find("frame").textContent,
    at: Number(find("moment").value), last: Number(find("moment").max),
    spans: find("frame").querySelectorAll("span[class^=c]").length});
const click = step => document.querySelector(`[data-step=${step}]`).click();
const errors = [];
addEventListener("error", event => errors.push(event.message));
function leave(value) {
    const output = document.createElement("output");
    output.id = "told";
    output.textContent = JSON.stringify({...value, errors});
    document.body.append(output);
}
"""


def test_browser__buttons_step_through_a_game(tmp_path, page):
    script = (
        TELL
        + """
    const seen = [state()];
    for (const step of ["next", "next", "back", "last", "next", "first"]) {
        click(step); seen.push(state()); }
    leave({seen});
    """
    )
    found = told(opened(tmp_path, page, script))
    assert found["errors"] == []
    seen = found["seen"]
    assert [one["at"] for one in seen] == [0, 1, 2, 1, 12, 12, 0]
    assert seen[0]["last"] == 12 and seen[0] == seen[6] and seen[1] == seen[3]
    assert seen[1]["caption"].startswith("move 1 of 12: ") and "in seat 0" in seen[1]["caption"]
    assert len({one["frame"] for one in seen}) >= 4
    assert "Raj" in seen[0]["frame"] and "\x1b" not in seen[0]["frame"]
    assert seen[0]["spans"] > 0  # the terminal's colours


def test_browser__keys_choices_and_tips_work(tmp_path, page):
    script = (
        TELL
        + """
    document.querySelector(".replay").scrollIntoView({behavior: "instant"});
    const key = name => document.body.dispatchEvent(
        new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
    const keys = [];
    for (const name of ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"]) {
        key(name); keys.push(state().at); }
    const games = find("game"), views = find("view");
    const before = state();
    games.value = "3"; games.dispatchEvent(new Event("change"));
    const other = state(), result = find("result").textContent;
    click("next");
    const mover = state().frame;
    views.selectedIndex = 1; views.dispatchEvent(new Event("change"));
    const first_seat = state();
    const cell = document.querySelector(".cell");
    cell.dispatchEvent(new MouseEvent("click", {bubbles: true}));
    leave({keys, games: games.options.length, groups: games.querySelectorAll("optgroup").length,
        views: [...views.options].map(one => one.text), result, mover, first_seat, before, other,
        tip: document.querySelector(".tip").textContent, expected: cell.dataset.tip});
    """
    )
    found = told(opened(tmp_path, page, script))
    assert found["errors"] == []
    assert found["keys"] == [1, 2, 1, 12, 0]
    assert (found["games"], found["groups"]) == (6, 3)
    assert found["views"][0] == "the seat to move" and len(found["views"]) == 3
    assert found["result"].startswith("Result: seat 0 (")
    assert found["first_seat"]["at"] == 1 and found["first_seat"]["frame"] != found["mover"]
    assert found["tip"] == found["expected"] and "against" in found["tip"]


@pytest.mark.parametrize("size", ["1200,900", "500,900"])
def test_browser__the_page_is_not_wider_than_the_window(tmp_path, page, size):
    script = TELL + "leave({wide: document.documentElement.scrollWidth, window: innerWidth});"
    found = told(opened(tmp_path, page, script, size))
    assert found["wide"] <= found["window"]


def test_browser__nothing_is_loaded_from_anywhere(tmp_path, page):
    script = (
        TELL
        + """
    fetch("data:text/plain,hello").then(() => "loaded", () => "refused").then(answer => leave({
        answer, loaded: performance.getEntriesByType("resource").map(one => one.name)}));
    """
    )
    found = told(opened(tmp_path, page, script))
    assert found["loaded"] == [] or all(name.startswith("data:") for name in found["loaded"])
    assert found["answer"] == "refused"  # the page's own policy holds


def test_browser__draws_a_picture(tmp_path, page):
    file = tmp_path / "report.html"
    file.write_text(page)
    shot = tmp_path / "shot.png"
    browse(tmp_path, "--window-size=900,1400", f"--screenshot={shot}", file.as_uri())
    from PIL import Image

    with Image.open(shot) as drawn:
        colours = drawn.convert("RGB").getcolors(2**24)
    assert drawn.size == (900, 1400) and len(colours) > 50
