"""Nothing but NumPy: a linear policy learns Raj with four cards by REINFORCE, in a few seconds.

    python examples/stacks/with_numpy.py

`gym.make_vec` gives arrays with a row for each game; the masks of legal actions are in the infos.
"""

import gymnasium as gym
import numpy as np

from bidarena.envs import batched, make_game  # registers the environments
from bidarena.evaluate.match import play_match

RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
ROWS, STEPS, RATE = 512, 1200, 0.3

envs = gym.make_vec("bidarena/Raj-v0", ROWS, opponent="value", **RULES, autoreset_mode="SameStep")
rng = np.random.default_rng(1)
weights = np.zeros((envs.single_observation_space.shape[0], envs.single_action_space.n))


def probabilities(observations, masks):
    """Return the probability of each action; illegal ones have none."""
    wishes = np.where(masks, observations @ weights, -np.inf)
    chances = np.exp(wishes - wishes.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


@batched
def policy(observations, masks):
    """Return the likeliest legal action of each row."""
    return probabilities(observations, masks).argmax(axis=1)


def win_rate():
    """Return the share of 2,000 games that the policy wins, from both seats."""
    return play_match(make_game("raj", **RULES), [policy, "value"], 2000).scores[0].win_rate


before = win_rate()
observations, infos = envs.reset(seed=1)
played = np.zeros((ROWS, *weights.shape))  # the gradient of each game's moves so far
for _ in range(STEPS):
    chances = probabilities(observations, infos["action_mask"])
    actions = (chances.cumsum(axis=1) > rng.random((ROWS, 1))).argmax(axis=1)
    chosen = np.eye(chances.shape[1])[actions]
    played += observations[:, :, None] * (chosen - chances)[:, None, :]
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    over = terminated | truncated
    if over.any():
        better = rewards[over] - rewards[over].mean()
        weights += RATE * np.einsum("g,goa->oa", better, played[over]) / over.sum()
        played[over] = 0.0
envs.close()
print(f"Games won against value: {before:.1%} before, {win_rate():.1%} after {ROWS * STEPS} steps.")
