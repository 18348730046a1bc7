"""Stable-Baselines3: PPO without masks learns Raj with four cards, legal moves included.

    python examples/stacks/with_sb3.py

The part of the id before the colon is a module to import first, so that the id is known in worker
processes too (`vec_env_cls=SubprocVecEnv`). PPO knows no masks and an illegal action loses the
game, so it has to learn the legal moves as well. `with_sb3_contrib.py` spares it that.
"""

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

torch.set_num_threads(1)  # a small network is faster so
RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
STEPS = 40_000


def win_rate(model, games=1000):
    """Return the share of games that the model wins; an illegal action is a game lost."""
    won = played = 0
    observations = env.reset()
    while played < games:
        actions, _ = model.predict(observations, deterministic=True)
        observations, rewards, over, _ = env.step(actions)
        won, played = won + int((rewards > 0).sum()), played + int(over.sum())
    return won / played


env = make_vec_env(
    "bidarena.envs:bidarena/Raj-v0", n_envs=8, seed=1, env_kwargs={"opponent": "value", **RULES}
)
model = PPO("MlpPolicy", env, n_steps=128, batch_size=256, learning_rate=1e-3, gamma=1.0, seed=1)
before = win_rate(model)
model.learn(STEPS)
after = win_rate(model)
print(f"Games won against value: {before:.1%} before, {after:.1%} after {STEPS} steps.")
