"""How strong a player is, by matches and by the truth."""

import json

import numpy as np
import pytest

from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import save_policy
from bidarena.cli.main import main
from bidarena.envs import make_game
from bidarena.evaluate.appraisal.strength import against, truth_of
from bidarena.evaluate.exploit import exploit
from bidarena.evaluate.match import play_match

SMALL = {"cards": [1, 2, 3], "items": [1, 2, 3]}


def indifferent(game):
    """A network that likes all actions the same: the random bot."""
    weight = np.zeros((game.observation_size, game.actions), np.float32)
    return Network((weight,), (np.zeros(game.actions, np.float32),))


@pytest.fixture
def policy(tmp_path):
    """The file of a policy, with what was measured on the way beside it."""
    game = make_game("raj", **SMALL)
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "evaluations.csv").write_text("steps,measure,value\n0,exploitability,0.75\n")
    return save_policy(folder / "best.safetensors", game, indifferent(game), info={"seed": 4})


def test_truth__of_scotch_and_raj_is_the_exact_exploitability():
    game = make_game("raj", **SMALL)
    truth = truth_of(game, "value")
    assert truth.name == "exploitability"
    assert truth.exact
    assert truth.value == pytest.approx(exploit(game, "value").best_response_value)
    assert truth.goodness == -truth.value


def test_truth__of_coins_is_the_share_of_moves_that_keep_the_value():
    perfect = truth_of(make_game("coins", board="triangle3"), "exact")
    chance = truth_of(make_game("coins", board="triangle3"), "random")
    assert perfect.value == pytest.approx(1.0)
    assert chance.value < 0.9
    assert perfect.goodness > chance.goodness


def test_truth__is_unknown_where_nothing_can_be_computed():
    assert truth_of(make_game("raj", players=3), "random") is None
    assert truth_of(make_game("twentynine"), "random") is None


def test_against__is_the_match_with_each_rival():
    game = make_game("raj", **SMALL)
    scores = against(game, "value", ["random", "valueplus"], 200, seed=3)
    assert list(scores) == ["random", "valueplus"]
    assert (
        scores["random"].mean == play_match(game, ["value", "random"], 200, seed=3).scores[0].mean
    )


def test_evaluate__prints_matches_and_truth(policy, capsys):
    args = ["evaluate", str(policy.parent), "--rivals", "value", "random", "--games", "400"]
    assert main([*args, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["policies"]
    assert found["name"] == "run"
    assert found["info"] == {"seed": 4}
    assert set(found["scores"]) == {"value", "random"}
    assert found["truth"]["value"] == pytest.approx(
        truth_of(make_game("raj", **SMALL), "random").value
    )
    assert found["untrained"] == {"exploitability": 0.75}
    assert main(args) == 0
    shown = capsys.readouterr().out
    assert "untrained 0.75" in shown
    assert "valueplus" not in shown


def test_evaluate__invites_all_fair_bots_of_the_game(policy, capsys):
    assert main(["evaluate", str(policy), "--games", "10", "--no-exact", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["policies"]
    assert {"random", "value", "minimax", "greedy", "exact"} <= set(found["scores"])
    assert found["truth"] is None


def test_evaluate__draws_several_policies_on_one_page(policy, tmp_path, capsys):
    picture = tmp_path / "pictures" / "both.png"
    args = ["--rivals", "value", "--games", "40", "--picture", str(picture)]
    assert main(["evaluate", str(policy), str(policy.parent), *args]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "policies"),
        (["nowhere"], "nowhere"),
        (["POLICY", "--rivals", "nobody"], "nobody"),
        (["POLICY", "--games", "1"], "games=1"),
        (["POLICY", "--picture", "x.pdf"], "picture='x.pdf'"),
        (["POLICY", "OTHER"], "expected all for one game, got coins, raj"),
    ],
)
def test_evaluate__refuses_what_it_cannot_do(args, message, policy, tmp_path, capsys):
    coins = make_game("coins", board="triangle3")
    other = save_policy(tmp_path / "coins.safetensors", coins, indifferent(coins))
    words = {"POLICY": str(policy), "OTHER": str(other)}
    assert main(["evaluate", *(words.get(word, word) for word in args)]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
