"""A policy that is shipped is the one that was learned, but for rounding."""

import numpy as np
import pytest

from bidarena.baselines.learned.network import Network
from bidarena.baselines.learned.policy_file import load_policy, save_policy
from bidarena.envs import make_game
from bidarena.train.ship import ship


def test_ship__keeps_the_policy_and_where_it_comes_from(tmp_path):
    game = make_game("raj", reward="margin")
    luck = np.random.default_rng(0)
    weight = luck.normal(size=(game.observation_size, game.actions)).astype(np.float32)
    network = Network((weight,), (np.zeros(game.actions, np.float32),))
    info = {"command": "bidarena train raj", "measured": {"steps": 3}, "settings": {"rows": 1}}
    run = tmp_path / "run"
    save_policy(run / "best.safetensors", game, network, info=info)
    made = load_policy(ship(str(run), str(tmp_path / "shipped" / "raj.safetensors")))
    assert np.abs(made.network.weights[0] - weight).max() < 2e-3
    assert made.info == {"command": "bidarena train raj", "measured": {"steps": 3}}
    assert made.options == game.options


def test_ship__refuses_what_is_no_policy(tmp_path):
    with pytest.raises(ValueError, match="expected a policy file"):
        ship(str(tmp_path / "nothing"), str(tmp_path / "raj.safetensors"))
