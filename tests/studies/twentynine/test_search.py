"""The Twenty-nine study: from the command to JSON and picture; effects that are there are found."""

from __future__ import annotations

import builtins
import dataclasses
import json
import signal
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from tournaments import kept, pieces

from bidarena.cli import study as command
from bidarena.cli.main import main
from bidarena.evaluate.tournament import run_tournament
from bidarena.evaluate.tournament.paired import Duel, duels_of
from bidarena.studies.twentynine import Settings
from bidarena.studies.twentynine import search as module
from bidarena.studies.twentynine.findings import (
    SELECTIONS,
    TECHNIQUES,
    find_duels,
    find_round_robin,
    selection_of,
    technique_of,
)
from bidarena.studies.twentynine.plot import draw
from bidarena.studies.twentynine.search import OLD_FILES, make_parts
from bidarena.studies.twentynine.tables import tables_of

STRENGTH = {"ismcts": 0.3, "mom": 0.2, "dmcts": 0.2, "pom": -0.1, "bandit": 0.0, "rules": -0.5}
HELP = {"thompson": 0.1, "ucb_tuned": 0.01, "ucb1": 0.0, "": 0.0}


def made_up(players: list[str], deals: int = 400, noise: float = 0.3) -> dict:
    """Duels in which the first wins by the difference of strengths, and by luck."""
    rng = np.random.default_rng(3)
    worth = {name: STRENGTH[technique_of(name)] + HELP[selection_of(name)] for name in players}
    return {
        (one, two): Duel(
            worth[one] - worth[two] + rng.normal(0, noise, deals), 80, (20, 10), (1.0, 0.25)
        )
        for one, two in combinations(players, 2)
    }


EVERYBODY = [f"{technique}/{rule}" for technique in TECHNIQUES for rule in SELECTIONS] + ["rules"]


def test_findings__known_effects_and_right_verdicts():
    found = find_round_robin(made_up(EVERYBODY), 200)
    # With n players a mean over n - 1 opponents stretches differences by n / (n - 1).
    stretch = 16 / 15
    mean = {name: score["mean"] for name, score in found["techniques"].items()}
    for one, two in combinations(STRENGTH, 2):
        helped = sum(HELP.values()) / 3  # the average help; the rules bot has none
        truth = STRENGTH[one] - STRENGTH[two] + helped * ((one != "rules") - (two != "rules"))
        assert mean[one] - mean[two] == pytest.approx(stretch * truth, abs=0.02), (one, two)
    verdicts = {claim["claim"]: claim["verdict"] for claim in found["claims"]}
    assert verdicts == {
        "ismcts > mom": "holds",
        "mom > dmcts": "undecided",
        "dmcts >> pom": "holds",
        "pom > bandit": "does not hold",
        "bandit >> rules": "holds",
        "thompson > ucb_tuned": "holds",
        "ucb_tuned ~ ucb1": "holds",
    }
    order = list(found["techniques"])
    assert (order[0], order[-1]) == ("ismcts", "rules")
    assert list(found["selections"]) == ["thompson", "ucb_tuned", "ucb1"]
    direct = found["techniques_head_to_head"]["ismcts"]["pom"]["mean"]
    assert direct == pytest.approx(0.4, abs=0.03)
    assert found["techniques_head_to_head"]["pom"]["ismcts"]["mean"] == pytest.approx(-direct)


def test_findings__speeds_are_those_of_each_technique():
    played = made_up(["bandit/ucb1", "rules"], deals=3)
    speed = find_round_robin(played, 200)["speed"]
    assert speed["bandit"]["iterations_per_s"] == pytest.approx(200 * 20 / 1.0)
    assert speed["rules"] == {"decisions": 10, "ms_per_decision": 25.0}


def test_findings__an_option_that_helps_is_told_from_one_that_does_not():
    rng = np.random.default_rng(0)
    played = {
        (f"ismcts with {name}", "ismcts"): Duel(
            effect + rng.normal(0, 0.4, 500), 1, (1, 1), (1.0, 1.0)
        )
        for name, effect in (("good", 0.2), ("bad", -0.2), ("nothing", 0.0))
    }
    verdicts = [claim["verdict"] for claim in find_duels(played)["claims"]]
    assert verdicts == ["holds", "does not hold", "undecided"]


def test_plan__parts_play_what_the_slides_speak_of():
    parts = make_parts(Settings(ms_per_deal=900))
    plans = {part: tournament for part, (tournament, _) in parts.items()}
    assert {part: len(plan.lineups) for part, plan in plans.items() if part != "duels"} == {
        "iterations": 120,
        "time": 15,
    }
    assert all(plan.only == pairs for plan, (pairs, _) in parts.values())
    assert {plan.deals for plan in plans.values()} == {100, 500, 20}
    assert "ismcts:ms=150,selection=ucb1,book=formula" in plans["time"].bots
    options = {on.removeprefix(off) for on, off in plans["duels"].only}
    assert {",playout=rules", ",early_stop=true"} <= options


def test_plan__a_belief_is_compared_once_it_is_registered(monkeypatch):
    def options() -> set[str]:
        plan, _ = make_parts(Settings(part="duels"))["duels"]
        return {on.removeprefix(off) for on, off in plan.only}

    monkeypatch.setattr(module, "beliefs", lambda game: [])
    without = options()
    monkeypatch.setattr(module, "beliefs", lambda game: ["other", "throws"])
    assert options() - without == {",belief=throws"}


@pytest.mark.parametrize("deals", [2, 40])
def test_picture__is_drawn_for_any_number_of_players(tmp_path, deals):
    for players in (["ismcts/ucb1", "rules"], EVERYBODY):
        found = {"iterations": find_round_robin(made_up(players, deals), 200)}
        path = draw(found, tmp_path / "result.png")
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000


def test_picture__says_what_to_install(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"bidarena\[plot\]"):
        draw({}, tmp_path / "result.png")


def test_tables__show_every_part():
    both = {
        "iterations": find_round_robin(made_up(EVERYBODY, 10), 200),
        "time": find_round_robin(made_up([*TECHNIQUES, "rules"], 1), None),
        "duels": {**find_duels(made_up(["mom", "pom"], 10)), "beliefs_missing": ["throws"]},
    }
    text = json.dumps([dataclasses.asdict(table) for table in tables_of(both)])
    for phrase in ("thompson > ucb_tuned", "equal time", "belief not registered", "±"):
        assert phrase in json.dumps(json.loads(text), ensure_ascii=False)
    for table in tables_of(both):
        assert all(len(row) == len(table.columns) for row in table.rows), table.title


# --- really played -------------------------------------------------------------------------------

SMALL = ["study", "twentynine-search", "--part", "iterations", "--iterations", "4", "--deals", "40"]
SMALL += ["--players", "ismcts/ucb1", "bandit/thompson", "rules", "--seed", "3"]


def timeless(result: dict) -> dict:
    """Return the part of a result that is equal in every run."""
    found = result["parts"]["iterations"]
    return {key: value for key, value in found.items() if key not in ("speed", "seconds")}


def test_study__killed_and_resumed_says_the_same_as_undisturbed(tmp_path, capsys):
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "bidarena.cli.main", *SMALL, "--processes", "1", "--json"]
    command += ["--folder", str(folder)]
    part = folder / "iterations"
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 600  # if the search is not compiled yet
    while run.poll() is None and not pieces(part):
        assert time.monotonic() < until
        time.sleep(0.002)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    before = kept(part)
    there = sum(deals for _, _, deals, *_ in before)
    assert 1 <= there < 3 * 40, "it was to be killed in the middle"
    assert not (folder / "result-iterations.json").exists()

    assert main([*SMALL, "--processes", "1", "--json", "--folder", str(folder)]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert set(before) <= set(kept(part))
    assert sum(deals for _, _, deals, *_ in kept(part)) == 3 * 40
    other = tmp_path / "undisturbed"
    assert main([*SMALL, "--processes", "1", "--json", "--folder", str(other)]) == 0
    undisturbed = json.loads(capsys.readouterr().out)
    assert timeless(resumed) == timeless(undisturbed)
    assert json.loads((folder / "result-iterations.json").read_text()) == resumed
    assert (folder / "result-iterations.png").read_bytes().startswith(b"\x89PNG")
    assert {claim["claim"] for claim in resumed["parts"]["iterations"]["claims"]} == {
        "bandit >> rules"
    }
    assert resumed["parts"]["iterations"]["games"] == 240

    assert main([*SMALL[:-1], "4", "--folder", str(folder)]) == 2
    assert "was begun with seed=3, not seed=4" in capsys.readouterr().err


def test_study__by_the_clock_from_both_sides(tmp_path):
    settings = Settings(part="time", time_deals=1, ms_per_deal=1.0)
    plan, (pairs, names) = make_parts(settings)["time"]
    bots = tuple(bot for bot in plan.bots if names[bot] in ("ismcts", "mom", "rules"))
    few = dataclasses.replace(plan, bots=bots, only=pairs[-3:])
    played = duels_of(run_tournament(few, tmp_path), pairs[-3:])
    found = find_round_robin({(names[a], names[b]): duel for (a, b), duel in played.items()}, None)
    assert set(found["techniques"]) == {"ismcts", "mom", "rules"}
    assert all(speed["decisions"] > 5 for speed in found["speed"].values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["study", "twentynine-serch"], "did you mean 'twentynine-search'"),
        ([*SMALL, "--processes", "0"], "processes=0"),
        ([*SMALL, "--deals", "0"], "deals=0"),
        ([*SMALL, "--ms-per-deal", "0"], "ms_per_deal"),
        (["study", "twentynine-search", "--players", "ismcts/ucb2"], "did you mean"),
        (["study", "twentynine-search", "--players", "rules"], "at least two"),
    ],
)
def test_study__mistakes_are_named(tmp_path, capsys, arguments, message):
    assert main([*arguments, *(["--folder", str(tmp_path)] if len(arguments) > 2 else [])]) == 2
    assert message in capsys.readouterr().err
    assert list(Path(tmp_path).iterdir()) == []


@pytest.mark.parametrize("names", [OLD_FILES, OLD_FILES[1:]])
def test_study__a_folder_of_an_older_version_is_refused(tmp_path, capsys, names):
    part = tmp_path / "iterations"
    part.mkdir()
    for name in names:
        (part / name).write_text("{}")
    assert main([*SMALL, "--folder", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert str(part) in said and " and ".join(names) in said
    assert "older version" in said and "move the files away" in said
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted(["iterations", *names])


def test_study__explains_itself_with_an_example(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["study", "twentynine-search", "--help"])
    assert stop.value.code == 0
    said = capsys.readouterr().out
    assert "Example: bidarena study twentynine-search" in said and "--ms-per-deal" in said


def test_study__stopped_by_hand_says_how_to_go_on(capsys, monkeypatch):
    def stopped(settings: Settings, begin) -> None:
        raise KeyboardInterrupt

    stopped.__annotations__ = {"settings": Settings, "begin": object, "return": None}
    monkeypatch.setattr(command, "load", lambda path: stopped)
    assert main(["study", "twentynine-search"]) == 130
    assert "the same command goes on" in capsys.readouterr().err
