"""The bot `memo` of Coins and its store: what it remembers, and that nothing breaks it."""

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

from bidarena.baselines.coins import memo as coins_memo
from bidarena.baselines.coins.solver import is_lost, table_of
from bidarena.baselines.coins.store import Store, default_path
from bidarena.envs import make_bot, make_game
from bidarena.envs.coins.env import board_of, state_of, takes_of
from bidarena.envs.coins.lines import from_row_code, symmetries
from bidarena.envs.solo import SoloEnv

TRIANGLE = {"board": "triangle5"}


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(coins_memo, "WORTH_SAVING", 20)  # these boards are small
    return tmp_path / "memory" / "coins.sqlite"


def bot(path, nodes=3000, **options):
    game = make_game("coins", **(options or TRIANGLE))
    return make_bot(game, f"memo:nodes={nodes},path={path}")


def ask(memo, rows, player=0):
    """Return the bot's move in a position, as bits."""
    game = memo.game
    state = state_of(game, rows, player)
    view = np.zeros(game.observation_size, np.float32)
    mask = np.zeros(game.actions, np.int8)
    game.call("observe")(game.cfg, state, player, view)
    game.call("legal")(game.cfg, state, mask)
    action = memo(view, mask)
    assert mask[action]
    return takes_of(game)[action]


FULL = [1, 3, 7, 15, 31]


def stored(path):
    base = sqlite3.connect(path)
    try:
        return base.execute("SELECT rows, wins, losses, verdict FROM positions").fetchall()
    finally:
        base.close()


def test_coins_memo__remembers_between_runs_and_gets_further(path):
    first = bot(path)
    ask(first, FULL)
    first.close()
    known = stored(path)
    assert known and all(won + lost >= 20 for _, won, lost, _ in known)
    second = bot(path)
    ask(second, FULL)
    assert len(stored(path)) > len(known)
    assert second.positions > first.positions / 2


def test_coins_memo__plays_perfectly_once_it_has_seen_enough(path):
    memo, table = bot(path), table_of(make_game("coins", **TRIANGLE))
    for _ in range(60):
        ask(memo, FULL)
    source = np.random.default_rng(0)
    layout = board_of(memo.game)
    for _ in range(40):
        rows = [int(source.integers(0, whole + 1)) for whole in FULL]
        position = from_row_code(layout, rows)
        if position and not is_lost(table, position):
            assert is_lost(table, position ^ ask(memo, rows))


def test_coins_memo__what_is_stored_is_true_and_one_entry_for_symmetric_positions(path):
    memo = bot(path, nodes=50_000)
    ask(memo, FULL)
    layout, table = board_of(memo.game), table_of(memo.game)
    ways, seen = symmetries(layout), set()
    for rows, wins, losses, verdict in stored(path):
        position = from_row_code(layout, list(map(int, rows.split())))
        assert verdict == (-1 if is_lost(table, position) else 1)
        assert (wins == 0) == (verdict < 0) and (losses == 0) == (verdict > 0)
        images = {
            sum(1 << goes[coin] for coin in range(15) if position >> coin & 1) for goes in ways
        }
        assert position == min(images)
        seen.add(position)
    assert len(seen) > 20


def test_coins_memo__games_with_other_rules_are_kept_apart(path):
    ask(bot(path), FULL)
    before = stored(path)
    other = bot(path, board="triangle5", last_coin="wins")
    assert other.positions == 0
    ask(other, FULL)
    assert len(stored(path)) > len(before)
    again = bot(path, nodes=0)
    ask(again, FULL)
    assert again.positions == len(before)


def test_coins_memo__tells_positions_apart_by_points(path):
    values = [1, -2, 3, 1, 1, -1, 2, 2, -2, 1]
    memo = bot(path, nodes=20_000, board="triangle4", values=values)
    ask(memo, [1, 3, 7, 15])
    base = sqlite3.connect(path)
    margins = {margin for (margin,) in base.execute("SELECT margin FROM positions")}
    base.close()
    assert len(margins) > 1


def test_coins_memo__with_drawn_colours_nothing_is_stored(path):
    game = make_game("coins", board="triangle3", colours="seeded")
    env = SoloEnv(game, opponent=f"memo:nodes=500,path={path}")
    _, info = env.reset(seed=0)
    for _ in range(60):
        _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        assert not info["opponent_illegal_action"]
        if over:
            _, info = env.reset()
    assert not path.exists()


def test_coins_memo__is_an_opponent_and_survives_pickling(path):
    env = SoloEnv("coins", opponent=f"memo:nodes=300,path={path}", **TRIANGLE)
    _, info = env.reset(seed=1)
    twin = pickle.loads(pickle.dumps(env))
    for _ in range(20):
        action = int(np.flatnonzero(info["action_mask"])[-1])
        view, _, over, _, info = env.step(action)
        other = twin.step(action)
        assert np.array_equal(view, other[0])
        if over:
            _, info = env.reset()
            twin.reset()
    assert stored(path)


def test_coins_memo__default_store_is_in_the_users_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("BIDARENA_CACHE", str(tmp_path / "chosen"))
    assert default_path() == tmp_path / "chosen" / "coins.sqlite"
    monkeypatch.delenv("BIDARENA_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "bidarena" / "coins.sqlite"
    memo = make_bot(make_game("coins", **TRIANGLE), "memo:nodes=10")
    assert not default_path().exists()  # nothing is touched before the first move
    ask(memo, FULL)
    assert default_path().exists()


# --- files that are not stores -------------------------------------------------------------------


def text(path):
    path.write_text("Dear diary, today I took the last coin.\n" * 50)


def foreign(path):
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE diary (day TEXT)")
    base.close()


def truncated(path):
    ask(bot(path, nodes=30_000), FULL)
    base = sqlite3.connect(path)
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    path.write_bytes(path.read_bytes()[:9000])


def scribbled(path):
    ask(bot(path, nodes=30_000), FULL)
    base = sqlite3.connect(path)
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    content = bytearray(path.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 200] = os.urandom(200)
    path.write_bytes(bytes(content))


def impossible(path):
    ask(bot(path), FULL)
    base = sqlite3.connect(path)
    base.execute(
        "UPDATE positions SET rows = '1 3 99 1 1' WHERE wins = (SELECT max(wins) FROM positions)"
    )
    base.commit()
    base.close()


def folder(path):
    path.mkdir()


@pytest.mark.parametrize("damage", [text, foreign, truncated, scribbled, impossible, folder])
def test_coins_memo__foreign_and_damaged_files_are_refused_and_left_alone(path, damage):
    path.parent.mkdir()
    damage(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(ValueError, match=r"path=.*coins\.sqlite.*give another path"):
        ask(bot(path), FULL)
    assert before is None or path.read_bytes() == before


# --- several processes ---------------------------------------------------------------------------

WRITER = """
import sys
from bidarena.baselines.coins.store import Store
from bidarena.envs import make_game

store = Store(sys.argv[1], make_game("coins", board="triangle5"))
first, step = int(sys.argv[2]), 0
print("ready", flush=True)
while True:
    entries = [(f"{first} {step} {k} 0 1", 0, 1.0, 2.0, 1) for k in range(200)]
    store.save(entries)
    print(step, flush=True)
    step += 1
"""


def writer(path, number):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(number)], stdout=subprocess.PIPE, text=True
    )


def test_coins_store__survives_writers_killed_in_mid_write_and_loses_nothing_they_saved(path):
    saved = {}
    for turn in range(2):
        pair = [writer(path, 2 * turn + k) for k in range(2)]
        for process in pair:
            assert [process.stdout.readline() for _ in range(2)] == ["ready\n", "0\n"]
        time.sleep(0.15 + 0.07 * turn)
        for process in pair:
            process.send_signal(signal.SIGKILL)
        for k, process in enumerate(pair):
            said = process.communicate()[0].splitlines()
            saved[2 * turn + k] = 1 + len(said)
            assert process.returncode == -signal.SIGKILL
    found = {}
    for rows, *_ in stored(path):
        first, step, _, _, _ = map(int, rows.split())
        found[first, step] = found.get((first, step), 0) + 1
    assert set(found.values()) == {200}  # every save is complete or not there at all
    for number, count in saved.items():
        assert all((number, step) in found for step in range(count))
    store = Store(path, make_game("coins", **TRIANGLE))  # also checks the whole file
    assert len(store.load(10**9)) == 200 * len(found)
    store.close()


def test_coins_memo__two_bots_share_a_store(path):
    pair = [bot(path, nodes=2000), bot(path, nodes=2000)]
    for _ in range(10):
        for memo in pair:
            ask(memo, FULL)
    assert stored(path)
    late = bot(path, nodes=0)
    ask(late, FULL)
    assert late.positions == len(stored(path))
