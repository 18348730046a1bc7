"""SB3-contrib: MaskablePPO learns Raj with four cards on the compiled batch of games.

    python examples/stacks/with_sb3_contrib.py

`SB3Env` is a VecEnv; MaskablePPO finds the masks by itself. The saved model is a bot by its path.
"""

import tempfile
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO

from bidarena.envs import make_game
from bidarena.envs.sb3 import SB3Env
from bidarena.evaluate.match import play_match

torch.set_num_threads(1)  # a small network is faster so
RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
STEPS = 30_000


def win_rate(model):
    """Return the share of 2,000 games that the model wins, from both seats."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.zip"
        model.save(path)
        match = play_match(make_game("raj", **RULES), [str(path), "value"], 2000)
    return match.scores[0].win_rate


env = SB3Env("raj", 64, opponent="value", **RULES)
model = MaskablePPO(
    "MlpPolicy", env, n_steps=16, batch_size=256, learning_rate=2e-3, gamma=1.0, seed=1
)
before = win_rate(model)
model.learn(STEPS)
after = win_rate(model)
print(f"Games won against value: {before:.1%} before, {after:.1%} after {STEPS} steps.")
