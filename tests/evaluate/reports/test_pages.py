"""Report pages: complete in one file, nothing from outside, whatever the names of the bots are."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
import troublemakers  # noqa: F401

from bidarena.envs import make_game
from bidarena.evaluate.reports.html import (
    Cell,
    Estimated,
    Section,
    code,
    embedded,
    heat_map,
    interval_plot,
    page,
    paragraphs,
    picture,
    replays,
    table,
)
from bidarena.evaluate.tournament import run_tournament
from bidarena.evaluate.tournament.plan import Tournament
from bidarena.evaluate.tournament.report import report, sections, write_report
from bidarena.evaluate.tournament.standings import standings

NASTY = "</script><script>alert('x')</script> & \"friends\""
VOID = {"meta", "input", "img", "br", "rect", "line", "circle"}


class Reader(HTMLParser):
    """Elements, attributes, text and embedded data of a page; every element must be closed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.data: list[str] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            kind = self.tags[-1][1].get("type")
            (self.data if kind == "application/json" else self.scripts).append(data)
        elif not self.open or self.open[-1] != "style":
            self.text.append(data)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def check_alone(text: str) -> Reader:
    """Nothing of the page comes from elsewhere."""
    reader = read(text)
    for tag, attributes in reader.tags:
        assert tag not in ("link", "iframe", "object", "embed", "base")
        for name, value in attributes.items():
            assert not name.startswith("on"), f"{tag} {name}"
            if name in ("src", "href", "action", "srcset", "poster"):
                assert value and value.startswith(("#", "data:image/png;base64,")), value
    assert "url(" not in text and "@import" not in text
    assert not re.search(r"https?://", "".join(reader.scripts))
    policies = [a["content"] for t, a in reader.tags if a.get("http-equiv")]
    assert len(policies) == 1 and policies[0].startswith("default-src 'none'")
    anchors = {attributes.get("id") for _, attributes in reader.tags}
    links = {a["href"][1:] for t, a in reader.tags if t == "a"}
    assert links <= anchors
    return reader


@pytest.fixture(scope="module")
def raj(tmp_path_factory):
    plan = Tournament(make_game("raj"), ("random", "value", "valueplus", "minimax"), 60, 2)
    met = run_tournament(plan, tmp_path_factory.mktemp("raj"))
    return standings(plan, met)


def test_report__is_one_file_with_all_bots_and_their_games(raj, tmp_path):
    write_report(raj, tmp_path / "deep" / "report.html", command="bidarena tournament raj")
    text = (tmp_path / "deep" / "report.html").read_text()
    reader = check_alone(text)
    shown = "".join(reader.text)
    for name in raj.tournament.bots:
        assert shown.count(name) >= 4
    for section in ("Ratings", "Who beats whom", "Averages", "Crosstable", "Faults", "Games"):
        assert section in shown
    assert "bidarena tournament raj" in shown
    (data,) = map(json.loads, reader.data)
    assert len(data["games"]) == 12  # two of each pair
    for game in data["games"]:
        assert len(game["captions"]) == 13 and len(game["views"]) == 3
        for view in game["views"]:
            assert len(view["frames"]) == 13
            assert all(line < len(data["lines"]) for frame in view["frames"] for line in frame)
        drawn = "\n".join(data["lines"][line] for line in game["views"][0]["frames"][-1])
        assert "Raj" in drawn and game["result"].startswith("Result: seat 0 (")
    assert list((tmp_path / "deep").iterdir()) == [tmp_path / "deep" / "report.html"]


def test_report__heat_map_has_a_field_for_every_ordered_pair(raj):
    reader = read(report(raj))
    tips = [a["data-tip"] for tag, a in reader.tags if tag == "g" and "data-tip" in a]
    assert len(tips) == len(set(tips)) == 12
    pair = raj.pairs["valueplus", "value"]
    told = f"valueplus against value: {pair.wins} won, {pair.draws} drawn, {pair.losses} lost of 60"
    assert any(tip.startswith(told) for tip in tips)


def test_report__tells_faults_with_their_reasons(tmp_path):
    game = make_game("toy_nim", heap=6)
    plan = Tournament(game, ("angry", "silent", "random"), 4)
    found = standings(plan, run_tournament(plan, tmp_path))
    reader = check_alone(report(found))
    shown = "".join(reader.text)
    assert "KeyError: 'out of ideas' (troublemakers.py:" in shown
    assert "answered None" in shown
    assert "lost by a fault, raised: KeyError" in "".join(reader.data)


def test_report__sections_can_stand_on_another_page(raj):
    own = Section("Exact measures", table(["bot", "exploitability"], [["value", "0.5"]]))
    reader = check_alone(page("both", [own, *sections(raj)]))
    assert "Exact measures" in "".join(reader.text)


def test_page__names_from_outside_stay_text():
    parts = [
        table([NASTY, NASTY], [[NASTY, NASTY]], text_columns=2),
        heat_map([NASTY, "b"], {(0, 1): Cell(0.9, NASTY, NASTY)}),
        interval_plot(
            [Estimated(NASTY, 1.0, 0.5, NASTY), Estimated("b", -3, float("inf"), "")], NASTY
        ),
        replays(
            [
                {
                    "group": NASTY,
                    "title": NASTY,
                    "result": NASTY,
                    "captions": [NASTY],
                    "views": [{"name": NASTY, "frames": [NASTY]}],
                }
            ]
        ),
        paragraphs(NASTY),
        code(NASTY),
        picture(b"\x89PNG", NASTY),
    ]
    body = [Section(f"{k} {NASTY}", part, NASTY) for k, part in enumerate(parts)]
    reader = check_alone(page(NASTY, body, lead=NASTY))
    assert len(reader.scripts) == 1  # ours
    (data,) = map(json.loads, reader.data)
    assert data["games"][0]["title"] == NASTY and data["lines"] == [NASTY]
    assert "".join(reader.text).count(NASTY) >= 10


def test_embedded__data_comes_back_as_it_was():
    data = {"a": [NASTY, "<!-- ", "\u2028\u2029é♠\x1b[1m", 1.5, None]}
    reader = read(embedded(data))
    assert json.loads(reader.data[0]) == data
    with pytest.raises(ValueError, match="JSON"):
        embedded({"a": float("nan")})


@pytest.mark.parametrize("values", [(0.0, 0.0), (1e-4, -1e-4), (1234.5, -987.0), (0.3, 0.31)])
def test_interval_plot__draws_every_row_within_the_picture(values):
    rows = [Estimated(f"bot {k}", value, 0.1, "text") for k, value in enumerate(values)]
    reader = read(interval_plot(rows, "rating"))
    width = float(next(a["viewbox"] for tag, a in reader.tags if tag == "svg").split()[2])
    places = [float(a["cx"]) for tag, a in reader.tags if tag == "circle"]
    assert len(places) == len(values) and all(0 < place < width for place in places)
    ends = [float(a[key]) for tag, a in reader.tags if tag == "line" for key in ("x1", "x2")]
    assert all(0 < end < width for end in ends)
    assert (places[0] >= places[1]) == (values[0] >= values[1])


def test_interval_plot__draws_rows_that_are_all_alike():
    rows = [Estimated("one", 0.0, 0.0, "0"), Estimated("two", 0.0, 0.0, "0")]
    assert "nan" not in interval_plot(rows, "rating")
