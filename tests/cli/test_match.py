"""`bidarena match`: rules as options, a table or one JSON object."""

import json
import resource
import signal

from bidarena.cli.main import main


def run(capsys, *words):
    code = main(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


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
    assert first["moves"] + second["moves"] == result["moves"]
    for score in result["scores"]:
        assert 0 < score["decisions"] <= score["moves"]
        assert 0 < score["thinking_seconds"] <= result["seconds"]
        assert score["cpu_seconds"] >= 0
    assert run(capsys, *words, "--money", "20,30", "--tie", "coin", "--seed", "4")[0] == 0


def test_cli_match__table_shows_both_bots(capsys):
    code, out, _ = run(capsys, "match", "scotch", "dp", "random", "--games", "50")
    assert code == 0
    assert "dp" in out and "random" in out and "games/s" in out


def test_match__a_full_disk_is_told_without_a_traceback(tmp_path, capsys):
    words = ["match", "scotch", "uniform", "random", "--games", "20", "--record"]
    assert main([*words, "/dev/full/x"]) == 1
    assert "/dev/full" in capsys.readouterr().err
    hook = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hook[1]))
    try:
        assert main([*words, str(tmp_path / "games.jsonl")]) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, hook)
    assert "File too large" in capsys.readouterr().err


def test_cli_match__regret_is_told_in_the_table_and_in_json(capsys, tmp_path):
    words = ("match", "raj", "value", "random", "--games", "40", "--cards", "1,2,3")
    words += ("--items", "1,2,3", "--regret")
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert "value lost 0." in out and "random lost 0." in out and "(80 decisions)" in out
    kept = tmp_path / "games.jsonl"
    code, out, _ = run(capsys, *words, "--json", "--record", str(kept))
    first, second = (score["regret"] for score in json.loads(out)["scores"])
    assert first["decisions"] == second["decisions"] == 80
    assert 0 <= first["mean"] < second["mean"]
    assert second["mean_95"][0] <= second["mean"] <= second["mean_95"][1]
    assert len(kept.read_text().splitlines()) == 40


def test_cli_match__without_regret_there_is_none(capsys):
    _, out, _ = run(capsys, "match", "raj", "value", "random", "--games", "4", "--json")
    assert [score["regret"] for score in json.loads(out)["scores"]] == [None, None]


def test_cli_match__regret_of_an_unsolved_game_is_refused_before_it_is_played(capsys):
    code, out, err = run(capsys, "match", "twentynine", "random", "random", "--regret")
    assert code != 0 and not out
    assert "regret: there is no exact solution to compare with; twentynine cannot be" in err
