r"""RL Baselines3 Zoo: its command trains PPO from a file of hyperparameters.

    python examples/stacks/with_rl_zoo.py

It runs this command, and measures what the command has left:

    python -m rl_zoo3.train --algo ppo --env bidarena/Raj-v0 --gym-packages bidarena.envs \
        --conf-file examples/stacks/rl_zoo.yml --log-folder FOLDER --seed 1

The zoo has no MaskablePPO. PPO learns the legal moves too, since an illegal one loses the game.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import gymnasium as gym
from stable_baselines3 import PPO

import bidarena.envs  # noqa: F401, registers the environments

RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
SETTINGS = Path(__file__).with_name("rl_zoo.yml")


def win_rate(model, games=2000):
    """Return the share of games that the model wins; an illegal action is a game lost."""
    envs = gym.make_vec("bidarena/Raj-v0", 100, opponent="value", **RULES)
    observations, _ = envs.reset(seed=1)
    won = played = 0
    while played < games:
        actions, _ = model.predict(observations, deterministic=True)
        observations, rewards, terminated, _, _ = envs.step(actions)
        won, played = won + int((rewards > 0).sum()), played + int(terminated.sum())
    return won / played


sample = gym.make("bidarena/Raj-v0", opponent="value", **RULES)
before = win_rate(PPO("MlpPolicy", sample, seed=1))
with tempfile.TemporaryDirectory() as folder:
    train = [sys.executable, "-m", "rl_zoo3.train", "--algo", "ppo", "--env", "bidarena/Raj-v0"]
    more = ["--gym-packages", "bidarena.envs", "--conf-file", str(SETTINGS), "--seed", "1"]
    quiet = ["--log-folder", folder, "--eval-freq", "-1", "--verbose", "0", "--num-threads", "1"]
    subprocess.run([*train, *more, *quiet], check=True, stdout=subprocess.DEVNULL)
    (saved,) = Path(folder).rglob("*.zip")
    after = win_rate(PPO.load(saved))
print(f"Games won against value: {before:.1%} before, {after:.1%} after 40000 steps.")
