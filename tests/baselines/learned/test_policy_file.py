"""Policies as files: what is written can be read again, and broken files are refused."""

import json
import os
import re
import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from networks import random_network
from safetensors.numpy import save

from bidarena.baselines.learned import policy_file
from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import (
    check_fits,
    learned,
    load_policy,
    policy_bot,
    save_policy,
)
from bidarena.envs import make_game, registry
from bidarena.envs.testing import check_bot

RAJ = {"cards": [1, 2, 3], "items": [1, 2, 3]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)  # fmt: skip


@pytest.fixture(scope="module")
def raj():
    return make_game("raj", **RAJ)


@pytest.fixture(scope="module")
def written(raj, tmp_path_factory):
    """Return the bytes of a good file."""
    path = tmp_path_factory.mktemp("good") / "net.safetensors"
    return save_policy(path, raj, random_network(raj, (3,)), info={"seed": 4}).read_bytes()


def header_of(content):
    return json.loads(content[8 : 8 + struct.unpack("<Q", content[:8])[0]])


def rewritten(content, change):
    """Return the bytes of a file with another description and the arrays of `content`."""
    old = struct.unpack("<Q", content[:8])[0]
    header = header_of(content)
    told = json.loads(header["__metadata__"]["bidarena"])
    told = change(told) or told
    header["__metadata__"]["bidarena"] = told if isinstance(told, str) else json.dumps(told)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content[8 + old :]


# --- writing and reading -------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("head", ["logits", "values"])
@pytest.mark.parametrize("hidden", [(), (16, 8)])
def test_policy__comes_back_as_it_was(tmp_path, activation, head, hidden):
    game = make_game("scotch", money=[20, 30])
    network = random_network(game, hidden, activation, head)
    path = save_policy(tmp_path / "a" / "net.safetensors", game, network, info={"steps": 10})
    file = load_policy(path)
    assert (file.path, file.game, file.actions) == (path, "scotch", game.actions)
    assert file.options == game.options and file.observation == game.observation
    assert file.info == {"steps": 10} and file.version
    assert (file.network.activation, file.network.head) == (activation, head)
    for ours, theirs in zip(network.weights, file.network.weights, strict=True):
        assert theirs.dtype == np.float32 and (ours == theirs).all()
    for ours, theirs in zip(network.biases, file.network.biases, strict=True):
        assert theirs.dtype == np.float32 and (ours == theirs).all()
    check_fits(file, game)
    assert [entry.name for entry in path.parent.iterdir()] == ["net.safetensors"]


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(info=st.dictionaries(st.text(), JSON))
def test_policy__keeps_any_information(tmp_path, raj, info):
    path = save_policy(tmp_path / "net.safetensors", raj, random_network(raj, (3,)), info=info)
    assert load_policy(path).info == info


def test_policy__is_the_same_file_for_the_same_input(tmp_path, raj, written):
    again = save_policy(
        tmp_path / "x.safetensors", raj, random_network(raj, (3,)), info={"seed": 4}
    )
    assert again.read_bytes() == written
    assert list(header_of(written)["__metadata__"]) == ["bidarena"]


def test_policy__half_is_half_as_large_and_nearly_the_same(tmp_path):
    game = make_game("raj")
    network = random_network(game, (256, 256))
    whole = save_policy(tmp_path / "whole.safetensors", game, network)
    half = save_policy(tmp_path / "half.safetensors", game, network, half=True)
    assert half.stat().st_size < 0.52 * whole.stat().st_size
    for ours, theirs in zip(network.weights, load_policy(half).network.weights, strict=True):
        assert theirs.dtype == np.float32 and np.allclose(ours, theirs, rtol=1e-3, atol=1e-6)
    large = Network((np.full((22, 6), 1e6, np.float32),), (np.zeros(6, np.float32),))
    with pytest.raises(ValueError, match="half=True"):
        save_policy(tmp_path / "large.safetensors", game, large, half=True)


def test_save_policy__leaves_the_old_file_when_writing_fails(tmp_path, raj, monkeypatch):
    path = save_policy(tmp_path / "net.safetensors", raj, random_network(raj))
    before = path.read_bytes()

    def full(descriptor):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        save_policy(path, raj, random_network(raj, seed=1))
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["net.safetensors"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"path": "net.zip"}, "ends in .safetensors"),
        ({"path": "net"}, "ends in .safetensors"),
        ({"info": {"a": {1, 2}}}, "plain JSON"),
        ({"info": {"a": float("nan")}}, "plain JSON"),
        ({"info": {"a": np.float32(1)}}, "plain JSON"),
        ({"game": make_game("scotch")}, "expected 5 inputs and 101 outputs for scotch"),
    ],
)
def test_save_policy__says_what_is_wrong(tmp_path, raj, change, message):
    given = {"path": "net.safetensors", "game": raj, "info": None, **change}
    with pytest.raises(ValueError, match=message):
        save_policy(
            tmp_path / given["path"], given["game"], random_network(raj), info=given["info"]
        )
    assert not list(tmp_path.iterdir())


def test_save_policy__writes_nothing_that_cannot_be_read(tmp_path, raj):
    deep = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        save_policy(tmp_path / "a.safetensors", raj, random_network(raj), info={"deep": deep})


# --- what must not get in ------------------------------------------------------------------------


def refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError) as caught:
        load_policy(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def without(name):
    return lambda told: {key: value for key, value in told.items() if key != name}


def put(place, value):
    def change(told):
        *outer, last = place.split(".")
        inside = told
        for name in outer:
            inside = inside[name]
        inside[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda told: "{", "not JSON"),
        (lambda told: "[]", "not a JSON object"),
        (lambda told: "[" * 100_000, "nested too deeply"),
        (lambda told: '{"a": ' * 60 + "1" + "}" * 60, "nested too deeply"),
        (lambda told: json.dumps(told).replace('"seed": 4', '"seed": NaN'), "contains NaN"),
        (lambda told: '{"format": ' + "9" * 5000 + "}", "digits"),
        (put("format", 2), "format 2, this version reads format 1: pip install -U bidarena"),
        (put("format", 0), "format 0"),
        (put("format", True), "format=True, expected a whole number"),
        (put("format", "1"), "expected a whole number"),
        (without("format"), "format=None"),
        (without("game"), "game=None, expected a text"),
        (put("game", "evil:raj"), "expected a name without a colon"),
        (put("options", []), "options=.*expected an object"),
        (put("observation", {}), "takes"),
        (put("observation.pot", 3), "has pot at 3"),
        (put("observation.pot", [0, 2]), "has round at"),
        (put("observation.pot", [1, 0]), "has pot at"),
        (put("observation.pot", ["0", 1]), "has pot at"),
        (put("actions", 5), "expected 13 to 5"),
        (put("network.sizes", [13, 4, 3]), r"of shape \[13, 3\] and type F32, expected \[13, 4\]"),
        (put("network.sizes", ["13", 3, 3]), r"expected \['13', 3\]"),
        (put("network.sizes", [13]), "0 layers"),
        (put("network.sizes", []), "0 layers"),
        (put("network.sizes", [13, 3]), "arrays are not those of its layers: bias.1, weight.1"),
        (put("network.sizes", [1] * 10**6), "999999 layers"),
        (put("network.activation", "sigmoid"), "activation='sigmoid'"),
        (put("network.head", "tail"), "head='tail'"),
        (put("network", {}), "sizes=None"),
        (put("info", None), "info=None"),
        (put("version", 1), "version=1"),
    ],
)
def test_load_policy__says_what_is_wrong_with_a_description(tmp_path, written, change, message):
    path = tmp_path / "net.safetensors"
    found = refused(path, rewritten(written, change))
    assert re.search(message, found), found


def test_load_policy__takes_its_own_description(tmp_path, written):
    """Without a change, the file that the other tests damage is accepted."""
    path = tmp_path / "net.safetensors"
    path.write_bytes(rewritten(written, lambda told: None))
    assert load_policy(path).info == {"seed": 4}


@pytest.mark.parametrize("dtype", ["float64", "int32", "bool"])
def test_load_policy__refuses_arrays_of_other_types(tmp_path, written, dtype):
    meta = header_of(written)["__metadata__"]
    shapes = {"weight.0": (13, 3), "bias.0": (3,), "weight.1": (3, 3), "bias.1": (3,)}
    tensors = {name: np.zeros(shape, dtype) for name, shape in shapes.items()}
    assert "expected [13, 3] of F32 or F16" in refused(
        tmp_path / "net.safetensors", save(tensors, meta)
    )


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_load_policy__refuses_numbers_that_are_none(tmp_path, written, value):
    tensors = {
        name: np.full(part["shape"], value, np.float32)
        for name, part in header_of(written).items()
        if name != "__metadata__"
    }
    content = save(tensors, header_of(written)["__metadata__"])
    assert "not finite" in refused(tmp_path / "net.safetensors", content)


def test_load_policy__refuses_other_files(tmp_path, written):
    path = tmp_path / "net.safetensors"
    assert "broken" in refused(path, b"")
    assert "broken" in refused(path, b"PK\3\4 something else")
    assert "broken" in refused(path, struct.pack("<Q", 2**62) + b"{}")
    assert "broken" in refused(path, struct.pack("<Q", 2) + b"{}" + b"\0" * 100)
    assert "save_policy did not write it" in refused(path, save({"a": np.zeros(3)}))
    assert "save_policy did not write it" in refused(path, save({"a": np.zeros(3)}, {"x": "y"}))
    more = {"weight.0": np.zeros(3, np.float32)}
    assert "bias.0" in refused(path, save(more, header_of(written)["__metadata__"]))
    with pytest.raises(ValueError, match="no such file"):
        load_policy(tmp_path / "missing.safetensors")
    with pytest.raises(ValueError, match="no such file"):
        load_policy(tmp_path)


def test_load_policy__refuses_every_truncated_file(tmp_path, written):
    for size in range(len(written)):
        refused(tmp_path / "net.safetensors", written[:size])


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_load_policy__reads_any_damaged_file_or_refuses_it(tmp_path, written, data):
    """After bytes are flipped, cut out or inserted: a policy of finite numbers, or a ValueError."""
    content = bytearray(written)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(["flip", "cut", "insert"]))
        if kind == "flip":
            content[at] ^= data.draw(st.integers(1, 255))
        elif kind == "cut":
            del content[at : at + data.draw(st.integers(1, 20))]
            content = content or bytearray(b"x")
        else:
            content[at:at] = data.draw(st.binary(min_size=1, max_size=20))
    read_or_refuse(tmp_path / "net.safetensors", bytes(content))


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_load_policy__reads_any_description_or_refuses_it(tmp_path, written, data):
    """The description may have any JSON anywhere."""

    def change(told):
        inside = told
        while True:
            key = data.draw(st.sampled_from(sorted(inside)))
            if not isinstance(inside[key], dict) or not inside[key] or data.draw(st.booleans()):
                inside[key] = data.draw(JSON)
                return
            inside = inside[key]

    read_or_refuse(tmp_path / "net.safetensors", rewritten(written, change))


def read_or_refuse(path, content):
    path.write_bytes(content)
    try:
        file = load_policy(path)
    except ValueError as refusal:
        assert str(path) in str(refusal)
        return
    assert np.isfinite(file.network(np.zeros((1, file.network.sizes[0])))).all()
    for game in (make_game("raj", **RAJ), make_game("raj"), make_game("scotch")):
        try:
            check_fits(file, game)
        except ValueError as refusal:
            assert str(path) in str(refusal)


# --- which game it fits --------------------------------------------------------------------------


def saved(tmp_path, game, name="net.safetensors"):
    return load_policy(save_policy(tmp_path / name, game, random_network(game, (3,))))


def test_check_fits__names_every_difference_and_what_to_type(tmp_path):
    file = saved(tmp_path, make_game("raj", items=[-2, -1, 1, 2, 3, 5], tie="split"))
    with pytest.raises(ValueError) as caught:
        check_fits(file, make_game("raj"))
    told = str(caught.value)
    assert str(file.path) in told
    assert (
        "items: the policy knows [-2, -1, 1, 2, 3, 5], this game has [-2, -1, 1, 2, 3, 4]" in told
    )
    assert "tie: the policy knows 'split', this game has 'carry'" in told
    assert "--items '[-2, -1, 1, 2, 3, 5]' --tie split" in told
    assert "items=[-2, -1, 1, 2, 3, 5], tie='split' in Python" in told
    assert told.endswith("bidarena train raj") and "cards" not in told
    with pytest.raises(ValueError, match=r"bidarena train raj --cards '\[1, 2, 3\]' --items"):
        check_fits(file, make_game("raj", **RAJ))


def test_check_fits__refuses_another_game(tmp_path):
    file = saved(tmp_path, make_game("raj"))
    with pytest.raises(ValueError, match="the policy plays raj, this is scotch"):
        check_fits(file, make_game("scotch"))


def test_check_fits__the_reward_may_differ(tmp_path):
    file = saved(tmp_path, make_game("raj", reward="margin"))
    check_fits(file, make_game("raj"))
    policy_bot(make_game("raj"), file.path)


def test_check_fits__looks_at_the_observation_and_the_actions(tmp_path, written):
    path = tmp_path / "net.safetensors"

    def rename(told):
        seen = told["observation"]
        told["observation"] = {("purse" if k == "pot" else k): v for k, v in seen.items()}

    path.write_bytes(rewritten(written, rename))
    with pytest.raises(ValueError) as caught:
        check_fits(load_policy(path), make_game("raj", **RAJ))
    assert "observation pot: the policy sees nothing of it, this game it at 0:1" in str(
        caught.value
    )
    assert "observation purse: the policy sees it at 0:1, this game nothing" in str(caught.value)


@pytest.mark.parametrize("option", ["tie", "players"])
def test_check_fits__rules_that_came_later_are_as_by_default(tmp_path, written, option):
    path = tmp_path / "net.safetensors"
    path.write_bytes(rewritten(written, lambda told: told["options"].pop(option) and None))
    check_fits(load_policy(path), make_game("raj", **RAJ))
    if option == "tie":
        with pytest.raises(
            ValueError, match="tie: the policy knows 'carry', this game has 'split'"
        ):
            check_fits(load_policy(path), make_game("raj", tie="split", **RAJ))


def test_check_fits__defaults_may_follow_from_other_rules(tmp_path):
    """The default of `start` in Scotch is the middle of the board, which depends on `length`."""
    game = make_game("scotch", length=14)
    content = saved(tmp_path, game).path.read_bytes()
    path = tmp_path / "old.safetensors"
    path.write_bytes(rewritten(content, lambda told: told["options"].pop("start") and None))
    check_fits(load_policy(path), game)
    with pytest.raises(ValueError, match="start: the policy knows 7, this game has 5"):
        check_fits(load_policy(path), make_game("scotch", length=14, start=5))


def test_check_fits__rules_of_a_later_version_are_a_difference(tmp_path, written):
    path = tmp_path / "net.safetensors"
    path.write_bytes(rewritten(written, put("options.jokers", 2)))
    with pytest.raises(ValueError, match="jokers: the policy knows 2, this game has no such rule"):
        check_fits(load_policy(path), make_game("raj", **RAJ))


# --- as bots -------------------------------------------------------------------------------------


def test_policy_bot__plays_as_the_network_does(tmp_path, raj):
    network = random_network(raj)
    path = save_policy(tmp_path / "net.safetensors", raj, network)
    for deterministic in (False, True):
        bot = policy_bot(raj, path, deterministic=deterministic)
        direct = network_bot(raj, network, "net", deterministic=deterministic)
        assert (bot.params == direct.params).all() and bot.deterministic is deterministic
        check_bot(raj, bot)


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    monkeypatch.setattr(policy_file, "_shipped_folder", lambda: tmp_path)
    for name, rules in {"coins-triangle4": {"board": "triangle4"}, "coins": {}}.items():
        game = make_game("coins", **rules)
        save_policy(tmp_path / f"learned-{name}.safetensors", game, random_network(game, (3,)))
    (tmp_path / "learned-coinsmore.safetensors").write_text("another game's")
    (tmp_path / "ppo-coins.safetensors").write_text("another kind")
    (tmp_path / "__init__.py").write_text("")
    return tmp_path


def test_shipped__picks_the_policy_for_the_rules(shelf):
    for rules in ({}, {"board": "triangle4", "reward": "outcome"}):
        game = make_game("coins", **rules)
        bot = learned(game)
        file = shelf / f"learned-coins{'-triangle4' if rules else ''}.safetensors"
        assert np.array_equal(bot.params, policy_bot(game, file).params)
        assert bot.name == "learned"
    assert learned(make_game("coins"), deterministic=True).deterministic


def test_shipped__says_for_which_rules_there_is_one(shelf):
    with pytest.raises(ValueError) as caught:
        learned(make_game("coins", board="triangle4", gaps=True))
    told = str(caught.value)
    assert "for other rules" in told
    assert "learned-coins-triangle4: gaps: the policy knows False, this game has True" in told
    assert "learned-coins: board: the policy knows 'square6', this game has 'triangle4'" in told
    assert told.endswith("bidarena train coins --board triangle4 --gaps true")
    with pytest.raises(ValueError, match=r"no such policy for raj comes .*\n.*bidarena train raj$"):
        learned(make_game("raj"))


def test_shipped__a_broken_file_is_not_passed_over(shelf):
    (shelf / "learned-coins.safetensors").write_bytes(b"")
    with pytest.raises(ValueError, match=r"coins\.safetensors: not a file of safetensors"):
        learned(make_game("coins"))


def test_shipped__is_found_by_a_registered_name(shelf):
    game = make_game("coins", board="triangle4")
    assert registry.make_bot(game, "learned:deterministic=true").deterministic
    with pytest.raises(ValueError, match="opponent='learned': the policies for coins"):
        registry.make_bot(make_game("coins", board="triangle5"), "learned")
    made, refused = registry.playing(make_game("coins", board="square3"))
    assert "learned" in refused and "learned" not in made


def test_shipped__the_folder_of_the_package_exists():
    names = [entry.name for entry in policy_file._shipped_folder().iterdir()]
    assert "__init__.py" in names
    for name in names:
        if name.endswith(".safetensors"):
            assert load_policy(policy_file._shipped_folder() / name).info
