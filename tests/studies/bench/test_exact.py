"""The figures of the exact solver beside OpenSpiel: the same games, the same exploitability."""

import builtins

import pytest

from bidarena.studies.bench.exact import GAMES, exact_costs, own_costs
from bidarena.studies.bench.goofspiel import goofspiel


def told(found):
    return {name: found[name]["nash_conv_of_uniform"] for name in found}


def test_exact_costs__both_programs_measure_the_same_games():
    pytest.importorskip("pyspiel")
    said = []
    found = exact_costs(0.01, said.append)
    assert len(said) == len(found) == len(GAMES) == 2
    theirs = {name: row["openspiel"] for name, row in found.items()}
    assert told(found) == pytest.approx(told(theirs), abs=1e-9)
    for row in found.values():
        assert all(row[key] > 0 for key in row if key.endswith("_seconds"))
        assert row["best_responses_seconds"] < row["nash_conv_seconds"]
        whole = row["openspiel"]["python_nash_conv_seconds"] / row["nash_conv_seconds"]
        assert row["ratios"]["nash_conv_to_python"] == whole
        assert len(row["ratios"]) == 6


def test_exact_costs__are_ours_alone_without_open_spiel(monkeypatch):
    found_in = builtins.__import__

    def without(name, *args, **more):
        if name in ("pyspiel", "open_spiel"):
            raise ImportError(name)
        return found_in(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    found = exact_costs(0.01, lambda what: None)
    for row in found.values():
        assert row["openspiel"] is None and row["ratios"] is None
        assert row["nash_conv_of_uniform"] > 1


@pytest.mark.parametrize("cards", [2, 3, 4])
def test_goofspiel__has_the_exploitability_of_open_spiels(cards):
    pyspiel = pytest.importorskip("pyspiel")
    name = f"goofspiel(imp_info=True,num_cards={cards},points_order=descending)"
    game = pyspiel.convert_to_turn_based(pyspiel.load_game(name))
    value = pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game))
    ours = own_costs(goofspiel(cards), 0.001)["nash_conv_of_uniform"]
    assert ours == pytest.approx(value, abs=1e-12)
