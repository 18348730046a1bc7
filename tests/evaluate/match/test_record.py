"""Records of games: complete, replayed move by move, and refused when they do not fit the rules."""

from __future__ import annotations

import copy
import sys

import numpy as np
import pytest
import toy_nim
import toy_sealed  # noqa: F401
import troublemakers

from bidarena.envs import make_game
from bidarena.evaluate.match import play_match
from bidarena.evaluate.match.record import read_records, replay


def recorded(path, game, bots, games, **how):
    match = play_match(game, bots, games, record=path, **how)
    return match, list(read_records(path))


@pytest.mark.parametrize(
    ("game", "rules", "bots"),
    [
        ("raj", {}, ["value", "random"]),
        ("raj", {"players": 3}, ["value", "random", "valueplus"]),
        ("scotch", {}, ["random", "uniform"]),
        ("coins", {"board": "triangle5"}, ["random", "random"]),
        ("twentynine", {}, ["rules", "random"]),
    ],
)
def test_records__every_game_replays_to_its_result(tmp_path, game, rules, bots):
    match, records = recorded(tmp_path / "games.jsonl", game, bots, 12, seed=3, **rules)
    assert len(records) == match.games
    made = make_game(game, **rules)
    rotations = len(bots)
    for place, record in enumerate(records):
        deal, rotation = divmod(place, rotations)
        assert (record["deal"], record["rotation"]) == (deal, rotation)
        moments = list(replay(record))
        assert len(moments) == len(record["actions"]) + 1
        assert moments[-1].mover < 0 and all(moment.mover >= 0 for moment in moments[:-1])
        assert moments[0].action is None and moments[1].action == record["actions"][0]
        assert all(len(moment.text) > 10 for moment in moments)
        for k, name in enumerate(bots):
            seat = (k + rotation) % made.players
            assert record["seats"][seat] == name
            assert record["returns"][seat] == match.results[deal, rotation, k]


def test_records__both_rotations_of_a_deal_have_the_same_chance(tmp_path):
    _, records = recorded(tmp_path / "games.jsonl", "raj", ["value", "random"], 20)
    for one, two in zip(records[::2], records[1::2], strict=True):
        assert one["chance"] == two["chance"] and one["seats"] == two["seats"][::-1]
    assert len({tuple(record["chance"]) for record in records}) == 10


def test_records__long_games_are_kept_to_their_end(tmp_path):
    bots = [troublemakers.lowest, "one_by_one"]
    _, records = recorded(tmp_path / "games.jsonl", "toy_nim", bots, 4, heap=300)
    assert all(record["actions"] == [1] * 300 for record in records)
    _, compiled = recorded(tmp_path / "compiled.jsonl", "toy_nim", ["random"] * 2, 4, heap=300)
    assert all(sum(record["actions"]) == 300 for record in compiled)
    for record in compiled:
        assert list(replay(record))[-1].mover < 0


def test_records__a_fault_ends_the_game_and_is_told(tmp_path):
    bots = ["raising", troublemakers.lowest]
    match, records = recorded(tmp_path / "games.jsonl", "toy_nim", bots, 2, heap=6)
    assert sum(match.scores[0].faults.values()) == 1
    opened, followed = records
    assert opened["fault"] is None and len(opened["actions"]) == 6
    assert (followed["fault"]["seat"], followed["fault"]["kind"]) == (1, "raised")
    assert followed["fault"]["reason"].startswith("ValueError: three is too many")
    assert followed["actions"] == [1, 1, 1] and followed["returns"] == [1.0, -1.0]
    assert list(replay(followed))[-1].mover == 1


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda r: r["actions"].append(0), "the game ends after 12 moves"),
        (lambda r: r["actions"].pop(), "not over after its last move"),
        (lambda r: r["actions"].__setitem__(2, r["actions"][0]), "move 3, .*is illegal for seat 0"),
        (lambda r: r["actions"].__setitem__(0, 9), "move 1, 9, is illegal"),
        (lambda r: r["returns"].reverse(), "says returns"),
        (lambda r: r["points"].__setitem__(0, 99.0), "says points"),
        (lambda r: r.update(fault={"seat": 0, "kind": "time", "reason": ""}), "lost by a fault"),
        (lambda r: r.pop("chance"), "lacks chance"),
        (lambda r: r.update(version=2), "version 1"),
    ],
)
def test_records__what_does_not_fit_the_rules_is_refused(tmp_path, spoil, message):
    _, records = recorded(tmp_path / "games.jsonl", "raj", ["value", "random"], 40)
    record = next(record for record in records if record["returns"][0])  # not drawn
    list(replay(record))
    spoiled = copy.deepcopy(record)
    spoil(spoiled)
    with pytest.raises(ValueError, match=message):
        list(replay(spoiled))


def test_records__another_deal_does_not_replay(tmp_path):
    _, records = recorded(tmp_path / "games.jsonl", "raj", ["value", "random"], 40)
    refused = 0
    for one, two in zip(records[::2], records[2::2], strict=False):
        try:
            list(replay({**one, "chance": two["chance"]}))
        except ValueError:
            refused += 1
    assert refused >= 10  # other items mostly leave other points


def test_records__no_file_is_left_of_a_match_that_failed(tmp_path):
    def stop(observation, mask):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_match("toy_nim", [stop, "random"], 4, record=tmp_path / "games.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_records__a_game_that_is_not_registered_is_passed_in(tmp_path):
    game = toy_nim.nim(heap=4)
    _, records = recorded(tmp_path / "games.jsonl", game, ["random", "random"], 2)
    moments = list(replay(records[0] | {"game": "nobody"}, game))
    assert np.array_equal(moments[0].state, [4, 0])
    with pytest.raises(ValueError, match="nobody"):
        list(replay(records[0] | {"game": "nobody"}))


def one_record(tmp_path):
    return recorded(tmp_path / "games.jsonl", "scotch", ["random", "uniform"], 2)[1][0]


@pytest.mark.parametrize("chance", [[], ["0", "0"], ["1"], ["1", "2", "3"], [1, 2], "x", None])
def test_replay__refuses_words_with_which_a_generator_would_hang(tmp_path, chance):
    with pytest.raises(ValueError, match="chance"):
        list(replay(one_record(tmp_path) | {"chance": chance}))


def test_replay__imports_no_module_that_a_record_names(tmp_path):
    record = one_record(tmp_path) | {"game": "antigravity:scotch"}
    with pytest.raises(ValueError, match="imports the module antigravity"):
        list(replay(record))
    assert "antigravity" not in sys.modules
    assert len(list(replay(record, make_game("scotch")))) == len(record["actions"]) + 1


@pytest.mark.parametrize(
    "part",
    [{"game": 5}, {"rules": []}, {"rules": {"x": 1}}, {"actions": 5}, {"fault": 5}, {"deal": []}],
)
def test_replay__refuses_nonsense_with_a_reason(tmp_path, part):
    record = one_record(tmp_path) | part
    if "deal" in part:
        record["actions"] = [None]
    with pytest.raises(ValueError, match="record of deal"):
        list(replay(record))


def test_read_records__deep_json_is_named_by_its_line(tmp_path):
    (tmp_path / "games.jsonl").write_text("[" * 100_000)
    with pytest.raises(ValueError, match="line 1 is not JSON"):
        list(read_records(tmp_path / "games.jsonl"))
