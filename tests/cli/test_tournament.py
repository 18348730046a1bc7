"""The command `bidarena tournament`: tables, JSON, a folder that it finds again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bidarena.cli.main import main

THREE = ("tournament", "scotch", "dp", "uniform", "random", "--length", "4", "--money", "9")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(capsys, *words):
    code = main(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


def test_cli_tournament__plays_all_pairs(capsys):
    code, out, _ = run(capsys, *THREE, "--games", "40", "--json")
    found = json.loads(out)
    assert code == 0
    names = [bot["bot"] for bot in found["bots"]]
    assert sorted(names) == ["dp", "random", "uniform"]
    pairs = {frozenset((pair["one"], pair["two"])) for pair in found["pairs"]}
    assert len(found["pairs"]) == len(pairs) == 3
    for pair in found["pairs"]:
        assert pair["wins"] + pair["draws"] + pair["losses"] == pair["games"] == 40
    ratings = [bot["rating"] for bot in found["bots"]]
    assert ratings == sorted(ratings, reverse=True) and abs(sum(ratings)) < 1e-6
    assert found["games"] == 120 and found["rules"]["length"] == 4


def test_cli_tournament__the_same_command_goes_on_in_its_folder(capsys):
    first = json.loads(run(capsys, *THREE, "--games", "40", "--json")[1])
    again = json.loads(run(capsys, *THREE, "--games", "40", "--json")[1])
    assert again == first  # also the times: nothing was played again
    more = json.loads(run(capsys, *THREE, "--games", "60", "--json")[1])
    assert more["folder"] == first["folder"] and more["games"] == 180
    assert len(list(Path("runs").iterdir())) == 1
    other = json.loads(run(capsys, *THREE, "--games", "40", "--seed", "1", "--json")[1])
    assert other["folder"] != first["folder"]


def test_cli_tournament__other_settings_in_a_folder_are_refused(capsys):
    assert run(capsys, *THREE, "--games", "4", "--folder", "mine")[0] == 0
    code, out, err = run(capsys, *THREE, "--games", "4", "--folder", "mine", "--seed", "2")
    assert code == 2 and out == "" and "was begun with seed=0, not seed=2" in err


def test_cli_tournament__tables_show_pairs_ratings_and_faults(capsys):
    code, out, _ = run(capsys, *THREE, "--games", "40")
    assert code == 0
    for word in ("won / drawn / lost", "rating", "openskill", "time a move", "faults", "dp"):
        assert word in out
    (folder,) = Path("runs").iterdir()
    shown = (folder / "report.html").read_text()
    assert "bidarena tournament scotch dp uniform random --length 4" in shown
    assert run(capsys, *THREE, "--games", "40", "--html", "mine.html")[0] == 0
    assert Path("mine.html").read_text().startswith("<!DOCTYPE html>")


def test_cli_tournament__leaves_out_bots_that_refuse_the_rules(capsys):
    cards = "1,2,3,4,5,6,7,8"
    words = ("tournament", "raj", "--cards", cards, "--items", cards, "--games", "2", "--json")
    code, out, err = run(capsys, *words)
    assert code == 0
    assert "left out: opponent='greedy'" in err
    assert "greedy" not in out


def test_cli_tournament__three_players_in_line_ups(capsys):
    bots = ("random", "value", "valueplus")
    words = ("tournament", "raj", *bots, "--players", "3", "--games", "30", "--json")
    code, out, _ = run(capsys, *words)
    found = json.loads(out)
    assert code == 0 and found["games"] == 30
    assert all(bot["games"] == 30 for bot in found["bots"])


def test_cli_tournament__others_join_all_bots(capsys):
    code, out, _ = run(capsys, *THREE, "--games", "4", "--also", "exact")
    assert code == 2
    words = ("tournament", "coins", "--board", "triangle4", "--games", "2", "--json")
    code, out, _ = run(capsys, *words, "--also", "greedy:nodes=50", "memo:nodes=50")
    names = {bot["bot"] for bot in json.loads(out)["bots"]}
    assert code == 0 and {"random", "greedy:nodes=50", "memo:nodes=50"} <= names


def test_cli_tournament__tells_how_much_bots_can_be_exploited(capsys):
    words = (*THREE, "--games", "10")
    _, out, _ = run(capsys, *words, "--json")
    values = {bot["bot"]: bot["exploitability"] for bot in json.loads(out)["bots"]}
    assert len(values) == 3 and all(value > 0 for value in values.values())
    _, out, _ = run(capsys, *words)
    assert "exploitability" in out and f"{values['dp']:.4f}" in out
    report = next(Path("runs").glob("*/report.html")).read_text()
    assert ">exploitability<" in report
    _, out, _ = run(capsys, *words, "--no-exact")
    assert "exploitability" not in out
