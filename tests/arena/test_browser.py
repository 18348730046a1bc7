"""The page in a real browser against the real server: games clicked to their end, and all else."""

import json
import re

import pytest
import toy_nim  # noqa: F401  # registers a third party's game
from arena_server import arena
from board_page import CHROMIUM
from playwright.sync_api import expect, sync_playwright

from bidarena.envs import make_game
from bidarena.evaluate.tournament import run_tournament
from bidarena.evaluate.tournament.plan import Tournament

PATIENCE = 60_000  # milliseconds, for code that is compiled for the first time
GAMES = {
    "scotch": {"money": "6", "length": "4"},
    "richman": {"money": "5"},
    "raj": {"cards": "1,2,3", "items": "1,2,3"},
    "coins": {"board": "triangle3"},
    "twentynine": {},
}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """An arena with a tournament in its folder."""
    folder = tmp_path_factory.mktemp("arena")
    game = make_game("raj", cards=[1, 2, 3], items=[1, 2, 3])
    run_tournament(Tournament(game, ("random", "value"), 8), folder / "tournament-raj")
    with arena(folder) as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as play:
        opened = play.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield opened
        opened.close()


@pytest.fixture
def page(browser, house):
    """A page of desktop width; an error on it fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=house.address)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    problems = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    yield opened
    context.close()
    assert not problems


def begin(page, game, rules, seats=()):
    page.goto(f"/new/{game}")
    if rules:
        page.locator("summary", has_text="Rules").click()
    for rule, text in rules.items():
        page.fill(f"#rule-{rule}", text)
    for seat, bot in seats:
        page.select_option(f"#seat-{seat}", bot)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/game/*")
    page.locator(".board").wait_for()


def click_move(page):
    """Click one legal move on the board."""
    bid = page.locator(".board [data-bid-submit]")
    coins = page.locator(".board [data-coin]:not([aria-disabled=true])")
    if bid.count():
        bid.click()
    elif coins.count():
        coins.first.click()
        page.locator(".board [data-take-submit]").click()
    else:
        page.locator(".board [data-action]:not([disabled]):not([aria-disabled=true])").first.click()


def click_to_the_end(page):
    """Play a game by clicks on the board until it is over; return the number of clicks."""
    turn = page.locator(".side > .line").first
    for clicks in range(200):
        expect(turn).to_have_text(re.compile(r"Your move|win|lose|drawn|stopped"), timeout=PATIENCE)
        if page.locator(".side > .line.result").count():
            return clicks
        told = page.locator(".log").inner_text()
        click_move(page)  # until the move is told, the page shows what was before
        page.wait_for_function(
            "told => document.querySelector('.log').innerText !== told"
            " || document.querySelector('.side > .line.result')",
            arg=told,
        )
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("game", GAMES)
def test_browser__a_game_is_clicked_to_its_end_and_analysed(page, game):
    others = range(1, 4 if game == "twentynine" else 2)
    bot = "rules" if game == "twentynine" else "random"
    begin(page, game, GAMES[game], [(seat, bot) for seat in others])
    assert click_to_the_end(page) > 1
    page.get_by_role("link", name="Analyse").click()
    page.wait_for_url("**/analysis/*")
    page.locator(".content[data-judged=all]").wait_for()
    assert page.locator(".graph .curve").count() >= 1
    assert re.search(r"\d+ %", page.locator(".summary tbody tr").first.inner_text())
    assert page.locator(".moves li").count() > 2


def test_browser__arrow_keys_step_and_a_variation_is_tried_and_played_on(page):
    begin(page, "raj", GAMES["raj"], [(1, "value")])
    click_to_the_end(page)
    page.get_by_role("link", name="Analyse").click()
    page.locator(".advice td button").first.wait_for()
    caption = page.locator(".stage-column .line")
    page.keyboard.press("ArrowRight")
    expect(caption).to_contain_text("Move 1 of 6")
    page.keyboard.press("End")
    expect(caption).to_contain_text("Move 6 of 6")
    page.keyboard.press("Home")
    expect(caption).to_contain_text("Move 0 of 6")
    played = page.locator("tr.played").inner_text()
    page.locator(".advice tbody tr:not(.played) button").first.click()
    expect(caption).to_contain_text("Tried after move 0")
    assert caption.locator("b").inner_text() not in played
    click_move(page)  # on the board, of the other player
    expect(caption.locator("b")).to_contain_text(",")
    page.keyboard.press("ArrowLeft")
    expect(caption.locator("b")).not_to_contain_text(",")
    page.get_by_role("button", name="Play on from here").click()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/game/*")
    click_to_the_end(page)


def test_browser__undo_hint_resign_and_rematch_with_seats_changed(page):
    begin(page, "coins", {"board": "triangle4"}, [(1, "random")])
    turn = page.locator(".side > .line").first
    expect(turn).to_have_text("Your move.")
    click_move(page)
    expect(page.locator(".log li")).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".log li")).to_have_count(0)
    page.keyboard.press("h")
    expect(page.locator(".advice .note").first).to_contain_text("The exact solution")
    address = page.url
    page.reload()
    expect(turn).to_have_text("Your move.")
    page.get_by_role("button", name="Resign").click()
    expect(turn).to_contain_text("gave up")
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: "/game/" in url and url != address)
    expect(page.locator(".players li").nth(1)).to_contain_text("You")


def test_browser__bots_are_watched_with_their_thoughts(page):
    page.goto("/new/raj?watch")
    page.select_option("#seat-0", "ismcts")
    page.select_option("#seat-1", "learned")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    for _ in range(20):  # with one card left nothing is thought
        page.get_by_role("button", name="Step").click()
        page.wait_for_timeout(300)
        if page.locator(".thoughts tr").count():
            break
    expect(page.locator(".thoughts tr").first).to_be_visible()
    expect(page.locator("aside .panel h2").first).to_contain_text("What player")
    page.select_option("select[aria-label=pace]", "0.2")
    page.locator(".line.result").wait_for()


def test_browser__a_game_of_a_tournament_opens_in_the_analysis(page):
    page.goto("/tournaments")
    page.get_by_role("link", name="Raj").click()
    expect(page.locator("tbody tr").first).to_contain_text("value")
    page.get_by_role("button", name="Measure exactly").click()
    expect(page.locator("tbody tr").first.locator("td").last).to_contain_text(".")
    page.get_by_role("button", name="deal 1, seating 1").click()
    page.wait_for_url("**/analysis/*")
    page.locator(".moves li").nth(5).wait_for()


def test_browser__a_third_partys_game_is_played_by_a_list_of_moves(page):
    begin(page, "toy_nim", {"heap": "7"}, [(1, "random")])
    click_to_the_end(page)


def test_browser__a_phone_has_no_sideways_scrolling_and_plays(browser, house):
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        base_url=house.address,
        color_scheme="dark",
        has_touch=True,
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    for game in ("scotch", "twentynine"):
        begin(page, game, GAMES[game])
        expect(page.locator(".side > .line").first).to_have_text("Your move.", timeout=PATIENCE)
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= 390
        click_move(page)
        expect(page.locator(".log li").first).to_be_visible()
    assert (
        page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(22, 25, 30)"
    )
    context.close()


def test_browser__a_file_is_saved_opened_and_sent_as_a_link(page, tmp_path):
    begin(page, "coins", GAMES["coins"], [(1, "random")])
    click_to_the_end(page)
    page.get_by_role("link", name="Analyse").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    path = tmp_path / "game.json"
    download.value.save_as(path)
    moves = len(json.loads(path.read_text())["actions"])
    page.goto("/open")
    page.set_input_files("#file", path)
    page.wait_for_url("**/analysis/*")
    expect(page.locator(".moves li")).to_have_count(moves)
    page.get_by_role("button", name="Copy a link").click()
    link = page.locator(".link-text").input_value()
    page.goto(link)
    page.wait_for_url("**/analysis/*")
    expect(page.locator(".moves li")).to_have_count(moves)
