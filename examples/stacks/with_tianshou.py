"""Tianshou: its DQN, with masks, learns Raj with four cards.

    python examples/stacks/with_tianshou.py

Tianshou's algorithms for discrete actions read the mask where the observation is {"obs", "mask"}.
"""

import gymnasium as gym
import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from bidarena.envs import batched, make_game  # registers the environments
from bidarena.envs.wrappers import MaskInObservation
from bidarena.evaluate.match import play_match

RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
STEPS = 16_000


def make_env():
    """Return a game whose observations are {"obs", "mask"}."""
    env = gym.make("bidarena/Raj-v0", opponent="value", **RULES)
    return MaskInObservation(env, keys=("obs", "mask"))


@batched
def answer(observations, masks):
    """Return the best legal action of each row."""
    with torch.no_grad():
        asked = Batch(obs=Batch(obs=observations, mask=masks.astype(bool)), info=Batch())
        return policy(asked).act


def win_rate():
    """Return the share of 2,000 games that the policy wins, from both seats."""
    return play_match(make_game("raj", **RULES), [answer, "value"], 2000).scores[0].win_rate


torch.set_num_threads(1)  # a small network is faster so
np.random.seed(1)  # noqa: NPY002, Tianshou explores with it
torch.manual_seed(1)
envs = DummyVectorEnv([make_env] * 16)
envs.seed(1)
sample = make_env()
size, actions = sample.observation_space["obs"].shape, sample.action_space
model = Net(state_shape=size, action_shape=actions.n, hidden_sizes=(64, 64))
policy = DiscreteQLearningPolicy(model=model, action_space=actions, eps_training=0.2)
dqn = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=200)
before = win_rate()
collector = Collector(dqn, envs, VectorReplayBuffer(20_000, 16), exploration_noise=True)
dqn.run_training(
    OffPolicyTrainerParams(
        training_collector=collector,
        max_epochs=1,
        epoch_num_steps=STEPS,
        collection_step_num_env_steps=160,
        update_step_num_gradient_steps_per_sample=0.1,
        batch_size=256,
        show_progress=False,
        verbose=False,
    )
)
print(f"Games won against value: {before:.1%} before, {win_rate():.1%} after {STEPS} steps.")
