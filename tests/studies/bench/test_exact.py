"""The figures of the exact solver beside OpenSpiel: the same games, the same exploitability."""

import builtins

import pytest

from bidarena.studies.bench.exact import GAMES, exact_costs, large_costs, own_costs
from bidarena.studies.bench.goofspiel import goofspiel
from bidarena.studies.bench.liars_dice import liars_dice


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


@pytest.mark.parametrize("cards", [2, 3, 4, 5])
def test_goofspiel__has_the_exploitability_of_open_spiels(cards):
    pyspiel = pytest.importorskip("pyspiel")
    name = f"goofspiel(imp_info=True,num_cards={cards},points_order=descending)"
    game = pyspiel.convert_to_turn_based(pyspiel.load_game(name))
    value = pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game))
    ours = own_costs(goofspiel(cards), 0.001)["nash_conv_of_uniform"]
    assert ours == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("faces", [2, 3, 4])
def test_liars_dice__has_the_exploitability_of_open_spiels(faces):
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game(f"liars_dice(dice_sides={faces})")
    value = pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game))
    ours = own_costs(liars_dice(faces), 0.001)
    assert ours["nash_conv_of_uniform"] == pytest.approx(value, abs=1e-12)
    assert ours["information_sets"] == faces * 4**faces  # a die and a set of bids


def test_large_costs__are_told_with_memory():
    found = large_costs(0.01, lambda what: None, faces=4)
    assert found["information_sets"] == 4 * 4**4
    assert found["nash_conv_of_uniform"] == pytest.approx(1.3101190476190476, abs=1e-12)
    assert found["listing_seconds"] > 0 and found["best_responses_seconds"] > 0
    assert found["most_memory"] > 1 << 24
