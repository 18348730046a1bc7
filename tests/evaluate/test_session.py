"""Sessions: the deal of every interface, taking back, and going on from a file unchanged."""

import json
import signal
import sys
import time

import numpy as np
import pytest

from bidarena.baselines.adapters.faults import Fault
from bidarena.envs import Batch, make_game
from bidarena.evaluate.match import play_match
from bidarena.evaluate.match.record import read_records, replay
from bidarena.evaluate.session import Session, read_record, restored

TABLES = {
    "scotch": (["dp", None], {"money": 15}),
    "richman": ([None, "richman"], {"money": 9}),
    "raj": ([None, "random", "valueplus"], {"players": 3}),
    "coins": (["random", None], {"board": "triangle4", "colours": "seeded"}),
    "twentynine": (["rules", None, "ismcts:iterations=20", "random"], {}),
}
BOTH = pytest.mark.parametrize("name", list(TABLES))


def begin(name, seed=3):
    seats, rules = TABLES[name]
    return Session(make_game(name, **rules), seats, seed)


def go(session, choose, most=10_000):
    """Play on, the person at random; what happened, in numbers."""
    for _ in range(most):
        if session.over:
            break
        if session.bot_to_move():
            session.ask()
        else:
            session.play(int(choose.choice(session.legal())))
    return [tuple(move) for move in session.moves]


@BOTH
def test_session__deals_and_plays_as_a_batch_with_the_same_seed(name):
    session = begin(name)
    moves = go(session, np.random.default_rng(0))
    batch = Batch(session.game, 1, seed=3)
    assert batch.states[0].tolist() == session.points[0].state.tolist()
    for seat, action in moves:
        assert batch.movers[0] == seat
        batch.step([action])
    assert batch.movers[0] < 0 and session.over
    assert batch.states[0].tolist() == session.state.tolist()
    assert batch.returns[0].tolist() == session.returns()


@BOTH
def test_session__undo_goes_back_to_the_last_decision_of_the_person(name):
    session = begin(name)
    decisions = []
    choose = np.random.default_rng(1)
    while not session.over:
        if session.bot_to_move():
            session.ask()
            continue
        decisions.append((session.state.tolist(), session.points[-1].rngs.tolist()))
        session.play(int(choose.choice(session.legal())))
    played = [tuple(move) for move in session.moves]
    for state, rngs in reversed(decisions):
        assert session.undo()
        assert not session.over and not session.bot_to_move()
        assert session.state.tolist() == state
        assert session.points[-1].rngs.tolist() == rngs
    assert not session.undo()
    # the same moves are followed by the same chance and the same replies
    person = iter([action for seat, action in played if session.seats[seat] is None])
    while not session.over:
        session.ask() if session.bot_to_move() else session.play(next(person))
    assert [tuple(move) for move in session.moves] == played


@BOTH
@pytest.mark.parametrize("moves", [0, 5, 10_000])
def test_session__goes_on_from_a_file_as_if_nothing_had_happened(name, moves, tmp_path):
    session, choose = begin(name), np.random.default_rng(2)
    go(session, choose, moves)
    session.save(tmp_path / "game.json")
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]
    again = restored(read_record(tmp_path / "game.json"))
    assert again.record() == session.record()
    twin = np.random.default_rng()
    twin.bit_generator.state = choose.bit_generator.state
    assert go(session, choose) == go(again, twin)
    assert session.returns() == again.returns()
    while session.undo():
        assert again.undo()
        assert session.points[-1].rngs.tolist() == again.points[-1].rngs.tolist()


def test_session__a_file_that_was_changed_is_refused(tmp_path):
    session = begin("scotch")
    go(session, np.random.default_rng(0), 6)
    whole = session.record()
    broken = [
        {**whole, "actions": [0, *whole["actions"][1:]]},
        {**whole, "actions": whole["actions"][:-1]},
        {**whole, "returns": [1.0, -1.0]},
        {**whole, "chance": ["0"]},
        {**whole, "luck": whole["luck"][:-1]},
        {**whole, "version": 99},
        {**whole, "seed": -1},
        {**whole, "seats": ["dp"]},
        {**whole, "seats": ["nobody", "person"]},
        {**whole, "rules": {"money": -3}},
        {key: value for key, value in whole.items() if key != "actions"},
    ]
    for record in broken:
        with pytest.raises(ValueError, match="saved game"):
            restored(json.loads(json.dumps(record)))
    path = tmp_path / "x.json"
    for text in ("", "[]", "{}", '{"bidarena": 99}'):
        path.write_text(text)
        with pytest.raises(ValueError, match="not a saved game"):
            read_record(path)
    with pytest.raises(ValueError, match="No such file"):
        read_record(tmp_path / "missing.json")


def test_session__a_save_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    session = begin("scotch")
    path = tmp_path / "game.json"
    session.save(path)
    old = path.read_text()
    session.ask()
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        session.save(path)
    assert path.read_text() == old
    assert list(tmp_path.iterdir()) == [path]


def test_session__an_illegal_move_of_a_person_is_refused_and_changes_nothing():
    session = begin("richman")
    with pytest.raises(ValueError, match="you have \\$9"):
        session.play(10)
    assert len(session.points) == 1


def test_session__a_bot_that_breaks_the_rules_loses(monkeypatch):
    session = begin("scotch")
    session._bots["dp"] = lambda observation, mask: 0  # bids nothing with money in hand
    assert session.ask() is None
    assert session.over and session.returns() == [-1.0, 1.0]
    assert session.moves == []


def test_restored__starts_no_program_and_imports_no_module_that_a_file_names(tmp_path):
    mark = tmp_path / "ran"
    record = begin("scotch").record()
    record["seats"] = [f"cmd:touch {mark}:jail=0", "person"]
    with pytest.raises(ValueError, match=r"saved game: .*'cmd:touch .* --trust"):
        restored(record)
    session = restored(record, trust=True)
    with pytest.raises(Fault):  # it says nothing, but it was run
        session.ask()
    assert mark.exists()
    record = begin("scotch").record() | {"game": "antigravity:scotch"}
    with pytest.raises(ValueError, match="imports the module antigravity"):
        restored(record)
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize(
    "words", [["0", "0"], [], ["1"], ["1", "2", "3"], ["-1", "5"], ["1" * 17, "1"], ["x", "y"], 7]
)
def test_restored__refuses_words_with_which_a_generator_would_hang(words):
    record = begin("twentynine").record()
    with pytest.raises(ValueError, match="luck"):
        restored(record | {"luck": [words]})
    with pytest.raises(ValueError, match="chance"):
        restored(record | {"chance": words})


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"format": "bidarena/game"}',
        '{"bidarena": 1, "game": 5}',
        "\\xff",
        "[]",
        "NaN",
    ],
)
def test_read_record__says_what_is_wrong_with_a_file_of_somebody_else(tmp_path, text):
    path = tmp_path / "game.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"load=.*not a (whole )?saved game"):
        read_record(path)


@pytest.mark.parametrize("part", ["rules", "seats", "actions", "seed", "chance", "game"])
@pytest.mark.parametrize("value", [None, -5, "x", [5], {"a": 5}, [None], [{}]])
def test_restored__refuses_nonsense_with_a_reason(part, value):
    session = begin("scotch")
    go(session, np.random.default_rng(0), 5)
    with pytest.raises(ValueError, match="saved game"):
        restored(session.record() | {part: value})


@pytest.fixture
def alarm():
    """Ring as Ctrl-C would, after some seconds."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_session__a_search_that_was_interrupted_stops(alarm):
    session = Session(make_game("raj"), ["ismcts:iterations=1000000000,threads=2", None], 1)
    warm = Session(make_game("raj"), ["ismcts:iterations=10,threads=2", None], 1)
    warm.ask()
    alarm(0.5)
    with pytest.raises(KeyboardInterrupt):
        session.ask()
    until = time.monotonic() + 20
    while time.monotonic() < until:
        before = time.process_time()
        time.sleep(0.3)
        if time.process_time() - before < 0.1:
            return
    raise AssertionError("the search goes on")


@pytest.mark.parametrize("bot", ["ismcts:ms=6000", "ismcts:ms=6000,threads=2"])
def test_session__ctrl_c_is_heard_while_a_bot_thinks(alarm, bot):
    warm = Session(make_game("raj"), [bot.replace("6000", "5"), None], 1)
    warm.ask()  # compiled
    session = Session(make_game("raj"), [bot, None], 1)
    alarm(0.5)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        session.ask()
    assert time.monotonic() - began < 4
    assert len(session.points) == 1 and session.bot_to_move()


@BOTH
def test_session__writes_the_records_of_matches_and_reads_them(name, tmp_path):
    session = begin(name)
    go(session, np.random.default_rng(4), 5)
    unfinished = session.record()
    assert unfinished["returns"] is None
    *_, last = replay(unfinished)
    assert last.state.tolist() == session.state.tolist()
    go(session, np.random.default_rng(4))
    *_, last = replay(json.loads(json.dumps(session.record())))
    assert last.state.tolist() == session.state.tolist()

    rules, sides = TABLES[name][1], len(set(session.game.teams))
    path = tmp_path / "games.jsonl"
    play_match(name, ["random"] * sides, 2, record=path, **rules)
    first = next(read_records(path))
    again = restored(read_record(path))
    assert again.record()["actions"] == first["actions"]
    assert again.record()["points"] == first["points"] and again.returns() == first["returns"]


def test_session__a_person_resigns_and_takes_it_back(tmp_path):
    session = begin("scotch")
    with pytest.raises(ValueError, match="no person"):
        session.resign()
    session.ask()
    session.resign()
    assert session.over and session.returns() == [1.0, -1.0]
    session.save(tmp_path / "game.json")
    again = restored(read_record(tmp_path / "game.json"))
    assert again.over and again.fault.kind == "resigned" and again.returns() == [1.0, -1.0]
    *_, last = replay(session.record())
    assert last.mover == 1
    assert session.undo() and not session.over and len(session.points) == 2
