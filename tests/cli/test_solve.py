"""`bidarena solve`: values, openings, tables and JSON, errors that help."""

import json

import pytest

from bidarena.cli.main import main


def run(capsys, *words):
    code = main(["solve", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_cli_solve__prints_one_json_object_with_stable_keys(capsys):
    code, out, _ = run(capsys, "coins", "--board", "triangle5", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["game"] == "coins" and found["rules"]["board"] == "triangle5"
    assert found["value"] == "second" and found["winning_openings"] == []
    assert found["positions"] == 2**15 and found["lost_positions"] == 3902
    assert found["seconds"] > 0 and found["table_bytes"] == 4096


def test_cli_solve__normal_play_and_its_openings(capsys):
    words = ("coins", "--board", "square3", "--last-coin", "wins", "--json")
    found = json.loads(run(capsys, *words)[1])
    assert found["value"] == "first"
    assert {tuple(opening) for opening in found["winning_openings"]} >= {(4,), (3, 4, 5), (1, 4, 7)}


def test_cli_solve__points_give_the_difference(capsys):
    words = ("coins", "--board", "**", "--values", "2,-1", "--last-bonus", "-3", "--json")
    found = json.loads(run(capsys, *words)[1])
    # the first player takes the 2 and leaves -1 with -3 for the last coin
    assert (found["value"], found["difference"]) == ("first", 6)
    assert found["winning_openings"] == found["best_openings"] == [[0]]


def test_cli_solve__scotch_at_full_size(capsys):
    found = json.loads(run(capsys, "scotch", "--json")[1])
    assert (found["value"], found["pure"], found["states"]) == (0.0, True, 183_600)
    assert found["safe_openings"] == [list(range(10, 17)), list(range(11, 17))]
    assert found["counts"] == {"won": 87_396, "drawn": 8_808, "lost": 87_396, "between": 0}
    assert found["seconds"] > 0


@pytest.mark.parametrize("reward", ["margin", "outcome"])
def test_cli_solve__raj_with_a_mixed_strategy_per_first_item(capsys, reward):
    found = json.loads(run(capsys, "raj", "--reward", reward, "--json")[1])
    assert found["value"] == 0.0 and found["states"] > 20_000 and found["doubt"] < 1e-9
    assert list(found["openings"]) == ["-2", "-1", "1", "2", "3", "4"]
    assert all(sum(law.values()) == pytest.approx(1) for law in found["openings"].values())


def test_cli_solve__shows_a_table(capsys):
    code, out, _ = run(capsys, "coins", "--board", "square4")
    assert code == 0
    for words in ("square4", "second", "65,536", "8,568", "table bytes"):
        assert words in out


def test_cli_solve__explains_itself_with_an_example(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["solve", "--help"])
    assert stop.value.code == 0
    assert "Example: bidarena solve coins" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("coins",), "36 coins, which take 8 GiB"),
        (("coins", "--memory", "0"), "memory"),
        (("coins", "--board", "square5", "--memory", "0.001"), "up to 23 coins"),
        (("coins", "--board", "circle"), "board='circle'"),
        (("coyns",), "did you mean 'coins'"),
        (("scotch", "--know-opponent-money", "false"), "know_opponent_money"),
        (("scotch", "--memory", "0.0001"), "memory"),
        (("raj", "--players", "3"), "players=3"),
    ],
)
def test_cli_solve__mistakes_are_named(capsys, words, message):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert message in err


def test_cli_solve__a_game_without_a_solution_to_compute_is_refused_with_the_reason(capsys):
    code, out, err = run(capsys, "twentynine")
    assert (code, out) == (2, "")
    assert "twentynine cannot be solved" in err and "bidarena exploit" in err


def test_cli_solve__any_game_is_solved_from_its_rules(capsys):
    words = ("richman", "--money", "3", "--max-rounds", "20", "--json")
    _, out, err = run(capsys, *words)
    found = json.loads(out)
    assert "positions" in err and "GiB" in err  # the cost is told first
    assert found["exact"] and -1.0 <= found["value"] <= 1.0
    assert found["method"].startswith("value iteration") and found["positions"] > 10
    assert sum(found["openings"].values()) == pytest.approx(1.0)
    assert found["seconds"] > 0


def test_cli_solve__generic_gives_what_the_games_own_solver_gives(capsys):
    words = ("raj", "--cards", "1,2,4", "--items", "-1,2,3", "--reward", "margin", "--json")
    own = json.loads(run(capsys, *words)[1])
    found = json.loads(run(capsys, *words, "--generic")[1])
    assert found["value"] == pytest.approx(own["value"], abs=1e-9)
    assert "method" in found and "method" not in own


def test_cli_solve__rules_that_the_own_solver_refuses_go_to_the_generic_one(capsys):
    words = ("scotch", "--know-opponent-money", "false", "--length", "4", "--money", "4", "--json")
    found = json.loads(run(capsys, *words)[1])
    assert found["information_sets"] > 100 and found["gap"] < 1e-4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seconds", "0"), "seconds=0"),
        (("--gap", "0"), "gap=0"),
        (("--memory", "0.000001"), "memory"),
        (("--seconds", "1e-9"), "too few"),
    ],
)
def test_cli_solve__limits_are_kept(capsys, words, message):
    code, out, err = run(capsys, "richman", *words)
    assert (code, out) == (2, "")
    assert message in err
