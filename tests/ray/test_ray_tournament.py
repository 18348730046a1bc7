"""Tournaments on a Ray: the same games as on this machine, whatever happens to the nodes."""

from __future__ import annotations

import json
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from ray_nodes import nodes
from watching import Watched

from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import save_policy
from bidarena.cli.main import main
from bidarena.envs import make_game
from bidarena.evaluate.tournament import Tournament, run_tournament
from bidarena.evaluate.tournament import run as module
from bidarena.evaluate.tournament.store import open_store

BOTS = ("value", "random", "mcts:iterations=300")


def plan(games=160, bots=BOTS, seed=3):
    return Tournament(make_game("raj"), bots, games, seed)


def games_of(tournament, folder):
    """Every game of every line-up as it is kept, however the deals were cut into pieces."""
    found = {}
    with open_store(Path(folder), tournament.settings) as store:
        for lineup in tournament.lineups:
            blocks = [block for _, block in store.blocks(lineup, tournament.deals)]
            parts = ("returns", "points", "lengths", "losers", "actions")
            whole = {
                part: np.concatenate([getattr(block, part) for block in blocks]).tolist()
                for part in parts
            }
            whole["asked"] = np.sum([block.asked for block in blocks], axis=0).tolist()
            found[lineup] = whole
    return found


def network(game, seed=0):
    luck = np.random.default_rng(seed)
    sizes = (game.observation_size, 16, game.actions)
    shapes = list(pairwise(sizes))
    weights = tuple(luck.normal(size=shape).astype(np.float32) for shape in shapes)
    biases = tuple(luck.normal(size=outputs).astype(np.float32) for _, outputs in shapes)
    return Network(weights, biases)


@pytest.fixture
def watched(monkeypatch, tmp_path):
    made = Watched(tmp_path / "log", nodes=2)
    monkeypatch.setattr(module, "play_job", made)
    return made


def test_tournament__a_killed_node_changes_no_game(tmp_path, monkeypatch):
    played = plan(300)
    told = []
    with nodes() as cluster:
        doomed = next(iter(cluster.worker_nodes))
        watched = Watched(tmp_path / "log", stuck=doomed.node_id)
        monkeypatch.setattr(module, "play_job", watched)

        def kill():
            while watched.begun_by(doomed.node_id) < 2:
                time.sleep(0.05)
            cluster.remove_node(doomed, allow_graceful=False)  # SIGKILL, in the middle of a piece

        killer = threading.Thread(target=kill)
        killer.start()
        run_tournament(played, tmp_path / "ray", ray=cluster.address, progress=told.append)
        killer.join()
    began = watched.seen()
    *_, lost = (job for node, _, _, job in began if node == doomed.node_id)
    assert lost in [job for node, _, _, job in began if node != doomed.node_id]  # begun anew
    assert sum(told) == 300 * 3
    monkeypatch.undo()
    run_tournament(played, tmp_path / "here")
    assert games_of(played, tmp_path / "ray") == games_of(played, tmp_path / "here")


def test_tournament__both_nodes_play_and_progress_is_told(cluster, tmp_path, watched):
    told = []
    run_tournament(plan(), tmp_path / "ray", ray=cluster.address, progress=told.append)
    assert sum(told) == 160 * 3 and len(told) > 3
    assert len({node for node, *_ in watched.seen()}) == 2
    run_tournament(plan(), tmp_path / "here")
    assert games_of(plan(), tmp_path / "ray") == games_of(plan(), tmp_path / "here")


def test_tournament__goes_on_from_local_games_and_back(cluster, tmp_path, watched):
    run_tournament(plan(40), tmp_path / "both")
    first = len(watched.seen())
    run_tournament(plan(120), tmp_path / "both", ray=cluster.address)
    assert all(node != "here" for node, *_ in watched.seen()[first:])
    run_tournament(plan(160), tmp_path / "both")
    run_tournament(plan(160), tmp_path / "here")
    assert games_of(plan(160), tmp_path / "both") == games_of(plan(160), tmp_path / "here")


def test_tournament__policies_are_sent_to_nodes_that_lack_them(
    cluster, tmp_path, monkeypatch, watched
):
    monkeypatch.chdir(tmp_path)
    game = make_game("raj")
    save_policy(tmp_path / "mine.safetensors", game, network(game), info={})
    (tmp_path / "run").mkdir()
    save_policy(tmp_path / "run" / "best.safetensors", game, network(game, 1), info={})
    bots = ("mine.safetensors", "run", "best_response:of=mine.safetensors", "random")
    played = plan(40, bots)
    run_tournament(played, "ray", ray=cluster.address)
    folders = {folder for _, _, folder, _ in watched.seen()}
    assert folders and str(tmp_path) not in folders  # where these paths lead nowhere
    run_tournament(played, "here")
    assert games_of(played, "ray") == games_of(played, "here")


def test_tournament__programs_of_their_own_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text("def calculate_bid(*_):\n    return 1\n")
    words = ["tournament", "scotch", "random", "file:bot.py", "--games", "2", "--ray"]
    assert main(words) == 2
    assert "bot='file:bot.py': a program of its own" in capsys.readouterr().err


def test_cli__ray_is_one_option(cluster, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["tournament", "scotch", "dp", "random", "--games", "40", "--json"]
    assert main([*words, "--folder", "a"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert main([*words, "--folder", "b", "--ray", cluster.address]) == 0
    spread = json.loads(capsys.readouterr().out)
    assert spread["pairs"] == alone["pairs"]
