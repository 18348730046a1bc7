"""The command line: tables, JSON, errors that help."""

import json

import pytest

from bidarena.cli.main import main


def run(capsys, *words):
    code = main(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


def test_cli__overview_names_all_commands(capsys):
    code, out, _ = run(capsys)
    assert code == 0
    for command in ("list", "play", "match", "tournament", "study", "bench", "completion"):
        assert command in out


@pytest.mark.parametrize(
    "command", ["list", "play", "match", "tournament", "study", "bench", "completion"]
)
def test_cli__every_command_explains_itself_with_an_example(capsys, command):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"Example: bidarena {command}" in capsys.readouterr().out


def test_cli__unknown_command_suggests_the_nearest(capsys):
    code, _, err = run(capsys, "mach")
    assert code == 2
    assert "did you mean 'match'" in err


def test_cli_list__names_games_environments_and_bots(capsys):
    code, out, _ = run(capsys, "list", "--json")
    games = {game["game"]: game for game in json.loads(out)["games"]}
    assert code == 0
    assert games["scotch"]["environment"] == "bidarena/Scotch-v0"
    assert {"dp", "random", "richman", "uniform"} <= set(games["scotch"]["bots"])


def test_cli_match__takes_rules_as_options_and_prints_one_json_object(capsys):
    words = ("match", "scotch", "dp", "uniform:high=5", "--games", "100", "--json")
    code, out, _ = run(capsys, *words, "--money", "20,30", "--tie", "coin", "--seed", "4")
    result = json.loads(out)
    assert code == 0
    assert result["rules"]["money"] == [20, 30]
    assert result["rules"]["tie"] == "coin"
    assert [score["bot"] for score in result["scores"]] == ["dp", "uniform:high=5"]
    first, second = result["scores"]
    assert first["wins"] + first["draws"] + first["losses"] == 100
    assert (first["wins"], first["losses"]) == (second["losses"], second["wins"])
    assert run(capsys, *words, "--money", "20,30", "--tie", "coin", "--seed", "4")[0] == 0


def test_cli_match__table_shows_both_bots(capsys):
    code, out, _ = run(capsys, "match", "scotch", "dp", "random", "--games", "50")
    assert code == 0
    assert "dp" in out and "random" in out and "games/s" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("match", "scotsh", "dp", "random"), "did you mean 'scotch'"),
        (("match", "scotch", "dp", "unifrom"), "did you mean 'uniform'"),
        (("match", "scotch", "dp"), "2 players"),
        (("match", "scotch", "dp", "random", "--money", "-5"), "money"),
        (("match", "scotch", "dp", "random", "--games", "0"), "games"),
        (("match", "scotch", "dp", "random:x=1"), "no option 'x'"),
        (("tournament", "scotch", "dp"), "at least two"),
        (("bench", "scotch", "--seconds", "0"), "seconds"),
    ],
)
def test_cli__mistakes_are_named(capsys, words, message):
    code, out, err = run(capsys, *words)
    assert code == 2
    assert message in err
    assert out == ""


def test_cli_bench__has_stable_keys(capsys):
    code, out, _ = run(capsys, "bench", "scotch", "--seconds", "0.02", "--json")
    result = json.loads(out)
    assert code == 0
    scotch = result["games"]["scotch"]
    assert set(scotch["vector_steps_per_s"]) == {"1024", "8192"}
    for key in ("single_steps_per_s", "vector_2_threads_steps_per_s", "bytes_per_env"):
        assert scotch[key] > 0
    assert result["reference"]["cartpole_single_steps_per_s"] > 0
    assert scotch["ratios"]["vector_to_sync"] > 1
    assert scotch["search"]["mcts_iterations_per_s"] > 0
    assert scotch["search"]["ismcts_iterations_per_s"] > 0
    long = scotch["search"]["long_search"]
    assert 0 < long["bytes_used"] <= long["bytes_reserved"] <= 64 * 2**20
    spiel = result["reference"]["openspiel_search"]
    assert set(spiel["ismcts_iterations_per_s"]) == {"euchre", "bridge", "hearts"}
    assert set(scotch["ratios"]["search_to_openspiel"]) == {"mcts", "ismcts"}


def test_cli__options_before_the_game_are_explained_on_stderr(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["match", "--json", "raj", "random", "random"])
    assert stop.value.code == 2
    said = capsys.readouterr()
    assert said.out == "" and "GAME comes first" in said.err


def test_cli__a_module_that_does_not_exist_is_named(capsys):
    code, _, err = run(capsys, "match", "nosuch:game", "a", "b")
    assert code == 2
    assert "no module 'nosuch'" in err
